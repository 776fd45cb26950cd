//! Several corpora as one library: a folder or a pattern in the place of a corpus.

use serde_json::{Value, json};

use crate::program::CliSandbox;

const GAMES: [&str; 3] = [
    "[White \"Anna\"]\n[Black \"Boris\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 {a trap} 4. Qxf7# 1-0\n\n",
    "[White \"Clara\"]\n[Black \"Anna\"]\n[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n[White \"Dora\"]\n[Black \"Emil\"]\n\n1. d4 d5 *\n\n",
    "[White \"Anna\"]\n[Black \"Dora\"]\n[Result \"1/2-1/2\"]\n\n1. e4 e5 2. Nf3 Nc6 {quiet} 1/2-1/2\n\n",
];

/// The games in three corpora of a folder, and all of them in `whole.plyfold`.
fn sandbox() -> CliSandbox {
    let sandbox = CliSandbox::new();
    std::fs::create_dir(sandbox.path("lib")).unwrap();
    for (name, pgn) in ["a", "b", "c"].into_iter().zip(GAMES) {
        sandbox.put(&format!("{name}.pgn"), pgn.as_bytes());
        sandbox.run(&["import", &format!("{name}.pgn"), "-o", &format!("lib/{name}.plyfold")]).succeeded();
    }
    sandbox.put("whole.pgn", GAMES.concat().as_bytes());
    sandbox.run(&["import", "whole.pgn", "-o", "whole.plyfold"]).succeeded();
    sandbox
}

/// A result without its times and without the names of corpora, which only a library has.
pub fn bare(mut result: Value) -> Value {
    result["elapsed_ms"].take();
    for list in ["game_list", "position_list"] {
        for row in result[list].as_array_mut().into_iter().flatten() {
            let row = row.as_object_mut().unwrap();
            row.remove("corpus");
            row.remove("corpus_number");
        }
    }
    result
}

#[test]
fn a_library_answers_as_one_corpus_of_the_same_games() {
    let sandbox = sandbox();
    for query in ["check", "\"Anna\"", "checkmate or white pawn on e4", "comment \"*trap*\"", "\"Dora\"", ""] {
        for outputs in [
            &["--games", "--positions", "both", "--heatmap", "--structures", "--next"][..],
            &["--by", "move", "--partition", "material", "--positions", "ref", "--unique"],
        ] {
            let ask = |corpus: &str| bare(sandbox.json(&[&["query", corpus, query][..], outputs].concat()));
            let whole = ask("whole.plyfold");
            assert_eq!(ask("lib"), whole, "{query}");
            assert_eq!(ask("lib/*.plyfold"), whole, "{query}");
        }
    }
}

#[test]
fn games_and_positions_name_their_file() {
    let sandbox = sandbox();
    let found = sandbox.json(&["query", "lib", "\"Anna\"", "--games", "--positions", "ref"]);
    let places: Vec<_> = found["game_list"]
        .as_array()
        .unwrap()
        .iter()
        .map(|game| [&game["number"], &game["corpus"], &game["corpus_number"]].map(Value::clone))
        .collect();
    assert_eq!(json!(places), json!([[1, "lib/a.plyfold", 1], [2, "lib/b.plyfold", 1], [4, "lib/c.plyfold", 1]]));
    let last = found["position_list"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["corpus"], &last["corpus_number"]), (&json!("lib/c.plyfold"), &json!(1)));
    let text = sandbox.run(&["query", "lib", "\"Anna\"", "--games"]).succeeded().text();
    assert!(text.contains("lib/c.plyfold 1\n"), "{text}");
    let csv = sandbox.run(&["query", "lib", "\"Anna\"", "--games", "--format", "csv"]).succeeded().text();
    assert!(csv.lines().next().unwrap().ends_with(",corpus,corpus_number"), "{csv}");
    assert!(csv.contains(",lib/b.plyfold,1"), "{csv}");
    let shown = sandbox.run(&["show", "lib", "3"]).succeeded().text();
    assert!(shown.starts_with("Game 3 of 4, lib/b.plyfold 2\nDora - Emil"), "{shown}");
    // One corpus has no such columns.
    let one = sandbox.run(&["query", "lib/a.plyfold", "\"Anna\"", "--games", "--format", "csv"]).succeeded().text();
    assert!(!one.contains("corpus"), "{one}");
    let info = sandbox.json(&["info", "lib"]);
    assert_eq!(info["games"], 4);
    assert_eq!(info["corpora"][1], json!({ "file": "lib/b.plyfold", "games": 2 }));
}

