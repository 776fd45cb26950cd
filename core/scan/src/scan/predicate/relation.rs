//! Squares that lie in some relation to others: behind a pawn, beside a king, between two pieces; and lines through one piece.

use shakmaty::{Bitboard, Color, Square, attacks};

use plyfold_board::board::Board;
use plyfold_board::board::attacks::king_attacks;

use crate::scan::measure::{adjacent_files, front_span};

/// How squares lie to other squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SquareRelation {
    /// On the same file, nearer to the first rank of a side.
    Behind,
    /// On the same file, farther from the first rank of a side.
    InFrontOf,
    /// The squares to the left and right.
    Beside,
    /// The squares that a king reaches with one step.
    NextTo,
    /// The other squares of the file.
    OnFileOf,
    /// The other squares of the rank.
    OnRankOf,
    /// The other squares of both diagonals.
    OnDiagonalOf,
}

impl SquareRelation {
    /// Each with its words in a query.
    pub const NAMED: &[(SquareRelation, &str)] = &[
        (SquareRelation::Behind, "behind"),
        (SquareRelation::InFrontOf, "in_front_of"),
        (SquareRelation::Beside, "beside"),
        (SquareRelation::NextTo, "next_to"),
        (SquareRelation::OnFileOf, "on_same_file_as"),
        (SquareRelation::OnRankOf, "on_same_rank_as"),
        (SquareRelation::OnDiagonalOf, "on_same_diagonal_as"),
    ];

    /// The words in a query.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(relation, _)| *relation == self).map_or("", |(_, name)| name)
    }

    /// The squares that lie so to at least one square of `others`, as `colour` sees them.
    pub(super) fn squares_of(self, others: u64, colour: Color) -> u64 {
        let each = |squares: fn(Square) -> u64| Bitboard(others).into_iter().fold(0, |all, one| all | squares(one));
        match self {
            SquareRelation::Behind => front_span(others, !colour),
            SquareRelation::InFrontOf => front_span(others, colour),
            SquareRelation::Beside => adjacent_files(others),
            SquareRelation::NextTo => king_attacks(others),
            SquareRelation::OnFileOf => front_span(others, colour) | front_span(others, !colour),
            SquareRelation::OnRankOf => each(|square| 0xff << (square as u32 & 56) & !(1 << square as u32)),
            SquareRelation::OnDiagonalOf => each(|square| attacks::bishop_attacks(square, Bitboard(0)).0),
        }
    }
}

/// The squares between a square of one set and a square of the other on the same rank, file or diagonal, without both ends.
pub(super) fn between(one: u64, other: u64) -> u64 {
    let pairs = Bitboard(one).into_iter().flat_map(|from| Bitboard(other).into_iter().map(move |to| (from, to)));
    pairs.fold(0, |all, (from, to)| all | attacks::between(from, to).0)
}

/// The squares of `pieces` with a rook, bishop or queen of a side on a line of which exactly one piece, a piece on `through`,
/// stands before a square of `target`.
pub(super) fn xraying(board: &Board, colour: Color, [pieces, target, through]: [u64; 3]) -> u64 {
    let sliders = pieces & (board.orthogonal_sliders(colour) | board.diagonal_sliders(colour));
    let empty = !board.occupied();
    let reaches = |slider: &u64| {
        let attacks = |empty: u64| board.slider_attacks(colour, *slider, empty);
        let attacked = attacks(empty);
        // Without the piece that stands first, the line goes on.
        let mut blockers = Bitboard(attacked & !empty & through).into_iter();
        blockers.any(|blocker| attacks(empty | 1 << blocker as u32) & !attacked & target != 0)
    };
    Bitboard(sliders).into_iter().map(|square| 1 << square as u32).filter(reaches).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(names: &[Square]) -> u64 {
        names.iter().fold(0, |all, square| all | 1 << *square as u32)
    }

    #[test]
    fn relations_are_those_of_a_player() {
        let to = |relation: SquareRelation, colour| relation.squares_of(squares(&[Square::A7, Square::D6]), colour);
        let a8_d7_d8 = squares(&[Square::A8, Square::D7, Square::D8]);
        assert_eq!(to(SquareRelation::InFrontOf, Color::White), a8_d7_d8);
        assert_eq!(to(SquareRelation::Behind, Color::Black), a8_d7_d8);
        assert_eq!(to(SquareRelation::Beside, Color::White), squares(&[Square::B7, Square::C6, Square::E6]));
        let around_a7 = [Square::A6, Square::A8, Square::B6, Square::B7, Square::B8];
        assert_eq!(SquareRelation::NextTo.squares_of(1 << 48, Color::White), squares(&around_a7));
        let b2_f6 = between(squares(&[Square::B2]), squares(&[Square::F6, Square::G5]));
        assert_eq!(b2_f6, squares(&[Square::C3, Square::D4, Square::E5]));
    }
}
