//! Counts matching games and positions.

use plyfold_scan::game::GameSpan;
use plyfold_scan::scan::reducer::{Reducer, ScanMatch};

/// How many games and positions match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MatchCount {
    /// Games whose verdict is true.
    pub games: u64,
    /// Positions that match, in any game.
    pub positions: u64,
}

impl Reducer for MatchCount {
    #[inline(always)]
    fn game(&mut self, found_game: &ScanMatch<'_>) {
        self.games += u64::from(found_game.verdict);
        self.positions += u64::from(found_game.matches.count());
    }

    fn takes_game_batches(&self) -> bool {
        true
    }

    fn game_batch(&mut self, span: &GameSpan<'_>, games: &[u64]) {
        self.games += games.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        self.positions += span.plies_in(games);
    }

    fn merge(&mut self, other: Self) {
        self.games += other.games;
        self.positions += other.positions;
    }
}
