//! The fold scans every game once: it cuts the corpus into batches of games, distributes these over threads, and hands each game
//! to the reducers.
//!
//! ```text
//! for each batch of games, on some thread
//!     for each batch of queries
//!         select candidates                       headers and signatures reject most games unread
//!         for each candidate game
//!             evaluate it                         at which plies does each query match? a set of plies
//!             hand it to the reducers             with this set
//! merge the reducers of all threads
//! ```
//!
//! `evaluate` knows no reducers. A reducer is a type parameter of the fold, so its code compiles into the loop over games.

pub use super::plan::ScanRequest;

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use plyfold_board::board::history::PositionHistory;
use plyfold_board::board::make::{FullState, HashOnly, MakePolicy, MakeState};
use plyfold_board::irreversible::{EventStreamBuffer, EventStreams};
use shakmaty::Bitboard;
use thiserror::Error;

use super::evaluate::candidates::BATCH_GAMES;
use super::evaluate::game::GameEvaluator;
use super::evaluate::game_at_hand::GameAtHand;
use super::evaluate::prepared::{PreparedBatch, with_dark_bishop_counts};
use super::parts::assert_parts;
use super::plan::query_batch::QueryBatch;
use super::plies::iter_ones;
use super::reducer::{Matches, MatchingPosition, Reducer, ScanMatch};
use super::replay_needs::ReplayNeeds;
use super::tuning::MIN_FAST_FORWARD;
use super::{Query, ScanStatistics};
use crate::game::{Game, GameSpan, Ply, ShardParts};
use crate::headers::game_mask::GameMask;

/// Observes the progress of a scan, and may end it.
pub trait ScanObserver: Sync {
    /// Reports that this many more games have been scanned. Returning false ends the scan soon.
    fn advance(&self, games: u32) -> bool;
}

/// Observes nothing.
impl ScanObserver for () {
    fn advance(&self, _: u32) -> bool {
        true
    }
}

/// The observer ended the scan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("the scan was cancelled")]
pub struct ScanCancelled;

/// Returns the number of threads of a scan: those of the current rayon pool (feature `rayon`), else one.
pub fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    1
}

