//! Joins pairs of games into groups, all of whose games agree with each other.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::game::GameId;

/// Groups of games, of which each game is in one at most.
#[derive(Default)]
pub(super) struct Groups {
    of_game: BTreeMap<GameId, usize>,
    members: Vec<Vec<GameId>>,
}

impl Groups {
    /// Joins the groups of two games if their games agree: of two games without a date, each may agree with both of two games that
    /// cannot be the same.
    pub(super) fn join(&mut self, games: [GameId; 2], agree: &dyn Fn(GameId, GameId) -> bool) {
        /// The most games of a group that are compared: a group is mostly two or three games.
        const MOST_COMPARED: usize = 8;
        let [one, other] = games.map(|game| self.group_of(game));
        if one == other {
            return;
        }
        let compared = |group: usize| self.members[group].iter().copied().take(MOST_COMPARED);
        if !compared(one).all(|left| compared(other).all(|right| agree(left, right))) {
            return;
        }
        let (into, from) =
            if self.members[one].len() >= self.members[other].len() { (one, other) } else { (other, one) };
        for game in core::mem::take(&mut self.members[from]) {
            self.of_game.insert(game, into);
            self.members[into].push(game);
        }
    }

    fn group_of(&mut self, game: GameId) -> usize {
        let next = self.members.len();
        let group = *self.of_game.entry(game).or_insert(next);
        if group == next {
            self.members.push(alloc::vec![game]);
        }
        group
    }

    /// The groups of more than one game.
    pub(super) fn into_groups(self) -> impl Iterator<Item = Vec<GameId>> {
        self.members.into_iter().filter(|members| members.len() > 1)
    }
}
