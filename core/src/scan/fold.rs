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

use alloc::vec;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use thiserror::Error;

use super::aim::{self, Asked};
use super::clock::{Clock, Compared, Limit};
use super::combine::Formula;
use super::events::{self, Along, Cases, Walked};
use super::facts::Facts;
use super::hope::Hope;
use super::judge::{Judge, Known};
use super::needs::Needs;
use super::plies::{self, ones};
use super::predicate::Predicate;
use super::reducer::{Found, Matches, Ply, Reducer};
use super::repetition::{self, Repetition};
use super::replay::{self, Tested};
use super::source::{Sorted, Source};
use super::touch::{self, Touched};
use super::track;
use super::when::When;
use super::{Edge, Query, Times, Work, first_half_move};
use crate::board::Board;
use crate::board::make::{HashAlone, Policy, Walk, Whole};
use crate::course::men::Numbers;
use crate::course::milestones::{self, Homes, PROMOTIONS};
use crate::course::{Course, Courses};
use crate::game::{Game, Span};
use crate::headers::masks::Mask;
use crate::headers::{HeaderTest, Headers};
use crate::matsig::MatSig;
use crate::matsig::goal::Goal;
use crate::moves::Move;

/// Fewer plies than these before the first match are replayed like the rest.
const SKIP: usize = 24;
/// So many conditions are judged after each source.
const OFTEN: usize = 3;
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
    let batches = Batches::of(spans);
    let next = AtomicUsize::new(0);
    let cancelled = AtomicBool::new(false);
    let prepared = Prepared { within, ..Prepared::new(query, !R::VERDICT_ONLY, spans) };
    let work = || {
        let mut fold = Fold::new(&prepared, reducer());
        while let Some(span) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
            fold.span(&span);
            if !watch.advance(span.len()) {
                cancelled.store(true, Ordering::Relaxed);
            }
            if cancelled.load(Ordering::Relaxed) {
                break;
            }
        }
        (fold.reducer, fold.tester.work)
    };
    #[cfg(feature = "rayon")]
    let (kept, mut looked_at) = {
        use rayon::iter::{IntoParallelIterator, ParallelIterator};
        let workers = 0..threads().min(batches.len()).max(1);
        let all: Vec<(R, Work)> = workers.into_par_iter().map(|_| work()).collect();
        let merged = all.into_iter().reduce(|mut all, other| {
            all.0.merge(other.0);
            all.1.add(&other.1);
            all
        });
        // There is at least one worker, even for no games.
        merged.unwrap_or_else(|| (reducer(), Work::default()))
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

/// What can be asked of the number of a ply.
#[derive(Clone, Copy)]
enum Numbered {
    /// Whether Black is to move, or White.
    Turn(bool),
    /// Whether it lies there.
    When(When),
}

/// Predicates that are tested without a board.
enum Cheap {
    /// Along a stream of events.
    Along(Source, Along),
    /// At moves that touch some squares.
    Touched(Touched),
    /// By how long ago the last capture or pawn move was.
    Clocks(Vec<(u8, Limit)>),
    /// By hashes, where nothing is captured and no pawn moves for long.
    Repetitions(Vec<(u8, Compared)>),
}

impl Cheap {
    /// What they are tested along, the cheapest first.
    const SOURCES: [Source; 7] = [
        Source::Numbers,
        Source::Clock,
        Source::Squares,
        Source::Files,
        Source::Pawns,
        Source::Both,
        Source::Repetition,
    ];
}

/// A query with what the loop wants at hand.
struct Prepared<'q> {
    query: &'q Query,
    /// The games that are looked at, where not all are.
    within: Option<&'q [u64]>,
    /// Its predicates, sorted.
    sorted: Vec<Sorted>,
    /// Whether positions are asked for, not verdicts alone.
    positions: bool,
    /// Predicates that the header of a game answers: their numbers in the query, in the order of the tests.
    of_header: Vec<u8>,
    headers: Headers,
    /// Conditions whose formulas ask for something in the header, and their formulas.
    headed: Vec<Option<&'q Formula>>,
    /// Nothing but headers is asked for.
    facts: Option<Facts>,
    /// Predicates that the number of a ply answers.
    numbered: Vec<(u8, Numbered)>,
    /// Whether that may be enough: a window that leaves plies out.
    windows: bool,
    /// Predicates that hold on the usual array, where an edge asks for them.
    at_start: Option<u64>,
    /// Predicates that need no board, by what is walked for them, one after the other.
    cheap: Vec<Cheap>,
    /// Predicates on the board, by what a replay keeps up, the cheapest first.
    tested: Vec<Tested>,
    hope: Hope,
    /// The usual array, with bishops on dark squares among the numbers.
    initial: Board,
    /// What each condition implies of the men on the board, if anything.
    goals: Vec<Option<(Homes, Goal)>>,
    /// Conditions on the last ply alone that are told by the numbers of men there.
    at_last: u64,
    /// Pawns of White and of Black that stand on their home rank wherever that condition holds: where one has left, it never holds
    /// again.
    home: [u64; 2],
}

