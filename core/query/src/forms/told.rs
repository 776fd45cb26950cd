//! `has_evals`, `has_clocks`: the text says the evaluation of a position, or what is left on a clock.

use alloc::vec;
use core::fmt;

use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::measure::numbers::{CLOCK_TIME, EVAL};
use plyfold_scan::scan::predicate::NumberComparison;
use shakmaty::Color;

use super::compare::Compare;
use super::{Form, Leaf};
use crate::error::QueryError;
use crate::keywords::{name_of, named};
use crate::parse::{NamedSide, QueryParser};
use crate::plan::QueryPlanner;
use crate::side::SideSelector;
use crate::sum::{CountExpression, SideNumber, SumExpression};

/// What the text tells of a position.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "lowercase")
)]
pub enum Told {
    /// Its evaluation, also as moves to mate.
    Evals,
    /// The clock of the side that has just moved.
    Clocks,
}

impl Told {
    const NAMED: &[(&str, Told)] = &[("has_evals", Told::Evals), ("has_clocks", Told::Clocks)];

    /// A comparison that holds where the text tells the number, whatever it is.
    pub fn comparison(self, colour: Color) -> Compare {
        let number = match self {
            Told::Evals => CountExpression::Number(&EVAL),
            Told::Clocks => CountExpression::OfSide {
                side: SideSelector::of_colour(colour),
                number: SideNumber::Named(&CLOCK_TIME),
            },
        };
        let known = SumExpression { terms: vec![(0, number)], constant: 0 };
        Compare { left: known, comparison: NumberComparison::AtLeast, right: SumExpression::default() }
    }
}

impl Form for Told {
    const STARTS: &'static [&'static str] = &["`has_evals`"];
    const WORDS: &'static [(&'static str, &'static str)] = &[
        ("has_evals", "the text has an evaluation of the position"),
        ("has_clocks", "the text has a clock after the move"),
    ];

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        let Some((told, after)) = parser.longest_name(|name| named(name, Told::NAMED)) else { return Ok(None) };
        if side.is_named() {
            return Ok(None);
        }
        parser.at = after;
        Ok(Some(told.into()))
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.for_side(&SideSelector::Either, &mut |plan, colour| self.comparison(colour).lower(plan))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(self, Told::NAMED))
    }
}
