//! Collections: named sets that remember their query, and what happens to them when the corpus grows, changes or disappears.

use std::fs;

use serde_json::{Value, json};

use crate::program::{CliSandbox, SAMPLE};

/// Another game that Anna wins as White, and a game without her.
const MORE: &[u8] =
    b"[White \"Anna\"]\n[Black \"Emil\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n[White \"Dora\"]\n\n1. d4 *\n";

fn with_collections() -> CliSandbox {
    let sandbox = CliSandbox::with_sample();
    sandbox.put("more.pgn", MORE);
    sandbox.run(&["collections", "add", "sample.plyfold", "@anna", "\"Anna\""]).succeeded();
    let added = sandbox.json(&["collections", "add", "sample.plyfold", "@won", "in @anna and result 1-0"]);
    assert_eq!(added["collections"], json!([{ "name": "@won", "games": 1, "scanned": 4, "new": 1 }]));
    sandbox
}

fn numbers(answer: &Value) -> Vec<u64> {
    answer["game_list"].as_array().unwrap().iter().map(|game| game["number"].as_u64().unwrap()).collect()
}

#[test]
fn they_grow_with_the_corpus() {
    let sandbox = with_collections();
    let report = sandbox.json(&["import", "more.pgn", "-o", "sample.plyfold", "--append"]);
    let grown = json!([
        { "name": "@anna", "games": 3, "scanned": 2, "new": 1 },
        { "name": "@won", "games": 2, "scanned": 2, "new": 1 },
    ]);
    assert_eq!(report["collections"], grown);
    let found = sandbox.json(&["query", "sample.plyfold", "in @won", "--games"]);
    assert_eq!((numbers(&found), &found["positions"]), (vec![1, 5], &json!(8)));
    let again = sandbox.json(&["collections", "update", "sample.plyfold"]);
    assert!(again["collections"].as_array().unwrap().iter().all(|one| one["scanned"] == 0), "{again}");
    let text = sandbox.run(&["import", "more.pgn", "-o", "sample.plyfold", "--append"]).succeeded().text();
    assert!(text.ends_with("The collection @won has 3 games, 1 of them new.\n"), "{text}");
}

#[test]
fn a_query_in_former_words_stays_current() {
    let sandbox = CliSandbox::with_sample();
    sandbox.put("more.pgn", MORE);
    let games = |query: &str| numbers(&sandbox.json(&["query", "sample.plyfold", query, "--games"]));
    sandbox.run(&["collections", "add", "sample.plyfold", "@e4", "white man on e4"]).succeeded();
    let before = games("white piece on e4");
    assert_eq!(games("in @e4"), before);
    sandbox.run(&["import", "more.pgn", "-o", "sample.plyfold", "--append"]).succeeded();
    let after = games("white piece on e4");
    assert!(after.len() > before.len(), "{after:?}");
    assert_eq!(games("in @e4"), after);
}

#[test]
fn who_asks_gets_them_current() {
    let sandbox = with_collections();
    // As if a program without collections had appended the games.
    fs::rename(sandbox.path("sample.sets"), sandbox.path("away")).unwrap();
    sandbox.run(&["import", "more.pgn", "-o", "sample.plyfold", "--append"]).succeeded();
    fs::rename(sandbox.path("away"), sandbox.path("sample.sets")).unwrap();
    let listed = sandbox.json(&["collections", "list", "sample.plyfold"]);
    let expected = json!([
        { "name": "@anna", "query": "\"Anna\"", "games": 2, "behind": 2 },
        { "name": "@won", "query": "in @anna and result 1-0", "games": 1, "behind": 2 },
    ]);
    assert_eq!(listed["collections"], expected);
    let within = sandbox.json(&["query", "sample.plyfold", "", "--within", "@won", "--games"]);
    assert_eq!(numbers(&within), [1, 5]);
    let sets = sandbox.json(&["sets", "sample.plyfold", "@anna - @won", "--games"]);
    assert_eq!(numbers(&sets), [2]);
    let text = sandbox.run(&["collections", "list", "sample.plyfold"]).succeeded().text();
    assert_eq!(text, "@anna  3 games\n  \"Anna\"\n@won  2 games\n  in @anna and result 1-0\n");
}

#[test]
fn another_set_of_the_name_ends_them() {
    let sandbox = with_collections();
    sandbox.run(&["query", "sample.plyfold", "queens_off", "--save-games", "@won"]).succeeded();
    assert_eq!(sandbox.json(&["collections", "list", "sample.plyfold"])["collections"].as_array().unwrap().len(), 1);
    sandbox.run(&["import", "more.pgn", "-o", "sample.plyfold", "--append"]).succeeded();
    // A set that is not a collection keeps to the games that the corpus had when the set was saved.
    let ran = sandbox.run(&["query", "sample.plyfold", "in @won"]);
    ran.failed_in_a_line(1, &["won.bm", "4 games", "6"]);
    sandbox
        .run(&["collections", "remove", "sample.plyfold", "@won"])
        .failed_in_a_line(2, &["is a set, not a collection"]);
    sandbox.run(&["collections", "remove", "sample.plyfold", "@anna"]).succeeded();
    assert!(!sandbox.path("sample.sets/anna.bm").exists() && !sandbox.path("sample.sets/anna.json").exists());
    sandbox.run(&["collections", "remove", "sample.plyfold", "@anna"]).failed_in_a_line(2, &["no collection @anna"]);
}

