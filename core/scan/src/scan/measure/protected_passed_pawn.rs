//! Protected passed pawns: passed pawns that a pawn of their own side defends.

use plyfold_board::board::attacks::pawn_attacks;
use shakmaty::Role;

use super::{BoardFeature, ImpliedPieces, PAWN_BASIS, passed_pawn};

/// Every passed pawn of the side that a pawn of its side defends: `passed & pawn_attacks(pawns)`.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "protected_passed_pawn",
    aliases: &["protected_passed_pawns", "protected_passer"],
    summary: "a passed pawn that a pawn of its side defends",
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 2),
    squares: |board, colour| {
        (passed_pawn::FEATURE.squares)(board, colour) & pawn_attacks(board.pieces(colour, Role::Pawn), colour)
    },
    ..PAWN_BASIS
};
