//! Endgame tables on the command line: what queries find with them, what is not known without them, and comments in games.

use std::sync::atomic::AtomicBool;

use egtgen::{GenerationRequest, generate_tables};
use serde_json::Value;

use crate::program::CliSandbox;

/// White gives a rook away in a won position, and mates in another game; the third game is in a material that has no table.
const ENDINGS: &str = "[White \"A\"]
[Result \"1/2-1/2\"]
[FEN \"8/8/8/8/8/k7/8/KR6 w - - 0 1\"]

1. Rb3+ {a gift} Kxb3 1/2-1/2

[White \"B\"]
[Result \"1-0\"]
[FEN \"k7/8/1K6/8/8/8/8/7R w - - 0 60\"]

60. Rg1 Kb8 61. Rg8# 1-0

[White \"C\"]
[Result \"*\"]
[FEN \"k7/8/1K6/8/8/8/8/6QR w - - 0 60\"]

60. Qg2+ Kb8 *
";

/// The games as a corpus, and the tables of rook and queen against the lone king.
fn sandbox() -> CliSandbox {
    let sandbox = CliSandbox::new();
    sandbox.put("endings.pgn", ENDINGS);
    sandbox.run(&["import", "endings.pgn", "-o", "endings.plyfold"]).succeeded();
    let material = "KRvK".parse().unwrap();
    let request = GenerationRequest::with_closure(&[material], sandbox.path("tables"));
    generate_tables(&request, &|_| {}, &AtomicBool::new(false)).unwrap();
    sandbox
}

fn query(sandbox: &CliSandbox, text: &str, more: &[&str]) -> Value {
    let line = ["query", "endings.plyfold", text, "--positions", "ref", "--format", "json"];
    let run = sandbox.run(&[&line[..], more].concat()).succeeded();
    serde_json::from_slice(&run.stdout).unwrap()
}

fn places(answer: &Value) -> Vec<(u64, u64)> {
    let places = answer["position_list"].as_array().unwrap().iter();
    places.map(|one| (one["game"].as_u64().unwrap(), one["ply"].as_u64().unwrap())).collect()
}

#[test]
fn tables_decide_conditions_and_numbers() {
    let sandbox = sandbox();
    let with_tables = |text: &str| places(&query(&sandbox, text, &["--tables", "tables"]));
    assert_eq!(with_tables("white tb win"), [(2, 1), (2, 2), (2, 3)]);
    assert_eq!(with_tables("tb draw"), [(1, 1), (1, 2)]);
    assert_eq!(with_tables("{ not white tb win }"), [(1, 1), (1, 2)]);
    assert_eq!(with_tables("white threw away win"), [(1, 1)]);
    assert_eq!(with_tables("half_points_lost(white) = 1"), [(1, 1)]);
    assert_eq!(with_tables("tb dtm between 0 and 1"), [(2, 1), (2, 2), (2, 3)]);
    assert_eq!(with_tables("tb_dtm(white) = 0"), [(2, 3)]);
    assert_eq!(with_tables("tb_dtm(black) >= 0"), []);
    let unknown = query(&sandbox, "white tb win", &["--tables", "tables"])["unknown"].clone();
    let expected = serde_json::json!({
        "positions": 2, "games": 1, "materials": [{ "material": "KQRvK", "positions": 2, "has_table": false }],
    });
    assert_eq!(unknown, expected);
}

#[test]
fn notes_say_what_is_not_known() {
    let sandbox = sandbox();
    let text =
        |more: &[&str]| sandbox.run(&[&["query", "endings.plyfold", "white tb win"], more].concat()).succeeded().text();
    let with_tables = text(&["--tables", "tables"]);
    assert!(
        with_tables.contains("2 positions are not known; tables of these materials would tell: KQRvK (2)"),
        "{with_tables}"
    );
    let without = text(&[]);
    assert!(
        without.contains("no endgame tables are given, so 7 positions of at most 7 pieces are not known"),
        "{without}"
    );
    assert!(!sandbox.run(&["query", "endings.plyfold", "check"]).succeeded().text().contains("not known"));
}

#[test]
fn endgames_are_counted_by_material() {
    let sandbox = sandbox();
    let table = ["query", "endings.plyfold", "", "--tables", "tables", "--endgames", "--format", "csv"];
    let expected = "material,games,won,drawn,lost,unknown,first_threw_away_win,first_threw_away_draw,second_threw_away_win,\
                    second_threw_away_draw,condition,first_threw_away_win_condition,first_threw_away_draw_condition,\
                    second_threw_away_win_condition,second_threw_away_draw_condition\nKRvK,2,1,1,0,0,1,0,0,0,material KRvK,…\nKvK,1,0,1,0,0,0,0,0,0,material KvK,…\n";
    // The other conditions are long.
    let shortened = |line: &str| match line.split(',').collect::<Vec<_>>()[..] {
        ["material", ..] => format!("{line}\n"),
        ref cells => format!("{},…\n", cells[..11].join(",")),
    };
    let text = |line: &[&str]| sandbox.run(line).succeeded().text().lines().map(shortened).collect::<String>();
    assert_eq!(text(&table), expected);
    let exported = ["export", "endings.plyfold", "--endgames", "--tables", "tables", "--format", "csv"];
    assert_eq!(text(&exported), expected);
    let by = query(&sandbox, "", &["--tables", "tables", "--by", "tb", "--by", "tb_dtm"]);
    let groups = |nth: usize| {
        let groups = by["by"][nth]["rows"].as_array().unwrap().iter();
        groups
            .map(|one| (one[["tb", "tb_dtm"][nth]].as_str().unwrap(), one["positions"].as_u64().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(groups(0), [("White wins", 3), ("draw", 2), ("unknown", 2)]);
    assert_eq!(groups(1), [("0", 1), ("1", 2), ("not won", 2), ("unknown", 2)]);
}

#[test]
fn verdicts_are_written_into_games() {
    let sandbox = sandbox();
    let marked = ["export", "endings.plyfold", "--query", "", "--tables", "tables", "--mark=tb"];
    let expected = ENDINGS
        .replace("1. Rb3+", "1. Rb3+ {tb: draw; White threw a win away}")
        .replace("60. Rg1", "60. Rg1 {tb: White mates in 1}");
    assert_eq!(sandbox.run(&marked).succeeded().text(), expected);
}

#[test]
fn what_cannot_be_asked_is_said_in_a_sentence() {
    let sandbox = sandbox();
    let failing = |line: &[&str], parts: &[&str]| sandbox.run(line).failed_in_a_line(1, parts);
    failing(
        &["query", "endings.plyfold", "tb win", "--tables", "none"],
        &["none", "the folder of tables cannot be read"],
    );
    failing(&["query", "endings.plyfold", "tb win", "--syzygy", "tables"], &["tables", "has no Syzygy tables"]);
    let line = ["collections", "add", "endings.plyfold", "@won", "tb win"];
    sandbox.run(&line).failed_in_a_line(2, &["a collection cannot ask endgame tables"]);
    let explained = sandbox.run(&["explain", "white tb win", "--tables", "tables"]).succeeded().text();
    assert!(explained.contains("implies: at most 3 pieces are left, kings included"), "{explained}");
    let over = ["query", "endings.plyfold", "tb win", "--tables", "tables", "-o", "tables/KRvK.egt", "--force"];
    sandbox.run(&over).failed_in_a_line(2, &["is also an endgame table", "choose another name"]);
}
