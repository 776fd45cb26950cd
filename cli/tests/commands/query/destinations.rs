//! Writes results to files and pipes, and saves them for other queries.

use std::fs::File;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::program::{CliRun, CliSandbox, SAMPLE};

#[test]
fn answers_go_to_files() {
    let sandbox = CliSandbox::with_sample();
    sandbox.put("answer.json", "old");
    let file = ["query", "sample.plyfold", "queens_off", "--format", "json", "--output", "answer.json", "--force"];
    assert!(sandbox.run(&file).succeeded().stdout.is_empty());
    let answer: Value = serde_json::from_slice(&sandbox.get("answer.json")).unwrap();
    assert_eq!(answer["games"], 2);
    sandbox.put("sample.pgn.bad", "");
    let before = sandbox.names();
    sandbox
        .run(&["query", "sample.plyfold", "", "--output", "nix/a"])
        .failed_in_a_line(1, &["nix/a: cannot be written"]);
    sandbox.run(&["query", "sample.plyfold", "", "--output", "."]).failed_in_a_line(2, &["-o . is a directory"]);
    assert_eq!(sandbox.names(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let sandbox = CliSandbox::with_sample();
    let ran = sandbox.run(&["query", "sample.plyfold", "", "--output", "/dev/full"]);
    ran.failed_in_a_line(1, &["/dev/full: cannot be written: No space left"]);
    let mut command = sandbox.command(&["query", "sample.plyfold", "", "--positions", "fen"]);
    let full = File::options().write(true).open("/dev/full").unwrap();
    let ran = CliRun::of(command.stdout(full).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap());
    ran.failed_in_a_line(1, &["the output cannot be written: No space left"]);
}

#[test]
fn a_reader_that_leaves_is_no_trouble() {
    let sandbox = CliSandbox::new();
    sandbox.put("many.pgn", SAMPLE.repeat(1000));
    sandbox.run(&["import", "many.pgn", "-o", "many.plyfold"]).succeeded();
    for format in ["text", "json", "csv"] {
        let mut command = sandbox.command(&["query", "many.plyfold", "", "--positions", "fen", "--format", format]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ran = CliRun::of(child.wait_with_output().unwrap());
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{format}");
    }
}

#[test]
fn answers_are_kept_as_files_of_their_kind() {
    use plyfold_core::pmote::{groups, heatmap, positions};

    let sandbox = CliSandbox::with_sample();
    let kept =
        ["--save-positions", "a.ps", "--heatmap", "--save-heatmap", "a.hm", "--by", "result", "--save-by", "a.gb"];
    let answer = sandbox.json(&[&["query", "sample.plyfold", "queens_off", "--positions", "ref"][..], &kept].concat());
    let read = |name: &str| std::fs::read(sandbox.path(name)).unwrap();
    let bytes = read("a.ps");
    let stored = positions::StoredPositions::open(&bytes).unwrap();
    assert_eq!(stored.stamp.games, 4);
    // With one shard, both number the games alike, but from 0 there and from 1 here.
    let places = stored.positions().map(|place| {
        assert_eq!(place.shard, 0);
        json!({ "game": place.game + 1, "ply": place.ply.0 })
    });
    assert_eq!(json!(places.collect::<Vec<_>>()), answer["position_list"]);
    let (of, counts) = heatmap::decode(&read("a.hm")).unwrap();
    let counts: Vec<u64> = counts.as_flattened().as_flattened().to_vec();
    let told = answer["heatmap"]["rows"].as_array().unwrap().iter().map(|row| row["positions"].as_u64().unwrap());
    assert_eq!((of, counts), (stored.stamp, told.collect()));
    let (of, all) = groups::decode(&read("a.gb")).unwrap();
    let told: Vec<_> = all.groups.iter().map(|group| json!([group.name, group.positions])).collect();
    let expected: Vec<_> = answer["by"][0]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| json!([group["result"], group["positions"]]))
        .collect();
    assert_eq!((of, &*all.key, told), (stored.stamp, "result", expected));

    for (arguments, says) in [
        (&["--by", "elo", "--by", "year", "--save-by", "b.gb"][..], "--save-by saves one key: give --by once"),
        (&["--save-heatmap", "b.hm"], "--heatmap"),
        (&["--partition", "elo", "--save-parts", "b"], "write `@b`"),
    ] {
        let ran = sandbox.run(&[&["query", "sample.plyfold", ""], arguments].concat());
        assert_eq!(ran.code, Some(2), "{arguments:?}");
        assert!(ran.stderr.contains(says), "{}", ran.stderr);
    }
    assert!(!sandbox.path("b.gb").exists() && !sandbox.path("b.hm").exists());
    let full = sandbox.run(&["query", "sample.plyfold", "", "--heatmap", "--save-heatmap", "/dev/full"]);
    assert_eq!(full.code, Some(1));
    assert!(full.stderr.contains("/dev/full: cannot be written"), "{}", full.stderr);
}

#[test]
fn parts_are_kept_as_sets() {
    let sandbox = CliSandbox::with_sample();
    let answer = sandbox.json(&["query", "sample.plyfold", "", "--partition", "endgame", "--save-parts", "@end"]);
    assert_eq!(answer["saved_parts"], json!(["@end-none-yet", "@end-P-v-K"]));
    let of = |set: &str| sandbox.json(&["sets", "sample.plyfold", set])["games"].clone();
    assert_eq!(
        (of("@end-none-yet"), of("@end-P-v-K"), of("@end-none-yet | @end-P-v-K")),
        (json!(3), json!(1), json!(4))
    );
    let within = sandbox.json(&["query", "sample.plyfold", "queens_off", "--within", "@end-P-v-K"]);
    assert_eq!((&within["games"], &within["positions"]), (&json!(1), &json!(4)));
    // The names of results differ only in signs.
    let answer = sandbox.json(&["query", "sample.plyfold", "", "--partition", "result", "--save-parts", "@came"]);
    assert_eq!(answer["saved_parts"], json!(["@came-unknown", "@came-1-0", "@came-0-1", "@came-1-2-1-2"]));
}
