//! Each torture file is read as python-chess reads it, except for the files in the tables of DIFFERENCES.md. The files are
//! the project's own in `tests/torture`, and a collection that may be beside the project.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use plyfold_core::board::Board;
use plyfold_core::board::make::FullState;
use plyfold_core::pgn::{self, PgnEntry};
use plyfold_tests::data::shared;
use serde_json::Value;

/// A game up to its last readable move. What is kept in part counts as refused.
#[derive(Clone, PartialEq, Debug)]
struct Outcome {
    refused: bool,
    plies: u64,
    /// `None` if python-chess or we refused the game.
    fen: Option<String>,
}

fn ours(text: &[u8]) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    pgn::read_games(text, 0, &mut |entry| {
        outcomes.push(match entry {
            PgnEntry::Game { moves, fault: Some(_), .. } => {
                Outcome { refused: true, plies: moves.len() as u64, fen: None }
            }
            PgnEntry::Game { start, moves, .. } => {
                let mut board = start.as_ref().map_or_else(Board::initial, Board::from_start);
                for &mv in moves {
                    board.make::<FullState>(mv);
                }
                Outcome { refused: false, plies: moves.len() as u64, fen: Some(board.fen().to_string()) }
            }
            PgnEntry::Rejected(refusal) => {
                Outcome { refused: true, plies: u64::from(refusal.ply.max(1) - 1), fen: None }
            }
            other => panic!("unknown entry {other:?}"),
        });
    });
    outcomes
}

fn theirs(file: &Value) -> Vec<Outcome> {
    let games = file["games"].as_array().expect("games");
    let outcome = |game: &Value| {
        let refused = game["errors"].as_array().is_some_and(|errors| !errors.is_empty());
        let fen = if refused { None } else { game["final_fen"].as_str().map(str::to_owned) };
        Outcome { refused, plies: game["plies"].as_u64().expect("plies"), fen }
    };
    games.iter().map(outcome).collect()
}

/// Counts the accepted games, the refused games, and the plies of the accepted games.
fn summary(outcomes: &[Outcome]) -> String {
    let refused = outcomes.iter().filter(|outcome| outcome.refused).count();
    let plies: u64 = outcomes.iter().filter(|outcome| !outcome.refused).map(|outcome| outcome.plies).sum();
    format!("{} / {refused} / {plies}", outcomes.len() - refused)
}

/// The rows of a table in DIFFERENCES.md: file → the result of python-chess, and ours. `own` selects the table of the folder
/// `torture`.
fn differences(own: bool) -> BTreeMap<String, (String, String)> {
    let table = include_str!("../../../core/pgn/src/DIFFERENCES.md");
    let rows = table.lines().filter_map(|line| {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        match cells[..] {
            ["", file, theirs, ours, _, ""] if file.contains(".pgn") && file.starts_with("`torture/") == own => {
                let name = file.trim_matches('`').trim_start_matches("torture/");
                Some((name.to_owned(), (theirs.to_owned(), ours.to_owned())))
            }
            _ => None,
        }
    });
    rows.collect()
}

#[test]
fn every_file_is_read_as_python_chess_reads_it_or_as_the_table_says() {
    let Some(folder) = shared("nasty") else { return };
    assert!(compare(&folder, differences(false)) > 150);
}

#[test]
fn own_torture_files_are_read_as_python_chess_reads_them_or_as_the_table_says() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/torture"));
    assert!(compare(folder, differences(true)) > 20);
}

/// Compares each file of a folder with the results in its `python-chess.json`. Returns the number of files.
fn compare(folder: &Path, mut differences: BTreeMap<String, (String, String)>) -> usize {
    let expected = fs::read_to_string(folder.join("python-chess.json")).expect("python-chess.json");
    let expected: BTreeMap<String, Value> = serde_json::from_str(&expected).expect("JSON");
    let mut wrong: Vec<String> = expected
        .iter()
        .filter_map(|(name, file)| {
            let text = fs::read(folder.join(name)).expect("a torture file");
            disagreement(name, &ours(&text), &theirs(file), differences.remove(name))
        })
        .collect();
    wrong.extend(differences.keys().map(|name| format!("{name}: in the table, but there is no such file")));
    assert!(wrong.is_empty(), "{} files differ:\n{}", wrong.len(), wrong.join("\n"));
    expected.len()
}

/// Describes a disagreement: the readers differ and the table does not say so, or the table says something else.
fn disagreement(name: &str, ours: &[Outcome], theirs: &[Outcome], row: Option<(String, String)>) -> Option<String> {
    let found = (summary(theirs), summary(ours));
    match row {
        None if ours == theirs => None,
        None => {
            let first = ours.iter().zip(theirs).position(|(ours, theirs)| ours != theirs);
            let at = first.unwrap_or(ours.len().min(theirs.len()));
            Some(format!(
                "{name}: python-chess {}, here {}; first at game {}: {:?} against {:?}",
                found.0,
                found.1,
                at + 1,
                theirs.get(at),
                ours.get(at)
            ))
        }
        Some(row) if row != found => Some(format!("{name}: the table says {row:?}, it is {found:?}")),
        Some(_) if ours == theirs => Some(format!("{name}: in the table, but not different")),
        Some(_) => None,
    }
}
