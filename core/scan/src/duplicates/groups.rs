//! Joins pairs of games into groups, all of whose games agree with each other.

use alloc::vec;
use alloc::vec::Vec;

use crate::game::GameId;

/// Groups of games, of which each game is in one at most. Memory: 16 bytes a game.
pub(super) struct Groups {
    /// The first game of each game's group.
    first: Vec<u32>,
    /// The next game of the group; the last one has itself.
    next: Vec<u32>,
    /// Of the first game of a group: its last game, and how many games it has.
    last: Vec<u32>,
    games: Vec<u32>,
}

impl Groups {
    /// Each of the first games of a corpus, as many as these, in a group of its own.
    pub(super) fn of_single_games(games: u32) -> Groups {
        let own: Vec<u32> = (0..games).collect();
        Groups { first: own.clone(), next: own.clone(), last: own, games: vec![1; games as usize] }
    }

    /// Joins the groups of two games if their games agree: of two games without a date, each may agree with both of two games that
    /// cannot be the same.
    pub(super) fn join(&mut self, games: [GameId; 2], agree: &dyn Fn(GameId, GameId) -> bool) {
        /// The most games of a group that are compared: a group is mostly two or three games.
        const MOST_COMPARED: usize = 8;
        let [one, other] = games.map(|game| self.first[game.index()]);
        if one == other {
            return;
        }
        let compared = |group: u32| self.members(group).take(MOST_COMPARED);
        if !compared(one).all(|left| compared(other).all(|right| agree(left, right))) {
            return;
        }
        let is_larger = self.games[one as usize] >= self.games[other as usize];
        let (into, from) = if is_larger { (one, other) } else { (other, one) };
        let mut game = from;
        self.next[self.last[into as usize] as usize] = from;
        loop {
            self.first[game as usize] = into;
            match self.next[game as usize] {
                next if next == game => break,
                next => game = next,
            }
        }
        self.last[into as usize] = game;
        self.games[into as usize] += self.games[from as usize];
    }

    /// The games of the group with this first game, in the order in which they were joined.
    fn members(&self, first: u32) -> impl Iterator<Item = GameId> + '_ {
        let next = |game: &u32| Some(self.next[*game as usize]).filter(|next| next != game);
        core::iter::successors(Some(first), next).map(GameId)
    }

    /// The groups of more than one game.
    pub(super) fn into_groups(self) -> impl Iterator<Item = Vec<GameId>> {
        let is_group =
            |groups: &Groups, game: u32| groups.first[game as usize] == game && groups.games[game as usize] > 1;
        let firsts: Vec<u32> = (0..self.first.len() as u32).filter(|&game| is_group(&self, game)).collect();
        firsts.into_iter().map(move |first| self.members(first).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_joined_where_all_of_their_games_agree() {
        let mut groups = Groups::of_single_games(9);
        // Games of 4 and more agree with none before.
        let agree = |one: GameId, other: GameId| (one.0 < 4) == (other.0 < 4);
        for (one, other) in [(1, 2), (5, 6), (2, 1), (6, 7), (2, 0), (3, 4), (7, 5), (2, 5), (8, 7)] {
            groups.join([GameId(one), GameId(other)], &agree);
        }
        let found: Vec<Vec<u32>> =
            groups.into_groups().map(|games| games.into_iter().map(|game| game.0).collect()).collect();
        // In the order in which they were joined, the larger group first.
        assert_eq!(found, [vec![1, 2, 0], vec![5, 6, 7, 8]]);
    }
}
