//! Concrete reducers, and the door that attaches those that are wanted to one scan.
//!
//! A new output is a new file here and a line in [`ReducerSelection`] and [`QueryResults`].

pub mod count;
pub mod game_set;
pub mod groups;
mod hash;
pub mod heatmap;
pub mod key;
pub mod matching_positions;
pub mod next_moves;
pub mod partition;
pub mod result_counts;
mod runs;
pub mod set_expression;
pub mod structures;

use alloc::vec::Vec;

use count::MatchCount;
use game_set::GameSet;
use groups::{GroupReducer, GroupTable};
use heatmap::Heatmap;
use key::GroupingKey;
use matching_positions::{PositionReducer, PositionRef, PositionSelection};
use next_moves::{NextMoveReducer, NextMoveTable};
use partition::{PartitionLimit, PartitionReducer, PartitionRule, PartitionSet};
use structures::{StructureCount, StructureReducer};

use crate::game::GameSpan;
use crate::moves::Move;
use crate::scan::fold::{self, ScanCancelled, ScanObserver, ScanRequest, scan_queries, scan_subset};
use crate::scan::{Query, ScanStatistics};

/// What is to be kept of the matches. Counts are always kept.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ReducerSelection {
    /// The set of matching games.
    pub games: bool,
    /// The number of matching positions; without it (and all below) games are left as soon as their verdict is known.
    pub positions_count: bool,
    /// Where the men stand in matching positions.
    pub heatmap: bool,
    /// The most frequent pawn structures of matching positions, at most so many.
    pub structures: Option<usize>,
    /// The matching positions themselves.
    pub positions: Option<PositionSelection>,
    /// Matching positions by a key, at most so many values; all of a key with an order of its own.
    pub groups: Vec<(GroupingKey, usize)>,
    /// Matching games by a key.
    pub partitions: Vec<(GroupingKey, PartitionRule)>,
    /// Which sets of these partitions.
    pub partition_limit: PartitionLimit,
    /// How games went on from matching positions.
    pub next_moves: bool,
    /// Games that went on from a matching position with this move.
    pub next_by_move: Option<Move>,
}

/// What was kept.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct QueryResults {
    /// How many games and positions match.
    pub count: MatchCount,
    /// Matching games, if wanted.
    pub games: Option<GameSet>,
    /// Where the men stand, if wanted.
    pub heatmap: Option<Heatmap>,
    /// Pawn structures, if wanted.
    pub structures: Option<TopStructures>,
    /// Matching positions, if wanted.
    pub positions: Option<Vec<PositionRef>>,
    /// How many different positions match, if unique positions were wanted.
    pub distinct_positions: Option<u64>,
    /// Groups, in the order in which they were wanted.
    pub groups: Vec<GroupTable>,
    /// Partitions, in the order in which they were wanted.
    pub partitions: Vec<Vec<PartitionSet>>,
    /// Next moves, if wanted.
    pub next_moves: Option<NextMoveTable>,
    /// Games that went on with the move that was wanted, if one was.
    pub next_by_move: Option<GameSet>,
    /// What the scan looked at.
    pub work: ScanStatistics,
}

/// The most frequent pawn structures.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TopStructures {
    /// How many different structures there are.
    pub distinct: u64,
    /// Positions in all of them together.
    pub total: u64,
    /// The most frequent first; equal counts by the pawns' bits.
    pub top: Vec<StructureCount>,
}

/// Scans `spans` for `query` and keeps what is `wanted`, in one pass.
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

/// The same of the games of a set alone; the others are not looked at. A set that comes of another query makes a cascade of the two.
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
    if request.needs_positions() || !selection.partitions.is_empty() {
        return run_queries(spans, &[request], watch).map(|mut answers| answers.pop().unwrap_or_default());
    }
    let (reducers, work) =
        scan_subset(spans, query, within.map(GameSet::words), || (request.empty_set(spans), ()), watch)?;
    let mut answers = QueryResults { work, ..QueryResults::default() };
    reducers.finish_into(selection, spans, &mut answers);
    Ok(answers)
}

/// Answers any number of questions in one pass, in their order, each as if it were asked alone. What the scan looked at is the same in all
/// answers: it did so for all of them.
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
    let results = reducers.into_iter().zip(reduce_requests).map(|(reducer, request)| {
        let mut answers = QueryResults { work, ..QueryResults::default() };
        reducer.finish_into(request.selection, spans, &mut answers);
        answers
    });
    Ok(results.collect())
}

