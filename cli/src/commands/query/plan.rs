//! A plan for `plyfold scan`, made of groups: what is frequent here is looked for there.

use std::io::Write;

use plyfold_core::query::compile;
use serde_json::json;

use super::Found;
use crate::by::By;
use crate::failure::{Failure, Result};

/// Keys whose values are conditions, and what stands before and behind them in a query.
const CONDITIONS: &[(&str, &str, &str)] = &[("structure", "structure \"", "\""), ("material", "material white ", "")];

/// Refuses groups that are no conditions.
///
/// # Errors
///
/// Several keys, or another one.
pub(super) fn check(by: &[By]) -> Result<()> {
    match by {
        [one] if CONDITIONS.iter().any(|(key, ..)| *key == one.key.name()) => Ok(()),
        _ => Err(Failure::Usage("a plan is made of one key: --by structure or --by material".into())),
    }
}

/// Writes a query for each group, the most frequent first.
pub(super) fn write(out: &mut dyn Write, found: &Found<'_>) -> Result<()> {
    let (_, before, behind) = found
        .question
        .by
        .iter()
        .find_map(|by| CONDITIONS.iter().find(|(key, ..)| *key == by.key.name()))
        .unwrap_or(&("", "", ""));
    let queries = found.groups().flat_map(|groups| groups.groups).filter_map(|group| {
        let query = format!("{before}{}{behind}", group.name);
        // What has more pawns or men than a query can have is left out.
        compile(&query).is_ok().then(|| json!({ "name": group.name, "query": query, "heatmap": true }))
    });
    let queries: Vec<_> = queries.collect();
    serde_json::to_writer_pretty(&mut *out, &json!({ "queries": queries }))?;
    Ok(writeln!(out)?)
}
