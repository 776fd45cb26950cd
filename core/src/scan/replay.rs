//! Tests predicates on the replayed board, at the plies that are still open.

use super::source::Sorted;
use super::{needs::Needs, plies};
use crate::board::make::{Bits, Mailbox, Pawns, Policy, Tally, Walk, Whole};
use crate::board::{Board, EVERYTHING};
use crate::moves::Move;

/// Predicates that are tested on a board that one policy keeps up.
#[derive(Clone, Debug)]
pub(super) struct Tested {
    /// Their numbers in the query.
    pub predicates: alloc::vec::Vec<u8>,
    /// What the replay keeps up.
    pub needs: Needs,
}

/// Replays a game up to the last ply of `open` and writes at which plies of it each predicate holds: predicate `n` into words
/// `n × width` and on. Stops at a ply where `enough` says so of all predicates' bits. Returns the plies played.
pub(super) fn walk(
    tested: &Tested,
    sorted: &[Sorted],
    moves: &[Move],
    board: &mut Board,
    sets: (&mut [u64], usize),
    open: &[u64],
    enough: &dyn Fn(&[u64], usize) -> bool,
) -> usize {
    let needs = tested.needs;
    if needs.include(Needs::RIGHTS_AND_HASH) {
        walk_as::<Whole>(tested, sorted, moves, board, sets, open, enough)
    } else if needs.include(Needs::TALLY) {
        walk_as::<Tally>(tested, sorted, moves, board, sets, open, enough)
    } else if needs == Needs::PAWNS {
        walk_as::<Pawns>(tested, sorted, moves, board, sets, open, enough)
    } else if needs.include(Needs::PAWNS) {
        walk_as::<Bits>(tested, sorted, moves, board, sets, open, enough)
    } else {
        walk_as::<Mailbox>(tested, sorted, moves, board, sets, open, enough)
    }
}

#[inline(never)]
fn walk_as<P: Policy>(
    tested: &Tested,
    sorted: &[Sorted],
    moves: &[Move],
    board: &mut Board,
    (sets, width): (&mut [u64], usize),
    open: &[u64],
    enough: &dyn Fn(&[u64], usize) -> bool,
) -> usize {
    let mut walk = Walk::on(board);
    let mut changed = EVERYTHING;
    let mut holding = 0u64;
    let mut played = 0;
    for ply in plies::ones(open) {
        let Some(between) = moves.get(played..=ply) else { break };
        for &mv in between {
            changed |= board.make_as::<P>(mv, &mut walk);
        }
        played = ply + 1;
        for &n in &tested.predicates {
            let n = usize::from(n);
            // The number of men and who is to move count as changes of everything.
            if changed & sorted[n].depends != 0 {
                holding = holding & !(1 << n) | u64::from(sorted[n].test(board)) << n;
            }
            sets[n * width + ply / 64] |= (holding >> n & 1) << (ply % 64);
        }
        changed = 0;
        if enough(sets, ply) {
            break;
        }
    }
    played
}
