//! A prepared batch has the tests with which a thread evaluates games for a batch of queries, sorted by access path.

use alloc::boxed::Box;
use alloc::vec::Vec;

use plyfold_board::board::Board;
use plyfold_board::irreversible::material::PackedPieceCounts;
use shakmaty::{Bitboard, Color};

use super::checks::CheckTests;
use super::events::{EventTests, PawnFileTests};
use super::game_ends::GameEndTests;
use super::halfmove_clock::ClockThreshold;
use super::motifs::MotifTests;
use super::moves::MoveTests;
use super::replay::BoardTests;
use super::table_tests::TableTests;
use super::touched_squares::TouchedSquareTests;
use crate::game::GameSpan;
use crate::headers::{CompiledHeaderTests, HeaderTest};
use crate::scan::combine::{BitSet, bits_where};
use crate::scan::plan::home_pawn_watch::HomePawnWatch;
use crate::scan::plan::planned_predicate::bits_of;
use crate::scan::plan::prepared_query::{PlanningContext, PreparedQuery};
use crate::scan::plan::query_batch::QueryBatch;
use crate::scan::plan::{AccessPath, PlannedPredicate};
use crate::scan::ply_filter::PlyFilter;
use crate::scan::predicate::{AnnotationBoundTest, AnnotationTest, PositionPredicate, SingleComparison};
use crate::sorted::sorted;

/// A test of the number of a ply.
#[derive(Clone, Copy)]
pub(in crate::scan) enum PlyNumberTest {
    /// Black is to move if true, White if false.
    SideToMove(bool),
    /// The ply passes the filter.
    Ply(PlyFilter),
}

/// A test of a position that has occurred before.
#[derive(Clone, Copy)]
pub(in crate::scan) enum RepetitionTest {
    /// The number of its occurrences compares so.
    Times(SingleComparison),
    /// The side has repeated it by checks alone.
    PerpetualCheck(Color),
}

impl RepetitionTest {
    fn from_predicate(predicate: &PositionPredicate) -> Option<RepetitionTest> {
        match predicate {
            PositionPredicate::PerpetualCheck(check) => Some(RepetitionTest::PerpetualCheck(check.0)),
            predicate => SingleComparison::from_predicate(predicate).map(RepetitionTest::Times),
        }
    }
}

/// Predicates that are tested without a board.
pub(in crate::scan) enum BoardlessTests {
    /// Tests along a stream of events.
    Events(AccessPath, Box<EventTests>),
    /// Tests along the changes of pawns on files.
    PawnFileEvents(PawnFileTests),
    /// Tests at the moves that touch certain squares.
    TouchedSquares(TouchedSquareTests),
    /// Tests of the moves.
    Moves(MoveTests),
    /// Tests by the number of plies since the last capture or pawn move.
    HalfmoveClock(Vec<(u8, ClockThreshold)>),
    /// Tests of what the text says of the plies.
    Annotations(Vec<(u8, AnnotationTest)>),
    /// Tests of the last move, and of the board after it.
    GameEnds(GameEndTests),
    /// Tests of the moves and of the lines to the kings.
    Checks(CheckTests),
    /// Tests by hashes, where many plies in a row have no capture and no pawn move.
    Repetitions(Vec<(u8, RepetitionTest)>),
    /// Tests of what moves do together with those around them.
    Motifs(MotifTests),
    /// Tests of endgame tables.
    Tables(TableTests),
}

impl BoardlessTests {
    /// The access paths without a board, the cheapest first.
    const ACCESS_ORDER: [AccessPath; 13] = [
        AccessPath::MaterialEvents,
        AccessPath::HalfmoveClock,
        AccessPath::Annotations,
        AccessPath::GameEnds,
        AccessPath::Moves,
        AccessPath::TouchedSquares,
        AccessPath::PawnFileEvents,
        AccessPath::PawnEvents,
        AccessPath::AllEvents,
        AccessPath::Repetition,
        AccessPath::Checks,
        AccessPath::Motifs,
        AccessPath::Tables,
    ];

