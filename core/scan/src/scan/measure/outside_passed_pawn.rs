//! Outside passed pawns: passed pawns far from all other pawns, towards the edge of the board.

use shakmaty::{Color, Role};

use plyfold_board::board::make::FILE_A;

use super::{BoardFeature, FeatureScope, PAWN_BASIS, passed_pawn};

/// How many files from the a-file on there are, as a set of squares.
const fn first_files(number: u32) -> u64 {
    FILE_A * ((1 << number) - 1)
}

/// The side's passed pawns from which every other pawn of either side stands at least three files away, all of these on the same side
/// of it, if there is any other pawn.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "outside_passed_pawn",
    aliases: &["outside_passed_pawns", "outside_passer", "distant_passed_pawn"],
    summary: "a passed pawn with all other pawns of both sides three or more files away, towards the same edge",
    scope: FeatureScope::Board,
    squares: |board, colour| {
        let all = board.pieces(Color::White, Role::Pawn) | board.pieces(Color::Black, Role::Pawn);
        let mut passed = (passed_pawn::FEATURE.squares)(board, colour);
        let mut outside = 0;
        while passed != 0 {
            let pawn = passed & passed.wrapping_neg();
            let (file, others) = (pawn.trailing_zeros() % 8, all & !pawn);
            let is_left = others & first_files((file + 3).min(8)) == 0;
            let is_right = others & !first_files(file.saturating_sub(2)) == 0;
            outside |= if others != 0 && (is_left || is_right) { pawn } else { 0 };
            passed &= passed - 1;
        }
        outside
    },
    ..PAWN_BASIS
};
