//! Tripled pawns: three or more of a side's pawns on one file.

use shakmaty::{Color, Role};

use super::{BoardFeature, FeatureScope, ImpliedPieces, OWN_PAWN_BASIS, file_fill, front_span};

/// Every pawn of the side on a file with at least three of its pawns.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "tripled_pawn",
    aliases: &["tripled_pawns"],
    summary: "three pawns of a side on one file",
    scope: FeatureScope::Files { ranks: false },
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 3),
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn);
        let middle = pawns & front_span(pawns, Color::White) & front_span(pawns, Color::Black);
        pawns & file_fill(middle)
    },
    ..OWN_PAWN_BASIS
};
