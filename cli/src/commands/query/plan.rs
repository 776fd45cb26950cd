//! A plan for `plyfold scan`, made of groups: what is frequent here is looked for there.

use std::io::Write;

use plyfold_core::query::compile;
use serde_json::json;

use super::QueryReport;
use crate::failure::{CliFailure, Result};
use crate::key_argument::KeyArgument;

/// A key whose values are conditions, and what stands before and behind them in a query.
pub(super) struct PlanTemplate {
    key_name: &'static str,
    prefix: &'static str,
    suffix: &'static str,
}

const PLAN_TEMPLATES: &[PlanTemplate] = &[
    PlanTemplate { key_name: "structure", prefix: "structure \"", suffix: "\"" },
    PlanTemplate { key_name: "material", prefix: "material white ", suffix: "" },
];

impl PlanTemplate {
    /// What groups by these keys are as conditions.
    ///
    /// # Errors
    ///
    /// Several keys, or another one.
    pub fn for_keys(by: &[KeyArgument]) -> Result<&'static PlanTemplate> {
        let known = |one: &KeyArgument| PLAN_TEMPLATES.iter().find(|condition| condition.key_name == one.key.name());
        let condition = if let [one] = by { known(one) } else { None };
        condition
            .ok_or_else(|| CliFailure::Usage("--plan needs exactly one key: --by structure or --by material".into()))
    }

    /// Writes a query for each group, the most frequent first.
    pub fn write(&self, out: &mut dyn Write, found: &QueryReport<'_>) -> Result<()> {
        let PlanTemplate { prefix: before, suffix: behind, .. } = self;
        let queries = found.groups_reports().flat_map(|groups| groups.groups).filter_map(|group| {
            let query = format!("{before}{}{behind}", group.name);
            // What has more pawns or men than a query can have is left out.
            compile(&query).is_ok().then(|| json!({ "name": group.name, "query": query, "heatmap": true }))
        });
        let queries: Vec<_> = queries.collect();
        serde_json::to_writer_pretty(&mut *out, &json!({ "queries": queries }))?;
        Ok(writeln!(out)?)
    }
}
