//! What a query says, as a tree. Printing a tree gives text that means the same.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use shakmaty::Color;

use super::diagram::Diagram;
use super::fen::Fen;
use super::header::{Header, quoted};
use super::material::{Endgame, Imbalance, Material};
use super::region::Region;
use super::under::Under;
use super::window::Window;
use crate::scan::measure::Feature;
use crate::scan::measure::numbers::Number;
use crate::scan::predicate::Comparison;

/// Whose.
#[derive(Clone, PartialEq, Eq, Debug)]
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
    /// That of the side to move.
    Mover,
    /// That of the side that is not to move.
    Waiter,
    /// That of the side that won the game; of none where it was not won.
    Winner,
    /// That of the side that lost.
    Loser,
    /// That of a player, whatever the colour: `"Carlsen*"`.
    Player(String),
}

impl Side {
    /// Names as written, and what they mean.
    pub const NAMED: &[(&str, Side)] = &[
        ("white", Side::White),
        ("black", Side::Black),
        ("either", Side::Either),
        ("both", Side::Both),
        ("neither", Side::Neither),
        ("mover", Side::Mover),
        ("waiter", Side::Waiter),
        ("winner", Side::Winner),
        ("loser", Side::Loser),
    ];

    /// The colour, where it is one.
    pub fn colour(&self) -> Option<Color> {
        match self {
            Side::White => Some(Color::White),
            Side::Black => Some(Color::Black),
            _ => None,
        }
    }
}

/// As written.
impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Side::Player(name) => f.write_str(&quoted(name)),
            side => f.write_str(Self::NAMED.iter().find(|(_, named)| named == side).map_or("", |(name, _)| name)),
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
    /// A fact about the game.
    Header(Header),
    /// A condition, and when and how often it holds.
    Condition {
        /// What holds: a leaf or braces.
        what: Box<Tree>,
        /// When; not [`Window::EVER`], which goes without saying.
        window: Window,
    },
    /// `A then B`: what comes second counts only after the first.
    Then {
        /// What comes first.
        first: Box<Tree>,
        /// For how many plies after it the second counts.
        within: Option<u32>,
        /// What comes after it.
        second: Box<Tree>,
    },
}

/// What can be asked of one position.
#[derive(Clone, PartialEq, Debug)]
pub enum Leaf {
    /// A feature, perhaps within a region.
    Feature {
        /// Whose.
        side: Side,
        /// Which.
        feature: &'static Feature,
        /// Where.
        region: Region,
    },
    /// No man of the side and kind stands there: `no pawn on e`.
    Absent {
        /// Whose; `either` means both.
        side: Side,
        /// What.
        feature: &'static Feature,
        /// Where.
        region: Region,
    },
    /// A man attacks or defends something: `white knight attacks queen`.
    Attacks {
        /// Whose man.
        side: Side,
        /// Which.
        feature: &'static Feature,
        /// Where it stands.
        region: Region,
        /// Whether men of its own side are meant, and not of the other.
        defends: bool,
        /// What it attacks or defends.
        target: Target,
    },
    /// No man stands there: `empty e4 e5`.
    Empty(Region),
    /// Two sums, compared.
    Compare(Sum, Comparison, Sum),
    /// The number of the ply or of the move: `move < 20`.
    Number {
        /// Of the move, as printed in the score; else of the ply, from 1.
        of_move: bool,
        /// From.
        first: u32,
        /// To; [`u32::MAX`] for no end.
        last: u32,
    },
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
    /// These men more than the other side has: `imbalance RvBN`.
    Imbalance(Imbalance),
    /// A kind of endgame: `endgame rook`.
    Endgame(Endgame),
    /// Something of the whole board, and its images: `board "…" under flips`.
    Under(Box<Under>),
}

