//! What is made ready before the first game: the predicates of all queries, sorted to their sources, and of each query what tells early
//! that a game is not for it.
//!
//! Queries of one scan share their predicates, so that each source is read once for all of them.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use shakmaty::Bitboard;

use super::aim::{self, Asked};
use super::clock::{Compared, Limit};
use super::combine::Formula;
use super::events::Along;
use super::facts::Facts;
use super::hope::Hope;
use super::plies;
use super::predicate::Predicate;
use super::replay::Tested;
use super::source::{Sorted, Source};
use super::touch::Touched;
use super::when::When;
use super::{Edge, Query, Times};
use crate::board::Board;
use crate::course::men::Numbers;
use crate::course::milestones::{self, HOMES, Homes};
use crate::game::Span;
use crate::headers::masks::Mask;
use crate::headers::set::games_of;
use crate::headers::{HeaderTest, Headers};
use crate::matsig::MatSig;
use crate::matsig::goal::Goal;

/// Predicates, and queries, that share a replay at most: a bit each.
const MOST: usize = 64;
/// So many conditions are judged after each source.
const OFTEN: usize = 3;

/// A query, and what a scan is to find out for it.
#[derive(Clone, Copy)]
pub struct Request<'q> {
    /// The query.
    pub query: &'q Query,
    /// The games that are looked at, where not all are: game `id` if bit `id % 64` of word `id / 64` is set.
    pub within: Option<&'q [u64]>,
    /// Whether its reducer asks for positions; without it a game is left as soon as its verdict is settled.
    pub positions: bool,
}

/// Queries over the same predicates, by their numbers among the requests.
pub(super) struct Fused<'q> {
    queries: Vec<(usize, Request<'q>, Query)>,
}

