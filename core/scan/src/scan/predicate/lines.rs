//! Tests whether a game is in the lines of a repertoire, and which move left them. The lines belong to no corpus, so the plies are found
//! before a scan: see [`line_search`].
//!
//! [`line_search`]: crate::line_search

use alloc::string::String;
use alloc::sync::Arc;

use shakmaty::Color;

use super::FoundPlies;

/// A test of the lines of a repertoire.
#[derive(Clone, PartialEq, Debug)]
pub struct LinesTest {
    /// The name of the lines, without the `@`.
    pub name: String,
    /// The side whose move left the lines; none asks for the positions in them.
    pub left_by: Option<Color>,
    /// The plies with a position of the lines, or those at which either side left them; without them, no ply matches.
    pub(in crate::scan) found: Option<Arc<FoundPlies>>,
}

impl LinesTest {
    /// A test before the plies have been found.
    pub fn unbound(name: &str, left_by: Option<Color>) -> LinesTest {
        LinesTest { name: name.into(), left_by, found: None }
    }

    /// The plies of a game, by its number in the corpus, that were found.
    pub(in crate::scan) fn plies_of_game(&self, game: u32) -> impl Iterator<Item = usize> + '_ {
        self.found.iter().flat_map(move |found| found.of_game(game))
    }
}
