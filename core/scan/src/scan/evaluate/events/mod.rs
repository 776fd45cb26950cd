//! Events change the piece counts or the pawns; the walks of this module test predicates event by event, without a board.
//!
//! [`EventTests`] has the predicates of one stream. A walk skips the events that concern none of them ([`select_events`]) and
//! follows the others. A [`TruthRecorder`] records from which ply to which each predicate holds.

mod material_events;
mod pawn_events;
mod pawn_file_events;

pub(in crate::scan) use material_events::walk_material_events;
pub(in crate::scan) use pawn_events::{walk_all_events, walk_pawn_events};
pub(in crate::scan) use pawn_file_events::{PawnCountCaches, PawnFileTests, walk_pawn_file_events};

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::scan::plan::{AccessPath, PlannedPredicate};
use crate::scan::plies::{PredicateSets, set_range};
use material_events::LinearSums;
use pawn_events::pawn_concerns_of;
use plyfold_board::board::{Board, ChangeMask, ColorCode};
use plyfold_board::irreversible::material;
use plyfold_board::irreversible::material::PackedPieceCounts;

/// The predicates that are tested along one stream, or along both.
#[derive(Clone, Debug)]
pub(in crate::scan) struct EventTests {
    /// The predicates that are tested one by one.
    tests: Vec<EventTest>,
    /// Sums of piece counts, eight at a time.
    linear_sums: Vec<LinearSums>,
    /// The piece counts that the predicates read.
    piece_counts_read: PackedPieceCounts,
    /// The number of pieces on the board below which none of the predicates ever holds.
    fewest_pieces: u32,
    /// The predicates that hold on the initial position.
    holding_initially: u64,
    /// By kind of event in the stream of captures and promotions: whether it concerns any predicate, with a bit for each mover.
    material_concerns: Box<ConcernTable>,
    /// The same by kind of pawn change.
    pawn_concerns: Box<ConcernTable>,
}

#[derive(Clone, Debug)]
struct EventTest {
    /// The number of the predicate in the query.
    predicate_index: u8,
    piece_counts_read: PackedPieceCounts,
    predicate: PlannedPredicate,
}

impl EventTests {
    /// Makes the tests for the predicates with these numbers. `home_pawns` are further pawns to watch.
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
        let pawns =
            [0, 1].map(|side| each.iter().fold(home_pawns[side], |all, one| all | one.predicate.pawn_squares[side]));
        let asked = PackedPieceCounts::mask_for(depends);
        let concerns_of = |event: material::MaterialEvent| {
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
        let fewest_pieces =
            if sums.is_empty() { each.iter().map(|one| one.predicate.fewest_pieces()).min() } else { None };
        let mut along = EventTests {
            fewest_pieces: fewest_pieces.unwrap_or(0),
            tests: each,
            linear_sums: sums,
            piece_counts_read: asked,
            holding_initially: 0,
            material_concerns: Box::new(core::array::from_fn(|event| concerns_of(event as u16 & material::KIND_MASK))),
            pawn_concerns: pawn_concerns_of(pawns, false),
        };
        along.holding_initially = along.evaluate_all(initial);
        along
    }

    /// Returns the predicates that hold on `board`, a bit each.
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

/// Returns bit 0 if something holds when White moves, and bit 1 if it holds when Black moves.
fn bits_by_mover(holds: impl Fn(ColorCode) -> bool) -> u8 {
    u8::from(holds(ColorCode::WHITE)) | u8::from(holds(ColorCode::BLACK)) << 1
}

/// Records which predicates hold, and since when.
struct TruthRecorder<'a> {
    sets: PredicateSets<'a>,
    holding: u64,
    /// For each predicate in `holding`: the ply, from 0, at which it began to hold.
    held_since: [u32; 64],
}

impl<'a> TruthRecorder<'a> {
    /// Starts with the predicates that hold before the first ply.
    #[inline(always)]
    fn new(sets: PredicateSets<'a>, now: u64) -> TruthRecorder<'a> {
        TruthRecorder { sets, holding: now, held_since: [0; 64] }
    }

    /// Tests again the predicates that `concerns` selects, after ply `ply` has changed `board`.
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

    /// Records that these predicates begin or cease to hold after `ply` plies.
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

/// By kind of event: whether it concerns any predicate when White moves (bit 0), and when Black moves (bit 1).
/// Both streams use the same length, so that no index needs a bounds check.
pub(in crate::scan) type ConcernTable = [u8; 1 << 10];

/// Selects the events that concern some predicate, each with its ply in the upper half.
/// The gap of an event is in bit `WAIT` and above, its kind below. Returns the number of selected events, and the number of
/// events read.
///
/// PERF: as a function of its own, it keeps all its variables in registers.
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
