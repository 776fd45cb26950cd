//! Binds a query to the lines that it names. Their games are replayed before its scan.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use plyfold_core::corpus::ShardParts;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::GameSpan;
use plyfold_core::line_search::{LinePlies, line_candidates, line_plies};
use plyfold_core::query::unknown_names::unknown_lines_error;
use plyfold_core::scan::fold::ScanObserver;
use plyfold_core::scan::parts::parts_read;
use rayon::prelude::*;

use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::spans_with;
use crate::progress::ScanProgress;
use crate::query_argument::CommandQuery;
use crate::repertoire_lines::{lines_path, names_of_lines, read_lines};

/// Games that one thread replays at a time.
const BATCH_GAMES: u32 = 4096;

/// Binds a query to the lines that it names, in the games of the corpus at `path`. Sets and tables must be bound before.
///
/// # Errors
///
/// There are no such lines, with their place in the query; they cannot be read; the corpus is damaged.
pub fn bind_lines(query: &mut CommandQuery, path: &Path, corpus: &JoinedCorpus<'_>) -> Result<()> {
    let names: Vec<String> = query.query.line_names().into_iter().map(str::to_owned).collect();
    if names.is_empty() {
        return Ok(());
    }
    let spans = spans_with(corpus, parts_read(&query.query) | ShardParts::MOVES | ShardParts::RECORDS)?;
    let games = line_candidates(&query.query, &spans, &())?;
    let batches: Vec<GameSpan<'_>> = spans.iter().flat_map(|span| span.split(BATCH_GAMES)).collect();
    let mut found = HashMap::new();
    for name in names {
        let place = lines_path(path, &name)?;
        if !place.exists() {
            let error = unknown_lines_error(&query.tree, &query.text, &name, &unknown_lines_message(path, &name)?);
            return Err(CliFailure::Query(error, query.text.clone()));
        }
        let lines = read_lines(&place)?;
        let bar = ScanProgress::for_games(corpus.header.games);
        let of_batch = |games_of_batch: &GameSpan<'_>| {
            let plies = line_plies(games_of_batch, &lines, &games);
            bar.advance(games_of_batch.len());
            plies
        };
        let of_batches: Vec<LinePlies> = batches.par_iter().map(of_batch).collect();
        let mut all = LinePlies::default();
        of_batches.into_iter().for_each(|plies| all.append(plies));
        found.insert(name, [Arc::new(all.inside), Arc::new(all.left)]);
    }
    query.query.bind_lines(|name, is_left| {
        found.get(name).map_or_else(Arc::default, |plies| Arc::clone(&plies[usize::from(is_left)]))
    });
    Ok(())
}

/// The message that there are no such lines, with a list of the existing ones.
fn unknown_lines_message(corpus: &Path, name: &str) -> Result<String> {
    let saved = names_of_lines(corpus)?.iter().map(|name| format!("@{name}")).collect::<Vec<_>>().join(", ");
    let others = if saved.is_empty() { String::new() } else { format!(", as {saved} were") };
    Ok(format!(
        "there are no lines @{name}: save them by `plyfold repertoire CORPUS LINES.pgn --side white --save @{name}`{others}"
    ))
}
