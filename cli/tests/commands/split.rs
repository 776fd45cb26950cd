//! `plyfold import --split`: a library of corpora with the same number of games, and going on after a kill.

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::library::bare;
use crate::program::{CliRun, CliSandbox, ONE_BAD, SAMPLE};

/// Runs an import that reads `text` from standard input.
fn import_stream(sandbox: &CliSandbox, text: &[u8], arguments: &[&str]) -> CliRun {
    sandbox.put("stream", text);
    let mut command = sandbox.command(&[&["import", "-"], arguments].concat());
    let run = CliRun::of(command.stdin(fs::File::open(sandbox.path("stream")).unwrap()).output().unwrap());
    fs::remove_file(sandbox.path("stream")).unwrap();
    run
}

/// The names of the files of a folder.
fn names(sandbox: &CliSandbox, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(sandbox.path(folder)).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_library_has_the_games_of_one_corpus() {
    let sandbox = CliSandbox::new();
    sandbox.put("a.pgn", SAMPLE.repeat(2));
    sandbox.put("b.pgn", [ONE_BAD, SAMPLE].concat());
    sandbox.run(&["import", "a.pgn", "b.pgn", "-o", "whole.plyfold", "--strict"]);
    // 13 games: the last corpus has the rest, and if they come out even, no empty one follows.
    for (split, each) in
        [("1", vec![1; 13]), ("5", vec![5, 5, 3]), ("12", vec![12, 1]), ("13", vec![13]), ("99", vec![13])]
    {
        let folder = format!("lib{split}/");
        let run =
            sandbox.run(&["import", "a.pgn", "b.pgn", "-o", &folder, "--split", split, "--strict", "--format", "json"]);
        assert_eq!(run.code, Some(3), "{}", run.stderr);
        let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!(
            (&report["imported"], &report["refused"], &report["corpus_games"]),
            (&json!(13), &json!(1), &json!(13))
        );
        assert_eq!((&report["corpora"], &report["kept_corpora"]), (&json!(each.len()), &json!(0)));
        let expected: Vec<String> = (1..=each.len()).map(|number| format!("{number:03}.plyfold")).collect();
        assert_eq!(names(&sandbox, &folder), expected);
        for (name, games) in expected.iter().zip(&each) {
            let info = sandbox.json(&["info", &format!("{folder}{name}"), "--verify"]);
            assert_eq!(&info["games"], games, "{folder}{name}");
        }
        for query in ["queens_off", "\"Anna\"", "checkmate", "comment \"*test*\"", "white pawn on e4", ""] {
            let ask = |corpus: &str| {
                bare(sandbox.json(&["query", corpus, query, "--games", "--positions", "both", "--next", "--heatmap"]))
            };
            assert_eq!(ask(&folder), ask("whole.plyfold"), "{split} {query}");
        }
        let texts = |corpus: &str| sandbox.run(&["export", corpus, "--format", "pgn"]).succeeded().stdout;
        assert_eq!(texts(&folder), texts("whole.plyfold"));
    }
}

#[test]
fn names_come_from_the_output() {
    let sandbox = CliSandbox::new();
    sandbox.put("a.pgn", SAMPLE);
    fs::create_dir(sandbox.path("folder")).unwrap();
    for output in ["games.plyfold", "other", "folder", "new/"] {
        sandbox.run(&["import", "a.pgn", "-o", output, "--split", "3"]).succeeded();
    }
    let files = ["games-001.plyfold", "games-002.plyfold", "new", "other-001.plyfold", "other-002.plyfold"];
    assert_eq!(sandbox.names(), [&["a.pgn", "folder"], &files[..]].concat());
    for folder in ["folder", "new"] {
        assert_eq!(names(&sandbox, folder), ["001.plyfold", "002.plyfold"]);
    }
    let text = sandbox.run(&["import", "a.pgn", "-o", "x", "--split", "3"]).succeeded().text();
    assert!(text.contains("The library has 4 games, 23 plies,") && text.contains("in 2 corpora.\n"), "{text}");
}

#[test]
fn a_number_that_means_nothing_is_refused() {
    let sandbox = CliSandbox::new();
    sandbox.put("a.pgn", SAMPLE);
    for split in ["0", "-1", "x", "4294967296", ""] {
        sandbox.run(&["import", "a.pgn", "-o", "x", "--split", split]).failed_usage();
    }
    sandbox.run(&["import", "a.pgn", "-o", "x", "--split", "2", "--append"]).failed_usage();
    sandbox.put("many.pgn", b"1. e4 *\n\n".repeat(1000));
    sandbox
        .run(&["import", "many.pgn", "-o", "m/", "--split", "1"])
        .failed(2, &["at most 999 corpora", "larger number"]);
}

#[test]
fn other_corpora_are_replaced_by_force_alone() {
    let sandbox = CliSandbox::new();
    sandbox.put("a.pgn", SAMPLE);
    sandbox.run(&["import", "a.pgn", "-o", "lib/", "--split", "1"]).succeeded();
    let before = sandbox.get("lib/001.plyfold");
    let exists = "lib/001.plyfold exists already";
    sandbox.run(&["import", "a.pgn", "-o", "lib/", "--split", "2"]).failed_in_a_line(2, &[exists, "--force"]);
    assert_eq!(sandbox.get("lib/001.plyfold"), before);
    // A gap does not hide what is there.
    fs::remove_file(sandbox.path("lib/001.plyfold")).unwrap();
    sandbox.run(&["import", "a.pgn", "-o", "lib/", "--split", "2"]).failed_in_a_line(2, &["lib/002.plyfold exists"]);
    let run = sandbox.run(&["import", "a.pgn", "-o", "lib/", "--split", "2", "--force"]).succeeded();
    let notes: Vec<&str> = run.stderr.lines().collect();
    let of = |number| format!("plyfold: note: lib/00{number}.plyfold is of an earlier import: remove it");
    assert_eq!(notes, [of(3), of(4)]);
    assert_eq!(sandbox.json(&["info", "lib/002.plyfold"])["games"], 2);
    // A corpus is no PGN, but nobody may lose one that is named as an input by mistake.
    let both = ["import", "a.pgn", "lib/001.plyfold", "-o", "lib/", "--split", "2", "--force"];
    sandbox.run(&both).failed_in_a_line(2, &["lib/001.plyfold is also the input"]);
}

#[cfg(unix)]
#[test]
fn a_killed_import_goes_on() {
    let sandbox = CliSandbox::new();
    let games: Vec<u8> = (0..40_000)
        .flat_map(|number| {
            let bad = if number % 100 == 7 { "Ke5" } else { "e5" };
            format!("[White \"W{number}\"]\n[Black \"B\"]\n\n1. e4 {bad} 2. Nf3 Nc6 {{{}}} *\n\n", "word ".repeat(60))
                .into_bytes()
        })
        .collect();
    let split = ["--split", "9000", "--strict", "--threads", "1", "--format", "json"];
    import_stream(&sandbox, &games, &[&["-o", "whole/"], &split[..]].concat());
    let whole = names(&sandbox, "whole");
    assert_eq!(whole.len(), 5);

    let mut command = sandbox.command(&[&["import", "-", "-o", "lib/"], &split[..]].concat());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // Shards are made of 4 MiB; the third holds the first game of the second corpus.
    input.write_all(&games[..10_000_000]).unwrap();
    let begin = Instant::now();
    while !sandbox.path("lib/002.plyfold").exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", names(&sandbox, "lib"));
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    drop(input);
    let kept = names(&sandbox, "lib").iter().filter(|name| name.starts_with('0')).count();
    assert!(kept < 5, "{:?}", names(&sandbox, "lib"));

    // Neither another stream nor another number of games goes on with it.
    let other = String::from_utf8(games.clone()).unwrap().replace("White \"W", "White \"V").into_bytes();
    let resume = [&["-o", "lib/"], &split[..]].concat();
    import_stream(&sandbox, &other, &resume).failed_in_a_line(1, &["the input is not the one", "--force begins anew"]);
    import_stream(&sandbox, &games[..1000], &resume).failed_in_a_line(1, &["ends at byte 1000 of its text"]);
    let wrong = ["-o", "lib/", "--split", "8000"];
    import_stream(&sandbox, &games, &wrong).failed_in_a_line(1, &["lib/plyfold-import.json", "with other options"]);

    let run = import_stream(&sandbox, &games, &resume);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!((&report["imported"], &report["refused"]), (&json!(39_600), &json!(400)));
    assert_eq!((&report["kept_corpora"], &report["kept_games"]), (&json!(kept), &json!(kept * 9000)));
    assert_eq!(report["bytes"], games.len());
    assert_eq!(names(&sandbox, "lib"), whole);
    for name in whole {
        assert!(sandbox.get(&format!("lib/{name}")) == sandbox.get(&format!("whole/{name}")), "{name}");
    }
}

/// The state after a kill between the journal and the name of a corpus, or after a user's hand.
#[test]
fn a_journal_says_what_is_there() {
    let sandbox = CliSandbox::new();
    sandbox.put("a.pgn", SAMPLE.repeat(2));
    sandbox.put("gone.pgn", "");
    let import = ["import", "a.pgn", "gone.pgn", "-o", "lib/", "--split", "3", "--format", "json"];
    // The second file ends the import, so that corpora and a journal are there.
    sandbox.run(&import).failed_in_a_line(1, &["gone.pgn: is empty"]);
    assert_eq!(names(&sandbox, "lib"), ["001.plyfold", "002.plyfold", "plyfold-import.json"]);
    let journal = sandbox.get("lib/plyfold-import.json");
    let (one, two) = (sandbox.get("lib/001.plyfold"), sandbox.get("lib/002.plyfold"));

    fs::remove_file(sandbox.path("lib/001.plyfold")).unwrap();
    sandbox.run(&import).failed_in_a_line(1, &["lists lib/001.plyfold, which is not there", "--force"]);
    sandbox.put("lib/001.plyfold", &one);
    sandbox.put("lib/plyfold-import.json", "{}");
    sandbox.run(&import).failed_in_a_line(1, &["lib/plyfold-import.json: is no journal"]);
    sandbox.put("lib/plyfold-import.json", &journal);

    fs::remove_file(sandbox.path("lib/002.plyfold")).unwrap();
    sandbox.put("gone.pgn", "1. e4 *");
    let report = sandbox.json(&import[..7]);
    assert_eq!((&report["kept_corpora"], &report["kept_games"], &report["corpora"]), (&json!(1), &json!(3), &json!(3)));
    assert_eq!(report["files"][0]["imported"], 8);
    assert_eq!(names(&sandbox, "lib"), ["001.plyfold", "002.plyfold", "003.plyfold"]);
    assert!(sandbox.get("lib/001.plyfold") == one && sandbox.get("lib/002.plyfold") == two);
    assert_eq!(sandbox.json(&["info", "lib"])["games"], 9);
}

/// An import whose end nobody was told of can be told again.
#[test]
#[cfg(target_os = "linux")]
fn an_import_ends_when_it_has_been_told() {
    let sandbox = CliSandbox::with_sample();
    let import = ["import", "sample.pgn", "-o", "lib/", "--split", "3"];
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ended = sandbox.command(&import).stdout(full).status().unwrap();
    assert!(!ended.success());
    let before = names(&sandbox, "lib");
    assert_eq!(before.last().unwrap(), "plyfold-import.json");
    let corpora = before.len() - 1;
    let report = sandbox.json(&import);
    assert_eq!((&report["corpora"], &report["kept_corpora"]), (&json!(corpora), &json!(corpora)));
    assert_eq!(names(&sandbox, "lib"), before[..corpora]);
}