impl<'q> Prepared<'q> {
    fn new(query: &'q Query, positions: bool, spans: &[Span<'_>]) -> Prepared<'q> {
        let sorted = Sorted::all(&query.predicates);
        let (of_header, tests): (Vec<u8>, Vec<HeaderTest>) = (0..)
            .zip(&query.predicates)
            .filter_map(|(n, predicate)| match predicate {
                Predicate::Header(test) => Some((n, test.clone())),
                _ => None,
            })
            .unzip();
        let bits = of_header.iter().fold(0u64, |all, n| all | 1 << n);
        let headed = query.conditions.iter().map(|one| Some(&one.formula).filter(|formula| formula.bits() & bits != 0));
        let initial = with_dark_bishops(Board::initial());
        let of = |source: Source| -> Vec<u8> {
            let all = sorted.iter().enumerate().filter(|(_, sorted)| sorted.source == source);
            all.map(|(n, _)| n as u8).collect()
        };
        let numbered = query.predicates.iter().enumerate().filter_map(|(n, predicate)| match predicate {
            Predicate::Turn(colour) => Some((n as u8, Numbered::Turn(*colour == shakmaty::Color::Black))),
            Predicate::When(when) => Some((n as u8, Numbered::When(*when))),
            _ => None,
        });
        let asked: Vec<Asked> =
            query.conditions.iter().map(|one| aim::asked(&one.formula, &query.predicates)).collect();
        let only = match (&asked[..], &query.verdict) {
            // A change asks for the ply before, too.
            ([asked], Formula::Bit(0)) if query.conditions[0].window.edge.is_none() => asked.clone(),
            _ => Asked::default(),
        };
        let home = [only.required[0] & 0xff << 8, only.required[1] & 0xff << 48];
        let goal = |asked: &Asked| (Homes::new(asked.required, asked.allowed), Goal::bounds(asked));
        // What is asked for only by its contrary cannot be missing.
        let wanted = query.verdict.wanted() | if positions { query.matching.wanted() } else { 0 };
        let goals = asked.iter().zip(&query.conditions).enumerate().map(|(n, (asked, condition))| {
            // What has ceased may have held on the start position alone.
            let reached = condition.window.edge != Some(Edge::Ceased) && *asked != Asked::default();
            (reached && wanted >> n & 1 != 0).then(|| goal(asked))
        });
        let goals = goals.collect();
        let of_numbers = of(Source::Numbers).iter().fold(0u64, |all, n| all | 1 << n);
        let at_last = query.conditions.iter().enumerate().filter(|&(n, condition)| {
            let window = &condition.window;
            // Positions match whatever the window.
            !positions
                && wanted >> n & 1 != 0
                && condition.formula.bits() & !of_numbers == 0
                && window.when.at_end
                && window.edge.is_none()
                && window.times != Times::Fact
        });
        let at_last = at_last.fold(0, |all, (n, _)| all | 1 << n);
        let compared = |list: Vec<u8>| {
            list.into_iter().filter_map(|n| Some((n, Compared::of(&query.predicates[usize::from(n)])?)))
        };
        let cheap = Cheap::SOURCES.map(|source| (source, of(source))).into_iter();
        let cheap = cheap.filter(|(_, predicates)| !predicates.is_empty()).map(|(source, list)| match source {
            Source::Squares => Cheap::Touched(Touched::new(&list, &sorted)),
            Source::Clock => Cheap::Clocks(compared(list).map(|(n, compared)| (n, Limit::new(compared))).collect()),
            Source::Repetition => Cheap::Repetitions(compared(list).collect()),
            _ => {
                let watched = if source == Source::Pawns { home } else { [0; 2] };
                Cheap::Along(source, Along::new(source, &list, &sorted, &initial, watched))
            }
        });
        let mut tested: Vec<Tested> = Vec::new();
        for n in of(Source::Board) {
            let needs = sorted[usize::from(n)].needs;
            match tested.iter_mut().find(|tested| tested.needs == needs) {
                Some(tested) => tested.predicates.push(n),
                None => tested.push(Tested { predicates: vec![n], needs }),
            }
        }
        tested.sort_by_key(|tested| tested.needs);
        Prepared {
            within: None,
            facts: Facts::of(query, &of_header, &tests),
            headers: Headers::new(&tests, spans),
            headed: headed.collect(),
            goals,
            at_last,
            home,
            positions,
            numbered: numbered.collect(),
            windows: !of_header.is_empty()
                || query.conditions.iter().any(|one| one.gate.is_some() || one.window.when != When::ALWAYS),
            of_header,
            at_start: query.has_edges().then(|| query.on_board(&initial)),
            cheap: cheap.collect(),
            tested,
            hope: Hope::new(query),
            initial,
            query,
            sorted,
        }
    }
}