/// What a man attacks or defends.
#[derive(Clone, PartialEq, Debug)]
pub enum Target {
    /// Men: of the other side where it attacks, of its own where it defends.
    Feature {
        /// Which.
        feature: &'static Feature,
        /// Where.
        region: Region,
    },
    /// Squares, whatever stands there.
    Region(Region),
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
#[derive(Clone, PartialEq, Debug)]
pub enum Counted {
    /// `count(side feature on region)`; `either` counts both colours.
    Squares {
        /// Whose.
        side: Side,
        /// What.
        feature: &'static Feature,
        /// Where.
        region: Region,
    },
    /// `points(side)`: pawn 1, knight and bishop 3, rook 5, queen 9.
    Points(Side),
    /// A number by its name: `king_distance`.
    Number(&'static Number),
}

impl Tree {
    /// A list of parts, in brackets where they would read otherwise.
    fn list(f: &mut fmt::Formatter<'_>, parts: &[Tree], word: &str) -> fmt::Result {
        for (nth, part) in parts.iter().enumerate() {
            if nth > 0 {
                write!(f, " {word} ")?;
            }
            part.within(f)?;
        }
        Ok(())
    }

    /// As a part of something.
    fn within(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tree::And(_) | Tree::Or(_) | Tree::Then { .. } => write!(f, "({self})"),
            _ => write!(f, "{self}"),
        }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tree::Everything => Ok(()),
            Tree::And(parts) => Tree::list(f, parts, "and"),
            Tree::Or(parts) => Tree::list(f, parts, "or"),
            Tree::Not(inner) => {
                f.write_str("not ")?;
                inner.within(f)
            }
            Tree::Together(inner) => write!(f, "{{ {inner} }}"),
            Tree::Leaf(leaf) => write!(f, "{leaf}"),
            Tree::Header(header) => write!(f, "{header}"),
            Tree::Condition { what, window } => write!(f, "{}{what}{}", window.before(), window.after()),
            Tree::Then { first, within, second } => {
                match **first {
                    // It goes from left to right.
                    Tree::Then { .. } => write!(f, "{first}")?,
                    _ => first.within(f)?,
                }
                f.write_str(" then ")?;
                if let Some(plies) = within {
                    write!(f, "within {plies} plies ")?;
                }
                second.within(f)
            }
        }
    }
}

/// `side name on region`, leaving out what is understood.
fn named(f: &mut fmt::Formatter<'_>, side: &Side, feature: &Feature, region: Region) -> fmt::Result {
    if feature.sided && *side != Side::Either {
        write!(f, "{side} ")?;
    }
    f.write_str(feature.name)?;
    if region != Region::ANYWHERE {
        write!(f, " on {}", region.describe())?;
    }
    Ok(())
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Leaf::Feature { side, feature, region } => named(f, side, feature, *region),
            Leaf::Absent { side, feature, region } => {
                f.write_str("no ")?;
                named(f, side, feature, *region)
            }
            Leaf::Attacks { side, feature, region, defends, target } => {
                named(f, side, feature, *region)?;
                f.write_str(if *defends { " defends " } else { " attacks " })?;
                match target {
                    Target::Feature { feature, region } => named(f, &Side::Either, feature, *region),
                    Target::Region(region) => f.write_str(&region.describe()),
                }
            }
            Leaf::Empty(region) => write!(f, "empty {}", region.describe()),
            Leaf::Compare(left, comparison, right) => write!(f, "{left} {} {right}", comparison.sign()),
            Leaf::Number { of_move, first, last } => {
                f.write_str(if *of_move { "move" } else { "ply" })?;
                match (*first, *last) {
                    (first, last) if first == last => write!(f, " = {first}"),
                    (first, u32::MAX) => write!(f, " >= {first}"),
                    (0 | 1, last) => write!(f, " <= {last}"),
                    (first, last) => write!(f, " {first}..{last}"),
                }
            }
            Leaf::Fen(fen) => write!(f, "fen \"{fen}\""),
            Leaf::Board(diagram) => write!(f, "board \"{diagram}\""),
            Leaf::Structure { white, black } => write!(f, "structure \"{}\"", Diagram::of_pawns(*white, *black)),
            Leaf::Material(material) => write!(f, "material {material}"),
            Leaf::Imbalance(imbalance) => write!(f, "imbalance {imbalance}"),
            Leaf::Endgame(endgame) => write!(f, "endgame {}", endgame.name()),
            Leaf::Under(under) => write!(f, "{under}"),
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
                    named(f, side, feature, *region)?;
                    f.write_str(")")?;
                }
                Counted::Number(number) => f.write_str(number.name)?,
                Counted::Points(Side::Either) => f.write_str("points(both)")?,
                Counted::Points(side) => write!(f, "points({side})")?,
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
