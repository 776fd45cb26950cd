//! Syzygy tables in `egtgen probe` and `egtgen serve`: alone, beside egtgen's own, and damaged.
//!
//! Small files that the tests write have one value for all positions. Real ones are in a folder beside the project; without them, these tests
//! run on the small ones alone.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::program::EgtgenSandbox;
use super::serve::Served;
use crate::common::single_value::{Outcome, single_value_files};

const ROOK: &str = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";

/// The folder of real Syzygy tables.
fn real_tables() -> Option<String> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/syzygy"));
    if path.exists() {
        return Some(path.to_str().unwrap().to_owned());
    }
    // The test harness captures `println!` of tests that pass, and this line must be seen.
    let line = "\nSKIPPED: shared/data/syzygy is not beside the project; files of one value are read alone\n";
    std::io::stderr().write_all(line.as_bytes()).ok();
    None
}

/// Writes both files of a piece against a lone king.
fn put_files(sandbox: &EgtgenSandbox, folder: &str, piece: char, outcomes: [Outcome; 2]) {
    fs::create_dir_all(sandbox.path(folder)).unwrap();
    for (extension, bytes) in ["rtbw", "rtbz"].iter().zip(single_value_files(piece, outcomes)) {
        sandbox.put(&format!("{folder}/K{piece}vK.{extension}"), bytes);
    }
}

/// The fields of an answer.
fn fields<'a>(answer: &'a Value, names: &[&str]) -> Vec<&'a Value> {
    names.iter().map(|name| &answer[*name]).collect()
}

#[test]
fn either_source_may_be_missing() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    put_files(&sandbox, "s", 'R', [Outcome::Win, Outcome::Loss]);
    let names = ["category", "dtm", "dtz", "precise_dtz"];
    for (arguments, values) in [
        (&["--tables", "t"][..], [json!("win"), json!(31), json!(null), json!(null)]),
        (&["--syzygy", "s"], [json!("win"), json!(null), json!(1), json!(null)]),
        (&["--syzygy", "s", "--tables", "t"], [json!("win"), json!(31), json!(1), json!(null)]),
    ] {
        let served = Served::start(&sandbox, arguments);
        let told = served.tablebase(ROOK);
        assert_eq!(fields(&told, &names), values.iter().collect::<Vec<_>>(), "{arguments:?}");
        let unknown = served.tablebase("8/8/8/8/8/4k3/1Q6/K7 w - - 0 1");
        assert_eq!(unknown["category"], "unknown", "{arguments:?}");
        // Kings next to each other may not be, and seven men are known where their files are.
        assert_eq!(served.tablebase("k7/1n6/2b5/8/8/8/1NB5/KR6 w - - 0 1")["category"], "unknown");
        let health = served.ask("GET /health").with_status(200).json();
        let has = |name: &&str| json!(arguments.contains(name));
        assert_eq!((&health["tables"], &health["syzygy"]), (&has(&"--tables"), &has(&"--syzygy")));
    }
    let answer = sandbox.json(&["probe", ROOK, "--syzygy", "s"]);
    assert_eq!(
        fields(&answer, &["result", "category", "dtm_plies", "dtz", "precise_dtz"]),
        [&json!("win"), &json!("win"), &json!(null), &json!(1), &json!(null)]
    );
    let answer = sandbox.json(&["probe", ROOK, "--syzygy", "s", "--tables", "t"]);
    assert_eq!((&answer["dtm_plies"], &answer["dtz"]), (&json!(31), &json!(1)));
    assert_eq!(answer["line"].as_array().unwrap().len(), 31, "up to mate");
    let answer = sandbox.json(&["probe", ROOK, "--tables", "t"]);
    assert!(answer.get("dtz").is_none() && answer.get("category").is_none(), "{answer}");
    sandbox.run(&["probe", "8/8/8/8/8/4k3/1Q6/K7 w - - 0 1", "--syzygy", "s"]).failed(1, &["no table", "KQvK"]);
}

