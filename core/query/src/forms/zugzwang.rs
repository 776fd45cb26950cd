//! `black zugzwang`: by endgame tables, the side to move would do better if it could pass.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::predicate::TableQuestion;

use super::{Form, Leaf};
use crate::error::QueryError;
use crate::parse::{NamedSide, QueryParser};
use crate::plan::{QueryPlanner, table_predicate};
use crate::side::SideSelector;

/// The word, and other names.
const ZUGZWANG: &str = "zugzwang";
const NAMES: &[&str] = &[ZUGZWANG, "in_zugzwang"];

/// The side is to move and must give up half a point or more. Where no table knows the position with either side to move, neither this
/// nor its contrary holds.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Zugzwang {
    /// Who is to move.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "SideSelector::is_either"))]
    pub side: SideSelector,
}

impl Form for Zugzwang {
    const STARTS: &'static [&'static str] = &["`zugzwang`"];
    const WORDS: &'static [(&'static str, &'static str)] =
        &[(ZUGZWANG, "the side to move would do better if it could pass, as endgame tables say")];

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        let Some(((), after)) = parser.longest_name(|name| NAMES.contains(&name).then_some(())) else {
            return Ok(None);
        };
        parser.at = after;
        Ok(Some(Zugzwang { side: side.side.clone() }.into()))
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.predicate_for_side(&self.side, &|colour| table_predicate(TableQuestion::Zugzwang(colour)))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.side.fmt_before(f)?;
        f.write_str(ZUGZWANG)
    }

    fn asks_tables(&self) -> bool {
        true
    }

    fn sides(&self) -> Vec<&SideSelector> {
        vec![&self.side]
    }
}
