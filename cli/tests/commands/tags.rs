//! `tag "Board" "3"`: any tag is a condition, read from the texts of the games.

use crate::program::CliSandbox;

/// Games with boards, teams, and neither.
fn sandbox() -> CliSandbox {
    let sandbox = CliSandbox::new();
    let game = |tags: &str, moves: &str| format!("[White \"A\"]\n[Result \"1-0\"]\n{tags}\n{moves} 1-0\n\n");
    let games = [
        game("[Board \"3\"]\n[WhiteTeam \"SC München\"]\n", "1. e4 {good} e5 2. Qh5"),
        game("[board \"4\"]\n[WhiteTeam \"?\"]\n", "1. e4 e5"),
        game("[Board \"3\"]\n", "1. d4 d5"),
        game("", "1. e4 {bad} c5"),
    ];
    sandbox.put("some.pgn", games.concat());
    sandbox.run(&["import", "some.pgn", "-o", "some.plyfold"]).succeeded();
    sandbox
}

#[test]
fn any_tag_is_a_condition() {
    let sandbox = sandbox();
    let count = |query: &str| sandbox.json(&["query", "some.plyfold", query])["games"].to_string();
    for (query, expected) in [
        ("tag \"Board\" \"3\"", "2"),
        ("tag \"BOARD\" 3", "2"),
        ("tag \"Board\" *", "3"),
        ("not tag \"Board\" *", "1"),
        ("tag \"WhiteTeam\" \"*munchen\"", "1"),
        ("tag \"WhiteTeam\" *", "1"),
        ("tag \"White\" \"A\" and not tag \"Board\" \"3\"", "2"),
        ("tag \"Board\" \"3\" or tag \"Board\" \"4\" and move = 1", "3"),
        ("tag \"Board\" \"3\" and { white pawn on e4 }", "1"),
        ("tag \"Board\" * and comment \"good\"", "1"),
        ("comment \"*\" and not tag \"Board\" *", "1"),
        ("tag \"Nothing\" *", "0"),
    ] {
        assert_eq!(count(query), expected, "{query}");
    }
    // The condition stands before a scan, so it combines with outputs and positions.
    let positions =
        sandbox.json(&["query", "some.plyfold", "tag \"Board\" \"3\" and white queen on h5", "--positions", "ref"]);
    assert_eq!((&positions["games"], &positions["positions"]), (&1.into(), &1.into()));
    let out = sandbox.run(&["export", "some.plyfold", "--query", "tag \"Board\" \"4\""]).succeeded().text();
    assert!(out.contains("[board \"4\"]") && out.matches("[White \"A\"]").count() == 1, "{out}");
}

#[test]
fn it_is_written_as_it_is_read() {
    let sandbox = sandbox();
    for (query, printed) in [("tag \"Board\" 3", "tag \"Board\" \"3\""), ("tag \"WhiteTeam\" *", "tag \"WhiteTeam\" *")]
    {
        let text = sandbox.run(&["explain", query]).succeeded().text();
        assert!(text.contains(printed), "{text}");
        let tree = sandbox.json(&["explain", query])["tree"].clone();
        sandbox.put("query.json", tree.to_string());
        let asked = sandbox.json(&["query", "some.plyfold", "--json-query", "query.json"]);
        assert_eq!(asked["games"], sandbox.json(&["query", "some.plyfold", query])["games"], "{tree}");
    }
    for (query, says) in [
        ("tag", "the name of a tag in quotes"),
        ("tag \"Board\"", "the value of the tag"),
        ("tag \"Board\" \"\"", "no value"),
    ] {
        let ran = sandbox.run(&["query", "some.plyfold", query]);
        assert!(ran.code == Some(2) && ran.stderr.contains(says), "{query}: {}", ran.stderr);
    }
}

#[test]
fn games_without_a_text_are_told() {
    let sandbox = sandbox();
    sandbox.run(&["import", "some.pgn", "-o", "none.plyfold", "--no-text"]).succeeded();
    let report = sandbox.json(&["query", "none.plyfold", "tag \"Board\" * and result 1-0"]);
    assert_eq!(report["games"], 0);
    assert!(report["notices"].to_string().contains("4 games keep no text, so no tag is found there"), "{report}");
}

