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

use super::clock::{Clock, Compared};
use super::combine::Formula;
use super::events::{self, Along, Cases, Walked};
use super::judge::{Judge, Known};
use super::needs::Needs;
use super::plies::{self, ones};
pub use super::prepare::Request;
use super::prepare::{Cheap, Fused, Goals, Numbered, One, Prepared, with_dark_bishops};
use super::reducer::{Found, Matches, Ply, Reducer};
use super::repetition::{self, Repetition};
use super::replay;
use super::source::Source;
use super::touch;
use super::track;
use super::{Query, Times, Work, first_half_move};
use crate::board::Board;
use crate::board::make::{HashAlone, Policy, Walk, Whole};
use crate::course::milestones::{self, PROMOTIONS};
use crate::course::{Course, Courses};
use crate::game::{Game, Span};
use crate::headers::masks::Mask;
use crate::matsig::MatSig;
use crate::matsig::goal::Goal;
use crate::moves::Move;

/// Fewer plies than these before the first match are replayed like the rest.
const SKIP: usize = 24;
/// Games in a row that must fail before a try is left out, and how many are left out then.
const PATIENCE: usize = 16;
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

/// Scans the games of `spans`, with all threads of the current rayon pool (feature `rayon`), and returns what the reducers kept, and
/// what was looked at for it.
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
    watch: &dyn Watch,
) -> Result<(R, Work), Cancelled> {
    scan_within(spans, query, None, reducer, watch)
}

/// The same for some of the games alone: game `id` is looked at if bit `id % 64` of word `id / 64` of `within` is set, and no other
/// game costs more than a look at that. Games beyond the words are not looked at.
///
/// # Errors
///
/// [`Cancelled`] by `watch`.
pub fn scan_within<R: Reducer>(
    spans: &[Span<'_>],
    query: &Query,
    within: Option<&[u64]>,
    reducer: impl Fn() -> R + Sync,
    watch: &dyn Watch,
) -> Result<(R, Work), Cancelled> {
    let request = Request { query, within, positions: !R::VERDICT_ONLY };
    let (mut kept, work) = scan_all(spans, &[request], || [reducer()].into(), watch)?;
    // There is one for each request.
    Ok((kept.pop().unwrap_or_else(reducer), work))
}

/// The same for any number of queries in one pass, each with a reducer of its own: games are read once, and what several queries ask of a
/// game is found out once for all of them.
///
/// `reducers` makes empty ones, in the order of the requests. They are asked of the games as if each query were scanned alone.
///
/// # Errors
///
/// [`Cancelled`] by `watch`.
pub fn scan_all<R: Reducer>(
    spans: &[Span<'_>],
    requests: &[Request<'_>],
    reducers: impl Fn() -> Vec<R> + Sync,
    watch: &dyn Watch,
) -> Result<(Vec<R>, Work), Cancelled> {
    let batches = Batches::of(spans);
    let next = AtomicUsize::new(0);
    let cancelled = AtomicBool::new(false);
    let fused = Fused::of(requests);
    let prepared: Vec<Prepared<'_>> = fused.iter().map(|fused| Prepared::new(fused, spans)).collect();
    let work = || {
        let mut fold = Fold::new(&prepared, reducers());
        while let Some(span) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
            fold.span(&span);
            if !watch.advance(span.len()) {
                cancelled.store(true, Ordering::Relaxed);
            }
            if cancelled.load(Ordering::Relaxed) {
                break;
            }
        }
        let mut work = Work::default();
        fold.testers.iter().for_each(|tester| work.add(&tester.work));
        (fold.reducers, work)
    };
    #[cfg(feature = "rayon")]
    let (kept, mut looked_at) = {
        use rayon::iter::{IntoParallelIterator, ParallelIterator};
        let workers = 0..threads().min(batches.len()).max(1);
        let all: Vec<(Vec<R>, Work)> = workers.into_par_iter().map(|_| work()).collect();
        let merged = all.into_iter().reduce(|mut all, other| {
            all.0.iter_mut().zip(other.0).for_each(|(reducer, other)| reducer.merge(other));
            all.1.add(&other.1);
            all
        });
        // There is at least one worker, even for no games.
        merged.unwrap_or_else(|| (reducers(), Work::default()))
    };
    #[cfg(not(feature = "rayon"))]
    let (kept, mut looked_at) = work();
    if cancelled.into_inner() {
        return Err(Cancelled);
    }
    looked_at.games = spans.iter().map(|span| u64::from(span.len())).sum();
    looked_at.plies = spans.iter().map(Span::plies).sum();
    Ok((kept, looked_at))
}

/// The games of a scan in batches, made as they are asked for: for a query of headers alone a list of them would be half of the work.
struct Batches<'s, 'a> {
    spans: &'s [Span<'a>],
    /// How many batches there are up to the end of each span.
    ends: Vec<usize>,
}

impl<'s, 'a> Batches<'s, 'a> {
    fn of(spans: &'s [Span<'a>]) -> Batches<'s, 'a> {
        let mut end = 0;
        let ends = spans.iter().map(|span| {
            end += span.len().div_ceil(BATCH) as usize;
            end
        });
        Batches { ends: ends.collect(), spans }
    }

    #[cfg(feature = "rayon")]
    fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    fn get(&self, nth: usize) -> Option<Span<'a>> {
        let at = self.ends.partition_point(|&end| end <= nth);
        let span = self.spans.get(at)?;
        let begin = if at == 0 { 0 } else { self.ends[at - 1] };
        let from = (nth - begin) as u32 * BATCH;
        Some(span.part(from, span.len().min(from + BATCH)))
    }
}

