//! Events change the numbers of pieces or the pawns; the walks of this room test predicates along them, event by event, without a board.
//!
//! [`EventTests`] has the predicates of one stream. A walk leaves out the events that concern none of them ([`select_events`]), follows the
//! others, and a [`TruthRecorder`] writes down from which ply to which each predicate holds.

mod material_events;
mod pawn_events;
mod pawn_file_events;

pub(in crate::scan) use material_events::walk_material_events;
pub(in crate::scan) use pawn_events::{walk_all_events, walk_pawn_events};
pub(in crate::scan) use pawn_file_events::{PawnCountCache, walk_pawn_file_events};

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::board::make::FILE_A;
use crate::board::{Board, ChangeMask, ColorCode};
use crate::irreversible::material::PackedPieceCounts;
use crate::irreversible::{EventStreams, material};
use crate::scan::plan::{AccessPath, PlannedPredicate};
use crate::scan::plies::{PredicateSets, set_range};
use material_events::LinearSums;
use pawn_events::pawn_concerns_of;

/// Predicates that are tested along one stream, or along both.
#[derive(Clone, Debug)]
pub(in crate::scan) struct EventTests {
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
fn bits_by_mover(holds: impl Fn(ColorCode) -> bool) -> u8 {
    u8::from(holds(ColorCode::WHITE)) | u8::from(holds(ColorCode::BLACK)) << 1
}

/// A game whose events are walked.
pub(in crate::scan) struct GameEvents<'a> {
    pub course: EventStreams<'a>,
    /// Plies that are of interest: up to the last of the game, or less.
    pub plies: usize,
    /// Who begins.
    pub first_mover: ColorCode,
    /// Whether it begins with the usual array.
    pub has_initial_start: bool,
}

/// Which predicates hold, and since when.
struct TruthRecorder<'a> {
    sets: PredicateSets<'a>,
    holding: u64,
    /// Where the predicate of each bit of `now` began to hold.
    held_since: [u32; 64],
}

impl<'a> TruthRecorder<'a> {
    /// These hold before the first ply.
    #[inline(always)]
    fn new(sets: PredicateSets<'a>, now: u64) -> TruthRecorder<'a> {
        TruthRecorder { sets, holding: now, held_since: [0; 64] }
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
                set_range(self.sets.of(n), self.held_since[n] as usize, ply);
            }
            self.holding ^= 1 << n;
        }
    }
}

/// Of each kind of event, whether it concerns somebody when White moves (bit 0), and when Black (bit 1). As long for either stream, so that
/// no place in it need be checked.
pub(in crate::scan) type ConcernTable = [u8; 1 << 10];

/// Keeps the events that concern somebody, ply above event. The waits are above bit `WAIT`, the kinds below. Returns how many there are, and
/// how many there were.
///
/// PERF: a function by itself, so that all it has at hand stays in registers.
#[inline(never)]
fn select_events<const WAIT: u32>(
    events: &[u16],
    concerns: &ConcernTable,
    first_mover: ColorCode,
    plies: usize,
    selected: &mut Vec<u32>,
) -> (usize, usize) {
    if selected.len() < events.len() {
        selected.resize(events.len(), 0);
    }
    let kept = &mut selected[..events.len()];
    let black_at_even = first_mover.opponent().index() as u32;
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
