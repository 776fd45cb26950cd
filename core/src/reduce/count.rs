//! How many.

use crate::game::Span;
use crate::scan::reducer::{Found, Reducer};

/// Numbers of matching games and positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// Games whose verdict is true.
    pub games: u64,
    /// Positions that match, in any game.
    pub positions: u64,
}

impl Reducer for Count {
    #[inline(always)]
    fn game(&mut self, found: &Found<'_>) {
        self.games += u64::from(found.verdict);
        self.positions += u64::from(found.matches.number());
    }

    fn takes_whole_games(&self) -> bool {
        true
    }

    fn whole_games(&mut self, span: &Span<'_>, games: &[u64]) {
        self.games += games.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        self.positions += span.plies_of(games);
    }

    fn merge(&mut self, other: Self) {
        self.games += other.games;
        self.positions += other.positions;
    }
}

/// Keeps nothing.
impl Reducer for () {
    const VERDICT_ONLY: bool = true;

    fn game(&mut self, _: &Found<'_>) {}

    fn takes_whole_games(&self) -> bool {
        true
    }

    fn merge(&mut self, (): Self) {}
}
