//! Isolated pawns: no pawn of the same side on a neighbouring file.

use plyfold_board::board::{PieceCode, placement_change};
use shakmaty::Role;

use super::{BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces, adjacent_files, file_fill};
use crate::scan::replay_needs::ReplayNeeds;

/// Every pawn of the side without a pawn of the side on the files beside it.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "isolated_pawn",
    aliases: &["isolated_pawns"],
    summary: "a pawn without a pawn of its side on the files beside it",
    has_sides: true,
    has_location: true,
    dependencies: placement_change(PieceCode::WHITE_PAWN),
    needs: ReplayNeeds::PAWN_BITBOARDS,
    scope: FeatureScope::Files { ranks: false },
    presence: FeaturePresence::Squares,
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 1),
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn);
        pawns & !adjacent_files(file_fill(pawns))
    },
};
