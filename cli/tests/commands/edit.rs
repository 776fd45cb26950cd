//! `plyfold edit`: what is asked for is changed in the games that are chosen, in another file.

use crate::program::{CliSandbox, SAMPLE};

fn sandbox() -> CliSandbox {
    CliSandbox::with_sample()
}

fn exported(sandbox: &CliSandbox, corpus: &str) -> Vec<u8> {
    sandbox.run(&["export", corpus]).succeeded().stdout
}

/// The bytes of the sample with parts replaced.
fn replaced(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = SAMPLE.to_vec();
    for (from, to) in parts {
        let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
        bytes.splice(at..at + from.len(), to.bytes());
    }
    bytes
}

#[test]
fn tags_are_set_renamed_and_removed_by_query() {
    let sandbox = sandbox();
    let before = sandbox.get("sample.plyfold");
    let report = sandbox.json(&[
        "edit",
        "sample.plyfold",
        "--query",
        "\"Carla\"",
        "--set",
        "Board=2",
        "--set",
        "black=Änne \"A\"",
        "--rename",
        "Site=Place",
        "--remove",
        "Date",
        "-o",
        "new.plyfold",
    ]);
    assert_eq!(
        (&report["games"], &report["selected"], &report["changed"], &report["deleted"]),
        (&4.into(), &2.into(), &2.into(), &0.into())
    );
    let expected = replaced(&[
        ("[Site \"?\"]\n[Date \"2002.??.??\"]\n", "[Place \"?\"]\n"),
        ("[Black \"Anna\"]\n[Result \"1/2-1/2\"]", "[Black \"Änne \\\"A\\\"\"]\n[Result \"1/2-1/2\"]\n[Board \"2\"]"),
        ("[Black \"Carla\"]", "[Black \"Änne \\\"A\\\"\"]"),
        ("4P3/4K3 w - - 0 1\"]", "4P3/4K3 w - - 0 1\"]\n[Board \"2\"]"),
    ]);
    assert_eq!(String::from_utf8_lossy(&exported(&sandbox, "new.plyfold")), String::from_utf8_lossy(&expected));
    let count = |query: &str| sandbox.json(&["query", "new.plyfold", query])["games"].clone();
    assert_eq!((count("black \"Änne A\""), count("year 2002"), count("queens_off")), (2.into(), 0.into(), 2.into()));
    assert_eq!(sandbox.get("sample.plyfold"), before);
    // The new corpus is an import of the changed games.
    sandbox.put("sample.pgn", expected);
    sandbox.run(&["import", "sample.pgn", "-o", "imported.plyfold"]).succeeded();
    assert!(sandbox.get("imported.plyfold") == sandbox.get("new.plyfold"));
}

#[test]
fn results_are_fixed_and_games_are_deleted() {
    let sandbox = sandbox();
    sandbox.run(&["edit", "sample.plyfold", "--games", "3", "--set", "Result=1-0", "-o", "fixed.plyfold"]).succeeded();
    assert_eq!(
        exported(&sandbox, "fixed.plyfold"),
        replaced(&[("[Result \"*\"]", "[Result \"1-0\"]"), ("2. Kd2 -- *", "2. Kd2 -- 1-0")])
    );
    assert_eq!(sandbox.json(&["query", "fixed.plyfold", "result 1-0"])["games"], 2);
    let text =
        sandbox.run(&["edit", "sample.plyfold", "--games", "2-3", "--delete", "-o", "less.plyfold"]).succeeded().text();
    assert!(text.contains("deleted               2"), "{text}");
    let less = exported(&sandbox, "less.plyfold");
    assert!(less.starts_with(b"[Event \"Caf\xe9\"]") && less.ends_with(b"1. e3 e6 0-1\n"));
    assert_eq!(sandbox.json(&["info", "less.plyfold", "--verify"])["games"], 2);
    sandbox.run(&["query", "sample.plyfold", "check", "--save-games", "@checks"]).succeeded();
    let within = ["edit", "sample.plyfold", "--within", "@checks", "--delete", "-o", "quiet.plyfold"];
    assert_eq!(sandbox.json(&within)["games"], 3);
}

#[test]
fn games_without_a_text_keep_their_headers_alone() {
    let sandbox = sandbox();
    sandbox.run(&["import", "sample.pgn", "-o", "none.plyfold", "--no-text"]).succeeded();
    sandbox.run(&["edit", "none.plyfold", "--games", "1", "--set", "White=Zoe", "-o", "new.plyfold"]).succeeded();
    assert_eq!(sandbox.json(&["query", "new.plyfold", "white \"Zoe\" and nag \"??\""])["games"], 1);
    sandbox
        .run(&["edit", "none.plyfold", "--set", "Board=1", "-o", "x.plyfold"])
        .failed_in_a_line(1, &["game 1 keeps no text"]);
}

#[test]
fn nothing_is_changed_in_place_or_by_mistake() {
    let sandbox = sandbox();
    let edit = |more: &[&str]| sandbox.run(&[&["edit", "sample.plyfold"], more].concat());
    edit(&["--set", "White=A", "-o", "sample.plyfold", "--force"]).failed_in_a_line(2, &["also the corpus"]);
    edit(&["-o", "new.plyfold"]).failed_usage();
    edit(&["--delete", "--set", "White=A", "-o", "new.plyfold"]).failed_usage();
    for (wrong, says) in [
        ("White", "write the tag"),
        ("a b=c", "no name of a tag"),
        ("Result=won", "no result"),
        ("FEN=8/8", "cannot be changed"),
    ] {
        let ran = edit(&["--set", wrong, "-o", "new.plyfold"]);
        assert!(ran.code == Some(2) && ran.stderr.contains(says), "{wrong}: {}", ran.stderr);
    }
    edit(&["--delete", "-o", "new.plyfold"]).failed_in_a_line(1, &["no game would be left"]);
    edit(&["--query", "white king on a8", "--delete", "-o", "new.plyfold"])
        .failed_in_a_line(1, &["no game is selected"]);
    assert_eq!(sandbox.names(), ["sample.pgn", "sample.plyfold"]);
    edit(&["--games", "2", "--set", "White=Carla", "-o", "same.plyfold"]).succeeded();
    assert_eq!(exported(&sandbox, "same.plyfold"), SAMPLE);
}
