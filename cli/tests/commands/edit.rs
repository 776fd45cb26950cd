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
    edit(&["-o", "new.plyfold"]).failed_in_a_line(2, &["nothing is changed: give --set"]);
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

/// The edits of the sample that the tests keep.
const KEPT: [&[&str]; 3] = [
    &["--games", "3", "--set", "Result=1-0", "--set", "Event=A\\B"],
    &["--query", "\"Carla\"", "--remove", "Date"],
    &["--games", "4", "--delete"],
];

fn keep(sandbox: &CliSandbox, edit: &[&str]) -> serde_json::Value {
    sandbox.json(&[&["edit", "sample.plyfold"], edit, &["--later"]].concat())
}

#[test]
fn edits_are_kept_undone_and_folded_in() {
    let sandbox = sandbox();
    let before = sandbox.get("sample.plyfold");
    for (nth, edit) in (1..).zip(KEPT) {
        assert_eq!(keep(&sandbox, edit)["edits"], nth);
    }
    let list = sandbox.json(&["edit", "sample.plyfold", "--list"]);
    assert_eq!(list[0]["changes"], serde_json::json!(["set Result=1-0", "set Event=A\\\\B"]));
    assert_eq!((&list[1]["games"], &list[2]["games"]), (&"2-3".into(), &"4".into()));
    assert_eq!(sandbox.get("sample.plyfold"), before);
    // A query sees the games as they were, and says so.
    let ran = sandbox.run(&["query", "sample.plyfold", "result 1-0"]);
    assert!(ran.stderr.contains("3 edits are not in the games yet, but in sample.edits"), "{}", ran.stderr);
    assert_eq!(sandbox.json(&["query", "sample.plyfold", "result 1-0"])["games"], 1);
    // Folded in, they are what each of them makes of the one before, and export writes the same games.
    let report = sandbox.json(&["compact", "sample.plyfold", "-o", "folded.plyfold"]);
    assert_eq!((&report["games"], &report["deleted"], &report["changed"]), (&3.into(), &1.into(), &2.into()));
    for (nth, edit) in KEPT.iter().enumerate() {
        let (from, to) = (format!("{nth}.plyfold"), format!("{}.plyfold", nth + 1));
        if nth == 0 {
            sandbox.put("0.plyfold", before.clone());
        }
        sandbox.run(&[&["edit", from.as_str()], *edit, &["-o", to.as_str()]].concat()).succeeded();
    }
    assert_eq!(exported(&sandbox, "3.plyfold"), exported(&sandbox, "folded.plyfold"));
    assert_eq!(exported(&sandbox, "sample.plyfold"), exported(&sandbox, "folded.plyfold"));
    sandbox.run(&["export", "sample.plyfold", "--format", "corpus", "-o", "exported.plyfold"]).succeeded();
    assert_eq!(exported(&sandbox, "exported.plyfold"), exported(&sandbox, "folded.plyfold"));
    // What is exported, imported and exported again has the same bytes.
    sandbox.put("again.pgn", exported(&sandbox, "sample.plyfold"));
    sandbox.run(&["import", "again.pgn", "-o", "again.plyfold"]).succeeded();
    assert_eq!(exported(&sandbox, "again.plyfold"), sandbox.get("again.pgn"));
    // Undone, the games are as they were.
    assert_eq!(sandbox.json(&["edit", "sample.plyfold", "--undo"])["edits"], 2);
    assert_eq!(sandbox.json(&["edit", "sample.plyfold", "--undo", "9"])["undone"], 2);
    assert_eq!(exported(&sandbox, "sample.plyfold"), SAMPLE);
    sandbox.run(&["edit", "sample.plyfold", "--undo"]).failed_in_a_line(1, &["sample.plyfold has no edits to undo"]);
    let ran = sandbox.run(&["query", "sample.plyfold", "check"]);
    assert!(!ran.stderr.contains("edits"), "{}", ran.stderr);
}

#[test]
fn deleted_games_are_restored() {
    let sandbox = sandbox();
    keep(&sandbox, &["--games", "1-3", "--delete"]);
    keep(&sandbox, &["--games", "2", "--restore"]);
    assert_eq!(sandbox.json(&["compact", "sample.plyfold", "-o", "two.plyfold"])["games"], 2);
    keep(&sandbox, &["--delete"]);
    sandbox.run(&["compact", "sample.plyfold", "-o", "none.plyfold"]).failed_in_a_line(1, &["no game would be left"]);
    assert!(exported(&sandbox, "sample.plyfold").is_empty());
}

