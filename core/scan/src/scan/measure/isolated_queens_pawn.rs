//! The isolated queen's pawn: the side's only pawn on the d-file, with none on the c- and e-files.

use plyfold_board::board::make::FILE_A;
use shakmaty::Role;

use super::{BoardFeature, FeatureScope, OWN_PAWN_BASIS, has_several};

/// The d4 and d5 squares.
const CENTRE: u64 = 1 << 27 | 1 << 35;

/// The side's only pawn on the d-file, on d4 or d5, if the side has none on the c- and e-files; else none.
pub(super) const QUEENS_PAWN: BoardFeature = BoardFeature {
    name: "isolated_queens_pawn",
    aliases: &["iqp", "isolated_queen_pawn"],
    summary: "the side's only pawn on the d-file, on d4 or d5; the side has none on the c- and e-files",
    scope: FeatureScope::Files { ranks: true },
    squares: |board, colour| (D_PAWN.squares)(board, colour) & CENTRE,
    ..D_PAWN
};

/// The same anywhere on the d-file.
pub(super) const D_PAWN: BoardFeature = BoardFeature {
    name: "isolated_d_pawn",
    aliases: &[],
    summary: "the side's only pawn on the d-file; the side has none on the c- and e-files",
    scope: FeatureScope::Files { ranks: false },
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn) & (FILE_A * 0b1_1100);
        // At most one bit, on the d-file.
        if pawns & (FILE_A * 0b1_0100) == 0 && !has_several(pawns) { pawns } else { 0 }
    },
    ..OWN_PAWN_BASIS
};
