//! `plyfold import`: what it accepts, what it refuses, and that it never leaves a partial result.

use std::fs::{self, File};
use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use crate::program::{CliRun, CliSandbox, ONE_BAD, SAMPLE};

#[test]
fn a_file_becomes_a_corpus() {
    let sandbox = CliSandbox::new();
    sandbox.put("sample.pgn", SAMPLE);
    let report = sandbox.json(&["import", "sample.pgn", "-o", "out.plyfold"]);
    assert_eq!(report["games_read"], 4);
    assert_eq!(report["imported"], 4);
    assert_eq!(report["refused"], 0);
    assert_eq!(report["plies"], 23);
    assert_eq!(report["bytes"], SAMPLE.len());
    assert_eq!(report["corpus_games"], 4);
    assert_eq!(report["corpus_bytes"], sandbox.get("out.plyfold").len());
    assert_eq!(report["files"][0]["file"], "sample.pgn");
    assert_eq!(sandbox.names(), ["out.plyfold", "sample.pgn"]);
    let text = sandbox.run(&["import", "sample.pgn", "-o", "two.plyfold"]).succeeded().text();
    assert!(text.contains("The corpus has 4 games, 23 plies"), "{text}");
}

#[test]
fn threads_change_nothing() {
    let sandbox = CliSandbox::new();
    sandbox.put("many.pgn", SAMPLE.repeat(3000));
    for threads in ["1", "2", "5"] {
        let name = format!("{threads}.plyfold");
        sandbox.run(&["import", "many.pgn", "-o", &name, "--threads", threads]).succeeded();
        assert_eq!(sandbox.get(&name), sandbox.get("1.plyfold"));
    }
}

#[test]
fn refused_games_are_told_and_the_rest_goes_on() {
    let sandbox = CliSandbox::new();
    sandbox.put("bad.pgn", ONE_BAD);
    let ran = sandbox.run(&["import", "bad.pgn", "-o", "out.plyfold", "--strict", "--ledger", "refused.jsonl"]);
    assert_eq!(ran.code, Some(3));
    let place = ONE_BAD.windows(3).position(|bytes| bytes == b"Ke3").unwrap();
    let expected = format!("bad.pgn: game 1 at byte {place}, ply 3: illegal move \"Ke3\"");
    assert_eq!(ran.stderr.lines().collect::<Vec<_>>(), [&*expected, "plyfold: 1 of 2 games were refused"]);
    let refused: Value = serde_json::from_slice(&sandbox.get("refused.jsonl")).unwrap();
    assert_eq!(refused["file"], "bad.pgn");
    assert_eq!(refused["byte"], place);
    assert_eq!((&refused["game"], &refused["ply"]), (&Value::from(1), &Value::from(3)));
    assert_eq!((&refused["white"], &refused["kind"]), (&"Anna".into(), &"refused".into()));
    assert_eq!(sandbox.json(&["query", "out.plyfold", ""])["games_total"], 1);
}

#[test]
fn the_legal_part_of_a_game_is_kept_and_told() {
    let sandbox = CliSandbox::new();
    sandbox.put("bad.pgn", ONE_BAD);
    let ran = sandbox.run(&["import", "bad.pgn", "-o", "out.plyfold", "--ledger", "ledger.jsonl"]).succeeded();
    let place = ONE_BAD.windows(3).position(|bytes| bytes == b"Ke3").unwrap();
    let expected = format!("bad.pgn: game 1 at byte {place}, ply 3: illegal move \"Ke3\"; the moves before are kept\n");
    assert_eq!(ran.stderr, expected);
    let told: Value = serde_json::from_slice(&sandbox.get("ledger.jsonl")).unwrap();
    assert_eq!((&told["kind"], &told["byte"], &told["ply"]), (&"in_part".into(), &place.into(), &3.into()));
    let found = |query: &str| sandbox.json(&["query", "out.plyfold", query])["games"].clone();
    assert_eq!((found(""), found("incomplete"), found("incomplete and plies 2")), (2.into(), 1.into(), 1.into()));
    // Exported and imported again it is the same game.
    sandbox.run(&["export", "out.plyfold", "-o", "again.pgn"]).succeeded();
    sandbox.run(&["import", "again.pgn", "-o", "again.plyfold"]).succeeded();
    assert_eq!(sandbox.json(&["query", "again.plyfold", "incomplete"])["games"], 1);
    assert_eq!(sandbox.json(&["info", "again.plyfold"])["incomplete_games"], 1);
}

