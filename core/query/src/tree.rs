//! Represents what a query says as a tree. Printing a tree gives text that means the same. Names keep their places in the text that
//! was read.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use plyfold_scan::scan::measure::BoardFeature;
use plyfold_scan::scan::measure::numbers::{
    CLOCK_TIMES, HALF_POINTS_LOST_BY, MOVES_OF, MOVES_TO_MATE_BY, NumberOrigin, NumericFeature,
};
use plyfold_scan::scan::measure::pieces::ANY_PIECE;
use plyfold_scan::scan::predicate::{NumberComparison, PlyMark, ThrownAway};
use plyfold_scan::scan::tables::TableOutcome;
use plyfold_transform::composite::TransformFamily;
use shakmaty::{Color, Role};

use super::diagram::Diagram;
use super::fen_pattern::FenPattern;
use super::header::{HeaderCondition, quoted};
use super::keywords::name_of;
use super::material::{EndgameKind, Imbalance, MaterialPattern};
use super::played::MovePattern;
use super::region::Region;
use super::span::SpannedName;
use super::squares::SquareExpression;
use super::window::WindowClause;

/// The word before what a move threw away.
pub const THREW_AWAY: &str = "threw_away";

/// The side that a condition is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SideSelector {
    /// White.
    White,
    /// Black.
    Black,
    /// White or Black; this is the default.
    Either,
    /// White and Black, at the same position.
    Both,
    /// Neither White nor Black, at the same position.
    Neither,
    /// The side to move.
    Mover,
    /// The side that is not to move.
    Waiter,
    /// The side that won the game; no side if the game has no winner.
    Winner,
    /// The side that lost.
    Loser,
    /// A player of either colour: `"Carlsen*"`.
    Player(SpannedName),
}

impl SideSelector {
    /// Names as written, and what they mean.
    pub const NAMED: &[(&str, SideSelector)] = &[
        ("white", SideSelector::White),
        ("black", SideSelector::Black),
        ("either", SideSelector::Either),
        ("both", SideSelector::Both),
        ("neither", SideSelector::Neither),
        ("mover", SideSelector::Mover),
        ("waiter", SideSelector::Waiter),
        ("winner", SideSelector::Winner),
        ("loser", SideSelector::Loser),
    ];

    /// The colour, if the selector is one.
    pub fn colour(&self) -> Option<Color> {
        match self {
            SideSelector::White => Some(Color::White),
            SideSelector::Black => Some(Color::Black),
            _ => None,
        }
    }

    /// The selector of a colour.
    pub fn of_colour(colour: Color) -> SideSelector {
        colour.fold_wb(SideSelector::White, SideSelector::Black)
    }

    /// Whether the game or the position decides which colour this is.
    pub(crate) fn is_relative(&self) -> bool {
        use SideSelector::{Loser, Mover, Player, Waiter, Winner};
        matches!(self, Mover | Waiter | Winner | Loser | Player(_))
    }

    /// The other of two sides that exclude each other.
    pub(super) fn opposite(&self) -> Option<SideSelector> {
        match self {
            SideSelector::White => Some(SideSelector::Black),
            SideSelector::Black => Some(SideSelector::White),
            SideSelector::Mover => Some(SideSelector::Waiter),
            SideSelector::Waiter => Some(SideSelector::Mover),
            SideSelector::Winner => Some(SideSelector::Loser),
            SideSelector::Loser => Some(SideSelector::Winner),
            _ => None,
        }
    }
}

/// Writes the selector as in a query.
impl fmt::Display for SideSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SideSelector::Player(name) => f.write_str(&quoted(name)),
            side => f.write_str(name_of(side, Self::NAMED)),
        }
    }
}

