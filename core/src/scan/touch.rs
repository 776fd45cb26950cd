//! Tests predicates about single squares: what stands on a square changes only when a move touches it.
//!
//! The packed moves say where from, where to, and who arrives, so the moves that touch given squares are found by a filter that has
//! no board, and only these are played, on a board that is right on these squares alone.

use super::plies::fill;
use super::predicate::Predicate;
use super::source::Sorted;
use crate::board::Board;
use crate::board::make::{castled_squares, en_passant_victim};
use crate::moves::Move;

/// Predicates about some squares.
#[derive(Clone, Debug, Default)]
pub(super) struct Touched {
    /// Their numbers in the query.
    pub predicates: alloc::vec::Vec<u8>,
    /// The squares.
    squares: u64,
    /// The first four, the last repeated, if there are no more.
    few: Option<[u16; 4]>,
}

impl Touched {
    /// Those of `sorted` that have one of these numbers.
    pub fn new(predicates: alloc::vec::Vec<u8>, sorted: &[Sorted]) -> Touched {
        let squares = predicates.iter().fold(0, |all, &n| all | sorted[usize::from(n)].squares);
        let mut each = shakmaty::Bitboard(squares).into_iter().map(|square| square as u16);
        // Without squares, castling alone is watched: a move does not lead where it comes from, so no move is 64.
        let mut last = 64;
        let few = core::array::from_fn(|_| {
            last = each.next().unwrap_or(last);
            last
        });
        Touched { predicates, squares, few: each.next().is_none().then_some(few) }
    }

    /// Which of up to 64 moves touch one of the squares or are special.
    ///
    /// PERF: flags first, a byte a move, for vectors; then eight bytes to eight bits by a multiplication.
    #[inline(always)]
    fn filter(&self, moves: &[Move]) -> u64 {
        let mut flags = [0u8; 64];
        match self.few {
            Some([a, b, c, d]) => {
                for (flag, mv) in flags.iter_mut().zip(moves) {
                    let bits = mv.bits();
                    let (from, to) = (bits & 63, bits >> 6 & 63);
                    *flag = u8::from(
                        (from == a)
                            | (to == a)
                            | (from == b)
                            | (to == b)
                            | (from == c)
                            | (to == c)
                            | (from == d)
                            | (to == d)
                            | (bits >> 15 != 0),
                    );
                }
            }
            None => {
                for (flag, mv) in flags.iter_mut().zip(moves) {
                    let bits = mv.bits();
                    let touches = self.squares >> (bits & 63) | self.squares >> (bits >> 6 & 63);
                    *flag = touches as u8 & 1 | (bits >> 15) as u8;
                }
            }
        }
        let mut mask = 0;
        for (nth, eight) in flags.chunks_exact(8).enumerate() {
            let eight =
                u64::from_le_bytes([eight[0], eight[1], eight[2], eight[3], eight[4], eight[5], eight[6], eight[7]]);
            mask |= (eight.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (nth * 8);
        }
        mask
    }
}

/// Walks the moves of a game that touch the squares and writes at which plies each predicate holds: predicate `n` into words
/// `n × width` and on.
///
/// `board` is the start, and is played on.
#[inline(always)]
pub(super) fn walk(
    touched: &Touched,
    (query, sorted): (&[Predicate], &[Sorted]),
    moves: &[Move],
    board: &mut Board,
    (sets, width): (&mut [u64], usize),
) {
    let test = |board: &Board| {
        touched.predicates.iter().fold(0u64, |all, &n| {
            let n = usize::from(n);
            all | u64::from(sorted[n].test(&query[n], board)) << n
        })
    };
    let first = board.turn;
    let mut holding = test(board);
    let mut since = [0u32; 64];
    for (nth, block) in moves.chunks(64).enumerate() {
        let mut mask = touched.filter(block);
        while mask != 0 {
            let at = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            let ply = nth * 64 + at;
            play(board, block[at], crate::course::mover(first, ply + 1));
            let now = test(board);
            let mut changed = now ^ holding;
            while changed != 0 {
                let n = changed.trailing_zeros() as usize;
                changed &= changed - 1;
                if now >> n & 1 != 0 {
                    since[n] = ply as u32;
                } else {
                    fill(&mut sets[n * width..(n + 1) * width], since[n] as usize, ply);
                }
            }
            holding = now;
        }
    }
    while holding != 0 {
        let n = holding.trailing_zeros() as usize;
        holding &= holding - 1;
        fill(&mut sets[n * width..(n + 1) * width], since[n] as usize, moves.len());
    }
}

/// Plays a move on a board of which only some squares are right. Those stay right; on others anything may stand.
#[inline(always)]
fn play(board: &mut Board, mv: Move, mover: u8) {
    let (from, to) = (mv.origin(), mv.target());
    if mv.is_special() {
        return special(board, mv, mover);
    }
    lift(board, from);
    lift(board, to);
    put(board, mover | mv.role_code(), to);
}

#[cold]
#[inline(never)]
fn special(board: &mut Board, mv: Move, mover: u8) {
    let (from, to) = (mv.origin(), mv.target());
    if mv.is_null() || mv.role_code() == 7 {
        return;
    }
    lift(board, from);
    lift(board, to);
    if mv.is_castling() {
        let (king, rook) = castled_squares(from, to);
        put(board, mover | 6, king);
        put(board, mover | 4, rook);
        board.castled |= match (to > from, mover) {
            (true, 0) => 1,
            (false, 0) => 2,
            (true, _) => 4,
            (false, _) => 8,
        };
        return;
    }
    if mv.is_en_passant() {
        lift(board, en_passant_victim(from, to));
    }
    put(board, mover | mv.role_code(), to);
}

/// Nothing stands on the square.
#[inline(always)]
fn lift(board: &mut Board, square: usize) {
    let man = core::mem::replace(&mut board.men[square], 0);
    board.of[usize::from(man & 15)] &= !(1 << square);
}

#[inline(always)]
fn put(board: &mut Board, man: u8, square: usize) {
    board.men[square] = man;
    board.of[usize::from(man & 15)] |= 1 << square;
}
