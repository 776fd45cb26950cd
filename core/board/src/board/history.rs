//! Counts how often a position has occurred in a game.

use alloc::vec::Vec;

use super::Board;

/// The hashes of the positions since the last capture or pawn move. Earlier positions cannot occur again.
#[derive(Clone, Debug)]
pub struct PositionHistory {
    hashes: Vec<u64>,
}

impl PositionHistory {
    /// Starts a history with the position on `board`, which then has occurred once.
    pub fn starting_at(board: &mut Board) -> PositionHistory {
        board.repetition = 1;
        let mut seen = Vec::with_capacity(64);
        seen.push(board.hash);
        PositionHistory { hashes: seen }
    }

    /// Adds the position after a move and sets [`Board::repetition`]. The policy of the move must keep hash and clocks up to date.
    ///
    /// PERF: positions with the same side to move are an even number of plies apart, so only every other one is compared.
    pub fn push(&mut self, board: &mut Board) {
        if board.halfmoves == 0 {
            self.hashes.clear();
        }
        let before = self.hashes.iter().rev().skip(1).step_by(2);
        let times = before.filter(|&&hash| hash == board.hash).count();
        board.repetition = u16::try_from(times + 1).unwrap_or(u16::MAX);
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
    fn two_passes_repeat_a_position() {
        let mut board = Board::initial();
        let mut history = PositionHistory::starting_at(&mut board);
        for expected in [1, 2, 2, 3] {
            board.make::<FullState>(Move::NULL);
            history.push(&mut board);
            assert_eq!(board.repetition, expected);
        }
    }
}
