//! Perpetual check: a side repeats a position by checks alone.
//!
//! A move gives perpetual check if it gives check, the position after it has occurred before in the game, and each move of the
//! side since that occurrence has given check. Nothing else is asked, so the other side has had no way out of the checks. A
//! position recurs after two moves of each side at the earliest, so there are at least two such checks besides the one that led
//! to the position the first time.
//!
//! The rules let a side claim a draw at the third occurrence, but players often agree to a draw or give up the attempt before, so
//! the second one counts here. Whether the game was drawn is a condition of its own.

use alloc::vec::Vec;

use plyfold_board::board::Board;
use plyfold_board::board::make::FullState;
use shakmaty::Color;

use super::{PlayedPly, Predicate, TestedPly};
use crate::scan::access_path::{AccessPath, PredicateAccess};

/// The side has just given perpetual check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PerpetualCheck(pub Color);

impl Predicate for PerpetualCheck {
    fn test_after(&self, at: &mut TestedPly<'_, '_>) -> bool {
        gives_perpetual(&at.game.game.start_board(), at.played, self.0, at.ply)
    }

    fn access(&self, _: bool) -> PredicateAccess {
        PredicateAccess::by(AccessPath::Repetition)
    }
}

/// Whether ply `ply` of a game, from 1, gives perpetual check by `side`. This replays the game; the fold has a faster way.
fn gives_perpetual(start: &Board, plies: &[PlayedPly], side: Color, ply: usize) -> bool {
    if ply == 0 {
        return false;
    }
    let mut board = start.clone();
    // By position, from the start: what makes it the same as another one, and whether the move that led to it gave check.
    let mut positions = Vec::from([(identity(&board), false)]);
    for played in &plies[..ply] {
        board.make::<FullState>(played.mv);
        let gives_check = played.mover == side && !played.mv.is_null() && board.is_in_check(!side);
        positions.push((identity(&board), gives_check));
    }
    let is_by_side = |position: usize| plies[position - 1].mover == side;
    let recurs_since = |first: usize| {
        positions[first].0 == positions[ply].0
            && (first + 1..=ply).filter(|&position| is_by_side(position)).all(|position| positions[position].1)
    };
    is_by_side(ply) && (0..ply).any(recurs_since)
}

/// What two positions have in common if they are the same.
fn identity(board: &Board) -> ([plyfold_board::board::PieceCode; 64], Color, u64, u8) {
    (board.mailbox, board.side_to_move(), board.castling_rooks, board.en_passant)
}
