//! Tests predicates along the course of a game: the state of the numbers of men and of the pawns, event by event.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use wide::i16x8;

use super::measure::file_fill;
use super::plies::set_range;
use super::source::{AccessPath, PlannedPredicate};
use crate::board::make::FILE_A;
use crate::board::{Board, ChangeMask};
use crate::irreversible::material::{self, PackedPieceCounts};
use crate::irreversible::{EventStreams, mover_at, pawns};

/// Predicates that are tested along one stream, or along both.
#[derive(Clone, Debug)]
pub(super) struct EventTests {
    /// Those that are tested one by one.
    tests: Vec<EventTest>,
    /// Sums of numbers of men, eight at a time.
    linear_sums: Vec<LinearSums>,
    /// Their bits.
    pub bits: u64,
    /// The numbers that they ask about.
    piece_counts_read: PackedPieceCounts,
    /// Those that hold on the usual array.
    holding_initially: u64,
    /// Of each kind of event in the stream of captures and promotions, whether it concerns any when White moves (bit 0), and when Black.
    material_concerns: Box<ConcernTable>,
    /// The same of the stream of changes of the pawns.
    pawn_concerns: Box<ConcernTable>,
    /// Files on which they ask about pawns of White, and of Black: a byte a file, 1 if so.
    pawn_files: [u64; 2],
}

#[derive(Clone, Debug)]
struct EventTest {
    /// Its number in the query.
    predicate_index: u8,
    piece_counts_read: PackedPieceCounts,
    predicate: PlannedPredicate,
}

/// Up to eight sums of numbers of men, each of which must lie between two bounds.
///
/// PERF: an event changes all of them by one addition, and two comparisons tell which hold.
#[derive(Clone, Debug)]
struct LinearSums {
    /// The numbers of the predicates in the query.
    predicates: Vec<u8>,
    weights: [[i16; 16]; 8],
    /// They hold above the first and below the second.
    bounds: [i16x8; 2],
    /// By how much an event changes them: those of White's moves by kind, and then those of Black's.
    event_deltas: Box<[i16x8; 2 << material::GAP_SHIFT]>,
    /// On the usual array.
    initial_sums: i16x8,
}

impl LinearSums {
    /// At most eight predicates with their weights and bounds.
    fn new(sums: &[(u8, &[i16; 16], i32, i32)], initial: &Board) -> LinearSums {
        let mut weights = [[0; 16]; 8];
        // What is not asked never holds.
        let mut bounds = [[i16::MAX; 8], [i16::MIN; 8]];
        for (lane, &(_, weight, least, most)) in sums.iter().enumerate() {
            let bound = |bound: i32| bound.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
            weights[lane] = *weight;
            (bounds[0][lane], bounds[1][lane]) = (bound(least - 1), bound(most + 1));
        }
        let mut all = LinearSums {
            predicates: sums.iter().map(|one| one.0).collect(),
            weights,
            bounds: bounds.map(i16x8::new),
            event_deltas: Box::new([i16x8::ZERO; 2 << material::GAP_SHIFT]),
            initial_sums: i16x8::ZERO,
        };
        // So many that none is taken from nothing.
        let plenty = [64u8; 16];
        let base_sums = all.sums_of(&plenty);
        let changes = core::array::from_fn(|event| {
            let mut numbers = PackedPieceCounts { sides: bytemuck::cast(plenty) };
            let mover = if event >> material::GAP_SHIFT == 0 { 0 } else { 8 };
            numbers.apply(event as u16 & material::KIND_MASK, mover);
            all.sums_of(&numbers.by_piece_code()) - base_sums
        });
        (all.event_deltas, all.initial_sums) = (Box::new(changes), all.sums_of(&initial.piece_counts));
        all
    }

    fn sums_of(&self, numbers: &[u8; 16]) -> i16x8 {
        let sum =
            |weights: &[i16; 16]| weights.iter().zip(numbers).map(|(weight, &number)| weight * i16::from(number)).sum();
        i16x8::new(core::array::from_fn(|lane| sum(&self.weights[lane])))
    }

    /// Those that hold, a bit each in their order.
    #[inline(always)]
    fn holding_mask(&self, sums: i16x8) -> u32 {
        (sums.simd_gt(self.bounds[0]) & sums.simd_lt(self.bounds[1])).to_bitmask()
    }

