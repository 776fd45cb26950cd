//! Square constraints are what a predicate requires of single squares. The access path of touched squares tests them.

use alloc::vec::Vec;

use plyfold_board::board::{Board, ByPiece, PieceCode};
use shakmaty::{Bitboard, Color};

use super::compiled_test::CompiledTest;
use super::planned_predicate::PlannedPredicate;
use crate::scan::measure::measured_board::MeasuredBoard;
use crate::scan::predicate::PositionPredicate;

/// What a predicate requires of each of its squares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::scan) struct SquareConstraints {
    /// The squares and what may stand on each: bit `m` for a piece with code `m`, bit 0 for an empty square.
    pub squares: Vec<(u8, u16)>,
    /// Whether one satisfied square is enough; if not, every square must be satisfied.
    pub any_suffices: bool,
    /// If not 0, the predicate also requires one of these bits of [`Board::castled_wings`].
    pub castled: u8,
}

impl PlannedPredicate {
    /// What the predicate requires of each of its squares, if its access path is touched squares.
    pub(in crate::scan) fn square_constraints(&self) -> SquareConstraints {
        let each = |allowed: &dyn Fn(u8) -> u16| -> Vec<(u8, u16)> {
            Bitboard(self.squares).into_iter().map(|square| (square as u8, allowed(square as u8))).collect()
        };
        let all = SquareConstraints { any_suffices: false, castled: 0, squares: Vec::new() };
        let any = SquareConstraints { any_suffices: true, ..all.clone() };
        match &self.test {
            CompiledTest::PieceOnSquares(code, _) => SquareConstraints { squares: each(&|_| code.bit()), ..any },
            CompiledTest::FeatureOnSquares(feature, colour, _) => {
                let allowed = |castled| each(&|square| pieces_satisfying(feature.squares, *colour, square, castled));
                let wings = if allowed(0) == allowed(15) {
                    0
                } else {
                    [1, 2, 4, 8].into_iter().filter(|&wing| allowed(wing) == allowed(15)).sum()
                };
                SquareConstraints { squares: allowed(15), castled: wings, ..any }
            }
            CompiledTest::Castled(wings) => SquareConstraints { castled: *wings, ..all },
            CompiledTest::Generic(predicate) => match &**predicate {
                PositionPredicate::Placement(placement) => {
                    SquareConstraints { squares: each(&|square| placement.allowed[usize::from(square)]), ..all }
                }
                _ => SquareConstraints { squares: each(&|_| 1), ..all },
            },
            CompiledTest::MaterialFunction(..) | CompiledTest::LinearSum(..) | CompiledTest::ExactPlacement(_) => all,
        }
    }
}

/// The pieces that make a square one of a feature's squares, bit `m` for code `m`. The feature must depend on nothing but the
/// piece on the square and who has castled.
pub(in crate::scan) fn pieces_satisfying(
    squares: fn(&MeasuredBoard<'_>, Color) -> u64,
    colour: Color,
    square: u8,
    castled: u8,
) -> u16 {
    let mut board = Board::from_start(&bytemuck::Zeroable::zeroed());
    board.castled_wings = castled;
    let mut pieces = 0;
    for code in PieceCode::all().filter(|code| code.is_none() || code.role().is_some()) {
        board.mailbox[usize::from(square)] = code;
        board.bitboards = ByPiece::splat(0);
        board.bitboards[code] = 1 << square;
        pieces |= u16::from(squares(&MeasuredBoard::new(&board), colour) >> square & 1 != 0) << code.index();
    }
    pieces
}