impl Prepared<'_> {
    /// The games of a batch that are looked at at all, a bit each.
    fn candidates(&self, span: &Span<'_>) -> Mask {
        let (first, shift) = (span.first as usize / 64, span.first % 64);
        core::array::from_fn(|nth| {
            let games = plies::within(span.len() as usize, nth);
            self.within.map_or(games, |within| {
                let word = |at: usize| within.get(at).copied().unwrap_or(0);
                let above = if shift == 0 { 0 } else { word(first + nth + 1) << (64 - shift) };
                games & (word(first + nth) >> shift | above)
            })
        })
    }
}

/// Adds bishops on dark squares to the numbers of men.
fn with_dark_bishops(mut board: Board) -> Board {
    board.number = Numbers::of(&board).by_man();
    board
}

/// What one thread tests games with; the reducers have no part in it.
struct Tester<'p> {
    prepared: &'p Prepared<'p>,
    work: Work,
    /// At which plies of the current game each predicate holds.
    sets: Vec<u64>,
    judge: Judge,
    board: Board,
    /// Events of the current game that concern somebody.
    kept: Vec<u32>,
    on_files: Cases,
    clock: Clock,
    repetition: Repetition,
    /// Batches until goals are asked again.
    in_vain: u32,
    /// Games in a row in which it was not worth judging before the board was asked.
    not_worth: usize,
    /// For each test of headers, which games of the batch pass it.
    passed: Vec<Mask>,
}

