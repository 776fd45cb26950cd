//! The fold: all five stages in one pass, state per game bounded by the query and not by the game.
//!
//! ```text
//! for each game
//!     board = its start
//!     for each move
//!         change = make(move)                    what the policy keeps up, no more
//!         if change touches what the query depends on
//!             test the predicates that it touches, then conditions, then the verdict
//!         matched += verdict
//!         hand the ply to the reducers
//!     hand the game to the reducers
//! ```
//!
//! The test in the middle is what makes a query cost little more than the replay: queens come off once in a game, so
//! `queens_off` is tested two or three times in eighty plies.
//!
//! Decisions fall at the door ([`scan`]): the policy of `make_move` is the cheapest that serves the union of the needs, the reducers
//! are types; the loop inside has none of them left.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use thiserror::Error;

use super::Query;
use super::needs::Needs;
use super::reducer::{End, Ply, Reducer};
use super::track::Track;
use crate::board::make::{Bits, Mailbox, Pawns, Plies, Policy, Tally, Walk, Whole};
use crate::board::{Board, EVERYTHING};
use crate::game::{Game, Span};

/// Games that one thread takes at a time.
const BATCH: u32 = 512;

/// Hears of the advance of a scan, and may end it.
pub trait Watch: Sync {
    /// So many more games have been scanned. False ends the scan soon.
    fn advance(&self, games: u32) -> bool;
}

/// Nobody watches.
impl Watch for () {
    fn advance(&self, _: u32) -> bool {
        true
    }
}

/// The watch ended the scan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("the scan was cancelled")]
pub struct Cancelled;

/// How many threads a scan runs on: those of the current rayon pool (feature `rayon`), else one.
pub fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    1
}

/// Scans the games of `spans`, with all threads of the current rayon pool (feature `rayon`), and returns what the reducers kept.
///
/// `reducer` makes an empty reducer, once per thread. Results do not depend on the number of threads.
///
/// # Errors
///
/// [`Cancelled`] by `watch`.
pub fn scan<R: Reducer>(
    spans: &[Span<'_>],
    query: &Query,
    reducer: impl Fn() -> R + Sync,
    watch: &impl Watch,
) -> Result<R, Cancelled> {
    let needs = query.needs().and(reducer().needs());
    let batches: Vec<Span<'_>> = spans.iter().flat_map(|span| span.split(BATCH)).collect();
    let next = AtomicUsize::new(0);
    let cancelled = AtomicBool::new(false);
    let work = || {
        let mut reducer = reducer();
        while let Some(span) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
            door(span, query, &mut reducer, needs);
            if !watch.advance(span.len()) {
                cancelled.store(true, Ordering::Relaxed);
            }
            if cancelled.load(Ordering::Relaxed) {
                break;
            }
        }
        reducer
    };
    #[cfg(feature = "rayon")]
    let found = {
        use rayon::iter::{IntoParallelIterator, ParallelIterator};
        let workers = 0..threads().min(batches.len()).max(1);
        let all: Vec<R> = workers.into_par_iter().map(|_| work()).collect();
        let merged = all.into_iter().reduce(|mut all, other| {
            all.merge(other);
            all
        });
        // There is at least one worker, even for no games.
        merged.unwrap_or_else(&reducer)
    };
    #[cfg(not(feature = "rayon"))]
    let found = work();
    if cancelled.into_inner() { Err(Cancelled) } else { Ok(found) }
}

/// Chooses the policy.
fn door<R: Reducer>(span: &Span<'_>, query: &Query, reducer: &mut R, needs: Needs) {
    if needs.include(Needs::RIGHTS_AND_HASH) {
        fold::<Whole, R>(span, query, reducer);
    } else if needs.include(Needs::TALLY) {
        fold::<Tally, R>(span, query, reducer);
    } else if needs == Needs::PAWNS {
        fold::<Pawns, R>(span, query, reducer);
    } else if needs.include(Needs::PAWNS) {
        fold::<Bits, R>(span, query, reducer);
    } else if needs.include(Needs::MAILBOX) {
        fold::<Mailbox, R>(span, query, reducer);
    } else {
        fold::<Plies, R>(span, query, reducer);
    }
}