#[test]
fn a_corpus_that_has_gone_or_is_another_is_told() {
    let sandbox = with_collections();
    fs::rename(sandbox.path("sample.plyfold"), sandbox.path("kept.plyfold")).unwrap();
    for arguments in [
        &["collections", "list", "sample.plyfold"][..],
        &["collections", "update", "sample.plyfold"],
        &["collections", "add", "sample.plyfold", "@new", "check"],
    ] {
        sandbox.run(arguments).failed_in_a_line(1, &["sample.plyfold: is missing", "2 collections", "sample.sets"]);
    }
    let before = sandbox.get("sample.sets/anna.bm");
    let half = &SAMPLE[..SAMPLE.windows(9).position(|text| text == b"[Event \"E").unwrap()];
    sandbox.put("half.pgn", half);
    sandbox.run(&["import", "half.pgn", "-o", "sample.plyfold"]).succeeded();
    for arguments in [
        &["collections", "update", "sample.plyfold"][..],
        &["query", "sample.plyfold", "in @anna"],
        &["sets", "sample.plyfold", "@anna"],
    ] {
        sandbox.run(arguments).failed_in_a_line(1, &["anna.bm", "another corpus"]);
    }
    let listed = sandbox.json(&["collections", "list", "sample.plyfold"]);
    assert!(listed["collections"][0]["trouble"].as_str().unwrap().contains("another corpus"), "{listed}");
    assert_eq!(sandbox.get("sample.sets/anna.bm"), before);
    let whole = sandbox.json(&["collections", "update", "sample.plyfold", "--whole", "@anna"]);
    assert_eq!(whole["collections"], json!([{ "name": "@anna", "games": 2, "scanned": 2, "new": 2 }]));
}

/// Looking for a circle used to read each definition once for each way to it: 2³⁰ ways here.
#[test]
fn collections_that_use_two_others_each_are_read_once() {
    let sandbox = with_collections();
    let set = sandbox.get("sample.sets/anna.bm");
    for level in 0..30 {
        for name in ["x", "y"] {
            let query = match level {
                0 => "check".to_owned(),
                _ => format!("in @x{0} or in @y{0}", level - 1),
            };
            sandbox.put(&format!("sample.sets/{name}{level}.json"), json!({ "query": query }).to_string());
            sandbox.put(&format!("sample.sets/{name}{level}.bm"), &set);
        }
    }
    sandbox.run(&["collections", "add", "sample.plyfold", "@top", "in @x29"]).succeeded();
    sandbox.run(&["collections", "add", "sample.plyfold", "@x0", "in @top"]).failed(2, &["uses @x0 itself"]);
}

#[test]
fn damage_and_circles_are_told() {
    let sandbox = with_collections();
    for (arguments, says) in [
        (["@anna", "in @won"], "the query of @anna uses @anna itself"),
        (["@self", "in @self"], "the query of @self uses @self itself"),
        (["anna", "check"], "write `@anna`"),
        (["@../up", "check"], "is not the name of a set"),
        (["@new", "chekc"], "chekc"),
        (["@new", "in @nobody"], "there is no set @nobody"),
    ] {
        let ran = sandbox.run(&[&["collections", "add", "sample.plyfold"], &arguments[..]].concat());
        assert_eq!(ran.code, Some(2), "{arguments:?}");
        assert!(ran.stderr.contains(says), "{}", ran.stderr);
    }
    let ran = sandbox.run(&["collections", "add", "sample.plyfold", "@new", "check", "--within", "a.bm"]);
    ran.failed_in_a_line(2, &["`a.bm` is a file"]);
    assert!(!sandbox.path("sample.sets/new.bm").exists());
    sandbox.put("more.pgn", MORE);
    // Written by hand, because no command makes a circular reference.
    let anna = sandbox.get("sample.sets/anna.json");
    sandbox.put("sample.sets/anna.json", b"{ \"query\": \"in @won\" }");
    let ran = sandbox.run(&["import", "more.pgn", "-o", "sample.plyfold", "--append"]).succeeded();
    assert!(ran.stderr.contains("uses @anna to define @anna"), "{}", ran.stderr);
    for broken in [&b""[..], b"{", b"{}", b"{\"query\": 1}", b"{\"query\": \"check\", \"x\": 1}", b"\xff"] {
        sandbox.put("sample.sets/anna.json", broken);
        let ran = sandbox.run(&["query", "sample.plyfold", "in @anna"]);
        ran.failed_in_a_line(1, &["anna.json"]);
    }
    sandbox.put("sample.sets/anna.json", &anna);
    assert_eq!(sandbox.json(&["query", "sample.plyfold", "in @anna"])["games"], 3);
    let bytes = sandbox.get("sample.sets/anna.bm");
    for cut in [0, 16, 39] {
        sandbox.put("sample.sets/anna.bm", &bytes[..cut]);
        sandbox.run(&["collections", "update", "sample.plyfold", "@anna"]).failed_in_a_line(1, &["anna.bm"]);
    }
}
