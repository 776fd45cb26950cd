//! What a query says, as a tree. Printing a tree gives text that means the same.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use shakmaty::Color;

use super::diagram::Diagram;
use super::fen::Fen;
use super::material::{Endgame, Material};
use super::region;
use crate::scan::measure::Feature;
use crate::scan::predicate::Comparison;

/// Whose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// White's.
    White,
    /// Black's.
    Black,
    /// White's or Black's: what is meant if no side is named.
    Either,
    /// White's and Black's, at the same position.
    Both,
    /// Neither White's nor Black's, at the same position.
    Neither,
}

impl Side {
    /// Names as written, and what they mean.
    pub const NAMED: &[(&str, Side)] = &[
        ("white", Side::White),
        ("black", Side::Black),
        ("either", Side::Either),
        ("both", Side::Both),
        ("neither", Side::Neither),
    ];

    fn name(self) -> &'static str {
        match self {
            Side::White => "white",
            Side::Black => "black",
            Side::Either => "either",
            Side::Both => "both",
            Side::Neither => "neither",
        }
    }

    /// The colour, where it is one.
    pub fn colour(self) -> Option<Color> {
        match self {
            Side::White => Some(Color::White),
            Side::Black => Some(Color::Black),
            _ => None,
        }
    }
}

/// A query, or a part of one.
#[derive(Clone, PartialEq, Debug)]
pub enum Tree {
    /// Holds always: the empty query.
    Everything,
    /// All hold: each at some position, or at the same one inside braces.
    And(Vec<Tree>),
    /// At least one holds.
    Or(Vec<Tree>),
    /// Does not hold (at any position, outside braces).
    Not(Box<Tree>),
    /// Braces: one position.
    Together(Box<Tree>),
    /// A condition on one position.
    Leaf(Leaf),
    /// `… for 8`: a condition holds at so many plies in a row. The condition is a leaf or braces.
    Streak {
        /// What holds.
        condition: Box<Tree>,
        /// For how long, from 1 to [`LONGEST_STREAK`].
        plies: u32,
    },
}

/// The most plies that `for` can ask for.
pub const LONGEST_STREAK: u32 = 65535;

/// What can be asked of one position.
#[derive(Clone, Debug)]
pub enum Leaf {
    /// A feature, perhaps within a region.
    Feature {
        /// Whose.
        side: Side,
        /// Which.
        feature: &'static Feature,
        /// Where; all ones for anywhere.
        region: u64,
    },
    /// No man of the side and kind stands there: `no pawn on e`.
    Absent {
        /// Whose; `either` means both.
        side: Side,
        /// What.
        feature: &'static Feature,
        /// Where.
        region: u64,
    },
    /// No man stands there: `empty e4 e5`.
    Empty(u64),
    /// Two sums, compared.
    Compare(Sum, Comparison, Sum),
    /// This position: `fen "…"`.
    Fen(Box<Fen>),
    /// Men on squares, some left open: `board "…"`.
    Board(Box<Diagram>),
    /// These pawns and no others: `structure "…"`.
    Structure {
        /// Squares of White's pawns.
        white: u64,
        /// Squares of Black's pawns.
        black: u64,
    },
    /// These numbers of men: `material KRPvKR`.
    Material(Material),
    /// A kind of endgame: `endgame rook`.
    Endgame(Endgame),
}

impl PartialEq for Leaf {
    fn eq(&self, other: &Leaf) -> bool {
        match (self, other) {
            (
                Leaf::Feature { side, feature, region } | Leaf::Absent { side, feature, region },
                Leaf::Feature { side: side2, feature: feature2, region: region2 }
                | Leaf::Absent { side: side2, feature: feature2, region: region2 },
            ) => {
                core::mem::discriminant(self) == core::mem::discriminant(other)
                    && (side, feature.name, region) == (side2, feature2.name, region2)
            }
            (Leaf::Empty(one), Leaf::Empty(two)) => one == two,
            (Leaf::Compare(a, b, c), Leaf::Compare(d, e, f)) => (a, b, c) == (d, e, f),
            (Leaf::Fen(one), Leaf::Fen(two)) => one == two,
            (Leaf::Board(one), Leaf::Board(two)) => one == two,
            (Leaf::Structure { white, black }, Leaf::Structure { white: white2, black: black2 }) => {
                (white, black) == (white2, black2)
            }
            (Leaf::Material(one), Leaf::Material(two)) => one == two,
            (Leaf::Endgame(one), Leaf::Endgame(two)) => one == two,
            _ => false,
        }
    }
}