impl Tester<'_> {
    /// Games of a batch that are to be tested, a bit each.
    #[inline(never)]
    fn survivors(&mut self, span: &Span<'_>) -> Mask {
        let number = |masks: &[u64]| masks.iter().map(|mask| mask.count_ones()).sum::<u32>();
        let mut masks = self.prepared.candidates(span);
        let candidates = number(&masks);
        if candidates == 0 {
            self.work.games_cut += u64::from(span.len());
            return masks;
        }
        if let Some(facts) = &self.prepared.facts {
            let mut games = facts.games(&self.prepared.headers, span);
            games.iter_mut().zip(masks).for_each(|(game, candidate)| *game &= candidate);
            self.work.games_cut += u64::from(span.len() - number(&games));
            return games;
        }
        let words = span.len().div_ceil(64) as usize;
        self.passed.clear();
        let tests = 0..self.prepared.of_header.len();
        self.passed.extend(tests.map(|test| self.prepared.headers.masks(span, test)));
        if !self.passed.is_empty() {
            for (nth, mask) in masks.iter_mut().enumerate().take(words) {
                *mask &= self.may(nth, |_, _| u64::MAX);
            }
        }
        let tells = self.prepared.at_last != 0 || self.prepared.goals.iter().any(Option::is_some);
        let by_goals = !span.signatures().is_empty() && tells;
        self.in_vain = self.in_vain.saturating_sub(1);
        if !by_goals || self.in_vain > 0 {
            self.work.games_cut += u64::from(span.len() - number(&masks));
            return masks;
        }
        for (nth, mask) in masks.iter_mut().enumerate().take(words).filter(|(_, mask)| **mask != 0) {
            *mask &= self.may_stand(span, nth);
        }
        // PERF: a game lies in many places; those of games that are few and far apart are asked for side by side.
        if number(&masks) <= BATCH / 8 {
            core::hint::black_box(ones(&masks).fold(0, |all, nth| all ^ span.signatures()[nth].white));
        }
        for (nth, mask) in masks.iter_mut().enumerate().take(words) {
            *mask = self.may_match(span, nth, *mask);
        }
        let number = number(&masks);
        if number <= BATCH / 8 {
            core::hint::black_box(ones(&masks).fold(0, |all, nth| all ^ span.fetch(nth as u32)));
        }
        self.work.games_cut += u64::from(span.len() - number);
        // What turns hardly any game down is asked of every eighth batch only.
        self.in_vain = if (candidates - number) * 32 < number { 8 } else { 0 };
        masks
    }

    /// Of the games of word `nth` of `span`, those that may match or have positions that do by their pawns at home, a bit each.
    fn may_stand(&self, span: &Span<'_>, nth: usize) -> u64 {
        let from = nth * 64;
        let games = (span.len() as usize - from).min(64);
        let column = |column: usize| span.milestones(column).get(from..from + games).unwrap_or(&[]);
        self.may(nth, |_, goal| goal.map_or(u64::MAX, |(homes, _)| homes.may_stand(&column))) & plies::within(games, 0)
    }

    /// Of these, those that may by the signatures of their last positions.
    fn may_match(&self, span: &Span<'_>, nth: usize, games: u64) -> u64 {
        let (signatures, promotions) = (span.signatures(), span.milestones(PROMOTIONS));
        let signatures = &signatures[nth * 64..];
        let ended =
            match self.prepared.at_last {
                0 => games,
                at_last => {
                    games
                        & self.may(nth, |n, _| {
                            if at_last >> n & 1 != 0 { self.may_end(n, signatures, games) } else { u64::MAX }
                        })
                }
            };
        ended
            & self.may(nth, |_, goal| {
                let Some((_, goal)) = goal else { return u64::MAX };
                shakmaty::Bitboard(ended).into_iter().fold(0, |may, game| {
                    let promotions = milestones::at_most(promotions[nth * 64 + game as usize]);
                    may | u64::from(goal.survives_game(&signatures[game as usize], promotions)) << game as u32
                })
            })
    }

    /// Of these games, those in which a condition on the numbers of men may hold where they are those of their signatures.
    fn may_end(&self, n: u8, signatures: &[MatSig], mut games: u64) -> u64 {
        let Prepared { query, sorted, initial, .. } = self.prepared;
        let formula = &query.conditions[usize::from(n)].formula;
        let mut board = initial.clone();
        for game in shakmaty::Bitboard(games) {
            let Some(number) = signatures[game as usize].numbers() else { continue };
            board.number = number;
            let holds = |n: u8| if sorted[usize::from(n)].test(&board) { (1, 1) } else { (0, 0) };
            games &= !((formula.between(&holds).1 & 1 ^ 1) << game as u32);
        }
        games
    }

    /// In which games of word `nth` of the batch the verdict may hold, or some position may match, given in which each goal may be reached.
    #[inline(always)]
    fn may(&self, nth: usize, most: impl Fn(u8, Option<&(Homes, Goal)>) -> u64) -> u64 {
        let Prepared { goals, query, positions, headed, .. } = self.prepared;
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

    /// Tests predicates, source by source, until nothing is open. Returns the verdict; the positions that match are then in the judge.
    #[inline(never)]
    fn settle(&mut self, nth: usize, game: &Game<'_>, start: &Board, usual: bool, course: Course<'_>) -> bool {
        let Prepared { query, ref sorted, .. } = *self.prepared;
        let plies = game.moves.len();
        let width = plies::words(plies);
        self.sets.clear();
        self.sets.resize(width * sorted.len(), 0);
        let first = first_half_move(start);
        let at_start = match self.prepared.at_start {
            None => 0,
            Some(usually) if usual => usually,
            Some(_) => query.on_board(start),
        };
        let mut known = 0u64;
        let mut judged = false;
        let mut facts = 0u64;
        for (&n, passed) in self.prepared.of_header.iter().zip(&self.passed) {
            let holds = passed[nth / 64] >> (nth % 64) & 1;
            self.sets[usize::from(n) * width..][..width].fill(holds.wrapping_neg());
            facts |= holds << n;
            known |= 1 << n;
        }
        let game_known = track::Game { plies, first, at_start: at_start | facts };
        for &(n, numbered) in &self.prepared.numbered {
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
        // PERF: many conditions cost more to judge than the streams cost to walk.
        let often = query.conditions.len() <= OFTEN;
        let hopes = !often && !self.prepared.positions;
        if often && self.prepared.windows {
            judged = true;
            if self.judged(known, game_known) {
                return self.judge.verdict();
            }
        }
        for cheap in &self.prepared.cheap {
            let until = if judged { self.judge.last_open() } else { plies };
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
                    self.work.events += self.along(*source, along, start, &walked, width) as u64;
                    known |= along.bits;
                }
            }
            judged = often;
            if often && self.judged(known, game_known) {
                return self.judge.verdict();
            }
            if hopes && !self.prepared.hope.is_left(&self.sets, known, known & !before, game_known) {
                self.judge.matches().clear();
                return false;
            }
        }
        if !judged {
            // PERF: what has shown in game after game that most plies need the board is asked of one game in so many.
            let asks =
                self.prepared.tested.is_empty() || self.not_worth < PATIENCE || self.not_worth.is_multiple_of(PATIENCE);
            if asks && self.judged(known, game_known) {
                self.not_worth = 0;
                return self.judge.verdict();
            }
            if asks && self.judge.open_plies() * 2 < plies {
                self.not_worth = 0;
            } else {
                self.not_worth += 1;
            }
            if !asks {
                self.judge.open_all(plies);
            }
        }
        for (nth, tested) in self.prepared.tested.iter().enumerate() {
            self.board.clone_from(start);
            let last = nth + 1 == self.prepared.tested.len();
            let settles = last && !self.prepared.positions && self.judge.is_plain();
            let enough = |sets: &[u64], ply: usize| {
                let bit = |n: usize| (sets[n * width + ply / 64] >> (ply % 64) & 1) << n;
                query.conditions[0].formula.holds((0..sorted.len()).fold(0, |all, n| all | bit(n)))
            };
            let enough = settles.then_some(&enough as &dyn Fn(&[u64], usize) -> bool);
            let (sets, open) = ((&mut self.sets[..], width), self.judge.open_set());
            let played = replay::walk(tested, sorted, game.moves, &mut self.board, sets, open, enough);
            self.work.games_replayed += u64::from(nth == 0);
            self.work.plies_replayed += played as u64;
            known |= tested.predicates.iter().fold(0, |all, n| all | 1 << n);
            if self.judged(known, game_known) {
                break;
            }
        }
        self.judge.verdict()
    }

    /// Tests predicates along a stream of events. Returns how many of these were looked at.
    #[inline(always)]
    fn along(&mut self, source: Source, along: &Along, start: &Board, walked: &Walked<'_>, width: usize) -> usize {
        self.board.number = start.number;
        (self.board.of[1], self.board.of[9]) = (start.of[1], start.of[9]);
        let (board, sets) = (&mut self.board, (&mut self.sets[..], width));
        let [white, black] = self.prepared.home;
        let go_on = |pawns: [u64; 2]| white & !pawns[0] | black & !pawns[1] == 0;
        match source {
            Source::Numbers => events::walk_numbers(along, walked, board, sets, &mut self.kept),
            Source::Files => events::walk_files(along, walked, board, sets, (&mut self.kept, &mut self.on_files)),
            Source::Pawns => events::walk_pawns(along, walked, board, sets, &mut self.kept, go_on),
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

    /// Judges by what is known. True if nothing is open any more.
    #[inline(always)]
    fn judged(&mut self, predicates: u64, game: track::Game) -> bool {
        let known = Known { sets: &self.sets, predicates, game };
        self.judge.judge(self.prepared.query, &known, self.prepared.positions)
    }
}

/// A thread's part of a scan.
struct Fold<'p, R> {
    tester: Tester<'p>,
    reducer: R,
    needs: Needs,
    /// The course of a game whose corpus has none.
    courses: Courses,
}