/// Scans the games of `spans` on all threads of the current rayon pool (feature `rayon`).
/// Returns the merged reducer and the statistics of the scan.
///
/// `reducer` makes an empty reducer, once per thread. The number of threads does not change the results.
///
/// # Errors
///
/// [`ScanCancelled`] if `watch` ends the scan.
pub fn scan<R: Reducer>(
    spans: &[GameSpan<'_>],
    query: &Query,
    reducer: impl Fn() -> R + Sync,
    watch: &dyn ScanObserver,
) -> Result<(R, ScanStatistics), ScanCancelled> {
    scan_subset(spans, query, None, reducer, watch)
}

/// Scans only a subset of the games, otherwise like [`scan`].
/// Game `id` is scanned if bit `id % 64` of word `id / 64` of `within` is set; games beyond the words are not scanned. Checking
/// this bit is all that any other game costs.
///
/// # Errors
///
/// [`ScanCancelled`] if `watch` ends the scan.
pub fn scan_subset<R: Reducer>(
    spans: &[GameSpan<'_>],
    query: &Query,
    within: Option<&[u64]>,
    reducer: impl Fn() -> R + Sync,
    watch: &dyn ScanObserver,
) -> Result<(R, ScanStatistics), ScanCancelled> {
    let request = ScanRequest { query, subset: within, wants_positions: !R::VERDICT_ONLY };
    let (mut reducers_filled, work) = scan_queries(spans, &[request], || [reducer()].into(), watch)?;
    // There is one reducer for each request.
    Ok((reducers_filled.pop().unwrap_or_else(reducer), work))
}

/// Scans for any number of queries in one pass, each with a reducer of its own.
/// The scan reads each game once, and tests a predicate that several queries share once for all of them.
///
/// `reducers` makes empty reducers, in the order of the requests. Each gets the same games as if its query were scanned alone.
///
/// # Errors
///
/// [`ScanCancelled`] if `watch` ends the scan.
///
/// # Panics
///
/// If a span lacks a part that a query [reads](super::parts::parts_read).
pub fn scan_queries<R: Reducer>(
    spans: &[GameSpan<'_>],
    requests: &[ScanRequest<'_>],
    reducers: impl Fn() -> Vec<R> + Sync,
    watch: &dyn ScanObserver,
) -> Result<(Vec<R>, ScanStatistics), ScanCancelled> {
    assert_parts(spans, requests);
    let batches = Batches::over_spans(spans);
    let next = AtomicUsize::new(0);
    let cancelled = AtomicBool::new(false);
    let query_batches = QueryBatch::partition(requests);
    let prepared: Vec<PreparedBatch<'_>> = query_batches.iter().map(|fused| PreparedBatch::new(fused, spans)).collect();
    let run_worker = || {
        let mut worker = ScanWorker::new(&prepared, reducers());
        while let Some(span) = batches.batch(next.fetch_add(1, Ordering::Relaxed)) {
            worker.scan_batch(&span);
            if !watch.advance(span.len()) {
                cancelled.store(true, Ordering::Relaxed);
            }
            if cancelled.load(Ordering::Relaxed) {
                break;
            }
        }
        worker.finish()
    };
    #[cfg(feature = "rayon")]
    let (merged_reducers, mut statistics) = {
        use rayon::iter::{IntoParallelIterator, ParallelIterator};
        let workers = 0..threads().min(batches.len()).max(1);
        let all: Vec<(Vec<R>, ScanStatistics)> = workers.into_par_iter().map(|_| run_worker()).collect();
        let merged = all.into_iter().reduce(|mut all, other| {
            all.0.iter_mut().zip(other.0).for_each(|(reducer, other)| reducer.merge(other));
            all.1.add(&other.1);
            all
        });
        // There is at least one worker, even for no games.
        merged.unwrap_or_else(|| (reducers(), ScanStatistics::default()))
    };
    #[cfg(not(feature = "rayon"))]
    let (merged_reducers, mut statistics) = run_worker();
    if cancelled.into_inner() {
        return Err(ScanCancelled);
    }
    statistics.count_games(spans);
    Ok((merged_reducers, statistics))
}

/// Scans the games of `spans` on the calling thread alone, for programs that distribute work themselves.
/// Returns the reducer as far as the scan came, and the statistics if `watch` did not end it.
///
/// # Panics
///
/// As [`scan_queries`].
pub fn scan_on_this_thread<R: Reducer>(
    spans: &[GameSpan<'_>],
    query: &Query,
    reducer: R,
    watch: &dyn ScanObserver,
) -> (R, Result<ScanStatistics, ScanCancelled>) {
    let request = ScanRequest { query, subset: None, wants_positions: !R::VERDICT_ONLY };
    assert_parts(spans, &[request]);
    let query_batches = QueryBatch::partition(&[request]);
    let prepared: Vec<PreparedBatch<'_>> = query_batches.iter().map(|fused| PreparedBatch::new(fused, spans)).collect();
    let mut worker = ScanWorker::new(&prepared, alloc::vec![reducer]);
    let batches = Batches::over_spans(spans);
    let mut cancelled = false;
    for span in (0..).map_while(|nth| batches.batch(nth)) {
        worker.scan_batch(&span);
        cancelled = !watch.advance(span.len());
        if cancelled {
            break;
        }
    }
    let (reducers, mut statistics) = worker.finish();
    let Some(reducer) = reducers.into_iter().next() else { unreachable!("a worker returns its reducers") };
    if cancelled {
        return (reducer, Err(ScanCancelled));
    }
    statistics.count_games(spans);
    (reducer, Ok(statistics))
}

/// The games of a scan in batches, each made when a thread takes it.
/// For a query on headers alone, making a list of the batches would be half of the work.
struct Batches<'s, 'a> {
    spans: &'s [GameSpan<'a>],
    /// The number of batches up to the end of each span.
    ends: Vec<usize>,
}

impl<'s, 'a> Batches<'s, 'a> {
    fn over_spans(spans: &'s [GameSpan<'a>]) -> Batches<'s, 'a> {
        let mut end = 0;
        let ends = spans.iter().map(|span| {
            end += span.len().div_ceil(BATCH_GAMES) as usize;
            end
        });
        Batches { ends: ends.collect(), spans }
    }

    #[cfg(feature = "rayon")]
    fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    fn batch(&self, index: usize) -> Option<GameSpan<'a>> {
        let at = self.ends.partition_point(|&end| end <= index);
        let span = self.spans.get(at)?;
        let begin = if at == 0 { 0 } else { self.ends[at - 1] };
        let from = (index - begin) as u32 * BATCH_GAMES;
        Some(span.slice(from, span.len().min(from + BATCH_GAMES)))
    }
}

/// The state of one thread of a scan.
struct ScanWorker<'p, R> {
    /// The evaluators, one for each batch of queries that share predicates.
    evaluators: Vec<GameEvaluator<'p>>,
    /// The reducers, in the order of the requests.
    reducers: Vec<R>,
    needs: Vec<ReplayNeeds>,
    /// The event streams of a game whose corpus has none.
    event_buffer: EventStreamBuffer,
}

impl<'p, R: Reducer> ScanWorker<'p, R> {
    fn new(prepared: &'p [PreparedBatch<'p>], reducers: Vec<R>) -> ScanWorker<'p, R> {
        let testers = prepared.iter().map(GameEvaluator::new).collect();
        let needs = reducers.iter().map(Reducer::needs).collect();
        ScanWorker { evaluators: testers, needs, event_buffer: EventStreamBuffer::default(), reducers }
    }

    /// The reducers, and the work that was done.
    fn finish(self) -> (Vec<R>, ScanStatistics) {
        let mut work = ScanStatistics::default();
        self.evaluators.iter().for_each(|tester| work.add(&tester.statistics));
        (self.reducers, work)
    }

    #[inline(never)]
    fn scan_batch(&mut self, span: &GameSpan<'_>) {
        for t in 0..self.evaluators.len() {
            self.evaluators[t].select_candidates(span);
            let mut games = GameMask::default();
            for (one, mine) in self.evaluators[t].prepared.queries.iter().zip(&mut self.evaluators[t].query_states) {
                let reducer = &mut self.reducers[one.request];
                if one.header_filter.is_some() && reducer.takes_game_batches() {
                    reducer.game_batch(span, &core::mem::take(&mut mine.candidates));
                } else {
                    games.iter_mut().zip(mine.candidates).for_each(|(all, games)| *all |= games);
                }
            }
            for nth in iter_ones(&games) {
                self.scan_game(t, span, nth, &span.game(nth as u32));
            }
        }
    }

    /// Evaluates a game for the queries of one batch, and hands it to their reducers.
    #[inline(always)]
    fn scan_game(&mut self, evaluator_index: usize, span: &GameSpan<'_>, game_in_span: usize, game: &Game<'_>) {
        let prepared = self.evaluators[evaluator_index].prepared;
        let custom_start = game.custom_start_board().map(with_dark_bishop_counts);
        let has_initial_start = custom_start.is_none();
        let start = custom_start.as_ref().unwrap_or(&prepared.initial);
        let mut borrowed_buffer = None;
        let event_streams = game.event_streams.unwrap_or_else(|| {
            if !span.parts().contains(ShardParts::MOVES) {
                // A query that reads events has them, or the moves.
                return EventStreams { material: &[], pawns: &[] };
            }
            let courses = borrowed_buffer.insert(core::mem::take(&mut self.event_buffer));
            courses.clear();
            courses.push_game(start, game.moves);
            courses.as_streams()
        });
        let plies = game.moves.len();
        let (mut undecided_queries, mut header_queries) = (0u64, 0u64);
        for (q, (one, mine)) in prepared.queries.iter().zip(&self.evaluators[evaluator_index].query_states).enumerate()
        {
            let is_in = (mine.candidates[game_in_span / 64] >> (game_in_span % 64) & 1) << q;
            // Queries on headers alone are already decided here.
            if one.header_filter.is_some() { header_queries |= is_in } else { undecided_queries |= is_in }
        }
        let at = GameAtHand { span, game_in_span, game, start, has_initial_start, event_streams };
        if undecided_queries != 0 {
            self.evaluators[evaluator_index].evaluate_game(&at, undecided_queries);
        }
        for q in Bitboard(undecided_queries | header_queries) {
            let q = q as usize;
            if header_queries >> q & 1 != 0 {
                self.hand_to_reducer((evaluator_index, q), &at, Matches::every_position(plies), true);
                continue;
            }
            let judge = &mut self.evaluators[evaluator_index].query_states[q].evaluator;
            let (verdict, set) = (judge.verdict(), core::mem::take(judge.matches_mut()));
            let matches = Matches::from_words(&set, plies);
            if verdict || matches.count() > 0 {
                self.hand_to_reducer((evaluator_index, q), &at, matches, verdict);
            }
            *self.evaluators[evaluator_index].query_states[q].evaluator.matches_mut() = set;
        }
        if let Some(courses) = borrowed_buffer {
            self.event_buffer = courses;
        }
    }

    /// Hands a game to the reducer of query `q` of evaluator `t`, after its matching positions if the reducer needs a board.
    #[inline(always)]
    fn hand_to_reducer(&mut self, (t, q): (usize, usize), at: &GameAtHand<'_>, matches: Matches<'_>, verdict: bool) {
        let request = self.evaluators[t].prepared.queries[q].request;
        let (tester, reducer, needs) = (&mut self.evaluators[t], &mut self.reducers[request], self.needs[request]);
        if R::NEEDS_BOARDS && needs != ReplayNeeds::NONE && matches.count() > 0 {
            if needs == ReplayNeeds::HASH {
                replay_matches::<HashOnly, R>(reducer, needs, tester, at, &matches);
            } else {
                replay_matches::<FullState, R>(reducer, needs, tester, at, &matches);
            }
        }
        reducer.game(&ScanMatch {
            span: at.span,
            game_in_span: at.game_in_span as u32,
            game: at.game,
            start_board: at.start,
            event_streams: at.event_streams,
            matches,
            verdict,
        });
    }
}

