//! Counts how many positions of a material are won, drawn and lost at each distance, and finds the longest mates.
//!
//! Positions are counted on the whole board, identical pieces in one order, for each side to move. There is no castling, and
//! the fifty-move rule is ignored.

use plyfold_tables::index::TableAddress;
use plyfold_tables::layout::LevelTotals;
use plyfold_tables::material::TableMaterial;
use plyfold_tables::probe::ProbeValue;
use plyfold_tables::successors::TablePosition;
use serde::Serialize;
use shakmaty::Color;

use crate::Error;
use crate::prober::{CachedTables, IndexedTable, ListSide};

/// The counts of a material.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// The material.
    pub material: String,
    /// The counts with White to move, then with Black to move.
    pub sides: [SideStats; 2],
}

/// The counts of a material with one side to move, from that side's point of view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SideStats {
    /// The side to move: `w` or `b`.
    pub stm: char,
    /// Legal positions.
    pub legal: u64,
    /// Won positions.
    pub won: u64,
    /// Drawn positions.
    pub drawn: u64,
    /// Lost positions.
    pub lost: u64,
    /// The longest win, in plies.
    pub max_win_plies: Option<u32>,
    /// The longest loss, in plies.
    pub max_loss_plies: Option<u32>,
    /// Some positions with the longest win, as FEN.
    pub longest_wins: Vec<String>,
    /// Some positions with the longest loss, as FEN.
    pub longest_losses: Vec<String>,
    /// The nonempty distances, ascending.
    pub histogram: Vec<Bin>,
}

/// The positions at one distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bin {
    /// Plies to mate.
    pub plies: u32,
    /// The side that mates.
    pub result: MateOutcome,
    /// Number of positions.
    pub count: u64,
}

/// The side that mates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MateOutcome {
    /// The side to move.
    Win,
    /// The other side.
    Loss,
}

/// Counts the positions of a material, whose first side is White, and lists at most `longest` of the longest wins and losses
/// of each side.
///
/// # Errors
/// One of its two tables is missing or cannot be read.
pub fn stats(tables: &CachedTables, material: TableMaterial, longest: usize) -> Result<Stats, Error> {
    // The table in which a colour is the winner. A lone king has none.
    let winner = |color: Color| {
        let table = if color.is_white() { material } else { material.swapped() };
        table.can_win().then(|| tables.table(table)).transpose()
    };
    let (white, black) = (winner(Color::White)?, winner(Color::Black)?);
    let [to_white, to_black] = match (&white, &black) {
        (Some(table), _) => table.summary.legal,
        (None, Some(table)) => [table.summary.legal[1], table.summary.legal[0]],
        (None, None) => [0, 0],
    };
    let (white, black) = (white.as_deref(), black.as_deref());
    let side = |color: Color, legal: u64, own: Option<&IndexedTable>, other: Option<&IndexedTable>| {
        let positions = |table: Option<&IndexedTable>, side: ListSide| {
            table.map_or(0, |table| table.summary.levels.iter().map(|level| side.count(level)).sum())
        };
        let (won, lost) = (positions(own, ListSide::Won), positions(other, ListSide::Lost));
        let plies = |table: Option<&IndexedTable>, side: ListSide| {
            table.and_then(|table| side.highest_level(&table.summary)).and_then(|level| value(side, level).plies())
        };
        let mut histogram = bins(own, ListSide::Won, MateOutcome::Win);
        histogram.extend(bins(other, ListSide::Lost, MateOutcome::Loss));
        histogram.sort_by_key(|bin| bin.plies);
        let fens = |table: Option<&IndexedTable>, side: ListSide| {
            let Some(table) = table else { return Ok(Vec::new()) };
            let fen = |place: TableAddress| {
                // A table has its winner as White.
                let board = table.index.board_at(place)?;
                let board = if side.side_to_move() == color { board } else { board.into_mirrored() };
                TablePosition::from_board(board, color, None).ok().map(|position| position.to_string())
            };
            Ok::<_, Error>(tables.longest(table, side, longest)?.into_iter().filter_map(fen).collect())
        };
        Ok::<SideStats, Error>(SideStats {
            stm: color.char(),
            legal,
            won,
            drawn: legal.saturating_sub(won).saturating_sub(lost),
            lost,
            max_win_plies: plies(own, ListSide::Won),
            max_loss_plies: plies(other, ListSide::Lost),
            longest_wins: fens(own, ListSide::Won)?,
            longest_losses: fens(other, ListSide::Lost)?,
            histogram,
        })
    };
    Ok(Stats {
        material: material.to_string(),
        sides: [side(Color::White, to_white, white, black)?, side(Color::Black, to_black, black, white)?],
    })
}

