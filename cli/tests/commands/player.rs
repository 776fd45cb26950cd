//! `plyfold player`: the scores are those of the queries in their rows, and small ones those of a hand.

use std::path::Path;

use serde_json::Value;

use crate::program::CliSandbox;

/// A game: White, Black, both ratings, the date, the result and the moves.
type Game<'a> = (&'a str, &'a str, [&'a str; 2], &'a str, &'a str, &'a str);

fn sandbox(games: &[Game<'_>]) -> CliSandbox {
    let sandbox = CliSandbox::new();
    let text = |(white, black, [white_elo, black_elo], date, result, moves): &Game<'_>| {
        format!(
            "[Event \"Open\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[WhiteElo \"{white_elo}\"]\n[BlackElo \"{black_elo}\"]\n\
             [Date \"{date}\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n"
        )
    };
    sandbox.put("some.pgn", games.iter().map(text).collect::<String>());
    sandbox.run(&["import", "some.pgn", "-o", "some.plyfold"]).succeeded();
    sandbox
}

const GAMES: [Game<'static>; 7] = [
    ("Ann", "Bob", ["2000", "2100"], "2001.01.03", "1-0", "1. e4 c5"),
    ("Cid", "Ann", ["2200", "2000"], "2001.01.01", "0-1", "1. d4 d5"),
    ("Ann", "BOB", ["2050", "2150"], "2001.02.01", "1/2-1/2", "1. e4 e5"),
    ("Bob", "ann", ["", "2050"], "2002.01.01", "1-0", "1. e4 c5"),
    ("Ann", "Ann", ["2050", "2050"], "????.??.??", "0-1", "1. c4"),
    ("Ann", "Cid", ["2050", "2200"], "2003.01.01", "*", "1. e4"),
    ("Bob", "Cid", ["2100", "2200"], "2003.01.01", "1-0", "1. e4"),
];

const SCORE: [&str; 8] = ["games", "won", "drawn", "lost", "unknown", "score", "rating", "performance"];

fn scores(report: &Value, section: &str, key: &str) -> Vec<String> {
    lines(report, section, &[&[key], &SCORE[..]].concat())
}