impl<'p, R: Reducer> Fold<'p, R> {
    fn new(prepared: &'p Prepared<'p>, reducer: R) -> Fold<'p, R> {
        let tester = Tester {
            work: Work::default(),
            sets: Vec::new(),
            judge: Judge::new(prepared.query),
            kept: Vec::new(),
            on_files: Cases::new(),
            clock: Clock::default(),
            repetition: Repetition::new(),
            in_vain: 0,
            not_worth: 0,
            passed: Vec::new(),
            board: prepared.initial.clone(),
            prepared,
        };
        Fold { tester, needs: reducer.needs(), courses: Courses::default(), reducer }
    }

    #[inline(never)]
    fn span(&mut self, span: &Span<'_>) {
        let games = self.tester.survivors(span);
        if self.tester.prepared.facts.is_some() && self.reducer.takes_whole_games() {
            self.reducer.whole_games(span, &games);
            return;
        }
        for nth in ones(&games) {
            self.game(span, nth, &span.game(nth as u32));
        }
    }

    #[inline(always)]
    fn game(&mut self, span: &Span<'_>, nth: usize, game: &Game<'_>) {
        let prepared = self.tester.prepared;
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
        if prepared.facts.is_some() {
            // Whoever is here has passed.
            self.hand((span, nth as u32), game, start, course, Matches::all(plies), true);
        } else {
            let verdict = self.tester.settle(nth, game, start, usual, course);
            let set = core::mem::take(self.tester.judge.matches());
            let matches = Matches::of(&set, plies);
            if verdict || matches.number() > 0 {
                self.hand((span, nth as u32), game, start, course, matches, verdict);
            }
            *self.tester.judge.matches() = set;
        }
        if let Some(courses) = courses {
            self.courses = courses;
        }
    }

    /// Hands a game to the reducer, and its matching positions, if it wants a board.
    #[inline(always)]
    fn hand(
        &mut self,
        (span, nth): (&Span<'_>, u32),
        game: &Game<'_>,
        start: &Board,
        course: Course<'_>,
        matches: Matches<'_>,
        verdict: bool,
    ) {
        if R::WANTS_BOARDS && self.needs != Needs::NOTHING && matches.number() > 0 {
            if self.needs == Needs::HASH {
                self.replay::<HashAlone>(game, start, &matches);
            } else {
                self.replay::<Whole>(game, start, &matches);
            }
        }
        self.reducer.game(&Found { span, nth, game, start, course, matches, verdict });
    }

    fn replay<P: Policy>(&mut self, game: &Game<'_>, start: &Board, matches: &Matches<'_>) {
        self.tester.board.clone_from(start);
        let (first, last) = (matches.first(), matches.last());
        self.tester.work.plies_replayed += last as u64;
        // Setting a board up costs as much as some moves with all that is kept up for a hash.
        let skipped = if P::HASH && first > SKIP { first - 1 } else { 0 };
        self.tester.board.leap::<P>(&game.moves[..skipped]);
        let mut walk = Walk::on(&self.tester.board);
        for (nth, &mv) in game.moves.iter().enumerate().take(last).skip(skipped) {
            self.tester.board.make_as::<P>(mv, &mut walk);
            if matches.set().is_none_or(|set| set[nth / 64] >> (nth % 64) & 1 != 0) {
                self.reducer.position(&Ply { game, board: &self.tester.board, number: nth as u32 + 1 });
            }
        }
    }
}
