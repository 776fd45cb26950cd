//! What is made ready before the first game: the predicates of all queries, sorted to their sources, and of each query what tells early
//! that a game is not for it.
//!
//! Queries of one scan share their predicates, so that each source is read once for all of them.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use shakmaty::Bitboard;

use super::aim::{self, MaterialBounds};
use super::clock::{ClockThreshold, SingleComparison};
use super::combine::Formula;
use super::events::EventTests;
use super::facts::HeaderFilter;
use super::hope::EarlyRejection;
use super::plies;
use super::predicate::PositionPredicate;
use super::replay::BoardTests;
use super::source::{AccessPath, PlannedPredicate};
use super::touch::TouchedSquareTests;
use super::when::PlyFilter;
use super::{ConditionEdge, Occurrence, Query};
use crate::board::Board;
use crate::game::GameSpan;
use crate::headers::evaluation::GameMask;
use crate::headers::named_set::mask_of_set;
use crate::headers::{CompiledHeaderTests, HeaderTest};
use crate::irreversible::home_pawns::{self, HOME_SQUARES, HomePawnConstraint};
use crate::irreversible::material::PackedPieceCounts;
use crate::matsig::MatSig;
use crate::matsig::target::ReachabilityTarget;

/// Predicates, and queries, that share a replay at most: a bit each.
const MAX_PREDICATES: usize = 64;
/// So many conditions are judged after each source.
const MAX_EAGER_CONDITIONS: usize = 3;

/// A query, and what a scan is to find out for it.
#[derive(Clone, Copy)]
pub struct ScanRequest<'q> {
    /// The query.
    pub query: &'q Query,
    /// The games that are looked at, where not all are: game `id` if bit `id % 64` of word `id / 64` is set.
    pub subset: Option<&'q [u64]>,
    /// Whether its reducer asks for positions; without it a game is left as soon as its verdict is settled.
    pub wants_positions: bool,
}

/// Queries over the same predicates, by their numbers among the requests.
pub(super) struct QueryBatch<'q> {
    queries: Vec<(usize, ScanRequest<'q>, Query)>,
}

