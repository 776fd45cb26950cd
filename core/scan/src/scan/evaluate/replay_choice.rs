//! Several queries that need a board share a replay, or each has one of its own, whichever was cheaper in the games before.
//!
//! ```text
//! shared          one replay keeps the boards of a stretch, and tests predicates on eight at once, up to the last settled query
//! of its own      moves are made again for each query, but only up to where it is settled, and no boards are kept
//! ```
//!
//! PERF: ten mixed queries, of which three replay, take 0.83 of the time with replays of their own; ten that all replay take 0.58 of it
//! shared, if every position counts (206,361 master games, one thread, medians of three).

use core::slice;

use plyfold_board::board::Board;

use super::replay::{Replay, ReplayQuery};
use super::replay_for_several::KeptBoards;
use crate::scan::tuning::{GAMES_UNTIL_CHOICE, MIN_QUERIES_SHARING};

/// How many plies of games the queries needed.
#[derive(Clone, Copy, Default)]
pub(super) struct NeededPlies {
    /// Up to where the last query was settled.
    pub longest: usize,
    /// Of each query up to where it was settled, added up.
    pub sum: usize,
}

impl NeededPlies {
    /// Adds what another query needed of the same game.
    pub fn add_query(&mut self, plies: usize) {
        self.longest = self.longest.max(plies);
        self.sum += plies;
    }
}

/// Chooses how games are replayed for several queries.
pub(super) struct ReplayChoice {
    is_shared: bool,
    /// The games since the last choice, and what they needed.
    games: u32,
    needed: NeededPlies,
}

impl ReplayChoice {
    pub fn new() -> ReplayChoice {
        ReplayChoice { is_shared: true, games: 0, needed: NeededPlies::default() }
    }

    /// Replays a game for several queries. `replay` has the board `start`. Returns the plies up to the last one that was played.
    pub fn replay(
        &mut self,
        replay: Replay<'_>,
        start: &Board,
        queries: &[ReplayQuery<'_>],
        kept: &mut KeptBoards,
    ) -> usize {
        let NeededPlies { longest, sum } = if self.is_shared {
            replay.for_queries(queries, kept)
        } else {
            replay.for_each_query(start, queries, kept)
        };
        self.needed.longest += longest;
        self.needed.sum += sum;
        self.games += 1;
        if self.games == GAMES_UNTIL_CHOICE {
            let is_shared = self.needed.sum as f64 > self.needed.longest as f64 * MIN_QUERIES_SHARING;
            *self = ReplayChoice { is_shared, games: 0, needed: NeededPlies::default() };
        }
        longest
    }
}

impl Replay<'_> {
    /// Replays the game for a query alone. Returns the number of plies played.
    pub fn for_query_alone(self, query: &ReplayQuery<'_>, kept: &mut KeptBoards) -> usize {
        if self.is_for_eight(query) {
            self.for_queries(slice::from_ref(query), kept).longest
        } else {
            self.for_query(query)
        }
    }

    /// Replays the game for one query after the other.
    fn for_each_query(mut self, start: &Board, queries: &[ReplayQuery<'_>], kept: &mut KeptBoards) -> NeededPlies {
        let mut needed = NeededPlies::default();
        for query in queries {
            self.board.clone_from(start);
            let again = Replay { board: &mut *self.board, sets: self.sets.reborrow(), ..self };
            needed.add_query(again.for_query_alone(query, kept));
        }
        needed
    }
}
