//! A scan of many shards at once, on all threads: for tables of results, and for sets of games.

use std::ops::Range;
use std::sync::Arc;

use datafusion::common::exec_datafusion_err;
use datafusion::error::Result;
use plyfold_core::corpus::ShardParts;
use plyfold_core::game::GameSpan;
use plyfold_core::reduce::{QueryResults, ReducerSelection, run_query};

use crate::bound_query::BoundQuery;
use crate::library::Library;
use crate::loaded_shard::{LoadedShard, ShardNeeds};

/// Scans shards of a library for a query, and makes a selection of outputs.
///
/// # Errors
///
/// A shard or a text cannot be read; the statement has been cancelled.
pub(crate) fn scan_shards(
    library: &Arc<Library>,
    shards: Range<usize>,
    query: &Arc<BoundQuery>,
    selection: &ReducerSelection,
) -> Result<QueryResults> {
    let outputs = &selection.outputs;
    let takes_positions = outputs.iter().any(|output| output.takes_positions());
    let parts = outputs.iter().map(|output| output.parts()).fold(ShardParts::NONE, ShardParts::union);
    let shards = library.load_shards(shards.collect(), &ShardNeeds::of_scan(query, takes_positions, parts))?;
    let query = query.of_shards(&shards)?;
    let spans: Vec<GameSpan<'_>> = shards.iter().map(LoadedShard::span).collect();
    run_query(&spans, &query, selection, &library.progress).map_err(|error| exec_datafusion_err!("{error}"))
}