impl<'q> QueryBatch<'q> {
    /// Puts queries together as long as their predicates fit.
    pub fn partition(requests: &[ScanRequest<'q>]) -> Vec<QueryBatch<'q>> {
        let mut batches: Vec<(Vec<PositionPredicate>, QueryBatch<'q>)> = Vec::new();
        for (nth, &request) in requests.iter().enumerate() {
            let query_predicates = &request.query.predicates;
            let has_room = |(predicates, fused): &(Vec<PositionPredicate>, QueryBatch<'q>)| {
                let new = query_predicates.iter().filter(|one| !predicates.contains(one)).count();
                predicates.len() + new <= MAX_PREDICATES && fused.queries.len() < MAX_PREDICATES
            };
            let at = batches.iter().position(has_room).unwrap_or_else(|| {
                batches.push((Vec::new(), QueryBatch { queries: Vec::new() }));
                batches.len() - 1
            });
            let (predicates, fused) = &mut batches[at];
            let index_of = |one: &PositionPredicate| {
                predicates.iter().position(|other| other == one).unwrap_or_else(|| {
                    predicates.push(one.clone());
                    predicates.len() - 1
                })
            };
            let indices: Vec<u8> = query_predicates.iter().map(index_of).map(|n| n as u8).collect();
            fused.queries.push((nth, request, with_predicate_indices(request.query, &indices)));
        }
        let shared = batches.into_iter().map(|(predicates, mut fused)| {
            fused.queries.iter_mut().for_each(|(_, _, query)| query.predicates.clone_from(&predicates));
            fused
        });
        shared.collect()
    }
}

/// The query with other numbers for its predicates.
fn with_predicate_indices(query: &Query, indices: &[u8]) -> Query {
    let mut query = query.clone();
    for condition in &mut query.conditions {
        renumber_formula(&mut condition.formula, indices);
        renumber_formula(&mut condition.window.phase, indices);
    }
    query
}

fn renumber_formula(formula: &mut Formula, indices: &[u8]) {
    match formula {
        Formula::True => {}
        Formula::Bit(n) => *n = indices[usize::from(*n)],
        Formula::Not(inner) => renumber_formula(inner, indices),
        Formula::And(parts) | Formula::Or(parts) => parts.iter_mut().for_each(|part| renumber_formula(part, indices)),
    }
}

/// What can be asked of the number of a ply.
#[derive(Clone, Copy)]
pub(super) enum PlyNumberTest {
    /// Whether Black is to move, or White.
    SideToMove(bool),
    /// Whether it lies there.
    Ply(PlyFilter),
}

/// Predicates that are tested without a board.
pub(super) enum BoardlessTests {
    /// Along a stream of events.
    Events(AccessPath, Box<EventTests>),
    /// At moves that touch some squares.
    TouchedSquares(TouchedSquareTests),
    /// By how long ago the last capture or pawn move was.
    HalfmoveClock(Vec<(u8, ClockThreshold)>),
    /// By hashes, where nothing is captured and no pawn moves for long.
    Repetitions(Vec<(u8, SingleComparison)>),
}

impl BoardlessTests {
    /// What they are tested along, the cheapest first.
    const ACCESS_ORDER: [AccessPath; 7] = [
        AccessPath::MaterialEvents,
        AccessPath::HalfmoveClock,
        AccessPath::TouchedSquares,
        AccessPath::PawnFileEvents,
        AccessPath::PawnEvents,
        AccessPath::AllEvents,
        AccessPath::Repetition,
    ];

    /// The predicates, a bit each.
    fn bits(&self) -> u64 {
        match self {
            BoardlessTests::Events(_, along) => along.bits,
            BoardlessTests::TouchedSquares(touched) => touched.bits,
            BoardlessTests::HalfmoveClock(list) => bits_of(list.iter().map(|(n, _)| n)),
            BoardlessTests::Repetitions(list) => bits_of(list.iter().map(|(n, _)| n)),
        }
    }
}

/// A bit each.
fn bits_of<'a>(predicates: impl Iterator<Item = &'a u8>) -> u64 {
    predicates.fold(0, |all, n| all | 1 << n)
}

/// What a condition implies of the men on the board.
pub(super) struct ImpliedTargets {
    /// In any way.
    pub common: Option<(HomePawnConstraint, ReachabilityTarget)>,
    /// In each of several ways, of which there are none, or two at least.
    pub alternatives: Vec<(HomePawnConstraint, ReachabilityTarget)>,
}

impl ImpliedTargets {
    fn from_bounds(alternatives: &[MaterialBounds]) -> Option<ImpliedTargets> {
        let goal = |asked: &MaterialBounds| {
            (HomePawnConstraint::new(asked.required_pawns, asked.allowed_pawns), ReachabilityTarget::from_bounds(asked))
        };
        let asked = aim::union_of(alternatives.iter().cloned());
        let is_selective = alternatives.len() > 1 && !alternatives.contains(&MaterialBounds::default());
        let goals = ImpliedTargets {
            common: (asked != MaterialBounds::default()).then(|| goal(&asked)),
            alternatives: if is_selective { alternatives.iter().map(goal).collect() } else { Vec::new() },
        };
        (is_selective || goals.common.is_some()).then_some(goals)
    }
}

/// The ways in which the only condition of a query can hold, by the pawns that stand at home in each: where one of them has left, it never
/// holds so again.
pub(super) struct HomePawnWatch {
    /// The ways that ask for each of these, a bit a way.
    targets_by_home: [u64; HOME_SQUARES],
    /// All that ask for some.
    targets_with_homes: u64,
    targets: Vec<ReachabilityTarget>,
}

impl HomePawnWatch {
    /// None if it asks for no pawn at home.
    fn for_query(query: &PreparedQuery<'_>) -> Option<HomePawnWatch> {
        let ([Some(ImpliedTargets { common: all, alternatives: ways })], [condition], Formula::Bit(0)) =
            (&query.targets[..], &query.query.conditions[..], &query.query.verdict)
        else {
            return None;
        };
        // A change asks for the ply before, too.
        if condition.window.edge.is_some() {
            return None;
        }
        let ways: Vec<&(HomePawnConstraint, ReachabilityTarget)> =
            if ways.is_empty() { all.iter().collect() } else { ways.iter().collect() };
        let mut asked = [0; HOME_SQUARES];
        for (nth, (homes, _)) in ways.iter().enumerate() {
            Bitboard(homes.at_home.into()).into_iter().for_each(|home| asked[home as usize] |= 1 << nth);
        }
        let asking = asked.iter().fold(0, |all, ways| all | ways);
        let is_selective = asking != 0 && ways.len() <= 64;
        is_selective.then(|| HomePawnWatch {
            targets_by_home: asked,
            targets_with_homes: asking,
            targets: ways.iter().map(|(_, goal)| goal.clone()).collect(),
        })
    }

    /// All the pawns, White's and Black's.
    fn watched_pawns(&self) -> [u64; 2] {
        let homes =
            self.targets_by_home.iter().enumerate().fold(0, |all, (home, ways)| all | u16::from(*ways != 0) << home);
        home_pawns::home_squares(homes)
    }

    /// The ways of a game with these pawns at its start, a bit each.
    #[inline(always)]
    pub fn initial_targets(&self, pawns: [u64; 2]) -> u64 {
        self.remaining(u64::MAX >> (64 - self.targets.len()), !home_pawns::home_bits(pawns))
    }

    /// Whether one of these ways asks for a pawn at home.
    #[inline(always)]
    pub fn depend_on_homes(&self, ways: u64) -> bool {
        ways & self.targets_with_homes != 0
    }

    /// Those of these ways that there may be in a game with this last signature and so many promotions at most.
    #[inline(never)]
    pub fn reachable(&self, ways: u64, last: &MatSig, promotions: [i32; 2]) -> u64 {
        let is_possible = |way: u32| self.targets[way as usize].may_have_been_reached_with(last, promotions);
        Bitboard(ways)
            .into_iter()
            .map(|way| way as u32)
            .filter(|&way| is_possible(way))
            .fold(0, |all, way| all | 1 << way)
    }

    /// Those of these ways that are left when pawns have gone from these homes.
    #[inline(always)]
    pub fn remaining(&self, mut targets: u64, mut gone: u16) -> u64 {
        while gone != 0 {
            targets &= !self.targets_by_home[gone.trailing_zeros() as usize];
            gone &= gone - 1;
        }
        targets
    }
}

/// One of the queries.
pub(super) struct PreparedQuery<'q> {
    /// Its number among the requests.
    pub request: usize,
    pub query: &'q Query,
    /// The games that are looked at, where not all are.
    subset: Option<&'q [u64]>,
    /// Whether positions are asked for, not verdicts alone.
    pub wants_positions: bool,
    /// The predicates that it asks for.
    pub used_predicates: u64,
    /// Conditions whose formulas ask for something in the header, and their formulas.
    pub header_formulas: Vec<Option<&'q Formula>>,
    /// Nothing but headers is asked for.
    pub header_filter: Option<HeaderFilter>,
    /// Whether the number of a ply and headers may be enough: a window that leaves plies out.
    pub restricts_plies: bool,
    /// Whether it is judged after each source.
    // PERF: many conditions cost more to judge than the streams cost to walk.
    pub is_evaluated_eagerly: bool,
    pub early_rejection: EarlyRejection,
    /// What each condition implies of the men on the board, if anything.
    pub targets: Vec<Option<ImpliedTargets>>,
    /// Conditions on the last ply alone that are told by the numbers of men there.
    pub final_material_conditions: u64,
}

/// Queries with what the loop wants at hand.
pub(super) struct PreparedBatch<'q> {
    /// The queries, at most 64.
    pub queries: Vec<PreparedQuery<'q>>,
    /// Their predicates, sorted.
    pub predicates: Vec<PlannedPredicate>,
    /// Predicates that the header of a game answers: their numbers in the query, in the order of the tests.
    pub header_predicates: Vec<u8>,
    pub headers: CompiledHeaderTests,
    /// Predicates that the number of a ply answers.
    pub ply_number_tests: Vec<(u8, PlyNumberTest)>,
    /// Predicates that hold on the usual array, where an edge asks for them.
    pub holding_initially: Option<u64>,
    /// Predicates that need no board, by what is walked for them, one after the other, and their bits.
    pub boardless_tests: Vec<(u64, BoardlessTests)>,
    /// Predicates on the board, by what a replay keeps up, the cheapest first.
    pub board_tests: Vec<BoardTests>,
    /// All of these.
    pub board_predicates: u64,
    /// The usual array, with bishops on dark squares among the numbers.
    pub initial: Board,
    /// Where pawns stand at home wherever the only condition holds.
    pub home_pawn_watch: Option<HomePawnWatch>,
}

