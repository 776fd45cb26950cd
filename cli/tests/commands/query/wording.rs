//! Reads queries from anywhere, points at mistakes, and notes what may mislead.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::program::CliSandbox;

#[test]
fn queries_come_from_anywhere() {
    let sandbox = CliSandbox::with_sample();
    sandbox.put("query.txt", "  queens_off\n  and black bishop\n");
    let answer = sandbox.json(&["query", "sample.plyfold", "--query-file", "query.txt"]);
    assert_eq!((&answer["games"], &answer["query"]), (&json!(1), &json!("queens_off\n  and black bishop")));
    let mut command = sandbox.command(&["query", "sample.plyfold", "-", "--format", "json"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"queens_off").unwrap();
    let answer: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(answer["games"], 2);
    sandbox.run(&["query", "sample.plyfold", "--games"]).failed_in_a_line(2, &["there is no query"]);
    sandbox.run(&["query", "sample.plyfold", "check", "--query-file", "query.txt"]).failed_in_a_line(2, &["not both"]);
    sandbox.run(&["query", "sample.plyfold", "--query-file", "nix"]).failed_in_a_line(1, &["nix: the query cannot"]);
}

#[test]
fn queries_come_as_json_and_words_about_plies_are_noted() {
    let sandbox = CliSandbox::with_sample();
    sandbox.put(
        "query.json",
        r#"{"condition": {"what": {"squares": {"of": "queens_off"}}, "window": {"occurrence": {"for": 2}}}}"#,
    );
    let answer = sandbox.json(&["query", "sample.plyfold", "--json-query", "query.json"]);
    assert_eq!((&answer["query"], &answer["positions"]), (&json!("queens_off for 2"), &json!(7)));
    assert!(answer["notices"][0].as_str().unwrap().starts_with("`for 2` selects games"), "{answer}");
    let text = sandbox.run(&["query", "sample.plyfold", "queens_off for 2"]).succeeded().text();
    assert!(text.lines().any(|line| line.starts_with("  Note: `for 2` selects games")), "{text}");
    let text = sandbox.run(&["query", "sample.plyfold", "queens_off"]).succeeded().text();
    assert!(!text.contains("Note"), "{text}");
    for (list, noted) in [("--games", false), ("--positions=ref", true)] {
        let ran = sandbox.run(&["query", "sample.plyfold", "queens_off for 2", "--format", "csv", list]).succeeded();
        assert_eq!(ran.stderr.starts_with("plyfold: note: `for 2` selects games"), noted, "{}", ran.stderr);
    }
}

#[test]
fn mistakes_are_pointed_at() {
    let sandbox = CliSandbox::with_sample();
    let ran = sandbox.run(&["query", "sample.plyfold", "white bishop_piar"]);
    let ran = ran.failed(2, &["unknown name `bishop_piar`: did you mean `bishop_pair`?"]);
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(lines[1..3], ["white bishop_piar", "      ^^^^^^^^^^^"]);
    assert!(ran.stdout.is_empty());
    sandbox.run(&["query", "sample.plyfold", "", "--threads", "0"]).failed_usage();
    sandbox.run(&["query"]).failed_usage();
}

#[test]
fn names_that_no_game_has_are_pointed_at() {
    let sandbox = CliSandbox::with_sample();
    for (query, carets, says) in [
        (
            "check or white \"Ana\"",
            "               ^^^^^",
            "no player of this corpus has the name \"Ana\": did you mean \"Anna\"",
        ),
        ("event \"Bert\" or player \"Bert\"", "      ^^^^^^", "no event of this corpus has the name \"Bert\""),
        ("\"Zoe*\" passed_pawn on 7", "^^^^^^", "no player of this corpus has the name \"Zoe*\""),
    ] {
        for command in [&["query", "sample.plyfold", query][..], &["export", "sample.plyfold", "--query", query]] {
            let ran = sandbox.run(command).failed(2, &[says]);
            assert_eq!(ran.stderr.lines().nth(1), Some(query), "{}", ran.stderr);
            assert_eq!(ran.stderr.lines().nth(2), Some(carets), "{}", ran.stderr);
            assert!(ran.stdout.is_empty());
        }
    }
    // A program that runs one query on many corpora gets an answer and a note.
    let answer = sandbox.json(&["query", "sample.plyfold", "white \"Ana\" and event \"Bert\""]);
    assert_eq!((&answer["games"], answer["notices"].as_array().unwrap().len()), (&json!(0), 2));
    assert!(answer["notices"][0].as_str().unwrap().contains("did you mean \"Anna\""), "{answer}");
    assert_eq!(sandbox.json(&["query", "sample.plyfold", "white \"ann*\" or event \"*queens\""])["games"], 2);
}

#[test]
fn what_may_mislead_is_noted() {
    let sandbox = CliSandbox::with_sample();
    for (query, words) in [
        ("white pawn on d4 and black bishop on d6", "1 game, and 0 games with `{"),
        ("check before 20", "`before 20` counts plies"),
        ("endgame rook and pawn", "`endgame rook and pawn` is two conditions"),
        ("pawn defends e5", "write `defends piece on e5`"),
    ] {
        let answer = sandbox.json(&["query", "sample.plyfold", query]);
        let notices = answer["notices"].to_string();
        assert!(notices.contains(words), "{query}: {notices}");
        let text = sandbox.run(&["query", "sample.plyfold", query]).succeeded().text();
        assert!(text.lines().any(|line| line.starts_with("  Note: ") && line.contains(words)), "{text}");
        let csv = ["query", "sample.plyfold", query, "--format", "csv", "--heatmap"];
        let ran = sandbox.run(&csv).succeeded();
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
    let braces = sandbox.json(&["query", "sample.plyfold", "{ white pawn on d4 and black bishop on d6 }"]);
    assert_eq!(braces.get("notices"), None);
}

#[test]
fn predicates_are_listed() {
    let sandbox = CliSandbox::new();
    let list = sandbox.json(&["predicates"]);
    let names: Vec<&str> =
        list["predicates"].as_array().unwrap().iter().map(|predicate| predicate["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"queens_off") && names.contains(&"rook_on_seventh"));
    let text = sandbox.run(&["predicates"]).succeeded().text();
    let help = sandbox.run(&["help", "query"]).succeeded().text();
    let forms = list["forms"].as_array().unwrap().iter().map(|form| form["form"].as_str().unwrap());
    for name in names.into_iter().chain(forms).chain(["endgame rook", "for 4 moves"]) {
        assert!(text.contains(name) && help.contains(name), "{name}");
    }
}
