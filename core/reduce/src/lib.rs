//! The reducers, and the functions that attach the requested ones to one scan.
//!
//! An output is a file here and a line in [`OUTPUTS`](output::OUTPUTS).
#![no_std]

extern crate alloc;

pub mod castlings;
pub mod count;
pub mod endgames;
pub mod features;
pub mod game_set;
mod group_totals;
pub mod groups;
mod hash;
pub mod heatmap;
pub mod key;
pub mod manoeuvres;
pub mod matching_positions;
pub mod move_name;
pub mod next_moves;
pub mod novelties;
pub mod opening_tree;
pub mod output;
pub mod partial_state;
pub mod partition;
pub mod result_counts;
pub mod result_table;
mod runs;
pub mod set_expression;
pub mod shown_names;
pub mod standings;
pub mod structures;

pub use plyfold_scan::sorted;

use alloc::vec::Vec;

use count::MatchCount;
use game_set::GameSet;
use matching_positions::{PositionReducer, PositionRef, PositionSelection};
use output::{Output, OutputContext, OutputReducer, OutputResult, Summary};

use plyfold_scan::game::{GameSpan, ShardParts};
use plyfold_scan::scan::fold::{ScanCancelled, ScanObserver, ScanRequest, scan_queries, scan_subset};
use plyfold_scan::scan::parts::parts_read;
use plyfold_scan::scan::{Query, ScanStatistics};

/// Which results are requested. Counts are always made.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ReducerSelection {
    /// The set of matching games.
    pub games: bool,
    /// The number of matching positions. Without it, positions, and outputs that take positions, the scan leaves a game as soon as its
    /// verdict is known.
    pub positions_count: bool,
    /// The matching positions themselves.
    pub positions: Option<PositionSelection>,
    /// The outputs.
    pub outputs: Vec<Output>,
}

/// The requested results.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "partial-states", derive(PartialEq))]
pub struct QueryResults {
    /// How many games and positions match.
    pub count: MatchCount,
    /// Matching games, if requested.
    pub games: Option<GameSet>,
    /// Matching positions, if requested.
    pub positions: Option<Vec<PositionRef>>,
    /// How many different positions match, if distinct positions were requested.
    pub distinct_positions: Option<u64>,
    /// Outputs, in the order of the request.
    pub outputs: Vec<OutputResult>,
    /// The work of the scan.
    pub work: ScanStatistics,
}

impl ReducerSelection {
    /// Only this output.
    pub fn of(output: Output) -> ReducerSelection {
        ReducerSelection { outputs: Vec::from([output]), ..ReducerSelection::default() }
    }
}

impl QueryResults {
    /// What the outputs of this type found, in the order of the request.
    pub fn summaries<S: Summary>(&self) -> impl Iterator<Item = &S> {
        self.outputs.iter().filter_map(OutputResult::of_type)
    }

    /// What the first output of this type found.
    pub fn summary<S: Summary>(&self) -> Option<&S> {
        self.summaries().next()
    }
}