impl<'q> PreparedBatch<'q> {
    pub fn new(query_batch: &'q QueryBatch<'_>, spans: &[GameSpan<'_>]) -> PreparedBatch<'q> {
        let predicates = query_batch.queries.first().map_or(&[][..], |(_, _, query)| &query.predicates);
        let planned = PlannedPredicate::plan_all(predicates);
        let (header_predicates, tests): (Vec<u8>, Vec<HeaderTest>) = (0..)
            .zip(predicates)
            .filter_map(|(n, predicate)| match predicate {
                PositionPredicate::Header(test) => Some((n, test.clone())),
                _ => None,
            })
            .unzip();
        let initial = with_dark_bishop_counts(Board::initial());
        let predicates_with = |source: AccessPath| -> Vec<u8> {
            let all = planned.iter().enumerate().filter(|(_, sorted)| sorted.access_path == source);
            all.map(|(n, _)| n as u8).collect()
        };
        let ply_number_tests = predicates.iter().enumerate().filter_map(|(n, predicate)| match predicate {
            PositionPredicate::SideToMove(colour) => {
                Some((n as u8, PlyNumberTest::SideToMove(*colour == shakmaty::Color::Black)))
            }
            PositionPredicate::Ply(when) => Some((n as u8, PlyNumberTest::Ply(*when))),
            _ => None,
        });
        let context =
            PlanningContext { predicates: &planned, header_predicates: &header_predicates, header_tests: &tests };
        let queries: Vec<PreparedQuery<'q>> =
            query_batch.queries.iter().map(|query| PreparedQuery::new(query, &context)).collect();
        let home_pawn_watch = match &queries[..] {
            [one] => HomePawnWatch::for_query(one),
            _ => None,
        };
        let comparisons = |list: Vec<u8>| {
            list.into_iter().filter_map(|n| Some((n, SingleComparison::from_predicate(&predicates[usize::from(n)])?)))
        };
        let boardless_tests = BoardlessTests::ACCESS_ORDER.map(|source| (source, predicates_with(source))).into_iter();
        let cheap =
            boardless_tests.filter(|(_, predicates)| !predicates.is_empty()).map(|(source, list)| match source {
                AccessPath::TouchedSquares => BoardlessTests::TouchedSquares(TouchedSquareTests::new(&list, &planned)),
                AccessPath::HalfmoveClock => BoardlessTests::HalfmoveClock(
                    comparisons(list).map(|(n, compared)| (n, ClockThreshold::new(compared))).collect(),
                ),
                AccessPath::Repetition => BoardlessTests::Repetitions(comparisons(list).collect()),
                _ => {
                    let watched = home_pawn_watch
                        .as_ref()
                        .filter(|_| source == AccessPath::PawnEvents)
                        .map_or([0; 2], HomePawnWatch::watched_pawns);
                    BoardlessTests::Events(
                        source,
                        Box::new(EventTests::new(source, &list, &planned, &initial, watched)),
                    )
                }
            });
        let has_edges = queries.iter().any(|one| one.query.has_edges());
        PreparedBatch {
            headers: CompiledHeaderTests::new(&tests, spans),
            ply_number_tests: ply_number_tests.collect(),
            holding_initially: queries.first().filter(|_| has_edges).map(|one| one.query.predicates_on_start(&initial)),
            boardless_tests: cheap.map(|cheap| (cheap.bits(), cheap)).collect(),
            board_predicates: bits_of(predicates_with(AccessPath::Replay).iter()),
            board_tests: BoardTests::group_by_needs(&predicates_with(AccessPath::Replay), &planned, queries.len() > 1),
            initial,
            queries,
            header_predicates,
            predicates: planned,
            home_pawn_watch,
        }
    }

    /// The queries that ask for some of these predicates, a bit each.
    #[inline(always)]
    pub fn interested_queries(&self, queries: u64, predicates: u64) -> u64 {
        Bitboard(queries).into_iter().fold(0, |all, q| {
            let asks = self.queries[q as usize].used_predicates & predicates != 0;
            all | u64::from(asks) << q as u32
        })
    }
}

/// What a query is looked at with.
struct PlanningContext<'a> {
    predicates: &'a [PlannedPredicate],
    header_predicates: &'a [u8],
    header_tests: &'a [HeaderTest],
}

impl<'q> PreparedQuery<'q> {
    fn new(
        (nth, request, query): &'q (usize, ScanRequest<'_>, Query),
        shares: &PlanningContext<'_>,
    ) -> PreparedQuery<'q> {
        let &PlanningContext { predicates: sorted, header_predicates: of_header, header_tests: tests } = shares;
        let ScanRequest { subset: within, wants_positions: positions, .. } = *request;
        let header_bits = bits_of(of_header.iter());
        let header_formulas =
            query.conditions.iter().map(|one| Some(&one.formula).filter(|formula| formula.bits() & header_bits != 0));
        // What is asked for only by its contrary cannot be missing.
        let required_conditions =
            query.verdict.positive_bits() | if positions { query.position_verdict.positive_bits() } else { 0 };
        let targets = query.conditions.iter().enumerate().map(|(n, condition)| {
            // What has ceased may have held on the start position alone.
            if condition.window.edge == Some(ConditionEdge::Ceased) || required_conditions >> n & 1 == 0 {
                return None;
            }
            ImpliedTargets::from_bounds(&aim::implied_alternatives(&condition.formula, &query.predicates))
        });
        let numbers = sorted.iter().enumerate().filter(|(_, sorted)| sorted.access_path == AccessPath::MaterialEvents);
        let material_predicates = numbers.fold(0u64, |all, (n, _)| all | 1 << n);
        let final_material_conditions = query.conditions.iter().enumerate().filter(|&(n, condition)| {
            let window = &condition.window;
            // Positions match whatever the window.
            !positions
                && required_conditions >> n & 1 != 0
                && condition.formula.bits() & !material_predicates == 0
                && window.plies.at_end
                && window.edge.is_none()
                && window.occurrence != Occurrence::Header
        });
        let used_predicates = query.used_predicates();
        PreparedQuery {
            request: *nth,
            subset: within,
            wants_positions: positions,
            used_predicates,
            header_formulas: header_formulas.collect(),
            header_filter: HeaderFilter::from_query(query, of_header, tests),
            restricts_plies: used_predicates & header_bits != 0
                || query.conditions.iter().any(|one| one.gate.is_some() || one.window.plies != PlyFilter::EVERY_PLY),
            is_evaluated_eagerly: query.conditions.len() <= MAX_EAGER_CONDITIONS,
            early_rejection: EarlyRejection::new(query),
            targets: targets.collect(),
            final_material_conditions: final_material_conditions.fold(0, |all, (n, _)| all | 1 << n),
            query,
        }
    }

    /// In how many ways its goals are reached, one at least.
    pub fn alternative_count(&self) -> u32 {
        let ways = self.targets.iter().flatten().map(|goals| goals.alternatives.len() as u32);
        ways.max().unwrap_or(0).max(1)
    }

    /// The games of a batch that are looked at at all, a bit each.
    pub fn candidate_games(&self, span: &GameSpan<'_>) -> GameMask {
        let all = core::array::from_fn(|nth| plies::valid_bits(span.len() as usize, nth));
        self.subset.map_or(all, |within| {
            let games = mask_of_set(within, span);
            core::array::from_fn(|nth| games[nth] & all[nth])
        })
    }
}

