//! How games came out.

use crate::headers::Outcome;

/// Games by their result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Results {
    /// By number of the result in [`Outcome::ALL`].
    games: [u32; 4],
}

impl Results {
    /// One more game with the result of this number.
    #[inline]
    pub(super) fn count(&mut self, result: usize) {
        self.games[result & 3] += 1;
    }

    pub(super) fn add(&mut self, other: &Results) {
        self.games.iter_mut().zip(other.games).for_each(|(games, more)| *games += more);
    }

    /// So many games of each result, in the order of [`Outcome::ALL`].
    pub fn of_counts(games: [u32; 4]) -> Results {
        Results { games }
    }

    /// Games of each result, in the order of [`Outcome::ALL`].
    pub fn counts(&self) -> [u32; 4] {
        self.games
    }

    /// How many games came out so.
    pub fn of(&self, outcome: Outcome) -> u64 {
        self.games[outcome as usize & 3].into()
    }

    /// All games.
    pub fn games(&self) -> u64 {
        self.games.iter().map(|&games| u64::from(games)).sum()
    }
}
