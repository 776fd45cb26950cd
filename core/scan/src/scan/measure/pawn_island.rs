//! Pawn islands: groups of a side's pawns on neighbouring files, separated by files without its pawns.

use plyfold_board::board::make::FILE_H;
use plyfold_board::board::{PieceCode, placement_change};
use shakmaty::Role;

use super::{BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces, file_fill, front_span};
use crate::scan::replay_needs::ReplayNeeds;

/// One pawn of each island, the rearmost on the file nearest to the a-file, so that counting these pawns counts the islands.
///
/// The pawns without those ahead of another pawn of the side and those with a pawn of the side on the file to the left.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "pawn_island",
    aliases: &["pawn_islands"],
    summary: "one pawn for each group on neighbouring files: the rearmost on its leftmost file",
    has_sides: true,
    has_location: true,
    dependencies: placement_change(PieceCode::WHITE_PAWN),
    needs: ReplayNeeds::PAWN_BITBOARDS,
    scope: FeatureScope::Files { ranks: false },
    presence: FeaturePresence::Squares,
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 1),
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn);
        pawns & !front_span(pawns, colour) & !((file_fill(pawns) & !FILE_H) << 1)
    },
};