impl<'q> Fused<'q> {
    /// Puts queries together as long as their predicates fit.
    pub fn of(requests: &[Request<'q>]) -> Vec<Fused<'q>> {
        let mut all: Vec<(Vec<Predicate>, Fused<'q>)> = Vec::new();
        for (nth, &request) in requests.iter().enumerate() {
            let own = &request.query.predicates;
            let fits = |(predicates, fused): &(Vec<Predicate>, Fused<'q>)| {
                let new = own.iter().filter(|one| !predicates.contains(one)).count();
                predicates.len() + new <= MOST && fused.queries.len() < MOST
            };
            let at = all.iter().position(fits).unwrap_or_else(|| {
                all.push((Vec::new(), Fused { queries: Vec::new() }));
                all.len() - 1
            });
            let (predicates, fused) = &mut all[at];
            let number = |one: &Predicate| {
                predicates.iter().position(|other| other == one).unwrap_or_else(|| {
                    predicates.push(one.clone());
                    predicates.len() - 1
                })
            };
            let numbers: Vec<u8> = own.iter().map(number).map(|n| n as u8).collect();
            fused.queries.push((nth, request, renumbered(request.query, &numbers)));
        }
        let shared = all.into_iter().map(|(predicates, mut fused)| {
            fused.queries.iter_mut().for_each(|(_, _, query)| query.predicates.clone_from(&predicates));
            fused
        });
        shared.collect()
    }
}

/// The query with other numbers for its predicates.
fn renumbered(query: &Query, numbers: &[u8]) -> Query {
    let mut query = query.clone();
    for condition in &mut query.conditions {
        renumber(&mut condition.formula, numbers);
        renumber(&mut condition.window.phase, numbers);
    }
    query
}

fn renumber(formula: &mut Formula, numbers: &[u8]) {
    match formula {
        Formula::True => {}
        Formula::Bit(n) => *n = numbers[usize::from(*n)],
        Formula::Not(inner) => renumber(inner, numbers),
        Formula::And(parts) | Formula::Or(parts) => parts.iter_mut().for_each(|part| renumber(part, numbers)),
    }
}

/// What can be asked of the number of a ply.
#[derive(Clone, Copy)]
pub(super) enum Numbered {
    /// Whether Black is to move, or White.
    Turn(bool),
    /// Whether it lies there.
    When(When),
}

/// Predicates that are tested without a board.
pub(super) enum Cheap {
    /// Along a stream of events.
    Along(Source, Box<Along>),
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

    /// The predicates, a bit each.
    fn bits(&self) -> u64 {
        match self {
            Cheap::Along(_, along) => along.bits,
            Cheap::Touched(touched) => touched.bits,
            Cheap::Clocks(list) => bits(list.iter().map(|(n, _)| n)),
            Cheap::Repetitions(list) => bits(list.iter().map(|(n, _)| n)),
        }
    }
}

/// A bit each.
fn bits<'a>(predicates: impl Iterator<Item = &'a u8>) -> u64 {
    predicates.fold(0, |all, n| all | 1 << n)
}

/// What a condition implies of the men on the board.
pub(super) struct Goals {
    /// In any way.
    pub all: Option<(Homes, Goal)>,
    /// In each of several ways, of which there are none, or two at least.
    pub ways: Vec<(Homes, Goal)>,
}

impl Goals {
    fn of(ways: &[Asked]) -> Option<Goals> {
        let goal = |asked: &Asked| (Homes::new(asked.required, asked.allowed), Goal::bounds(asked));
        let asked = aim::one_of(ways.iter().cloned());
        let tells = ways.len() > 1 && !ways.contains(&Asked::default());
        let goals = Goals {
            all: (asked != Asked::default()).then(|| goal(&asked)),
            ways: if tells { ways.iter().map(goal).collect() } else { Vec::new() },
        };
        (tells || goals.all.is_some()).then_some(goals)
    }
}

/// The ways in which the only condition of a query can hold, by the pawns that stand at home in each: where one of them has left, it never
/// holds so again.
pub(super) struct Watched {
    /// The ways that ask for each of these, a bit a way.
    asked: [u64; HOMES],
    /// All that ask for some.
    asking: u64,
    ways: Vec<Goal>,
}

impl Watched {
    /// None if it asks for no pawn at home.
    fn of(one: &One<'_>) -> Option<Watched> {
        let ([Some(Goals { all, ways })], [only], Formula::Bit(0)) =
            (&one.goals[..], &one.query.conditions[..], &one.query.verdict)
        else {
            return None;
        };
        // A change asks for the ply before, too.
        if only.window.edge.is_some() {
            return None;
        }
        let ways: Vec<&(Homes, Goal)> = if ways.is_empty() { all.iter().collect() } else { ways.iter().collect() };
        let mut asked = [0; HOMES];
        for (nth, (homes, _)) in ways.iter().enumerate() {
            Bitboard(homes.kept.into()).into_iter().for_each(|home| asked[home as usize] |= 1 << nth);
        }
        let asking = asked.iter().fold(0, |all, ways| all | ways);
        let tells = asking != 0 && ways.len() <= 64;
        tells.then(|| Watched { asked, asking, ways: ways.iter().map(|(_, goal)| goal.clone()).collect() })
    }

    /// All the pawns, White's and Black's.
    fn pawns(&self) -> [u64; 2] {
        let homes = self.asked.iter().enumerate().fold(0, |all, (home, ways)| all | u16::from(*ways != 0) << home);
        milestones::at_home(homes)
    }

    /// The ways of a game with these pawns at its start, a bit each.
    #[inline(always)]
    pub fn ways(&self, pawns: [u64; 2]) -> u64 {
        self.left(u64::MAX >> (64 - self.ways.len()), !milestones::homes(pawns))
    }

    /// Whether one of these ways asks for a pawn at home.
    #[inline(always)]
    pub fn ask(&self, ways: u64) -> bool {
        ways & self.asking != 0
    }

    /// Those of these ways that there may be in a game with this last signature and so many promotions at most.
    #[inline(never)]
    pub fn possible(&self, ways: u64, last: &MatSig, promotions: [i32; 2]) -> u64 {
        let is_possible = |way: u32| self.ways[way as usize].survives_game(last, promotions);
        Bitboard(ways)
            .into_iter()
            .map(|way| way as u32)
            .filter(|&way| is_possible(way))
            .fold(0, |all, way| all | 1 << way)
    }

    /// Those of these ways that are left when pawns have gone from these homes.
    #[inline(always)]
    pub fn left(&self, mut ways: u64, mut gone: u16) -> u64 {
        while gone != 0 {
            ways &= !self.asked[gone.trailing_zeros() as usize];
            gone &= gone - 1;
        }
        ways
    }
}

/// One of the queries.
pub(super) struct One<'q> {
    /// Its number among the requests.
    pub nth: usize,
    pub query: &'q Query,
    /// The games that are looked at, where not all are.
    within: Option<&'q [u64]>,
    /// Whether positions are asked for, not verdicts alone.
    pub positions: bool,
    /// The predicates that it asks for.
    pub asked: u64,
    /// Conditions whose formulas ask for something in the header, and their formulas.
    pub headed: Vec<Option<&'q Formula>>,
    /// Nothing but headers is asked for.
    pub facts: Option<Facts>,
    /// Whether the number of a ply and headers may be enough: a window that leaves plies out.
    pub windows: bool,
    /// Whether it is judged after each source.
    // PERF: many conditions cost more to judge than the streams cost to walk.
    pub often: bool,
    pub hope: Hope,
    /// What each condition implies of the men on the board, if anything.
    pub goals: Vec<Option<Goals>>,
    /// Conditions on the last ply alone that are told by the numbers of men there.
    pub at_last: u64,
}

/// Queries with what the loop wants at hand.
pub(super) struct Prepared<'q> {
    /// The queries, at most 64.
    pub each: Vec<One<'q>>,
    /// Their predicates, sorted.
    pub sorted: Vec<Sorted>,
    /// Predicates that the header of a game answers: their numbers in the query, in the order of the tests.
    pub of_header: Vec<u8>,
    pub headers: Headers,
    /// Predicates that the number of a ply answers.
    pub numbered: Vec<(u8, Numbered)>,
    /// Predicates that hold on the usual array, where an edge asks for them.
    pub at_start: Option<u64>,
    /// Predicates that need no board, by what is walked for them, one after the other, and their bits.
    pub cheap: Vec<(u64, Cheap)>,
    /// Predicates on the board, by what a replay keeps up, the cheapest first.
    pub tested: Vec<Tested>,
    /// All of these.
    pub on_board: u64,
    /// The usual array, with bishops on dark squares among the numbers.
    pub initial: Board,
    /// Where pawns stand at home wherever the only condition holds.
    pub watched: Option<Watched>,
}

