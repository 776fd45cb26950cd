//! Describes where squares lie: `between king and rook`, `behind enemy passed_pawn`, `next_to e4`; and lines through a piece.

use core::fmt;

use plyfold_scan::scan::predicate::SquareRelation;
use shakmaty::Color;

use super::keywords::name_of;
use super::squares::{SquareExpression, SquareTarget};

/// The side whose squares are meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SquareOwner {
    /// Those of the side in question.
    Own,
    /// Those of the other side.
    Enemy,
    /// Those of both sides.
    Either,
    /// White's.
    White,
    /// Black's.
    Black,
}

impl SquareOwner {
    /// Each with its word in a query.
    pub const NAMED: &[(&str, SquareOwner)] = &[
        ("own", SquareOwner::Own),
        ("enemy", SquareOwner::Enemy),
        ("either", SquareOwner::Either),
        ("white", SquareOwner::White),
        ("black", SquareOwner::Black),
    ];

    /// Whether the side in question decides whose they are.
    pub(super) fn is_relative(self) -> bool {
        matches!(self, SquareOwner::Own | SquareOwner::Enemy)
    }

    /// The colours for a side.
    pub fn colours(self, side: Color) -> &'static [Color] {
        const EACH: [Color; 2] = [Color::White, Color::Black];
        let one = |colour: Color| if colour.is_white() { &EACH[..1] } else { &EACH[1..] };
        match self {
            SquareOwner::Own => one(side),
            SquareOwner::Enemy => one(!side),
            SquareOwner::Either => &EACH,
            SquareOwner::White => one(Color::White),
            SquareOwner::Black => one(Color::Black),
        }
    }
}

/// Squares to which others lie in a relation: a predicate and whose it is, or a region.
#[derive(Clone, PartialEq, Debug)]
pub struct RelatedSquares {
    /// Whose squares; of no account for a region.
    pub owner: SquareOwner,
    /// The squares.
    pub squares: SquareTarget,
}

/// Where squares lie.
#[derive(Clone, PartialEq, Debug)]
pub enum RelationExpression {
    /// In a relation to others: `behind passed_pawn`. The owner of those says what lies ahead.
    To(SquareRelation, RelatedSquares),
    /// Between two others on one line: `between king and rook`.
    Between(RelatedSquares, RelatedSquares),
}

/// The pieces that a line meets: `xrays king through own knight`.
#[derive(Clone, PartialEq, Debug)]
pub struct XRayExpression {
    /// What stands second on the line.
    pub target: RelatedSquares,
    /// What stands first on it; any piece without it.
    pub through: Option<RelatedSquares>,
}

impl RelatedSquares {
    /// Whether the side in question decides what the squares are.
    pub(super) fn is_relative(&self) -> bool {
        match &self.squares {
            SquareTarget::Region(region) => region.own != 0,
            SquareTarget::Squares(squares) => self.owner.is_relative() && squares.has_sides(),
        }
    }
}

impl XRayExpression {
    /// The squares on the line, in the order of the text.
    pub(super) fn ends(&self) -> impl Iterator<Item = &RelatedSquares> {
        core::iter::once(&self.target).chain(&self.through)
    }
}

impl RelationExpression {
    /// The squares to which others lie so, in the order of the text.
    pub(super) fn ends(&self) -> impl Iterator<Item = &RelatedSquares> {
        let (first, second) = match self {
            RelationExpression::To(_, to) => (to, None),
            RelationExpression::Between(one, other) => (one, Some(other)),
        };
        core::iter::once(first).chain(second)
    }

    /// Whether the side in question decides what the squares are.
    pub(super) fn is_relative(&self) -> bool {
        match self {
            RelationExpression::To(SquareRelation::Behind | SquareRelation::InFrontOf, to) => {
                to.is_relative() || matches!(to.squares, SquareTarget::Region(_))
            }
            RelationExpression::To(_, to) => to.is_relative(),
            RelationExpression::Between(one, other) => one.is_relative() || other.is_relative(),
        }
    }
}

/// Writes the squares as in a query.
impl fmt::Display for RelatedSquares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.squares {
            SquareTarget::Region(region) => {
                let words = region.describe();
                // A number after `between` is that of a ply.
                if words.starts_with(|first: char| first.is_ascii_digit()) {
                    write!(f, "({words})")
                } else {
                    f.write_str(&words)
                }
            }
            SquareTarget::Squares(squares) => {
                write!(f, "{} ", name_of(&self.owner, SquareOwner::NAMED))?;
                match squares {
                    SquareExpression::Feature { .. }
                    | SquareExpression::Named { .. }
                    | SquareExpression::Left { .. } => write!(f, "{squares}"),
                    squares => write!(f, "({squares})"),
                }
            }
        }
    }
}

/// Writes the relation as in a query.
impl fmt::Display for RelationExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RelationExpression::To(relation, to) => write!(f, "{} {to}", relation.name()),
            RelationExpression::Between(one, other) => write!(f, "between {one} and {other}"),
        }
    }
}

/// Writes the line as in a query.
impl fmt::Display for XRayExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "xrays {}", self.target)?;
        self.through.as_ref().map_or(Ok(()), |through| write!(f, " through {through}"))
    }
}
