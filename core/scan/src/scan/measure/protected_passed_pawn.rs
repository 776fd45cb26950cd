//! Protected passed pawns: passed pawns that a pawn of their own side defends.

use plyfold_board::board::PieceCode;
use plyfold_board::board::attacks::pawn_attacks;
use shakmaty::Role;

use super::{BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces, passed_pawn, placement_changes};
use crate::scan::replay_needs::ReplayNeeds;

/// Every passed pawn of the side that a pawn of its side defends: `passed & pawn_attacks(pawns)`.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "protected_passed_pawn",
    aliases: &["protected_passed_pawns", "protected_passer"],
    summary: "a passed pawn that a pawn of its side defends",
    has_sides: true,
    has_location: true,
    dependencies: placement_changes([PieceCode::WHITE_PAWN, PieceCode::BLACK_PAWN]),
    needs: ReplayNeeds::PAWN_BITBOARDS,
    scope: FeatureScope::Files { ranks: true },
    presence: FeaturePresence::Squares,
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 2),
    squares: |board, colour| {
        (passed_pawn::FEATURE.squares)(board, colour) & pawn_attacks(board.pieces(colour, Role::Pawn), colour)
    },
};
