//! The fold: every game once, each question answered from the cheapest source that settles it.
//!
//! ```text
//! for each game
//!     for each source, the cheapest first         events of the game, moves that touch squares, the board
//!         test its predicates                     at which plies does each hold? a set of plies
//!         combine the sets                        what must match, what may match
//!         nothing open any more: leave            most games never see a board
//!     hand the game to the reducers               with the set of plies that match
//! ```
//!
//! A predicate says what it depends on, and is sorted to its [`source`](super::source) by that. What is not tested yet may be true or
//! false: `judge` reckons with both, so a dear predicate is tested only at plies where the cheap ones leave the
//! answer open.
//!
//! Testing is one text for all reducers; these are types, and what they do with a game compiles into the loop over games.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use shakmaty::Bitboard;
use thiserror::Error;

use super::clock::{HalfmoveClock, SingleComparison};
use super::combine::Formula;
use super::events::{self, EventTests, GameEvents, PawnCountCache};
use super::judge::{KnownPredicates, QueryEvaluator};
use super::needs::ReplayNeeds;
use super::plies::{self, iter_ones};
pub use super::prepare::ScanRequest;
use super::prepare::{
    BoardlessTests, ImpliedTargets, PlyNumberTest, PreparedBatch, PreparedQuery, QueryBatch, with_dark_bishop_counts,
};
use super::reducer::{Matches, MatchingPosition, Reducer, ScanMatch};
use super::repetition::{self, RepetitionFinder};
use super::replay;
use super::source::AccessPath;
use super::touch;
use super::track;
use super::{Occurrence, Query, ScanStatistics, first_half_move};
use crate::board::Board;
use crate::board::make::{FullState, HashOnly, MakePolicy, MakeState};
use crate::game::{Game, GameSpan};
use crate::headers::evaluation::GameMask;
use crate::irreversible::home_pawns::{self, PROMOTION_COLUMN};
use crate::irreversible::{EventStreamBuffer, EventStreams};
use crate::matsig::MatSig;
use crate::matsig::target::ReachabilityTarget;
use crate::moves::Move;

/// Fewer plies than these before the first match are replayed like the rest.
const MIN_FAST_FORWARD: usize = 24;
/// Games in a row that must fail before a try is left out, and how many are left out then.
const MAX_USELESS_TRIES: usize = 16;
/// Games that one thread takes at a time.
const BATCH_GAMES: u32 = 512;

/// Hears of the advance of a scan, and may end it.
pub trait ScanObserver: Sync {
    /// So many more games have been scanned. False ends the scan soon.
    fn advance(&self, games: u32) -> bool;
}

/// Nobody watches.
impl ScanObserver for () {
    fn advance(&self, _: u32) -> bool {
        true
    }
}

/// The watch ended the scan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("the scan was cancelled")]
pub struct ScanCancelled;

/// How many threads a scan runs on: those of the current rayon pool (feature `rayon`), else one.
pub fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    1
}

