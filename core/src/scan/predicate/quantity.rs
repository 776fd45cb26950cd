//! A quantity is a number on the board: the pieces of a kind, the squares of a feature, or a measured number. A predicate adds up such
//! quantities, each with a weight, and compares the sum with a constant.

use shakmaty::Color;

use super::PositionPredicate;
use crate::board::{Board, PieceCode};
use crate::scan::measure::BoardFeature;
use crate::scan::measure::numbers::NumericFeature;
use crate::scan::replay_needs::ReplayNeeds;

/// How two numbers are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberComparison {
    /// `=`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
}

impl NumberComparison {
    /// The sign as written.
    pub const fn symbol(self) -> &'static str {
        match self {
            NumberComparison::Equal => "=",
            NumberComparison::Unequal => "!=",
            NumberComparison::Less => "<",
            NumberComparison::AtMost => "<=",
            NumberComparison::More => ">",
            NumberComparison::AtLeast => ">=",
        }
    }

    pub(in crate::scan) fn holds(self, left: i64, right: i64) -> bool {
        match self {
            NumberComparison::Equal => left == right,
            NumberComparison::Unequal => left != right,
            NumberComparison::Less => left < right,
            NumberComparison::AtMost => left <= right,
            NumberComparison::More => left > right,
            NumberComparison::AtLeast => left >= right,
        }
    }
}

/// A number times the size of something on the board.
#[derive(Clone, PartialEq, Debug)]
pub struct WeightedTerm {
    /// What it counts for.
    pub weight: i64,
    /// What is counted.
    pub quantity: BoardQuantity,
}

impl WeightedTerm {
    /// The sum of some terms on a board that keeps up all [`needs`](WeightedTerm::needs) of them.
    pub fn sum(terms: &[WeightedTerm], board: &Board) -> i64 {
        terms.iter().fold(0i64, |sum, term| {
            let size = match &term.quantity {
                BoardQuantity::PieceCount(man) => i64::from(board.piece_counts[*man]),
                BoardQuantity::SquareCount(squares) => i64::from(squares.on_board(board).count_ones()),
                BoardQuantity::Number(number) => (number.value)(board),
            };
            sum.saturating_add(term.weight.saturating_mul(size))
        })
    }

    /// What a replay must keep up for a sum.
    pub fn needs(terms: &[WeightedTerm]) -> ReplayNeeds {
        terms.iter().fold(ReplayNeeds::PAWN_BITBOARDS, |all, term| {
            all.union(match &term.quantity {
                BoardQuantity::PieceCount(_) => ReplayNeeds::PIECE_COUNTS,
                BoardQuantity::SquareCount(squares) => squares.feature.needs,
                BoardQuantity::Number(number) => number.needs,
            })
        })
    }
}

/// Something on the board that can be counted.
#[derive(Clone, PartialEq, Debug)]
pub enum BoardQuantity {
    /// How many men of this code there are: read from the running tally.
    PieceCount(PieceCode),
    /// How many squares of a feature lie in a region.
    SquareCount(FeatureSquares),
    /// A number that is measured.
    Number(&'static NumericFeature),
}

/// Squares of a feature of one side within a region.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FeatureSquares {
    /// What is measured.
    pub feature: &'static BoardFeature,
    /// Whose.
    pub colour: Color,
    /// Where; all ones for anywhere.
    pub region: u64,
}

impl FeatureSquares {
    pub(super) fn on_board(&self, board: &Board) -> u64 {
        (self.feature.squares)(board, self.colour) & self.region
    }

    /// The cheapest way to count these.
    pub fn into_quantity(self) -> BoardQuantity {
        match self.feature.role() {
            Some(role) if self.region == u64::MAX => BoardQuantity::PieceCount(PieceCode::new(self.colour, role)),
            _ => BoardQuantity::SquareCount(self),
        }
    }
}

/// Features are told by their names.
impl PartialEq for BoardFeature {
    fn eq(&self, other: &BoardFeature) -> bool {
        self.name == other.name
    }
}

/// Numbers too.
impl PartialEq for NumericFeature {
    fn eq(&self, other: &NumericFeature) -> bool {
        self.name == other.name
    }
}

/// A number of the position, times a weight, is compared with a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::scan) struct SingleComparison {
    pub weight: i64,
    comparison: NumberComparison,
    pub constant: i64,
}

impl SingleComparison {
    /// The comparison of one number and nothing else.
    pub fn from_predicate(predicate: &PositionPredicate) -> Option<SingleComparison> {
        match predicate {
            PositionPredicate::Compare { terms, comparison, constant } => {
                SingleComparison::from_terms(terms, *comparison, *constant)
            }
            _ => None,
        }
    }

    /// The same, where weight and constant are such that nothing overflows.
    pub fn from_terms(terms: &[WeightedTerm], comparison: NumberComparison, constant: i64) -> Option<SingleComparison> {
        const MAX_MAGNITUDE: u64 = 1 << 40;
        let [WeightedTerm { weight, quantity: BoardQuantity::Number(_) }] = *terms else { return None };
        let sensible =
            weight != 0 && weight.unsigned_abs() < MAX_MAGNITUDE >> 16 && constant.unsigned_abs() < MAX_MAGNITUDE;
        sensible.then_some(SingleComparison { weight, comparison, constant })
    }

    /// Whether it holds where the number is this.
    #[inline]
    pub fn holds(self, number: i64) -> bool {
        self.comparison.holds(self.weight.saturating_mul(number), self.constant)
    }
}