fn value(side: ListSide, level: u16) -> ProbeValue {
    match side {
        ListSide::Won => ProbeValue::Win(level),
        ListSide::Lost => ProbeValue::Loss(level),
    }
}

fn bins(table: Option<&IndexedTable>, side: ListSide, result: MateOutcome) -> Vec<Bin> {
    let levels = table.map_or(&[][..], |table| &table.summary.levels);
    let bin = |level: &LevelTotals| {
        let (plies, count) = (value(side, level.n).plies()?, side.count(level));
        (count > 0).then_some(Bin { plies, result, count })
    };
    levels.iter().filter_map(bin).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use plyfold_tables::probe::Prober;

    use super::*;
    use crate::prober::DEFAULT_CACHE_BYTES;
    use crate::prober::tests::{made, material};

    /// Materials that are generated quickly.
    const NAMES: [&str; 6] = ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KRvKN"];

    /// The rows of a reference file, by column.
    fn rows(file: &str) -> Option<Vec<Vec<String>>> {
        let path = format!("{}/../../shared/data/egt/{file}", env!("CARGO_MANIFEST_DIR"));
        let Ok(text) = fs::read_to_string(&path) else {
            let line = format!("\nSKIPPED: {path} is not there; tests/tables/truth.rs compares published mates\n");
            std::io::stderr().write_all(line.as_bytes()).ok();
            return None;
        };
        Some(text.lines().skip(1).map(|line| line.split('\t').map(String::from).collect()).collect())
    }

    #[test]
    fn numbers_are_those_of_an_independent_solver() {
        let (Some(truth), Some(histogram)) = (rows("truth.tsv"), rows("histogram.tsv")) else { return };
        let tables = CachedTables::new(Box::new(made(&NAMES)), DEFAULT_CACHE_BYTES);
        for name in NAMES {
            let stats = stats(&tables, material(name), 3).expect("tables in memory");
            for side in &stats.sides {
                let stm = side.stm.to_string();
                let plies = |plies: Option<u32>| plies.map_or("-1".into(), |plies| plies.to_string());
                let row: Vec<String> =
                    [side.legal, side.won, side.drawn, side.lost].iter().map(u64::to_string).collect();
                let row = [row, vec![plies(side.max_win_plies), plies(side.max_loss_plies)]].concat();
                let known = truth.iter().find(|known| known[0] == name && known[1] == stm).expect("a row");
                assert_eq!(row, known[2..8], "{name} {stm}");
                let bins: Vec<Vec<String>> = side
                    .histogram
                    .iter()
                    .map(|bin| {
                        let result = if bin.result == MateOutcome::Win { "win" } else { "loss" };
                        vec![bin.plies.to_string(), result.into(), bin.count.to_string()]
                    })
                    .collect();
                let known = histogram.iter().filter(|known| known[0] == name && known[1] == stm);
                assert_eq!(bins, known.map(|known| known[2..].to_vec()).collect::<Vec<_>>(), "{name} {stm}");
            }
        }
    }

    #[test]
    fn the_longest_are_as_long_as_said_and_of_the_side_that_is_said() {
        let tables = CachedTables::new(Box::new(made(&["KRvKN", "KPvK"])), DEFAULT_CACHE_BYTES);
        let prober = Prober::new(&tables);
        for name in ["KRvKN", "KNvKR", "KPvK", "KvKP"] {
            let stats = stats(&tables, material(name), 3).expect("tables in memory");
            assert_eq!(stats.material, name);
            for side in &stats.sides {
                for (fens, plies) in
                    [(&side.longest_wins, side.max_win_plies), (&side.longest_losses, side.max_loss_plies)]
                {
                    assert_eq!(fens.is_empty(), plies.is_none());
                    for fen in fens {
                        let position = TablePosition::from_fen(fen).expect("a position");
                        assert_eq!((position.material(), position.turn().char()), (material(name), side.stm));
                        assert_eq!(prober.value(&position).expect("a table").plies(), plies, "{fen}");
                    }
                }
            }
        }
    }
}
