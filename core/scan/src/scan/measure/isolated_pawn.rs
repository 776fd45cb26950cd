//! Isolated pawns: no pawn of the same side on a neighbouring file.

use shakmaty::Role;

use super::{BoardFeature, FeatureScope, OWN_PAWN_BASIS, adjacent_files, file_fill};

/// Every pawn of the side without a pawn of the side on the files beside it.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "isolated_pawn",
    aliases: &["isolated_pawns"],
    summary: "a pawn without a pawn of its side on the files beside it",
    scope: FeatureScope::Files { ranks: false },
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn);
        pawns & !adjacent_files(file_fill(pawns))
    },
    ..OWN_PAWN_BASIS
};