/// A query, or a part of one.
#[derive(Clone, PartialEq, Debug)]
pub enum QueryTree {
    /// The empty query, which always holds.
    Everything,
    /// All parts hold: each at some position, or all at the same one inside braces.
    And(Vec<QueryTree>),
    /// At least one part holds.
    Or(Vec<QueryTree>),
    /// At least so many parts hold: more than one, and not all of them.
    SomeOf(usize, Vec<QueryTree>),
    /// The part does not hold (at any position, outside braces).
    Not(Box<QueryTree>),
    /// Braces: one position.
    Together(Box<QueryTree>),
    /// A condition on one position.
    Leaf(Leaf),
    /// A fact about the game.
    Header(HeaderCondition),
    /// A condition, and when and how often it holds.
    Condition {
        /// What holds: a leaf or braces.
        inner: Box<QueryTree>,
        /// When; not [`WindowClause::EVER`], which needs no words.
        window: WindowClause,
    },
    /// `A then B`: the second part counts only after the first.
    Then {
        /// The first part.
        first: Box<QueryTree>,
        /// For how many plies after the first part the second counts.
        within: Option<u32>,
        /// The second part.
        second: Box<QueryTree>,
    },
}

/// A condition on one position.
#[derive(Clone, PartialEq, Debug)]
pub enum Leaf {
    /// A feature, perhaps within a region.
    Feature {
        /// The side.
        side: SideSelector,
        /// The feature.
        feature: &'static BoardFeature,
        /// The region.
        region: Region,
    },
    /// No piece of the side and kind stands in the region: `no pawn on e`.
    Absent {
        /// The side; `either` means both.
        side: SideSelector,
        /// The feature.
        feature: &'static BoardFeature,
        /// The region.
        region: Region,
    },
    /// A piece attacks or defends something: `white knight attacks queen`.
    Attacks {
        /// The side of the piece.
        side: SideSelector,
        /// The feature.
        feature: &'static BoardFeature,
        /// The region where the piece stands.
        region: Region,
        /// Whether the target is pieces of its own side instead of the other.
        defends: bool,
        /// What it attacks or defends.
        target: TargetExpression,
    },
    /// The move that led to the position: `white plays knight to e5`.
    Played {
        /// The side that moved.
        side: SideSelector,
        /// The kind of move.
        pattern: MovePattern,
    },
    /// The side has a square of a set: `white pinned queen`.
    Squares {
        /// The side; `either` means both if the set is empty.
        side: SideSelector,
        /// The set.
        squares: SquareExpression,
        /// Whether the set is empty instead: `no pinned queen`.
        is_absent: bool,
    },
    /// No piece stands in the region: `empty e4 e5`.
    Empty(Region),
    /// Two sums, compared.
    Compare(SumExpression, NumberComparison, SumExpression),
    /// The number of the ply or of the move: `move < 20`.
    Number {
        /// Of the move, as printed in the score; else of the ply, from 1.
        is_move_number: bool,
        /// The first number.
        first: u32,
        /// The last number; [`u32::MAX`] for no end.
        last: u32,
    },
    /// This position: `fen "…"`.
    Fen(Box<FenPattern>),
    /// Pieces on squares, with wildcards: `board "…"`.
    Board(Box<Diagram>),
    /// These pawns and no others: `structure "…"`.
    Structure {
        /// Squares of White's pawns.
        white: u64,
        /// Squares of Black's pawns.
        black: u64,
    },
    /// The text marks the move that led to the position: `white blunder`.
    Marked {
        /// The side that made the move.
        side: SideSelector,
        /// The mark.
        mark: PlyMark,
    },
    /// Endgame tables say that the position is won, drawn or lost for the side: `white tb win`.
    TableOutcome {
        /// The side.
        side: SideSelector,
        /// The outcome.
        outcome: TableOutcome,
    },
    /// By endgame tables, the last move threw a win or a draw away: `white threw_away win`.
    ThrewAway {
        /// The side that made the move.
        side: SideSelector,
        /// What was thrown away.
        thrown: ThrownAway,
    },
    /// The text has such a comment on the move that led to the position: `white comment "*novelty*"`.
    Comment {
        /// The side that made the move.
        side: SideSelector,
        /// The pattern of the comment: `*` is any run of characters.
        pattern: String,
    },
    /// These pieces: `material KRPvKR`.
    Material(MaterialPattern),
    /// What each side has that the other has not: `imbalance RvBN`.
    Imbalance(Imbalance),
    /// A kind of endgame: `endgame rook`.
    Endgame(EndgameKind),
    /// A description of the whole board, and its images: `board "…" under flips`.
    Under(Box<TransformedPattern>),
}