/// Replays a game and hands its matching positions to a reducer.
fn replay_matches<P: MakePolicy, R: Reducer>(
    reducer: &mut R,
    needs: ReplayNeeds,
    GameEvaluator { board, statistics: work, .. }: &mut GameEvaluator<'_>,
    &GameAtHand { game, start, .. }: &GameAtHand<'_>,
    matches: &Matches<'_>,
) {
    board.clone_from(start);
    let (first, last) = (matches.first().moves(), matches.last().moves());
    work.plies_replayed += last as u64;
    let mut history = needs.contains(ReplayNeeds::REPETITIONS).then(|| PositionHistory::starting_at(board));
    // A history has every position, so the board cannot jump to the first match.
    let jumps = P::HASH && first > MIN_FAST_FORWARD && history.is_none();
    let fast_forwarded = if jumps { first - 1 } else { 0 };
    board.fast_forward::<P>(&game.moves[..fast_forwarded]);
    let mut walk = MakeState::for_board(board);
    for (nth, &mv) in game.moves.iter().enumerate().take(last).skip(fast_forwarded) {
        board.make_with::<P>(mv, &mut walk);
        if let Some(history) = &mut history {
            history.push(board);
        }
        if matches.words().is_none_or(|set| set[nth / 64] >> (nth % 64) & 1 != 0) {
            reducer.position(&MatchingPosition { game, board, ply: Ply::after_moves(nth + 1) });
        }
    }
}