/// How many numbers of games there are up to the last of these; spans may be part of a corpus.
fn game_count(spans: &[GameSpan<'_>]) -> u32 {
    spans.iter().map(|span| span.first_game.0 + span.len()).max().unwrap_or(0)
}

/// Puts what a reducer kept into the answers.
trait FinishReducer {
    fn finish_into(self, selection: &ReducerSelection, spans: &[GameSpan<'_>], results: &mut QueryResults);
}

/// A question: of which positions, of which games, and what is to be kept.
#[derive(Clone, Copy)]
pub struct ReduceRequest<'a> {
    /// The query.
    pub query: &'a Query,
    /// The games that are looked at, where not all are.
    pub within: Option<&'a GameSet>,
    /// What is kept of those that match.
    pub selection: &'a ReducerSelection,
}

/// All reducers, those that are not wanted absent. They are asked once a game whether they are there, which costs nothing beside what
/// they do.
type CombinedReducer<'a> = (
    GameSet,
    (Option<MatchCount>, (Option<Heatmap>, (Option<StructureReducer>, (Option<PositionReducer>, KeyedReducers<'a>)))),
);
type KeyedReducers<'a> = (Vec<GroupReducer>, (Vec<PartitionReducer>, Option<NextMoveReducer<'a>>));

impl<'a> ReduceRequest<'a> {
    /// Whether more is asked than which games match.
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

    fn empty_set(&self, spans: &[GameSpan<'_>]) -> GameSet {
        GameSet::empty(game_count(spans))
    }

    fn reducer(&self, spans: &[GameSpan<'_>]) -> CombinedReducer<'a> {
        let ReduceRequest { query, within, selection } = *self;
        let set = self.empty_set(spans);
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
        (set, (count, (heatmap, (structures, (positions, (groups, (partitions, next)))))))
    }
}

impl<A: FinishReducer, B: FinishReducer> FinishReducer for (A, B) {
    fn finish_into(self, selection: &ReducerSelection, spans: &[GameSpan<'_>], results: &mut QueryResults) {
        self.0.finish_into(selection, spans, results);
        self.1.finish_into(selection, spans, results);
    }
}

impl<R: FinishReducer> FinishReducer for Option<R> {
    fn finish_into(self, selection: &ReducerSelection, spans: &[GameSpan<'_>], results: &mut QueryResults) {
        if let Some(reducer) = self {
            reducer.finish_into(selection, spans, results);
        }
    }
}

impl FinishReducer for () {
    fn finish_into(self, _: &ReducerSelection, _: &[GameSpan<'_>], _: &mut QueryResults) {}
}

impl FinishReducer for GameSet {
    fn finish_into(self, selection: &ReducerSelection, _: &[GameSpan<'_>], results: &mut QueryResults) {
        results.count.games = self.count();
        results.games = selection.games.then_some(self);
    }
}

impl FinishReducer for MatchCount {
    fn finish_into(self, _: &ReducerSelection, _: &[GameSpan<'_>], results: &mut QueryResults) {
        results.count.positions = self.positions;
    }
}

impl FinishReducer for Heatmap {
    fn finish_into(self, _: &ReducerSelection, _: &[GameSpan<'_>], results: &mut QueryResults) {
        results.heatmap = Some(self);
    }
}

impl FinishReducer for StructureReducer {
    fn finish_into(self, selection: &ReducerSelection, _: &[GameSpan<'_>], results: &mut QueryResults) {
        results.structures = Some(self.top(selection.structures.unwrap_or(0)));
    }
}

impl FinishReducer for PositionReducer {
    fn finish_into(self, _: &ReducerSelection, _: &[GameSpan<'_>], results: &mut QueryResults) {
        let (distinct, positions) = self.finish();
        (results.distinct_positions, results.positions) = (distinct, Some(positions));
    }
}

impl FinishReducer for Vec<GroupReducer> {
    fn finish_into(self, selection: &ReducerSelection, spans: &[GameSpan<'_>], results: &mut QueryResults) {
        let pairs = self.into_iter().zip(&selection.groups);
        results.groups = pairs.map(|(groups, (_, max_groups))| groups.finish(*max_groups, spans)).collect();
    }
}

impl FinishReducer for Vec<PartitionReducer> {
    fn finish_into(self, selection: &ReducerSelection, spans: &[GameSpan<'_>], results: &mut QueryResults) {
        let games = game_count(spans);
        let finish = |partition: PartitionReducer| partition.finish(games, spans, &selection.partition_limit);
        results.partitions = self.into_iter().map(finish).collect();
    }
}

impl FinishReducer for NextMoveReducer<'_> {
    fn finish_into(mut self, selection: &ReducerSelection, spans: &[GameSpan<'_>], results: &mut QueryResults) {
        self.add_start_positions(spans);
        results.next_by_move = self.chosen();
        results.next_moves = selection.next_moves.then(|| self.finish());
    }
}
