//! Sets of games: `plyfold query --save-games` saves them, `plyfold sets` combines them, `plyfold query --within` searches in
//! them.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::program::{CliSandbox, SAMPLE, kings};

/// The sample with two sets: `@off` has the games 2 and 3, `@anna` the games 1 and 2.
fn with_sets() -> CliSandbox {
    let sandbox = CliSandbox::with_sample();
    sandbox.run(&["query", "sample.plyfold", "queens_off", "--save-games", "@off"]).succeeded();
    sandbox.run(&["query", "sample.plyfold", "\"Anna\"", "--save-games", "@anna"]).succeeded();
    sandbox
}

fn numbers(answer: &Value) -> Vec<u64> {
    answer["game_list"].as_array().unwrap().iter().map(|game| game["number"].as_u64().unwrap()).collect()
}

#[test]
fn a_set_is_kept_and_asked_within() {
    let sandbox = CliSandbox::with_sample();
    let told = sandbox.json(&["query", "sample.plyfold", "queens_off", "--save-games", "off.bm"]);
    assert_eq!((&told["saved_games"], &told["games"]), (&json!("off.bm"), &json!(2)));
    assert_eq!(sandbox.get("off.bm").len(), 40);
    assert_eq!(sandbox.get("off.bm")[32..], [6, 0, 0, 0, 0, 0, 0, 0]);
    let text = sandbox.run(&["query", "sample.plyfold", "queens_off", "--save-games", "@off"]).succeeded().text();
    assert!(text.contains("the games are saved in sample.sets/off.bm"), "{text}");
    assert_eq!(sandbox.get("sample.sets/off.bm"), sandbox.get("off.bm"));
    for set in ["off.bm", "@off", "(@off)", "\"off.bm\" | @off"] {
        let within = sandbox.json(&["query", "sample.plyfold", "", "--within", set, "--games"]);
        assert_eq!(within["within"], json!({ "set": set, "games": 2 }));
        assert_eq!((&within["positions"], numbers(&within)), (&json!(14), vec![2, 3]));
    }
    let arguments = ["query", "sample.plyfold", "white bishop", "--within", "@off"];
    let listed = sandbox.json(&[&arguments[..], &["--positions", "ref", "--heatmap", "--next"]].concat());
    assert_eq!((&listed["games"], &listed["positions"]), (&json!(1), &json!(10)));
    let positions = listed["position_list"].as_array().unwrap();
    assert!(positions.len() == 10 && positions.iter().all(|position| position["game"] == 2), "{positions:?}");
    assert_eq!(kings(&listed, "white"), 10);
    // The start position of game 2, but not that of game 1.
    assert_eq!(listed["next"]["positions"], 11);
    let text = sandbox.run(&arguments).succeeded().text();
    assert!(text.lines().any(|line| line == "  within     @off: 2 games"), "{text}");
    assert_eq!(sandbox.names(), ["off.bm", "sample.pgn", "sample.plyfold", "sample.sets"]);
}

#[test]
fn a_cascade_is_the_and_of_its_queries() {
    let sandbox = with_sets();
    sandbox.run(&["query", "sample.plyfold", "result 1-0", "--within", "@anna", "--save-games", "@won"]).succeeded();
    let cascade = sandbox.json(&["sets", "sample.plyfold", "@won", "--games"]);
    let at_once = sandbox.json(&["query", "sample.plyfold", "\"Anna\" and result 1-0", "--games"]);
    assert_eq!((numbers(&cascade), &cascade["games"]), (numbers(&at_once), &json!(1)));
}