impl<'q> Prepared<'q> {
    pub fn new(fused: &'q Fused<'_>, spans: &[Span<'_>]) -> Prepared<'q> {
        let predicates = fused.queries.first().map_or(&[][..], |(_, _, query)| &query.predicates);
        let sorted = Sorted::all(predicates);
        let (of_header, tests): (Vec<u8>, Vec<HeaderTest>) = (0..)
            .zip(predicates)
            .filter_map(|(n, predicate)| match predicate {
                Predicate::Header(test) => Some((n, test.clone())),
                _ => None,
            })
            .unzip();
        let initial = with_dark_bishops(Board::initial());
        let of = |source: Source| -> Vec<u8> {
            let all = sorted.iter().enumerate().filter(|(_, sorted)| sorted.source == source);
            all.map(|(n, _)| n as u8).collect()
        };
        let numbered = predicates.iter().enumerate().filter_map(|(n, predicate)| match predicate {
            Predicate::Turn(colour) => Some((n as u8, Numbered::Turn(*colour == shakmaty::Color::Black))),
            Predicate::When(when) => Some((n as u8, Numbered::When(*when))),
            _ => None,
        });
        let shares = Shares { sorted: &sorted, of_header: &of_header, tests: &tests };
        let each: Vec<One<'q>> = fused.queries.iter().map(|query| One::new(query, &shares)).collect();
        let watched = match &each[..] {
            [one] => Watched::of(one),
            _ => None,
        };
        let compared =
            |list: Vec<u8>| list.into_iter().filter_map(|n| Some((n, Compared::of(&predicates[usize::from(n)])?)));
        let cheap = Cheap::SOURCES.map(|source| (source, of(source))).into_iter();
        let cheap = cheap.filter(|(_, predicates)| !predicates.is_empty()).map(|(source, list)| match source {
            Source::Squares => Cheap::Touched(Touched::new(&list, &sorted)),
            Source::Clock => Cheap::Clocks(compared(list).map(|(n, compared)| (n, Limit::new(compared))).collect()),
            Source::Repetition => Cheap::Repetitions(compared(list).collect()),
            _ => {
                let watched = watched.as_ref().filter(|_| source == Source::Pawns).map_or([0; 2], Watched::pawns);
                Cheap::Along(source, Box::new(Along::new(source, &list, &sorted, &initial, watched)))
            }
        });
        let has_edges = each.iter().any(|one| one.query.has_edges());
        Prepared {
            headers: Headers::new(&tests, spans),
            numbered: numbered.collect(),
            at_start: each.first().filter(|_| has_edges).map(|one| one.query.on_board(&initial)),
            cheap: cheap.map(|cheap| (cheap.bits(), cheap)).collect(),
            on_board: bits(of(Source::Board).iter()),
            tested: Tested::of(&of(Source::Board), &sorted, each.len() > 1),
            initial,
            each,
            of_header,
            sorted,
            watched,
        }
    }

    /// The queries that ask for some of these predicates, a bit each.
    #[inline(always)]
    pub fn asking(&self, open: u64, predicates: u64) -> u64 {
        Bitboard(open).into_iter().fold(0, |all, q| {
            let asks = self.each[q as usize].asked & predicates != 0;
            all | u64::from(asks) << q as u32
        })
    }
}

/// What a query is looked at with.
struct Shares<'a> {
    sorted: &'a [Sorted],
    of_header: &'a [u8],
    tests: &'a [HeaderTest],
}

impl<'q> One<'q> {
    fn new((nth, request, query): &'q (usize, Request<'_>, Query), shares: &Shares<'_>) -> One<'q> {
        let &Shares { sorted, of_header, tests } = shares;
        let Request { within, positions, .. } = *request;
        let heads = bits(of_header.iter());
        let headed =
            query.conditions.iter().map(|one| Some(&one.formula).filter(|formula| formula.bits() & heads != 0));
        // What is asked for only by its contrary cannot be missing.
        let wanted = query.verdict.wanted() | if positions { query.matching.wanted() } else { 0 };
        let goals = query.conditions.iter().enumerate().map(|(n, condition)| {
            // What has ceased may have held on the start position alone.
            if condition.window.edge == Some(Edge::Ceased) || wanted >> n & 1 == 0 {
                return None;
            }
            Goals::of(&aim::ways(&condition.formula, &query.predicates))
        });
        let numbers = sorted.iter().enumerate().filter(|(_, sorted)| sorted.source == Source::Numbers);
        let of_numbers = numbers.fold(0u64, |all, (n, _)| all | 1 << n);
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
        let asked = query.asked();
        One {
            nth: *nth,
            within,
            positions,
            asked,
            headed: headed.collect(),
            facts: Facts::of(query, of_header, tests),
            windows: asked & heads != 0
                || query.conditions.iter().any(|one| one.gate.is_some() || one.window.when != When::ALWAYS),
            often: query.conditions.len() <= OFTEN,
            hope: Hope::new(query),
            goals: goals.collect(),
            at_last: at_last.fold(0, |all, (n, _)| all | 1 << n),
            query,
        }
    }

