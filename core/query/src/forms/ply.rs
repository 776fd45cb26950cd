//! `ply >= 20`: the number of the ply, from 1 at the first one played.

use core::fmt;

use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::predicate::PositionPredicate;

use super::{Form, Leaf};
use crate::error::QueryError;
use crate::header::NumberRange;
use crate::parse::{NamedSide, QueryParser};
use crate::plan::QueryPlanner;
use crate::window::{MAX_PLIES, ply_filter};

/// Numbers of a ply, from 1.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema), serde(transparent))]
pub struct PlyNumber(pub NumberRange);

impl Form for PlyNumber {
    const STARTS: &'static [&'static str] = &["`ply`"];
    const WORDS: &'static [(&'static str, &'static str)] = &[("ply", ""), ("plies", "")];

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        if side.is_named() || !parser.take_word("ply") {
            return Ok(None);
        }
        parser.range("ply", MAX_PLIES).map(|(min, max)| Some(PlyNumber(NumberRange { min, max }).into()))
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.intern_predicate(PositionPredicate::Ply(ply_filter(false, (self.0.min.max(1), self.0.max))))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ply {}", self.0)
    }
}