#[test]
fn sets_are_combined() {
    let sandbox = with_sets();
    for (expression, games) in [
        ("@off & @anna", vec![2]),
        ("@off | @anna", vec![1, 2, 3]),
        ("@off xor @anna", vec![1, 3]),
        ("@off - @anna", vec![3]),
        ("~@off", vec![1, 4]),
        ("not (@off or @anna)", vec![4]),
        ("sample.sets/off.bm sub sample.sets/anna.bm", vec![3]),
    ] {
        let answer = sandbox.json(&["sets", "sample.plyfold", expression, "--games"]);
        assert_eq!((&answer["expression"], &answer["games_total"]), (&json!(expression), &json!(4)));
        assert_eq!((numbers(&answer), &answer["games"]), (games.clone(), &json!(games.len())), "{expression}");
        let kept = sandbox.json(&["sets", "sample.plyfold", expression, "-o", "out.bm", "--force"]);
        assert_eq!((&kept["games"], &kept["saved_games"]), (&json!(games.len()), &json!("out.bm")));
        assert!(kept.get("game_list").is_none());
        let again = sandbox.json(&["query", "sample.plyfold", "", "--within", "out.bm", "--games"]);
        assert_eq!(numbers(&again), games);
    }
    // A set may be replaced by an expression that contains it.
    sandbox.run(&["sets", "sample.plyfold", "@off - @anna", "-o", "@off"]).succeeded();
    let text = sandbox.run(&["sets", "sample.plyfold"]).succeeded().text();
    assert_eq!(text, "@anna  2 games  (50.0 %)\n@off   1 games  (25.0 %)\n");
    let listed = sandbox.json(&["sets", "sample.plyfold"]);
    assert_eq!(listed["sets"], json!([{ "name": "@anna", "games": 2 }, { "name": "@off", "games": 1 }]));
    let csv = sandbox.run(&["sets", "sample.plyfold", "--format", "csv"]).succeeded().text();
    assert_eq!(csv, "set,games,trouble\r\nanna,2,\r\noff,1,\r\n");
    let csv = sandbox.run(&["sets", "sample.plyfold", "@anna", "--games", "1", "--format", "csv"]).succeeded().text();
    assert!(csv.lines().count() == 2 && csv.lines().nth(1).unwrap().starts_with("1,Anna,Bert,"), "{csv}");
    let text = sandbox.run(&["sets", "sample.plyfold", "@anna", "--games"]).succeeded().text();
    assert!(text.starts_with("@anna\n  games  2 of 4  (50.0 %)\n\n") && text.contains("Carla"), "{text}");
}

#[test]
fn mistakes_are_pointed_at() {
    let sandbox = with_sets();
    for (expression, carets, says) in [
        ("@off & ", "       ^", "a set is missing at the end"),
        ("@off & @ana", "       ^^^^", "there is no set @ana: sample.sets has @anna, @off"),
        ("(@off", "^", "never closed"),
    ] {
        for command in
            [&["sets", "sample.plyfold", expression][..], &["query", "sample.plyfold", "", "--within", expression]]
        {
            let ran = sandbox.run(command).failed(2, &[says]);
            assert_eq!(ran.stderr.lines().nth(2), Some(carets), "{}", ran.stderr);
            assert!(ran.stdout.is_empty());
        }
    }
    sandbox.run(&["sets", "sample.plyfold", "@a/b"]).failed_in_a_line(2, &["`@a/b` is not the name of a set"]);
    sandbox.run(&["sets", "sample.plyfold", "gone.bm"]).failed_in_a_line(1, &["gone.bm: cannot be opened"]);
    sandbox
        .run(&["query", "sample.plyfold", "", "--save-games", "@.."])
        .failed_in_a_line(2, &["not the name of a set"]);
    sandbox
        .run(&["query", "sample.plyfold", "", "--save-games", "none/a.bm"])
        .failed_in_a_line(1, &["none/a.bm: cannot be written"]);
    sandbox.run(&["sets", "sample.plyfold", "@off", "--format", "csv"]).failed_in_a_line(2, &["--games"]);
    let text = CliSandbox::with_sample().run(&["sets", "sample.plyfold"]).succeeded().text();
    assert!(text.starts_with("there are no sets"), "{text}");
}

