//! What somebody types first: a search of PGN, a corpus without a name, a command by another word, no query at all.

use std::fs;

use serde_json::json;

use crate::library::bare;
use crate::program::{CliRun, CliSandbox, ONE_BAD, SAMPLE};
use crate::published::put_site;

/// `sample.pgn`, the same in a folder and in an archive, and the corpora that have the same games.
fn sandbox() -> CliSandbox {
    let sandbox = CliSandbox::with_sample();
    fs::create_dir(sandbox.path("pgn")).unwrap();
    sandbox.put("pgn/a.pgn", SAMPLE);
    sandbox.put("pgn/b.PGN", SAMPLE);
    sandbox.put("pgn/notes.txt", "no games");
    sandbox.run(&["import", "sample.pgn", "sample.pgn", "-o", "twice.plyfold"]).succeeded();
    sandbox
}

#[test]
fn pgn_answers_as_its_corpus() {
    let sandbox = sandbox();
    let same = [("sample.pgn", "sample.plyfold"), ("pgn", "twice.plyfold"), ("pgn/*.[pP][gG][nN]", "twice.plyfold")];
    for (games, corpus) in same {
        for query in ["queens_off", "\"Anna\" check", "comment \"*best*\"", ""] {
            let outputs = ["--games", "--positions", "both", "--next", "--by", "eco"];
            let ask = |path: &str| bare(sandbox.json(&[&["query", path, query][..], &outputs].concat()));
            assert_eq!(ask(games), ask(corpus), "{games} {query}");
        }
        let texts = |path: &str| sandbox.run(&["export", path, "--format", "pgn"]).succeeded().stdout;
        assert_eq!(texts(games), texts(corpus), "{games}");
        assert_eq!(sandbox.json(&["info", games])["plies"], sandbox.json(&["info", corpus])["plies"]);
        sandbox.run(&["show", games, "2"]).succeeded();
    }
    let note = sandbox.run(&["query", "sample.pgn", "check"]).succeeded().stderr;
    let says = "note: sample.pgn: 4 games read in passing: `plyfold import sample.pgn` writes sample.plyfold, which opens at once";
    assert!(note.contains(says), "{note}");
    // Nothing is kept.
    assert_eq!(sandbox.names(), ["pgn", "sample.pgn", "sample.plyfold", "twice.plyfold"]);
}

#[test]
fn what_cannot_be_read_in_passing_says_why() {
    let sandbox = CliSandbox::new();
    sandbox.put("bad.pgn", ONE_BAD);
    let note = sandbox.run(&["query", "bad.pgn", ""]).succeeded().stderr;
    assert!(note.contains(" in part and ") && note.contains(" refused: `plyfold import bad.pgn`"), "{note}");
    sandbox.put("none.pgn", "[Event \"a\"]\n\n1. Ke5 *\n");
    sandbox.put("packed.gz", [0x1f, 0x8b, 8, 0]);
    for file in ["none.pgn", "packed.gz"] {
        let ran = sandbox.run(&["query", file, ""]);
        assert!(ran.code == Some(1) && ran.stderr.contains(file), "{file}: {}", ran.stderr);
    }
    sandbox
        .run(&["upgrade", "bad.pgn"])
        .failed_in_a_line(1, &["bad.pgn", "nothing can be upgraded", "`plyfold import`"]);
    // Several corpora are still no corpus for a command that writes beside it.
    sandbox.run(&["import", "bad.pgn"]).succeeded();
    fs::create_dir(sandbox.path("two")).unwrap();
    for name in ["two/a.plyfold", "two/b.plyfold"] {
        fs::copy(sandbox.path("bad.plyfold"), sandbox.path(name)).unwrap();
    }
    for command in
        [&["index", "two"][..], &["position", "two", "startpos"], &["collections", "add", "two", "@a", "check"]]
    {
        sandbox.run(command).failed_in_a_line(1, &["two: is a directory, not a corpus"]);
    }
    sandbox.run(&["index", "b*.pgn"]).failed_in_a_line(2, &["a pattern has no index beside it"]);
}