#[test]
fn games_that_are_there_already_are_told_or_left_out() {
    let sandbox = CliSandbox::with_sample();
    let append = |more: &[&str]| {
        let arguments = ["import", "sample.pgn", "-o", "sample.plyfold", "--append"];
        sandbox.json(&[&arguments[..], more].concat())
    };
    let before = sandbox.get("sample.plyfold");
    let told = append(&["--skip-known"]);
    let counts =
        |told: &Value| ["games_read", "imported", "known", "left_out", "corpus_games"].map(|name| told[name].as_u64());
    assert_eq!(counts(&told), [Some(4), Some(0), Some(4), Some(4), Some(4)]);
    assert_eq!(sandbox.get("sample.plyfold"), before);
    sandbox.put("sample.pgn", [SAMPLE, ONE_BAD].concat());
    assert_eq!(counts(&append(&["--skip-known"])), [Some(6), Some(2), Some(4), Some(4), Some(6)]);
    assert_eq!(counts(&append(&[])), [Some(6), Some(6), Some(6), Some(0), Some(12)]);
    let text = sandbox.run(&["import", "sample.pgn", "-o", "sample.plyfold", "--append"]).succeeded().text();
    assert!(text.contains("The corpus had 6 of these games already; --skip-known leaves such games out."), "{text}");
    assert_eq!(sandbox.run(&["import", "sample.pgn", "-o", "new.plyfold", "--skip-known"]).code, Some(2));
}

#[test]
fn tags_apart_from_moves_are_an_alarm() {
    let sandbox = CliSandbox::new();
    sandbox.put("apart.pgn", "[White \"A\"]\n[Black \"B\"]\n\n*\n\n1. e4 e5 *\n\n".repeat(3));
    let text = sandbox.run(&["import", "apart.pgn", "-o", "a.plyfold"]).succeeded().text();
    assert!(text.contains("3 have no moves and 3 have no names: were tags and moves separated?"), "{text}");
    assert_eq!(sandbox.json(&["import", "apart.pgn", "-o", "b.plyfold"])["alarm"], serde_json::json!([3, 3]));
}

