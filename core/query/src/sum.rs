//! Sums of numbers and counts, as in `count(white rook) - 2 * count(black pawn) >= 3`.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use plyfold_scan::scan::measure::numbers::{
    MOVES_OF, MOVES_OF_PIECES, NUMBERS, NumberOrigin, NumericFeature, SidedNumber,
};
use plyfold_scan::scan::measure::pieces::ANY_PIECE;
use plyfold_scan::scan::predicate::PieceName;
use shakmaty::{Color, Role};

use super::forms::squares::fmt_squares;
use super::played::role_name;
use super::region::Region;
use super::side::SideSelector;
use super::squares::SquareExpression;

/// A sum of numbers and counts.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SumExpression {
    /// The counts, each with a factor.
    pub terms: Vec<(i64, CountExpression)>,
    /// The constant that is added.
    pub constant: i64,
}

/// A number that can be counted at a position.
#[derive(Clone, PartialEq, Debug)]
pub enum CountExpression {
    /// `count(side set)`; `either` counts both colours.
    Squares {
        /// The side.
        side: SideSelector,
        /// The set.
        squares: SquareExpression,
    },
    /// `points(side)`: pawn 1, knight and bishop 3, rook 5, queen 9.
    Points(SideSelector),
    /// A number by its name: `king_distance`.
    Number(&'static NumericFeature),
    /// A number of a side that the game or the position decides: `clock_time(mover)`.
    OfSide {
        /// The side: one of those that are relative.
        side: SideSelector,
        /// The number.
        number: SideNumber,
    },
}

/// The source that knows a number of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberSource {
    /// The board, and the moves that led to it.
    Board,
    /// The text of the game.
    Text,
    /// Endgame tables.
    Tables,
}

/// A number that each side has.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SideNumber {
    /// One by its name: `clock_time(side)`.
    Named(&'static SidedNumber),
    /// `moves_of(side piece)`: legal moves of the side's pieces of a role, or of all.
    MovesOf(Option<Role>),
    /// `captures(side)`: pieces that the other side has lost.
    Captures,
}

impl SideNumber {
    /// The number of a colour, as weighted counts and a constant.
    pub fn of_colour(self, colour: Color) -> SumExpression {
        let side = usize::from(colour.is_black());
        let named = |number| SumExpression::of(CountExpression::Number(number));
        match self {
            SideNumber::Named(number) => named(number.of[side]),
            SideNumber::MovesOf(role) => named(MOVES_OF[side][role.map_or(6, |role| role as usize - 1)]),
            SideNumber::Captures => {
                // What the other side has lost since the initial position.
                let other = SideSelector::of_colour(!colour);
                let squares = SquareExpression::Feature { feature: &ANY_PIECE, region: Region::ANYWHERE };
                SumExpression { terms: vec![(-1, CountExpression::Squares { side: other, squares })], constant: 16 }
            }
        }
    }
}

impl SumExpression {
    /// Makes the sum that counts this once.
    pub(crate) fn of(counted: CountExpression) -> SumExpression {
        SumExpression { terms: vec![(1, counted)], constant: 0 }
    }

    /// Returns whether endgame tables know one of the numbers.
    pub fn asks_tables(&self) -> bool {
        self.terms.iter().any(|(_, counted)| counted.source() == NumberSource::Tables)
    }

    /// The first name of a piece whose squares are counted.
    pub(crate) fn first_name(&self) -> Option<PieceName> {
        self.terms.iter().find_map(|(_, counted)| match counted {
            CountExpression::Squares { squares, .. } => squares.first_name(),
            _ => None,
        })
    }

    /// The first side whose colour the game or the position decides.
    pub(crate) fn relative_side(&self) -> Option<&SideSelector> {
        self.terms.iter().filter_map(|(_, counted)| counted.side()).find(|side| side.is_relative())
    }

    /// The same sum where this relative side has this colour, and its opposite the other colour.
    #[must_use]
    pub(crate) fn with_side(&self, side: &SideSelector, colour: Color) -> SumExpression {
        let mut sum = SumExpression { terms: Vec::new(), constant: self.constant };
        for (weight, counted) in &self.terms {
            let colour = match counted.side() {
                Some(named) if named == side => colour,
                Some(named) if named.is_relative() && named.opposite().as_ref() == Some(side) => !colour,
                _ => {
                    sum.terms.push((*weight, counted.clone()));
                    continue;
                }
            };
            let side = SideSelector::of_colour(colour);
            let SumExpression { terms, constant } = match counted {
                CountExpression::OfSide { number, .. } => number.of_colour(colour),
                CountExpression::Squares { squares, .. } => {
                    SumExpression::of(CountExpression::Squares { side, squares: squares.clone() })
                }
                CountExpression::Points(_) => SumExpression::of(CountExpression::Points(side)),
                CountExpression::Number(_) => SumExpression::of(counted.clone()),
            };
            sum.terms.extend(terms.into_iter().map(|(times, counted)| (times * weight, counted)));
            sum.constant += constant * weight;
        }
        sum
    }
}

