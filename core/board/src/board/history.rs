//! Counts how often a position has occurred in a game.

use alloc::vec::Vec;

use shakmaty::zobrist::{Zobrist64, ZobristValue};

use super::Board;

/// The hashes of the positions since the last capture or pawn move. Earlier positions cannot occur again.
#[derive(Clone, Debug)]
pub struct PositionHistory {
    hashes: Vec<u64>,
}

impl PositionHistory {
    /// Starts a history with the position on `board`, which then has occurred once.
    pub fn starting_at(board: &mut Board) -> PositionHistory {
        (board.repetition, board.other_turn) = (1, 0);
        let mut seen = Vec::with_capacity(64);
        seen.push(board.hash);
        PositionHistory { hashes: seen }
    }

    /// Adds the position after a move and sets [`Board::repetition`] and [`Board::other_turn`]. The policy of the move must keep hash and clocks up to date.
    ///
    /// PERF: positions with the same side to move are an even number of plies apart, so each is compared with every other one.
    pub fn push(&mut self, board: &mut Board) {
        if board.halfmoves == 0 {
            self.hashes.clear();
        }
        let times = |skipped: usize, hash: u64| {
            let before = self.hashes.iter().rev().skip(skipped).step_by(2);
            u16::try_from(before.filter(|&&other| other == hash).count()).unwrap_or(u16::MAX)
        };
        let with_other_turn = board.hash ^ Zobrist64::zobrist_for_white_turn().0;
        (board.repetition, board.other_turn) = (times(1, board.hash).saturating_add(1), times(0, with_other_turn));
        self.hashes.push(board.hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::make::FullState;
    use crate::moves::Move;

    /// A knight from one square to another.
    fn knight(from: u16, to: u16) -> Move {
        Move::from_bits(2 << 12 | to << 6 | from)
    }

    #[test]
    fn knights_that_go_back_and_forth_repeat_the_start() {
        let mut board = Board::initial();
        let mut history = PositionHistory::starting_at(&mut board);
        let (out, back) = ([knight(6, 21), knight(62, 45)], [knight(21, 6), knight(45, 62)]);
        let mut counts = Vec::new();
        for mv in [out, back, out, back].concat() {
            board.make::<FullState>(mv);
            history.push(&mut board);
            counts.push(board.repetition);
        }
        assert_eq!(counts, [1, 1, 1, 2, 2, 2, 2, 3]);
    }

    #[test]
    fn passes_repeat_a_position_and_turn_it_over() {
        let mut board = Board::initial();
        let mut history = PositionHistory::starting_at(&mut board);
        for expected in [(1, 1), (2, 1), (2, 2), (3, 2)] {
            board.make::<FullState>(Move::NULL);
            history.push(&mut board);
            assert_eq!((board.repetition, board.other_turn), expected);
        }
    }
}
