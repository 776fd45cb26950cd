//! Writes a plan for `plyfold scan` from groups, to search another corpus for what is frequent in this one.

use std::io::Write;

use plyfold_core::query::compile;
use plyfold_core::reduce::groups::{COUNTS, GroupTable};
use plyfold_core::reduce::key::GroupingKey;
use serde_json::json;

use super::QueryReport;
use crate::failure::{CliFailure, Result};
use crate::key_argument::KeyArgument;
use crate::outputs::RequestedOutputs;

/// The keys of which a plan can be made: their groups are frequent in other games, too.
const PLAN_KEYS: [&str; 2] = ["structure", "material"];

/// The key whose groups become the queries of a plan.
///
/// # Errors
///
/// Several keys, or another one.
pub(super) fn plan_key(outputs: &RequestedOutputs) -> Result<&GroupingKey> {
    let by: Vec<&KeyArgument> = outputs.of_option(COUNTS.option).filter_map(|output| output.by.as_ref()).collect();
    match by[..] {
        [one] if PLAN_KEYS.contains(&one.key.name()) => Ok(&one.key),
        _ => Err(CliFailure::Usage("--plan needs exactly one key: --by structure or --by material".into())),
    }
}

/// Writes a query for each group of the key, the most frequent first.
pub(super) fn write(out: &mut dyn Write, key: &GroupingKey, found: &QueryReport<'_>) -> Result<()> {
    let queries = found.answers.summaries::<GroupTable>().flat_map(|table| &table.groups).filter_map(|group| {
        let query = key.condition(&group.name)?;
        // Leaves out groups with more pawns or pieces than a query can have.
        compile(&query).is_ok().then(|| json!({ "name": group.name, "query": query, "heatmap": true }))
    });
    let queries: Vec<_> = queries.collect();
    serde_json::to_writer_pretty(&mut *out, &json!({ "queries": queries }))?;
    Ok(writeln!(out)?)
}
