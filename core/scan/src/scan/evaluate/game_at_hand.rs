//! The game at hand is the game under evaluation, with its place in the corpus, its start board and its event streams.

use plyfold_board::board::Board;
use plyfold_board::irreversible::EventStreams;
use plyfold_board::irreversible::home_pawns::PROMOTION_COLUMN;
use plyfold_board::matsig::MatSig;

use crate::game::{Game, GameSpan};

/// The game under evaluation.
#[derive(Clone, Copy)]
pub(in crate::scan) struct GameAtHand<'a> {
    /// The games that contain it, and its index among them.
    pub span: &'a GameSpan<'a>,
    pub game_in_span: usize,
    pub game: &'a Game<'a>,
    /// The board before its first ply.
    pub start: &'a Board,
    pub has_initial_start: bool,
    pub event_streams: EventStreams<'a>,
}

impl<'a> GameAtHand<'a> {
    /// Returns its final material signature and its number of promotions, if the corpus has them.
    #[inline(always)]
    pub fn last_signature(&self) -> Option<(&'a MatSig, u8)> {
        let promotions = self.span.home_pawn_column(PROMOTION_COLUMN).get(self.game_in_span);
        self.span.signatures().get(self.game_in_span).zip(promotions.copied())
    }
}
