//! `empty e4 e5`: no piece stands in the region.

use core::fmt;

use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::predicate::EmptySquares;

use super::{Form, Leaf};
use crate::error::QueryError;
use crate::parse::{NamedSide, QueryParser};
use crate::plan::QueryPlanner;
use crate::region::Region;

/// Squares on which no piece stands.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema), serde(transparent))]
pub struct Empty(pub Region);

impl Form for Empty {
    const STARTS: &'static [&'static str] = &["`empty`"];
    const WORDS: &'static [(&'static str, &'static str)] = &[("empty", "these squares are empty")];

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        if side.is_named() || parser.peek_feature().is_some() || !parser.take_word("empty") {
            return Ok(None);
        }
        let at = parser.at;
        let region = parser.region()?;
        if region.own != 0 {
            return Err(parser.error_at(at, "`empty` belongs to no side, so it takes no `own`", &["a region"]));
        }
        Ok(Some(Empty(region).into()))
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.intern_predicate(EmptySquares(self.0.squares))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "empty {}", self.0.describe())
    }
}