/// What one thread tests games with; the reducers have no part in it.
struct Tester<'p> {
    prepared: &'p Prepared<'p>,
    work: Work,
    /// Of each query, what is known of it.
    mine: Vec<Mine>,
    /// At which plies of the current game each predicate holds.
    sets: Vec<u64>,
    board: Board,
    /// Events of the current game that concern somebody.
    kept: Vec<u32>,
    on_files: Cases,
    clock: Clock,
    repetition: Repetition,
    /// For each test of headers, which games of the batch pass it.
    passed: Vec<Mask>,
}

/// What a thread knows of one query.
struct Mine {
    judge: Judge,
    /// Games of the batch that are to be tested for it.
    games: Mask,
    /// Batches until goals are asked again.
    in_vain: u32,
    /// Games in a row in which it was not worth judging before the board was asked.
    not_worth: usize,
}

/// How many games there are.
fn number(games: &Mask) -> u32 {
    games.iter().map(|mask| mask.count_ones()).sum()
}

impl<'p> Tester<'p> {
    fn new(prepared: &'p Prepared<'p>) -> Tester<'p> {
        let mine =
            |one: &One<'_>| Mine { judge: Judge::new(one.query), games: Mask::default(), in_vain: 0, not_worth: 0 };
        Tester {
            work: Work::default(),
            mine: prepared.each.iter().map(mine).collect(),
            sets: Vec::new(),
            kept: Vec::new(),
            on_files: Cases::new(),
            clock: Clock::default(),
            repetition: Repetition::new(),
            passed: Vec::new(),
            board: prepared.initial.clone(),
            prepared,
        }
    }

    /// Finds the games of a batch that are to be tested, query by query.
    #[inline(never)]
    fn survivors(&mut self, span: &Span<'_>) {
        self.passed.clear();
        let prepared = self.prepared;
        let each = prepared.each.iter().filter(|one| one.facts.is_none());
        let asked = each.fold(0, |all, one| all | one.asked);
        let test = |(test, &n): (usize, &u8)| {
            if asked >> n & 1 != 0 { prepared.headers.masks(span, test) } else { Mask::default() }
        };
        self.passed.extend(prepared.of_header.iter().enumerate().map(test));
        let mut all = Mask::default();
        for q in 0..self.mine.len() {
            let games = self.survivors_of(q, span);
            self.mine[q].games = games;
            all.iter_mut().zip(games).for_each(|(all, games)| *all |= games);
        }
        self.work.games_cut += u64::from(span.len() - number(&all));
    }

    /// Games of a batch that are to be tested for a query, a bit each.
    fn survivors_of(&mut self, q: usize, span: &Span<'_>) -> Mask {
        let one = &self.prepared.each[q];
        let mut masks = one.candidates(span);
        let candidates = number(&masks);
        if candidates == 0 {
            return masks;
        }
        if let Some(facts) = &one.facts {
            let mut games = facts.games(&self.prepared.headers, span);
            games.iter_mut().zip(masks).for_each(|(game, candidate)| *game &= candidate);
            return games;
        }
        let words = span.len().div_ceil(64) as usize;
        if !self.passed.is_empty() {
            for (nth, mask) in masks.iter_mut().enumerate().take(words) {
                *mask &= self.may(one, nth, |_, _| u64::MAX);
            }
        }
        let tells = one.at_last != 0 || one.goals.iter().any(Option::is_some);
        let by_goals = !span.signatures().is_empty() && tells;
        let in_vain = self.mine[q].in_vain.saturating_sub(1);
        self.mine[q].in_vain = in_vain;
        if !by_goals || in_vain > 0 {
            return masks;
        }
        for (nth, mask) in masks.iter_mut().enumerate().take(words).filter(|(_, mask)| **mask != 0) {
            *mask &= self.may_stand(one, span, nth);
        }
        // PERF: a game lies in many places; those of games that are few and far apart are asked for side by side.
        if number(&masks) <= BATCH / 8 {
            core::hint::black_box(ones(&masks).fold(0, |all, nth| all ^ span.signatures()[nth].white));
        }
        for (nth, mask) in masks.iter_mut().enumerate().take(words) {
            *mask = self.may_match(one, span, nth, *mask);
        }
        let number = number(&masks);
        if number <= BATCH / 8 {
            core::hint::black_box(ones(&masks).fold(0, |all, nth| all ^ span.fetch(nth as u32)));
        }
        // What turns hardly any game down is asked of every eighth batch only; several ways are as many questions.
        self.mine[q].in_vain = if (candidates - number) * 32 < number * one.ways() { 8 } else { 0 };
        masks
    }

    /// Of the games of word `nth` of `span`, those that may match or have positions that do by their pawns at home, a bit each.
    fn may_stand(&self, one: &One<'_>, span: &Span<'_>, nth: usize) -> u64 {
        let games = (span.len() as usize - nth * 64).min(64);
        let column = |column: usize| column_of(span, nth, column);
        self.may(one, nth, |_, goals| {
            let Some(Goals { all, ways }) = goals else { return u64::MAX };
            let all = all.as_ref().map_or(u64::MAX, |(homes, _)| homes.may_stand(&column));
            match &ways[..] {
                [] => all,
                ways => all & ways.iter().fold(0, |may, (homes, _)| may | homes.may_stand(&column)),
            }
        }) & plies::within(games, 0)
    }

    /// Of these, those that may by the signatures of their last positions.
    fn may_match(&self, one: &One<'_>, span: &Span<'_>, nth: usize, games: u64) -> u64 {
        let (signatures, promotions) = (span.signatures(), span.milestones(PROMOTIONS));
        let signatures = &signatures[nth * 64..];
        let column = |column: usize| column_of(span, nth, column);
        let ended = match one.at_last {
            0 => games,
            at_last => {
                games
                    & self.may(one, nth, |n, _| {
                        if at_last >> n & 1 != 0 { self.may_end(one, n, signatures, games) } else { u64::MAX }
                    })
            }
        };
        ended
            & self.may(one, nth, |_, goals| {
                let Some(Goals { all, ways }) = goals else { return u64::MAX };
                let of = |goal: &Goal, games: u64| {
                    Bitboard(games).into_iter().fold(0, |may, game| {
                        let promotions = milestones::at_most(promotions[nth * 64 + game as usize]);
                        may | u64::from(goal.survives_game(&signatures[game as usize], promotions)) << game as u32
                    })
                };
                // What all ways have in common is asked first.
                let all = all.as_ref().map_or(ended, |(_, goal)| of(goal, ended));
                match &ways[..] {
                    [] => all,
                    // Homes again, for a game is for a way that passes both of its tests.
                    ways => ways.iter().fold(0, |may, (homes, goal)| match all & !may {
                        0 => may,
                        asked => may | of(goal, asked & homes.may_stand(&column)),
                    }),
                }
            })
    }

    /// Of these games, those in which a condition on the numbers of men may hold where they are those of their signatures.
    fn may_end(&self, one: &One<'_>, n: u8, signatures: &[MatSig], mut games: u64) -> u64 {
        let Prepared { sorted, initial, .. } = self.prepared;
        let formula = &one.query.conditions[usize::from(n)].formula;
        let mut board = initial.clone();
        for game in Bitboard(games) {
            let Some(number) = signatures[game as usize].numbers() else { continue };
            board.number = number;
            let holds = |n: u8| if sorted[usize::from(n)].test(&board) { (1, 1) } else { (0, 0) };
            games &= !((formula.between(&holds).1 & 1 ^ 1) << game as u32);
        }
        games
    }

    /// In which games of word `nth` of the batch the verdict may hold, or some position may match, given in which each goal may be reached.
    #[inline(always)]
    fn may(&self, one: &One<'_>, nth: usize, most: impl Fn(u8, Option<&Goals>) -> u64) -> u64 {
        let One { goals, query, positions, headed, .. } = one;
        match (&goals[..], &query.verdict) {
            ([Some(only)], Formula::Bit(0)) if matches!(query.matching, Formula::Bit(0)) && headed[0].is_none() => {
                most(0, Some(only))
            }
            (goals, verdict) => {
                let condition = |n: u8| {
                    let most = most(n, goals[usize::from(n)].as_ref());
                    let n = usize::from(n);
                    match headed[n] {
                        None => (0, most),
                        Some(formula) => {
                            let (must, may) = self.by_headers(formula, nth);
                            // Whether it is ever so depends on the plies, unless it speaks of nothing else.
                            if query.conditions[n].window.times == Times::Fact { (must, may) } else { (0, may & most) }
                        }
                    }
                };
                let games = verdict.between(&condition).1;
                if *positions { games | query.matching.between(&condition).1 } else { games }
            }
        }
    }

    /// What a formula must be and may be in the games of word `nth` of the batch, by their headers.
    #[inline(never)]
    fn by_headers(&self, formula: &Formula, nth: usize) -> (u64, u64) {
        formula.between(&|n| match self.prepared.of_header.iter().position(|&of_header| of_header == n) {
            Some(test) => (self.passed[test][nth], self.passed[test][nth]),
            None => (0, u64::MAX),
        })
    }

    /// Tests predicates, source by source, until nothing is open for the queries `live`. Verdicts, and positions that match, are then in
    /// their judges.
    #[inline(never)]
    fn settle(
        &mut self,
        (span, nth): (&Span<'_>, usize),
        game: &Game<'_>,
        start: &Board,
        usual: bool,
        course: Course<'_>,
        live: u64,
    ) {
        let prepared = self.prepared;
        let Prepared { ref sorted, ref each, .. } = *prepared;
        let plies = game.moves.len();
        let width = plies::words(plies);
        self.sets.clear();
        self.sets.resize(width * sorted.len(), 0);
        let first = first_half_move(start);
        let at_start = match prepared.at_start {
            None => 0,
            Some(usually) if usual => usually,
            Some(_) => each.first().map_or(0, |one| one.query.on_board(start)),
        };
        let mut known = 0u64;
        let mut facts = 0u64;
        for (&n, passed) in prepared.of_header.iter().zip(&self.passed) {
            let holds = passed[nth / 64] >> (nth % 64) & 1;
            self.sets[usize::from(n) * width..][..width].fill(holds.wrapping_neg());
            facts |= holds << n;
            known |= 1 << n;
        }
        let game_known = track::Game { plies, first, at_start: at_start | facts };
        for &(n, numbered) in &prepared.numbered {
            let set = &mut self.sets[usize::from(n) * width..][..width];
            match numbered {
                Numbered::Turn(black) => {
                    // After an odd ply the second player is to move.
                    let odd = black != (start.turn != 0);
                    set.fill(if odd { 0x5555_5555_5555_5555 } else { 0xaaaa_aaaa_aaaa_aaaa });
                }
                Numbered::When(when) => {
                    let (from, to) = when.range(plies, first);
                    plies::fill(set, from, to);
                }
            }
            known |= 1 << n;
        }
        // Queries for which something is open, and those that have been judged, so that it is known what.
        let (mut open, mut judged) = (live, 0u64);
        for q in Bitboard(live) {
            let one = &each[q as usize];
            if one.often && one.windows {
                judged |= 1 << q as u32;
                open &= !(u64::from(self.judged(q as usize, known, game_known)) << q as u32);
            }
        }
        for (bits, cheap) in &prepared.cheap {
            if open == 0 {
                return;
            }
            let asking = prepared.asking(open, *bits);
            if asking == 0 {
                continue;
            }
            let until = self.last_open(asking, judged, plies);
            let before = known;
            match cheap {
                Cheap::Touched(touched) => {
                    touch::walk(touched, &game.moves[..until], start, (&mut self.sets, width));
                    self.work.plies_filtered += until as u64;
                    known |= touched.bits;
                }
                Cheap::Clocks(clocks) => {
                    self.clock.read(course, plies);
                    for &(n, limit) in clocks {
                        self.clock.find(limit, start.halfmoves, &mut self.sets[usize::from(n) * width..][..width]);
                        known |= 1 << n;
                    }
                }
                Cheap::Repetitions(repetitions) => {
                    self.clock.read(course, plies);
                    known |= self.repetitions(repetitions, &game.moves[..until], start, width);
                }
                Cheap::Along(source, along) => {
                    let walked = Walked { course, plies: until, first: start.turn, usual };
                    let last = span.signatures().get(nth).zip(span.milestones(PROMOTIONS).get(nth));
                    self.work.events += self.along(*source, along, (start, last), &walked, width) as u64;
                    known |= along.bits;
                }
            }
            for q in Bitboard(asking) {
                let (one, bit) = (&each[q as usize], 1 << q as u32);
                if one.often {
                    judged |= bit;
                    if self.judged(q as usize, known, game_known) {
                        open &= !bit;
                    }
                } else if !one.positions && !one.hope.is_left(&self.sets, known, known & !before, game_known) {
                    self.mine[q as usize].judge.give_up();
                    open &= !bit;
                }
            }
        }
        for q in Bitboard(open & !judged) {
            let (one, bit) = (&each[q as usize], 1 << q as u32);
            // PERF: what has shown in game after game that most plies need the board is asked of one game in so many.
            let not_worth = self.mine[q as usize].not_worth;
            let asks = one.asked & prepared.on_board == 0 || not_worth < PATIENCE || not_worth.is_multiple_of(PATIENCE);
            let settled = asks && self.judged(q as usize, known, game_known);
            if settled {
                open &= !bit;
            }
            let Mine { judge, not_worth, .. } = &mut self.mine[q as usize];
            *not_worth = if settled || asks && judge.open_plies() * 2 < plies { 0 } else { *not_worth + 1 };
            if !asks {
                judge.open_all(plies);
            }
        }
        for (nth, tested) in prepared.tested.iter().enumerate() {
            let asking = prepared.asking(open, tested.bits);
            if asking == 0 {
                continue;
            }
            self.board.clone_from(start);
            let later = prepared.tested[nth + 1..].iter().fold(0, |all, tested| all | tested.bits);
            // One ply where its formula holds is all that such a query wants.
            let settles = |q: usize| {
                let one_ply = each[q].asked & later == 0 && !each[q].positions && self.mine[q].judge.is_plain();
                one_ply.then(|| &each[q].query.conditions[0].formula)
            };
            let of = |q: usize| replay::Asking {
                asked: each[q].asked,
                open: self.mine[q].judge.open_set(),
                enough: settles(q),
            };
            let sets = (&mut self.sets[..], width);
            let played = if asking.is_power_of_two() {
                let one = of(asking.trailing_zeros() as usize);
                replay::walk(tested, &one, sorted, game.moves, &mut self.board, sets)
            } else {
                let several: Vec<replay::Asking<'_>> = Bitboard(asking).into_iter().map(|q| of(q as usize)).collect();
                replay::walk_for_several(tested, &several, sorted, game.moves, &mut self.board, sets)
            };
            self.work.games_replayed += u64::from(nth == 0);
            self.work.plies_replayed += played as u64;
            known |= tested.bits;
            for q in Bitboard(asking) {
                open &= !(u64::from(self.judged(q as usize, known, game_known)) << q as u32);
            }
        }
    }

    /// How many plies there are up to the last that is open for one of these queries.
    #[inline(always)]
    fn last_open(&self, asking: u64, judged: u64, plies: usize) -> usize {
        if asking & !judged != 0 {
            return plies;
        }
        Bitboard(asking).into_iter().map(|q| self.mine[q as usize].judge.last_open()).max().unwrap_or(0)
    }

    /// Tests predicates along a stream of events. Returns how many of these were looked at.
    #[inline(always)]
    fn along(
        &mut self,
        source: Source,
        along: &Along,
        (start, last): (&Board, Option<(&MatSig, &u8)>),
        walked: &Walked<'_>,
        width: usize,
    ) -> usize {
        self.board.number = start.number;
        (self.board.of[1], self.board.of[9]) = (start.of[1], start.of[9]);
        let (board, sets) = (&mut self.board, (&mut self.sets[..], width));
        match source {
            Source::Numbers => events::walk_numbers(along, walked, board, sets, &mut self.kept),
            Source::Files => events::walk_files(along, walked, board, sets, (&mut self.kept, &mut self.on_files)),
            Source::Pawns => match &self.prepared.watched {
                None => events::walk_pawns(along, walked, board, sets, &mut self.kept, |_| true),
                Some(watched) => {
                    let mut ways = watched.ways([start.of[1], start.of[9]]);
                    events::walk_pawns(along, walked, board, sets, &mut self.kept, |changed| {
                        // No pawn comes to the home of its side, so what changes there leaves.
                        let left = watched.left(ways, milestones::homes(changed));
                        // PERF: goals are asked once, when no more can be told by homes.
                        ways = match last {
                            Some((last, &promotions)) if left != 0 && watched.ask(ways) && !watched.ask(left) => {
                                watched.possible(left, last, milestones::at_most(promotions))
                            }
                            _ => left,
                        };
                        ways != 0
                    })
                }
            },
            _ => events::walk_both(along, walked, start, board, sets),
        }
    }

    /// Tests predicates about repetitions. Returns their bits.
    fn repetitions(&mut self, list: &[(u8, Compared)], moves: &[Move], start: &Board, width: usize) -> u64 {
        let least = repetition::least(moves);
        let quiet = self.clock.at_least(least);
        let mut known = 0;
        for &(n, compared) in list {
            let set = &mut self.sets[usize::from(n) * width..][..width];
            set.fill(if compared.holds(1) { u64::MAX } else { 0 });
            self.repetition.walk(start, moves, (quiet, least), |ply, times| {
                let bit = 1 << (ply % 64);
                set[ply / 64] = set[ply / 64] & !bit | if compared.holds(times) { bit } else { 0 };
            });
            known |= 1 << n;
        }
        known
    }

    /// Judges a query by what is known. True if nothing is open any more.
    #[inline(always)]
    fn judged(&mut self, q: usize, predicates: u64, game: track::Game) -> bool {
        let known = Known { sets: &self.sets, predicates, game };
        let One { query, positions, .. } = self.prepared.each[q];
        self.mine[q].judge.judge(query, &known, positions)
    }
}

