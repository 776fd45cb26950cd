//! Writes the text of a tree, which means the same as the query that was read.

use alloc::format;
use alloc::string::String;
use core::fmt;

use plyfold_scan::scan::measure::BoardFeature;
use plyfold_scan::scan::measure::numbers::{CLOCK_TIME, HALF_POINTS_LOST, MOVES_OF_PIECES, MOVES_TO_MATE};
use plyfold_scan::scan::predicate::ThrownAway;

use super::diagram::Diagram;
use super::header::quoted;
use super::played::role_name;
use super::region::Region;
use super::squares::SquareExpression;
use super::tree::{
    CountExpression, Leaf, QueryTree, SideNumber, SideSelector, SumExpression, THREW_AWAY, TargetExpression,
    TransformedPattern,
};

impl QueryTree {
    /// A list of parts, in brackets where they would be read differently without.
    fn fmt_list(f: &mut fmt::Formatter<'_>, parts: &[QueryTree], between: &str) -> fmt::Result {
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                f.write_str(between)?;
            }
            part.fmt_nested(f)?;
        }
        Ok(())
    }

    /// Writes the tree as a part of another.
    fn fmt_nested(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueryTree::And(_) | QueryTree::Or(_) | QueryTree::Then { .. } => write!(f, "({self})"),
            _ => write!(f, "{self}"),
        }
    }
}

impl fmt::Display for QueryTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueryTree::Everything => Ok(()),
            QueryTree::And(parts) => QueryTree::fmt_list(f, parts, " and "),
            QueryTree::Or(parts) => QueryTree::fmt_list(f, parts, " or "),
            QueryTree::SomeOf(least, parts) => {
                write!(f, "{least} of (")?;
                QueryTree::fmt_list(f, parts, ", ")?;
                f.write_str(")")
            }
            QueryTree::Not(inner) => {
                f.write_str("not ")?;
                inner.fmt_nested(f)
            }
            QueryTree::Together(inner) => write!(f, "{{ {inner} }}"),
            QueryTree::Leaf(leaf) => write!(f, "{leaf}"),
            QueryTree::Header(header) => write!(f, "{header}"),
            QueryTree::Condition { inner: what, window } => write!(f, "{}{what}{}", window.prefix(), window.suffix()),
            QueryTree::Then { first, within, second } => {
                match **first {
                    // `then` is read from left to right.
                    QueryTree::Then { .. } => write!(f, "{first}")?,
                    _ => first.fmt_nested(f)?,
                }
                f.write_str(" then ")?;
                if let Some(plies) = within {
                    write!(f, "within {plies} plies ")?;
                }
                second.fmt_nested(f)
            }
        }
    }
}

/// A side and a space, or nothing for the default.
fn side_prefix(side: &SideSelector) -> String {
    if *side == SideSelector::Either { String::new() } else { format!("{side} ") }
}

/// `side name on region`, without the parts that are implied.
fn fmt_feature(f: &mut fmt::Formatter<'_>, side: &SideSelector, feature: &BoardFeature, region: Region) -> fmt::Result {
    let side = if feature.has_sides { side } else { &SideSelector::Either };
    write!(f, "{}{}", side_prefix(side), feature.name)?;
    region.fmt_after(f, "on")
}

/// `side set`, without the side if it is implied.
fn fmt_squares(f: &mut fmt::Formatter<'_>, side: &SideSelector, squares: &SquareExpression) -> fmt::Result {
    write!(f, "{}{squares}", side_prefix(if squares.has_sides() { side } else { &SideSelector::Either }))
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Leaf::Feature { side, feature, region } => fmt_feature(f, side, feature, *region),
            Leaf::Absent { side, feature, region } => {
                f.write_str("no ")?;
                fmt_feature(f, side, feature, *region)
            }
            Leaf::Attacks { side, feature, region, defends, target } => {
                fmt_feature(f, side, feature, *region)?;
                f.write_str(if *defends { " defends " } else { " attacks " })?;
                match target {
                    TargetExpression::Feature { feature, region } => {
                        fmt_feature(f, &SideSelector::Either, feature, *region)
                    }
                    TargetExpression::Region(region) => f.write_str(&region.describe()),
                }
            }
            Leaf::TableOutcome { side, outcome } => write!(f, "{}tb {outcome}", side_prefix(side)),
            Leaf::ThrewAway { side, thrown: ThrownAway::Anything } => write!(f, "{}{THREW_AWAY}", side_prefix(side)),
            Leaf::ThrewAway { side, thrown } => write!(f, "{}{THREW_AWAY} {thrown}", side_prefix(side)),
            Leaf::Comment { side, pattern } => write!(f, "{}comment {}", side_prefix(side), quoted(pattern)),
            Leaf::Marked { side, mark } => write!(f, "{}{mark}", side_prefix(side)),
            Leaf::Played { side, pattern } => write!(f, "{}{pattern}", side_prefix(side)),
            Leaf::Squares { side, squares, is_absent } => {
                f.write_str(if *is_absent { "no " } else { "" })?;
                fmt_squares(f, side, squares)
            }
            Leaf::Empty(region) => write!(f, "empty {}", region.describe()),
            Leaf::Compare(left, comparison, right) => write!(f, "{left} {} {right}", comparison.symbol()),
            Leaf::Number { is_move_number: of_move, first, last } => {
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
            Leaf::Structure { white, black } => write!(f, "structure \"{}\"", Diagram::from_pawns(*white, *black)),
            Leaf::Material(material) => write!(f, "material {material}"),
            Leaf::Imbalance(imbalance) => write!(f, "imbalance {imbalance}"),
            Leaf::Endgame(endgame) => write!(f, "endgame {}", endgame.name()),
            Leaf::Under(under) => write!(f, "{under}"),
        }
    }
}

/// Writes the pattern as in a query.
impl fmt::Display for TransformedPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} under ", self.pattern)?;
        for (index, family) in self.families.iter().enumerate() {
            write!(f, "{}{family}", if index > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

/// `clock_time(side)`, as in a query.
fn fmt_side_number(f: &mut fmt::Formatter<'_>, side: &SideSelector, number: SideNumber) -> fmt::Result {
    let name = match number {
        SideNumber::ClockTime => CLOCK_TIME,
        SideNumber::MovesOf(role) => {
            return write!(f, "{MOVES_OF_PIECES}({side} {})", role.map_or("piece", role_name));
        }
        SideNumber::Captures => "captures",
        SideNumber::MovesToMate => MOVES_TO_MATE,
        SideNumber::HalfPointsLost => HALF_POINTS_LOST,
    };
    write!(f, "{name}({side})")
}

impl fmt::Display for SumExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
                CountExpression::Number(number) => f.write_str(number.name)?,
                CountExpression::OfSide { side, number } => fmt_side_number(f, side, *number)?,
                CountExpression::Points(SideSelector::Either) => f.write_str("points(both)")?,
                CountExpression::Points(side) => write!(f, "points({side})")?,
            }
        }
        match (self.terms.is_empty(), self.constant) {
            (true, constant) => write!(f, "{constant}"),
            (false, 0) => Ok(()),
            (false, constant) if constant < 0 => write!(f, " - {}", constant.unsigned_abs()),
            (false, constant) => write!(f, " + {constant}"),
        }
    }
}
