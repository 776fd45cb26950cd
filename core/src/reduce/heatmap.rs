//! Where the men stand in matching positions.
//!
//! Counted by lifetime, not by ply, and without a board. A man that arrives on e4 by the tenth ply stands there in all matching
//! positions from the tenth on, less those from the ply on by which it leaves: so an arrival adds the matches still to come, and
//! whatever leaves takes those still to come away again. Captures come from the course of the game, since a move does not
//! say what it takes.

use alloc::boxed::Box;

use shakmaty::Color;

use crate::board::make::{castled_squares, en_passant_victim};
use crate::board::{Board, Man, side};
use crate::course::{men, mover};
use crate::moves::Move;
use crate::scan::reducer::{Found, Reducer};

/// Counts by man and square; see [`counts`](Heatmap::counts).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heatmap {
    /// By code of man and square. Sums of differences: what is in between may be below 0, so it wraps.
    rows: Box<[u64; 1024]>,
    /// Matches in games that begin with the usual array, whose men stand there from the first.
    usual: u64,
}

impl Default for Heatmap {
    fn default() -> Heatmap {
        Heatmap { rows: Box::new([0; 1024]), usual: 0 }
    }
}

impl Heatmap {
    /// How many matching positions have a man of each kind on each square.
    ///
    /// Shape `[2][6][64]`: White, Black; pawn, knight, bishop, rook, queen, king; a1, b1, … h8.
    pub fn counts(&self) -> [[[u64; 64]; 6]; 2] {
        let mut all = self.clone();
        all.stand(&Board::initial(), self.usual);
        let of = |colour| {
            core::array::from_fn(|role| {
                let row = usize::from(side(colour)) + 1 + role;
                core::array::from_fn(|square| all.rows[row << 6 | square])
            })
        };
        [of(Color::White), of(Color::Black)]
    }

    /// The men of a board stand there in `matches` positions, or leave before so many.
    fn stand(&mut self, board: &Board, matches: u64) {
        for (square, &man) in board.men.iter().enumerate() {
            self.add(man, square, matches);
        }
    }

    #[inline(always)]
    fn add(&mut self, man: Man, square: usize, matches: u64) {
        let count = &mut self.rows[(usize::from(man) << 6 | square) & 1023];
        *count = count.wrapping_add(matches);
    }

    #[inline(always)]
    fn take(&mut self, man: Man, square: usize, matches: u64) {
        self.add(man, square, matches.wrapping_neg());
    }

    /// A move is made by `mover` when `rest` matches are still to come, its own position included.
    #[inline(always)]
    fn make(&mut self, mv: Move, mover: Man, rest: u64) {
        if mv.is_special() {
            return self.special(mv, mover, rest);
        }
        let man = mover | mv.role_code();
        self.take(man, mv.origin(), rest);
        self.add(man, mv.target(), rest);
    }

    #[cold]
    #[inline(never)]
    fn special(&mut self, mv: Move, mover: Man, rest: u64) {
        let (from, to) = (mv.origin(), mv.target());
        if mv.is_castling() {
            let (king_to, rook_to) = castled_squares(from, to);
            for (man, from, to) in [(mover | 6, from, king_to), (mover | 4, to, rook_to)] {
                self.take(man, from, rest);
                self.add(man, to, rest);
            }
        } else if !mv.is_null() {
            self.take(mover | 1, from, rest);
            self.add(mover | mv.role_code(), to, rest);
        }
    }

    /// Men that are taken leave their squares.
    #[inline(always)]
    fn captures(&mut self, found: &Found<'_>) {
        let (mut ply, plies) = (0, found.game.moves.len());
        for &event in found.course.men {
            ply += men::gap(event);
            let Some(&mv) = found.game.moves.get(ply.wrapping_sub(1)) else { return };
            let taken = mover(found.start.turn, ply) ^ 8 | men::taken(event);
            let (from, to) = (mv.origin(), mv.target());
            let on = if mv.is_en_passant() { en_passant_victim(from, to) } else { to };
            // Where nothing is taken, the row of no man gets it.
            self.take(taken, on, u64::from(found.matches.between(ply - 1, plies)));
        }
    }
}

impl Reducer for Heatmap {
    #[inline(never)]
    fn game(&mut self, found: &Found<'_>) {
        let Found { game, start, ref matches, .. } = *found;
        let mut rest = u64::from(matches.number());
        match game.has_own_start() {
            false => self.usual += rest,
            true => self.stand(start, rest),
        }
        let last = matches.last();
        let moves = game.moves.get(..last).unwrap_or(game.moves);
        match matches.set() {
            None => {
                let mut mover = start.turn;
                for &mv in moves {
                    self.make(mv, mover, rest);
                    rest -= 1;
                    mover ^= 8;
                }
            }
            Some(set) => {
                let mut mover = start.turn;
                for (moves, &word) in moves.chunks(64).zip(set) {
                    let mut word = word;
                    for &mv in moves {
                        self.make(mv, mover, rest);
                        rest -= word & 1;
                        word >>= 1;
                        mover ^= 8;
                    }
                }
            }
        }
        self.captures(found);
    }

    fn merge(&mut self, other: Self) {
        for (count, other) in self.rows.iter_mut().zip(other.rows.iter()) {
            *count = count.wrapping_add(*other);
        }
        self.usual += other.usual;
    }
}