/// Scans `spans` for `query` and makes the `selection` of outputs, in one pass.
///
/// # Errors
///
/// [`ScanCancelled`] by `watch`.
pub fn run_query(
    spans: &[GameSpan<'_>],
    query: &Query,
    selection: &ReducerSelection,
    watch: &dyn ScanObserver,
) -> Result<QueryResults, ScanCancelled> {
    run_query_within(spans, query, None, selection, watch)
}

/// Scans only the games of a set; other games are not read. With the results of another query as the set, the two queries form a
/// cascade.
///
/// # Errors
///
/// [`ScanCancelled`] by `watch`.
pub fn run_query_within(
    spans: &[GameSpan<'_>],
    query: &Query,
    within: Option<&GameSet>,
    selection: &ReducerSelection,
    watch: &dyn ScanObserver,
) -> Result<QueryResults, ScanCancelled> {
    let request = ReduceRequest { query, within, selection };
    if request.needs_positions() || !selection.outputs.is_empty() {
        return run_queries(spans, &[request], watch).map(|mut answers| answers.pop().unwrap_or_default());
    }
    let (set, work) = scan_subset(spans, query, within.map(GameSet::words), || GameSet::empty(games_of(spans)), watch)?;
    let count = MatchCount { games: set.count(), positions: 0 };
    Ok(QueryResults { count, games: selection.games.then_some(set), work, ..QueryResults::default() })
}

/// Runs any number of requests in one pass and returns their results in the same order, each as if it had been run alone. The
/// statistics of the scan are the same in all results, since one scan served all requests.
///
/// # Errors
///
/// [`ScanCancelled`] by `watch`.
pub fn run_queries(
    spans: &[GameSpan<'_>],
    reduce_requests: &[ReduceRequest<'_>],
    watch: &dyn ScanObserver,
) -> Result<Vec<QueryResults>, ScanCancelled> {
    let scan_requests: Vec<ScanRequest<'_>> = reduce_requests
        .iter()
        .map(|request| {
            let within = request.within.map(GameSet::words);
            ScanRequest { query: request.query, subset: within, wants_positions: request.needs_positions() }
        })
        .collect();
    let reducers = || reduce_requests.iter().map(|one| one.reducer(spans)).collect();
    let (reducers, work) = scan_queries(spans, &scan_requests, reducers, watch)?;
    let answered = reducers.into_iter().zip(reduce_requests);
    Ok(answered.map(|(reducer, request)| request.results(reducer, spans, work)).collect())
}

/// Returns one more than the highest game number in `spans`, which may be part of a corpus.
fn games_of(spans: &[GameSpan<'_>]) -> u32 {
    spans.iter().map(|span| span.first_game.0 + span.len()).max().unwrap_or(0)
}

/// A request: which positions of which games, and which outputs.
#[derive(Clone, Copy)]
pub struct ReduceRequest<'a> {
    /// The query.
    pub query: &'a Query,
    /// The games that are scanned; none for all.
    pub within: Option<&'a GameSet>,
    /// Which outputs are made of the matches.
    pub selection: &'a ReducerSelection,
}

/// All reducers; those that are not requested are absent. Checking which are absent costs once per game, which is negligible.
type CombinedReducer<'a> = (GameSet, (Option<MatchCount>, (Option<PositionReducer>, Vec<OutputReducer<'a>>)));

impl<'a> ReduceRequest<'a> {
    /// Returns the parts of a shard that are read for it, without their [companions](ShardParts::with_companions).
    #[must_use]
    pub fn parts(&self) -> ShardParts {
        self.selection.outputs.iter().map(Output::parts).fold(parts_read(self.query), ShardParts::union)
    }

    /// Whether matching positions are requested, and not only matching games.
    fn needs_positions(&self) -> bool {
        let ReducerSelection { games: _, positions_count, positions, outputs } = self.selection;
        *positions_count || positions.is_some() || outputs.iter().any(Output::takes_positions)
    }

    fn reducer(&self, spans: &[GameSpan<'_>]) -> CombinedReducer<'a> {
        let ReducerSelection { positions, outputs, .. } = self.selection;
        let context = OutputContext::new(self.query, self.within, spans);
        let outputs = outputs.iter().map(|output| output.reducer(context)).collect();
        let positions = positions.map(|which| PositionReducer::new(which, context.threads));
        let count = self.needs_positions().then(MatchCount::default);
        (GameSet::empty(context.games), (count, (positions, outputs)))
    }

    /// The results of these reducers; `work` is what the scan did.
    fn results(&self, reducer: CombinedReducer<'_>, spans: &[GameSpan<'_>], work: ScanStatistics) -> QueryResults {
        let selection = self.selection;
        let (set, (count, (positions, outputs))) = reducer;
        let (distinct_positions, positions) = positions.map(PositionReducer::finish).unzip();
        QueryResults {
            count: MatchCount { games: set.count(), positions: count.map_or(0, |count| count.positions) },
            outputs: outputs.into_iter().map(|output| output.finish(spans)).collect(),
            games: selection.games.then_some(set),
            positions,
            distinct_positions: distinct_positions.flatten(),
            work,
        }
    }
}
