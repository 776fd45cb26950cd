//! The walk along pawn changes between files maintains pawn counts by file, for each side by itself.
//!
//! Every feature of this path depends on the pawns of one side alone. So the predicates of a side, and what its pawns add to sums
//! over both sides, follow from the counts of that side, and a cache has them for each count.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use plyfold_board::board::make::FILE_A;
use plyfold_board::board::{Board, ColorCode, PieceCode};
use plyfold_board::irreversible::{mover_at, pawns};
use shakmaty::{Color, Role};

use super::pawn_events::pawn_concerns_of;
use super::{ConcernTable, TruthRecorder, select_events};
use crate::scan::evaluate::game_at_hand::GameAtHand;
use crate::scan::measure::measured_board::MeasuredBoard;
use crate::scan::plan::PlannedPredicate;
use crate::scan::plies::PredicateSets;
use crate::scan::predicate::{BoardQuantity, NumberComparison, PositionPredicate, SumComparison, WeightedTerm};
use crate::scan::tuning::PAWN_COUNT_CACHE_ENTRIES;

/// The number of a side's pawns on each file, one byte per file, the a-file lowest.
type PawnCountsByFile = u64;

/// The predicates that are tested along the pawn changes between files.
#[derive(Clone, Debug)]
pub(in crate::scan) struct PawnFileTests {
    /// The tests on White's pawns, and on Black's.
    sides: [SideTests; 2],
    /// The sums of terms of both sides.
    sums: Vec<SumOfSides>,
    /// By kind of pawn change: whether it concerns any predicate.
    concerns: Box<ConcernTable>,
    /// The predicates that hold on the initial position.
    holding_initially: u64,
}

/// The tests on the pawns of one side.
#[derive(Clone, Debug)]
struct SideTests {
    colour: Color,
    /// The predicates on these pawns alone, with their numbers in the query.
    predicates: Vec<(u8, PlannedPredicate)>,
    /// By sum over both sides: the terms of this side.
    terms: Vec<Vec<WeightedTerm>>,
    /// The files on which the predicates read these pawns: one byte per file, 1 if they do.
    files: u64,
}

/// A sum of terms of both sides, which is compared with a constant.
#[derive(Clone, Debug)]
struct SumOfSides {
    /// The number of the predicate in the query.
    predicate_index: u8,
    comparison: NumberComparison,
    constant: i64,
}

impl PawnFileTests {
    /// Makes the tests for the predicates with these numbers.
    pub fn new(
        indices: &[u8],
        predicates: &[PositionPredicate],
        planned: &[PlannedPredicate],
        initial: &Board,
    ) -> PawnFileTests {
        let squares =
            [0, 1].map(|side| indices.iter().fold(0, |all, &n| all | planned[usize::from(n)].pawn_squares[side]));
        let mut sides = [Color::White, Color::Black].map(|colour| SideTests {
            colour,
            predicates: Vec::new(),
            terms: Vec::new(),
            files: read_files(squares[ColorCode::new(colour).index()]),
        });
        let mut sums = Vec::new();
        for &n in indices {
            let one = &planned[usize::from(n)];
            match (&predicates[usize::from(n)], one.pawn_squares) {
                (_, [_, 0]) => sides[0].predicates.push((n, one.clone())),
                (_, [0, _]) => sides[1].predicates.push((n, one.clone())),
                (PositionPredicate::Compare(SumComparison { terms, comparison, constant }), _) => {
                    sums.push(SumOfSides { predicate_index: n, comparison: *comparison, constant: *constant });
                    sides.iter_mut().for_each(|side| side.terms.push(terms_of(terms, side.colour)));
                }
                // No feature of this path depends on the pawns of both sides.
                _ => {}
            }
        }
        let holds = |n: &&u8| planned[usize::from(**n)].test(initial);
        let holding_initially = indices.iter().filter(holds).fold(0, |all, n| all | 1 << n);
        PawnFileTests { sides, sums, concerns: pawn_concerns_of(squares, true), holding_initially }
    }
}

/// One byte per file, 1 if one of these squares is on the file.
fn read_files(squares: u64) -> u64 {
    (0..8).fold(0, |all, file| all | u64::from(squares & FILE_A << file != 0) << (8 * file))
}

/// The terms that count squares of a side.
fn terms_of(terms: &[WeightedTerm], colour: Color) -> Vec<WeightedTerm> {
    let is_of_side = |term: &&WeightedTerm| match &term.quantity {
        BoardQuantity::SquareCount(squares) => squares.colour == colour,
        BoardQuantity::PieceCount(_) | BoardQuantity::SquareSet(_) | BoardQuantity::Number(_) => false,
    };
    terms.iter().filter(is_of_side).cloned().collect()
}

/// What follows from the pawn counts of each side.
///
/// PERF: only a few different counts concern a query, so most of them occur again and again. The counts of both sides together
/// have too many combinations.
pub(in crate::scan) struct PawnCountCaches([PawnCountCache; 2]);

/// The cache of one side.
struct PawnCountCache {
    /// The counts, and the predicates that hold for them.
    entries: Vec<(PawnCountsByFile, u64)>,
    /// For each entry, what the side adds to each sum.
    sums: Vec<i64>,
}