#[test]
fn the_fifty_move_rule_makes_categories() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    put_files(&sandbox, "cursed", 'R', [Outcome::CursedWin, Outcome::BlessedLoss]);
    put_files(&sandbox, "won", 'R', [Outcome::Win, Outcome::Loss]);
    put_files(&sandbox, "drawn", 'N', [Outcome::Draw, Outcome::Draw]);
    let served = Served::start(&sandbox, &["--syzygy", "cursed"]);
    let told = served.tablebase(ROOK);
    assert_eq!(fields(&told, &["category", "dtz"]), [&json!("cursed-win"), &json!(101)]);
    assert_eq!(fields(&told["moves"][0], &["category", "dtz"]), [&json!("blessed-loss"), &json!(-102)]);
    let told = served.tablebase("8/8/8/8/8/2k5/8/KR6 b - - 0 1");
    assert_eq!((&told["category"], &told["moves"][0]["category"]), (&json!("blessed-loss"), &json!("cursed-win")));
    let text = sandbox.run(&["probe", ROOK, "--syzygy", "cursed"]).succeeded().stdout;
    assert!(text.contains("White to move wins, but the fifty-move rule makes it a draw; DTZ 101"), "{text}");

    // Two plies, or three: with 98 behind them it is not known which side of fifty moves that is.
    let served = Served::start(&sandbox, &["--syzygy", "won"]);
    for (clock, category) in
        [(0, "loss"), (97, "loss"), (98, "syzygy-loss"), (99, "blessed-loss"), (100, "blessed-loss")]
    {
        let told = served.tablebase(&format!("8/8/8/8/8/2k5/8/KR6 b - - {clock} 60"));
        assert_eq!(told["category"], category, "{clock}");
    }
    // A file of outcomes says nothing of the plies since the last capture or pawn move.
    put_files(&sandbox, "outcomes", 'R', [Outcome::Win, Outcome::Loss]);
    fs::remove_file(sandbox.path("outcomes/KRvK.rtbz")).unwrap();
    let served = Served::start(&sandbox, &["--syzygy", "outcomes"]);
    for (clock, category) in [(0, "win"), (1, "maybe-win"), (101, "cursed-win")] {
        let told = served.tablebase(&format!("8/8/8/8/8/2k5/1R6/K7 w - - {clock} 60"));
        assert_eq!(fields(&told, &["category", "dtz"]), [&json!(category), &json!(null)], "{clock}");
    }
    // Only the distance to mate is known, so it is not known what the fifty-move rule makes of long ones.
    let served = Served::start(&sandbox, &["--syzygy", "drawn", "--tables", "t"]);
    for (clock, category) in [(0, "win"), (69, "win"), (70, "maybe-win"), (101, "cursed-win")] {
        let told = served.tablebase(&format!("8/8/8/8/8/2k5/1R6/K7 w - - {clock} 60"));
        assert_eq!(fields(&told, &["category", "dtm", "dtz"]), [&json!(category), &json!(31), &json!(null)], "{clock}");
    }
}

/// The main line of `4k3/6KP/8/8/8/8/7p/8 w - - 0 1` that lila-tablebase's manual prints.
const PRINTED_LINE: [(&str, i64); 17] = [
    ("h8=Q+", -2),
    ("Kd7", 1),
    ("Qxh2", -14),
    ("Kc6", 13),
    ("Qe5", -12),
    ("Kb6", 11),
    ("Kf6", -10),
    ("Ka6", 9),
    ("Qb2", -8),
    ("Ka5", 7),
    ("Ke5", -6),
    ("Ka4", 5),
    ("Kd4", -4),
    ("Ka5", 3),
    ("Kc5", -2),
    ("Ka4", 1),
    ("Qa2#", -1),
];

#[test]
fn lines_are_those_of_lichess() {
    let Some(folder) = real_tables() else { return };
    let sandbox = EgtgenSandbox::with(&["KPvKP"]);
    let served = Served::start(&sandbox, &["--syzygy", &folder, "--tables", "t"]);
    let fen = "4k3/6KP/8/8/8/8/7p/8_w_-_-_0_1";
    for path in ["/tablebase/mainline", "/tablebase/standard/mainline"] {
        let told = served.ask(&format!("GET {path}?fen={fen}")).with_status(200).json();
        let steps = told["mainline"].as_array().unwrap();
        let steps: Vec<(&str, i64)> =
            steps.iter().map(|step| (step["san"].as_str().unwrap(), step["dtz"].as_i64().unwrap())).collect();
        assert_eq!(steps, PRINTED_LINE);
        assert_eq!(fields(&told, &["winner", "dtz", "precise_dtz"]), [&json!("w"), &json!(1), &json!(1)]);
    }
    let told = served.tablebase(&fen.replace('_', " "));
    let names = ["category", "dtz", "precise_dtz", "dtm"];
    assert_eq!(fields(&told, &names), [&json!("win"), &json!(1), &json!(1), &json!(17)]);
    let first = &told["moves"][0];
    assert_eq!((&first["uci"], &first["dtz"]), (&json!("h7h8q"), &json!(-2)));
    // A draw has no line, and nothing is known without its tables.
    let told = served.ask("GET /tablebase/mainline?fen=8/8/8/8/8/1k6/1R6/3K4_b").with_status(200).json();
    assert_eq!((&told["mainline"], &told["winner"], &told["dtz"]), (&json!([]), &json!(null), &json!(0)));
    served.ask("GET /tablebase/mainline?fen=k7/1n6/2b5/8/8/8/1NB5/KR6_w").refused(404, "no table", None);
}

