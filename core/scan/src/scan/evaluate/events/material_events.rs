//! The walk along captures and promotions maintains the piece counts and tests sums of them eight at a time.

use alloc::boxed::Box;
use alloc::vec::Vec;

use plyfold_board::board::{Board, ByPiece, ColorCode};
use plyfold_board::irreversible::material::{MaterialEvent, PackedPieceCounts};
use plyfold_board::irreversible::{material, mover_at};
use wide::i16x8;

use super::{EventTests, TruthRecorder, select_events};
use crate::scan::evaluate::game_at_hand::GameAtHand;
use crate::scan::plies::PredicateSets;

/// Up to eight weighted sums of piece counts, each of which must lie between two bounds.
///
/// PERF: an event changes all sums with one addition, and two comparisons show which ones lie within their bounds.
#[derive(Clone, Debug)]
pub(super) struct LinearSums {
    /// The numbers of the predicates in the query.
    pub(super) predicates: Vec<u8>,
    weights: [[i16; 16]; 8],
    /// A predicate holds if its sum is above the first bound and below the second.
    bounds: [i16x8; 2],
    /// The amounts by which an event changes the sums: first the kinds of events of White's moves, then those of Black's.
    event_deltas: Box<[i16x8; 2 << material::GAP_SHIFT]>,
    /// The sums on the initial position.
    initial_sums: i16x8,
}

impl LinearSums {
    /// Makes the sums of at most eight predicates from their weights and bounds.
    pub(super) fn new(sums: &[(u8, &[i16; 16], i32, i32)], initial: &Board) -> LinearSums {
        let mut weights = [[0; 16]; 8];
        // Unused lanes never hold.
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
        // So many pieces that no event takes one from zero.
        let plenty = ByPiece::splat(64);
        let base_sums = all.sums_of(&plenty);
        let changes = core::array::from_fn(|event| {
            let mut numbers = PackedPieceCounts::from_counts(plenty);
            let mover = if event >> material::GAP_SHIFT == 0 { ColorCode::WHITE } else { ColorCode::BLACK };
            numbers.apply(event as u16 & material::KIND_MASK, mover);
            all.sums_of(&numbers.by_piece_code()) - base_sums
        });
        (all.event_deltas, all.initial_sums) = (Box::new(changes), all.sums_of(&initial.piece_counts));
        all
    }

    pub(super) fn sums_of(&self, numbers: &ByPiece<u8>) -> i16x8 {
        let numbers = numbers.as_array();
        let sum =
            |weights: &[i16; 16]| weights.iter().zip(numbers).map(|(weight, &number)| weight * i16::from(number)).sum();
        i16x8::new(core::array::from_fn(|lane| sum(&self.weights[lane])))
    }

    /// Returns the predicates that hold, a bit each in their order here.
    #[inline(always)]
    pub(super) fn holding_mask(&self, sums: i16x8) -> u32 {
        (sums.simd_gt(self.bounds[0]) & sums.simd_lt(self.bounds[1])).to_bitmask()
    }

    /// Converts such bits to bits by the numbers of the predicates in the query.
    pub(super) fn to_predicate_bits(&self, holding: u32) -> u64 {
        self.predicates.iter().enumerate().fold(0, |all, (lane, n)| all | u64::from(holding >> lane & 1) << n)
    }
}

/// Walks the stream of captures and promotions of a game up to a ply and records at which plies each predicate holds.
/// `board` has the piece counts of the start position. Returns the number of events read.
///
/// PERF: a first pass without branches drops the events that concern no predicate, because branches on them would be
/// unpredictable; few events are left.
#[inline(never)]
pub(in crate::scan) fn walk_material_events(
    along: &EventTests,
    (at, plies): (&GameAtHand<'_>, usize),
    board: &mut Board,
    sets: PredicateSets<'_>,
    selected: &mut Vec<u32>,
) -> usize {
    let (first, usual) = (at.start.turn, at.has_initial_start);
    let initially = if usual { along.holding_initially } else { along.evaluate_all(board) };
    let mut holding = TruthRecorder::new(sets, initially);
    let mut numbers = PackedPieceCounts::from_counts(board.piece_counts);
    let events = first_events(at.event_streams.material, board, along.fewest_pieces);
    let (selected_count, read_count) =
        select_events::<{ material::GAP_SHIFT }>(events, &along.material_concerns, first, plies, selected);
    for sums in &along.linear_sums {
        let mut now = if usual { sums.initial_sums } else { sums.sums_of(&board.piece_counts) };
        let mut held = sums.holding_mask(now);
        for &one in &selected[..selected_count] {
            let (ply, event) = ((one >> 16) as usize, one as u16);
            now += sums.event_deltas[usize::from(event & material::KIND_MASK)
                | usize::from(mover_at(first, ply).bits()) << (material::GAP_SHIFT - 3)];
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
            let changed_counts = numbers.apply_masked(event, mover_at(first, ply), along.piece_counts_read);
            board.piece_counts = numbers.by_piece_code();
            holding.retest(along, board, ply, |one| changed_counts.intersects(one.piece_counts_read));
        }
    }
    holding.toggle(holding.holding, plies);
    read_count
}

/// The events up to the one that leaves fewer than `fewest` pieces on the board; captured pieces never come back.
///
/// PERF: a position of the opening asks for all 32 pieces, so the first capture of a game is the last that matters. 0.6 of the
/// instructions of a search for the Ruy Lopez after 3...a6.
#[inline(always)]
fn first_events<'a>(events: &'a [MaterialEvent], board: &Board, fewest: u32) -> &'a [MaterialEvent] {
    if fewest == 0 {
        return events;
    }
    let mut pieces = PackedPieceCounts::from_counts(board.piece_counts).pieces();
    let last = events.iter().position(|&event| {
        pieces -= u32::from(material::captured_role(event) != 0);
        pieces < fewest
    });
    &events[..last.map_or(events.len(), |last| last + 1)]
}
