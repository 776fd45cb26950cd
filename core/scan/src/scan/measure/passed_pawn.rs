//! Passed pawns: no enemy pawn ahead on the same or a neighbouring file.

use plyfold_board::board::PieceCode;
use shakmaty::Role;

use super::{
    BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces, adjacent_files, front_span, placement_changes,
};
use crate::scan::replay_needs::ReplayNeeds;

/// Every pawn of the side with no enemy pawn ahead on its file or a neighbouring file. A pawn behind another of its own side
/// counts too.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "passed_pawn",
    aliases: &["passed_pawns", "passer"],
    summary: "a pawn with no enemy pawn ahead on its file or the files beside it",
    has_sides: true,
    has_location: true,
    dependencies: placement_changes([PieceCode::WHITE_PAWN, PieceCode::BLACK_PAWN]),
    needs: ReplayNeeds::PAWN_BITBOARDS,
    scope: FeatureScope::Files { ranks: true },
    presence: FeaturePresence::Squares,
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 1),
    squares: |board, colour| {
        let stoppers = board.pieces(!colour, Role::Pawn);
        let stopped = front_span(stoppers | adjacent_files(stoppers), !colour);
        board.pieces(colour, Role::Pawn) & !stopped
    },
};
