//! A quantity is a number on the board: the pieces of a kind, the squares of a feature, or a measured number. A predicate adds up such
//! quantities, each with a weight, and compares the sum with a constant.

use alloc::boxed::Box;
use alloc::vec::Vec;

use plyfold_board::board::{ChangeMask, PieceCode, count_change};
use plyfold_board::matsig::target::MaterialBounds;

use super::followed::NamedPieces;
use super::{FeatureSquares, PositionPredicate, Predicate, SquareSet};
use crate::scan::access_path::{AccessPath, PredicateAccess};
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

    /// The comparison that holds where this one does not.
    const fn contrary(self) -> NumberComparison {
        match self {
            NumberComparison::Equal => NumberComparison::Unequal,
            NumberComparison::Unequal => NumberComparison::Equal,
            NumberComparison::Less => NumberComparison::AtLeast,
            NumberComparison::AtLeast => NumberComparison::Less,
            NumberComparison::More => NumberComparison::AtMost,
            NumberComparison::AtMost => NumberComparison::More,
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

/// Numbers are equal if their names are.
impl PartialEq for NumericFeature {
    fn eq(&self, other: &NumericFeature) -> bool {
        self.name == other.name
    }
}

/// A weighted sum of quantities, compared with a constant.
#[derive(Clone, PartialEq, Debug)]
pub struct SumComparison {
    /// The terms of the sum.
    pub terms: Vec<WeightedTerm>,
    /// The comparison.
    pub comparison: NumberComparison,
    /// The constant on the right side of the comparison.
    pub constant: i64,
}

impl Predicate for SumComparison {
    fn test(&self, board: &MeasuredBoard<'_>) -> bool {
        self.comparison.holds(WeightedTerm::sum(&self.terms, board), self.constant)
    }

    fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
        WeightedTerm::declaration(&self.terms)
    }

    fn access(&self, _: bool) -> PredicateAccess {
        let counted = self.terms.iter().filter_map(|term| match &term.quantity {
            BoardQuantity::SquareCount(squares) => Some(squares.access_of_squares()),
            BoardQuantity::Number(_) | BoardQuantity::SquareSet(_) => Some(PredicateAccess::by(AccessPath::Replay)),
            BoardQuantity::PieceCount(_) => None,
        });
        let mut path = AccessPath::MaterialEvents;
        let mut pawns = [0; 2];
        for term in counted {
            path = path.max(if term.path.is_of_pawns() { term.path } else { AccessPath::Replay });
            pawns = [0, 1].map(|side| pawns[side] | term.pawns[side]);
        }
        if let [WeightedTerm { quantity: BoardQuantity::Number(number), .. }] = &self.terms[..]
            && SingleComparison::new(self).is_some()
        {
            path = number.derived_from.access_path().unwrap_or(path);
        }
        let has_piece_counts = self.terms.iter().any(|term| matches!(term.quantity, BoardQuantity::PieceCount(_)));
        if has_piece_counts && path.is_of_pawns() {
            path = AccessPath::AllEvents;
        }
        PredicateAccess { pawns, ..PredicateAccess::by(path) }
    }

    fn implied(&self) -> MaterialBounds {
        let (least, most) = self.comparison.range(self.constant).unwrap_or((0, i64::MAX));
        let mut material = MaterialBounds::default();
        // Other sums are too rare in queries.
        if self.counts_all_pieces() {
            material.max_total = total_without_kings(most);
        } else if let [WeightedTerm { quantity: BoardQuantity::PieceCount(piece), weight: 1 }] = self.terms[..] {
            material.min_pieces[piece] = least.clamp(0, 64) as u8;
            material.max_pieces[piece] = if most > 64 { u8::MAX } else { most.max(0) as u8 };
        }
        material
    }

    fn implied_by_contrary(&self) -> MaterialBounds {
        SumComparison { comparison: self.comparison.contrary(), ..self.clone() }.implied()
    }
}

impl SumComparison {
    /// Whether the sum is the number of all pieces of both sides.
    fn counts_all_pieces(&self) -> bool {
        let is_counted =
            |code| self.terms.iter().any(|term| term.weight == 1 && term.quantity == BoardQuantity::PieceCount(code));
        self.terms.len() == 12 && PieceCode::all().filter(|code| code.role().is_some()).all(is_counted)
    }
}

/// The number of pieces without the kings, given it with them.
pub(super) fn total_without_kings(pieces: i64) -> u8 {
    pieces.saturating_sub(2).clamp(0, u8::MAX.into()) as u8
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
            PositionPredicate::Compare(compared) => SingleComparison::new(compared),
            _ => None,
        }
    }

    /// The comparison, if a measured number is the only term, and weight and constant are too small for an overflow.
    fn new(&SumComparison { ref terms, comparison, constant }: &SumComparison) -> Option<SingleComparison> {
        const MAX_MAGNITUDE: u64 = 1 << 40;
        let [WeightedTerm { weight, quantity: BoardQuantity::Number(_) }] = terms[..] else { return None };
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
