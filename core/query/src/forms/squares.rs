//! `white knight on e5`, `pinned queen`, `pawn attacks rook`, `no pawn on e`: a side has a square of a set, or none.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use plyfold_scan::scan::combine::Formula;

use super::{Form, Leaf, is_sideless};
use crate::error::QueryError;
use crate::names::{NameMistake, NameReader, colours};
use crate::parse::{NamedSide, QueryParser};
use crate::plan::QueryPlanner;
use crate::plan::squares::squares_for_side;
use crate::side::SideSelector;
use crate::squares::SquareExpression;
use crate::three_valued::negate;

/// A set of squares of a side.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Squares {
    /// Whose; `either` means both if the side has none. There is no side for a predicate that speaks of none.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "SideSelector::is_either"))]
    pub side: SideSelector,
    /// Which, as in a query: "knight on e5", "pinned & queen", "pawn attacks (queen | rook)", "knight as N on b1" and, after that,
    /// "N on d5".
    #[cfg_attr(feature = "json", serde(rename = "of"))]
    pub squares: SquareExpression,
    /// Whether the side has no such square instead: "no pawn on e".
    #[cfg_attr(feature = "json", serde(rename = "absent", default, skip_serializing_if = "core::ops::Not::not"))]
    pub is_absent: bool,
}

impl Squares {
    /// The sides of which some must have a square, or none. A set without sides counts once.
    fn tested_side(&self) -> &SideSelector {
        match (self.squares.has_sides(), self.is_absent) {
            (false, _) => &SideSelector::White,
            (true, true) if matches!(self.side, SideSelector::Either | SideSelector::Neither) => &SideSelector::Both,
            (true, _) => &self.side,
        }
    }
}

impl Form for Squares {
    const STARTS: &'static [&'static str] = &["a predicate", "`no`"];
    const WORDS: &'static [(&'static str, &'static str)] = &[("no", "the side has none")];

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        if !side.is_named() && parser.take_word("no") {
            return absent(parser).map(Some);
        }
        let squares = parser.squares_of_side()?;
        if let Some(played) = super::played::played_by(parser, side, &squares)? {
            return Ok(Some(played));
        }
        if side.is_named() && !squares.has_sides() {
            let message = format!("`{squares}` belongs to no side");
            return Err(parser.error_at(side.at, &message, &["a predicate with a side"]));
        }
        Ok(Some(Squares { side: side.side.clone(), squares, is_absent: false }.into()))
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.for_side(self.tested_side(), &mut |plan, colour| {
            let holds = plan.any_square_of_set(squares_for_side(&self.squares, colour, u64::MAX, &plan.names))?;
            Ok(if self.is_absent { negate(holds) } else { holds })
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_absent { "no " } else { "" })?;
        fmt_squares(f, &self.side, &self.squares)
    }

    fn sides(&self) -> Vec<&SideSelector> {
        vec![&self.side]
    }

    fn read_names(&self, names: &mut NameReader) -> Result<(), NameMistake> {
        let colours = colours(&self.side);
        match self.is_absent {
            true => names.negated("no", |names| names.read_squares(&self.squares, &colours)),
            false => names.read_squares(&self.squares, &colours),
        }
    }
}

/// What comes after `no`.
fn absent(parser: &mut QueryParser) -> Result<Leaf, QueryError> {
    let at = parser.at;
    let side = parser.side();
    if let Some(word) = parser.word().filter(|word| is_sideless(word)) {
        let message = format!("`no` is for the pieces of a side: write `not {word} …`");
        return Err(parser.error_at(at - 1, &message, &["`not`"]));
    }
    if matches!(side, SideSelector::Both | SideSelector::Neither) {
        let message = "`no` already means both sides, or the one that is named";
        return Err(parser.error_at(at, message, &["`white`", "`black`"]));
    }
    Ok(Squares { side, squares: parser.squares_of_side()?, is_absent: true }.into())
}

/// `side set`, without the side if it is implied.
pub(crate) fn fmt_squares(f: &mut fmt::Formatter<'_>, side: &SideSelector, squares: &SquareExpression) -> fmt::Result {
    if squares.has_sides() {
        side.fmt_before(f)?;
    }
    write!(f, "{squares}")
}
