//! Opposite castling: one side has castled short and the other long.

use plyfold_board::board::CASTLING_CHANGE;

use super::{BASIS, BoardFeature};
use crate::scan::replay_needs::ReplayNeeds;

/// Every square once one side has castled short and the other long during the game; else none. The feature has no side and no
/// location.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "opposite_castling",
    aliases: &["opposite_sides_castling", "castled_opposite"],
    summary: "one side has castled short and the other long",
    has_sides: false,
    has_location: false,
    dependencies: CASTLING_CHANGE,
    needs: ReplayNeeds::MAILBOX,
    // White short and Black long, or White long and Black short.
    squares: |board, _| if matches!(board.castled_wings, 0b1001 | 0b0110) { u64::MAX } else { 0 },
    ..BASIS
};