/// A description of the whole board, and the transforms under which it may hold.
#[derive(Clone, PartialEq, Debug)]
pub struct TransformedPattern {
    /// `fen`, `board` or `structure`.
    pub pattern: Leaf,
    /// The families of transforms. One transform from each family, composed, makes an image.
    pub families: Vec<TransformFamily>,
}

/// The target that a piece attacks or defends.
#[derive(Clone, PartialEq, Debug)]
pub enum TargetExpression {
    /// Pieces: of the other side if it attacks, of its own side if it defends.
    Feature {
        /// The feature.
        feature: &'static BoardFeature,
        /// The region.
        region: Region,
    },
    /// Squares, empty or not.
    Region(Region),
}

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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SideNumber {
    /// `clock_time(side)`: seconds on the clock of the side after its last move.
    ClockTime,
    /// `moves_of(side piece)`: legal moves of the side's pieces of a role, or of all.
    MovesOf(Option<Role>),
    /// `captures(side)`: pieces that the other side has lost.
    Captures,
    /// `tb_dtm(side)`: moves to mate, if the side wins.
    MovesToMate,
    /// `half_points_lost(side)`: what the side's last move gave away.
    HalfPointsLost,
}

impl SideNumber {
    /// The number of a colour, as weighted counts and a constant.
    pub fn of_colour(self, colour: Color) -> SumExpression {
        let side = usize::from(colour.is_black());
        let named = |number| SumExpression::of(CountExpression::Number(number));
        match self {
            SideNumber::ClockTime => named(CLOCK_TIMES[side]),
            SideNumber::MovesToMate => named(MOVES_TO_MATE_BY[side]),
            SideNumber::HalfPointsLost => named(HALF_POINTS_LOST_BY[side]),
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
    pub(super) fn side(&self) -> Option<&SideSelector> {
        match self {
            CountExpression::Squares { side, .. }
            | CountExpression::Points(side)
            | CountExpression::OfSide { side, .. } => Some(side),
            CountExpression::Number(_) => None,
        }
    }

    /// Returns the source that knows the number. Numbers that differ in this are neither added nor compared.
    pub fn source(&self) -> NumberSource {
        match self {
            CountExpression::Number(number) => match number.derived_from {
                NumberOrigin::Annotations(_) => NumberSource::Text,
                NumberOrigin::Tables(_) => NumberSource::Tables,
                _ => NumberSource::Board,
            },
            CountExpression::OfSide { number: SideNumber::ClockTime, .. } => NumberSource::Text,
            CountExpression::OfSide { number: SideNumber::MovesToMate | SideNumber::HalfPointsLost, .. } => {
                NumberSource::Tables
            }
            _ => NumberSource::Board,
        }
    }
}

impl QueryTree {
    /// Returns whether a window or `then` stands in the query, so that a position alone cannot say whether its game matches.
    pub fn has_windows(&self) -> bool {
        match self {
            QueryTree::Everything | QueryTree::Leaf(_) | QueryTree::Header(_) | QueryTree::Together(_) => false,
            QueryTree::And(parts) | QueryTree::Or(parts) | QueryTree::SomeOf(_, parts) => {
                parts.iter().any(QueryTree::has_windows)
            }
            QueryTree::Not(inner) => inner.has_windows(),
            QueryTree::Condition { inner, window } => *window != WindowClause::EVER || inner.has_windows(),
            QueryTree::Then { .. } => true,
        }
    }

    /// Calls `visit` with this part and all parts of it, in the order of the text.
    pub(super) fn for_each_part<'t>(&'t self, visit: &mut dyn FnMut(&'t QueryTree)) {
        visit(self);
        match self {
            QueryTree::Everything | QueryTree::Leaf(_) | QueryTree::Header(_) => {}
            QueryTree::And(parts) | QueryTree::Or(parts) | QueryTree::SomeOf(_, parts) => {
                parts.iter().for_each(|part| part.for_each_part(visit));
            }
            QueryTree::Not(inner) | QueryTree::Together(inner) | QueryTree::Condition { inner, .. } => {
                inner.for_each_part(visit);
            }
            QueryTree::Then { first, second, .. } => {
                first.for_each_part(visit);
                second.for_each_part(visit);
            }
        }
    }
}
