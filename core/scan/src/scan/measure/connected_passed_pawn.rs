//! Connected passed pawns: another passed pawn of their side stands beside them, defends them or is defended by them.

use plyfold_board::board::attacks::pawn_attacks;
use shakmaty::{Color, Role};

use super::{BoardFeature, ImpliedPieces, PAWN_BASIS, adjacent_files, passed_pawn};

/// Every passed pawn of the side with another one on a neighbouring file, at most one rank away.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "connected_passed_pawn",
    aliases: &["connected_passed_pawns", "connected_passer", "connected_passers"],
    summary: "a passed pawn that stands beside, defends or is defended by another passed pawn of its side",
    scope: super::FeatureScope::Board,
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 2),
    squares: |board, colour| {
        let passed = (passed_pawn::FEATURE.squares)(board, colour);
        passed & (adjacent_files(passed) | pawn_attacks(passed, Color::White) | pawn_attacks(passed, Color::Black))
    },
    ..PAWN_BASIS
};
