//! Tables for tests of queries: some that make verdicts up, and real ones that were generated in memory; and what the oracle takes
//! from either.

use std::sync::{Arc, LazyLock};

use egtgen::{CachedTables, ProbeValue, Prober, TablePosition};
use plyfold_core::board::Board;
use plyfold_core::scan::tables::{BoundTables, ProbedPosition, TableOutcome, TableVerdict, TableVerdicts};
use shakmaty::{Color, Role};
use xxhash_rust::xxh3::xxh3_64;

/// Tables of at most six pieces that make up a verdict about any position, or none, from what is written in its FEN.
/// A third of the materials have no table, and a quarter have one without distances.
pub struct FakeTables;

/// The made-up tables, as queries ask them.
pub static FAKE_TABLES: LazyLock<BoundTables> = LazyLock::new(|| BoundTables::new(Arc::new(FakeTables)));

impl TableVerdicts for FakeTables {
    fn most_pieces(&self) -> u32 {
        6
    }

    fn verdict(&self, position: &ProbedPosition) -> Option<TableVerdict> {
        let counts: Vec<u8> = Color::ALL
            .iter()
            .flat_map(|&color| {
                Role::ALL.map(|role| (position.board.by_color(color) & position.board.by_role(role)).count() as u8)
            })
            .collect();
        let (material, place) = (xxh3_64(&counts), xxh3_64(format!("{position:?}").as_bytes()));
        if material.is_multiple_of(3) {
            return None;
        }
        let (outcome, is_won) = match place % 3 {
            0 => (TableOutcome::Win, true),
            1 => (TableOutcome::Draw, false),
            _ => (TableOutcome::Loss, true),
        };
        let knows_distances = !material.is_multiple_of(4);
        Some(TableVerdict { outcome, moves_to_mate: (is_won && knows_distances).then_some((place / 3 % 20) as u16) })
    }
}

/// Tables that egtgen has generated.
pub struct GeneratedTables {
    /// The tables.
    pub tables: CachedTables,
    /// The most pieces of any of them.
    pub most_pieces: u32,
}

impl TableVerdicts for GeneratedTables {
    fn most_pieces(&self) -> u32 {
        self.most_pieces
    }

    fn verdict(&self, position: &ProbedPosition) -> Option<TableVerdict> {
        let ProbedPosition { board, turn, en_passant } = position.clone();
        let position = TablePosition::from_board(board, turn, en_passant).ok()?;
        Prober::new(&self.tables).value(&position).ok().map(|value| TableVerdict {
            outcome: match value {
                ProbeValue::Win(_) => TableOutcome::Win,
                ProbeValue::Draw => TableOutcome::Draw,
                ProbeValue::Loss(_) => TableOutcome::Loss,
            },
            moves_to_mate: value.moves(),
        })
    }
}

/// What tables say of a position, as the oracle has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OracleVerdict {
    /// The side that wins; none in a draw.
    pub winner: Option<Color>,
    /// The moves of the winner up to mate, if they are known.
    pub moves: Option<i64>,
}

impl OracleVerdict {
    /// The verdict of tables about a board; none without one.
    pub fn of_board(board: &Board, tables: &dyn TableVerdicts) -> Option<OracleVerdict> {
        OracleVerdict::of_setup(board.to_setup(), tables)
    }

    /// What tables say of the position that pieces, side to move and rights describe.
    pub fn of_setup(setup: shakmaty::Setup, tables: &dyn TableVerdicts) -> Option<OracleVerdict> {
        if setup.castling_rights.any() || setup.board.occupied().count() > tables.most_pieces() as usize {
            return None;
        }
        let position = ProbedPosition { board: setup.board, turn: setup.turn, en_passant: setup.ep_square };
        let verdict = tables.verdict(&position)?;
        let winner = match verdict.outcome {
            TableOutcome::Win => Some(setup.turn),
            TableOutcome::Draw => None,
            TableOutcome::Loss => Some(setup.turn.other()),
        };
        Some(OracleVerdict { winner, moves: verdict.moves_to_mate.map(i64::from) })
    }

    /// The half points of a side by best play.
    pub fn half_points(&self, side: Color) -> i64 {
        match self.winner {
            None => 1,
            Some(winner) if winner == side => 2,
            Some(_) => 0,
        }
    }
}

/// The half points of an outcome.
pub fn half_points_of(outcome: TableOutcome) -> i64 {
    match outcome {
        TableOutcome::Win => 2,
        TableOutcome::Draw => 1,
        TableOutcome::Loss => 0,
    }
}
