//! `plyfold tree`: the counts are those of the explorer, transpositions are joined, and books have the keys of Polyglot.

use std::collections::BTreeMap;
use std::path::Path;

use plyfold_core::pgn::{PgnEntry, read_games};
use serde_json::Value;

use crate::program::CliSandbox;

fn sandbox(games: &[&str]) -> CliSandbox {
    let sandbox = CliSandbox::new();
    sandbox.put(
        "some.pgn",
        games.iter().map(|moves| format!("[White \"A\"]\n[Date \"2001.01.01\"]\n\n{moves}\n\n")).collect::<String>(),
    );
    sandbox.run(&["import", "some.pgn", "-o", "some.plyfold"]).succeeded();
    sandbox
}

#[test]
fn transpositions_are_joined() {
    let games = [
        "1. d4 Nf6 2. c4 e6 3. Nc3 1-0",
        "1. d4 Nf6 2. c4 e6 3. Nc3 0-1",
        "1. c4 e6 2. d4 Nf6 3. Nc3 1/2-1/2",
        "1. c4 e6 2. d4 Nf6 3. Nf3 *",
    ];
    let sandbox = sandbox(&games);
    let tree = |more: &[&str]| sandbox.run(&[&["tree", "some.plyfold"], more].concat()).succeeded().text();
    let pgn = tree(&["--least", "2"]);
    let moves = pgn.split("\n\n").nth(1).unwrap().replace('\n', " ");
    let [half, lost] = ["1-0 50 %, draw 0 %, 0-1 50 %, last 2001", "1-0 0 %, draw 50 %, 0-1 0 %, last 2001"];
    let expected = format!(
        "1. c4 {{2 games, {lost}}} (1. d4 {{2 games, {half}}} 1... Nf6 {{2 games, {half}}} 2. c4 {{2 games, {half}}} \
         2... e6 {{2 games, {half}; goes on in another line}}) 1... e6 {{2 games, {lost}}} 2. d4 {{2 games, {lost}}} \
         2... Nf6 {{2 games, {lost}}} 3. Nc3 {{3 games, 1-0 33 %, draw 33 %, 0-1 33 %, last 2001}} *"
    );
    assert_eq!(moves.trim(), expected);
    assert_eq!(tree(&["--least", "2", "--depth", "1"]).matches("games").count(), 3);
    assert!(tree(&["result 1-0", "--least", "1"]).contains("[Event \"Tree of result 1-0\"]"));
    let none = sandbox.run(&["tree", "some.plyfold", "--least", "9"]).succeeded();
    assert!(none.text().ends_with("\n\n*\n") && none.stderr.contains("--least takes fewer"), "{}", none.stderr);
    let json = sandbox.json(&[
        "tree",
        "some.plyfold",
        "--least",
        "1",
        "--position",
        "rnbqkb1r/pppp1ppp/4pn2/8/2PP4/8/PP2PPPP/RNBQKBNR w KQkq -",
    ]);
    let moves = json["positions"][0]["moves"].as_array().unwrap();
    let counts: Vec<String> =
        moves.iter().map(|one| format!("{} {}", one["san"].as_str().unwrap(), one["games"])).collect();
    assert_eq!(counts, ["Nc3 3", "Nf3 1"]);
    sandbox.run(&["tree", "some.plyfold", "--position", "nowhere"]).failed_in_a_line(2, &["--position", "not a FEN"]);
}

#[test]
fn counts_are_those_of_the_explorer() {
    let sandbox = CliSandbox::new();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../demo/demo.pgn.zst");
    sandbox.run(&["import", demo.to_str().unwrap(), "-o", "demo.plyfold"]).succeeded();
    let query = "result decisive";
    let tree = sandbox.json(&["tree", "demo.plyfold", query, "--depth", "30", "--least", "40"]);
    let positions = tree["positions"].as_array().unwrap();
    assert!(positions.len() > 20, "{}", positions.len());
    for position in positions.iter().filter(|position| !position["moves"].as_array().unwrap().is_empty()).take(12) {
        let fen = position["fen"].as_str().unwrap();
        let asked =
            sandbox.json(&["query", "demo.plyfold", &format!("{query} and fen \"{fen}\""), "--next", "--top", "99"]);
        let counts = |moves: &Value| {
            let count = |one: &Value| (one["san"].as_str().unwrap().to_owned(), one["games"].as_u64().unwrap());
            moves.as_array().unwrap().iter().map(count).filter(|(_, games)| *games >= 40).collect::<BTreeMap<_, _>>()
        };
        assert_eq!(counts(&position["moves"]), counts(&asked["next"]["rows"]), "{fen}");
    }
    // The PGN is one game whose moves are legal, with the variations.
    let pgn = sandbox.run(&["tree", "demo.plyfold", query, "--least", "40"]).succeeded().stdout;
    let mut read = 0;
    read_games(&pgn, 0, &mut |entry| match entry {
        PgnEntry::Game { fault: None, moves, .. } => read += moves.len(),
        other => panic!("{other:?}"),
    });
    assert!(read > 3, "{read}");
}

/// The keys are those of Polyglot's description of its format.
#[test]
fn books_have_the_keys_of_polyglot() {
    let sandbox = sandbox(&[
        "1. e4 d5 2. e5 f5 3. Ke2 Kf7 4. a3 1-0",
        "1. a4 b5 2. h4 b4 3. c4 bxc3 4. Ra3 0-1",
        "1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. O-O 1/2-1/2",
    ]);
    sandbox.run(&["tree", "some.plyfold", "--least", "1", "--format", "polyglot"]).failed_in_a_line(2, &["-o"]);
    sandbox.run(&["tree", "some.plyfold", "--least", "1", "--format", "polyglot", "-o", "book.bin"]).succeeded();
    let book = sandbox.get("book.bin");
    let entry = |bytes: &[u8]| {
        let number =
            |from: usize, to: usize| bytes[from..to].iter().fold(0_u64, |number, &byte| number << 8 | u64::from(byte));
        (number(0, 8), number(8, 10), number(10, 12))
    };
    let entries: Vec<(u64, u64, u64)> = book.chunks(16).map(entry).collect();
    assert!(book.len().is_multiple_of(16) && entries.is_sorted_by_key(|entry| entry.0));
    let square = |name: &[u8]| u64::from(name[0] - b'a') | u64::from(name[1] - b'1') << 3;
    for (key, uci, weight) in [
        (0x463b_9618_1691_fc9c, "e2e4", 3),
        (0x463b_9618_1691_fc9c, "a2a4", 1),
        (0x823c_9b50_fd11_4196, "d7d5", 1),
        (0x0756_b944_61c5_0fb0, "e4e5", 2),
        (0x662f_afb9_65db_29d4, "f7f5", 1),
        (0x22a4_8b5a_8e47_ff78, "e1e2", 2),
        (0x652a_607c_a3f2_42c1, "e8f7", 1),
        (0x00fd_d303_c946_bdd9, "a2a3", 2),
        (0x3c81_23ea_7b06_7637, "b4c3", 2),
    ] {
        let mv = square(&uci.as_bytes()[..2]) << 6 | square(&uci.as_bytes()[2..]);
        assert!(entries.contains(&(key, mv, weight)), "{key:016x} {uci}: {entries:x?}");
    }
    // Castling goes to the square of the rook.
    assert!(entries.iter().any(|entry| entry.1 == square(b"e1") << 6 | square(b"h1")));
    sandbox.run(&["tree", "some.plyfold", "-o", "some.plyfold", "--force"]).failed_in_a_line(2, &["also the corpus"]);
}
