//! Tests predicates on the replayed board, at the plies that are still open.

use shakmaty::{Color, Role};

use super::source::Sorted;
use super::{needs::Needs, plies};
use crate::board::history::History;
use crate::board::make::{Bits, Mailbox, Pawns, Policy, Rights, Tally, Walk, Whole};
use crate::board::{Board, Change, EVERYTHING, man, squares_of};
use crate::moves::Move;

const WHITE_PAWNS: Change = squares_of(man(Color::White, Role::Pawn));
const BLACK_PAWNS: Change = squares_of(man(Color::Black, Role::Pawn));

/// Predicates that are tested on a board that one policy keeps up.
#[derive(Clone, Debug)]
pub(super) struct Tested {
    /// Their numbers in the query.
    pub predicates: alloc::vec::Vec<u8>,
    /// Their bits.
    pub bits: u64,
    /// What the replay keeps up.
    pub needs: Needs,
}

/// What is kept of the positions before, if anything.
trait Past {
    fn begin(board: &mut Board) -> Self;
    /// A move has been made.
    fn after_move(&mut self, board: &mut Board);
}

/// Nothing.
impl Past for () {
    fn begin(_: &mut Board) {}

    #[inline(always)]
    fn after_move(&mut self, _: &mut Board) {}
}

impl Past for History {
    fn begin(board: &mut Board) -> History {
        History::on(board)
    }

    #[inline]
    fn after_move(&mut self, board: &mut Board) {
        self.push(board);
    }
}

/// Whether what holds at a ply is enough to know all, by the sets of all predicates.
type Enough<'a> = dyn Fn(&[u64], usize) -> bool + 'a;

/// Replays a game up to the last ply of `open` and writes at which plies of it each predicate that is `asked` for holds: predicate `n` into
/// words `n × width` and on. Stops at a ply where `enough` says so, if one ply can be. Returns the plies played.
#[expect(clippy::too_many_arguments, reason = "the state of a game, in parts that are borrowed apart")]
pub(super) fn walk(
    tested: &Tested,
    asked: u64,
    sorted: &[Sorted],
    moves: &[Move],
    board: &mut Board,
    sets: (&mut [u64], usize),
    open: &[u64],
    enough: Option<&Enough<'_>>,
) -> usize {
    let needs = tested.needs;
    if let [n] = tested.predicates[..] {
        let n = usize::from(n);
        if needs == Needs::BITS {
            return walk_for_one::<Bits>(n, &sorted[n], moves, board, sets, open, enough);
        }
        if needs == Needs::RIGHTS {
            return walk_for_one::<Rights>(n, &sorted[n], moves, board, sets, open, enough);
        }
    }
    if needs.include(Needs::RIGHTS_AND_HASH) || needs.include(Needs::RIGHTS.and(Needs::TALLY)) {
        walk_as::<Whole, History>(tested, asked, sorted, moves, board, sets, open, enough)
    } else if needs.include(Needs::RIGHTS) {
        walk_as::<Rights, ()>(tested, asked, sorted, moves, board, sets, open, enough)
    } else if needs.include(Needs::TALLY) {
        walk_as::<Tally, ()>(tested, asked, sorted, moves, board, sets, open, enough)
    } else if needs == Needs::PAWNS {
        walk_as::<Pawns, ()>(tested, asked, sorted, moves, board, sets, open, enough)
    } else if needs.include(Needs::PAWNS) {
        walk_as::<Bits, ()>(tested, asked, sorted, moves, board, sets, open, enough)
    } else {
        walk_as::<Mailbox, ()>(tested, asked, sorted, moves, board, sets, open, enough)
    }
}

#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "as above")]
fn walk_as<P: Policy, H: Past>(
    tested: &Tested,
    asked: u64,
    sorted: &[Sorted],
    moves: &[Move],
    board: &mut Board,
    (sets, width): (&mut [u64], usize),
    open: &[u64],
    enough: Option<&Enough<'_>>,
) -> usize {
    let (mut predicates, mut number) = ([0u8; 64], 0);
    for &n in tested.predicates.iter().filter(|n| asked >> **n & 1 != 0) {
        (predicates[number], number) = (n, number + 1);
    }
    let predicates = &predicates[..number];
    let mut walk = Walk::on(board);
    let mut past = H::begin(board);
    let mut changed = EVERYTHING;
    let mut holding = 0u64;
    let mut played = 0;
    for ply in plies::ones(open) {
        let Some(between) = moves.get(played..=ply) else { break };
        for &mv in between {
            changed |= board.make_as::<P>(mv, &mut walk);
            past.after_move(board);
        }
        let before = (holding, played);
        played = ply + 1;
        for &n in predicates {
            let n = usize::from(n);
            // The number of men and who is to move count as changes of everything.
            if changed & sorted[n].depends != 0 {
                holding = holding & !(1 << n) | u64::from(sorted[n].test(board)) << n;
            }
            sets[n * width + ply / 64] |= (holding >> n & 1) << (ply % 64);
        }
        changed = 0;
        // PERF: whether it is enough is asked only where something has begun or ceased to hold.
        if (holding != before.0 || before.1 == 0) && enough.is_some_and(|enough| enough(sets, ply)) {
            break;
        }
    }
    played
}

/// The same for one predicate alone.
///
/// PERF: most features are asked for alone, at all plies. Then the moves of a word are gone through one after the other, without looking
/// for those that are open: less than half the time. Other needs than those of features are not worth the code.
#[inline(never)]
fn walk_for_one<P: Policy>(
    n: usize,
    one: &Sorted,
    moves: &[Move],
    board: &mut Board,
    (sets, width): (&mut [u64], usize),
    open: &[u64],
    enough: Option<&Enough<'_>>,
) -> usize {
    // PERF: what pawns of both sides and pieces can change is measured after every move, because guessing wrong which of them changed it
    // takes longer.
    let often = (WHITE_PAWNS | BLACK_PAWNS) & one.depends == WHITE_PAWNS | BLACK_PAWNS;
    let depends = if often { EVERYTHING } else { one.depends };
    let mut walk = Walk::on(board);
    let mut changed = EVERYTHING;
    let mut holding = false;
    let mut played = 0;
    for (nth, &word) in open.iter().enumerate() {
        let (mut rest, mut found) = (word, 0);
        if word & word.wrapping_add(1) == 0 && played == nth * 64 && enough.is_none() {
            let until = (played + word.trailing_ones() as usize).min(moves.len());
            let mut bit = 1u64;
            for &mv in &moves[played..until] {
                changed |= board.make_as::<P>(mv, &mut walk);
                if changed & depends != 0 {
                    holding = one.test(board);
                }
                changed = 0;
                found |= if holding { bit } else { 0 };
                bit <<= 1;
            }
            played = until;
            rest = 0;
        }
        while rest != 0 {
            let ply = nth * 64 + rest.trailing_zeros() as usize;
            let bit = rest & rest.wrapping_neg();
            rest ^= bit;
            let Some(between) = moves.get(played..=ply) else { break };
            for &mv in between {
                changed |= board.make_as::<P>(mv, &mut walk);
            }
            let first = played == 0;
            played = ply + 1;
            if changed & one.depends != 0 {
                let holds = one.test(board);
                if holds != holding || first {
                    holding = holds;
                    sets[n * width + nth] |= found | if holds { bit } else { 0 };
                    if enough.is_some_and(|enough| enough(sets, ply)) {
                        return played;
                    }
                }
            }
            changed = 0;
            found |= if holding { bit } else { 0 };
        }
        sets[n * width + nth] |= found;
    }
    played
}
