//! Passed pawns: no enemy pawn ahead on the same or a neighbouring file.

use shakmaty::Role;

use super::{BoardFeature, PAWN_BASIS, adjacent_files, front_span};

/// Every pawn of the side with no enemy pawn ahead on its file or a neighbouring file. A pawn behind another of its own side
/// counts too.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "passed_pawn",
    aliases: &["passed_pawns", "passer"],
    summary: "a pawn with no enemy pawn ahead on its file or the files beside it",
    squares: |board, colour| {
        let stoppers = board.pieces(!colour, Role::Pawn);
        let stopped = front_span(stoppers | adjacent_files(stoppers), !colour);
        board.pieces(colour, Role::Pawn) & !stopped
    },
    ..PAWN_BASIS
};
