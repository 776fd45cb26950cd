//! `plyfold info`: what is in a corpus.

use serde_json::json;

use crate::program::Sandbox;

#[test]
fn what_is_in_it() {
    let sandbox = Sandbox::with_sample();
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
        ("games_with_eco", json!(1)),
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
    assert_eq!((sections.len(), &sections[0]), (14, &json!({ "name": "header records", "bytes": 4 * 36 })));
    assert_eq!(sections[1], json!({ "name": "moves", "bytes": 23 * 2 }));
    assert_eq!(sections[8], json!({ "name": "final signatures", "bytes": 4 * 16 }));
    assert_eq!(sections[9], json!({ "name": "course index", "bytes": 5 * 8 }));
    // File header, shard header, directory and padding are what the sections leave.
    let inside: u64 = sections.iter().map(|section| section["bytes"].as_u64().unwrap()).sum();
    let rest = info["bytes"].as_u64().unwrap() - inside - 64 - 64 - 14 * 32;
    assert!(rest < 14 * 8, "{rest}");

    let text = sandbox.run(&["info", "sample.plyfold"]).succeeded().text();
    assert!(text.contains("games                            4\n"), "{text}");
    assert!(text.contains("dates                  2001.02.03 to 2002.??.??\n"), "{text}");
    assert!(text.contains("  with signatures                1\n"), "{text}");
    assert!(!text.contains("Every byte"), "{text}");
}
