//! Pawn islands: pawns on neighbouring files, with a file that has none on either side.

use shakmaty::Role;

use super::{BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces, file_fill, front_span};
use crate::board::make::FILE_H;
use crate::board::{PieceCode, placement_change};
use crate::scan::replay_needs::ReplayNeeds;

/// One pawn an island: the least advanced on the file nearest to the a-file, so that counting them counts the islands.
///
/// `pawns`, less those ahead of another and those with a friend on the file to the left.
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
