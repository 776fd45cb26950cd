//! The game at hand is the game that is evaluated, with its place in the corpus, its start board and its event streams.

use crate::board::Board;
use crate::game::{Game, GameSpan};
use crate::irreversible::EventStreams;
use crate::irreversible::home_pawns::PROMOTION_COLUMN;
use crate::matsig::MatSig;

/// A game that is evaluated.
#[derive(Clone, Copy)]
pub(in crate::scan) struct GameAtHand<'a> {
    /// The games among which it is, and its index among these.
    pub span: &'a GameSpan<'a>,
    pub game_in_span: usize,
    pub game: &'a Game<'a>,
    /// The board before its first ply.
    pub start: &'a Board,
    pub has_initial_start: bool,
    pub event_streams: EventStreams<'a>,
}

impl<'a> GameAtHand<'a> {
    /// Its last material signature, and its promotions, if the corpus has them.
    #[inline(always)]
    pub fn last_signature(&self) -> Option<(&'a MatSig, u8)> {
        let promotions = self.span.home_pawn_column(PROMOTION_COLUMN).get(self.game_in_span);
        self.span.signatures().get(self.game_in_span).zip(promotions.copied())
    }
}
