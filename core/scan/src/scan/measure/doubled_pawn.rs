//! Doubled pawns: two or more of a side's pawns on one file.

use shakmaty::{Color, Role};

use super::{BoardFeature, FeatureScope, ImpliedPieces, OWN_PAWN_BASIS, front_span};

/// Every pawn of the side that shares its file with another (tripled pawns included).
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "doubled_pawn",
    aliases: &["doubled_pawns"],
    summary: "two pawns of a side on one file",
    scope: FeatureScope::Files { ranks: false },
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 2),
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn);
        pawns & (front_span(pawns, Color::White) | front_span(pawns, Color::Black))
    },
    ..OWN_PAWN_BASIS
};
