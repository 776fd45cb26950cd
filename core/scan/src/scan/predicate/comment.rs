//! Tests comments for certain words. A scan reads no texts, so the comments are searched before it: see [`comment_search`].
//!
//! [`comment_search`]: crate::comment_search

use alloc::sync::Arc;

use shakmaty::Color;

use super::FoundPlies;
use crate::headers::NamePattern;

/// A test of the comments on a move.
#[derive(Clone, PartialEq, Debug)]
pub struct CommentTest {
    /// What a comment says, without its commands.
    pub pattern: NamePattern,
    /// The side that made the move.
    pub mover: Color,
    /// The moves of either side that have such a comment; without them, no move matches.
    pub(in crate::scan) found: Option<Arc<FoundPlies>>,
}

impl CommentTest {
    /// A test before the comments have been searched.
    pub fn unbound(pattern: NamePattern, mover: Color) -> CommentTest {
        CommentTest { pattern, mover, found: None }
    }

    /// The plies of a game, by its number in the corpus, that have such a comment.
    pub(in crate::scan) fn plies_of_game(&self, game: u32) -> impl Iterator<Item = usize> + '_ {
        self.found.iter().flat_map(move |found| found.of_game(game))
    }
}
