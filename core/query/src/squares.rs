//! Sets of squares made of predicates: `pinned & queen`, `(knight | bishop) on e5`, `pawn attacks (queen | rook)`, `rook behind
//! passed_pawn`.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use plyfold_scan::scan::measure::BoardFeature;
use plyfold_scan::scan::measure::pieces::ANY_PIECE;
use plyfold_scan::scan::predicate::{LeftSquares, PieceName};

use super::region::Region;
use super::relation::{RelationExpression, XRayExpression};

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
    /// The square of a followed piece, perhaps within a region.
    Named {
        /// The name.
        name: PieceName,
        /// The region.
        region: Region,
    },
    /// Squares that a followed piece has left.
    Left {
        /// The name.
        name: PieceName,
        /// Which of them.
        which: LeftSquares,
    },
    /// The square of a followed piece as far as it is in a place. This introduces the name.
    Introduced {
        /// The place.
        place: Box<SquareExpression>,
        /// The name.
        name: PieceName,
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
    /// Those that lie so; it stands only in [`All`](Self::All), after another part.
    Related(Box<RelationExpression>),
    /// Those of the part with a piece that attacks something through one other piece.
    XRaying {
        /// The pieces.
        pieces: Box<SquareExpression>,
        /// What they attack, and through what.
        ray: Box<XRayExpression>,
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

impl SquareTarget {
    fn first_name(&self) -> Option<PieceName> {
        match self {
            SquareTarget::Squares(squares) => squares.first_name(),
            SquareTarget::Region(_) => None,
        }
    }
}

impl SquareExpression {
    /// The parts of the expression, without targets.
    pub(crate) fn parts(&self) -> &[SquareExpression] {
        match self {
            SquareExpression::All(parts) | SquareExpression::Any(parts) => parts,
            SquareExpression::Not(inner)
            | SquareExpression::On(inner, _)
            | SquareExpression::Introduced { place: inner, .. }
            | SquareExpression::Attacking { pieces: inner, .. }
            | SquareExpression::XRaying { pieces: inner, .. } => core::slice::from_ref(inner),
            SquareExpression::Feature { .. }
            | SquareExpression::Named { .. }
            | SquareExpression::Left { .. }
            | SquareExpression::Related(_) => &[],
        }
    }

    /// The first predicate that is such, without those of targets.
    fn find_feature(&self, is_sought: fn(&BoardFeature) -> bool) -> Option<&'static BoardFeature> {
        match self {
            SquareExpression::Feature { feature, .. } => Some(*feature).filter(|feature| is_sought(feature)),
            _ => self.parts().iter().find_map(|part| part.find_feature(is_sought)),
        }
    }

    /// Whether some part lies so that the side in question decides where.
    fn has_relative_place(&self) -> bool {
        match self {
            SquareExpression::Related(relation) => relation.is_relative(),
            _ => self.parts().iter().any(SquareExpression::has_relative_place),
        }
    }

    /// Returns whether the squares belong to a side.
    pub fn has_sides(&self) -> bool {
        let is_sided = |feature: &BoardFeature| feature.has_sides;
        self.has_relative_place() || self.first_name().is_some() || self.find_feature(is_sided).is_some()
    }

    /// The first name in the expression, with those of targets.
    pub(crate) fn first_name(&self) -> Option<PieceName> {
        if let SquareExpression::Named { name, .. }
        | SquareExpression::Left { name, .. }
        | SquareExpression::Introduced { name, .. } = self
        {
            return Some(*name);
        }
        self.parts().iter().find_map(SquareExpression::first_name).or_else(|| match self {
            SquareExpression::Attacking { target, .. } => target.first_name(),
            SquareExpression::Related(relation) => relation.ends().find_map(|end| end.squares.first_name()),
            SquareExpression::XRaying { ray, .. } => ray.ends().find_map(|end| end.squares.first_name()),
            _ => None,
        })
    }

    /// Whether these are squares of named pieces as far as their kinds and squares alone decide it.
    pub(crate) fn is_named_place(&self) -> bool {
        match self {
            SquareExpression::Named { .. } | SquareExpression::Left { .. } => true,
            SquareExpression::Introduced { place, .. } => place.is_place(),
            SquareExpression::On(part, _) => part.is_named_place(),
            SquareExpression::Any(parts) => parts.iter().all(SquareExpression::is_named_place),
            SquareExpression::All(parts) => self.is_place() && parts.iter().any(SquareExpression::is_named_place),
            _ => false,
        }
    }

    /// Whether the kind and the square of a piece alone decide whether it stands there.
    fn is_place(&self) -> bool {
        match self {
            SquareExpression::Feature { feature, .. } => feature.role().is_some() || feature.name == ANY_PIECE.name,
            SquareExpression::Named { .. } | SquareExpression::Left { .. } => true,
            SquareExpression::Attacking { .. } | SquareExpression::Related(_) | SquareExpression::XRaying { .. } => {
                false
            }
            _ => self.parts().iter().all(SquareExpression::is_place),
        }
    }

    /// The first predicate that has no squares.
    pub(crate) fn without_location(&self) -> Option<&'static BoardFeature> {
        self.find_feature(|feature| !feature.has_location)
    }

    /// Whether the expression says more of where its squares are than a predicate without a region does.
    pub(super) fn names_squares(&self) -> bool {
        match self {
            SquareExpression::Feature { region, .. } => *region != Region::ANYWHERE,
            SquareExpression::Attacking { pieces, target, .. } => {
                pieces.names_squares()
                    || match &**target {
                        SquareTarget::Squares(squares) => squares.names_squares(),
                        SquareTarget::Region(_) => true,
                    }
            }
            _ => true,
        }
    }

    /// Writes the expression as a part of another.
    fn fmt_nested(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SquareExpression::Feature { .. }
            | SquareExpression::Named { .. }
            | SquareExpression::Left { .. }
            | SquareExpression::Not(_)
            | SquareExpression::Related(_) => {
                write!(f, "{self}")
            }
            SquareExpression::Introduced { place, .. } if matches!(**place, SquareExpression::Feature { .. }) => {
                write!(f, "{self}")
            }
            _ => write!(f, "({self})"),
        }
    }
}

/// Writes the expression as in a query.
impl fmt::Display for SquareExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, parts: &[SquareExpression], sign: &str| {
            parts.iter().enumerate().try_for_each(|(nth, part)| {
                let sign = if matches!(part, SquareExpression::Related(_)) { " " } else { sign };
                f.write_str(if nth > 0 { sign } else { "" })?;
                part.fmt_nested(f)
            })
        };
        match self {
            SquareExpression::Feature { feature, region } => {
                f.write_str(feature.name)?;
                region.fmt_after(f, "on")
            }
            SquareExpression::Named { name, region } => {
                write!(f, "{name}")?;
                region.fmt_after(f, "on")
            }
            SquareExpression::Left { name, which } => write!(f, "{} of {name}", which.word()),
            SquareExpression::Introduced { place, name } => match &**place {
                SquareExpression::Feature { feature, region } => {
                    write!(f, "{} as {name}", feature.name)?;
                    region.fmt_after(f, "on")
                }
                place => write!(f, "({place}) as {name}"),
            },
            SquareExpression::All(parts) => list(f, parts, " & "),
            SquareExpression::Any(parts) => list(f, parts, " | "),
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
            SquareExpression::Related(relation) => write!(f, "{relation}"),
            SquareExpression::XRaying { pieces, ray } => {
                pieces.fmt_nested(f)?;
                write!(f, " {ray}")
            }
        }
    }
}
