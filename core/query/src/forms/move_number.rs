//! `move 10..15`: the number of the move, as printed in the score.

use core::fmt;

use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::predicate::PositionPredicate;

use super::{Form, Leaf};
use crate::error::QueryError;
use crate::header::NumberRange;
use crate::parse::{NamedSide, QueryParser};
use crate::plan::QueryPlanner;
use crate::window::{MAX_PLIES, ply_filter};

/// Numbers of a move, from 1.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema), serde(transparent))]
pub struct MoveNumber(pub NumberRange);

impl Form for MoveNumber {
    const STARTS: &'static [&'static str] = &["`move`"];
    const WORDS: &'static [(&'static str, &'static str)] = &[("move", ""), ("moves", "")];

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        if side.is_named() || !parser.take_word("move") {
            return Ok(None);
        }
        parser.range("move", MAX_PLIES).map(|(min, max)| Some(MoveNumber(NumberRange { min, max }).into()))
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.intern_predicate(PositionPredicate::Ply(ply_filter(true, (self.0.min.max(1), self.0.max))))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "move {}", self.0)
    }
}
