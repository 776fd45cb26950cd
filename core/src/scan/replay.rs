//! Tests predicates on the replayed board, at the plies that are still open.

use shakmaty::{Bitboard, Color, Role};

use super::combine::Formula;
use super::images::Followed;
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

/// A query for which a game is replayed.
pub(super) struct Asking<'a> {
    /// The predicates that it asks for.
    pub asked: u64,
    /// The plies that are open for it.
    pub open: &'a [u64],
    /// The formula that settles it where it holds once, if there is such a one.
    pub enough: Option<&'a Formula>,
}

impl Asking<'_> {
    /// Whether what holds at a ply is enough to settle it, by the sets of all predicates.
    fn is_settled(&self, (sets, width): (&[u64], usize), ply: usize) -> bool {
        self.enough.is_some_and(|formula| {
            let holds = |n: usize| (sets[n * width + ply / 64] >> (ply % 64) & 1) << n;
            formula.holds((0..sets.len() / width).fold(0, |all, n| all | holds(n)))
        })
    }
}

/// Replays a game up to the last ply that is open and writes at which plies of it each predicate that is asked for holds: predicate `n` into
/// words `n × width` and on. Stops at a ply that settles the query, if one ply can. Returns the plies played.
pub(super) fn walk(
    tested: &Tested,
    asking: &Asking<'_>,
    sorted: &[Sorted],
    moves: &[Move],
    board: &mut Board,
    sets: (&mut [u64], usize),
) -> usize {
    let needs = tested.needs;
    if let [n] = tested.predicates[..] {
        let n = usize::from(n);
        if let Some(followed) = sorted[n].images().and_then(|images| images.followed(&board.men)) {
            return walk_for_images(n, followed, asking, moves, board, sets);
        }
        if needs == Needs::BITS {
            return walk_for_one::<Bits>(n, &sorted[n], asking, moves, board, sets);
        }
        if needs == Needs::RIGHTS {
            return walk_for_one::<Rights>(n, &sorted[n], asking, moves, board, sets);
        }
    }
    if needs.include(Needs::RIGHTS_AND_HASH) || needs.include(Needs::RIGHTS.and(Needs::TALLY)) {
        walk_as::<Whole, History>(tested, asking, sorted, moves, board, sets)
    } else if needs.include(Needs::RIGHTS) {
        walk_as::<Rights, ()>(tested, asking, sorted, moves, board, sets)
    } else if needs.include(Needs::TALLY) {
        walk_as::<Tally, ()>(tested, asking, sorted, moves, board, sets)
    } else if needs == Needs::PAWNS {
        walk_as::<Pawns, ()>(tested, asking, sorted, moves, board, sets)
    } else if needs.include(Needs::PAWNS) {
        walk_as::<Bits, ()>(tested, asking, sorted, moves, board, sets)
    } else {
        walk_as::<Mailbox, ()>(tested, asking, sorted, moves, board, sets)
    }
}

#[inline(never)]
fn walk_as<P: Policy, H: Past>(
    tested: &Tested,
    asking: &Asking<'_>,
    sorted: &[Sorted],
    moves: &[Move],
    board: &mut Board,
    (sets, width): (&mut [u64], usize),
) -> usize {
    let (mut predicates, mut number) = ([0u8; 64], 0);
    for &n in tested.predicates.iter().filter(|n| asking.asked >> **n & 1 != 0) {
        (predicates[number], number) = (n, number + 1);
    }
    let predicates = &predicates[..number];
    let mut walk = Walk::on(board);
    let mut past = H::begin(board);
    let mut changed = EVERYTHING;
    let mut holding = 0u64;
    let mut played = 0;
    for ply in plies::ones(asking.open) {
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
        if (holding != before.0 || before.1 == 0) && asking.is_settled((sets, width), ply) {
            break;
        }
    }
    played
}

