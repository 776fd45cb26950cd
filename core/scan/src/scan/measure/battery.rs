//! Batteries: two pieces on a line that both move along it.

use plyfold_board::board::attacks::{diagonal_attacks, orthogonal_attacks};

use super::measured_board::SharedMeasure;
use super::{BASIS, BoardFeature, EightMeasure, has_several};

/// The side's rooks, bishops and queens that form a battery. Rooks and queens share a rank or file, bishops and queens share a
/// diagonal, with nothing between them.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "battery",
    aliases: &["batteries"],
    summary: "two pieces in line with nothing between them, both of which move along that line",
    of_eight: Some(EightMeasure::Squares(|eight, colour| {
        let [straight, diagonal] = eight.pieces().sliders(colour);
        let attacked = |measure| eight.all_squares(measure, colour);
        attacked(SharedMeasure::Straight) & straight | attacked(SharedMeasure::Diagonal) & diagonal
    })),
    squares: |board, colour| {
        let (straight, diagonal, empty) =
            (board.orthogonal_sliders(colour), board.diagonal_sliders(colour), !board.occupied());
        let on_lines = if has_several(straight) { orthogonal_attacks(straight, empty) & straight } else { 0 };
        let on_diagonals = if has_several(diagonal) { diagonal_attacks(diagonal, empty) & diagonal } else { 0 };
        on_lines | on_diagonals
    },
    ..BASIS
};
