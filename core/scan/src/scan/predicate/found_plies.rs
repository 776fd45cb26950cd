//! Plies that a search before the scan has found: those of comments, and those in lines.

use alloc::vec::Vec;

/// Plies of games, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct FoundPlies {
    runs: Vec<PlyRun>,
}

/// Plies of a game without a gap. Lines have most of their positions in a game one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PlyRun {
    /// The number of the game in the corpus.
    game: u32,
    /// The first ply, from 1.
    first: u16,
    /// The last one.
    last: u16,
}

impl FoundPlies {
    /// Those of a game, by its number in the corpus.
    pub(in crate::scan) fn of_game(&self, game: u32) -> impl Iterator<Item = usize> + '_ {
        let from = self.runs.partition_point(|run| run.game < game);
        let runs = self.runs[from..].iter().take_while(move |run| run.game == game);
        runs.flat_map(|run| usize::from(run.first)..=usize::from(run.last))
    }

    /// Adds a ply, from 1, of a game by its number in the corpus. Neither may come before the last one; the same ply is added once.
    pub fn push(&mut self, game: u32, ply: u16) {
        debug_assert!(self.runs.last().is_none_or(|run| (run.game, run.last) <= (game, ply)), "plies in order");
        match self.runs.last_mut().filter(|run| run.game == game && ply <= run.last.saturating_add(1)) {
            Some(run) => run.last = run.last.max(ply),
            None => self.runs.push(PlyRun { game, first: ply, last: ply }),
        }
    }

    /// Adds the plies of later games.
    pub fn append(&mut self, mut later: FoundPlies) {
        self.runs.append(&mut later.runs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_are_those_that_were_added() {
        let added = [(3, 1), (3, 2), (3, 2), (3, 4), (5, 5), (6, 6), (6, u16::MAX)];
        let (mut found, mut later) = (FoundPlies::default(), FoundPlies::default());
        for (game, ply) in added {
            let plies = if game < 6 { &mut found } else { &mut later };
            plies.push(game, ply);
        }
        found.append(later);
        for game in 0..9 {
            let mut expected: Vec<usize> =
                added.iter().filter(|(other, _)| *other == game).map(|&(_, ply)| usize::from(ply)).collect();
            expected.dedup();
            assert_eq!(found.of_game(game).collect::<Vec<_>>(), expected, "game {game}");
        }
        assert_eq!(found.runs.len(), 5);
    }
}