fn lines(report: &Value, section: &str, columns: &[&str]) -> Vec<String> {
    let line = |row: &Value| {
        let cells = columns.iter().map(|name| match &row[name] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        cells.collect::<Vec<_>>().join(" ")
    };
    report[section]["rows"].as_array().unwrap().iter().map(line).collect()
}

#[test]
fn scores_are_those_of_the_player() {
    let sandbox = sandbox(&GAMES);
    let report = sandbox.json(&["player", "some.plyfold", "Ann"]);
    // With White: 2100, 2150 and 2050 are met, with as many wins as
    // losses; with Black: 2200 and a win. The loss against Bob without a rating does not count.
    assert_eq!(
        scores(&report, "colours", "colour"),
        ["both 6 2 1 2 1 50.0 2030 2225", "white 4 1 1 1 1 50.0 2037 2100", "black 2 1 0 1 0 50.0 2000 2600"]
    );
    assert_eq!(
        scores(&report, "opponents", "opponent"),
        ["Bob 3 1 1 1 0 50.0 2025 2325", "Cid 2 1 0 0 1 100.0 2025 2600", "Ann 1 0 0 1 0 0.0 2050 1650"]
    );
    assert_eq!(
        scores(&report, "years", "year"),
        [
            "? 1 0 0 1 0 0.0 2050 1650",
            "2001 3 2 1 0 0 83.3 2016 2416",
            "2002 1 0 0 1 0 0.0 null null",
            "2003 1 0 0 0 1 null 2050 null"
        ]
    );
    assert_eq!(
        lines(&report, "runs", &["run", "length", "first_game", "from", "last_game", "to"]),
        [
            "wins 2 2 2001.01.01 1 2001.01.03",
            "without a loss 3 2 2001.01.01 3 2001.02.01",
            "without a win 2 3 2001.02.01 4 2002.01.01"
        ]
    );
    assert_eq!((&report["first"], &report["last"]), (&"2001.01.01".into(), &"2003.01.01".into()));
    let against = sandbox.json(&["player", "some.plyfold", "Ann", "--against", "Bob", "--query", "year 2001"]);
    assert_eq!(scores(&against, "colours", "colour")[0], "both 2 1 1 0 0 75.0 2025 2325");
    sandbox.put("aliases.tsv", "player\tCid\tBob\n");
    let joined = sandbox.json(&["player", "some.plyfold", "Ann", "--aliases", "aliases.tsv"]);
    assert_eq!(scores(&joined, "opponents", "opponent")[0], "Bob 5 2 1 1 1 62.5 2025 2416");
}

#[test]
fn a_report_is_text_a_table_or_a_page() {
    let mut games = GAMES;
    games[0].1 = "<Bob> & \u{2019}Co";
    let sandbox = sandbox(&games);
    let text = sandbox.run(&["player", "some.plyfold", "Ann", "--top", "1"]).succeeded().text();
    assert!(text.contains("\nOpponents\n") && text.contains("and 3 more (--top lists more)"), "{text}");
    // The years are whole.
    assert!(["2001 ", "2002 ", "2003 "].iter().all(|year| text.contains(&format!("\n{year}"))), "{text}");
    let csv =
        sandbox.run(&["player", "some.plyfold", "Ann", "--format", "csv", "--section", "years"]).succeeded().text();
    assert!(csv.starts_with("year,games,won,drawn,lost,unknown,score,rating,performance,condition\r\n"), "{csv}");
    assert_eq!(csv.lines().count(), 5);
    sandbox.run(&["player", "some.plyfold", "Ann", "--html", "ann.html"]).succeeded();
    let page = String::from_utf8(sandbox.get("ann.html")).unwrap();
    assert!(
        page.contains("<td class=\"t\">&lt;Bob&gt; &amp; \u{2019}Co</td>") && page.ends_with("</html>\n"),
        "{page}"
    );
    for outside in ["<script", "http", "src=", "url(", "<link", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
    for (more, says) in [
        (&["--format", "csv"][..], "choose it with --section"),
        (&["--section", "moods"], "--section moods: the tables are colours"),
        (&["--html", "ann.html"], "--force"),
        (&["--html", "some.plyfold", "--force"], "also the corpus"),
    ] {
        sandbox.run(&[&["player", "some.plyfold", "Ann"], more].concat()).failed_in_a_line(2, &[says]);
    }
    sandbox.run(&["player", "some.plyfold", "A\"n"]).failed_in_a_line(2, &["no quotation marks"]);
    sandbox.run(&["player", "some.plyfold", "Anm"]).failed(2, &["Anm", "Ann"]);
}

/// Of each table, the first rows and the last one have as many games as their queries find.
#[test]
fn rows_have_the_queries_of_their_games() {
    let sandbox = CliSandbox::new();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../demo/demo.pgn.zst");
    sandbox.run(&["import", demo.to_str().unwrap(), "-o", "demo.plyfold"]).succeeded();
    let most = sandbox.json(&["query", "demo.plyfold", "", "--by", "player", "--top", "1"]);
    let name = most["by"][0]["rows"][0]["player"].as_str().unwrap();
    let report = sandbox.json(&["player", "demo.plyfold", name]);
    let mut asked = 0;
    for section in [
        "colours",
        "names",
        "white_openings",
        "black_openings",
        "opponents",
        "years",
        "time_classes",
        "events",
        "structures",
    ] {
        let rows = report[section]["rows"].as_array().unwrap();
        for row in rows.iter().take(3).chain(rows.last()) {
            if let Some(condition) = row["condition"].as_str() {
                let found = sandbox.json(&["query", "demo.plyfold", condition]);
                assert_eq!(found["games"], row["games"], "{condition}");
                asked += 1;
            }
        }
    }
    assert!(asked > 20, "{asked}");
    // Endgames are those of the key.
    let by = sandbox.json(&[
        "query",
        "demo.plyfold",
        &format!("player \"{name}\""),
        "--partition",
        "endgame:ever",
        "--top",
        "999",
    ]);
    let expected: Vec<&Value> =
        by["partition"][0]["rows"].as_array().unwrap().iter().filter(|row| row["endgame"] != "none yet").collect();
    let found = report["endgames"]["rows"].as_array().unwrap();
    assert_eq!(found.len(), expected.len());
    for row in found {
        assert!(expected.iter().any(|one| one["endgame"] == row["endgame"] && one["games"] == row["games"]), "{row}");
    }
}