    /// The same by their numbers in the query.
    fn to_predicate_bits(&self, holding: u32) -> u64 {
        self.predicates.iter().enumerate().fold(0, |all, (lane, n)| all | u64::from(holding >> lane & 1) << n)
    }
}

impl EventTests {
    /// Those of `sorted` that have one of these numbers. `home` are further pawns that are watched.
    pub fn new(
        source: AccessPath,
        indices: &[u8],
        predicates: &[PlannedPredicate],
        initial: &Board,
        home_pawns: [u64; 2],
    ) -> EventTests {
        let event_test = |&n: &u8| {
            let predicate = predicates[usize::from(n)].clone();
            EventTest {
                predicate_index: n,
                piece_counts_read: PackedPieceCounts::mask_for(predicate.dependencies),
                predicate,
            }
        };
        let mut each: Vec<EventTest> = indices.iter().map(event_test).collect();
        let depends: ChangeMask = each.iter().fold(0, |all, one| all | one.predicate.dependencies);
        let pawns = [0, 1].map(|side| each.iter().fold(0, |all, one| all | one.predicate.pawn_squares[side]));
        let bits = indices.iter().fold(0, |all, n| all | 1 << n);
        let asked = PackedPieceCounts::mask_for(depends);
        let pawns = [pawns[0] | home_pawns[0], pawns[1] | home_pawns[1]];
        let men = |event: material::MaterialEvent| {
            bits_by_mover(|mover| PackedPieceCounts::from_board(initial).apply(event, mover).intersects(asked))
        };
        let mut sums = Vec::new();
        if source == AccessPath::MaterialEvents {
            let (linear, others): (Vec<EventTest>, Vec<EventTest>) =
                each.into_iter().partition(|one| one.predicate.linear_sum().is_some());
            let linear: Vec<_> = linear
                .iter()
                .filter_map(|one| {
                    one.predicate.linear_sum().map(|(weights, least, most)| (one.predicate_index, weights, least, most))
                })
                .collect();
            sums = linear.chunks(8).map(|sums| LinearSums::new(sums, initial)).collect();
            each = others;
        }
        let mut along = EventTests {
            tests: each,
            linear_sums: sums,
            bits,
            piece_counts_read: asked,
            holding_initially: 0,
            material_concerns: Box::new(core::array::from_fn(|event| men(event as u16 & material::KIND_MASK))),
            pawn_concerns: pawn_concerns_of(pawns, source == AccessPath::PawnFileEvents),
            pawn_files: pawns
                .map(|pawns| (0..8).fold(0, |all, file| all | u64::from(pawns & FILE_A << file != 0) << (8 * file))),
        };
        along.holding_initially = along.evaluate_all(initial);
        along
    }

    /// Those that hold on `board`, by number.
    fn evaluate_all(&self, board: &Board) -> u64 {
        let each =
            self.tests.iter().fold(0, |all, one| all | u64::from(one.predicate.test(board)) << one.predicate_index);
        let sums = self
            .linear_sums
            .iter()
            .map(|sums| sums.to_predicate_bits(sums.holding_mask(sums.sums_of(&board.piece_counts))));
        sums.fold(each, |all, sums| all | sums)
    }
}

/// A bit if something is so when White moves, and one if it is when Black does.
fn bits_by_mover(holds: impl Fn(u8) -> bool) -> u8 {
    u8::from(holds(0)) | u8::from(holds(8)) << 1
}

/// Of each kind of change of the pawns, whether it touches these of White or of Black, when White moves (bit 0), and when Black; with
/// `aside` only if a pawn leaves its file by it.
fn pawn_concerns_of(pawns: [u64; 2], file_changes_only: bool) -> Box<ConcernTable> {
    let stays_on_file = |[white, black]: [u64; 2]| {
        let (pawns, first) = (white | black, (white | black) & (white | black).wrapping_neg());
        (white == 0 || black == 0) && pawns.count_ones() == 2 && file_fill(pawns) == file_fill(first)
    };
    let touches = |event: pawns::PawnEvent| {
        bits_by_mover(|mover| {
            let changed = pawns::changed_squares(event, mover);
            changed[0] & pawns[0] | changed[1] & pawns[1] != 0 && !(file_changes_only && stays_on_file(changed))
        })
    };
    Box::new(core::array::from_fn(|event| touches(event as u16)))
}

