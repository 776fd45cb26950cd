//! Squares on which no piece stands.

use super::{BASIS, BoardFeature};

/// Every square on which no piece of either side stands.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "empty_square",
    aliases: &["empty_squares"],
    summary: "no side: a square without a piece",
    has_sides: false,
    squares: |board, _| !board.occupied(),
    ..BASIS
};
