//! The reducers, and the functions that attach the requested ones to one scan.
//!
//! To add an output, add a file here and a field in [`ReducerSelection`] and [`QueryResults`].
#![no_std]

extern crate alloc;

pub mod count;
pub mod endgames;
pub mod game_set;
pub mod groups;
mod hash;
pub mod heatmap;
pub mod key;
pub mod matching_positions;
pub mod next_moves;
pub mod partition;
pub mod result_counts;
pub mod result_table;
mod runs;
pub mod set_expression;
pub mod structures;

use alloc::vec::Vec;

use count::MatchCount;
use endgames::{EndgameReducer, EndgameSummary};
use game_set::GameSet;
use groups::{GroupReducer, GroupTable};
use heatmap::Heatmap;
use key::GroupingKey;
use matching_positions::{PositionReducer, PositionRef, PositionSelection};
use next_moves::{NextMoveReducer, NextMoveTable};
use partition::{PartitionLimit, PartitionReducer, PartitionRule, PartitionSet};
use result_table::ResultTable;
use structures::{StructureReducer, TopStructures};

use plyfold_board::moves::Move;
use plyfold_scan::game::GameSpan;
use plyfold_scan::scan::fold::{self, ScanCancelled, ScanObserver, ScanRequest, scan_queries, scan_subset};
use plyfold_scan::scan::tables::BoundTables;
use plyfold_scan::scan::{Query, ScanStatistics};

/// Which outputs are requested. Counts are always made.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ReducerSelection {
    /// The set of matching games.
    pub games: bool,
    /// The number of matching positions. Without it and all outputs below, the scan leaves a game as soon as its verdict is known.
    pub positions_count: bool,
    /// Where the pieces stand in matching positions.
    pub heatmap: bool,
    /// The most frequent pawn structures of matching positions, at most this many.
    pub structures: Option<usize>,
    /// The matching positions themselves.
    pub positions: Option<PositionSelection>,
    /// Matching positions by a key, at most this many values; all values if the key has its own order.
    pub groups: Vec<(GroupingKey, usize)>,
    /// Matching games by a key.
    pub partitions: Vec<(GroupingKey, PartitionRule)>,
    /// Which sets of the partitions are built.
    pub partition_limit: PartitionLimit,
    /// How games continued from matching positions.
    pub next_moves: bool,
    /// Games that continued from a matching position with this move.
    pub next_by_move: Option<Move>,
    /// The endgames of the matching games by material, as these tables judge them.
    pub endgames: Option<BoundTables>,
}

/// The requested outputs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct QueryResults {
    /// How many games and positions match.
    pub count: MatchCount,
    /// Matching games, if requested.
    pub games: Option<GameSet>,
    /// Where the pieces stand, if requested.
    pub heatmap: Option<Heatmap>,
    /// Pawn structures, if requested.
    pub structures: Option<TopStructures>,
    /// Matching positions, if requested.
    pub positions: Option<Vec<PositionRef>>,
    /// How many different positions match, if distinct positions were requested.
    pub distinct_positions: Option<u64>,
    /// Groups, in the order of the request.
    pub groups: Vec<GroupTable>,
    /// Partitions, in the order of the request.
    pub partitions: Vec<Vec<PartitionSet>>,
    /// Next moves, if requested.
    pub next_moves: Option<NextMoveTable>,
    /// Games that continued with the requested move, if there was one.
    pub next_by_move: Option<GameSet>,
    /// Endgames, if requested.
    pub endgames: Option<Vec<EndgameSummary>>,
    /// The work of the scan.
    pub work: ScanStatistics,
}

