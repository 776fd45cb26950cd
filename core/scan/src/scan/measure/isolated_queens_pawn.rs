//! The isolated queen's pawn: the side's only pawn on the d-file, with none on the c- and e-files.

use plyfold_board::board::make::FILE_A;
use shakmaty::Role;

use super::{BoardFeature, FeatureScope, OWN_PAWN_BASIS, has_several};

/// The side's only pawn on the d-file if the side has none on the c- and e-files; else none.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "isolated_queens_pawn",
    aliases: &["iqp", "isolated_queen_pawn"],
    summary: "the side's only pawn on the d-file; the side has none on the c- and e-files",
    scope: FeatureScope::Files { ranks: false },
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn) & (FILE_A * 0b1_1100);
        // At most one bit, on the d-file.
        if pawns & (FILE_A * 0b1_0100) == 0 && !has_several(pawns) { pawns } else { 0 }
    },
    ..OWN_PAWN_BASIS
};