#[test]
fn commands_that_write_beside_a_corpus_read_pgn() {
    let sandbox = sandbox();
    let position = |path: &str| {
        let told = sandbox.json(&["position", path, "startpos"]);
        (told["games"].clone(), told["positions"].clone(), told["next_moves"].clone())
    };
    sandbox.run(&["index", "twice.plyfold"]).succeeded();
    sandbox.run(&["index", "sample.plyfold"]).succeeded();
    let before = sandbox.names();
    for (games, corpus) in
        [("sample.pgn", "sample.plyfold"), ("pgn", "twice.plyfold"), ("pgn/*.[pP][gG][nN]", "twice.plyfold")]
    {
        assert_eq!(position(games), position(corpus), "{games}");
    }
    // Without an index nothing is kept; the index of these games is used, and one of other games is refused.
    assert_eq!(sandbox.names(), before);
    for (games, index) in [("sample.pgn", "sample.pgn.plyindex-of-file"), ("pgn", "pgn/.plyindex")] {
        sandbox.run(&["index", games]).succeeded();
        assert!(sandbox.path(index).exists(), "{index}");
        assert!(sandbox.run(&["index", games]).succeeded().text().contains("is up to date"));
    }
    assert_eq!(position("sample.pgn"), position("sample.plyfold"));
    assert_eq!(position("pgn"), position("twice.plyfold"));
    sandbox.put("pgn/b.PGN", ONE_BAD);
    sandbox.run(&["position", "pgn", "startpos"]).failed(1, &["belongs to another corpus", "plyfold index pgn"]);

    sandbox.run(&["collections", "add", "sample.pgn", "@anna", "\"Anna\""]).succeeded();
    sandbox.run(&["collections", "update", "sample.pgn"]).succeeded();
    let listed = sandbox.json(&["collections", "list", "sample.pgn"]);
    assert_eq!((&listed["collections"][0]["games"], &listed["collections"][0]["behind"]), (&json!(2), &json!(0)));
    assert_eq!(sandbox.json(&["query", "sample.pgn", "in @anna"])["games"], json!(2));
}

#[test]
fn pgn_is_published_as_its_corpus() {
    let sandbox = sandbox();
    put_site(&sandbox, "site", "one");
    let published = |folder: &str, games: &str| {
        let report = sandbox.json(&["publish", folder, "--corpus", games, "--site", "site", "--check"]);
        let text = sandbox.get(&format!("{folder}/library.json"));
        let library: serde_json::Value = serde_json::from_slice(&text).unwrap();
        (report["games"].clone(), library["corpora"].clone())
    };
    assert_eq!(published("a", "sample.pgn"), published("b", "sample.plyfold"));
    let folder = published("c", "pgn").1;
    let names: Vec<_> = folder.as_array().unwrap().iter().map(|corpus| corpus["name"].clone()).collect();
    assert_eq!(names, [json!("a"), json!("b")]);
}

#[test]
fn a_corpus_without_a_name_has_that_of_its_games() {
    let sandbox = CliSandbox::with_sample();
    let whole = sandbox.get("sample.plyfold");
    sandbox.run(&["import", "sample.pgn"]).failed_in_a_line(2, &["sample.plyfold exists already", "--force"]);
    fs::remove_file(sandbox.path("sample.plyfold")).unwrap();
    sandbox.run(&["import", "sample.pgn"]).succeeded();
    assert_eq!(sandbox.get("sample.plyfold"), whole);
    sandbox.run(&["import", "sample.pgn", "sample.pgn"]).failed_in_a_line(2, &["-o OUT.plyfold"]);
    sandbox.run(&["import", "-"]).failed_in_a_line(2, &["-o OUT.plyfold"]);
}

#[test]
fn another_word_names_the_command_that_is_meant() {
    let sandbox = CliSandbox::with_sample();
    for (word, command) in [
        ("search", "query"),
        ("find", "query"),
        ("Stats", "info"),
        ("merge", "compact"),
        ("sample.pgn", "query"),
        ("qery", "query"),
    ] {
        let ran = sandbox.run(&[word, "x"]);
        assert!(ran.stderr.contains(&format!("'{command}'")) && !ran.stderr.contains("'serve'"), "{}", ran.stderr);
        ran.failed_usage();
    }
    let ran = sandbox.run(&["query", "sample.plyfold", "check", "--games", "--csv"]);
    assert!(ran.stderr.contains("'--format csv'") && !ran.stderr.contains("as a value"), "{}", ran.stderr);
    ran.failed_usage();
}

