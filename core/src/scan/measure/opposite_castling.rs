//! Opposite castling: one side has castled short and the other long.

use super::{Anywhere, Feature, Implied, Scope};
use crate::board::CASTLED;
use crate::scan::needs::Needs;

/// Every square once one side has castled short and the other long in the course of the game; speaks of no side and no square.
pub(super) const FEATURE: Feature = Feature {
    name: "opposite_castling",
    aliases: &["opposite_sides_castling", "castled_opposite"],
    summary: "one side has castled short and the other long",
    sided: false,
    placed: false,
    depends: CASTLED,
    needs: Needs::MAILBOX,
    scope: Scope::Board,
    anywhere: Anywhere::Squares,
    implies: Implied::Nothing,
    // White short and Black long, or White long and Black short.
    squares: |board, _| if matches!(board.castled, 0b1001 | 0b0110) { u64::MAX } else { 0 },
};