#[test]
fn any_tag_is_a_key() {
    let sandbox = sandbox();
    let report = sandbox.json(&[
        "query",
        "some.plyfold",
        "not tag \"Board\" \"4\"",
        "--by",
        "tag:board",
        "--by",
        "tag:WhiteTeam",
    ]);
    let rows = |nth: usize| {
        let rows = report["by"][nth]["rows"].as_array().unwrap();
        let mut rows: Vec<String> = rows
            .iter()
            .map(|row| {
                format!(
                    "{} {} {}",
                    row["tag:board"].as_str().or(row["tag:WhiteTeam"].as_str()).unwrap(),
                    row["games"],
                    row["condition"]
                )
            })
            .collect();
        rows.sort();
        rows
    };
    assert_eq!(rows(0), ["3 2 \"tag \\\"board\\\" \\\"3\\\"\"", "? 1 null"]);
    assert_eq!(rows(1), ["? 2 null", "SC München 1 \"tag \\\"WhiteTeam\\\" \\\"SC München\\\"\""]);
    let parts = sandbox.json(&["query", "some.plyfold", "", "--partition", "tag:Board:first"]);
    assert_eq!(parts["partition"][0]["distinct"], 3);
    let csv = sandbox.run(&["export", "some.plyfold", "--by", "tag:Board", "--format", "csv"]).succeeded().text();
    assert!(csv.starts_with("tag:Board,") && csv.contains("\r\n3,5,2,"), "{csv}");
    sandbox.run(&["query", "some.plyfold", "", "--by", "tag:a b"]).failed_usage();
}

#[test]
fn tags_are_columns_of_a_list_of_games() {
    let sandbox = sandbox();
    let list = |query: &str, more: &[&str]| {
        let asked = ["query", "some.plyfold", query, "--games", "--tags", "Board, WhiteTeam,board"];
        sandbox.run(&[&asked[..], more].concat()).succeeded().text()
    };
    let csv = list("", &["--format", "csv"]);
    assert_eq!(csv.lines().count(), 5);
    for (line, end) in csv.lines().zip([",Board,WhiteTeam", ",3,SC München", ",4,", ",3,", ",,"]) {
        assert!(line.ends_with(end), "{csv}");
    }
    let games: serde_json::Value =
        serde_json::from_str(&list("not tag \"Board\" 4", &["--format", "json"])).expect("JSON");
    let tags: Vec<String> =
        games["game_list"].as_array().expect("a list").iter().map(|game| game["tags"].to_string()).collect();
    assert_eq!(
        tags,
        [
            r#"{"Board":"3","WhiteTeam":"SC München"}"#,
            r#"{"Board":"3","WhiteTeam":null}"#,
            r#"{"Board":null,"WhiteTeam":null}"#
        ]
    );
    let text = list("tag \"Board\" 3", &[]);
    let rows: Vec<&str> = text.lines().skip_while(|line| !line.contains("game  white")).collect();
    assert!(
        rows[0].contains("Board")
            && rows[0].ends_with("WhiteTeam")
            && rows[1].ends_with("3                 SC München"),
        "{text}"
    );
    // So they are of a list of a set, and without a list there are none.
    sandbox.run(&["query", "some.plyfold", "tag \"WhiteTeam\" *", "--save-games", "@teams"]).succeeded();
    let set = sandbox.run(&["sets", "some.plyfold", "@teams", "--games", "--tags", "WhiteTeam", "--format", "csv"]);
    assert!(set.succeeded().text().lines().nth(1).is_some_and(|row| row.ends_with(",SC München")));
    sandbox.run(&["query", "some.plyfold", "", "--tags", "Board"]).failed_usage();
    sandbox.run(&["query", "some.plyfold", "", "--games", "--tags", "No tag"]).failed_usage();
    // A game without its text says so.
    sandbox.run(&["import", "some.pgn", "-o", "bare.plyfold", "--no-text"]).succeeded();
    let bare = sandbox.run(&["query", "bare.plyfold", "", "--games", "--tags", "Board"]).succeeded().text();
    assert!(bare.contains("4 listed games keep no text, so no tag of it is known"), "{bare}");
}