#[test]
fn own_tables_alone_have_lines_to_mate() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let served = Served::start(&sandbox, &["--tables", "t"]);
    let told = served.ask("GET /tablebase/mainline?fen=8/8/8/8/8/2k5/1R6/K7_w").with_status(200).json();
    let steps = told["mainline"].as_array().unwrap();
    assert_eq!((steps.len(), &told["winner"], &told["dtz"]), (31, &json!("w"), &json!(null)));
    assert!(steps[30]["san"].as_str().unwrap().ends_with('#'), "{}", steps[30]);
    served.ask("GET /tablebase/mainline?fen=8/8/8/8/8/4k3/1Q6/K7_w").refused(404, "no table", None);
}

#[test]
fn bad_files_are_named_and_the_rest_is_used() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    put_files(&sandbox, "s", 'R', [Outcome::Win, Outcome::Loss]);
    put_files(&sandbox, "s", 'Q', [Outcome::Win, Outcome::Loss]);
    put_files(&sandbox, "s", 'N', [Outcome::Draw, Outcome::Draw]);
    let probe = |arguments: &[&str]| sandbox.run(&[&["probe", ROOK], arguments].concat());
    // A file that is cut off.
    let whole = sandbox.get("s/KQvK.rtbw");
    sandbox.put("s/KQvK.rtbw", &whole[..79]);
    let ran = probe(&["--syzygy", "s"]).succeeded();
    let warning = ran.stderr.lines().find(|line| line.starts_with("warning: ")).unwrap();
    assert!(warning.contains("KQvK.rtbw: its size is not that of a Syzygy table"), "{}", ran.stderr);
    // A file of outcomes without one of distances.
    sandbox.put("s/KQvK.rtbw", &whole);
    fs::remove_file(sandbox.path("s/KNvK.rtbz")).unwrap();
    let ran = probe(&["--syzygy", "s"]).succeeded();
    assert!(ran.stderr.contains("KNvK.rtbz: is missing"), "{}", ran.stderr);
    // Something else under the name of a table; without its folder where strangers ask.
    let foreign = [&b"not a table"[..], &[0; 69]].concat();
    sandbox.put("s/KQvK.rtbw", foreign);
    let queen = "8/8/8/8/8/4k3/1Q6/K7 w - - 0 1";
    sandbox
        .run(&["probe", queen, "--syzygy", "s"])
        .failed_after_warnings(1, &["KQvK.rtbw: does not begin like a Syzygy table; download it again"]);
    let served = Served::start(&sandbox, &["--syzygy", "s/"]);
    let refused = served.ask("GET /tablebase?fen=8/8/8/8/8/4k3/1Q6/K7").refused(500, "KQvK.rtbw: does not", None);
    assert!(!refused.text().contains("s/K"), "{}", refused.text());
    assert_eq!(served.tablebase(ROOK)["category"], "win");
    // Folders.
    fs::create_dir(sandbox.path("empty")).unwrap();
    for (folder, says) in [("empty", "has no Syzygy tables"), ("nowhere", "cannot be read"), ("t", "no Syzygy tables")]
    {
        probe(&["--syzygy", folder]).failed(1, &[&format!("{folder}: "), says]);
        let ran = probe(&["--syzygy", folder, "--tables", "t"]).succeeded();
        assert!(ran.stderr.contains(says) && ran.stdout.contains("mate in 16"), "{}", ran.stderr);
        probe(&["--syzygy", folder, "--syzygy", "s"]).succeeded();
    }
    probe(&[]).failed(2, &["--tables DIR", "--syzygy DIR"]);
}
