//! `plyfold opening`: what it shows is what queries, the explorer and the outputs say.

use std::path::Path;

use serde_json::Value;

use crate::program::CliSandbox;

const SICILIAN: &str = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -";

fn sandbox() -> CliSandbox {
    let sandbox = CliSandbox::new();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../demo/demo.pgn.zst");
    sandbox.run(&["import", demo.to_str().unwrap(), "-o", "demo.plyfold"]).succeeded();
    sandbox
}

fn rows<'a>(report: &'a Value, section: &str) -> &'a Vec<Value> {
    report[section]["rows"].as_array().unwrap()
}

#[test]
fn a_report_is_what_queries_say() {
    let sandbox = sandbox();
    let report = sandbox.json(&["opening", "demo.plyfold", SICILIAN, "--least", "1", "--depth", "1"]);
    let query = format!("fen \"{SICILIAN} 0 1\"");
    let asked = sandbox.json(&[
        "query",
        "demo.plyfold",
        &query,
        "--next",
        "--novelties",
        "999",
        "--manoeuvres",
        "9999",
        "--top",
        "99",
    ]);
    assert_eq!(report["games"], asked["games"]);
    // Lines of one ply are the next moves.
    let next: Vec<(String, &Value, &Value)> = rows(&asked, "next")
        .iter()
        .map(|row| (format!("1. {}", row["san"].as_str().unwrap()), &row["games"], &row["white"]))
        .collect();
    let lines = rows(&report, "lines").iter();
    let mut lines: Vec<(String, &Value, &Value)> =
        lines.map(|row| (row["line"].as_str().unwrap().to_owned(), &row["games"], &row["white"])).collect();
    lines.sort_by_key(|(line, ..)| next.iter().position(|(other, ..)| line == other));
    assert_eq!(lines, next);
    assert_eq!(report["novelties"]["rows"], asked["novelties"]["rows"]);
    assert_eq!(report["manoeuvres"]["rows"], asked["manoeuvres"]["rows"]);
    assert!(
        rows(&report, "manoeuvres")
            .iter()
            .any(|row| row["manoeuvre"] == "Bc1-e3-h6" || row["manoeuvre"] == "Bf1-e2-f3")
    );
    let mut checked = 0;
    for section in ["white_players", "black_players", "years", "structures", "motifs"] {
        for row in rows(&report, section).iter().take(3) {
            let Some(condition) = row["condition"].as_str() else { continue };
            assert_eq!(sandbox.json(&["query", "demo.plyfold", condition])["games"], row["games"], "{condition}");
            checked += 1;
        }
    }
    assert!(checked > 9, "{checked}");
    let bands = rows(&report, "ratings").iter().map(|row| row["games"].as_u64().unwrap());
    assert_eq!(Some(bands.sum::<u64>()), report["games"].as_u64());
    for (section, result) in [("white_wins", "1-0"), ("black_wins", "0-1")] {
        let games = rows(&report, section);
        assert!(games.is_sorted_by_key(|game| std::cmp::Reverse(game["rating"].as_u64())), "{section}");
        let won = sandbox.json(&[
            "query",
            "demo.plyfold",
            &format!("{query} and result {result} and white elo > 0 and black elo > 0"),
        ]);
        assert_eq!(won["games"], games.len(), "{section}");
    }
}

#[test]
fn lines_branch_and_join() {
    let sandbox = CliSandbox::new();
    let games =
        ["1. e4 c5 2. Nf3 d6 3. d4 1-0", "1. e4 c5 2. Nf3 Nc6 3. d4 0-1", "1. e4 c5 2. Nf3 d6 3. d4 1-0", "1. d4 *"];
    let game = |moves: &&str| format!("[White \"<A>\"]\n[Black \"B\"]\n\n{moves}\n\n");
    sandbox.put("some.pgn", games.iter().map(game).collect::<String>());
    sandbox.run(&["import", "some.pgn", "-o", "some.plyfold"]).succeeded();
    let lines = |more: &[&str]| {
        let report = sandbox.json(&[&["opening", "some.plyfold"], more].concat());
        let line = |row: &Value| format!("{} {} {}", row["line"].as_str().unwrap(), row["games"], row["white"]);
        rows(&report, "lines").iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(lines(&["eco B00-B99", "--least", "1"]).len(), 3);
    assert_eq!(
        lines(&["startpos", "--least", "1"]),
        ["1. e4 c5 2. Nf3 3 2", "  2... d6 3. d4 2 2", "  2... Nc6 3. d4 1 0", "1. d4 1 0"]
    );
    assert_eq!(lines(&[SICILIAN, "--depth", "1"]), ["1. Nf3 3 2"]);
    sandbox.run(&["opening", "some.plyfold", "startpos", "--least", "1", "--html", "some.html"]).succeeded();
    let page = String::from_utf8(sandbox.get("some.html")).unwrap();
    assert!(page.contains("&lt;A&gt;") && page.contains("<td class=\"t\">  2... d6 3. d4</td>"), "{page}");
    assert!(!page.contains("<script") && !page.contains("http") && !page.contains("src="), "{page}");
    let none = sandbox.run(&["opening", "some.plyfold", "result 1/2-1/2"]).succeeded();
    assert!(none.stderr.contains("no game matches"), "{}", none.stderr);
    sandbox.run(&["opening", "some.plyfold", " "]).failed_in_a_line(2, &["startpos"]);
    sandbox.run(&["opening", "some.plyfold", "whites queen", "--format", "csv"]).failed_in_a_line(2, &["--section"]);
}
