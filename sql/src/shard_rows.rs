//! The rows of shards: each shard is scanned when the rows before it have been taken.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::error::{DataFusionError, Result};
use datafusion::physical_plan::metrics::BaselineMetrics;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use plyfold_core::corpus::ShardParts;
use plyfold_core::game::GameSpan;
use plyfold_core::scan::Query;
use plyfold_core::scan::fold::{ScanObserver, scan_on_this_thread};
use plyfold_core::scan::reducer::{Reducer, ScanMatch};

use crate::bound_query::BoundQuery;
use crate::columns::{GameColumn, ShardColumns, projected_columns};
use crate::error::SqlFailure;
use crate::library::SharedLibrary;
use crate::loaded_shard::{LoadedShard, SHARDS_AT_ONCE, ShardNeeds};
use crate::position_rows::{PositionCollector, position_arrays, position_parts};

/// What an operator makes of the matches of its query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FoldOutput {
    /// A row for each game that matches.
    Games,
    /// A row for each position that matches.
    Positions,
}

impl FoldOutput {
    /// As plans show it.
    pub fn name(self) -> &'static str {
        match self {
            FoldOutput::Games => "games",
            FoldOutput::Positions => "positions",
        }
    }
}

/// Games of a shard that are scanned for positions before their rows are made.
const GAMES_PER_STEP: u32 = 4096;

/// The record batches of some shards, in the order of the games.
pub(crate) struct ShardRows {
    library: SharedLibrary,
    query: Arc<BoundQuery>,
    /// The shard that is scanned, with the query for it.
    current: Option<(LoadedShard, Arc<Query>)>,
    /// The games of this shard that have been scanned.
    scanned: u32,
    output: FoldOutput,
    schema: SchemaRef,
    projection: Vec<usize>,
    batch_rows: usize,
    remaining: usize,
    ready: VecDeque<RecordBatch>,
}

impl ShardRows {
    pub fn new(
        (library, query): (SharedLibrary, Arc<BoundQuery>),
        (output, schema, projection): (FoldOutput, SchemaRef, Vec<usize>),
        batch_rows: usize,
        limit: Option<usize>,
    ) -> ShardRows {
        let (ready, remaining) = (VecDeque::new(), limit.unwrap_or(usize::MAX));
        let batch_rows = batch_rows.max(1);
        let (current, scanned) = (None, 0);
        ShardRows { library, query, current, scanned, output, schema, projection, batch_rows, remaining, ready }
    }

