//! A plan for `plyfold scan`, made of groups: what is frequent here is looked for there.

use std::io::Write;

use plyfold_core::query::compile;
use serde_json::json;

use super::Found;
use crate::by::By;
use crate::failure::{Failure, Result};

/// A key whose values are conditions, and what stands before and behind them in a query.
pub(super) struct Condition {
    key: &'static str,
    before: &'static str,
    behind: &'static str,
}

const CONDITIONS: &[Condition] = &[
    Condition { key: "structure", before: "structure \"", behind: "\"" },
    Condition { key: "material", before: "material white ", behind: "" },
];

impl Condition {
    /// What groups by these keys are as conditions.
    ///
    /// # Errors
    ///
    /// Several keys, or another one.
    pub fn of(by: &[By]) -> Result<&'static Condition> {
        let known = |one: &By| CONDITIONS.iter().find(|condition| condition.key == one.key.name());
        let condition = if let [one] = by { known(one) } else { None };
        condition.ok_or_else(|| Failure::Usage("a plan is made of one key: --by structure or --by material".into()))
    }

    /// Writes a query for each group, the most frequent first.
    pub fn write(&self, out: &mut dyn Write, found: &Found<'_>) -> Result<()> {
        let Condition { before, behind, .. } = self;
        let queries = found.groups().flat_map(|groups| groups.groups).filter_map(|group| {
            let query = format!("{before}{}{behind}", group.name);
            // What has more pawns or men than a query can have is left out.
            compile(&query).is_ok().then(|| json!({ "name": group.name, "query": query, "heatmap": true }))
        });
        let queries: Vec<_> = queries.collect();
        serde_json::to_writer_pretty(&mut *out, &json!({ "queries": queries }))?;
        Ok(writeln!(out)?)
    }
}
