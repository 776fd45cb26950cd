//! Blocked pawns: an enemy pawn stands straight ahead.

use plyfold_board::board::PieceCode;
use shakmaty::Role;

use super::{BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces, one_step_ahead, placement_changes};
use crate::scan::replay_needs::ReplayNeeds;

/// Every pawn of the side with an enemy pawn on the next square of its file. This is `pawns & ahead(enemy pawns)`, where ahead is
/// the enemy's direction.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "blocked_pawn",
    aliases: &["blocked_pawns"],
    summary: "a pawn with an enemy pawn straight ahead",
    has_sides: true,
    has_location: true,
    dependencies: placement_changes([PieceCode::WHITE_PAWN, PieceCode::BLACK_PAWN]),
    needs: ReplayNeeds::PAWN_BITBOARDS,
    scope: FeatureScope::Files { ranks: true },
    presence: FeaturePresence::Squares,
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 1),
    squares: |board, colour| {
        board.pieces(colour, Role::Pawn) & one_step_ahead(board.pieces(!colour, Role::Pawn), !colour)
    },
};