#[test]
fn games_of_a_library_are_exported() {
    let sandbox = sandbox();
    sandbox.run(&["export", "lib", "--query", "\"Anna\"", "--format", "pgn", "-o", "anna.pgn"]).succeeded();
    sandbox.run(&["export", "whole.plyfold", "--query", "\"Anna\"", "--format", "pgn", "-o", "same.pgn"]).succeeded();
    assert_eq!(sandbox.get("anna.pgn"), sandbox.get("same.pgn"));
    sandbox.run(&["query", "lib", "check", "-o", "lib/b.plyfold", "--force"]).failed(2, &["b.plyfold"]);
}

#[test]
fn sets_belong_to_the_games_of_a_library() {
    let sandbox = sandbox();
    sandbox.run(&["query", "lib", "\"Anna\"", "--save-games", "@anna"]).succeeded();
    assert_eq!(sandbox.json(&["query", "lib", "in @anna and check"])["games"], 2);
    sandbox
        .run(&["query", "lib/*.plyfold", "check", "--save-games", "@x"])
        .failed(1, &["is a pattern, which has no place for named sets"]);
    // Another file in between numbers the games anew.
    sandbox.run(&["import", "a.pgn", "b.pgn", "-o", "lib/b.plyfold", "--force"]).succeeded();
    sandbox.run(&["query", "lib", "in @anna"]).failed(1, &["another corpus"]);
}

#[test]
fn a_damaged_file_is_named_and_left_out_on_request() {
    let sandbox = sandbox();
    let mut bytes = sandbox.get("lib/b.plyfold");
    bytes[200] ^= 1;
    sandbox.put("lib/b.plyfold", &bytes);
    sandbox.run(&["query", "lib", "check"]).failed(1, &["plyfold: lib/b.plyfold: "]);
    let run = sandbox.run(&["query", "lib", "\"Anna\"", "--skip-damaged", "--format", "json"]);
    assert!(run.stderr.starts_with("plyfold: note: left out: lib/b.plyfold: "), "{}", run.stderr);
    let found: Value = serde_json::from_slice(&run.succeeded().stdout).unwrap();
    assert_eq!(found["games"], 2);
    sandbox.put("lib/other.plyfold", b"[White \"x\"]");
    sandbox.run(&["query", "lib/o*", "check"]).failed(1, &["lib/other.plyfold: is a PGN file, not a corpus"]);
    sandbox.put("lib/empty.plyfold", "");
    let run = sandbox.run(&["query", "lib", "check", "--skip-damaged"]);
    assert!(run.stderr.contains("left out: lib/empty.plyfold: is empty"), "{}", run.stderr);
    run.succeeded();
    std::fs::remove_file(sandbox.path("lib/empty.plyfold")).unwrap();
    sandbox.run(&["query", "lib/o*", "check", "--skip-damaged"]).failed(1, &["has no corpus that can be read"]);
}

#[test]
fn a_path_that_means_nothing_costs_a_sentence() {
    let sandbox = sandbox();
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    for (path, what) in [
        ("empty", "is a folder without corpora"),
        ("lib/x*.plyfold", "matches no file"),
        ("lib/[", "is no pattern"),
        ("gone.plyfold", "cannot be opened"),
    ] {
        sandbox.run(&["query", path, "check"]).failed(1, &[path, what]);
    }
    // What writes into a corpus or beside it takes one.
    sandbox.run(&["upgrade", "lib"]).failed(1, &["is a directory, not a corpus"]);
}

#[test]
fn an_address_is_asked_in_sql() {
    let sandbox = sandbox();
    for address in ["s3://bucket/games/*.plyfold", "https://example.org/games.plyfold"] {
        for command in [&["query", address, "check"][..], &["info", address], &["show", address, "1"]] {
            sandbox.run(command).failed_in_a_line(1, &[address, "`plyfold sql` asks libraries there"]);
        }
    }
}
