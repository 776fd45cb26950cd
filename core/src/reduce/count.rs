//! How many.

use crate::scan::needs::Needs;
use crate::scan::reducer::{End, Reducer};

/// Numbers of matching games and positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// Games whose verdict is true.
    pub games: u64,
    /// Positions that match, in any game.
    pub positions: u64,
}

impl Reducer for Count {
    fn needs(&self) -> Needs {
        Needs::NOTHING
    }

    fn end(&mut self, end: &End<'_>) {
        self.games += u64::from(end.verdict);
        self.positions += u64::from(end.matched);
    }

    fn merge(&mut self, other: Self) {
        self.games += other.games;
        self.positions += other.positions;
    }
}

/// Keeps nothing.
impl Reducer for () {
    const VERDICT_ONLY: bool = true;

    fn needs(&self) -> Needs {
        Needs::NOTHING
    }

    fn end(&mut self, _: &End<'_>) {}

    fn merge(&mut self, (): Self) {}
}
