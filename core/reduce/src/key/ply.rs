//! The ply, and the move as it is numbered in a score.

use alloc::string::ToString;

use plyfold_scan::scan::first_half_move;

use super::feature::{KeyCondition, KeyFeature, KeyValue, ValueFormat};

pub(super) const PLY: KeyFeature = KeyFeature {
    name: "ply",
    aliases: &[],
    summary: "the number of the ply that led to the position",
    value: KeyValue::Ply(|_, ply| u64::from(ply.0)),
    format: ValueFormat::Number(|value| value.to_string()),
    is_ordered: true,
    condition: Some(KeyCondition::of("ply = ")),
};

pub(super) const MOVE: KeyFeature = KeyFeature {
    name: "move",
    aliases: &["move_number"],
    summary: "the number of the move in the score",
    value: KeyValue::Ply(|found, ply| (u64::from(first_half_move(found.start_board)) + u64::from(ply.0) - 1) / 2 + 1),
    condition: Some(KeyCondition::of("move = ")),
    ..PLY
};