#[test]
fn what_is_not_understood_is_told() {
    let sandbox = CliSandbox::new();
    let text = "[Event \"a\"]\n[Team x]\n[Date \"3/10/2018\"]\n[TimeControl \"soon\"]\n\n1. e4 {[%clk 1:02]} e5 {[%eval x]} 1-0 Nf3\n\n";
    sandbox.put("odd.pgn", text.repeat(2));
    let arguments = ["import", "odd.pgn", "-o", "out.plyfold", "--ledger", "ledger.jsonl"];
    let report: Value = sandbox.json(&arguments);
    let notes: Vec<(&str, u64, u64)> = report["notes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|note| (note["kind"].as_str().unwrap(), note["games"].as_u64().unwrap(), note["game"].as_u64().unwrap()))
        .collect();
    let kinds = ["tag", "after_result", "date", "time_control", "clock", "command"];
    assert_eq!(notes, kinds.map(|kind| (kind, 2, 1)));
    // The corpus tells the same of the texts that it keeps.
    let again = sandbox.json(&["info", "out.plyfold", "--account"])["account"]["notes"].clone();
    let kinds_again: Vec<&str> = again.as_array().unwrap().iter().map(|note| note["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds_again, kinds);
    let shown = sandbox.run(&["info", "out.plyfold", "--account"]).succeeded().text();
    assert!(shown.contains("Of 2 games: the time control cannot be read"), "{shown}");
    let ledger = String::from_utf8(sandbox.get("ledger.jsonl")).unwrap();
    let line = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    let told: Vec<Value> = ledger.lines().map(line).collect();
    assert_eq!(told.len(), 12);
    assert!(text[told[0]["byte"].as_u64().unwrap() as usize..].starts_with("[Team x]"));
    assert!(text[told[1]["byte"].as_u64().unwrap() as usize..].starts_with("Nf3"));
    assert_eq!((&told[6]["kind"], &told[6]["game"]), (&"tag".into(), &2.into()));
}

#[test]
fn only_the_first_refusals_are_named() {
    let sandbox = CliSandbox::new();
    sandbox.put("bad.pgn", ONE_BAD.repeat(30));
    let ran = sandbox.run(&["import", "bad.pgn", "-o", "out.plyfold", "--strict", "--ledger", "refused.jsonl"]);
    assert_eq!(ran.code, Some(3));
    assert_eq!(ran.stderr.lines().count(), 12, "{}", ran.stderr);
    assert!(ran.stderr.contains("and 20 more (--ledger FILE lists them)"), "{}", ran.stderr);
    let lines = String::from_utf8(sandbox.get("refused.jsonl")).unwrap();
    let games: Vec<u64> =
        lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["game"].as_u64().unwrap()).collect();
    assert_eq!(games, (0..30).map(|nth| nth * 2 + 1).collect::<Vec<_>>());
}

#[test]
fn standard_input_is_read() {
    let sandbox = CliSandbox::new();
    let mut command = sandbox.command(&["import", "-", "-o", "out.plyfold"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(SAMPLE).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(sandbox.json(&["query", "out.plyfold", ""])["games_total"], 4);
    sandbox.run(&["import", "-", "-", "-o", "o"]).failed_in_a_line(2, &["only once"]);
}

#[test]
fn append_adds_and_keeps() {
    let sandbox = CliSandbox::with_sample();
    let before = sandbox.get("sample.plyfold");
    let id = sandbox.json(&["info", "sample.plyfold"])["id"].clone();
    // The remains of an interrupted append do not count, and the next append removes them.
    let mut file = File::options().append(true).open(sandbox.path("sample.plyfold")).unwrap();
    file.write_all(&[7; 1234]).unwrap();
    drop(file);
    let info = sandbox.json(&["info", "sample.plyfold", "--verify"]);
    assert_eq!((&info["games"], &info["unused_bytes"]), (&Value::from(4), &Value::from(1234)));

    sandbox.put("more.pgn", "1. e4 e5 *");
    let report = sandbox.json(&["import", "--append", "more.pgn", "sample.pgn", "-o", "sample.plyfold"]);
    assert_eq!((&report["imported"], &report["corpus_games"]), (&Value::from(5), &Value::from(9)));
    let info = sandbox.json(&["info", "sample.plyfold", "--verify"]);
    assert_eq!((&info["games"], &info["plies"]), (&Value::from(9), &Value::from(23 + 2 + 23)));
    assert_eq!((&info["unused_bytes"], &info["shards"], &info["id"]), (&Value::from(0), &Value::from(3), &id));
    assert_eq!(sandbox.get("sample.plyfold")[64..before.len()], before[64..]);
    assert_eq!(sandbox.json(&["query", "sample.plyfold", "queens_off"])["positions"], 14);
    assert_eq!(sandbox.json(&["show", "sample.plyfold", "9"])["white"], "Dora");
    // Without an existing corpus, the first append creates it.
    sandbox.run(&["import", "--append", "more.pgn", "-o", "new.plyfold"]).succeeded();
    assert_eq!(sandbox.json(&["info", "new.plyfold"])["games"], 1);
}

#[test]
fn nothing_is_replaced_unasked() {
    let sandbox = CliSandbox::with_sample();
    let before = sandbox.get("sample.plyfold");
    sandbox.put("one.pgn", "1. e4 *");
    sandbox.run(&["import", "one.pgn", "-o", "sample.plyfold"]).failed_in_a_line(2, &["exists already", "--force"]);
    assert_eq!(sandbox.get("sample.plyfold"), before);
    sandbox
        .run(&["import", "one.pgn", "-o", "one.pgn", "--force"])
        .failed_in_a_line(2, &["-o one.pgn is also the input one.pgn"]);
    assert_eq!(sandbox.get("one.pgn"), b"1. e4 *");
    sandbox.run(&["import", "one.pgn", "-o", "sample.plyfold", "--force"]).succeeded();
    assert_eq!(sandbox.json(&["info", "sample.plyfold"])["games"], 1);
}

#[test]
fn what_is_no_pgn_is_said_and_leaves_nothing() {
    let sandbox = CliSandbox::with_sample();
    let before = sandbox.get("sample.plyfold");
    sandbox.put("empty", "");
    sandbox.put("blank", "\n \n");
    sandbox.put("noise", [0x80, 0x03, 0xff, 0x00].repeat(5000));
    sandbox.put("illegal", "1. e5 *");
    sandbox.put("cut.gz", [0x1f, 0x8b, 8, 0, 0]);
    fs::create_dir(sandbox.path("folder")).unwrap();
    sandbox.put("good", "1. e4 *");
    let names = sandbox.names();
    for (file, says) in [
        ("empty", "empty: is empty"),
        ("blank", "blank: has no games"),
        ("noise", "noise"),
        ("illegal", "illegal: game 1 at byte 3, ply 1: illegal move \"e5\""),
        ("cut.gz", "cut.gz: is truncated"),
        ("folder", "folder: is a folder"),
        ("missing", "missing: cannot be read"),
        ("sample.plyfold", "sample.plyfold: "),
    ] {
        sandbox.run(&["import", file, "-o", "out.plyfold"]).failed_in_a_line(1, &[says]);
        if file != "sample.plyfold" {
            sandbox.run(&["import", file, "-o", "sample.plyfold", "--append"]).failed_in_a_line(1, &[says]);
        }
        // One bad file fails the whole import, even after a good one. Noise beside games only adds refused games.
        if !matches!(file, "noise" | "illegal" | "sample.plyfold") {
            sandbox.run(&["import", "good", file, "-o", "out.plyfold"]).failed_in_a_line(1, &[says]);
        }
        assert_eq!(sandbox.names(), names, "{file}");
        assert_eq!(sandbox.get("sample.plyfold"), before, "{file}");
    }
}

#[test]
fn places_that_cannot_be_written() {
    let sandbox = CliSandbox::new();
    sandbox.put("good", "1. e4 *");
    fs::create_dir(sandbox.path("folder")).unwrap();
    for (place, code, says) in [
        ("folder", 2, "-o folder is a directory"),
        ("missing/out.plyfold", 1, "missing/out.plyfold: cannot be written"),
        ("good/out.plyfold", 1, "good/out.plyfold: cannot be written"),
        ("..", 2, "-o .. is a directory"),
    ] {
        sandbox.run(&["import", "good", "-o", place]).failed_in_a_line(code, &[says]);
        assert_eq!(sandbox.names(), ["folder", "good"]);
    }
    sandbox.put("other", "no corpus");
    sandbox.run(&["import", "good", "-o", "other", "--append"]).failed_in_a_line(1, &["other: not a plyfold corpus"]);
    sandbox.put("games.pgn", SAMPLE);
    let ran = sandbox.run(&["import", "good", "-o", "games.pgn", "--append"]);
    ran.failed_in_a_line(1, &["games.pgn: is a PGN file, not a corpus"]);
    assert_eq!(sandbox.get("games.pgn"), SAMPLE);
}

#[test]
fn two_writers_do_not_mix() {
    let sandbox = CliSandbox::with_sample();
    sandbox.put("good", "1. e4 *");
    let before = sandbox.get("sample.plyfold");
    let file = File::options().read(true).write(true).open(sandbox.path("sample.plyfold")).unwrap();
    file.lock().unwrap();
    sandbox.run(&["import", "good", "-o", "sample.plyfold", "--append"]).failed_in_a_line(1, &["another program"]);
    assert_eq!(sandbox.get("sample.plyfold"), before);
    drop(file);
    sandbox.run(&["import", "good", "-o", "sample.plyfold", "--append"]).succeeded();

    let part = sandbox.put_partial("new.plyfold");
    sandbox.run(&["import", "good", "-o", "new.plyfold"]).failed_in_a_line(1, &["another program"]);
    // The partial file of a killed program holds no lock and blocks nobody.
    drop(part);
    fs::write(sandbox.partial("new.plyfold").unwrap(), [9; 100_000]).unwrap();
    sandbox.run(&["import", "good", "-o", "new.plyfold"]).succeeded();
    assert_eq!(sandbox.json(&["info", "new.plyfold", "--verify"])["unused_bytes"], 0);
    assert_eq!(sandbox.names(), ["good", "new.plyfold", "sample.pgn", "sample.plyfold"]);
}

/// A limit on file sizes stands in for a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_everything_as_it_was() {
    let sandbox = CliSandbox::with_sample();
    sandbox.put("many.pgn", SAMPLE.repeat(2000));
    let before = sandbox.get("sample.plyfold");
    let names = sandbox.names();
    let limited = |arguments: &[&str]| {
        let mut shell = std::process::Command::new("sh");
        shell.current_dir(sandbox.path(""));
        shell.args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_plyfold")]);
        CliRun::of(shell.args(arguments).output().unwrap())
    };
    let full = &["cannot be written: File too large"];
    limited(&["import", "many.pgn", "-o", "new.plyfold"]).failed_in_a_line(1, full);
    limited(&["import", "many.pgn", "-o", "sample.plyfold", "--append"]).failed_in_a_line(1, full);
    assert_eq!(sandbox.names(), names);
    assert_eq!(sandbox.get("sample.plyfold"), before);
    limited(&["import", "sample.pgn", "-o", "new.plyfold"]).succeeded();
}
