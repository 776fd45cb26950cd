//! Tests any tag of a game's text: `tag "Board" "3"`. A scan reads no texts, so the games are found before it: see
//! [`comment_search`].
//!
//! [`comment_search`]: crate::comment_search

use alloc::string::String;
use alloc::sync::Arc;

use super::game_mask::GameMask;
use super::named_set::NamedSet;
use super::pattern::NamePattern;
use crate::game::{GameId, GameSpan};

/// A tag with its value, and the games that have it once they are bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TagTest {
    /// The name of the tag; its case makes no difference.
    pub name: String,
    /// What its value is like. A value that is empty, `?` or `-` is like nothing.
    pub value: NamePattern,
    games: NamedSet,
}

impl TagTest {
    /// A test that is not bound to games yet, so that no game has the tag.
    pub fn unbound(name: &str, value: NamePattern) -> TagTest {
        TagTest { name: name.into(), value, games: NamedSet::unbound("") }
    }

    /// Returns whether a tag of a game with this name and value passes.
    pub fn has(&self, name: &str, value: &str) -> bool {
        let is_known = !matches!(value.trim(), "" | "?" | "-");
        is_known && name.eq_ignore_ascii_case(&self.name) && self.value.matches(value)
    }

    /// Returns whether it asks the same, whatever it is bound to.
    pub fn asks_the_same(&self, other: &TagTest) -> bool {
        self.name.eq_ignore_ascii_case(&other.name) && self.value == other.value
    }

    /// Binds it to the games that have the tag: game `id` if bit `id % 64` of word `id / 64` is set.
    pub fn bind(&mut self, games: Arc<[u64]>) {
        self.games.bind(games);
    }

    /// Which of the first 512 games from that of `span` on have it.
    pub(super) fn game_mask(&self, span: &GameSpan<'_>) -> GameMask {
        self.games.game_mask(span)
    }

    /// Returns whether a game has it.
    pub fn contains(&self, game: GameId) -> bool {
        self.games.contains(game)
    }
}
