//! Tests comments for certain words. A scan reads no texts, so the comments are searched before it: see [`comment_search`].
//!
//! [`comment_search`]: crate::comment_search

use alloc::sync::Arc;
use alloc::vec::Vec;

use shakmaty::Color;

use crate::headers::NamePattern;

/// A test of the comments on a move.
#[derive(Clone, PartialEq, Debug)]
pub struct CommentTest {
    /// What a comment says, without its commands.
    pub pattern: NamePattern,
    /// The side that made the move.
    pub mover: Color,
    /// The moves of either side that have such a comment; without them, no move matches.
    pub(in crate::scan) found: Option<Arc<CommentPlies>>,
}

impl CommentTest {
    /// A test before the comments have been searched.
    pub fn unbound(pattern: NamePattern, mover: Color) -> CommentTest {
        CommentTest { pattern, mover, found: None }
    }

    /// The plies of a game, by its number in the corpus, that have such a comment.
    pub(in crate::scan) fn plies_of_game(&self, game: u32) -> impl Iterator<Item = usize> + '_ {
        let all = self.found.as_ref().map_or(&[][..], |found| found.plies.as_slice());
        let from = all.partition_point(|&(other, _)| other < game);
        all[from..].iter().take_while(move |&&(other, _)| other == game).map(|&(_, ply)| usize::from(ply))
    }
}

/// Plies of games, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CommentPlies {
    /// The number of the game in the corpus, and the ply from 1.
    plies: Vec<(u32, u16)>,
}

impl CommentPlies {
    /// Adds a ply, from 1, of a game by its number in the corpus. Neither may come before the last one; the same ply is added once.
    pub fn push(&mut self, game: u32, ply: u16) {
        debug_assert!(self.plies.last().is_none_or(|&last| last <= (game, ply)), "plies in order");
        if self.plies.last() != Some(&(game, ply)) {
            self.plies.push((game, ply));
        }
    }
}