/// A sum of numbers and counts.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sum {
    /// What is counted, each with a factor.
    pub terms: Vec<(i64, Counted)>,
    /// What is added.
    pub constant: i64,
}

/// What can be counted at a position.
#[derive(Clone, Debug)]
pub enum Counted {
    /// `count(side feature on region)`; `either` counts both colours.
    Squares {
        /// Whose.
        side: Side,
        /// What.
        feature: &'static Feature,
        /// Where; all ones for anywhere.
        region: u64,
    },
    /// `points(side)`: pawn 1, knight and bishop 3, rook 5, queen 9.
    Points(Side),
}

impl PartialEq for Counted {
    fn eq(&self, other: &Counted) -> bool {
        match (self, other) {
            (
                Counted::Squares { side, feature, region },
                Counted::Squares { side: side2, feature: feature2, region: region2 },
            ) => (side, feature.name, region) == (side2, feature2.name, region2),
            (Counted::Points(one), Counted::Points(two)) => one == two,
            _ => false,
        }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, parts: &[Tree], word: &str| {
            for (nth, part) in parts.iter().enumerate() {
                if nth > 0 {
                    write!(f, " {word} ")?;
                }
                match part {
                    Tree::And(_) | Tree::Or(_) => write!(f, "({part})")?,
                    _ => write!(f, "{part}")?,
                }
            }
            Ok(())
        };
        match self {
            Tree::Everything => Ok(()),
            Tree::And(parts) => list(f, parts, "and"),
            Tree::Or(parts) => list(f, parts, "or"),
            Tree::Not(inner) => match **inner {
                Tree::And(_) | Tree::Or(_) => write!(f, "not ({inner})"),
                _ => write!(f, "not {inner}"),
            },
            Tree::Together(inner) => write!(f, "{{ {inner} }}"),
            Tree::Leaf(leaf) => write!(f, "{leaf}"),
            Tree::Streak { condition, plies } => write!(f, "{condition} for {plies}"),
        }
    }
}

/// `side name on region`, leaving out what is understood.
fn named(f: &mut fmt::Formatter<'_>, side: Side, feature: &Feature, region: u64) -> fmt::Result {
    if feature.sided && side != Side::Either {
        write!(f, "{} ", side.name())?;
    }
    f.write_str(feature.name)?;
    if region != u64::MAX {
        write!(f, " on {}", region::describe(region))?;
    }
    Ok(())
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Leaf::Feature { side, feature, region } => named(f, *side, feature, *region),
            Leaf::Absent { side, feature, region } => {
                f.write_str("no ")?;
                named(f, *side, feature, *region)
            }
            Leaf::Empty(region) => write!(f, "empty {}", region::describe(*region)),
            Leaf::Compare(left, comparison, right) => write!(f, "{left} {} {right}", comparison.sign()),
            Leaf::Fen(fen) => write!(f, "fen \"{fen}\""),
            Leaf::Board(diagram) => write!(f, "board \"{diagram}\""),
            Leaf::Structure { white, black } => write!(f, "structure \"{}\"", Diagram::of_pawns(*white, *black)),
            Leaf::Material(material) => write!(f, "material {material}"),
            Leaf::Endgame(endgame) => write!(f, "endgame {}", endgame.name()),
        }
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, (factor, counted)) in self.terms.iter().enumerate() {
            match (nth, *factor < 0) {
                (0, false) => {}
                (0, true) => f.write_str("0 - ")?,
                (_, false) => f.write_str(" + ")?,
                (_, true) => f.write_str(" - ")?,
            }
            if factor.unsigned_abs() != 1 {
                write!(f, "{} * ", factor.unsigned_abs())?;
            }
            match counted {
                Counted::Squares { side, feature, region } => {
                    f.write_str("count(")?;
                    named(f, *side, feature, *region)?;
                    f.write_str(")")?;
                }
                Counted::Points(Side::Either) => f.write_str("points(both)")?,
                Counted::Points(side) => write!(f, "points({})", side.name())?,
            }
        }
        match (self.terms.is_empty(), self.constant) {
            (true, constant) if constant < 0 => write!(f, "0 - {}", constant.unsigned_abs()),
            (true, constant) => write!(f, "{constant}"),
            (false, 0) => Ok(()),
            (false, constant) if constant < 0 => write!(f, " - {}", constant.unsigned_abs()),
            (false, constant) => write!(f, " + {constant}"),
        }
    }
}