/// Scans the games of `spans`, with all threads of the current rayon pool (feature `rayon`), and returns what the reducers kept, and
/// what was looked at for it.
///
/// `reducer` makes an empty reducer, once per thread. Results do not depend on the number of threads.
///
/// # Errors
///
/// [`ScanCancelled`] by `watch`.
pub fn scan<R: Reducer>(
    spans: &[GameSpan<'_>],
    query: &Query,
    reducer: impl Fn() -> R + Sync,
    watch: &dyn ScanObserver,
) -> Result<(R, ScanStatistics), ScanCancelled> {
    scan_subset(spans, query, None, reducer, watch)
}

/// The same for some of the games alone: game `id` is looked at if bit `id % 64` of word `id / 64` of `within` is set, and no other
/// game costs more than a look at that. Games beyond the words are not looked at.
///
/// # Errors
///
/// [`ScanCancelled`] by `watch`.
pub fn scan_subset<R: Reducer>(
    spans: &[GameSpan<'_>],
    query: &Query,
    within: Option<&[u64]>,
    reducer: impl Fn() -> R + Sync,
    watch: &dyn ScanObserver,
) -> Result<(R, ScanStatistics), ScanCancelled> {
    let request = ScanRequest { query, subset: within, wants_positions: !R::VERDICT_ONLY };
    let (mut reducers_filled, work) = scan_queries(spans, &[request], || [reducer()].into(), watch)?;
    // There is one for each request.
    Ok((reducers_filled.pop().unwrap_or_else(reducer), work))
}

/// The same for any number of queries in one pass, each with a reducer of its own: games are read once, and what several queries ask of a
/// game is found out once for all of them.
///
/// `reducers` makes empty ones, in the order of the requests. They are asked of the games as if each query were scanned alone.
///
/// # Errors
///
/// [`ScanCancelled`] by `watch`.
pub fn scan_queries<R: Reducer>(
    spans: &[GameSpan<'_>],
    requests: &[ScanRequest<'_>],
    reducers: impl Fn() -> Vec<R> + Sync,
    watch: &dyn ScanObserver,
) -> Result<(Vec<R>, ScanStatistics), ScanCancelled> {
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
        let mut work = ScanStatistics::default();
        worker.evaluators.iter().for_each(|tester| work.add(&tester.statistics));
        (worker.reducers, work)
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
    statistics.games = spans.iter().map(|span| u64::from(span.len())).sum();
    statistics.plies = spans.iter().map(GameSpan::plies).sum();
    Ok((merged_reducers, statistics))
}

/// The games of a scan in batches, made as they are asked for: for a query of headers alone a list of them would be half of the work.
struct Batches<'s, 'a> {
    spans: &'s [GameSpan<'a>],
    /// How many batches there are up to the end of each span.
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

/// What one thread tests games with; the reducers have no part in it.
struct GameEvaluator<'p> {
    prepared: &'p PreparedBatch<'p>,
    statistics: ScanStatistics,
    /// Of each query, what is known of it.
    query_states: Vec<QueryState>,
    /// At which plies of the current game each predicate holds.
    sets: Vec<u64>,
    board: Board,
    /// Events of the current game that concern somebody.
    selected_events: Vec<u32>,
    pawn_count_cache: PawnCountCache,
    clock: HalfmoveClock,
    repetition: RepetitionFinder,
    /// For each test of headers, which games of the batch pass it.
    header_masks: Vec<GameMask>,
}

/// What a thread knows of one query.
struct QueryState {
    evaluator: QueryEvaluator,
    /// Games of the batch that are to be tested for it.
    candidates: GameMask,
    /// Batches until goals are asked again.
    batches_to_skip: u32,
    /// Games in a row in which it was not worth judging before the board was asked.
    useless_evaluations: usize,
}

/// How many games there are.
fn count_games(games: &GameMask) -> u32 {
    games.iter().map(|mask| mask.count_ones()).sum()
}

impl<'p> GameEvaluator<'p> {
    fn new(prepared: &'p PreparedBatch<'p>) -> GameEvaluator<'p> {
        let new_state = |one: &PreparedQuery<'_>| QueryState {
            evaluator: QueryEvaluator::new(one.query),
            candidates: GameMask::default(),
            batches_to_skip: 0,
            useless_evaluations: 0,
        };
        GameEvaluator {
            statistics: ScanStatistics::default(),
            query_states: prepared.queries.iter().map(new_state).collect(),
            sets: Vec::new(),
            selected_events: Vec::new(),
            pawn_count_cache: PawnCountCache::new(),
            clock: HalfmoveClock::default(),
            repetition: RepetitionFinder::new(),
            header_masks: Vec::new(),
            board: prepared.initial.clone(),
            prepared,
        }
    }

    /// Finds the games of a batch that are to be tested, query by query.
    #[inline(never)]
    fn select_candidates(&mut self, span: &GameSpan<'_>) {
        self.header_masks.clear();
        let prepared = self.prepared;
        let queries = prepared.queries.iter().filter(|one| one.header_filter.is_none());
        let used_predicates = queries.fold(0, |all, one| all | one.used_predicates);
        let test = |(test, &n): (usize, &u8)| {
            if used_predicates >> n & 1 != 0 { prepared.headers.evaluate(span, test) } else { GameMask::default() }
        };
        self.header_masks.extend(prepared.header_predicates.iter().enumerate().map(test));
        let mut candidates = GameMask::default();
        for q in 0..self.query_states.len() {
            let games = self.select_candidates_for(q, span);
            self.query_states[q].candidates = games;
            candidates.iter_mut().zip(games).for_each(|(all, games)| *all |= games);
        }
        self.statistics.games_rejected_early += u64::from(span.len() - count_games(&candidates));
    }

    /// Games of a batch that are to be tested for a query, a bit each.
    fn select_candidates_for(&mut self, query_index: usize, span: &GameSpan<'_>) -> GameMask {
        let query = &self.prepared.queries[query_index];
        let mut masks = query.candidate_games(span);
        let candidates = count_games(&masks);
        if candidates == 0 {
            return masks;
        }
        if let Some(facts) = &query.header_filter {
            let mut games = facts.matching_games(&self.prepared.headers, span);
            games.iter_mut().zip(masks).for_each(|(game, candidate)| *game &= candidate);
            return games;
        }
        let word_count = span.len().div_ceil(64) as usize;
        if !self.header_masks.is_empty() {
            for (nth, mask) in masks.iter_mut().enumerate().take(word_count) {
                *mask &= self.possible_games(query, nth, |_, _| u64::MAX);
            }
        }
        let has_conditions = query.final_material_conditions != 0 || query.targets.iter().any(Option::is_some);
        let has_signatures = !span.signatures().is_empty() && has_conditions;
        let batches_to_skip = self.query_states[query_index].batches_to_skip.saturating_sub(1);
        self.query_states[query_index].batches_to_skip = batches_to_skip;
        if !has_signatures || batches_to_skip > 0 {
            return masks;
        }
        for (nth, mask) in masks.iter_mut().enumerate().take(word_count).filter(|(_, mask)| **mask != 0) {
            *mask &= self.home_pawns_possible(query, span, nth);
        }
        // PERF: a game lies in many places; those of games that are few and far apart are asked for side by side.
        if count_games(&masks) <= BATCH_GAMES / 8 {
            core::hint::black_box(iter_ones(&masks).fold(0, |all, nth| all ^ span.signatures()[nth].white));
        }
        for (nth, mask) in masks.iter_mut().enumerate().take(word_count) {
            *mask = self.targets_reachable(query, span, nth, *mask);
        }
        let number = count_games(&masks);
        if number <= BATCH_GAMES / 8 {
            core::hint::black_box(iter_ones(&masks).fold(0, |all, nth| all ^ span.prefetch(nth as u32)));
        }
        // What turns hardly any game down is asked of every eighth batch only; several ways are as many questions.
        self.query_states[query_index].batches_to_skip =
            if (candidates - number) * 32 < number * query.alternative_count() { 8 } else { 0 };
        masks
    }

    /// Of the games of word `nth` of `span`, those that may match or have positions that do by their pawns at home, a bit each.
    fn home_pawns_possible(&self, query: &PreparedQuery<'_>, span: &GameSpan<'_>, word: usize) -> u64 {
        let games = (span.len() as usize - word * 64).min(64);
        let column = |column: usize| milestone_column(span, word, column);
        self.possible_games(query, word, |_, goals| {
            let Some(ImpliedTargets { common: all, alternatives: ways }) = goals else { return u64::MAX };
            let all = all.as_ref().map_or(u64::MAX, |(homes, _)| homes.possible_games(&column));
            match &ways[..] {
                [] => all,
                ways => all & ways.iter().fold(0, |may, (homes, _)| may | homes.possible_games(&column)),
            }
        }) & plies::valid_bits(games, 0)
    }

    /// Of these, those that may by the signatures of their last positions.
    fn targets_reachable(&self, query: &PreparedQuery<'_>, span: &GameSpan<'_>, word: usize, games: u64) -> u64 {
        let (signatures, promotions) = (span.signatures(), span.home_pawn_column(PROMOTION_COLUMN));
        let signatures = &signatures[word * 64..];
        let column = |column: usize| milestone_column(span, word, column);
        let final_material_fits = match query.final_material_conditions {
            0 => games,
            at_last => {
                games
                    & self.possible_games(query, word, |n, _| {
                        if at_last >> n & 1 != 0 {
                            self.final_material_possible(query, n, signatures, games)
                        } else {
                            u64::MAX
                        }
                    })
            }
        };
        final_material_fits
            & self.possible_games(query, word, |_, goals| {
                let Some(ImpliedTargets { common: all, alternatives: ways }) = goals else { return u64::MAX };
                let of = |goal: &ReachabilityTarget, games: u64| {
                    Bitboard(games).into_iter().fold(0, |may, game| {
                        let promotions = home_pawns::max_promotions(promotions[word * 64 + game as usize]);
                        may | u64::from(goal.may_have_been_reached_with(&signatures[game as usize], promotions))
                            << game as u32
                    })
                };
                // What all ways have in common is asked first.
                let all = all.as_ref().map_or(final_material_fits, |(_, goal)| of(goal, final_material_fits));
                match &ways[..] {
                    [] => all,
                    // Homes again, for a game is for a way that passes both of its tests.
                    ways => ways.iter().fold(0, |may, (homes, goal)| match all & !may {
                        0 => may,
                        asked => may | of(goal, asked & homes.possible_games(&column)),
                    }),
                }
            })
    }

    /// Of these games, those in which a condition on the numbers of men may hold where they are those of their signatures.
    fn final_material_possible(
        &self,
        query: &PreparedQuery<'_>,
        condition_index: u8,
        signatures: &[MatSig],
        mut games: u64,
    ) -> u64 {
        let PreparedBatch { predicates: sorted, initial, .. } = self.prepared;
        let formula = &query.query.conditions[usize::from(condition_index)].formula;
        let mut board = initial.clone();
        for game in Bitboard(games) {
            let Some(number) = signatures[game as usize].piece_counts() else { continue };
            board.piece_counts = number;
            let holds = |n: u8| if sorted[usize::from(n)].test(&board) { (1, 1) } else { (0, 0) };
            games &= !((formula.bounds(&holds).1 & 1 ^ 1) << game as u32);
        }
        games
    }

    /// In which games of word `nth` of the batch the verdict may hold, or some position may match, given in which each goal may be reached.
    #[inline(always)]
    fn possible_games(
        &self,
        prepared_query: &PreparedQuery<'_>,
        word: usize,
        possible_by_target: impl Fn(u8, Option<&ImpliedTargets>) -> u64,
    ) -> u64 {
        let PreparedQuery { targets: goals, query, wants_positions: positions, header_formulas: headed, .. } =
            prepared_query;
        match (&goals[..], &query.verdict) {
            ([Some(only)], Formula::Bit(0))
                if matches!(query.position_verdict, Formula::Bit(0)) && headed[0].is_none() =>
            {
                possible_by_target(0, Some(only))
            }
            (goals, verdict) => {
                let condition = |n: u8| {
                    let most = possible_by_target(n, goals[usize::from(n)].as_ref());
                    let n = usize::from(n);
                    match headed[n] {
                        None => (0, most),
                        Some(formula) => {
                            let (must, may) = self.header_bounds(formula, word);
                            // Whether it is ever so depends on the plies, unless it speaks of nothing else.
                            if query.conditions[n].window.occurrence == Occurrence::Header {
                                (must, may)
                            } else {
                                (0, may & most)
                            }
                        }
                    }
                };
                let games = verdict.bounds(&condition).1;
                if *positions { games | query.position_verdict.bounds(&condition).1 } else { games }
            }
        }
    }

    /// What a formula must be and may be in the games of word `nth` of the batch, by their headers.
    #[inline(never)]
    fn header_bounds(&self, formula: &Formula, word: usize) -> (u64, u64) {
        formula.bounds(&|n| match self.prepared.header_predicates.iter().position(|&of_header| of_header == n) {
            Some(test) => (self.header_masks[test][word], self.header_masks[test][word]),
            None => (0, u64::MAX),
        })
    }

    /// Tests predicates, source by source, until nothing is open for the queries `live`. Verdicts, and positions that match, are then in
    /// their judges.
    #[inline(never)]
    fn evaluate_game(
        &mut self,
        (span, game_in_span): (&GameSpan<'_>, usize),
        game: &Game<'_>,
        start: &Board,
        has_initial_start: bool,
        course: EventStreams<'_>,
        candidate_queries: u64,
    ) {
        let prepared = self.prepared;
        let PreparedBatch { predicates: ref sorted, queries: ref each, .. } = *prepared;
        let plies = game.moves.len();
        let width = plies::word_count(plies);
        self.sets.clear();
        self.sets.resize(width * sorted.len(), 0);
        let first_half_move = first_half_move(start);
        let at_start = match prepared.holding_initially {
            None => 0,
            Some(usually) if has_initial_start => usually,
            Some(_) => each.first().map_or(0, |one| one.query.predicates_on_start(start)),
        };
        let mut known_predicates = 0u64;
        let mut header_bits = 0u64;
        for (&n, passed) in prepared.header_predicates.iter().zip(&self.header_masks) {
            let holds = passed[game_in_span / 64] >> (game_in_span % 64) & 1;
            self.sets[usize::from(n) * width..][..width].fill(holds.wrapping_neg());
            header_bits |= holds << n;
            known_predicates |= 1 << n;
        }
        let game_context = track::TrackedGame { plies, first_half_move, holding_at_start: at_start | header_bits };
        for &(n, numbered) in &prepared.ply_number_tests {
            let predicate_set = &mut self.sets[usize::from(n) * width..][..width];
            match numbered {
                PlyNumberTest::SideToMove(black) => {
                    // After an odd ply the second player is to move.
                    let odd = black != (start.turn != 0);
                    predicate_set.fill(if odd { 0x5555_5555_5555_5555 } else { 0xaaaa_aaaa_aaaa_aaaa });
                }
                PlyNumberTest::Ply(when) => {
                    let (from, to) = when.ply_range(plies, first_half_move);
                    plies::set_range(predicate_set, from, to);
                }
            }
            known_predicates |= 1 << n;
        }
        // Queries for which something is open, and those that have been judged, so that it is known what.
        let (mut unsettled, mut evaluated) = (candidate_queries, 0u64);
        for q in Bitboard(candidate_queries) {
            let one = &each[q as usize];
            if one.is_evaluated_eagerly && one.restricts_plies {
                evaluated |= 1 << q as u32;
                unsettled &= !(u64::from(self.evaluate_query(q as usize, known_predicates, game_context)) << q as u32);
            }
        }
        for (bits, cheap) in &prepared.boardless_tests {
            if unsettled == 0 {
                return;
            }
            let interested_queries = prepared.interested_queries(unsettled, *bits);
            if interested_queries == 0 {
                continue;
            }
            let until = self.last_undecided(interested_queries, evaluated, plies);
            let before = known_predicates;
            match cheap {
                BoardlessTests::TouchedSquares(touched) => {
                    touch::test_squares(touched, &game.moves[..until], start, (&mut self.sets, width));
                    self.statistics.plies_read_without_board += until as u64;
                    known_predicates |= touched.bits;
                }
                BoardlessTests::HalfmoveClock(clocks) => {
                    self.clock.read_resets(course, plies);
                    for &(n, limit) in clocks {
                        self.clock.add_matching_plies(
                            limit,
                            start.halfmoves,
                            &mut self.sets[usize::from(n) * width..][..width],
                        );
                        known_predicates |= 1 << n;
                    }
                }
                BoardlessTests::Repetitions(repetitions) => {
                    self.clock.read_resets(course, plies);
                    known_predicates |= self.test_repetitions(repetitions, &game.moves[..until], start, width);
                }
                BoardlessTests::Events(source, along) => {
                    let walked = GameEvents { course, plies: until, first_mover: start.turn, has_initial_start };
                    let last = span
                        .signatures()
                        .get(game_in_span)
                        .zip(span.home_pawn_column(PROMOTION_COLUMN).get(game_in_span));
                    self.statistics.events_read +=
                        self.test_events(*source, along, (start, last), &walked, width) as u64;
                    known_predicates |= along.bits;
                }
            }
            for q in Bitboard(interested_queries) {
                let (one, bit) = (&each[q as usize], 1 << q as u32);
                if one.is_evaluated_eagerly {
                    evaluated |= bit;
                    if self.evaluate_query(q as usize, known_predicates, game_context) {
                        unsettled &= !bit;
                    }
                } else if !one.wants_positions
                    && !one.early_rejection.may_match(
                        &self.sets,
                        known_predicates,
                        known_predicates & !before,
                        game_context,
                    )
                {
                    self.query_states[q as usize].evaluator.reject();
                    unsettled &= !bit;
                }
            }
        }
        for q in Bitboard(unsettled & !evaluated) {
            let (one, bit) = (&each[q as usize], 1 << q as u32);
            // PERF: what has shown in game after game that most plies need the board is asked of one game in so many.
            let not_worth = self.query_states[q as usize].useless_evaluations;
            let asks = one.used_predicates & prepared.board_predicates == 0
                || not_worth < MAX_USELESS_TRIES
                || not_worth.is_multiple_of(MAX_USELESS_TRIES);
            let settled = asks && self.evaluate_query(q as usize, known_predicates, game_context);
            if settled {
                unsettled &= !bit;
            }
            let QueryState { evaluator: judge, useless_evaluations: not_worth, .. } =
                &mut self.query_states[q as usize];
            *not_worth = if settled || asks && judge.undecided_count() * 2 < plies { 0 } else { *not_worth + 1 };
            if !asks {
                judge.mark_all_undecided(plies);
            }
        }
        for (nth, tested) in prepared.board_tests.iter().enumerate() {
            let asking = prepared.interested_queries(unsettled, tested.bits);
            if asking == 0 {
                continue;
            }
            self.board.clone_from(start);
            let later = prepared.board_tests[nth + 1..].iter().fold(0, |all, tested| all | tested.bits);
            // One ply where its formula holds is all that such a query wants.
            let settles = |q: usize| {
                let one_ply = each[q].used_predicates & later == 0
                    && !each[q].wants_positions
                    && self.query_states[q].evaluator.is_decided_by_one_ply();
                one_ply.then(|| &each[q].query.conditions[0].formula)
            };
            let of = |q: usize| replay::ReplayQuery {
                used_predicates: each[q].used_predicates,
                undecided: self.query_states[q].evaluator.undecided(),
                sufficient_formula: settles(q),
            };
            let sets = (&mut self.sets[..], width);
            let played = if asking.is_power_of_two() {
                let one = of(asking.trailing_zeros() as usize);
                replay::replay_query(tested, &one, sorted, game.moves, &mut self.board, sets)
            } else {
                let several: Vec<replay::ReplayQuery<'_>> =
                    Bitboard(asking).into_iter().map(|q| of(q as usize)).collect();
                replay::replay_queries(tested, &several, sorted, game.moves, &mut self.board, sets)
            };
            self.statistics.games_replayed += u64::from(nth == 0);
            self.statistics.plies_replayed += played as u64;
            known_predicates |= tested.bits;
            for q in Bitboard(asking) {
                unsettled &= !(u64::from(self.evaluate_query(q as usize, known_predicates, game_context)) << q as u32);
            }
        }
    }

    /// How many plies there are up to the last that is open for one of these queries.
    #[inline(always)]
    fn last_undecided(&self, interested: u64, evaluated: u64, plies: usize) -> usize {
        if interested & !evaluated != 0 {
            return plies;
        }
        Bitboard(interested)
            .into_iter()
            .map(|q| self.query_states[q as usize].evaluator.last_undecided())
            .max()
            .unwrap_or(0)
    }

    /// Tests predicates along a stream of events. Returns how many of these were looked at.
    #[inline(always)]
    fn test_events(
        &mut self,
        source: AccessPath,
        tests: &EventTests,
        (start, last): (&Board, Option<(&MatSig, &u8)>),
        game: &GameEvents<'_>,
        width: usize,
    ) -> usize {
        self.board.piece_counts = start.piece_counts;
        (self.board.bitboards[1], self.board.bitboards[9]) = (start.bitboards[1], start.bitboards[9]);
        let (board, sets) = (&mut self.board, (&mut self.sets[..], width));
        match source {
            AccessPath::MaterialEvents => {
                events::walk_material_events(tests, game, board, sets, &mut self.selected_events)
            }
            AccessPath::PawnFileEvents => events::walk_pawn_file_events(
                tests,
                game,
                board,
                sets,
                (&mut self.selected_events, &mut self.pawn_count_cache),
            ),
            AccessPath::PawnEvents => match &self.prepared.home_pawn_watch {
                None => events::walk_pawn_events(tests, game, board, sets, &mut self.selected_events, |_| true),
                Some(watched) => {
                    let mut ways = watched.initial_targets([start.bitboards[1], start.bitboards[9]]);
                    events::walk_pawn_events(tests, game, board, sets, &mut self.selected_events, |changed| {
                        // No pawn comes to the home of its side, so what changes there leaves.
                        let left = watched.remaining(ways, home_pawns::home_bits(changed));
                        // PERF: goals are asked once, when no more can be told by homes.
                        ways = match last {
                            Some((last, &promotions))
                                if left != 0 && watched.depend_on_homes(ways) && !watched.depend_on_homes(left) =>
                            {
                                watched.reachable(left, last, home_pawns::max_promotions(promotions))
                            }
                            _ => left,
                        };
                        ways != 0
                    })
                }
            },
            _ => events::walk_all_events(tests, game, start, board, sets),
        }
    }

    /// Tests predicates about repetitions. Returns their bits.
    fn test_repetitions(
        &mut self,
        comparisons: &[(u8, SingleComparison)],
        moves: &[Move],
        start: &Board,
        width: usize,
    ) -> u64 {
        let min_cycle = repetition::min_cycle(moves);
        let quiet_plies = self.clock.quiet_for(min_cycle);
        let mut known = 0;
        for &(n, compared) in comparisons {
            let set = &mut self.sets[usize::from(n) * width..][..width];
            set.fill(if compared.holds(1) { u64::MAX } else { 0 });
            self.repetition.find_repetitions(start, moves, (quiet_plies, min_cycle), |ply, times| {
                let bit = 1 << (ply % 64);
                set[ply / 64] = set[ply / 64] & !bit | if compared.holds(times) { bit } else { 0 };
            });
            known |= 1 << n;
        }
        known
    }

    /// Judges a query by what is known. True if nothing is open any more.
    #[inline(always)]
    fn evaluate_query(&mut self, query_index: usize, known_predicates: u64, game: track::TrackedGame) -> bool {
        let known = KnownPredicates { sets: &self.sets, known: known_predicates, game };
        let PreparedQuery { query, wants_positions: positions, .. } = self.prepared.queries[query_index];
        self.query_states[query_index].evaluator.evaluate(query, &known, positions)
    }
}

/// A column of milestones of the games of word `nth`.
fn milestone_column<'a>(span: &GameSpan<'a>, word: usize, column: usize) -> &'a [u8] {
    let column = span.home_pawn_column(column);
    column.get(word * 64..(word * 64 + 64).min(column.len())).unwrap_or(&[])
}

