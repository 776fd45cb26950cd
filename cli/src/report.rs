//! Groups, partitions and next moves, as all commands and formats show them.

use plyfold_core::game::GameSpan;
use plyfold_core::index::position_match::IndexedResults;
use plyfold_core::reduce::endgames::EndgameSummary;
use plyfold_core::reduce::groups::{Group, GroupTable};
use plyfold_core::reduce::next_moves::{NextMove, NextMoveTable};
use plyfold_core::reduce::partition::PartitionSet;
use plyfold_core::reduce::result_counts::ResultCounts;
use serde::Serialize;

/// Games by result.
#[derive(Serialize)]
pub struct GamesByResult {
    pub white: u64,
    pub draw: u64,
    pub black: u64,
    pub unknown: u64,
}

impl From<ResultCounts> for GamesByResult {
    fn from(results: ResultCounts) -> GamesByResult {
        let [white, draw, black, unknown] = results.in_columns();
        GamesByResult { white, draw, black, unknown }
    }
}

impl From<IndexedResults> for GamesByResult {
    fn from(IndexedResults { white, draw, black, unknown }: IndexedResults) -> GamesByResult {
        GamesByResult { white, draw, black, unknown }
    }
}

impl GamesByResult {
    /// White, draw, black, unknown.
    pub fn as_array(&self) -> [u64; 4] {
        [self.white, self.draw, self.black, self.unknown]
    }
}

/// The groups of a key.
#[derive(Serialize)]
pub struct GroupsReport {
    pub key: String,
    pub distinct: u64,
    pub positions: u64,
    pub groups: Vec<GroupReport>,
}

#[derive(Serialize)]
pub struct GroupReport {
    pub name: String,
    pub positions: u64,
    pub games: u64,
    #[serde(flatten)]
    pub results: GamesByResult,
    /// The number of the first game, from 1, and of the ply in it.
    pub first_game: u64,
    pub first_ply: u32,
}

impl From<&GroupTable> for GroupsReport {
    fn from(result: &GroupTable) -> GroupsReport {
        let group = |group: &Group| GroupReport {
            name: group.name.clone(),
            positions: group.positions,
            games: group.results.games(),
            results: group.results.into(),
            first_game: group.first.game.number(),
            first_ply: group.first.ply.0,
        };
        GroupsReport {
            key: result.key.clone(),
            distinct: result.distinct,
            positions: result.positions,
            groups: result.groups.iter().map(group).collect(),
        }
    }
}

/// The sets of a key.
#[derive(Serialize)]
pub struct PartitionReport {
    pub key: String,
    pub rule: &'static str,
    pub distinct: u64,
    pub parts: Vec<PartReport>,
}

#[derive(Serialize)]
pub struct PartReport {
    pub name: String,
    pub games: u64,
}

impl PartitionReport {
    /// The first `most` parts.
    pub fn new(key: &str, rule: &'static str, all: &[PartitionSet], most: usize) -> PartitionReport {
        let part = |part: &PartitionSet| PartReport { name: part.name.clone(), games: part.count };
        let parts = all.iter().take(most).map(part).collect();
        PartitionReport { key: key.into(), rule, distinct: all.len() as u64, parts }
    }
}

/// The endgames of an answer.
#[derive(Serialize)]
pub struct EndgamesReport {
    /// How many materials there are.
    pub distinct: u64,
    pub endgames: Vec<EndgameReport>,
}

/// The endgames of one material. The first side is the one that the material names first.
#[derive(Serialize)]
pub struct EndgameReport {
    pub material: String,
    pub games: u64,
    /// The games that the first side had won when the material arose, those that were drawn, and those that it had lost.
    pub won: u64,
    pub drawn: u64,
    pub lost: u64,
    /// The games in which no table knew a position of the material.
    pub unknown: u64,
    pub first_side_threw_away: ThrownAwayReport,
    pub second_side_threw_away: ThrownAwayReport,
}

/// The moves that threw something away.
#[derive(Serialize)]
pub struct ThrownAwayReport {
    pub wins: u64,
    pub draws: u64,
}

impl EndgamesReport {
    /// The first `most` endgames.
    pub fn new(endgames: &[EndgameSummary], most: usize) -> EndgamesReport {
        let of_endgame = |EndgameSummary { material, totals }: &EndgameSummary| {
            let thrown = |side: usize| ThrownAwayReport {
                wins: totals.wins_thrown_away[side],
                draws: totals.draws_thrown_away[side],
            };
            EndgameReport {
                material: material.clone(),
                games: totals.games,
                won: totals.won,
                drawn: totals.drawn,
                lost: totals.lost,
                unknown: totals.unknown(),
                first_side_threw_away: thrown(0),
                second_side_threw_away: thrown(1),
            }
        };
        let listed = endgames.iter().take(most).map(of_endgame).collect();
        EndgamesReport { distinct: endgames.len() as u64, endgames: listed }
    }
}

/// How games continued.
#[derive(Serialize)]
pub struct NextMovesReport {
    pub games: u64,
    pub positions: u64,
    #[serde(flatten)]
    pub results: GamesByResult,
    pub distinct: u64,
    pub moves: Vec<NextMoveReport>,
}

#[derive(Serialize)]
pub struct NextMoveReport {
    /// As written at its first occurrence. In another position the same move may have another SAN.
    pub san: String,
    pub uci: String,
    pub games: u64,
    pub times: u64,
    #[serde(flatten)]
    pub results: GamesByResult,
    pub average_elo: Option<u32>,
    pub performance: Option<i64>,
    pub last_played: Option<String>,
}

impl NextMovesReport {
    /// The first `most` moves.
    pub fn new(next: &NextMoveTable, spans: &[GameSpan<'_>], most: usize) -> NextMovesReport {
        let of_move = |next: &NextMove| {
            let (san, uci) = next.notation(spans).map_or_else(Default::default, |written| (written.san, written.uci));
            NextMoveReport {
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
        NextMovesReport {
            games: next.results.games(),
            positions: next.positions,
            results: next.results.into(),
            distinct: next.moves.len() as u64,
            moves: next.moves.iter().take(most).map(of_move).collect(),
        }
    }
}
