//! Torture files: what is read of each is what python-chess reads, but for the files in the table of DIFFERENCES.md.

use std::collections::BTreeMap;
use std::fs;

use plyfold_core::board::Board;
use plyfold_core::board::make::FullState;
use plyfold_core::pgn::{self, PgnEntry};
use plyfold_tests::data::shared;
use serde_json::Value;

/// A game as far as it could be played.
#[derive(Clone, PartialEq, Debug)]
struct Outcome {
    refused: bool,
    plies: u64,
    /// Unknown where it was refused.
    fen: Option<String>,
}

fn ours(text: &[u8]) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    pgn::read_games(text, 0, &mut |entry| {
        outcomes.push(match entry {
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

/// Games taken, games refused, plies of the games taken.
fn summary(outcomes: &[Outcome]) -> String {
    let refused = outcomes.iter().filter(|outcome| outcome.refused).count();
    let plies: u64 = outcomes.iter().filter(|outcome| !outcome.refused).map(|outcome| outcome.plies).sum();
    format!("{} / {refused} / {plies}", outcomes.len() - refused)
}

/// The rows of the table in DIFFERENCES.md: file → what python-chess makes of it, and what is made of it here.
fn differences() -> BTreeMap<String, (String, String)> {
    let table = include_str!("../../core/src/pgn/DIFFERENCES.md");
    let rows = table.lines().filter_map(|line| {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        match cells[..] {
            ["", file, theirs, ours, _, ""] if file.contains(".pgn") => {
                Some((file.trim_matches('`').to_owned(), (theirs.to_owned(), ours.to_owned())))
            }
            _ => None,
        }
    });
    rows.collect()
}

#[test]
fn every_file_is_read_as_python_chess_reads_it_or_as_the_table_says() {
    let Some(folder) = shared("nasty") else { return };
    let expected = fs::read_to_string(folder.join("python-chess.json")).expect("python-chess.json");
    let expected: BTreeMap<String, Value> = serde_json::from_str(&expected).expect("JSON");
    let mut differences = differences();
    let mut wrong = Vec::new();
    for (name, file) in &expected {
        let text = fs::read(folder.join(name)).expect("a torture file");
        let (ours, theirs) = (ours(&text), theirs(file));
        match differences.remove(name) {
            None if ours == theirs => {}
            None => {
                let first = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs);
                let at = first.unwrap_or(ours.len().min(theirs.len()));
                wrong.push(format!(
                    "{name}: python-chess {}, here {}; first at game {}: {:?} against {:?}",
                    summary(&theirs),
                    summary(&ours),
                    at + 1,
                    theirs.get(at),
                    ours.get(at)
                ));
            }
            Some(told) if told != (summary(&theirs), summary(&ours)) => {
                wrong.push(format!(
                    "{name}: the table says {told:?}, it is {} and {}",
                    summary(&theirs),
                    summary(&ours)
                ));
            }
            Some(_) if ours == theirs => wrong.push(format!("{name}: in the table, but not different")),
            Some(_) => {}
        }
    }
    wrong.extend(differences.keys().map(|name| format!("{name}: in the table, but there is no such file")));
    assert!(expected.len() > 150 && wrong.is_empty(), "{} files differ:\n{}", wrong.len(), wrong.join("\n"));
}
