//! The walk along pawn changes between files maintains pawn counts by file and caches the results of tests for these counts.

use alloc::vec;
use alloc::vec::Vec;

use super::{EventTests, GameEvents, TruthRecorder, select_events};
use crate::board::make::FILE_A;
use crate::board::{Board, ColorCode, PieceCode};
use crate::irreversible::{mover_at, pawns};
use crate::scan::plies::PredicateSets;
use crate::scan::tuning::PAWN_COUNT_CACHE_ENTRIES;

/// The number of pawns on each file, one byte per file, the a-file lowest.
/// White's number is in the lower half of a byte, Black's in the upper half.
type PawnCountsByFile = u64;

/// A cache of the predicates that hold for given pawn counts by file.
///
/// PERF: only a few different counts concern a query, so most of them occur again and again.
pub(in crate::scan) struct PawnCountCache(Vec<(PawnCountsByFile, u64)>);

impl PawnCountCache {
    pub fn new() -> PawnCountCache {
        // No file has this many pawns.
        PawnCountCache(vec![(u64::MAX, 0); PAWN_COUNT_CACHE_ENTRIES])
    }

    #[inline(always)]
    fn predicates_for(&mut self, numbers: PawnCountsByFile, along: &EventTests, board: &mut Board) -> u64 {
        let hash = numbers.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - PAWN_COUNT_CACHE_ENTRIES.trailing_zeros());
        let entry = &mut self.0[hash as usize & (PAWN_COUNT_CACHE_ENTRIES - 1)];
        if entry.0 != numbers {
            *entry = (numbers, evaluate_pawn_counts(numbers, along, board));
        }
        entry.1
    }
}

/// Tests the predicates on a board where the pawns of each file stand on consecutive ranks.
#[cold]
fn evaluate_pawn_counts(numbers: PawnCountsByFile, along: &EventTests, board: &mut Board) -> u64 {
    let stacked_pawns = |side: ColorCode| {
        let files = (0..8).map(|file| (file, numbers >> (8 * file + 4 * side.index() as u32) & 15));
        files.fold(0, |all, (file, number)| {
            (1..=number.min(6)).fold(all, |all, rank| all | 1 << (8 * rank + file as u64))
        })
    };
    board.bitboards[PieceCode::WHITE_PAWN] = stacked_pawns(ColorCode::WHITE);
    board.bitboards[PieceCode::BLACK_PAWN] = stacked_pawns(ColorCode::BLACK);
    along.evaluate_all(board)
}

fn pawn_counts_by_file(pawns: [u64; 2]) -> PawnCountsByFile {
    let number = |side: usize, file: usize| u64::from((pawns[side] & FILE_A << file).count_ones());
    (0..8).fold(0, |all, file| all | (number(0, file) | number(1, file) << 4) << (8 * file))
}

/// Walks the pawn changes that change pawn counts by file, for predicates that depend on these counts only.
/// Records at which plies each predicate holds. Returns the number of events read.
#[inline(never)]
pub(in crate::scan) fn walk_pawn_file_events(
    along: &EventTests,
    game: &GameEvents<'_>,
    board: &mut Board,
    sets: PredicateSets<'_>,
    (selected, cache): (&mut Vec<u32>, &mut PawnCountCache),
) -> usize {
    let GameEvents { course, plies, first_mover: first, has_initial_start: usual } = *game;
    let all_counts = if usual { 0x1111_1111_1111_1111 } else { pawn_counts_by_file(board.pawns()) };
    // The walk skips events on other files, so the counts there are masked out.
    let mut pawn_counts = all_counts & (along.pawn_files[0] | along.pawn_files[1] << 4).wrapping_mul(15);
    let initially = if usual { along.holding_initially } else { along.evaluate_all(board) };
    let mut holding = TruthRecorder::new(sets, initially);
    let (selected_count, read_count) =
        select_events::<{ pawns::GAP_SHIFT }>(course.pawns, &along.pawn_concerns, first, plies, selected);
    for &one in &selected[..selected_count] {
        let (ply, event) = ((one >> 16) as usize, one as u16);
        let mover = mover_at(first, ply);
        let [leaves, comes, taken] = pawns::file_deltas(event, mover);
        let (side, other_side) = (mover.index(), mover.opponent().index());
        let (own, other) = (along.pawn_files[side], along.pawn_files[other_side]);
        let of_mover = (comes & own).wrapping_sub(leaves & own) << (4 * side);
        pawn_counts = pawn_counts.wrapping_add(of_mover).wrapping_sub((taken & other) << (4 * other_side));
        let changed = cache.predicates_for(pawn_counts, along, board) ^ holding.holding;
        if changed != 0 {
            holding.toggle(changed, ply - 1);
        }
    }
    holding.toggle(holding.holding, plies);
    read_count
}
