//! Games of a set that a query names: `in @openings`.

use alloc::string::String;
use alloc::sync::Arc;

use super::evaluation::GameMask;
use crate::game::{GameId, GameSpan};

/// A set by its name, and its games once it is bound to them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedSet {
    /// Without the `@`.
    pub name: String,
    /// Game `id` is in the set if bit `id % 64` of word `id / 64` is set. Without these no game is.
    bits: Option<Arc<[u64]>>,
}

impl NamedSet {
    /// A name of which nobody has said yet what games it stands for.
    pub fn unbound(name: &str) -> NamedSet {
        NamedSet { name: name.into(), bits: None }
    }

    /// Says which games it stands for: game `id` if bit `id % 64` of word `id / 64` is set.
    pub fn bind(&mut self, games: Arc<[u64]>) {
        self.bits = Some(games);
    }

    /// Which of the first 512 games from that of `span` on are in it, whether they belong to the span or not.
    pub(super) fn game_mask(&self, span: &GameSpan<'_>) -> GameMask {
        mask_of_set(self.bits.as_deref().unwrap_or(&[]), span)
    }

    /// Whether it has a game.
    pub fn contains(&self, game: GameId) -> bool {
        let games = self.bits.as_deref().unwrap_or(&[]);
        games.get(game.index() / 64).is_some_and(|word| word >> (game.0 % 64) & 1 != 0)
    }
}

/// Which of the first 512 games from that of `span` on are in a set of words, whether they belong to the span or not.
pub(crate) fn mask_of_set(words: &[u64], span: &GameSpan<'_>) -> GameMask {
    let (first, shift) = (span.first_game.index() / 64, span.first_game.0 % 64);
    let word = |at: usize| words.get(at).copied().unwrap_or(0);
    core::array::from_fn(|nth| {
        let above = if shift == 0 { 0 } else { word(first + nth + 1) << (64 - shift) };
        word(first + nth) >> shift | above
    })
}
