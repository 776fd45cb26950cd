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
use super::moves::MoveTests;
use super::replay::BoardTests;
use super::table_tests::TableTests;
use super::touched_squares::TouchedSquareTests;
use crate::game::GameSpan;
use crate::headers::{CompiledHeaderTests, HeaderTest};
use crate::scan::plan::home_pawn_watch::HomePawnWatch;
use crate::scan::plan::planned_predicate::bits_of;
use crate::scan::plan::prepared_query::{PlanningContext, PreparedQuery};
use crate::scan::plan::query_batch::QueryBatch;
use crate::scan::plan::{AccessPath, PlannedPredicate};
use crate::scan::ply_filter::PlyFilter;
use crate::scan::predicate::{AnnotationBoundTest, AnnotationTest, PositionPredicate, SingleComparison};

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
            PositionPredicate::PerpetualCheck(side) => Some(RepetitionTest::PerpetualCheck(*side)),
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
    /// Tests of endgame tables.
    Tables(TableTests),
}

impl BoardlessTests {
    /// The access paths without a board, the cheapest first.
    const ACCESS_ORDER: [AccessPath; 12] = [
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
        AccessPath::Tables,
    ];

    /// Makes the tests of one access path for the predicates with these numbers.
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

/// The queries of a batch, with everything that the loop over games needs.
pub(in crate::scan) struct PreparedBatch<'q> {
    /// The queries, at most 64.
    pub queries: Vec<PreparedQuery<'q>>,
    /// The predicates of the queries, planned.
    pub predicates: Vec<PlannedPredicate>,
    /// The predicates that the header of a game decides: their numbers in the query, in the order of the tests.
    pub header_predicates: Vec<u8>,
    /// The predicates that the bounds of a game's annotations can rule out.
    pub annotation_predicates: Vec<(u8, AnnotationBoundTest)>,
    pub headers: CompiledHeaderTests,
    /// The predicates that the number of a ply decides.
    pub ply_number_tests: Vec<(u8, PlyNumberTest)>,
    /// The predicates that headers and the numbers of plies decide, a bit each.
    pub known_at_start: u64,
    /// The predicates that hold on the initial position; none if no query has an edge.
    pub holding_initially: Option<u64>,
    /// The tests that need no board, with the bits of their predicates: one entry per access path, the cheapest first.
    pub boardless_tests: Vec<(u64, BoardlessTests)>,
    /// The tests on the board, grouped by what a replay must maintain; the cheapest first.
    pub board_tests: Vec<BoardTests>,
    /// The predicates of all tests on the board.
    pub board_predicates: u64,
    /// The initial position, with bishops on dark squares among the piece counts.
    pub initial: Board,
    /// The home pawns that the only condition of the only query requires, if any.
    pub home_pawn_watch: Option<HomePawnWatch>,
}

impl<'q> PreparedBatch<'q> {
    pub fn new(query_batch: &'q QueryBatch<'_>, spans: &[GameSpan<'_>]) -> PreparedBatch<'q> {
        let predicates = query_batch.queries.first().map_or(&[][..], |(_, _, query)| &query.predicates);
        let planned = PlannedPredicate::plan_all(predicates);
        let indices: Vec<u8> = (0..predicates.len() as u8).collect();
        let header_tests = tests_of(&indices, predicates, |predicate| match predicate {
            PositionPredicate::Header(test) => Some(test.clone()),
            _ => None,
        });
        let (header_predicates, tests): (Vec<u8>, Vec<HeaderTest>) = header_tests.into_iter().unzip();
        let initial = with_dark_bishop_counts(Board::initial());
        let predicates_with = |source: AccessPath| -> Vec<u8> {
            indices.iter().copied().filter(|&n| planned[usize::from(n)].access_path == source).collect()
        };
        let ply_number_tests = tests_of(&indices, predicates, |predicate| match predicate {
            PositionPredicate::SideToMove(colour) => Some(PlyNumberTest::SideToMove(colour.is_black())),
            PositionPredicate::Ply(when) => Some(PlyNumberTest::Ply(*when)),
            _ => None,
        });
        let annotation_predicates = tests_of(&indices, predicates, |predicate| match predicate {
            PositionPredicate::Annotations(test) => test.bound_test(),
            _ => None,
        });
        let context = PlanningContext {
            predicates: &planned,
            header_predicates: &header_predicates,
            header_tests: &tests,
            bits_decided_by_game: bits_of(header_predicates.iter().chain(annotation_predicates.iter().map(|(n, _)| n))),
        };
        let queries: Vec<PreparedQuery<'q>> =
            query_batch.queries.iter().map(|query| PreparedQuery::new(query, &context)).collect();
        let home_pawn_watch = match &queries[..] {
            [one] => HomePawnWatch::for_query(one),
            _ => None,
        };
        let boardless_tests = BoardlessTests::ACCESS_ORDER.map(|path| (path, predicates_with(path))).into_iter();
        let home_pawns = home_pawn_watch.as_ref().map_or([0; 2], HomePawnWatch::watched_pawns);
        let boardless_tests = boardless_tests.filter(|(_, indices)| !indices.is_empty()).map(|(path, indices)| {
            let tests = BoardlessTests::new((path, &indices), predicates, &planned, (&initial, home_pawns));
            (bits_of(indices.iter()), tests)
        });
        let has_edges = queries.iter().any(|one| one.query.has_edges());
        PreparedBatch {
            headers: CompiledHeaderTests::new(&tests, spans),
            known_at_start: bits_of(header_predicates.iter().chain(ply_number_tests.iter().map(|(n, _)| n))),
            ply_number_tests,
            holding_initially: queries.first().filter(|_| has_edges).map(|one| one.query.predicates_on_start(&initial)),
            boardless_tests: boardless_tests.collect(),
            board_predicates: bits_of(predicates_with(AccessPath::Replay).iter()),
            board_tests: BoardTests::group_by_needs(&predicates_with(AccessPath::Replay), &planned, queries.len() > 1),
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
    pub fn interested_queries(&self, queries: u64, predicates: u64) -> u64 {
        Bitboard(queries).into_iter().fold(0, |all, q| {
            let asks = self.queries[q as usize].used_predicates & predicates != 0;
            all | u64::from(asks) << q as u32
        })
    }
}

/// The tests of the predicates with these numbers, as far as they have one, each with its number.
fn tests_of<T>(
    indices: &[u8],
    predicates: &[PositionPredicate],
    test: impl Fn(&PositionPredicate) -> Option<T>,
) -> Vec<(u8, T)> {
    indices.iter().filter_map(|&n| Some((n, test(&predicates[usize::from(n)])?))).collect()
}

/// Adds the bishops on dark squares to the piece counts.
pub(in crate::scan) fn with_dark_bishop_counts(mut board: Board) -> Board {
    board.piece_counts = PackedPieceCounts::from_board(&board).by_piece_code();
    board
}
