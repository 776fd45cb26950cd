//! Games of a set that a query names: `in @openings`.

use alloc::string::String;
use alloc::sync::Arc;

use super::game_mask::{GameMask, mask_of_set};
use crate::game::{GameId, GameSpan};

/// A set with its name, and its games once they are bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedSet {
    /// Without the `@`.
    pub name: String,
    /// Game `id` is in the set if bit `id % 64` of word `id / 64` is set. Before they are bound no game is in it.
    bits: Option<Arc<[u64]>>,
}

impl NamedSet {
    /// A name that is not bound to games yet.
    pub fn unbound(name: &str) -> NamedSet {
        NamedSet { name: name.into(), bits: None }
    }

    /// Binds the name to its games: game `id` if bit `id % 64` of word `id / 64` is set.
    pub fn bind(&mut self, games: Arc<[u64]>) {
        self.bits = Some(games);
    }

    /// Which of the first 512 games from that of `span` on are in it, whether they belong to the span or not.
    pub(super) fn game_mask(&self, span: &GameSpan<'_>) -> GameMask {
        mask_of_set(self.bits.as_deref().unwrap_or(&[]), span)
    }

    /// Returns whether it has a game.
    pub fn contains(&self, game: GameId) -> bool {
        let games = self.bits.as_deref().unwrap_or(&[]);
        games.get(game.index() / 64).is_some_and(|word| word >> (game.0 % 64) & 1 != 0)
    }
}