/// What a terminal shows of a text: its styles taken away. Any other sequence stays.
fn without_styles(text: &str) -> String {
    ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[1;32m", "\u{1b}[31m", "\u{1b}[36m"]
        .iter()
        .fold(text.to_owned(), |text, style| text.replace(style, ""))
}

#[test]
fn colours_add_to_a_text_and_change_nothing_in_it() {
    let sandbox = CliSandbox::with_sample();
    let asked = |command: &[&str], variables: &[(&str, &str)]| {
        let mut command = sandbox.command(command);
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").envs(variables.iter().copied());
        String::from_utf8(CliRun::of(command.output().unwrap()).succeeded().stdout).unwrap()
    };
    let forced = [("CLICOLOR_FORCE", "1")];
    for (command, shows) in [
        (
            &["query", "sample.plyfold", "check", "--games", "--next", "--positions", "both"][..],
            "\u{1b}[1mcheck\u{1b}[0m\n",
        ),
        (&["query", "sample.plyfold", "check"], "  games      \u{1b}[1m"),
        (&["query", "sample.plyfold", "", "--heatmap", "--structures"], "\u{1b}[1mWhere the pieces stand"),
        (&["query", "sample.plyfold"], "\u{1b}[1mMost games\u{1b}[0m"),
        (&["query", "sample.plyfold", "eval >= 1.5"], "\u{1b}[36m  Note: "),
        (&["show", "sample.plyfold", "1", "--query", "check"], "\u{1b}[1;32m["),
        (&["explain", "queens_off and check"], "\u{1b}[2mA game matches if"),
        (&["explain", "queens_off", "--corpus", "sample.plyfold", "--game", "1"], "\u{1b}[31mno \u{1b}[0m"),
    ] {
        let (plain, coloured) = (asked(command, &[]), asked(command, &forced));
        assert!(coloured.contains(shows), "{command:?}: {coloured}");
        assert_eq!(without_styles(&coloured), plain, "{command:?}");
        assert!(!plain.contains('\u{1b}'), "{command:?}");
        assert_eq!(asked(command, &[forced[0], ("NO_COLOR", "1")]), plain, "{command:?}");
    }
    for format in ["json", "csv"] {
        let command = ["query", "sample.plyfold", "check", "--games", "--format", format];
        let timeless =
            |text: String| if format == "csv" { text } else { text.split("\"game_list\"").nth(1).unwrap().into() };
        assert_eq!(timeless(asked(&command, &forced)), timeless(asked(&command, &[])));
    }
    // A name cannot set a style.
    sandbox.put("bad.pgn", "[White \"\u{1b}[1mX\"]\n[Result \"*\"]\n\n1. e4 *\n");
    for command in [&["query", "bad.pgn", "", "--games"][..], &["show", "bad.pgn", "1"], &["query", "bad.pgn"]] {
        let coloured = asked(command, &forced);
        let is_styled = coloured.contains("\u{1b}[1mX") || without_styles(&coloured).contains('\u{1b}');
        assert!(coloured.contains("[1mX") && !is_styled, "{coloured}");
    }
}

#[test]
fn no_query_is_an_overview() {
    let sandbox = sandbox();
    let found = sandbox.json(&["query", "twice.plyfold"]);
    assert_eq!((&found["games"], &found["plies"]), (&json!(8), &json!(46)));
    let info = sandbox.json(&["info", "twice.plyfold"]);
    assert_eq!(found["players"], info["players"]);
    for result in found["results"].as_array().unwrap() {
        assert_eq!(result["games"], info["results"][result["name"].as_str().unwrap()]);
    }
    let text = sandbox.run(&["query", "twice.plyfold"]).succeeded().text();
    assert!(["Most games", "Results", "To go on"].iter().all(|heading| text.contains(heading)), "{text}");
    // The questions can be asked as they are printed.
    let questions = found["questions"].as_array().unwrap();
    assert_eq!(questions.len(), 3);
    for question in questions {
        let line = question.as_str().unwrap().replacen("plyfold", env!("CARGO_BIN_EXE_plyfold"), 1);
        let asked =
            std::process::Command::new("sh").current_dir(sandbox.path("")).args(["-c", &line]).output().unwrap();
        assert!(asked.status.success(), "{line}: {}", String::from_utf8_lossy(&asked.stderr));
    }
}

#[test]
fn plain_words_are_read_by_the_names_of_the_corpus() {
    let sandbox = CliSandbox::with_sample();
    for (words, query, games) in [
        ("Anna", "\"Anna*\"", 2),
        ("anna beat bert", "winner \"Anna*\" and loser \"Bert*\"", 1),
        ("Anna schlug Bert", "winner \"Anna*\" and loser \"Bert*\"", 1),
        ("Englund Gambit", "opening \"englund gambit\"", 1),
        ("Petrov's Defence", "opening \"petrov's defense\"", 0),
        ("games where white never castled", "never white castled", 4),
        ("draw in under 20 moves", "draw and plies < 40", 1),
    ] {
        let told = sandbox.json(&["query", "sample.plyfold", words]);
        assert_eq!((&told["query"], &told["games"]), (&json!(query), &json!(games)), "{words}: {told}");
        let notices = told["notices"].to_string();
        assert!(notices.contains("the words mean: `") && notices.contains(" is "), "{words}: {notices}");
    }
    // The query is printed first.
    let text = sandbox.run(&["query", "sample.plyfold", "Anna"]).succeeded().text();
    assert!(text.starts_with("\"Anna*\"\n  games       2 of  4"), "{text}");
    for (words, says) in [
        ("anna played the windmill", "is not understood; the other words are the query: \"Anna*\""),
        ("Annna", "no player is called so; the nearest names are \"Anna\""),
        ("no such thing", ""),
    ] {
        let ran = sandbox.run(&["query", "sample.plyfold", words]);
        assert!(
            ran.code == Some(2) && ran.stderr.contains(says) && ran.stderr.contains('^'),
            "{words}: {}",
            ran.stderr
        );
    }
    // A mistake in the signs of a query is told as one.
    let ran = sandbox.run(&["query", "sample.plyfold", "{ knight on e5"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("`}`"), "{}", ran.stderr);
}

#[test]
fn plain_words_are_read_by_every_command_that_takes_a_query() {
    let sandbox = CliSandbox::with_sample();
    let words = "anna beat bert";
    let query = "winner \"Anna*\" and loser \"Bert*\"";
    // Where the output is games, what the words mean is told beside it.
    let written = sandbox.run(&["export", "sample.plyfold", "--query", query]).succeeded();
    let said = sandbox.run(&["export", "sample.plyfold", "--query", words]).succeeded();
    assert_eq!(said.stdout, written.stdout);
    assert!(!said.stdout.is_empty() && written.stderr.is_empty(), "{}", written.stderr);
    assert!(said.stderr.contains(&format!("the query is: {query}")), "{}", said.stderr);
    assert!(said.stderr.contains("the words mean: `anna beat bert` is "), "{}", said.stderr);

    let shown = sandbox.json(&["show", "sample.plyfold", "1", "--query", "games where white never castled"]);
    let same = sandbox.json(&["show", "sample.plyfold", "1", "--query", "never white castled"]);
    assert_eq!(shown["matching"], same["matching"]);
    assert!(shown["notices"].to_string().contains("the words mean: "), "{shown}");

    // Without a corpus, nobody is known, but openings are.
    let explained = sandbox.json(&["explain", "Englund Gambit where white never castled"]);
    assert_eq!(explained["query"], json!("opening \"englund gambit\" and never white castled"));
    let explained = sandbox.json(&["explain", words, "--corpus", "sample.plyfold"]);
    assert_eq!(explained["query"], json!(query));
    let why = sandbox.json(&["explain", words, "--corpus", "sample.plyfold", "--game", "1"]);
    assert_eq!(why["query"], json!(query));
    sandbox.run(&["explain", words]).failed(2, &["--corpus names the games", "^"]);
    let part = ["is not understood; the other words are the query: endgame rook; --corpus names the games", "^"];
    sandbox.run(&["explain", "Anna lost rook endgames"]).failed(2, &part);
    for command in [&["export", "sample.plyfold", "--query"][..], &["show", "sample.plyfold", "1", "--query"]] {
        let ran = sandbox.run(&[command, &["anna played the windmill"]].concat());
        ran.failed(2, &["is not understood; the other words are the query: \"Anna*\"", "^"]);
    }
}
