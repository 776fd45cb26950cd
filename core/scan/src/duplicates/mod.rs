//! Finds games that a corpus has several times: exact doubles, the same moves with other headers, and games that are the beginning of longer
//! ones.
//!
//! ```text
//! candidates   pairs of games whose moves are the same, or begin so, with keys of both players' names in common
//! agreement    whether the headers of two such games may be those of one game, and in what they differ
//! groups       pairs that agree → groups, all of whose games agree with each other
//! ```
//!
//! The time grows as the number of plies does: whatever has a great many candidates is compared with some of them only.

mod agreement;
mod candidates;
mod groups;

use alloc::vec::Vec;
use core::cmp::Reverse;

pub use self::agreement::{Differences, HeaderDifference};

use self::agreement::GameFacts;
use self::groups::Groups;
use crate::game::{Game, GameId, GameSpan};
use crate::sorted::sorted;

/// What counts as a double.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DuplicateRules {
    /// A game that is the beginning of a longer one has at least so many plies.
    pub least_plies: u16,
}

impl Default for DuplicateRules {
    fn default() -> DuplicateRules {
        DuplicateRules { least_plies: 20 }
    }
}

/// Games that are one game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DuplicateGroup {
    /// The one with the most moves, and of those the one that says the most.
    pub kept: GameId,
    /// The others, in the order of the corpus, each with its differences from the one that is kept.
    pub others: Vec<(GameId, Differences)>,
}

/// Finds the doubles among these games, in the order of the corpus. `says` tells how much a game says beside its moves, such as the bytes
/// of its text; `advance` is called with numbers of games that are done, each game counting twice.
///
/// Cost: about a microsecond a game and thread-free; memory: about 60 to 80 bytes a game and 200 a name.
///
/// PERF: of a library that has each of 206,361 master games ten times, the games with several keys in common are compared once, and groups are lists
/// in arrays; with rows that are made while they are written, `plyfold dedupe ten --threads 2` keeps 163 MiB in place of 1,508.
pub fn find_duplicates(
    spans: &[GameSpan<'_>],
    rules: DuplicateRules,
    says: &dyn Fn(GameId) -> u64,
    advance: &dyn Fn(u32),
) -> Vec<DuplicateGroup> {
    let facts = GameFacts::new(spans);
    // What agrees most is joined first.
    let pairs = sorted(candidates::find(&facts, rules, advance), |one, other| {
        (Reverse(one.weight), one.games).cmp(&(Reverse(other.weight), other.games))
    });
    let games = spans.iter().map(|span| span.first_game.0 + span.len()).max().unwrap_or(0);
    let mut groups = Groups::of_single_games(games);
    for pair in pairs {
        groups.join(pair.games, &|one, other| facts.differences(one, other, rules).is_some());
    }
    let first = |group: &DuplicateGroup| group.others.first().map_or(group.kept, |other| other.0.min(group.kept));
    let found = groups.into_groups().map(|games| facts.group(games, says)).collect();
    sorted(found, |one: &DuplicateGroup, other| first(one).cmp(&first(other)))
}

impl GameFacts<'_> {
    /// The group of these games.
    fn group(&self, games: Vec<GameId>, says: &dyn Fn(GameId) -> u64) -> DuplicateGroup {
        let games = sorted(games, GameId::cmp);
        let worth = |id: &GameId| {
            let plies = self.game(*id).map_or(0, |game: Game<'_>| game.moves.len());
            (plies, says(*id), self.known_headers(*id), Reverse(*id))
        };
        let kept = games.iter().copied().max_by_key(worth).unwrap_or_default();
        let mut others = Vec::with_capacity(games.len().saturating_sub(1));
        others.extend(games.into_iter().filter(|game| *game != kept).map(|game| (game, self.compare(game, kept))));
        DuplicateGroup { kept, others }
    }
}
