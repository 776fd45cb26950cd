//! `plyfold import --no-text`: a corpus without the texts of its games.

use crate::program::{CliSandbox, SAMPLE};

fn sandbox() -> CliSandbox {
    let sandbox = CliSandbox::with_sample();
    sandbox.run(&["import", "sample.pgn", "-o", "bare.plyfold", "--no-text"]).succeeded();
    sandbox
}

#[test]
fn everything_but_texts_is_kept() {
    let sandbox = sandbox();
    assert!(sandbox.get("bare.plyfold").len() < sandbox.get("sample.plyfold").len());
    let (bare, full) = (sandbox.json(&["info", "bare.plyfold", "--verify"]), sandbox.json(&["info", "sample.plyfold"]));
    assert_eq!((&bare["games"], &bare["plies"]), (&full["games"], &full["plies"]));
    assert_eq!((&bare["games_without_text"], &full["games_without_text"]), (&4.into(), &0.into()));
    let text = sandbox.run(&["info", "bare.plyfold"]).succeeded().text();
    assert!(text.contains("  without a text                   4  100.0 %\n"), "{text}");
    for query in ["queens_off", "\"Anna\"", "white_elo >= 2000", "checkmate", "nag \"??\"", "commented"] {
        let ask = |corpus: &str| {
            let mut found = sandbox.json(&["query", corpus, query, "--games", "--positions", "both"]);
            found["elapsed_ms"].take();
            found["notices"].take();
            found
        };
        assert_eq!(ask("bare.plyfold"), ask("sample.plyfold"), "{query}");
    }
    // An append of texts makes both.
    sandbox.run(&["import", "sample.pgn", "-o", "bare.plyfold", "--append"]).succeeded();
    assert_eq!(sandbox.json(&["info", "bare.plyfold"])["games_without_text"], 4);
    assert_eq!(sandbox.json(&["info", "bare.plyfold"])["games"], 8);
}

#[test]
fn words_of_comments_are_not_there_and_this_is_said() {
    let sandbox = sandbox();
    let run = sandbox.run(&["query", "bare.plyfold", "comment \"*best*\""]).succeeded();
    assert!(run.text().contains("Note: 1 game keeps no text, so no comment is found there"), "{}", run.text());
    let full = sandbox.json(&["query", "sample.plyfold", "comment \"*best*\""]);
    assert_eq!(full["games"], 1);
}

#[test]
fn games_are_written_from_headers_and_moves() {
    let sandbox = sandbox();
    let written = sandbox.run(&["export", "bare.plyfold", "--format", "pgn"]).succeeded().text();
    let first = "[Event \"Caf\u{e9}\"]\n[Site \"Paris\"]\n[Date \"2001.02.03\"]\n[Round \"?\"]\n[White \"Anna\"]\n[Black \"Bert\"]\n\
                 [Result \"1-0\"]\n[WhiteElo \"2100\"]\n[BlackElo \"1900\"]\n[ECO \"C20\"]\n\n\
                 1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 $4 4. Qxf7# 1-0\n\n";
    assert!(written.starts_with(first), "{written}");
    assert!(written.contains("[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 Kd7 2. Kd2 -- *\n"));
    let shown = sandbox.json(&["show", "bare.plyfold", "1"])["text"].as_str().unwrap().to_owned();
    assert_eq!(first.trim_end(), shown);
    let json = sandbox.run(&["export", "bare.plyfold", "--format", "json", "--games", "1"]).succeeded().text();
    assert!(json.contains("1. e4 e5 2. Qh5 Nc6"), "{json}");
    // Marks are put into what is written.
    let mark = ["export", "bare.plyfold", "--format", "pgn", "--query", "checkmate", "--mark=mate"];
    assert!(sandbox.run(&mark).succeeded().text().contains("4. Qxf7# {mate} 1-0"));
    // What is written reads as the same games.
    sandbox.put("again.pgn", &written);
    sandbox.run(&["import", "again.pgn", "-o", "again.plyfold"]).succeeded();
    for format in ["fen", "epd"] {
        let positions = |corpus: &str| sandbox.run(&["export", corpus, "--format", format]).succeeded().stdout;
        assert_eq!(positions("again.plyfold"), positions("sample.plyfold"));
    }
}

#[test]
fn what_is_known_is_written_and_read_again() {
    let sandbox = CliSandbox::new();
    let annotated = "[Event \"E\"]\n[Site \"?\"]\n[Date \"2020.01.02\"]\n[Round \"3\"]\n[White \"A \\\"B\\\"\"]\n[Black \"C\"]\n\
        [Result \"1-0\"]\n[TimeControl \"300+3\"]\n[Termination \"Time forfeit\"]\n\n\
        1. e4! $14 {[%eval 0.30] [%clk 0:04:57.5]} e5 {[%eval -1.05] [%emt 0:00:02]} 2. Qh5?? {[%eval #-12]} Nc6 {[%eval #3]} 1-0\n\n\
        [Event \"F\"]\n[FEN \"4k3/8/8/8/8/8/8/Q3K3 b - - 0 40\"]\n\n40... Kf7 {[%eval 9.9]} 41. Qf6+ {[%eval 12.00]} Ke8 *\n\n\
        [Event \"G\"]\n[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 3. Ke5 0-1\n";
    sandbox.put("games.pgn", annotated);
    sandbox.run(&["import", "games.pgn", "-o", "one.plyfold", "--no-text"]).succeeded();
    sandbox.run(&["export", "one.plyfold", "-o", "games.pgn", "--force"]).succeeded();
    sandbox.run(&["import", "games.pgn", "-o", "two.plyfold", "--no-text"]).succeeded();
    let written = String::from_utf8(sandbox.get("games.pgn")).unwrap();
    assert_eq!(sandbox.get("one.plyfold"), sandbox.get("two.plyfold"), "{written}");
    for words in [
        "[Termination \"time forfeit\"]",
        "1. e4 $1 $14 {[%eval 0.30] [%clk 0:04:57.5]} e5",
        "{[%eval #-12]}",
        "{[%eval #+3]}",
        "[Incomplete \"1\"]",
    ] {
        assert!(written.contains(words), "{words}: {written}");
    }
}

#[test]
fn a_copy_of_many_games_has_more_than_one_shard() {
    let sandbox = CliSandbox::new();
    sandbox.put("many.pgn", SAMPLE.repeat(20_000));
    sandbox.run(&["import", "many.pgn", "-o", "bare.plyfold", "--no-text"]).succeeded();
    sandbox.run(&["export", "bare.plyfold", "--format", "corpus", "-o", "copy.plyfold"]).succeeded();
    let info = sandbox.json(&["info", "copy.plyfold"]);
    assert_eq!((&info["games"], &info["games_without_text"]), (&80_000.into(), &80_000.into()));
    assert!(info["shards"].as_u64().unwrap() > 1, "{info}");
}
