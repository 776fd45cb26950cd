//! `white Bxh7+`: the move that led to the position, as it is written.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::predicate::PositionPredicate;

use super::{Form, Leaf};
use crate::error::QueryError;
use crate::parse::{NamedSide, QueryParser};
use crate::plan::QueryPlanner;
use crate::side::SideSelector;
use crate::written::WrittenMove;

/// A move of a side, as it is written.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct WrittenMoveOfSide {
    /// Who moved; no "both", "neither", "mover" or "waiter".
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "SideSelector::is_either"))]
    pub side: SideSelector,
    /// The move: "Bxh7+".
    #[cfg_attr(feature = "json", serde(rename = "move"))]
    pub written: WrittenMove,
}

impl Form for WrittenMoveOfSide {
    const STARTS: &'static [&'static str] = &["a move such as `Nf3`"];

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        let Some((written, after)) = parser.written_move_at(parser.at) else { return Ok(None) };
        // A square alone is a region.
        if written.is_square() && !side.is_named() {
            return Ok(None);
        }
        if let Some(message) = written.contradiction() {
            return Err(parser.error(message, &["a move"]));
        }
        parser.check_mover(side)?;
        parser.at = after;
        Ok(Some(WrittenMoveOfSide { side: side.side.clone(), written }.into()))
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.for_side(&self.side, &mut |plan, colour| {
            let test = PositionPredicate::Played(self.written.predicate(colour));
            plan.conjunction([Some(test), self.written.effect(colour)].into_iter().flatten())
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.side, self.written.is_square()) {
            (SideSelector::Either, true) => f.write_str("either ")?,
            (side, _) => side.fmt_before(f)?,
        }
        write!(f, "{}", self.written)
    }

    fn sides(&self) -> Vec<&SideSelector> {
        vec![&self.side]
    }
}