impl CountExpression {
    /// The side whose squares or points are counted.
    pub(crate) fn side(&self) -> Option<&SideSelector> {
        match self {
            CountExpression::Squares { side, .. }
            | CountExpression::Points(side)
            | CountExpression::OfSide { side, .. } => Some(side),
            CountExpression::Number(_) => None,
        }
    }

    /// Returns the source that knows the number. Numbers that differ in this are neither added nor compared.
    pub fn source(&self) -> NumberSource {
        let number = match self {
            CountExpression::Number(number) => *number,
            CountExpression::OfSide { number: SideNumber::Named(number), .. } => number.of[0],
            _ => return NumberSource::Board,
        };
        match number.derived_from {
            NumberOrigin::Annotations(_) => NumberSource::Text,
            NumberOrigin::Tables(_) => NumberSource::Tables,
            _ => NumberSource::Board,
        }
    }
}

/// `clock_time(side)`, as in a query.
fn fmt_side_number(f: &mut fmt::Formatter<'_>, side: &SideSelector, number: SideNumber) -> fmt::Result {
    let name = match number {
        SideNumber::Named(number) => number.name,
        SideNumber::MovesOf(role) => {
            return write!(f, "{MOVES_OF_PIECES}({side} {})", role.map_or("piece", role_name));
        }
        SideNumber::Captures => "captures",
    };
    write!(f, "{name}({side})")
}

impl fmt::Display for SumExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, false)
    }
}

impl SumExpression {
    /// Returns whether all that is counted can be counted in pawns.
    pub(crate) fn counts_pawns(&self) -> bool {
        self.terms.iter().all(|(_, counted)| in_pawns(counted).is_some())
    }

    /// Writes the sum, in pawns if all that is counted can be counted so and that is asked for.
    pub(crate) fn write(&self, f: &mut fmt::Formatter<'_>, pawns: bool) -> fmt::Result {
        for (index, (factor, counted)) in self.terms.iter().enumerate() {
            match (index, *factor < 0) {
                (0, false) => {}
                (0, true) => f.write_str("-")?,
                (_, false) => f.write_str(" + ")?,
                (_, true) => f.write_str(" - ")?,
            }
            if factor.unsigned_abs() != 1 {
                write!(f, "{} * ", factor.unsigned_abs())?;
            }
            match counted {
                CountExpression::Squares { side, squares } => {
                    f.write_str("count(")?;
                    fmt_squares(f, side, squares)?;
                    f.write_str(")")?;
                }
                CountExpression::Number(number) => {
                    let named = if pawns { in_pawns(counted) } else { None };
                    f.write_str(named.unwrap_or(number).name)?;
                }
                CountExpression::OfSide { side, number } => fmt_side_number(f, side, *number)?,
                CountExpression::Points(SideSelector::Either) => f.write_str("points(both)")?,
                CountExpression::Points(side) => write!(f, "points({side})")?,
            }
        }
        f.write_str(match (self.terms.is_empty(), self.constant) {
            (false, 0) => return Ok(()),
            (true, 0..) => "",
            (true, _) => "-",
            (false, 0..) => " + ",
            (false, _) => " - ",
        })?;
        let size = self.constant.unsigned_abs();
        match (pawns, size % 100) {
            (false, _) => write!(f, "{size}"),
            (true, 0) => write!(f, "{}", size / 100),
            (true, tenths) if tenths % 10 == 0 => write!(f, "{}.{}", size / 100, tenths / 10),
            (true, hundredths) => write!(f, "{}.{hundredths:02}", size / 100),
        }
    }
}

/// The number that counts the same in pawns.
fn in_pawns(counted: &CountExpression) -> Option<&'static NumericFeature> {
    let CountExpression::Number(number) = counted else { return None };
    NUMBERS.iter().copied().find(|one| one.centipawns == Some(*number))
}
