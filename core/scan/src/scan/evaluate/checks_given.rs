//! Finds the moves that give check, by a replay. Perpetual check needs them only in games that repeat a position, and there only
//! between the two occurrences.

use shakmaty::Color;

use plyfold_board::board::Board;
use plyfold_board::board::make::WithBitboards;
use plyfold_board::moves::Move;

/// A replay of a game that knows for each side since which position all its moves have given check.
pub(in crate::scan) struct ChecksGiven<'a> {
    start: &'a Board,
    moves: &'a [Move],
    board: Board,
    /// The position on `board`: so many plies have been played.
    position: usize,
    /// The moves before this position have not been looked at.
    looked_at_from: usize,
    /// By side, White first: the last position to which it came without giving check, at least `looked_at_from`.
    only_checks_since: [usize; 2],
}

impl<'a> ChecksGiven<'a> {
    pub fn new(start: &'a Board, moves: &'a [Move]) -> ChecksGiven<'a> {
        let board = start.clone();
        ChecksGiven { start, moves, board, position: 0, looked_at_from: 0, only_checks_since: [0; 2] }
    }

    /// Returns whether ply `ply` (from 0) is a move of the side, and each of its moves among the last `plies` up to this one gives
    /// check. The plies of several calls must not go back.
    pub fn fill(&mut self, side: Color, ply: usize, plies: usize) -> bool {
        let is_of_side = (self.start.side_to_move() == side) == ply.is_multiple_of(2);
        if !is_of_side {
            return false;
        }
        let first = ply + 1 - plies;
        if first < self.looked_at_from {
            *self = ChecksGiven::new(self.start, self.moves);
        }
        if first > self.position {
            self.board.fast_forward::<WithBitboards>(&self.moves[self.position..first]);
            (self.position, self.looked_at_from, self.only_checks_since) = (first, first, [first; 2]);
        }
        while self.position <= ply {
            self.look_at_next();
        }
        self.only_checks_since[usize::from(side.is_black())] <= first
    }

    fn look_at_next(&mut self) {
        let (mv, mover) = (self.moves[self.position], self.board.side_to_move());
        self.board.make::<WithBitboards>(mv);
        self.position += 1;
        if mv.is_null() || !self.board.may_be_checked_by(mv) || !self.board.is_in_check(!mover) {
            self.only_checks_since[usize::from(mover.is_black())] = self.position;
        }
    }
}
