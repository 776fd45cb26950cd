//! Where the men stand in matching positions.
//!
//! Counted by lifetime, not by ply: a man that arrives on e4 when three positions of the game have matched and leaves when
//! twelve have adds nine, once. A ply then costs a few loads and stores whatever the number of men, and no bitboards.

use alloc::boxed::Box;

use shakmaty::Color;

use crate::board::make::en_passant_victim;
use crate::board::{Board, side};
use crate::moves::Move;
use crate::scan::needs::Needs;
use crate::scan::reducer::{End, Reducer};

/// Counts by man and square; see [`counts`](Heatmap::counts).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heatmap {
    /// By code of man; row 0 is where empty squares add what nobody reads.
    rows: Box<[[u64; 64]; 16]>,
    /// Matches of the current game before the man on each square arrived there.
    since: [u32; 64],
}

impl Default for Heatmap {
    fn default() -> Heatmap {
        Heatmap { rows: Box::new([[0; 64]; 16]), since: [0; 64] }
    }
}

impl Heatmap {
    /// How many matching positions have a man of each kind on each square.
    ///
    /// Shape `[2][6][64]`: White, Black; pawn, knight, bishop, rook, queen, king; a1, b1, … h8.
    pub fn counts(&self) -> [[[u64; 64]; 6]; 2] {
        let of = |colour| core::array::from_fn(|role| self.rows[side(colour) as usize + 1 + role]);
        [of(Color::White), of(Color::Black)]
    }

    /// The man on `square` leaves it, or is counted up to here.
    #[inline(always)]
    fn settle(&mut self, board: &Board, square: usize, matched: u32) {
        let since = core::mem::replace(&mut self.since[square], matched);
        self.rows[board.men[square] as usize & 15][square] += u64::from(matched - since);
    }
}

impl Reducer for Heatmap {
    fn needs(&self) -> Needs {
        Needs::MAILBOX
    }

    #[inline(always)]
    fn before(&mut self, board: &Board, mv: Move, matched: u32) {
        // Castling too: `target` is where the rook leaves. The squares of arrival were empty, and are settled here as well.
        self.settle(board, mv.origin(), matched);
        self.settle(board, mv.target(), matched);
        if mv.is_special() {
            self.before_special(board, mv, matched);
        }
    }

    fn end(&mut self, end: &End<'_>) {
        for square in 0..64 {
            self.settle(end.board, square, end.matched);
        }
        self.since = [0; 64];
    }

    fn merge(&mut self, other: Self) {
        for (row, other) in self.rows.iter_mut().flatten().zip(other.rows.iter().flatten()) {
            *row += other;
        }
    }
}

impl Heatmap {
    #[cold]
    fn before_special(&mut self, board: &Board, mv: Move, matched: u32) {
        if mv.is_castling() {
            let (king, rook) = crate::board::make::castled_squares(mv.origin(), mv.target());
            self.settle(board, king, matched);
            self.settle(board, rook, matched);
        } else if mv.is_en_passant() {
            self.settle(board, en_passant_victim(mv.origin(), mv.target()), matched);
        }
    }
}
