//! Counts of games by their result.

use plyfold_scan::headers::GameResult;

/// Games by their result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ResultCounts {
    /// The counts, in the order of [`GameResult::ALL`].
    games: [u32; 4],
}

impl ResultCounts {
    /// Adds a game whose result has this index.
    #[inline]
    pub(super) fn add_game(&mut self, result: usize) {
        self.games[result & 3] += 1;
    }

    pub(super) fn add(&mut self, other: &ResultCounts) {
        self.games.iter_mut().zip(other.games).for_each(|(games, more)| *games += more);
    }

    /// The counts of these numbers of games, in the order of [`GameResult::ALL`].
    pub fn from_counts(games: [u32; 4]) -> ResultCounts {
        ResultCounts { games }
    }

    /// Games of each result, in the order of [`GameResult::ALL`].
    pub fn counts(&self) -> [u32; 4] {
        self.games
    }

    /// How many games have this result.
    pub fn with_outcome(&self, outcome: GameResult) -> u64 {
        self.games[outcome as usize & 3].into()
    }

    /// Games that White won, drawn games, games that Black won, and games without a result.
    pub fn in_columns(&self) -> [u64; 4] {
        [GameResult::White, GameResult::Draw, GameResult::Black, GameResult::Unknown].map(|one| self.with_outcome(one))
    }

    /// All games.
    pub fn games(&self) -> u64 {
        self.games.iter().map(|&games| u64::from(games)).sum()
    }
}
