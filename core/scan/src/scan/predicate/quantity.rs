//! A quantity is a number on the board: the pieces of a kind, the squares of a feature, or a measured number. A predicate adds up such
//! quantities, each with a weight, and compares the sum with a constant.

use alloc::boxed::Box;

use plyfold_board::board::{ChangeMask, PieceCode, count_change};
use shakmaty::Color;

use super::PositionPredicate;
use super::followed::NamedPieces;
use super::square_set::SquareSet;
use crate::scan::measure::BoardFeature;
use crate::scan::measure::measured_board::MeasuredBoard;
use crate::scan::measure::numbers::NumericFeature;
use crate::scan::replay_needs::ReplayNeeds;

/// The comparison of two numbers.
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
    /// Each with its sign in a query.
    pub(in crate::scan) const NAMED: [(NumberComparison, &str); 6] = [
        (NumberComparison::Equal, "="),
        (NumberComparison::Unequal, "!="),
        (NumberComparison::Less, "<"),
        (NumberComparison::AtMost, "<="),
        (NumberComparison::More, ">"),
        (NumberComparison::AtLeast, ">="),
    ];

    /// The sign in a query.
    pub const fn symbol(self) -> &'static str {
        Self::NAMED[self as usize].1
    }

    /// Returns the same comparison with its two sides exchanged.
    pub const fn reversed(self) -> NumberComparison {
        match self {
            NumberComparison::Less => NumberComparison::More,
            NumberComparison::AtMost => NumberComparison::AtLeast,
            NumberComparison::More => NumberComparison::Less,
            NumberComparison::AtLeast => NumberComparison::AtMost,
            same => same,
        }
    }

    /// Returns the least and the greatest number that compare to `constant` in this way; none if these numbers are not a range.
    pub(in crate::scan) fn range(self, constant: i64) -> Option<(i64, i64)> {
        match self {
            NumberComparison::Equal => Some((constant, constant)),
            NumberComparison::Unequal => None,
            NumberComparison::Less => Some((i64::MIN, constant.saturating_sub(1))),
            NumberComparison::AtMost => Some((i64::MIN, constant)),
            NumberComparison::More => Some((constant.saturating_add(1), i64::MAX)),
            NumberComparison::AtLeast => Some((constant, i64::MAX)),
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

/// A quantity on the board, times a weight.
#[derive(Clone, PartialEq, Debug)]
pub struct WeightedTerm {
    /// The factor of the quantity.
    pub weight: i64,
    /// The quantity.
    pub quantity: BoardQuantity,
}

impl WeightedTerm {
    /// Returns the sum of the terms on a board that keeps up to date what [`needs`](WeightedTerm::needs) lists.
    pub fn sum(terms: &[WeightedTerm], board: &MeasuredBoard<'_>) -> i64 {
        terms.iter().fold(0i64, |sum, term| {
            let size = match &term.quantity {
                BoardQuantity::PieceCount(piece) => i64::from(board.piece_counts[*piece]),
                BoardQuantity::SquareCount(squares) => i64::from(squares.on_board(board).count_ones()),
                BoardQuantity::SquareSet(set) => {
                    i64::from(set.on_board_with(board, &NamedPieces::default()).count_ones())
                }
                BoardQuantity::Number(number) => (number.value)(board),
            };
            sum.saturating_add(term.weight.saturating_mul(size))
        })
    }

    /// Returns what a replay must keep up to date to compute the sum of the terms.
    pub fn needs(terms: &[WeightedTerm]) -> ReplayNeeds {
        WeightedTerm::declaration(terms).1
    }

    /// The changes after which the sum must be computed again, and its needs.
    pub(super) fn declaration(terms: &[WeightedTerm]) -> (ChangeMask, ReplayNeeds) {
        terms.iter().fold((0, ReplayNeeds::PAWN_BITBOARDS), |all, term| {
            let (dependencies, needs) = match &term.quantity {
                BoardQuantity::PieceCount(piece) => (count_change(*piece), ReplayNeeds::PIECE_COUNTS),
                BoardQuantity::SquareCount(squares) => squares.declaration(),
                BoardQuantity::SquareSet(set) => set.declaration(),
                BoardQuantity::Number(number) => (number.dependencies, number.needs),
            };
            (all.0 | dependencies, all.1.union(needs))
        })
    }
}

/// A number on the board.
#[derive(Clone, PartialEq, Debug)]
pub enum BoardQuantity {
    /// The number of pieces with this code, read from the running counts.
    PieceCount(PieceCode),
    /// The number of a feature's squares in a region.
    SquareCount(FeatureSquares),
    /// The number of squares in a set.
    SquareSet(Box<SquareSet>),
    /// A measured number.
    Number(&'static NumericFeature),
}

/// The squares of a feature of one side within a region.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FeatureSquares {
    /// The feature.
    pub feature: &'static BoardFeature,
    /// The side.
    pub colour: Color,
    /// The region; all ones for the whole board.
    pub region: u64,
}

impl FeatureSquares {
    pub(super) fn on_board(&self, board: &MeasuredBoard<'_>) -> u64 {
        (self.feature.squares)(board, self.colour) & self.region
    }

    /// The changes after which the squares must be measured again, and what a replay must keep up to date to measure them.
    pub(super) fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
        (self.feature.dependencies_for(self.colour), self.feature.needs)
    }

    /// The cheapest quantity that counts these squares.
    pub fn into_quantity(self) -> BoardQuantity {
        match self.feature.role() {
            Some(role) if self.region == u64::MAX => BoardQuantity::PieceCount(PieceCode::new(self.colour, role)),
            _ => BoardQuantity::SquareCount(self),
        }
    }
}

/// Features are equal if their names are.
impl PartialEq for BoardFeature {
    fn eq(&self, other: &BoardFeature) -> bool {
        self.name == other.name
    }
}

/// Numbers are equal if their names are.
impl PartialEq for NumericFeature {
    fn eq(&self, other: &NumericFeature) -> bool {
        self.name == other.name
    }
}

/// The comparison of one measured number, times a weight, with a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::scan) struct SingleComparison {
    pub weight: i64,
    comparison: NumberComparison,
    pub constant: i64,
}

impl SingleComparison {
    /// The comparison, if the predicate compares one measured number and nothing else.
    pub fn from_predicate(predicate: &PositionPredicate) -> Option<SingleComparison> {
        match predicate {
            PositionPredicate::Compare { terms, comparison, constant } => {
                SingleComparison::from_terms(terms, *comparison, *constant)
            }
            _ => None,
        }
    }

    /// The comparison, if a measured number is the only term, and weight and constant are too small for an overflow.
    pub fn from_terms(terms: &[WeightedTerm], comparison: NumberComparison, constant: i64) -> Option<SingleComparison> {
        const MAX_MAGNITUDE: u64 = 1 << 40;
        let [WeightedTerm { weight, quantity: BoardQuantity::Number(_) }] = *terms else { return None };
        let sensible =
            weight != 0 && weight.unsigned_abs() < MAX_MAGNITUDE >> 16 && constant.unsigned_abs() < MAX_MAGNITUDE;
        sensible.then_some(SingleComparison { weight, comparison, constant })
    }

    /// Returns whether the comparison holds for this number.
    #[inline]
    pub fn holds(self, number: i64) -> bool {
        self.comparison.holds(self.weight.saturating_mul(number), self.constant)
    }
}