impl QueryResults {
    /// The table of the first output that has one, with at most `max_rows` rows of a key, of next moves and of endgames. The selection and
    /// the games are those of the scan.
    pub fn table(
        &self,
        selection: &ReducerSelection,
        spans: &[GameSpan<'_>],
        max_rows: usize,
    ) -> Option<ResultTable<'_>> {
        let groups = selection.groups.first().zip(self.groups.first());
        let partition = selection.partitions.first().zip(self.partitions.first());
        let table = self.heatmap.as_ref().map(Heatmap::table);
        table
            .or_else(|| self.structures.as_ref().map(TopStructures::table))
            .or_else(|| groups.map(|((key, _), groups)| groups.table(key, max_rows)))
            .or_else(|| partition.map(|((key, _), sets)| partition::table(sets, key, max_rows)))
            .or_else(|| self.next_moves.as_ref().map(|moves| moves.table(spans, max_rows)))
            .or_else(|| self.endgames.as_ref().map(|endgames| endgames::table(endgames, max_rows)))
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
    if request.needs_positions() || !selection.partitions.is_empty() || selection.endgames.is_some() {
        return run_queries(spans, &[request], watch).map(|mut answers| answers.pop().unwrap_or_default());
    }
    let (set, work) = scan_subset(spans, query, within.map(GameSet::words), || empty_set(spans), watch)?;
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
    let (reducers, work) =
        scan_queries(spans, &scan_requests, || reduce_requests.iter().map(|one| one.reducer(spans)).collect(), watch)?;
    let answered = reducers.into_iter().zip(reduce_requests);
    Ok(answered.map(|(reducer, request)| request.results(reducer, spans, work)).collect())
}

/// A set without games, up to the highest game number in `spans`, which may be part of a corpus.
fn empty_set(spans: &[GameSpan<'_>]) -> GameSet {
    GameSet::empty(spans.iter().map(|span| span.first_game.0 + span.len()).max().unwrap_or(0))
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
type CombinedReducer<'a> = (
    GameSet,
    (Option<MatchCount>, (Option<Heatmap>, (Option<StructureReducer>, (Option<PositionReducer>, KeyedReducers<'a>)))),
);
type KeyedReducers<'a> =
    (Vec<GroupReducer>, (Vec<PartitionReducer>, (Option<NextMoveReducer<'a>>, Option<EndgameReducer>)));

impl<'a> ReduceRequest<'a> {
    /// Whether an output other than the matching games is requested.
    fn needs_positions(&self) -> bool {
        let ReducerSelection {
            games: _,
            positions_count,
            heatmap,
            structures,
            positions,
            groups,
            partitions,
            partition_limit: _,
            next_moves: next,
            next_by_move: next_by,
            endgames: _,
        } = self.selection;
        *positions_count
            || *heatmap
            || structures.is_some()
            || positions.is_some()
            || !groups.is_empty()
            || partitions.iter().any(|(key, rule)| *rule == PartitionRule::Ever || !key.is_game_key())
            || *next
            || next_by.is_some()
    }

    fn reducer(&self, spans: &[GameSpan<'_>]) -> CombinedReducer<'a> {
        let ReduceRequest { query, within, selection } = *self;
        let set = empty_set(spans);
        let threads = fold::threads();
        let groups = selection.groups.iter().map(|(key, _)| GroupReducer::new(key.clone())).collect();
        let partitions =
            selection.partitions.iter().map(|(key, rule)| PartitionReducer::new(key.clone(), *rule)).collect();
        let goes_on = selection.next_moves || selection.next_by_move.is_some();
        let next =
            goes_on.then(|| NextMoveReducer::new(query, within, set.games()).with_chosen(selection.next_by_move));
        let positions = selection.positions.map(|which| PositionReducer::new(which, threads));
        let structures = selection.structures.map(|_| StructureReducer::new(threads));
        let heatmap = selection.heatmap.then(Heatmap::default);
        let count = self.needs_positions().then(MatchCount::default);
        let endgames = selection.endgames.clone().map(EndgameReducer::new);
        (set, (count, (heatmap, (structures, (positions, (groups, (partitions, (next, endgames))))))))
    }

    /// The results of these reducers; `work` is what the scan did.
    fn results(&self, reducer: CombinedReducer<'_>, spans: &[GameSpan<'_>], work: ScanStatistics) -> QueryResults {
        let selection = self.selection;
        let (set, (count, (heatmap, (structures, (positions, (groups, (partitions, (mut next, endgames)))))))) =
            reducer;
        let (distinct_positions, positions) = positions.map(PositionReducer::finish).unzip();
        let groups = groups.into_iter().zip(&selection.groups);
        let partition = |one: PartitionReducer| one.finish(set.games(), spans, &selection.partition_limit);
        let partitions = partitions.into_iter().map(partition).collect();
        if let Some(next) = &mut next {
            next.add_start_positions(spans);
        }
        QueryResults {
            count: MatchCount { games: set.count(), positions: count.map_or(0, |count| count.positions) },
            games: selection.games.then_some(set),
            heatmap,
            structures: structures.map(|structures| structures.top(selection.structures.unwrap_or(0))),
            positions,
            distinct_positions: distinct_positions.flatten(),
            groups: groups.map(|(groups, (_, max_groups))| groups.finish(*max_groups, spans)).collect(),
            partitions,
            next_by_move: next.as_mut().and_then(NextMoveReducer::chosen),
            next_moves: next.filter(|_| selection.next_moves).map(NextMoveReducer::finish),
            endgames: endgames.map(EndgameReducer::finish),
            work,
        }
    }
}
