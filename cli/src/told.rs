//! Groups, partitions and next moves as all commands and formats tell them.

use plyfold_core::corpus::file::Corpus;
use plyfold_core::headers::Outcome;
use plyfold_core::notation::{Written, written_on};
use plyfold_core::reduce::groups::{AllGroups, Group};
use plyfold_core::reduce::next::{Next, NextMove};
use plyfold_core::reduce::partition::Part;
use plyfold_core::reduce::results::Results;
use serde::Serialize;

use crate::replay::{board_at, game};

/// Games by result.
#[derive(Serialize)]
pub struct ByResult {
    pub white: u64,
    pub draw: u64,
    pub black: u64,
    pub unknown: u64,
}

impl From<Results> for ByResult {
    fn from(results: Results) -> ByResult {
        let [white, draw, black, unknown] =
            [Outcome::White, Outcome::Draw, Outcome::Black, Outcome::Unknown].map(|outcome| results.of(outcome));
        ByResult { white, draw, black, unknown }
    }
}

impl ByResult {
    /// White, draw, black, unknown.
    pub fn each(&self) -> [u64; 4] {
        [self.white, self.draw, self.black, self.unknown]
    }
}

/// The groups of a key.
#[derive(Serialize)]
pub struct Groups {
    pub key: String,
    pub distinct: u64,
    pub positions: u64,
    pub groups: Vec<OfGroup>,
}

#[derive(Serialize)]
pub struct OfGroup {
    pub name: String,
    pub positions: u64,
    pub games: u64,
    #[serde(flatten)]
    pub results: ByResult,
    /// Number of the first game, from 1, and of the ply.
    pub first_game: u64,
    pub first_ply: u32,
}

impl From<&AllGroups> for Groups {
    fn from(all: &AllGroups) -> Groups {
        let group = |group: &Group| OfGroup {
            name: group.name.clone(),
            positions: group.positions,
            games: group.results.games(),
            results: group.results.into(),
            first_game: u64::from(group.first.0) + 1,
            first_ply: group.first.1,
        };
        Groups {
            key: all.key.clone(),
            distinct: all.distinct,
            positions: all.positions,
            groups: all.groups.iter().map(group).collect(),
        }
    }
}

/// The sets of a key.
#[derive(Serialize)]
pub struct Partition {
    pub key: String,
    pub rule: &'static str,
    pub distinct: u64,
    pub parts: Vec<OfPart>,
}

#[derive(Serialize)]
pub struct OfPart {
    pub name: String,
    pub games: u64,
}

impl Partition {
    /// The first so many of all parts.
    pub fn new(key: &str, rule: &'static str, all: &[Part], most: usize) -> Partition {
        let part = |part: &Part| OfPart { name: part.name.clone(), games: part.count };
        let parts = all.iter().take(most).map(part).collect();
        Partition { key: key.into(), rule, distinct: all.len() as u64, parts }
    }
}

/// How games went on.
#[derive(Serialize)]
pub struct NextMoves {
    pub games: u64,
    pub positions: u64,
    #[serde(flatten)]
    pub results: ByResult,
    pub distinct: u64,
    pub moves: Vec<OfMove>,
}

#[derive(Serialize)]
pub struct OfMove {
    /// As it was written the first time; of several positions, another may write the same move with other letters.
    pub san: String,
    pub uci: String,
    pub games: u64,
    pub times: u64,
    #[serde(flatten)]
    pub results: ByResult,
    pub average_elo: Option<u32>,
    pub performance: Option<i64>,
    pub last_played: Option<String>,
}

impl NextMoves {
    /// The first so many of all moves.
    pub fn new(next: &Next, corpus: &Corpus<'_>, most: usize) -> NextMoves {
        let of_move = |next: &NextMove| {
            let (first, ply) = next.first;
            let written = game(corpus, first).map(|game| written_on(&board_at(&game, ply), next.mv));
            let (san, uci) = written.map_or_else(Default::default, |Written { san, uci, .. }| (san, uci));
            OfMove {
                san,
                uci,
                games: next.results.games(),
                times: next.times,
                results: next.results.into(),
                average_elo: next.rating,
                performance: next.performance,
                last_played: (next.last_played.year() != 0).then(|| next.last_played.to_string()),
            }
        };
        NextMoves {
            games: next.results.games(),
            positions: next.positions,
            results: next.results.into(),
            distinct: next.moves.len() as u64,
            moves: next.moves.iter().take(most).map(of_move).collect(),
        }
    }
}
