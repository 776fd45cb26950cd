//! The ply, and the move as it is numbered in a score.

use alloc::string::ToString;

use super::{KeyFeature, KeyValue, ValueFormat};
use crate::scan::first_half_move;

pub(super) const PLY: KeyFeature = KeyFeature {
    name: "ply",
    aliases: &[],
    summary: "the number of the ply after which the position stands",
    value: KeyValue::Ply(|_, ply| u64::from(ply.0)),
    format: ValueFormat::Value(|value| value.to_string()),
    is_ordered: true,
};

pub(super) const MOVE: KeyFeature = KeyFeature {
    name: "move",
    aliases: &["move_number"],
    summary: "the number of the move, as printed in a score",
    value: KeyValue::Ply(|found, ply| (u64::from(first_half_move(found.start_board)) + u64::from(ply.0) - 1) / 2 + 1),
    ..PLY
};