#[test]
fn sets_of_other_corpora_are_refused() {
    let sandbox = with_sets();
    sandbox.put("other.pgn", &SAMPLE[..SAMPLE.len() / 2]);
    sandbox.run(&["import", "other.pgn", "-o", "other.plyfold"]);
    sandbox.put("sets.bm", sandbox.get("sample.sets/off.bm"));
    let refused: [&[&str]; 3] = [
        &["query", "other.plyfold", "", "--within", "sets.bm"],
        &["sets", "other.plyfold", "sets.bm"],
        &["sets", "other.plyfold", "~sets.bm", "-o", "not.bm"],
    ];
    let id = |name: &str| u64::from_le_bytes(sandbox.get(name)[40..48].try_into().unwrap());
    let ids = ["sample.plyfold", "other.plyfold"].map(|name| format!("{:016x}", id(name)));
    for command in refused {
        sandbox.run(command).failed_in_a_line(1, &["sets.bm: it belongs to another corpus", &ids[0], &ids[1]]);
    }
    // A set does not fit a corpus that has grown since, because it has not seen the new games.
    sandbox.run(&["import", "sample.pgn", "-o", "sample.plyfold", "--append"]).succeeded();
    sandbox
        .run(&["query", "sample.plyfold", "", "--within", "@off"])
        .failed_in_a_line(1, &["off.bm: it covers 4 games, but the corpus has 8"]);
    let listed = sandbox.json(&["sets", "sample.plyfold"]);
    assert!(listed["sets"][0]["trouble"].as_str().unwrap().contains("it covers 4 games"), "{listed}");
    assert_eq!(
        sandbox.names(),
        ["other.pgn", "other.plyfold", "sample.pgn", "sample.plyfold", "sample.sets", "sets.bm"]
    );
}

#[test]
fn a_damaged_set_is_never_believed() {
    let sandbox = with_sets();
    let sound = sandbox.get("sample.sets/off.bm");
    let asked = ["query", "sample.plyfold", "", "--within", "set.bm"];
    for at in 0..sound.len() {
        let mut damaged = sound.clone();
        damaged[at] ^= 1 << (at % 8);
        sandbox.put("set.bm", &damaged);
        sandbox.run(&asked).failed_in_a_line(1, &["set.bm: "]);
        sandbox.put("set.bm", &sound[..at]);
        let says = if at == 0 { "is empty (0 bytes)" } else { "truncated in its" };
        sandbox.run(&asked).failed_in_a_line(1, &["set.bm: ", says]);
    }
    for (file, says) in [("sample.plyfold", "not a set of games (PMOTE-BM)"), ("sample.pgn", "not a set of games")] {
        sandbox.run(&["sets", "sample.plyfold", file]).failed_in_a_line(1, &[file, says]);
    }
    fs::create_dir(sandbox.path("folder.bm")).unwrap();
    sandbox.run(&["sets", "sample.plyfold", "folder.bm"]).failed_in_a_line(1, &["folder.bm: is not a regular file"]);
}

#[test]
fn a_set_that_cannot_be_written_leaves_the_old_one() {
    let sandbox = with_sets();
    let before = sandbox.get("sample.sets/off.bm");
    // Another process is writing the set.
    let _part = sandbox.put_partial("sample.sets/off.bm");
    for command in [
        &["sets", "sample.plyfold", "@anna", "-o", "@off"][..],
        &["query", "sample.plyfold", "", "--save-games", "@off"],
    ] {
        sandbox.run(command).failed_in_a_line(1, &["another program is writing it"]);
    }
    assert_eq!(sandbox.get("sample.sets/off.bm"), before);
}

#[test]
fn sets_are_read_by_a_script_that_knows_the_format_alone() {
    let sandbox = with_sets();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/peers/pmote.py");
    let ran = Command::new("python3").arg(script).arg(sandbox.path("sample.sets/off.bm")).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let read: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let id = u64::from_le_bytes(sandbox.get("sample.plyfold")[40..48].try_into().unwrap());
    assert_eq!((&read["kind"], &read["ids"]), (&json!("PMOTE-BM"), &json!([1, 2])));
    assert_eq!((&read["games"], &read["corpus"]), (&json!(4), &json!(id)));
}
