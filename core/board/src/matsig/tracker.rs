//! The signature of a game during its moves: steps are counted as they are made, everything else is on the board.

use shakmaty::{Color, Role};

use super::{MatSig, count_pieces, steps_without_history};
use crate::board::Board;
use crate::moves::Move;

/// Follows the moves of one game.
///
/// ```
/// use plyfold_board::board::{Board, make::MailboxOnly};
/// use plyfold_board::matsig::tracker::SignatureTracker;
/// use plyfold_board::moves::Move;
/// use shakmaty::{Color, Role, Square};
/// let mut board = Board::initial();
/// let mut tracker = SignatureTracker::new(&board);
/// for mv in [
///     Move::normal(Role::Pawn, Square::E2, Square::E4),
///     Move::normal(Role::Pawn, Square::D7, Square::D5),
///     Move::normal(Role::Pawn, Square::E4, Square::D5),
/// ] {
///     tracker.follow(&board, mv);
///     board.make::<MailboxOnly>(mv);
/// }
/// assert_eq!(tracker.signature(&board).steps(Color::White), Some(3..=3));
/// // The captured pawn made two steps, which the position alone does not show.
/// assert_eq!(tracker.signature(&board).steps(Color::Black), Some(2..=2));
/// assert_eq!(tracker.signature(&board).without_history().steps(Color::Black), None);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignatureTracker {
    /// White's steps so far, and Black's; none for the whole game if it did not begin with eight pawns.
    steps: [Option<u8>; 2],
}

impl SignatureTracker {
    /// A tracker before the first move on `start`, of which only the mailbox is used.
    pub fn new(start: &Board) -> SignatureTracker {
        let ([white, black], _) = count_pieces(&start.mailbox);
        SignatureTracker {
            steps: [steps_without_history(white, Color::White), steps_without_history(black, Color::Black)],
        }
    }

    /// Follows `mv`, which is about to be played on `before`.
    ///
    /// It never panics: bits that are no sensible move give some signature.
    #[inline]
    pub fn follow(&mut self, before: &Board, mv: Move) {
        if mv.arrives_as(Role::Pawn) || mv.promoted().is_some() {
            let ranks = (mv.target() / 8).abs_diff(mv.origin() / 8) as u8;
            let steps = &mut self.steps[before.turn.index()];
            *steps = steps.map(|steps| steps.saturating_add(ranks));
        }
    }

    /// The signature of the current position, which `board` has in its mailbox, with the steps of the whole game if it began with
    /// eight pawns.
    pub fn signature(&self, board: &Board) -> MatSig {
        MatSig::of_mailbox(board, |_, colour| self.steps[usize::from(colour.is_black())])
    }
}
