//! Sets of squares made of predicates: `pinned & queen`, `(knight | bishop) on e5`, `pawn attacks (queen | rook)`.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use super::region::Region;
use super::tree::{CountExpression, Leaf, SideSelector, TargetExpression};
use crate::scan::measure::BoardFeature;

/// Squares of a side.
#[derive(Clone, PartialEq, Debug)]
pub enum SquareExpression {
    /// Those of a predicate, perhaps within a region.
    Feature {
        /// The predicate.
        feature: &'static BoardFeature,
        /// The region.
        region: Region,
    },
    /// Those that all parts have.
    All(Vec<SquareExpression>),
    /// Those that at least one part has.
    Any(Vec<SquareExpression>),
    /// Those that the part does not have; it stands only in [`All`](Self::All), after another part.
    Not(Box<SquareExpression>),
    /// Those of the part within a region.
    On(Box<SquareExpression>, Region),
    /// Those of the part with a piece that attacks or defends something.
    Attacking {
        /// The pieces.
        pieces: Box<SquareExpression>,
        /// Whether the target is squares of its own side instead of the other.
        defends: bool,
        /// What they attack or defend.
        target: Box<SquareTarget>,
    },
}

/// What pieces of a set attack or defend.
#[derive(Clone, PartialEq, Debug)]
pub enum SquareTarget {
    /// Squares of a side: of the other if it attacks, of its own if it defends.
    Squares(SquareExpression),
    /// Squares, empty or not.
    Region(Region),
}

impl SquareExpression {
    /// Calls `visit` with each predicate, without those of targets.
    fn for_each_feature(&self, visit: &mut dyn FnMut(&'static BoardFeature)) {
        match self {
            SquareExpression::Feature { feature, .. } => visit(feature),
            SquareExpression::All(parts) | SquareExpression::Any(parts) => {
                parts.iter().for_each(|part| part.for_each_feature(visit));
            }
            SquareExpression::Not(inner)
            | SquareExpression::On(inner, _)
            | SquareExpression::Attacking { pieces: inner, .. } => inner.for_each_feature(visit),
        }
    }

    /// Whether the squares belong to a side.
    pub fn has_sides(&self) -> bool {
        let mut sided = false;
        self.for_each_feature(&mut |feature| sided |= feature.has_sides);
        sided
    }

    /// The first predicate that has no squares.
    pub(super) fn without_location(&self) -> Option<&'static BoardFeature> {
        let mut found = None;
        self.for_each_feature(&mut |feature| found = found.or((!feature.has_location).then_some(feature)));
        found
    }

    /// The leaf that holds if a side has no such square.
    pub fn into_absent_leaf(self, side: SideSelector) -> Leaf {
        match self {
            SquareExpression::Feature { feature, region } => Leaf::Absent { side, feature, region },
            squares => Leaf::Squares { side, squares, is_absent: true },
        }
    }

    /// The leaf that holds if a side has such a square.
    pub fn into_leaf(self, side: SideSelector) -> Leaf {
        match self {
            SquareExpression::Feature { feature, region } => Leaf::Feature { side, feature, region },
            SquareExpression::Attacking { pieces, defends, target } => match (*pieces, *target) {
                (
                    SquareExpression::Feature { feature, region },
                    SquareTarget::Squares(SquareExpression::Feature { feature: attacked, region: place }),
                ) => {
                    let target = TargetExpression::Feature { feature: attacked, region: place };
                    Leaf::Attacks { side, feature, region, defends, target }
                }
                (SquareExpression::Feature { feature, region }, SquareTarget::Region(place)) => {
                    Leaf::Attacks { side, feature, region, defends, target: TargetExpression::Region(place) }
                }
                (pieces, target) => {
                    let squares =
                        SquareExpression::Attacking { pieces: Box::new(pieces), defends, target: Box::new(target) };
                    Leaf::Squares { side, squares, is_absent: false }
                }
            },
            squares => Leaf::Squares { side, squares, is_absent: false },
        }
    }

    /// The number of such squares.
    pub fn into_count(self, side: SideSelector) -> CountExpression {
        match self {
            SquareExpression::Feature { feature, region } => CountExpression::Squares { side, feature, region },
            squares => CountExpression::Set { side, squares },
        }
    }

    /// Writes the expression as a part of another.
    fn fmt_nested(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SquareExpression::Feature { .. } | SquareExpression::Not(_) => write!(f, "{self}"),
            _ => write!(f, "({self})"),
        }
    }
}

/// Writes the expression as in a query.
impl fmt::Display for SquareExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = |parts: &[SquareExpression], sign: &str| {
            parts.iter().enumerate().try_for_each(|(nth, part)| {
                f.write_str(if nth > 0 { sign } else { "" })?;
                part.fmt_nested(f)
            })
        };
        match self {
            SquareExpression::Feature { feature, region } => {
                f.write_str(feature.name)?;
                if *region == Region::ANYWHERE { Ok(()) } else { write!(f, " on {}", region.describe()) }
            }
            SquareExpression::All(parts) => list(parts, " & "),
            SquareExpression::Any(parts) => list(parts, " | "),
            SquareExpression::Not(inner) => {
                f.write_str("not ")?;
                inner.fmt_nested(f)
            }
            SquareExpression::On(inner, region) => write!(f, "({inner}) on {}", region.describe()),
            SquareExpression::Attacking { pieces, defends, target } => {
                pieces.fmt_nested(f)?;
                f.write_str(if *defends { " defends " } else { " attacks " })?;
                match &**target {
                    SquareTarget::Squares(squares) => squares.fmt_nested(f),
                    SquareTarget::Region(region) => f.write_str(&region.describe()),
                }
            }
        }
    }
}