/// A thread's part of a scan.
struct ScanWorker<'p, R> {
    /// One for queries that share their predicates.
    evaluators: Vec<GameEvaluator<'p>>,
    /// In the order of the requests.
    reducers: Vec<R>,
    needs: Vec<ReplayNeeds>,
    /// The course of a game whose corpus has none.
    event_buffer: EventStreamBuffer,
}

impl<'p, R: Reducer> ScanWorker<'p, R> {
    fn new(prepared: &'p [PreparedBatch<'p>], reducers: Vec<R>) -> ScanWorker<'p, R> {
        let testers = prepared.iter().map(GameEvaluator::new).collect();
        let needs = reducers.iter().map(Reducer::needs).collect();
        ScanWorker { evaluators: testers, needs, event_buffer: EventStreamBuffer::default(), reducers }
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

    /// Finds out what tester `t` says of a game, and hands it to those who want it.
    #[inline(always)]
    fn scan_game(&mut self, evaluator_index: usize, span: &GameSpan<'_>, game_in_span: usize, game: &Game<'_>) {
        let prepared = self.evaluators[evaluator_index].prepared;
        let custom_start = game.custom_start_board().map(with_dark_bishop_counts);
        let has_initial_start = custom_start.is_none();
        let start = custom_start.as_ref().unwrap_or(&prepared.initial);
        let mut borrowed_buffer = None;
        let event_streams = game.event_streams.unwrap_or_else(|| {
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
            // Whoever asks for headers alone has been answered.
            if one.header_filter.is_some() { header_queries |= is_in } else { undecided_queries |= is_in }
        }
        if undecided_queries != 0 {
            self.evaluators[evaluator_index].evaluate_game(
                (span, game_in_span),
                game,
                start,
                has_initial_start,
                event_streams,
                undecided_queries,
            );
        }
        for q in Bitboard(undecided_queries | header_queries) {
            let q = q as usize;
            if header_queries >> q & 1 != 0 {
                self.hand_to_reducer(
                    (evaluator_index, q),
                    (span, game_in_span as u32),
                    game,
                    start,
                    event_streams,
                    Matches::every_position(plies),
                    true,
                );
                continue;
            }
            let judge = &mut self.evaluators[evaluator_index].query_states[q].evaluator;
            let (verdict, set) = (judge.verdict(), core::mem::take(judge.matches_mut()));
            let matches = Matches::from_words(&set, plies);
            if verdict || matches.count() > 0 {
                self.hand_to_reducer(
                    (evaluator_index, q),
                    (span, game_in_span as u32),
                    game,
                    start,
                    event_streams,
                    matches,
                    verdict,
                );
            }
            *self.evaluators[evaluator_index].query_states[q].evaluator.matches_mut() = set;
        }
        if let Some(courses) = borrowed_buffer {
            self.event_buffer = courses;
        }
    }

    /// Hands a game to the reducer of query `q` of tester `t`, and its matching positions, if it wants a board.
    #[expect(clippy::too_many_arguments, reason = "a game in parts, none of which is kept")]
    #[inline(always)]
    fn hand_to_reducer(
        &mut self,
        (t, q): (usize, usize),
        (span, nth): (&GameSpan<'_>, u32),
        game: &Game<'_>,
        start: &Board,
        course: EventStreams<'_>,
        matches: Matches<'_>,
        verdict: bool,
    ) {
        let request = self.evaluators[t].prepared.queries[q].request;
        let (tester, reducer, needs) = (&mut self.evaluators[t], &mut self.reducers[request], self.needs[request]);
        if R::NEEDS_BOARDS && needs != ReplayNeeds::NONE && matches.count() > 0 {
            if needs == ReplayNeeds::HASH {
                replay_matches::<HashOnly, R>(reducer, tester, game, start, &matches);
            } else {
                replay_matches::<FullState, R>(reducer, tester, game, start, &matches);
            }
        }
        reducer.game(&ScanMatch {
            span,
            game_in_span: nth,
            game,
            start_board: start,
            event_streams: course,
            matches,
            verdict,
        });
    }
}

/// Shows a reducer the matching positions of a game.
fn replay_matches<P: MakePolicy, R: Reducer>(
    reducer: &mut R,
    GameEvaluator { board, statistics: work, .. }: &mut GameEvaluator<'_>,
    game: &Game<'_>,
    start: &Board,
    matches: &Matches<'_>,
) {
    board.clone_from(start);
    let (first, last) = (matches.first(), matches.last());
    work.plies_replayed += last as u64;
    // Setting a board up costs as much as some moves with all that is kept up for a hash.
    let fast_forwarded = if P::HASH && first > MIN_FAST_FORWARD { first - 1 } else { 0 };
    board.fast_forward::<P>(&game.moves[..fast_forwarded]);
    let mut walk = MakeState::for_board(board);
    for (nth, &mv) in game.moves.iter().enumerate().take(last).skip(fast_forwarded) {
        board.make_with::<P>(mv, &mut walk);
        if matches.words().is_none_or(|set| set[nth / 64] >> (nth % 64) & 1 != 0) {
            reducer.position(&MatchingPosition { game, board, ply: nth as u32 + 1 });
        }
    }
}
