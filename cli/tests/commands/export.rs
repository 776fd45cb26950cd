//! `plyfold export`: what went in comes out.

use serde_json::Value;

use crate::program::{SAMPLE, Sandbox};

#[test]
fn pgn_comes_back_byte_for_byte() {
    let sandbox = Sandbox::with_sample();
    assert_eq!(sandbox.run(&["export", "sample.plyfold"]).succeeded().stdout, SAMPLE);
    sandbox.run(&["export", "sample.plyfold", "-o", "back.pgn"]).succeeded();
    assert_eq!(sandbox.get("back.pgn"), SAMPLE);
    // And a corpus of what came back is the same corpus, if it comes from a file of the same name.
    sandbox.put("sample.pgn", sandbox.get("back.pgn"));
    sandbox.run(&["import", "sample.pgn", "-o", "back.plyfold"]).succeeded();
    assert_eq!(sandbox.get("back.plyfold"), sandbox.get("sample.plyfold"));
}

#[test]
fn many_blocks_of_text_come_back() {
    let sandbox = Sandbox::new();
    let game =
        |number: usize| format!("[White \"Player {number}\"]\r\n\r\n1. e4 {{{}}} e5 *\n", "x".repeat(number % 997));
    let games: Vec<String> = (0..3000).map(game).collect();
    sandbox.put("many.pgn", games.join("\n"));
    sandbox.run(&["import", "many.pgn", "-o", "many.plyfold"]).succeeded();
    assert_eq!(sandbox.run(&["export", "many.plyfold"]).succeeded().text(), games.join("\n"));
    let some = sandbox.run(&["export", "many.plyfold", "--games", "2999-,7"]).succeeded().text();
    assert_eq!(some, [6, 2998, 2999].map(|nth| games[nth].clone()).join("\n"));
}

#[test]
fn some_games_and_their_facts() {
    let sandbox = Sandbox::with_sample();
    let texts: Vec<&[u8]> = {
        let borders: Vec<usize> = (0..SAMPLE.len()).filter(|&at| SAMPLE[at..].starts_with(b"[Event")).collect();
        borders.iter().zip(borders[1..].iter().chain([&SAMPLE.len()])).map(|(&from, &to)| &SAMPLE[from..to]).collect()
    };
    let out = sandbox.run(&["export", "sample.plyfold", "--games", "2"]).succeeded().stdout;
    assert_eq!(out, texts[1].strip_suffix(b"\n").unwrap());
    let out = sandbox.run(&["export", "sample.plyfold", "--query", "queens_off"]).succeeded().stdout;
    assert_eq!(out, [texts[1], texts[2].strip_suffix(b"\n").unwrap()].concat());
    let out = sandbox.run(&["export", "sample.plyfold", "--query", "check", "--format", "json"]).succeeded();
    let game: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((&game["number"], &game["white"]), (&Value::from(1), &Value::from("Anna")));
    assert!(game["pgn"].as_str().unwrap().starts_with("[Event \"Caf\u{fffd}\"]"));
    sandbox.run(&["export", "sample.plyfold", "--games", "3-9"]).failed_in_a_line(1, &["there is no game 9"]);
    sandbox.run(&["export", "sample.plyfold", "--games", "x"]).failed_usage();
    sandbox.run(&["export", "sample.plyfold", "--games", "1", "--query", "check"]).failed_usage();
    let nothing = sandbox.run(&["export", "sample.plyfold", "--query", "white king on a8"]).succeeded();
    assert!(nothing.stdout.is_empty());
}

#[test]
fn positions_as_fen() {
    let sandbox = Sandbox::with_sample();
    let out = sandbox.run(&["export", "sample.plyfold", "--query", "queens_off", "--format", "fen"]).succeeded().text();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!((lines.len(), lines[6]), (7, "8/3k4/8/8/4P3/8/3K4/8 w - - 3 3"));
    let out = sandbox.run(&["export", "sample.plyfold", "--games", "1,3", "--format", "fen"]).succeeded().text();
    assert_eq!(out.lines().count(), 7 + 4);
    assert_eq!(out.lines().next(), Some("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"));
}
