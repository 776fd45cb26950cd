//! `plyfold compact`: small shards become whole ones.

use crate::library::bare;
use crate::program::{CliSandbox, SAMPLE};

/// `small.plyfold` with a shard for each of five appends.
fn sandbox() -> CliSandbox {
    let sandbox = CliSandbox::with_sample();
    for _ in 0..5 {
        sandbox.run(&["import", "sample.pgn", "-o", "small.plyfold", "--append"]).succeeded();
    }
    sandbox
}

#[test]
fn small_shards_become_whole_ones() {
    let sandbox = sandbox();
    let report = sandbox.json(&["compact", "small.plyfold", "-o", "new.plyfold"]);
    assert_eq!((&report["games"], &report["plies"]), (&20.into(), &115.into()));
    assert_eq!((&report["shards_before"], &report["shards"]), (&5.into(), &1.into()));
    assert!(report["bytes"].as_u64() < report["bytes_before"].as_u64());
    assert_eq!(sandbox.json(&["info", "new.plyfold", "--verify"])["bytes"], sandbox.get("new.plyfold").len());
    for query in ["queens_off", "\"Anna\"", "nag \"??\"", "comment \"*best*\"", ""] {
        let ask = |corpus: &str| bare(sandbox.json(&["query", corpus, query, "--games", "--positions", "both"]));
        assert_eq!(ask("new.plyfold"), ask("small.plyfold"), "{query}");
    }
    let texts = |corpus: &str| sandbox.run(&["export", corpus, "--format", "pgn"]).succeeded().stdout;
    assert_eq!(texts("new.plyfold"), texts("small.plyfold"));
    let text = sandbox.run(&["compact", "small.plyfold", "-o", "two.plyfold"]).succeeded().text();
    assert!(text.contains("shards                1  5 before"), "{text}");
}

#[test]
fn a_library_becomes_one_corpus() {
    let sandbox = sandbox();
    sandbox.run(&["import", "sample.pgn", "sample.pgn", "-o", "lib/", "--split", "3"]).succeeded();
    let report = sandbox.json(&["compact", "lib", "-o", "new.plyfold"]);
    assert_eq!((&report["games"], &report["shards"]), (&8.into(), &1.into()));
    let texts = |corpus: &str| sandbox.run(&["export", corpus, "--format", "pgn"]).succeeded().stdout;
    assert_eq!(texts("new.plyfold"), texts("lib"));
    // The text of the shards is 4 MiB, as that of an import.
    sandbox.put("many.pgn", SAMPLE.repeat(10_000));
    sandbox.run(&["import", "many.pgn", "-o", "many.plyfold"]).succeeded();
    let report = sandbox.json(&["compact", "many.plyfold", "-o", "many-new.plyfold"]);
    assert_eq!(report["shards"], report["shards_before"]);
}

#[test]
fn games_are_put_in_order_of_date() {
    let sandbox = sandbox();
    sandbox.put("dates.pgn", "[Date \"2020.01.02\"]\n\n1. e4 *\n\n[Date \"????.??.??\"]\n\n1. d4 *\n\n[Date \"2019.??.??\"]\n\n1. c4 *\n\n[Date \"2020.01.02\"]\n\n1. f4 *\n");
    sandbox.run(&["import", "dates.pgn", "-o", "dates.plyfold"]).succeeded();
    let moves = |order: &str| {
        sandbox.run(&["compact", "dates.plyfold", "-o", "new.plyfold", "--order", order, "--force"]).succeeded();
        let text = sandbox.run(&["export", "new.plyfold", "--format", "pgn"]).succeeded().text();
        text.lines().filter(|line| line.starts_with('1')).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(moves("kept"), "1. e4 * 1. d4 * 1. c4 * 1. f4 *");
    assert_eq!(moves("date"), "1. d4 * 1. c4 * 1. e4 * 1. f4 *");
}

#[test]
fn nothing_is_replaced_unasked() {
    let sandbox = sandbox();
    let before = sandbox.get("sample.plyfold");
    sandbox
        .run(&["compact", "small.plyfold", "-o", "sample.plyfold"])
        .failed_in_a_line(2, &["exists already", "--force"]);
    sandbox
        .run(&["compact", "small.plyfold", "-o", "small.plyfold", "--force"])
        .failed_in_a_line(2, &["also the corpus"]);
    sandbox.run(&["compact", "sample.pgn", "-o", "sample.pgn"]).failed_in_a_line(2, &["also the corpus"]);
    assert_eq!(sandbox.get("sample.plyfold"), before);
}
