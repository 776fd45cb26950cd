//! Blocked pawns: an enemy pawn stands straight ahead.

use shakmaty::Role;

use super::{BoardFeature, PAWN_BASIS, one_step_ahead};

/// Every pawn of the side with an enemy pawn on the next square of its file. This is `pawns & ahead(enemy pawns)`, where ahead is
/// the enemy's direction.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "blocked_pawn",
    aliases: &["blocked_pawns"],
    summary: "a pawn with an enemy pawn straight ahead",
    squares: |board, colour| {
        board.pieces(colour, Role::Pawn) & one_step_ahead(board.pieces(!colour, Role::Pawn), !colour)
    },
    ..PAWN_BASIS
};
