//! The side to move.

use shakmaty::Role;

use super::{BASIS, BoardFeature};

/// The king's square if the side is to move.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "to_move",
    aliases: &["on_move"],
    summary: "the side is to move (the square is its king's)",
    squares: |board, colour| if board.side_to_move() == colour { board.pieces(colour, Role::King) } else { 0 },
    ..BASIS
};