    /// In how many ways its goals are reached, one at least.
    pub fn ways(&self) -> u32 {
        let ways = self.goals.iter().flatten().map(|goals| goals.ways.len() as u32);
        ways.max().unwrap_or(0).max(1)
    }

    /// The games of a batch that are looked at at all, a bit each.
    pub fn candidates(&self, span: &Span<'_>) -> Mask {
        let all = core::array::from_fn(|nth| plies::within(span.len() as usize, nth));
        self.within.map_or(all, |within| {
            let games = games_of(within, span);
            core::array::from_fn(|nth| games[nth] & all[nth])
        })
    }
}

impl Tested {
    /// Predicates on the board, by what a replay keeps up, the cheapest first.
    fn of(list: &[u8], sorted: &[Sorted], shared: bool) -> Vec<Tested> {
        let mut all: Vec<Tested> = Vec::new();
        for &n in list {
            let needs = sorted[usize::from(n)].needs;
            match all.iter_mut().find(|tested| tested.needs == needs) {
                Some(tested) => tested.predicates.push(n),
                None => all.push(Tested { predicates: vec![n], bits: 0, needs }),
            }
        }
        all.sort_by_key(|tested| tested.needs);
        if shared {
            // PERF: several queries want most plies replayed whatever each of them finds, so one replay that keeps up more is less than two.
            let mut merged: Vec<Tested> = Vec::new();
            while let Some(tested) = all.pop() {
                match merged.iter_mut().find(|other| other.needs.include(tested.needs)) {
                    Some(other) => other.predicates.extend(tested.predicates),
                    None => merged.push(tested),
                }
            }
            merged.reverse();
            all = merged;
        }
        all.iter_mut().for_each(|tested| tested.bits = bits(tested.predicates.iter()));
        all
    }
}

/// Adds bishops on dark squares to the numbers of men.
pub(super) fn with_dark_bishops(mut board: Board) -> Board {
    board.number = Numbers::of(&board).by_man();
    board
}