impl BoardTests {
    /// Predicates on the board, by what a replay keeps up, the cheapest first.
    fn group_by_needs(indices: &[u8], predicates: &[PlannedPredicate], has_several_queries: bool) -> Vec<BoardTests> {
        let mut all: Vec<BoardTests> = Vec::new();
        for &n in indices {
            let needs = predicates[usize::from(n)].needs;
            match all.iter_mut().find(|tested| tested.needs == needs) {
                Some(tested) => tested.predicates.push(n),
                None => all.push(BoardTests { predicates: vec![n], bits: 0, needs }),
            }
        }
        all.sort_by_key(|tested| tested.needs);
        if has_several_queries {
            // PERF: several queries want most plies replayed whatever each of them finds, so one replay that keeps up more is less than two.
            let mut merged: Vec<BoardTests> = Vec::new();
            while let Some(tested) = all.pop() {
                match merged.iter_mut().find(|other| other.needs.contains(tested.needs)) {
                    Some(other) => other.predicates.extend(tested.predicates),
                    None => merged.push(tested),
                }
            }
            merged.reverse();
            all = merged;
        }
        all.iter_mut().for_each(|tested| tested.bits = bits_of(tested.predicates.iter()));
        all
    }
}

/// Adds bishops on dark squares to the numbers of men.
pub(super) fn with_dark_bishop_counts(mut board: Board) -> Board {
    board.piece_counts = PackedPieceCounts::from_board(&board).by_piece_code();
    board
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;

    use super::*;
    use crate::query::compile;

    fn batch_sizes(texts: &[String]) -> Vec<(usize, usize)> {
        let queries: Vec<Query> = texts.iter().map(|text| compile(text).expect("a query")).collect();
        let requests: Vec<ScanRequest<'_>> =
            queries.iter().map(|query| ScanRequest { query, subset: None, wants_positions: false }).collect();
        let batches = QueryBatch::partition(&requests);
        // Each is in one of them, and asks there for what it asked for.
        let mut seen: Vec<usize> = Vec::new();
        for (nth, request, query) in batches.iter().flat_map(|batch| &batch.queries) {
            seen.push(*nth);
            let asked = |query: &Query| -> Vec<PositionPredicate> {
                let bits = query.used_predicates();
                let used = query.predicates.iter().enumerate().filter(|(n, _)| bits >> n & 1 != 0);
                let mut used: Vec<_> = used.map(|(_, one)| one.clone()).collect();
                used.sort_by_key(|one| format!("{one:?}"));
                used
            };
            assert_eq!(asked(query), asked(request.query));
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..texts.len()).collect::<Vec<_>>());
        let size = |batch: &QueryBatch<'_>| (batch.queries.len(), batch.queries[0].2.predicates.len());
        batches.iter().map(size).collect()
    }

    #[test]
    fn queries_share_a_batch_as_long_as_their_predicates_fit() {
        // Predicates with these numbers, each another one.
        let asking = |numbers: core::ops::Range<usize>| {
            let all: Vec<String> = numbers.map(|n| format!("count(white pawn on {}) = {}", 1 + n % 8, n / 8)).collect();
            format!("{{ {} }}", all.join(" or "))
        };
        assert_eq!(batch_sizes(&["white check".into(), "white check".into(), "white knight on f3".into()]), [(3, 2)]);
        assert_eq!(batch_sizes(&[asking(0..40), asking(40..64)]), [(2, 64)]);
        assert_eq!(batch_sizes(&[asking(0..40), asking(40..65)]), [(1, 40), (1, 25)]);
        assert_eq!(batch_sizes(&[asking(0..40), asking(20..64), asking(10..50)]), [(3, 64)]);
        assert_eq!(batch_sizes(&[asking(0..60), asking(60..70), asking(60..64)]), [(2, 64), (1, 10)]);
        // A bit for each query, too.
        assert_eq!(batch_sizes(&alloc::vec![String::from("white check"); 130]), [(64, 1), (64, 1), (2, 1)]);
    }

    #[test]
    fn one_way_alone_is_no_alternative() {
        let bounds = |pawn: u64| MaterialBounds { required_pawns: [pawn, 0], ..MaterialBounds::default() };
        let of = |alternatives: &[MaterialBounds]| {
            let targets = ImpliedTargets::from_bounds(alternatives);
            targets.map(|targets| (targets.common.is_some(), targets.alternatives.len()))
        };
        let anything = MaterialBounds::default();
        assert_eq!(of(&[bounds(1 << 35)]), Some((true, 0)));
        assert_eq!(of(&[bounds(1 << 35), bounds(1 << 36)]), Some((false, 2)));
        assert_eq!(of(&[bounds(1 << 35), bounds(3 << 35), bounds(5 << 35)]), Some((true, 3)));
        assert_eq!(of(core::slice::from_ref(&anything)), None);
        assert_eq!(of(&[bounds(1 << 35), anything]), None);
    }
}