    /// Makes the tests of one access path for the predicates with these numbers, of at most 64.
    /// The pawn events also watch the pawns on their home squares.
    fn new(
        (path, indices): (AccessPath, &[u8]),
        predicates: &[PositionPredicate],
        planned: &[PlannedPredicate],
        (initial, home_pawns): (&Board, [u64; 2]),
    ) -> BoardlessTests {
        match path {
            AccessPath::TouchedSquares => BoardlessTests::TouchedSquares(TouchedSquareTests::new(indices, planned)),
            AccessPath::Moves => BoardlessTests::Moves(MoveTests::new(indices, predicates)),
            AccessPath::PawnFileEvents => {
                BoardlessTests::PawnFileEvents(PawnFileTests::new(indices, predicates, planned, initial))
            }
            AccessPath::GameEnds => BoardlessTests::GameEnds(GameEndTests::new(indices, predicates)),
            AccessPath::Tables => BoardlessTests::Tables(TableTests::new(indices, predicates)),
            AccessPath::Motifs => BoardlessTests::Motifs(MotifTests::new(indices, predicates)),
            AccessPath::Checks => BoardlessTests::Checks(CheckTests::new(indices, predicates)),
            AccessPath::HalfmoveClock => BoardlessTests::HalfmoveClock(tests_of(indices, predicates, |predicate| {
                SingleComparison::from_predicate(predicate).map(ClockThreshold::new)
            })),
            AccessPath::Annotations => {
                BoardlessTests::Annotations(tests_of(indices, predicates, |predicate| match predicate {
                    PositionPredicate::Annotations(test) => Some(test.clone()),
                    _ => None,
                }))
            }
            AccessPath::Repetition => {
                BoardlessTests::Repetitions(tests_of(indices, predicates, RepetitionTest::from_predicate))
            }
            _ => {
                let watched = if path == AccessPath::PawnEvents { home_pawns } else { [0; 2] };
                BoardlessTests::Events(path, Box::new(EventTests::new(path, indices, planned, initial, watched)))
            }
        }
    }
}

/// Some of 64 predicates of a batch.
///
/// PERF: a test numbers its predicates from 0 to 63, so that it handles them as words. If a query has more, each 64 have tests of
/// their own.
#[derive(Clone, Copy)]
pub(in crate::scan) struct PredicateWord {
    /// The number of the first of the 64, divided by 64.
    pub nth: u16,
    pub bits: u64,
}

impl PredicateWord {
    /// The number of the first of the 64 predicates.
    #[inline(always)]
    pub fn first(self) -> usize {
        usize::from(self.nth) * 64
    }
}

/// The queries of a batch, with everything that the loop over games needs.
pub(in crate::scan) struct PreparedBatch<'q> {
    /// The queries, at most 64.
    pub queries: Vec<PreparedQuery<'q>>,
    /// The predicates of the queries, planned.
    pub predicates: Vec<PlannedPredicate>,
    /// The predicates that the header of a game decides: their numbers in the query, in their order, which is that of the tests.
    pub header_predicates: Vec<u16>,
    /// The predicates that the bounds of a game's annotations can rule out.
    pub annotation_predicates: Vec<(u16, AnnotationBoundTest)>,
    pub headers: CompiledHeaderTests,
    /// The predicates that the number of a ply decides.
    pub ply_number_tests: Vec<(u16, PlyNumberTest)>,
    /// The predicates that headers and the numbers of plies decide.
    pub known_at_start: BitSet,
    /// The predicates that hold on the initial position; none if no query asks about the start position.
    pub holding_initially: Option<BitSet>,
    /// The predicates of followed pieces.
    pub followed_predicates: BitSet,
    /// The tests that need no board, with their predicates: one entry per access path, the cheapest first.
    pub boardless_tests: Vec<(PredicateWord, BoardlessTests)>,
    /// The tests on the board, with their predicates, grouped by what a replay must maintain; the cheapest first.
    pub board_tests: Vec<(PredicateWord, BoardTests)>,
    /// The predicates of all tests on the board.
    pub board_predicates: BitSet,
    /// The initial position, with bishops on dark squares among the piece counts.
    pub initial: Board,
    /// The home pawns that the only condition of the only query requires, if any.
    pub home_pawn_watch: Option<HomePawnWatch>,
}

