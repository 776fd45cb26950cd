//! `white threw_away win`: by endgame tables, the last move gave half a point or more away.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::predicate::{TableQuestion, ThrownAway};

use super::{Form, Leaf};
use crate::error::QueryError;
use crate::parse::{NamedSide, QueryParser};
use crate::plan::{QueryPlanner, table_predicate};
use crate::side::SideSelector;

/// The word before what a move threw away.
const THREW_AWAY: &str = "threw_away";

/// A move that gave half a point or more away, by endgame tables.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct ThrewAway {
    /// Who moved; no "both", "neither", "mover" or "waiter".
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "SideSelector::is_either"))]
    pub side: SideSelector,
    /// What was thrown away.
    #[cfg_attr(
        feature = "json",
        serde(rename = "what", with = "crate::json::by_name"),
        schemars(with = "crate::json::Name<ThrownAway>")
    )]
    pub thrown: ThrownAway,
}

impl Form for ThrewAway {
    const STARTS: &'static [&'static str] = &["`threw_away`"];
    const WORDS: &'static [(&'static str, &'static str)] =
        &[(THREW_AWAY, "the side's last move gave a win or a draw away")];

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        let Some(after) = parser.after_name(THREW_AWAY) else { return Ok(None) };
        parser.check_mover(side)?;
        parser.at = after;
        let thrown = parser.take_named(ThrownAway::NAMED).unwrap_or(ThrownAway::Anything);
        Ok(Some(ThrewAway { side: side.side.clone(), thrown }.into()))
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.predicate_for_side(&self.side, &|colour| table_predicate(TableQuestion::ThrewAway(colour, self.thrown)))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.side.fmt_before(f)?;
        match self.thrown {
            ThrownAway::Anything => f.write_str(THREW_AWAY),
            thrown => write!(f, "{THREW_AWAY} {thrown}"),
        }
    }

    fn asks_tables(&self) -> bool {
        true
    }

    fn sides(&self) -> Vec<&SideSelector> {
        vec![&self.side]
    }
}
