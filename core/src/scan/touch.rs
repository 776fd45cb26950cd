//! Tests predicates about single squares: what stands on a square changes only when a move touches it.
//!
//! The packed moves say where from, where to, and who arrives, so the moves that touch given squares are found by a filter that has
//! no board, and only these are played, on a board that is right on these squares alone.

use alloc::vec::Vec;

use wide::{i8x16, i16x16};

use super::events::Holding;
use super::source::Sorted;
use crate::board::Board;
use crate::board::make::{castled_bit, castled_squares, en_passant_victim};
use crate::moves::Move;

/// Predicates about some squares.
#[derive(Clone, Debug)]
pub(super) struct Touched {
    each: Vec<(u8, Sorted)>,
    /// Their bits.
    pub bits: u64,
    /// The squares.
    squares: u64,
    /// The squares one by one, if they are few.
    few: Option<Vec<i16>>,
}

/// More squares than these are looked up in a word, not compared one by one.
const FEW: u32 = 4;

impl Touched {
    /// Those of `sorted` that have one of these numbers.
    pub fn new(list: &[u8], sorted: &[Sorted]) -> Touched {
        let each: Vec<(u8, Sorted)> = list.iter().map(|&n| (n, sorted[usize::from(n)].clone())).collect();
        let squares = each.iter().fold(0, |all, (_, one)| all | one.squares);
        let few = || shakmaty::Bitboard(squares).into_iter().map(|square| square as i16).collect();
        let few = (squares.count_ones() <= FEW).then(few);
        Touched { each, bits: list.iter().fold(0, |all, n| all | 1 << n), squares, few }
    }

    /// Those that hold on `board`, by number.
    #[inline(always)]
    fn holding(&self, board: &Board) -> u64 {
        self.each.iter().fold(0, |all, (n, one)| all | u64::from(one.test(board)) << n)
    }

    /// Which of up to 64 moves touch one of the squares, or are special.
    #[inline(always)]
    fn filter(&self, moves: &[Move]) -> u64 {
        let mut mask = 0;
        match &self.few {
            Some(few) => {
                for (nth, moves) in moves.chunks(16).enumerate() {
                    let mut sixteen = [0; 16];
                    sixteen[..moves.len()].copy_from_slice(bytemuck::cast_slice(moves));
                    mask |= u64::from(touching(sixteen, few)) << (nth * 16);
                }
            }
            None => {
                for (nth, mv) in moves.iter().enumerate() {
                    let bits = mv.bits();
                    let touches = self.squares >> (bits & 63) | self.squares >> (bits >> 6 & 63);
                    mask |= (touches & 1 | u64::from(bits >> 15)) << nth;
                }
            }
        }
        mask & super::plies::within(moves.len(), 0)
    }
}

/// Which of sixteen moves leave or reach one of the squares, or are special.
///
/// PERF: vectors of the library `wide`, since no loop becomes a mask of bits by itself.
#[inline(always)]
fn touching(moves: [i16; 16], squares: &[i16]) -> u32 {
    let moves = i16x16::new(moves);
    let (from, to) = (moves & i16x16::splat(63), moves & i16x16::splat(63 << 6));
    // A special move has the sign already.
    let mut found = moves;
    for &square in squares {
        found |= from.simd_eq(i16x16::splat(square)) | to.simd_eq(i16x16::splat(square << 6));
    }
    i8x16::from_i16x16_saturate(found).to_bitmask() & 0xffff
}

/// Walks the moves of a game that touch the squares and writes at which plies each predicate holds: predicate `n` into words
/// `n × width` and on.
///
/// `board` is the start, and is played on.
#[inline(always)]
pub(super) fn walk(touched: &Touched, moves: &[Move], board: &mut Board, sets: (&mut [u64], usize)) {
    let first = board.turn;
    let mut holding = Holding::new(sets, touched.holding(board));
    for (nth, block) in moves.chunks(64).enumerate() {
        let mut mask = touched.filter(block);
        while mask != 0 {
            let at = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            let ply = nth * 64 + at;
            play(board, block[at], crate::course::mover(first, ply + 1));
            holding.turn(touched.holding(board) ^ holding.now, ply);
        }
    }
    holding.turn(holding.now, moves.len());
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
        board.castled |= castled_bit(from, to, mover);
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
