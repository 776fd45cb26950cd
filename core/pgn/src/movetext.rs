//! Collects what the movetext of a game says besides its moves, and how its reading ends.

use core::ops::ControlFlow;

use plyfold_corpus::record::GameResult;

use super::rejection::RejectionReason;
use super::words::{after_result, pass_over, read_result_token};

/// The facts that the movetext of a game gives besides its moves.
#[derive(Default)]
pub(super) struct ParsedMovetext {
    /// Where the text of the game ends.
    pub(super) end: usize,
    /// The result that ends it.
    pub(super) result_word: GameResult,
    /// The byte at fault and why the game is rejected, if it is.
    pub(super) rejection: Option<(usize, RejectionReason)>,
    /// Whether there are null moves among the moves.
    pub(super) null_moves: bool,
    /// Whether words that may be moves were skipped.
    pub(super) passed_over_moves: bool,
    /// Whether a result ended the moves.
    pub(super) is_ended: bool,
    /// The first word behind the result.
    pub(super) after_result: Option<usize>,
}

impl ParsedMovetext {
    /// Breaks with the end of the game if a result stands at `at`.
    #[inline(always)]
    pub(super) fn end_at_result(&mut self, text: &[u8], at: usize) -> ControlFlow<usize> {
        match read_result_token(text, at) {
            Some((end, result)) => {
                self.result_word = result;
                self.end_with_result(text, end)
            }
            None => ControlFlow::Continue(()),
        }
    }

    /// Breaks with the end of the game, whose result ends at `end`.
    pub(super) fn end_with_result<T>(&mut self, text: &[u8], end: usize) -> ControlFlow<usize, T> {
        self.is_ended = true;
        ControlFlow::Break(after_result(text, end))
    }

    /// Skips the word at `at` of a rejected game and returns where to continue.
    pub(super) fn pass_over(&mut self, text: &[u8], at: usize) -> usize {
        let (end, may_be_move) = pass_over(text, at);
        self.passed_over_moves |= may_be_move;
        end
    }
}
