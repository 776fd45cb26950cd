//! Backward pawns: left behind by their neighbours, and taken if they step on.

use shakmaty::Role;

use super::{
    BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces, adjacent_files, front_span, one_step_ahead,
    placement_changes,
};
use crate::board::PieceCode;
use crate::board::attacks::pawn_attacks;
use crate::scan::replay_needs::ReplayNeeds;

/// Every pawn of the side that no pawn of its side on a neighbouring file stands level with or behind, and whose square straight
/// ahead an enemy pawn attacks. Nothing is asked of what stands there; an isolated pawn can be backward too.
///
/// `pawns & behind(attacked & !covered)`, where `covered` is what lies ahead of a friend on a neighbouring file.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "backward_pawn",
    aliases: &["backward_pawns"],
    summary: "a pawn with no pawn of its side level or behind on the files beside it; an enemy pawn attacks the square ahead",
    has_sides: true,
    has_location: true,
    dependencies: placement_changes([PieceCode::WHITE_PAWN, PieceCode::BLACK_PAWN]),
    needs: ReplayNeeds::PAWN_BITBOARDS,
    scope: FeatureScope::Files { ranks: true },
    presence: FeaturePresence::Squares,
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 1),
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn);
        let covered = front_span(adjacent_files(pawns), colour);
        let attacked = pawn_attacks(board.pieces(!colour, Role::Pawn), !colour);
        pawns & one_step_ahead(attacked & !covered, !colour)
    },
};
