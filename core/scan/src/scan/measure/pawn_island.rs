//! Pawn islands: groups of a side's pawns on neighbouring files, separated by files without its pawns.

use plyfold_board::board::make::FILE_H;
use shakmaty::Role;

use super::{BoardFeature, FeatureScope, OWN_PAWN_BASIS, file_fill, front_span};

/// One pawn of each island, the rearmost on the file nearest to the a-file, so that counting these pawns counts the islands. An
/// island is a group of the side's pawns on neighbouring files, separated from others by files without its pawns.
///
/// The pawns without those ahead of another pawn of the side and those with a pawn of the side on the file to the left.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "pawn_island",
    aliases: &["pawn_islands"],
    summary: "one pawn for each group on neighbouring files: the rearmost on its leftmost file",
    scope: FeatureScope::Files { ranks: false },
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn);
        pawns & !front_span(pawns, colour) & !((file_fill(pawns) & !FILE_H) << 1)
    },
    ..OWN_PAWN_BASIS
};
