//! `plyfold info`: what is in a corpus.

use serde_json::json;

use crate::program::CliSandbox;

#[test]
fn games_of_several_files_are_told_apart() {
    let sandbox = CliSandbox::with_sample();
    let pgn = sandbox.get("sample.pgn");
    sandbox.put("more.pgn", &pgn);
    sandbox.run(&["import", "more.pgn", "sample.pgn", "--append", "-o", "sample.plyfold"]).succeeded();
    let info = sandbox.json(&["info", "sample.plyfold", "--verify"]);
    assert_eq!(info["sources"], json!([{ "file": "sample.pgn", "games": 8 }, { "file": "more.pgn", "games": 4 }]));
}

#[test]
fn what_is_in_it() {
    let sandbox = CliSandbox::with_sample();
    let info = sandbox.json(&["info", "sample.plyfold", "--verify"]);
    for (name, value) in [
        ("games", json!(4)),
        ("plies", json!(23)),
        ("shards", json!(1)),
        ("shards_with_signatures", json!(1)),
        ("players", json!(5)),
        ("first_date", json!("2001.02.03")),
        ("last_date", json!("2002.??.??")),
        ("games_with_date", json!(2)),
        ("games_with_both_elos", json!(1)),
        ("games_with_opening", json!(2)),
        ("games_from_own_start", json!(2)),
        ("chess960_games", json!(1)),
        ("results", json!({ "1-0": 1, "1/2-1/2": 1, "0-1": 1, "*": 1 })),
        ("verified", json!(true)),
        ("bytes", json!(sandbox.get("sample.plyfold").len())),
    ] {
        assert_eq!(info[name], value, "{name}");
    }
    assert_eq!(info["endings"]["checkmate"], 1);
    let sections = info["sections"].as_array().unwrap();
    assert_eq!((sections.len(), &sections[0]), (21, &json!({ "name": "header records", "bytes": 4 * 36 })));
    assert_eq!(sections[1], json!({ "name": "moves", "bytes": 23 * 2 }));
    assert_eq!(sections[8], json!({ "name": "final signatures", "bytes": 4 * 16 }));
    assert_eq!(sections[9], json!({ "name": "course index", "bytes": 5 * 8 }));
    assert_eq!(sections[14], json!({ "name": "header columns", "bytes": 4 * 31 }));
    assert_eq!(info["sources"], json!([{ "file": "sample.pgn", "games": 4 }]));
    assert_eq!(info["games_of_unknown_source"], 0);
    // The file header, the shard header, the directory and the padding make up the rest.
    let inside: u64 = sections.iter().map(|section| section["bytes"].as_u64().unwrap()).sum();
    let rest = info["bytes"].as_u64().unwrap() - inside - 64 - 64 - 21 * 32;
    assert!(rest < 21 * 8, "{rest}");

    let text = sandbox.run(&["info", "sample.plyfold"]).succeeded().text();
    assert!(text.contains("games                            4\n"), "{text}");
    assert!(text.contains("dates                  2001.02.03 to 2002.??.??\n"), "{text}");
    assert!(text.contains("  with signatures                1\n"), "{text}");
    assert!(text.contains("\nSource files\n  sample.pgn                       4  100.0 %\n"), "{text}");
    assert!(!text.contains("Every byte"), "{text}");
}