/// A game whose events are walked.
pub(super) struct GameEvents<'a> {
    pub course: EventStreams<'a>,
    /// Plies that are of interest: up to the last of the game, or less.
    pub plies: usize,
    /// Who begins, 0 or 8.
    pub first_mover: u8,
    /// Whether it begins with the usual array.
    pub has_initial_start: bool,
}

/// Which predicates hold, and since when.
struct TruthRecorder<'a> {
    sets: &'a mut [u64],
    width: usize,
    holding: u64,
    /// Where the predicate of each bit of `now` began to hold.
    held_since: [u32; 64],
}

impl<'a> TruthRecorder<'a> {
    /// These hold before the first ply. Predicate `n` has the words `n × width` and on of `sets`.
    #[inline(always)]
    fn new((sets, width): (&'a mut [u64], usize), now: u64) -> TruthRecorder<'a> {
        TruthRecorder { sets, width, holding: now, held_since: [0; 64] }
    }

    /// The state of the board has changed by ply `ply`: tests the predicates that it concerns again.
    #[inline(always)]
    fn retest(&mut self, along: &EventTests, board: &Board, ply: usize, concerns: impl Fn(&EventTest) -> bool) {
        let mut changed = 0;
        for one in &along.tests {
            if concerns(one) {
                let holds = u64::from(one.predicate.test(board));
                changed |= (self.holding >> one.predicate_index & 1 ^ holds) << one.predicate_index;
            }
        }
        if changed != 0 {
            self.toggle(changed, ply - 1);
        }
    }

    /// These begin or cease to hold after `plies`.
    #[inline(always)]
    fn toggle(&mut self, mut changed: u64, ply: usize) {
        while changed != 0 {
            let n = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            if self.holding >> n & 1 == 0 {
                self.held_since[n] = ply as u32;
            } else {
                set_range(&mut self.sets[n * self.width..(n + 1) * self.width], self.held_since[n] as usize, ply);
            }
            self.holding ^= 1 << n;
        }
    }
}

/// Walks the stream of captures and promotions and writes at which plies each predicate holds: predicate `n` into words `n × width` and
/// on. `board` has the numbers of the start. Returns how many events were looked at.
///
/// PERF: first the events that concern nobody are left out, without a branch, since nothing foretells which these are; the others are
/// few.
#[inline(never)]
pub(super) fn walk_material_events(
    along: &EventTests,
    game: &GameEvents<'_>,
    board: &mut Board,
    sets: (&mut [u64], usize),
    selected: &mut Vec<u32>,
) -> usize {
    let GameEvents { course, plies, first_mover: first, has_initial_start: usual } = *game;
    let initially = if usual { along.holding_initially } else { along.evaluate_all(board) };
    let mut holding = TruthRecorder::new(sets, initially);
    let mut numbers = PackedPieceCounts { sides: bytemuck::cast(board.piece_counts) };
    let (selected_count, read_count) =
        select_events::<{ material::GAP_SHIFT }>(course.material, &along.material_concerns, first, plies, selected);
    for sums in &along.linear_sums {
        let mut now = if usual { sums.initial_sums } else { sums.sums_of(&board.piece_counts) };
        let mut held = sums.holding_mask(now);
        for &one in &selected[..selected_count] {
            let (ply, event) = ((one >> 16) as usize, one as u16);
            now += sums.event_deltas[usize::from(event & material::KIND_MASK)
                | usize::from(mover_at(first, ply)) << (material::GAP_SHIFT - 3)];
            let holds = sums.holding_mask(now);
            if holds != held {
                holding.toggle(sums.to_predicate_bits(holds ^ held), ply - 1);
                held = holds;
            }
        }
    }
    if !along.tests.is_empty() {
        for &one in &selected[..selected_count] {
            let (ply, event) = ((one >> 16) as usize, one as u16);
            let men = numbers.apply_masked(event, mover_at(first, ply), along.piece_counts_read);
            board.piece_counts = numbers.by_piece_code();
            holding.retest(along, board, ply, |one| men.intersects(one.piece_counts_read));
        }
    }
    holding.toggle(holding.holding, plies);
    read_count
}

/// The same along the changes of the pawns. `go_on` is asked after each, with what it was; where it refuses, no predicate holds any more.
#[inline(never)]
pub(super) fn walk_pawn_events(
    along: &EventTests,
    game: &GameEvents<'_>,
    board: &mut Board,
    sets: (&mut [u64], usize),
    selected: &mut Vec<u32>,
    mut keep_going: impl FnMut([u64; 2]) -> bool,
) -> usize {
    let GameEvents { course, plies, first_mover: first, has_initial_start: usual } = *game;
    let initially = if usual { along.holding_initially } else { along.evaluate_all(board) };
    let mut holding = TruthRecorder::new(sets, initially);
    let mut pawns = [board.bitboards[1], board.bitboards[9]];
    let (selected_count, read_count) =
        select_events::<{ pawns::GAP_SHIFT }>(course.pawns, &along.pawn_concerns, first, plies, selected);
    let mut end = plies;
    for &one in &selected[..selected_count] {
        let (ply, event) = ((one >> 16) as usize, one as u16);
        let moved = pawns::changed_squares(event, mover_at(first, ply));
        pawns = [pawns[0] ^ moved[0], pawns[1] ^ moved[1]];
        (board.bitboards[1], board.bitboards[9]) = (pawns[0], pawns[1]);
        let touches =
            |one: &EventTest| moved[0] & one.predicate.pawn_squares[0] | moved[1] & one.predicate.pawn_squares[1] != 0;
        holding.retest(along, board, ply, touches);
        if !keep_going(moved) {
            end = ply - 1;
            break;
        }
    }
    holding.toggle(holding.holding, end);
    read_count
}

/// Numbers of pawns on the files: a byte a file, the a-file lowest, White's in the lower half of it and Black's in the upper.
type PawnCountsByFile = u64;

/// Which predicates hold for some numbers of pawns on the files.
///
/// PERF: of what concerns a query there are few cases, so most are met again and again.
pub(super) struct PawnCountCache(Vec<(PawnCountsByFile, u64)>);

/// More than are met on three files, a power of two.
const CACHE_ENTRIES: usize = 4096;

impl PawnCountCache {
    pub fn new() -> PawnCountCache {
        // No file has so many pawns.
        PawnCountCache(vec![(u64::MAX, 0); CACHE_ENTRIES])
    }

    #[inline(always)]
    fn predicates_for(&mut self, numbers: PawnCountsByFile, along: &EventTests, board: &mut Board) -> u64 {
        let hash = numbers.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - CACHE_ENTRIES.trailing_zeros());
        let entry = &mut self.0[hash as usize & (CACHE_ENTRIES - 1)];
        if entry.0 != numbers {
            *entry = (numbers, evaluate_pawn_counts(numbers, along, board));
        }
        entry.1
    }
}

/// The same, tested on a board where the pawns of a file stand one on the other.
#[cold]
fn evaluate_pawn_counts(numbers: PawnCountsByFile, along: &EventTests, board: &mut Board) -> u64 {
    let stacked_pawns = |side: u32| {
        let files = (0..8).map(|file| (file, numbers >> (8 * file + 4 * side) & 15));
        files.fold(0, |all, (file, number)| {
            (1..=number.min(6)).fold(all, |all, rank| all | 1 << (8 * rank + file as u64))
        })
    };
    (board.bitboards[1], board.bitboards[9]) = (stacked_pawns(0), stacked_pawns(1));
    along.evaluate_all(board)
}

fn pawn_counts_by_file(pawns: [u64; 2]) -> PawnCountsByFile {
    let number = |side: usize, file: usize| u64::from((pawns[side] & FILE_A << file).count_ones());
    (0..8).fold(0, |all, file| all | (number(0, file) | number(1, file) << 4) << (8 * file))
}

/// The same along the changes that take a pawn from its file, for predicates that ask only how many pawns there are on a file.
#[inline(never)]
pub(super) fn walk_pawn_file_events(
    along: &EventTests,
    game: &GameEvents<'_>,
    board: &mut Board,
    sets: (&mut [u64], usize),
    (selected, cache): (&mut Vec<u32>, &mut PawnCountCache),
) -> usize {
    let GameEvents { course, plies, first_mover: first, has_initial_start: usual } = *game;
    let all_counts =
        if usual { 0x1111_1111_1111_1111 } else { pawn_counts_by_file([board.bitboards[1], board.bitboards[9]]) };
    // Of the other files not all is told.
    let mut pawn_counts = all_counts & (along.pawn_files[0] | along.pawn_files[1] << 4).wrapping_mul(15);
    let initially = if usual { along.holding_initially } else { along.evaluate_all(board) };
    let mut holding = TruthRecorder::new(sets, initially);
    let (selected_count, read_count) =
        select_events::<{ pawns::GAP_SHIFT }>(course.pawns, &along.pawn_concerns, first, plies, selected);
    for &one in &selected[..selected_count] {
        let (ply, event) = ((one >> 16) as usize, one as u16);
        let mover = mover_at(first, ply);
        let [leaves, comes, taken] = pawns::file_deltas(event, mover);
        let side = usize::from(mover >> 3 & 1);
        let (own, other) = (along.pawn_files[side], along.pawn_files[side ^ 1]);
        let of_mover = (comes & own).wrapping_sub(leaves & own) << (4 * side);
        pawn_counts = pawn_counts.wrapping_add(of_mover).wrapping_sub((taken & other) << (4 * (side ^ 1)));
        let changed = cache.predicates_for(pawn_counts, along, board) ^ holding.holding;
        if changed != 0 {
            holding.toggle(changed, ply - 1);
        }
    }
    holding.toggle(holding.holding, plies);
    read_count
}

/// Of each kind of event, whether it concerns somebody when White moves (bit 0), and when Black (bit 1). As long for either stream, so that
/// no place in it need be checked.
pub(super) type ConcernTable = [u8; 1 << 10];

/// Keeps the events that concern somebody, ply above event. The waits are above bit `WAIT`, the kinds below. Returns how many there are, and
/// how many there were.
///
/// PERF: a function by itself, so that all it has at hand stays in registers.
#[inline(never)]
fn select_events<const WAIT: u32>(
    events: &[u16],
    concerns: &ConcernTable,
    first_mover: u8,
    plies: usize,
    selected: &mut Vec<u32>,
) -> (usize, usize) {
    if selected.len() < events.len() {
        selected.resize(events.len(), 0);
    }
    let kept = &mut selected[..events.len()];
    let black_at_even = u32::from(first_mover >> 3) ^ 1;
    let plies = plies as u32;
    let (mut ply, mut selected_count, mut read_count) = (0u32, 0, 0);
    for &event in events {
        ply += u32::from(event >> WAIT);
        if ply > plies {
            break;
        }
        kept[selected_count] = ply << 16 | u32::from(event);
        let kind = usize::from(event) & ((1 << WAIT) - 1);
        selected_count += usize::from(concerns[kind & 1023] >> ((ply ^ black_at_even) & 1) & 1);
        read_count += 1;
    }
    (selected_count, read_count)
}

/// Walks both streams together: for predicates that ask about both.
#[inline(never)]
pub(super) fn walk_all_events(
    along: &EventTests,
    game: &GameEvents<'_>,
    start: &Board,
    board: &mut Board,
    sets: (&mut [u64], usize),
) -> usize {
    let GameEvents { course, plies, has_initial_start: usual, .. } = *game;
    let initially = if usual { along.holding_initially } else { along.evaluate_all(board) };
    let mut holding = TruthRecorder::new(sets, initially);
    let (mut men, mut pawns) = (
        material::MaterialEventCursor::at_start(start, course.material),
        pawns::PawnEventCursor::at_start(start, course.pawns),
    );
    let mut read_count = 0;
    loop {
        let ply = men.next_ply().min(pawns.next_ply());
        if ply > plies {
            break;
        }
        // Both streams have the capture of a pawn.
        if men.next_ply() == ply {
            men.advance();
            read_count += 1;
        }
        if pawns.next_ply() == ply {
            pawns.advance();
            read_count += 1;
        }
        board.piece_counts = men.piece_counts();
        [board.bitboards[1], board.bitboards[9]] = pawns.pawns();
        holding.retest(along, board, ply, |_| true);
    }
    holding.toggle(holding.holding, plies);
    read_count
}
