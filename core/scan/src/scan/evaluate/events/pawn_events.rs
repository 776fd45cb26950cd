//! The walk along the pawn changes maintains the squares of the pawns; the walk along both streams also maintains piece counts.

use alloc::boxed::Box;
use alloc::vec::Vec;

use plyfold_board::board::{Board, PieceCode};
use plyfold_board::irreversible::{material, mover_at, pawns};

use super::{ConcernTable, EventTest, EventTests, TruthRecorder, bits_by_mover, select_events};
use crate::scan::evaluate::game_at_hand::GameAtHand;
use crate::scan::measure::file_fill;
use crate::scan::plies::PredicateSets;

/// Returns which kinds of pawn change touch these pawns, with bit 0 for moves of White and bit 1 for moves of Black.
/// With `file_changes_only`, only changes by which a pawn leaves its file or disappears count.
pub(super) fn pawn_concerns_of(pawns: [u64; 2], file_changes_only: bool) -> Box<ConcernTable> {
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

/// Walks the stream of pawn changes of a game up to a ply and records at which plies each predicate holds.
/// The walk calls `keep_going` with the squares of each change. If that returns false, the walk ends, and no predicate holds from
/// that ply on. Returns the number of events read.
#[inline(never)]
pub(in crate::scan) fn walk_pawn_events(
    along: &EventTests,
    (at, plies): (&GameAtHand<'_>, usize),
    (board, selected): (&mut Board, &mut Vec<u32>),
    sets: PredicateSets<'_>,
    mut keep_going: impl FnMut([u64; 2]) -> bool,
) -> usize {
    let first = at.start.turn;
    let initially = if at.has_initial_start { along.holding_initially } else { along.evaluate_all(board) };
    let mut holding = TruthRecorder::new(sets, initially);
    let mut pawns = board.pawns();
    let (selected_count, read_count) =
        select_events::<{ pawns::GAP_SHIFT }>(at.event_streams.pawns, &along.pawn_concerns, first, plies, selected);
    let mut end = plies;
    for &one in &selected[..selected_count] {
        let (ply, event) = ((one >> 16) as usize, one as u16);
        let moved = pawns::changed_squares(event, mover_at(first, ply));
        pawns = [pawns[0] ^ moved[0], pawns[1] ^ moved[1]];
        (board.bitboards[PieceCode::WHITE_PAWN], board.bitboards[PieceCode::BLACK_PAWN]) = (pawns[0], pawns[1]);
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

/// Walks both streams of a game together up to a ply, for predicates that depend on both. Returns the number of events read.
#[inline(never)]
pub(in crate::scan) fn walk_all_events(
    along: &EventTests,
    (at, plies): (&GameAtHand<'_>, usize),
    board: &mut Board,
    sets: PredicateSets<'_>,
) -> usize {
    let initially = if at.has_initial_start { along.holding_initially } else { along.evaluate_all(board) };
    let mut holding = TruthRecorder::new(sets, initially);
    let (mut material, mut pawns) = (
        material::MaterialEventCursor::at_start(at.start, at.event_streams.material),
        pawns::PawnEventCursor::at_start(at.start, at.event_streams.pawns),
    );
    let mut read_count = 0;
    loop {
        let ply = material.next_ply().min(pawns.next_ply());
        if ply > plies {
            break;
        }
        // Both streams contain the capture of a pawn.
        if material.next_ply() == ply {
            material.advance();
            read_count += 1;
        }
        if pawns.next_ply() == ply {
            pawns.advance();
            read_count += 1;
        }
        board.piece_counts = material.piece_counts();
        [board.bitboards[PieceCode::WHITE_PAWN], board.bitboards[PieceCode::BLACK_PAWN]] = pawns.pawns();
        holding.retest(along, board, ply, |_| true);
    }
    holding.toggle(holding.holding, plies);
    read_count
}