    /// The rows of these shards. Shards after the first are loaded while it is scanned.
    pub fn into_stream(
        self,
        shards: Range<usize>,
        metrics: BaselineMetrics,
    ) -> BoxStream<'static, Result<RecordBatch>> {
        let (library, needs) = (self.library.clone(), self.needs());
        let load = move |nth| {
            let loaded = library.clone().load(nth, needs.clone());
            async move { Ok::<_, DataFusionError>((nth, loaded.await?)) }
        };
        let shards = futures::stream::iter(shards).map(load).buffered(SHARDS_AT_ONCE);
        let batches = futures::stream::try_unfold((self, Box::pin(shards)), move |(mut rows, mut shards)| {
            let metrics = metrics.clone();
            async move {
                loop {
                    let timer = metrics.elapsed_compute().timer();
                    if let Some(batch) = rows.next_batch().transpose()? {
                        timer.done();
                        metrics.record_output(batch.num_rows());
                        return Ok(Some((batch, (rows, shards))));
                    }
                    timer.done();
                    if rows.is_full() {
                        return Ok(None);
                    }
                    let Some(shard) = shards.try_next().await? else { return Ok(None) };
                    rows.begin(shard)?;
                }
            }
        });
        batches.boxed()
    }

    /// What is read of each shard.
    fn needs(&self) -> Arc<ShardNeeds> {
        match self.output {
            FoldOutput::Games => {
                let columns = projected_columns(&self.projection);
                let output = columns.into_iter().map(GameColumn::parts).fold(ShardParts::NONE, ShardParts::union);
                ShardNeeds::of_scan(&self.query, false, output)
            }
            FoldOutput::Positions => ShardNeeds::of_scan(&self.query, true, position_parts(&self.projection)),
        }
    }

    /// Whether there are as many rows as were asked for.
    fn is_full(&self) -> bool {
        self.remaining == 0 && self.ready.is_empty()
    }

    /// Takes the next shard. A shard of which nothing was loaded has no rows.
    ///
    /// # Errors
    ///
    /// A text of it that the query asks for is damaged.
    fn begin(&mut self, (nth, shard): (usize, Option<LoadedShard>)) -> Result<()> {
        if shard.is_none() {
            self.library.progress.advance(self.library.place(nth).games);
        }
        let bound = |shard: LoadedShard| {
            let query = self.query.of_shards(std::slice::from_ref(&shard))?;
            Ok::<_, SqlFailure>((shard, query))
        };
        (self.current, self.scanned) = (shard.map(bound).transpose()?, 0);
        Ok(())
    }

    /// The next rows of the current shard; none if it has been scanned. A part without matches gives an empty batch, so that a query can
    /// be cancelled in between.
    fn next_batch(&mut self) -> Option<Result<RecordBatch>> {
        if let Some(batch) = self.ready.pop_front() {
            return Some(Ok(batch));
        }
        let (shard, query) = self.current.take().filter(|_| self.remaining > 0)?;
        let scanned = match self.output {
            FoldOutput::Games => self.scan_games(&shard, &query),
            FoldOutput::Positions => self.scan_positions(&shard, &query),
        };
        if self.scanned < shard.span().len() {
            self.current = Some((shard, query));
        }
        let empty = || RecordBatch::new_empty(self.schema.clone());
        Some(scanned.map(|()| self.ready.pop_front().unwrap_or_else(empty)))
    }

    fn scan_games(&mut self, shard: &LoadedShard, query: &Query) -> Result<()> {
        let span = shard.span();
        let found = self.matching_games(&span, query);
        self.scanned = span.len();
        self.remaining -= found.len();
        let columns = projected_columns(&self.projection);
        let first = span.first_game.number() as i64;
        let columns = ShardColumns::new(
            (&columns, found.len()),
            shard.shard(),
            first,
            shard.library().file_of_shard(shard.nth()),
        );
        for games in found.chunks(self.batch_rows) {
            let options = RecordBatchOptions::new().with_row_count(Some(games.len()));
            let batch = RecordBatch::try_new_with_options(self.schema.clone(), columns.arrays(games), &options)?;
            self.ready.push_back(batch);
        }
        Ok(())
    }

    /// The games of a span that match, by their indices, at most as many as remain.
    fn matching_games(&self, span: &GameSpan<'_>, query: &Query) -> Vec<u32> {
        if self.query.matches_all() {
            self.library.progress.advance(span.len());
            return (0..span.len()).take(self.remaining).collect();
        }
        let count = AtomicUsize::new(0);
        let watch = LimitedScan { found: &count, limit: self.remaining, progress: &self.library.progress };
        let collector = GameCollector { games: Vec::new(), count: &count };
        let (collector, _) = scan_on_this_thread(&[*span], query, collector, &watch);
        let mut games = collector.games;
        games.truncate(self.remaining);
        games
    }

    fn scan_positions(&mut self, shard: &LoadedShard, query: &Query) -> Result<()> {
        let span = shard.span();
        let to = span.len().min(self.scanned.saturating_add(GAMES_PER_STEP));
        let part = span.slice(self.scanned, to);
        self.scanned = to;
        let count = AtomicUsize::new(0);
        let watch = LimitedScan { found: &count, limit: self.remaining, progress: &self.library.progress };
        let collector = PositionCollector { positions: Vec::new(), count: &count };
        let (collector, _) = scan_on_this_thread(&[part], query, collector, &watch);
        let mut found = collector.positions;
        found.truncate(self.remaining);
        self.remaining -= found.len();
        let file = shard.library().file_of_shard(shard.nth());
        for positions in found.chunks(self.batch_rows) {
            let arrays = position_arrays(&self.projection, &span, positions, file);
            let options = RecordBatchOptions::new().with_row_count(Some(positions.len()));
            self.ready.push_back(RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)?);
        }
        Ok(())
    }
}

/// Ends a scan when enough is found.
struct LimitedScan<'a> {
    found: &'a AtomicUsize,
    limit: usize,
    progress: &'a dyn ScanObserver,
}

impl ScanObserver for LimitedScan<'_> {
    fn advance(&self, games: u32) -> bool {
        self.progress.advance(games) && self.found.load(Ordering::Relaxed) < self.limit
    }
}

/// The games of a shard that match, by their indices in the shard.
struct GameCollector<'a> {
    games: Vec<u32>,
    count: &'a AtomicUsize,
}

impl Reducer for GameCollector<'_> {
    const VERDICT_ONLY: bool = true;

    fn game(&mut self, found: &ScanMatch<'_>) {
        if found.verdict {
            self.games.push(found.span.first_in_shard + found.game_in_span);
            self.count.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn takes_game_batches(&self) -> bool {
        true
    }

    fn game_batch(&mut self, span: &GameSpan<'_>, games: &[u64]) {
        let before = self.games.len();
        for (nth, &word) in games.iter().enumerate() {
            let mut word = word;
            while word != 0 {
                self.games.push(span.first_in_shard + nth as u32 * 64 + word.trailing_zeros());
                word &= word - 1;
            }
        }
        self.count.fetch_add(self.games.len() - before, Ordering::Relaxed);
    }

    fn merge(&mut self, other: Self) {
        self.games.extend(other.games);
    }
}
