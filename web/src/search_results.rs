//! The results of a question as an object: counts, lists and typed arrays.

use js_sys::{Float64Array, Uint32Array};
use plyfold_core::reduce::structures::StructureCount;
use tsify::Tsify;

use crate::endgame_tables::UnknownPositions;
use crate::groups::Groups;
use crate::next_moves::NextMoves;
use crate::plain::{List, plain_object};
use crate::result_table::ResultTable;

/// A pawn structure.
#[derive(Tsify)]
pub struct Structure {
    /// Squares of the white pawns as sixteen hex digits; the lowest bit is a1.
    pub white: String,
    /// Squares of the black pawns, likewise.
    pub black: String,
    /// Number of matching positions with exactly these pawns.
    pub count: f64,
    /// The condition of the query language for exactly these pawns.
    pub condition: String,
}
plain_object!(Structure { white, black, count, condition });

impl From<&StructureCount> for Structure {
    fn from(structure: &StructureCount) -> Structure {
        Structure {
            white: format!("{:016x}", structure.white),
            black: format!("{:016x}", structure.black),
            count: structure.count as f64,
            condition: structure.condition(),
        }
    }
}

/// A matching position.
#[derive(Tsify)]
pub struct PositionHit {
    /// Number of its game, from 0.
    pub game: u32,
    /// The ply after which the position arises, from 1.
    pub ply: u32,
    /// The position.
    pub fen: String,
    /// The move that led to it as SAN; a null move is `--`.
    pub san: String,
    /// Number of that move, as the game's start position counts.
    pub move_number: u32,
}
plain_object!(PositionHit { game, ply, fen, san, move_number });

/// The results of a run. Outputs that were not requested are null or empty.
#[derive(Tsify)]
#[tsify(missing_as_null)]
pub struct SearchResults {
    /// Number of games of the corpus, without those that are deleted.
    pub games_total: f64,
    /// Number of their plies.
    pub plies_total: f64,
    /// Number of matching games.
    pub games: f64,
    /// Number of matching positions.
    pub positions: f64,
    /// Moves that the scan read, each at most once.
    pub plies_looked_at: f64,
    /// Numbers of the matching games, in the order of the corpus.
    pub ids: Uint32Array,
    /// `[2 colours white black][6 pieces P N B R Q K][64 squares a1 .. h8]`: number of positions with the piece on the square.
    pub heatmap: Option<Float64Array>,
    /// The most frequent pawn structures.
    pub structures: List<Structure>,
    /// Number of different pawn structures.
    pub structures_total: f64,
    /// Matching positions.
    pub hits: List<PositionHit>,
    /// How games continued.
    pub next: Option<NextMoves>,
    /// Matching positions grouped by a key.
    pub groups: Option<Groups>,
    /// The table of the output that was named.
    pub table: Option<ResultTable>,
    /// The positions that the query leaves open, if it asks endgame tables.
    pub unknown: Option<UnknownPositions>,
}
#[rustfmt::skip]
plain_object!(SearchResults {
    games_total, plies_total, games, positions, plies_looked_at, ids, heatmap, structures, structures_total,
    hits, next, groups, table, unknown,
});
