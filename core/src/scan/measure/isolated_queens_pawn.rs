//! The isolated queen's pawn: alone on the d-file, and no friend on the c- and e-files.

use shakmaty::Role;

use super::{Anywhere, Feature, Implied, Scope};
use crate::board::make::FILE_A;
use crate::board::squares_of;
use crate::scan::needs::Needs;

/// The side's only pawn on the d-file, where it has none on the c- and e-files; else none.
pub(super) const FEATURE: Feature = Feature {
    name: "isolated_queens_pawn",
    aliases: &["iqp", "isolated_queen_pawn"],
    summary: "the side's only pawn on the d-file, without friends on the c- and e-files",
    sided: true,
    placed: true,
    depends: squares_of(Role::Pawn as u8),
    needs: Needs::PAWNS,
    scope: Scope::Files { ranks: false },
    anywhere: Anywhere::Squares,
    implies: Implied::Men(Role::Pawn, 1),
    squares: |board, colour| {
        let pawns = board.by(colour, Role::Pawn) & (FILE_A * 0b1_1100);
        // One bit at most, and that on the d-file.
        if pawns & (FILE_A * 0b1_0100) == 0 && pawns & pawns.wrapping_sub(1) == 0 { pawns } else { 0 }
    },
};
