//! The ply, and the move as it is numbered in a score.

use alloc::string::ToString;

use super::{Feature, Of, Show};
use crate::scan::first_half_move;

pub(super) const PLY: Feature = Feature {
    name: "ply",
    aliases: &[],
    summary: "the number of the ply after which the position stands",
    of: Of::Ply(|_, ply| u64::from(ply)),
    show: Show::Value(|value| value.to_string()),
    is_ordered: true,
};

pub(super) const MOVE: Feature = Feature {
    name: "move",
    aliases: &["move_number"],
    summary: "the number of the move, as printed in a score",
    of: Of::Ply(|found, ply| (u64::from(first_half_move(found.start)) + u64::from(ply) - 1) / 2 + 1),
    ..PLY
};