/// A column of milestones of the games of word `nth`.
fn column_of<'a>(span: &Span<'a>, nth: usize, column: usize) -> &'a [u8] {
    let column = span.milestones(column);
    column.get(nth * 64..(nth * 64 + 64).min(column.len())).unwrap_or(&[])
}

/// A thread's part of a scan.
struct Fold<'p, R> {
    /// One for queries that share their predicates.
    testers: Vec<Tester<'p>>,
    /// In the order of the requests.
    reducers: Vec<R>,
    needs: Vec<Needs>,
    /// The course of a game whose corpus has none.
    courses: Courses,
}

impl<'p, R: Reducer> Fold<'p, R> {
    fn new(prepared: &'p [Prepared<'p>], reducers: Vec<R>) -> Fold<'p, R> {
        let testers = prepared.iter().map(Tester::new).collect();
        let needs = reducers.iter().map(Reducer::needs).collect();
        Fold { testers, needs, courses: Courses::default(), reducers }
    }

    #[inline(never)]
    fn span(&mut self, span: &Span<'_>) {
        for t in 0..self.testers.len() {
            self.testers[t].survivors(span);
            let mut games = Mask::default();
            for (one, mine) in self.testers[t].prepared.each.iter().zip(&mut self.testers[t].mine) {
                let reducer = &mut self.reducers[one.nth];
                if one.facts.is_some() && reducer.takes_whole_games() {
                    reducer.whole_games(span, &core::mem::take(&mut mine.games));
                } else {
                    games.iter_mut().zip(mine.games).for_each(|(all, games)| *all |= games);
                }
            }
            for nth in ones(&games) {
                self.game(t, span, nth, &span.game(nth as u32));
            }
        }
    }

    /// Finds out what tester `t` says of a game, and hands it to those who want it.
    #[inline(always)]
    fn game(&mut self, t: usize, span: &Span<'_>, nth: usize, game: &Game<'_>) {
        let prepared = self.testers[t].prepared;
        let own = game.own_start().map(with_dark_bishops);
        let usual = own.is_none();
        let start = own.as_ref().unwrap_or(&prepared.initial);
        let mut courses = None;
        let course = game.course.unwrap_or_else(|| {
            let courses = courses.insert(core::mem::take(&mut self.courses));
            courses.clear();
            courses.push(start, game.moves);
            courses.as_course()
        });
        let plies = game.moves.len();
        let (mut live, mut passed) = (0u64, 0u64);
        for (q, (one, mine)) in prepared.each.iter().zip(&self.testers[t].mine).enumerate() {
            let is_in = (mine.games[nth / 64] >> (nth % 64) & 1) << q;
            // Whoever asks for headers alone has been answered.
            if one.facts.is_some() { passed |= is_in } else { live |= is_in }
        }
        if live != 0 {
            self.testers[t].settle((span, nth), game, start, usual, course, live);
        }
        for q in Bitboard(live | passed) {
            let q = q as usize;
            if passed >> q & 1 != 0 {
                self.hand((t, q), (span, nth as u32), game, start, course, Matches::all(plies), true);
                continue;
            }
            let judge = &mut self.testers[t].mine[q].judge;
            let (verdict, set) = (judge.verdict(), core::mem::take(judge.matches()));
            let matches = Matches::of(&set, plies);
            if verdict || matches.number() > 0 {
                self.hand((t, q), (span, nth as u32), game, start, course, matches, verdict);
            }
            *self.testers[t].mine[q].judge.matches() = set;
        }
        if let Some(courses) = courses {
            self.courses = courses;
        }
    }

    /// Hands a game to the reducer of query `q` of tester `t`, and its matching positions, if it wants a board.
    #[expect(clippy::too_many_arguments, reason = "a game in parts, none of which is kept")]
    #[inline(always)]
    fn hand(
        &mut self,
        (t, q): (usize, usize),
        (span, nth): (&Span<'_>, u32),
        game: &Game<'_>,
        start: &Board,
        course: Course<'_>,
        matches: Matches<'_>,
        verdict: bool,
    ) {
        let request = self.testers[t].prepared.each[q].nth;
        let (tester, reducer, needs) = (&mut self.testers[t], &mut self.reducers[request], self.needs[request]);
        if R::WANTS_BOARDS && needs != Needs::NOTHING && matches.number() > 0 {
            if needs == Needs::HASH {
                replay_to::<HashAlone, R>(reducer, tester, game, start, &matches);
            } else {
                replay_to::<Whole, R>(reducer, tester, game, start, &matches);
            }
        }
        reducer.game(&Found { span, nth, game, start, course, matches, verdict });
    }
}

/// Shows a reducer the matching positions of a game.
fn replay_to<P: Policy, R: Reducer>(
    reducer: &mut R,
    Tester { board, work, .. }: &mut Tester<'_>,
    game: &Game<'_>,
    start: &Board,
    matches: &Matches<'_>,
) {
    board.clone_from(start);
    let (first, last) = (matches.first(), matches.last());
    work.plies_replayed += last as u64;
    // Setting a board up costs as much as some moves with all that is kept up for a hash.
    let skipped = if P::HASH && first > SKIP { first - 1 } else { 0 };
    board.leap::<P>(&game.moves[..skipped]);
    let mut walk = Walk::on(board);
    for (nth, &mv) in game.moves.iter().enumerate().take(last).skip(skipped) {
        board.make_as::<P>(mv, &mut walk);
        if matches.set().is_none_or(|set| set[nth / 64] >> (nth % 64) & 1 != 0) {
            reducer.position(&Ply { game, board, number: nth as u32 + 1 });
        }
    }
}