impl<'q> PreparedBatch<'q> {
    pub fn new(query_batch: &'q QueryBatch<'_>, spans: &[GameSpan<'_>]) -> PreparedBatch<'q> {
        let predicates = query_batch.queries.first().map_or(&[][..], |(_, _, query)| &query.predicates);
        let planned = PlannedPredicate::plan_all(predicates);
        let indices: Vec<u16> = (0..).zip(predicates).map(|(n, _)| n).collect();
        let header_tests = tests_of(&indices, predicates, |predicate| match predicate {
            PositionPredicate::Header(test) => Some(test.clone()),
            _ => None,
        });
        let (header_predicates, tests): (Vec<u16>, Vec<HeaderTest>) = header_tests.into_iter().unzip();
        let ply_number_tests = tests_of(&indices, predicates, |predicate| match predicate {
            PositionPredicate::SideToMove(side) => Some(PlyNumberTest::SideToMove(side.0.is_black())),
            PositionPredicate::Ply(when) => Some(PlyNumberTest::Ply(*when)),
            _ => None,
        });
        let annotation_predicates = tests_of(&indices, predicates, |predicate| match predicate {
            PositionPredicate::Annotations(test) => test.bound_test(),
            _ => None,
        });
        let with_headers =
            |others: &mut dyn Iterator<Item = u16>| header_predicates.iter().copied().chain(others).collect();
        let context = PlanningContext {
            predicates: &planned,
            header_predicates: &header_predicates,
            header_tests: &tests,
            decided_by_game: with_headers(&mut annotation_predicates.iter().map(|(n, _)| *n)),
        };
        let queries: Vec<PreparedQuery<'q>> =
            query_batch.queries.iter().map(|query| PreparedQuery::new(query, &context)).collect();
        let home_pawn_watch = match &queries[..] {
            // The watch ends a walk for the predicates of one word.
            [one] if predicates.len() <= 64 => HomePawnWatch::for_query(one),
            _ => None,
        };
        let initial = with_dark_bishop_counts(Board::initial());
        let asks_about_start = queries.iter().any(|one| one.query.asks_about_start());
        PreparedBatch {
            headers: CompiledHeaderTests::new(&tests, spans),
            known_at_start: with_headers(&mut ply_number_tests.iter().map(|(n, _)| *n)),
            ply_number_tests,
            holding_initially: queries
                .first()
                .filter(|_| asks_about_start)
                .map(|one| one.query.predicates_on_start(&initial)),
            followed_predicates: bits_where(predicates, |one| matches!(one, PositionPredicate::Followed(_))),
            boardless_tests: boardless_tests(predicates, &planned, (&initial, home_pawn_watch.as_ref())),
            board_predicates: bits_where(&planned, |one| one.access_path == AccessPath::Replay),
            board_tests: board_tests(&planned, queries.len() > 1),
            initial,
            queries,
            header_predicates,
            annotation_predicates,
            predicates: planned,
            home_pawn_watch,
        }
    }

    /// Returns those of `queries` that use some of these predicates, a bit each.
    #[inline(always)]
    pub fn interested_queries(&self, queries: u64, predicates: PredicateWord) -> u64 {
        Bitboard(queries).into_iter().fold(0, |all, q| {
            let asks = self.queries[q as usize].used_predicates.word(predicates.nth) & predicates.bits != 0;
            all | u64::from(asks) << q as u32
        })
    }
}

/// The numbers, among 64 predicates, of those with an access path.
fn indices_with(path: AccessPath, planned: &[PlannedPredicate]) -> Vec<u8> {
    (0..).zip(planned).filter(|(_, one)| one.access_path == path).map(|(n, _)| n).collect()
}

/// Makes the tests that need no board.
fn boardless_tests(
    predicates: &[PositionPredicate],
    planned: &[PlannedPredicate],
    (initial, watch): (&Board, Option<&HomePawnWatch>),
) -> Vec<(PredicateWord, BoardlessTests)> {
    let home_pawns = watch.map_or([0; 2], HomePawnWatch::watched_pawns);
    let words = || (0..).zip(predicates.chunks(64).zip(planned.chunks(64)));
    let by_path = BoardlessTests::ACCESS_ORDER.into_iter().flat_map(|path| words().map(move |word| (path, word)));
    let tests = by_path.filter_map(|(path, (nth, (predicates, planned)))| {
        let indices = indices_with(path, planned);
        let bits = bits_of(indices.iter());
        let tests = || BoardlessTests::new((path, &indices), predicates, planned, (initial, home_pawns));
        (bits != 0).then(|| (PredicateWord { nth, bits }, tests()))
    });
    tests.collect()
}

/// Makes the tests on the board.
fn board_tests(planned: &[PlannedPredicate], has_several_queries: bool) -> Vec<(PredicateWord, BoardTests)> {
    let words = (0..).zip(planned.chunks(64)).flat_map(|(nth, planned)| {
        let indices = indices_with(AccessPath::Replay, planned);
        let tests = BoardTests::group_by_needs(&indices, planned, has_several_queries).into_iter();
        tests.map(move |tests| (PredicateWord { nth, bits: tests.bits }, tests))
    });
    let key = |(word, tests): &(PredicateWord, BoardTests)| (tests.needs, word.nth);
    sorted(words.collect(), |one, other| key(one).cmp(&key(other)))
}

/// The tests of the predicates with these numbers, as far as they have one, each with its number.
fn tests_of<N: Copy + Into<usize>, T>(
    indices: &[N],
    predicates: &[PositionPredicate],
    test: impl Fn(&PositionPredicate) -> Option<T>,
) -> Vec<(N, T)> {
    indices.iter().filter_map(|&n| Some((n, test(&predicates[n.into()])?))).collect()
}

/// Adds the bishops on dark squares to the piece counts.
pub(in crate::scan) fn with_dark_bishop_counts(mut board: Board) -> Board {
    board.piece_counts = PackedPieceCounts::from_board(&board).by_piece_code();
    board
}