#[test]
fn the_text_of_a_game_is_replaced() {
    let sandbox = sandbox();
    const GAME: &str = "[White \"Zoe\"]\n[Black \"\\\\ B\"]\n[Result \"0-1\"]\n\n1. d4 {well} (1. c4\tc5) d5 0-1";
    sandbox.put("game.pgn", format!("\n{GAME}\n\n"));
    sandbox.put("two.pgn", format!("{GAME}\n\n{GAME}\n"));
    sandbox.put("bad.pgn", "1. e4 Ke3 *");
    let edit = |more: &[&str]| sandbox.run(&[&["edit", "sample.plyfold"], more].concat());
    edit(&["--games", "2", "--text", "game.pgn", "-o", "new.plyfold"]).succeeded();
    edit(&["--games", "2", "--text", "game.pgn", "--later"]).succeeded();
    assert_eq!(exported(&sandbox, "sample.plyfold"), exported(&sandbox, "new.plyfold"));
    assert!(String::from_utf8_lossy(&exported(&sandbox, "new.plyfold")).contains(GAME));
    let query = "white \"Zoe\" and played 1. d4 d5 and result 0-1";
    assert_eq!(sandbox.json(&["query", "new.plyfold", query])["games"], 1);
    // The new corpus is an import of the changed games.
    sandbox.put("changed.pgn", exported(&sandbox, "new.plyfold"));
    sandbox.run(&["import", "changed.pgn", "-o", "imported.plyfold"]).succeeded();
    assert_eq!(exported(&sandbox, "imported.plyfold"), exported(&sandbox, "new.plyfold"));
    // A later edit changes the new text.
    edit(&["--games", "2", "--set", "White=Yvonne", "--later"]).succeeded();
    assert!(String::from_utf8_lossy(&exported(&sandbox, "sample.plyfold")).contains(&GAME.replace("Zoe", "Yvonne")));
    edit(&["--games", "1-2", "--text", "game.pgn", "--later"]).failed_in_a_line(1, &["2 games are selected"]);
    edit(&["--games", "1", "--text", "two.pgn", "--later"]).failed_in_a_line(1, &["two.pgn", "2 games, and not one"]);
    edit(&["--games", "1", "--text", "bad.pgn", "--later"]).failed_in_a_line(1, &["bad.pgn", "illegal move \"Ke3\""]);
    let marked = ["export", "sample.plyfold", "--query", "check", "--mark"];
    sandbox.run(&marked).failed_in_a_line(1, &["sample.edits", "edits of moves"]);
}

#[test]
fn a_list_that_is_no_list_is_told() {
    let sandbox = sandbox();
    keep(&sandbox, &["--games", "1", "--set", "White=A"]);
    let list = String::from_utf8(sandbox.get("sample.edits")).unwrap();
    let first = list.lines().next().unwrap();
    for (text, says) in [
        (String::new(), "line 1: write `plyfold edits 1"),
        (format!("{first}\n# so\n1\n"), "line 3: write the games, a tab and a change"),
        (format!("{first}\n1,x\tdelete\n"), "line 2: `x` is not the number of a game"),
        (format!("{first}\n1\tset White\n"), "line 2: write the tag and its value"),
        (format!("{first}\n1\tset FEN=8/8\n"), "line 2: the tag FEN says what the moves mean"),
        (format!("{first}\n\n1\tset White=\\x\n"), "line 3: `\\x` stands for nothing"),
        (format!("{first}\n1\ttext 1. e4 Ke3\n"), "line 2: game 1 at byte 6, ply 2: illegal move"),
        (format!("{first}\n9\tdelete\n"), "there is no game 9"),
        (list.replace("corpus ", "corpus f"), "line 1"),
    ] {
        sandbox.put("sample.edits", text.clone());
        sandbox.run(&["compact", "sample.plyfold", "-o", "x.plyfold"]).failed_in_a_line(1, &["sample.edits", says]);
        let later = sandbox.run(&["edit", "sample.plyfold", "--set", "White=A", "--later"]);
        later.failed_in_a_line(1, &["sample.edits", says]);
        assert_eq!(sandbox.get("sample.edits"), text.as_bytes(), "it is not touched");
        // Questions are answered, with a note.
        assert!(sandbox.run(&["query", "sample.plyfold", "check"]).stderr.contains("sample.edits"));
    }
    sandbox.put("sample.edits", [first.as_bytes(), b"\n1\tset White=M\xfcller\n"].concat());
    let says = format!("is not UTF-8 at byte {}, in line 2: save it as UTF-8", first.len() + 14);
    sandbox.run(&["compact", "sample.plyfold", "-o", "x.plyfold"]).failed_in_a_line(1, &["sample.edits", &says]);
    // Lines that a hand has written count.
    sandbox.put("sample.edits", format!("{first}\r\n# mine\r\n2-\tdelete\r\n\r\n"));
    assert_eq!(sandbox.json(&["compact", "sample.plyfold", "-o", "one.plyfold"])["games"], 1);
    let of_another = format!("plyfold edits 1\tcorpus {:016x}\n", 7);
    sandbox.put("sample.edits", of_another);
    sandbox.run(&["export", "sample.plyfold"]).failed_in_a_line(1, &["sample.edits", "of another corpus"]);
    let edit = |more: &[&str]| sandbox.run(&[&["edit", "sample.plyfold"], more].concat());
    edit(&["--list", "--set", "White=A"]).failed_in_a_line(2, &["--list and --undo take no games and no changes"]);
    edit(&["--later"]).failed_in_a_line(2, &["nothing is changed: give --set"]);
    edit(&["--undo", "0"]).failed_usage();
    edit(&["--set", "White=A"]).failed_usage();
    sandbox.run(&["edit", "sample.pgn", "--set", "White=A", "--later"]).failed_in_a_line(1, &["sample.pgn"]);
}
