//! `plyfold export --without`, `--add-tags`, `--order` and `--split-by`: only what is asked for is changed.

use crate::program::{CliSandbox, SAMPLE};

/// A game with everything that can be left out, and one with nothing of it.
const ANNOTATED: &str = "[Event \"Cup\"]\n[White \"Anna\"]\n[Black \"Bert\"]\n[Date \"2001.??.??\"]\n[Round \"10\"]\n[Result \"1-0\"]\n[ECO \"A00\"]\n\n\
    1. e4! $14 {best [%clk 0:05:00] [%eval 0.3]} (1. d4 {no}) 1... c5 {[%clk 0:04:58]} 2. Nf3 1-0\n\n\
    [Event \"Cup\"]\n[White \"Émile\"]\n[Black \"Anna\"]\n[Date \"2000.01.01\"]\n[Round \"9\"]\n[WhiteElo \"2000\"]\n[Result \"1/2-1/2\"]\n\n\
    1. d4 d5 1/2-1/2\n";

fn sandbox() -> CliSandbox {
    let sandbox = CliSandbox::with_sample();
    sandbox.put("cup.pgn", ANNOTATED);
    sandbox.run(&["import", "cup.pgn", "-o", "cup.plyfold"]).succeeded();
    sandbox
}

#[test]
fn each_part_is_left_out_by_itself() {
    let sandbox = sandbox();
    for (parts, moves) in [
        ("comments", "1. e4! $14 {[%clk 0:05:00] [%eval 0.3]} (1. d4) 1... c5 {[%clk 0:04:58]} 2. Nf3 1-0"),
        ("variations", "1. e4! $14 {best [%clk 0:05:00] [%eval 0.3]} 1... c5 {[%clk 0:04:58]} 2. Nf3 1-0"),
        ("glyphs", "1. e4 {best [%clk 0:05:00] [%eval 0.3]} (1. d4 {no}) 1... c5 {[%clk 0:04:58]} 2. Nf3 1-0"),
        ("clocks", "1. e4! $14 {best [%eval 0.3]} (1. d4 {no}) 1... c5 2. Nf3 1-0"),
        ("evaluations", "1. e4! $14 {best [%clk 0:05:00]} (1. d4 {no}) 1... c5 {[%clk 0:04:58]} 2. Nf3 1-0"),
        ("comments,variations,glyphs,clocks,evaluations", "1. e4 c5 2. Nf3 1-0"),
    ] {
        let before = ANNOTATED.lines().nth(8).unwrap();
        let out = sandbox.run(&["export", "cup.plyfold", "--without", parts]).succeeded().text();
        assert_eq!(out, ANNOTATED.replace(before, moves), "{parts}");
    }
    sandbox.run(&["export", "cup.plyfold", "--without", "moves"]).failed_usage();
    sandbox
        .run(&["export", "cup.plyfold", "--without", "comments", "--format", "csv"])
        .failed_in_a_line(2, &["--without", "--format pgn"]);
}

#[test]
fn tags_follow_from_the_moves() {
    let sandbox = sandbox();
    let out =
        sandbox.run(&["export", "cup.plyfold", "--add-tags", "eco,opening,variation,plycount"]).succeeded().text();
    let expected =
        ANNOTATED.replace("[ECO \"A00\"]", "[ECO \"B27\"]\n[Opening \"Sicilian Defense\"]\n[PlyCount \"3\"]").replace(
            "[Result \"1/2-1/2\"]",
            "[Result \"1/2-1/2\"]\n[ECO \"D00\"]\n[Opening \"Queen's Pawn Game\"]\n[PlyCount \"2\"]",
        );
    assert_eq!(out, expected);
    // A game without an opening gets only what is known, and one without a text is written.
    let out =
        sandbox.run(&["export", "sample.plyfold", "--games", "3", "--add-tags", "eco,plycount"]).succeeded().text();
    assert!(out.contains("[PlyCount \"4\"]\n\n1. e4 Kd7") && !out.contains("[ECO"), "{out}");
    sandbox.run(&["import", "cup.pgn", "-o", "none.plyfold", "--no-text"]).succeeded();
    let out =
        sandbox.run(&["export", "none.plyfold", "--add-tags", "variation,eco", "--without", "clocks"]).succeeded();
    assert!(out.text().contains("[ECO \"B27\"]\n") && !out.text().contains("%clk"), "{}", out.text());
}