/// The same for several queries at once: each predicate is tested where it is open for a query that asks for it, and for a query that one
/// ply settles no further than there.
pub(super) fn walk_for_several(
    tested: &Tested,
    asking: &[Asking<'_>],
    sorted: &[Sorted],
    moves: &[Move],
    board: &mut Board,
    sets: (&mut [u64], usize),
) -> usize {
    let needs = tested.needs;
    // Several queries together want most of it anyway, and each policy is code that every page loads.
    if Needs::RIGHTS.include(needs) {
        several_as::<Rights, ()>(tested, asking, sorted, moves, board, sets)
    } else {
        several_as::<Whole, History>(tested, asking, sorted, moves, board, sets)
    }
}

#[inline(never)]
fn several_as<P: Policy, H: Past>(
    tested: &Tested,
    asking: &[Asking<'_>],
    sorted: &[Sorted],
    moves: &[Move],
    board: &mut Board,
    (sets, width): (&mut [u64], usize),
) -> usize {
    let mut walk = Walk::on(board);
    let mut past = H::begin(board);
    // Of each predicate, what has changed since it was tested.
    let mut since = [EVERYTHING; 64];
    let (mut holding, mut played) = (0u64, 0);
    // Queries that are settled, and those that were open at some ply before.
    let (mut settled, mut met) = (0u64, 0u64);
    for nth in 0..width {
        let left = |settled: u64| {
            let each = asking.iter().enumerate().filter(|(q, _)| settled >> q & 1 == 0);
            each.fold(0, |all, (_, asking)| all | asking.open[nth])
        };
        let mut rest = left(settled);
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let ply = nth * 64 + bit as usize;
            let Some(between) = moves.get(played..=ply) else { return played };
            let mut changed = 0;
            for &mv in between {
                changed |= board.make_as::<P>(mv, &mut walk);
                past.after_move(board);
            }
            played = ply + 1;
            let (mut live, mut wanted) = (0u64, 0);
            for (q, one) in asking.iter().enumerate() {
                if settled >> q & 1 == 0 && one.open[nth] >> bit & 1 != 0 {
                    live |= 1 << q;
                    wanted |= one.asked;
                }
            }
            let before = holding;
            for &n in &tested.predicates {
                let n = usize::from(n);
                since[n] |= changed;
                if wanted >> n & 1 == 0 {
                    continue;
                }
                if since[n] & sorted[n].depends != 0 {
                    holding = holding & !(1 << n) | u64::from(sorted[n].test(board)) << n;
                }
                since[n] = 0;
                sets[n * width + nth] |= (holding >> n & 1) << bit;
            }
            // As above, asked only where something has begun or ceased to hold, or of a query that was not asked yet.
            let news = if holding == before { live & !met } else { live };
            met |= live;
            for q in Bitboard(news) {
                if asking[q as usize].is_settled((sets, width), ply) {
                    settled |= 1 << q as u32;
                    rest &= left(settled);
                }
            }
        }
    }
    played
}

/// The same for images alone.
#[inline(never)]
fn walk_for_images(
    n: usize,
    mut followed: Followed<'_>,
    asking: &Asking<'_>,
    moves: &[Move],
    board: &mut Board,
    (sets, width): (&mut [u64], usize),
) -> usize {
    let mut walk = Walk::on(board);
    let plies = plies::last(asking.open).map_or(0, |last| (last + 1).min(moves.len()));
    let mut before = None;
    for (nth, moves) in moves[..plies].chunks(64).enumerate() {
        let (open, mut found) = (asking.open[nth], 0);
        for (bit, &mv) in moves.iter().enumerate() {
            let mover = board.turn;
            board.make_as::<Mailbox>(mv, &mut walk);
            followed.after(mv, mover, &board.men);
            let holds = followed.holds();
            found |= u64::from(holds) << bit;
            if asking.enough.is_some() && open >> bit & 1 != 0 && before != Some(holds) {
                before = Some(holds);
                sets[n * width + nth] |= found & open;
                if asking.is_settled((sets, width), nth * 64 + bit) {
                    return nth * 64 + bit + 1;
                }
            }
        }
        sets[n * width + nth] |= found & open;
    }
    plies
}

/// The same for one predicate alone.
///
/// PERF: most features are asked for alone, at all plies. Then the moves of a word are gone through one after the other, without looking
/// for those that are open: less than half the time. Other needs than those of features are not worth the code.
#[inline(never)]
fn walk_for_one<P: Policy>(
    n: usize,
    one: &Sorted,
    asking: &Asking<'_>,
    moves: &[Move],
    board: &mut Board,
    (sets, width): (&mut [u64], usize),
) -> usize {
    // PERF: what pawns of both sides and pieces can change is measured after every move, because guessing wrong which of them changed it
    // takes longer.
    let often = (WHITE_PAWNS | BLACK_PAWNS) & one.depends == WHITE_PAWNS | BLACK_PAWNS;
    let depends = if often { EVERYTHING } else { one.depends };
    let mut walk = Walk::on(board);
    let mut changed = EVERYTHING;
    let mut holding = false;
    let mut played = 0;
    for (nth, &word) in asking.open.iter().enumerate() {
        let (mut rest, mut found) = (word, 0);
        if word & word.wrapping_add(1) == 0 && played == nth * 64 && asking.enough.is_none() {
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
                    if asking.is_settled((sets, width), ply) {
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
