//! Other programs find the same games, and are told from those that fail.

use std::path::Path;

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::corpus_spans;
use plyfold_core::query::compile;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_input::PgnSource;
use plyfold_tests::imported;
use plyfold_tests::peers::{
    OF_PGN_EXTRACT, OF_SCID, Scid, installed, matched, microseconds_and_games, pgn_extract, with_games,
};

/// The selected demo games as PGN in a folder, and a function that runs our query on them.
fn demo(is_included: fn(&str) -> bool) -> (tempfile::TempDir, impl Fn(&str) -> u64) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../demo/demo.pgn.zst");
    let mut text = Vec::new();
    let mut source = PgnSource::open(Path::new(path)).expect("the demo games");
    source.read(usize::MAX, &mut text).expect("readable");
    let text = String::from_utf8(text).expect("ours are UTF-8");
    let games = text.split("[Event ").skip(1).filter(|game| is_included(game));
    let text: String = games.map(|game| format!("[Event {game}")).collect();
    let folder = with_games(text.as_bytes()).expect("a folder");
    let (bytes, _) = imported::file(&folder.path().join("games.pgn"));
    let ours = move |query: &str| {
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::WithoutTexts).expect("just made");
        let query = compile(query).expect("a query");
        run_query(&corpus_spans(&corpus), &query, &ReducerSelection::default(), &())
            .expect("nobody cancels")
            .count
            .games
    };
    (folder, ours)
}

#[test]
fn scid_finds_the_same_games() {
    let Some(program) = installed("tkscid", "scid") else { return eprintln!("skipped: Scid is not installed") };
    let (folder, ours) = demo(|game| !game.contains("[Variant "));
    let mut scid = Scid::open(&program, folder.path()).expect("a base");
    assert_eq!(scid.games, ours(""));
    for question in &OF_SCID {
        let (_, games) = scid.ask(question.theirs).expect("an answer");
        assert_eq!(games, ours(question.ours), "{}", question.what);
    }
    let error = scid.ask("castle").expect_err("no such command");
    assert!(error.contains("invalid command name \"castle\""), "{error}");
    scid.ask(OF_SCID[0].theirs).expect("it goes on");
}

#[test]
fn pgn_extract_finds_the_same_games() {
    let Some(program) = installed("pgn-extract", "pgn-extract") else {
        return eprintln!("skipped: pgn-extract is not installed");
    };
    let (folder, ours) = demo(|game| !game.contains(['=', '(']) && !game.contains("[Variant "));
    for question in &OF_PGN_EXTRACT {
        let (_, games) = pgn_extract(&program, folder.path(), question.theirs).expect("an answer");
        // Nine plies guarantee 8 before the last. The other searches do not depend on the end of a game.
        let least = ours(&question.ours.replace("for 8", "for 9"));
        assert!((least..=ours(question.ours)).contains(&games), "{}: {games}, ours from {least}", question.what);
    }
}

#[test]
fn a_program_that_is_nowhere_is_left_out() {
    assert_eq!(installed("no such program", "nothing"), None);
}

#[test]
fn a_program_that_fails_says_so() {
    let folder = with_games(b"").expect("a folder");
    let nowhere = folder.path().join("nowhere");
    let error = Scid::open(&nowhere, folder.path()).err().expect("there is none");
    assert!(error.contains("cannot be run"), "{error}");
    let error = pgn_extract(&nowhere, folder.path(), OF_PGN_EXTRACT[0].theirs).expect_err("there is none");
    assert!(error.contains("cannot be run"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_program_that_ends_early_is_told_with_its_last_words() {
    let folder = with_games(b"").expect("a folder");
    // Both treat the arguments as a script.
    let sh = Path::new("/bin/sh");
    let error = Scid::open(sh, folder.path()).err().expect("no base");
    assert!(error.contains("ended early") && error.contains("not found"), "{error}");
    let error = pgn_extract(Path::new("/bin/false"), folder.path(), "-t").expect_err("nothing found");
    assert!(error.contains("does not say what matched"), "{error}");
}

#[test]
fn answers_are_read() {
    assert_eq!(microseconds_and_games("1500000 17"), Some((1.5, 17)));
    assert_eq!(microseconds_and_games("invalid command name \"sc_filter\""), None);
    assert_eq!(microseconds_and_games(""), None);
    assert_eq!(matched("Games: 30000\r17 games matched out of 30000.\n"), Some(17));
    assert_eq!(matched("1 game matched out of 2.\n"), Some(1));
    assert_eq!(matched("Processing games.pgn\n"), None);
    assert_eq!(matched("many games matched out of 2."), None);
}