impl PawnCountCaches {
    pub fn new() -> PawnCountCaches {
        // No file has this many pawns.
        let entries = || vec![(u64::MAX, 0); PAWN_COUNT_CACHE_ENTRIES];
        PawnCountCaches([0, 1].map(|_| PawnCountCache { entries: entries(), sums: Vec::new() }))
    }

    /// Returns the predicates that hold for the counts of both sides.
    #[inline(always)]
    fn holding(&mut self, counts: u64, tests: &PawnFileTests, board: &mut Board) -> u64 {
        let [white, black] = &mut self.0;
        let (at_white, holding_white) = white.look_up(counts & LOWER_HALVES, &tests.sides[0], board);
        let (at_black, holding_black) = black.look_up(counts >> 4 & LOWER_HALVES, &tests.sides[1], board);
        let mut holding = holding_white | holding_black;
        for (nth, one) in tests.sums.iter().enumerate() {
            let of_side = |cache: &PawnCountCache, at: usize| cache.sums[at * tests.sums.len() + nth];
            let sum = of_side(white, at_white).saturating_add(of_side(black, at_black));
            holding |= u64::from(one.comparison.holds(sum, one.constant)) << one.predicate_index;
        }
        holding
    }
}

impl PawnCountCache {
    /// Returns the entry of these counts, and the predicates that hold for them.
    #[inline(always)]
    fn look_up(&mut self, counts: PawnCountsByFile, tests: &SideTests, board: &mut Board) -> (usize, u64) {
        if tests.files == 0 {
            return (0, 0);
        }
        let hash = counts.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - PAWN_COUNT_CACHE_ENTRIES.trailing_zeros());
        let at = hash as usize & (PAWN_COUNT_CACHE_ENTRIES - 1);
        if self.entries[at].0 != counts {
            self.measure(at, counts, tests, board);
        }
        (at, self.entries[at].1)
    }

    /// Sets an entry, on a board where the pawns of each file stand on consecutive ranks.
    #[cold]
    fn measure(&mut self, at: usize, counts: PawnCountsByFile, tests: &SideTests, board: &mut Board) {
        let files = (0..8).map(|file| (file, counts >> (8 * file) & 15));
        let pawns = files.fold(0, |all, (file, number)| {
            (1..=number.min(6)).fold(all, |all, rank| all | 1 << (8 * rank + file as u64))
        });
        board.bitboards[PieceCode::new(tests.colour, Role::Pawn)] = pawns;
        let holds = |(n, predicate): &(u8, PlannedPredicate)| u64::from(predicate.test(board)) << n;
        self.entries[at] = (counts, tests.predicates.iter().map(holds).fold(0, |all, bit| all | bit));
        let number = tests.terms.len();
        self.sums.resize(number * PAWN_COUNT_CACHE_ENTRIES, 0);
        for (sum, terms) in self.sums[at * number..].iter_mut().zip(&tests.terms) {
            *sum = WeightedTerm::sum(terms, &MeasuredBoard::new(board));
        }
    }
}

/// The lower half of each byte.
const LOWER_HALVES: u64 = 0x0f0f_0f0f_0f0f_0f0f;

/// The counts of the pawns on these squares, on the files that are read.
fn counts_by_file(pawns: u64, files: u64) -> PawnCountsByFile {
    let counts = (0..8).fold(0, |all, file| all | u64::from((pawns & FILE_A << file).count_ones()) << (8 * file));
    counts & (files * 15)
}

/// Walks the pawn changes of a game up to a ply that change pawn counts by file, for predicates that depend on these counts only.
/// Records at which plies each predicate holds. `board` is overwritten. Returns the number of events read.
#[inline(never)]
pub(in crate::scan) fn walk_pawn_file_events(
    tests: &PawnFileTests,
    (at, plies): (&GameAtHand<'_>, usize),
    board: &mut Board,
    sets: PredicateSets<'_>,
    (selected, caches): (&mut Vec<u32>, &mut PawnCountCaches),
) -> usize {
    let first = at.start.turn;
    let files = [tests.sides[0].files, tests.sides[1].files];
    let [white, black] = match at.has_initial_start {
        true => files,
        false => [0, 1].map(|side| counts_by_file(at.start.pawns()[side], files[side])),
    };
    // PERF: White's counts are in the lower halves of the bytes, Black's in the upper ones, so that both stay in one register.
    let mut counts = white | black << 4;
    let initially = if at.has_initial_start { tests.holding_initially } else { caches.holding(counts, tests, board) };
    let mut recorder = TruthRecorder::new(sets, initially);
    let (selected_count, read_count) =
        select_events::<{ pawns::GAP_SHIFT }>(at.event_streams.pawns, &tests.concerns, first, plies, selected);
    for &one in &selected[..selected_count] {
        let (ply, event) = ((one >> 16) as usize, one as u16);
        let mover = mover_at(first, ply);
        let [leaves, comes, taken] = pawns::file_deltas(event, mover);
        let (side, other) = (mover.index(), mover.opponent().index());
        let (own, others) = (files[side], files[other]);
        let of_mover = (comes & own).wrapping_sub(leaves & own) << (4 * side);
        counts = counts.wrapping_add(of_mover).wrapping_sub((taken & others) << (4 * other));
        let changed = caches.holding(counts, tests, board) ^ recorder.holding;
        if changed != 0 {
            recorder.toggle(changed, ply - 1);
        }
    }
    recorder.toggle(recorder.holding, plies);
    read_count
}
