//! Binds a query to the lines that it names. Their games are replayed before its scan.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use plyfold_core::game::GameSpan;
use plyfold_core::line_search;
use plyfold_core::query::unknown_names::unknown_lines_error;
use plyfold_library::{lines_path, read_lines, unknown_lines_message};

use crate::failure::{CliFailure, Result};
use crate::progress::ScanProgress;
use crate::query_argument::CommandQuery;

/// Binds a query to the lines that it names, in these games of the corpus at `path`, which have their moves and records. Sets and tables must
/// be bound before.
///
/// # Errors
///
/// There are no such lines, with their place in the query; they cannot be read.
pub fn bind_lines(query: &mut CommandQuery, path: &Path, spans: &[GameSpan<'_>]) -> Result<()> {
    let mut lines = BTreeMap::new();
    for name in query.query.line_names() {
        let place = lines_path(path, name)?;
        if !place.exists() {
            let error = unknown_lines_error(&query.tree, &query.text, name, &unknown_lines_message(path, name)?);
            return Err(CliFailure::Query(error, query.text.clone()));
        }
        lines.insert(name.to_owned(), Arc::new(read_lines(&place)?));
    }
    if lines.is_empty() {
        return Ok(());
    }
    let bar = ScanProgress::for_games(spans.iter().map(|span| u64::from(span.len())).sum());
    Ok(line_search::bind_lines(&mut query.query, spans, &lines, &bar)?)
}