#[inline(never)]
fn fold<P: Policy, R: Reducer>(span: &Span<'_>, query: &Query, reducer: &mut R) {
    let initial = Board::initial();
    let mut board = initial.clone();
    let mut depends = [0; 64];
    for (predicate, depends) in query.predicates.iter().zip(&mut depends) {
        *depends = predicate.depends();
    }
    let prepared = Prepared {
        query,
        depends: &depends[..query.predicates.len().min(64)],
        any: query.depends(),
        settles: R::VERDICT_ONLY && query.verdict.is_monotone(),
    };
    for game in span.games() {
        match game.own_start() {
            None => board.clone_from(&initial),
            Some(start) => board = start,
        }
        fold_game::<P, R>(&game, &mut board, &prepared, reducer);
    }
}

/// A query with what the loop wants at hand.
struct Prepared<'a> {
    query: &'a Query,
    /// What each predicate depends on.
    depends: &'a [u32],
    /// The union.
    any: u32,
    /// Whether a game may be left once its verdict is true.
    settles: bool,
}

#[inline(always)]
fn fold_game<P: Policy, R: Reducer>(game: &Game<'_>, board: &mut Board, prepared: &Prepared<'_>, reducer: &mut R) {
    reducer.begin(game, board);
    let mut state = State::new(prepared);
    let mut matched = 0;
    if P::MAILBOX || P::PAWNS {
        let mut walk = Walk::on(board);
        for (&mv, number) in game.moves.iter().zip(1..) {
            reducer.before(board, mv, matched);
            let change = board.make_as::<P>(mv, &mut walk);
            // Predicates want bitboards: where there are none, there is nothing to test.
            if (P::BITS || P::PAWNS) && change & state.depends != 0 && state.news(prepared, board, change) {
                break;
            }
            let matched_before = matched;
            matched += state.matches;
            reducer.after(&Ply { board, change, number, matched_before, matches: state.matches != 0 });
        }
    } else {
        matched = game.moves.len() as u32 * state.matches;
    }
    let verdict = prepared.query.verdict.holds(state.track.fired);
    reducer.end(&End { game, board, matched, verdict });
}

/// What the fold remembers of a game: bounded by the query.
struct State {
    /// Changes that are news: everything before the first ply.
    depends: u32,
    /// 1 if the current position matches, else 0.
    matches: u32,
    /// Whether no ply has been tested yet.
    first: bool,
    /// The predicates that hold.
    bits: u64,
    track: Track,
}

impl State {
    fn new(prepared: &Prepared<'_>) -> State {
        let matches = u32::from(prepared.query.verdict.holds(0));
        State { depends: EVERYTHING, matches, first: true, bits: 0, track: Track::default() }
    }

    /// Tests what `change` touches. True if the game may be left.
    ///
    /// PERF: out of line, so that the loop keeps its registers: most plies bring no news.
    #[inline(never)]
    fn news(&mut self, prepared: &Prepared<'_>, board: &Board, change: u32) -> bool {
        let query = prepared.query;
        self.depends = prepared.any;
        let first = core::mem::replace(&mut self.first, false);
        let change = if first { EVERYTHING } else { change };
        let mut bits = self.bits;
        for ((n, predicate), depends) in query.predicates.iter().enumerate().zip(prepared.depends) {
            if change & depends != 0 {
                bits = bits & !(1 << n) | u64::from(predicate.test(board)) << n;
            }
        }
        if bits == self.bits && !first {
            return false;
        }
        self.bits = bits;
        self.track.advance(query.holding(bits));
        self.matches = u32::from(query.verdict.holds(self.track.holding));
        prepared.settles && query.verdict.holds(self.track.fired)
    }
}