/// A corpus with changes is the corpus of the changed PGN.
#[test]
fn a_changed_corpus_is_an_import_of_the_changed_games() {
    let sandbox = sandbox();
    sandbox.put("both.pgn", [SAMPLE, b"\n", ANNOTATED.as_bytes()].concat());
    sandbox.run(&["import", "both.pgn", "-o", "both.plyfold"]).succeeded();
    let changes = ["--without", "comments,clocks", "--add-tags", "eco,plycount"];
    let export = |more: &[&str]| sandbox.run(&[&["export", "both.plyfold"], &changes[..], more].concat()).succeeded();
    export(&["--format", "corpus", "-o", "changed.plyfold"]);
    export(&["-o", "both.pgn", "--force"]);
    sandbox.run(&["import", "both.pgn", "-o", "imported.plyfold"]).succeeded();
    assert!(sandbox.get("changed.plyfold") == sandbox.get("imported.plyfold"));
    // Once more, nothing is left to change.
    let again = sandbox.run(&[&["export", "imported.plyfold"], &changes[..]].concat()).succeeded().stdout;
    assert_eq!(again, sandbox.get("both.pgn"));
    let onto_itself = ["--format", "corpus", "-o", "both.plyfold", "--force"];
    sandbox.run(&[&["export", "both.plyfold"], &changes[..], &onto_itself].concat()).failed(2, &["also the corpus"]);
}

#[test]
fn games_are_sorted_by_several_orders() {
    let sandbox = sandbox();
    let players = |orders: &str| {
        let out = sandbox.run(&["export", "both.plyfold", "--order", orders, "--format", "csv"]).succeeded().text();
        let row = |line: &str| line.split(',').next().unwrap().to_owned();
        out.lines().skip(1).map(row).collect::<Vec<_>>().join(" ")
    };
    sandbox.put("both.pgn", [SAMPLE, b"\n", ANNOTATED.as_bytes()].concat());
    sandbox.run(&["import", "both.pgn", "-o", "both.plyfold"]).succeeded();
    for (orders, expected) in [
        ("kept", "1 2 3 4 5 6"),
        ("white", "1 5 3 2 4 6"),
        ("white,plies", "5 1 3 2 4 6"),
        ("black,date", "6 2 5 1 3 4"),
        ("elo", "1 6 2 3 4 5"),
        ("result,elo", "1 5 6 2 4 3"),
        ("event,round", "4 1 6 5 3 2"),
        ("eco", "3 4 2 5 1 6"),
    ] {
        assert_eq!(players(orders), expected, "{orders}");
    }
    let compact = ["compact", "both.plyfold", "-o", "sorted.plyfold", "--order", "event,round"];
    sandbox.run(&compact).succeeded();
    let of = |corpus: &str, more: &[&str]| sandbox.run(&[&["export", corpus], more].concat()).succeeded().stdout;
    assert_eq!(of("sorted.plyfold", &[]), of("both.plyfold", &["--order", "event,round"]));
    sandbox
        .run(&["export", "both.plyfold", "--order", "date", "--format", "fen"])
        .failed_in_a_line(2, &["--order sorts games"]);
}

#[test]
fn every_value_has_a_file() {
    let sandbox = sandbox();
    sandbox.run(&["export", "cup.plyfold", "--split-by", "white", "-o", "by/"]).succeeded();
    let (first, second) = ANNOTATED.split_at(ANNOTATED.find("\n[Event \"Cup\"]\n[White \"É").unwrap());
    assert_eq!(sandbox.get("by/Anna.pgn"), first.as_bytes());
    assert_eq!(sandbox.get("by/Émile.pgn"), &second.as_bytes()[1..]);
    let again = ["export", "cup.plyfold", "--split-by", "white", "-o", "by", "--games", "1"];
    sandbox.run(&again).failed_in_a_line(2, &["exists already", "--force"]);
    sandbox.run(&[&again[..], &["--force"]].concat()).succeeded();
    for (key, names) in [("result", "1-0.pgn draw.pgn"), ("year", "2000.pgn 2001.pgn"), ("eco", "B27.pgn D00.pgn")] {
        sandbox.run(&["export", "cup.plyfold", "--split-by", key, "-o", key]).succeeded();
        let mut found: Vec<String> = std::fs::read_dir(sandbox.path(key))
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        found.sort();
        assert_eq!(found.join(" "), names);
    }
    sandbox.run(&["export", "cup.plyfold", "--split-by", "eco"]).failed_usage();
    // No file replaces one that is read.
    std::fs::create_dir(sandbox.path("in")).unwrap();
    sandbox.put("in/1-0.pgn", ANNOTATED);
    let onto_input = ["export", "in/1-0.pgn", "--split-by", "result", "-o", "in", "--force"];
    sandbox.run(&onto_input).failed(2, &["also the corpus"]);
    assert_eq!(sandbox.get("in/1-0.pgn"), ANNOTATED.as_bytes());
}
