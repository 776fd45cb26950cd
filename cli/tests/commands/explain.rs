//! `plyfold explain`: what a query means and how it is answered, held against what a scan then does.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::program::Sandbox;

const SPANISH: &str = "fen \"r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3\"";

fn explained(query: &str) -> Value {
    Sandbox::new().json(&["explain", query])
}

fn sources(explained: &Value) -> Vec<&str> {
    let predicates = explained["predicates"].as_array().unwrap();
    predicates.iter().map(|predicate| predicate["source"].as_str().unwrap()).collect()
}

#[test]
fn conditions_are_taken_apart() {
    let told = explained("{ queens_off and white bishop_pair } for 4 moves and not black castled");
    assert_eq!(told["reads_as"], "{ queens_off and white bishop_pair } for 8 and not black castled");
    assert_eq!(told["verdict"], "1 and not 2");
    let conditions = told["conditions"].as_array().unwrap();
    assert_eq!(conditions.len(), 2);
    for (condition, number, text, streak, predicates) in [
        (&conditions[0], 1, "{ queens_off and white bishop_pair }", 8, json!([1, 2])),
        (&conditions[1], 2, "black castled", 1, json!([3])),
    ] {
        assert_eq!((&condition["number"], &condition["text"]), (&json!(number), &json!(text)));
        assert_eq!((&condition["streak"], &condition["predicates"]), (&json!(streak), &predicates));
    }
    assert_eq!(conditions[0]["implies"], "White has 2 bishops or more, no queen; Black has no queen");
    let white = json!({ "bishop": { "least": 2, "most": null }, "queen": { "least": 0, "most": 0 } });
    assert_eq!(conditions[0]["implied"]["white"], json!({ "men": white, "pawns_on": [], "no_pawns_on": [] }));
    assert_eq!(conditions[1]["implies"], Value::Null);
    assert_eq!(told["predicates"][2]["text"], "black castled");
    // A condition that is written twice is one.
    assert_eq!(explained("check or { check } or not check")["verdict"], "1 or 1 or not 1");
}

#[test]
fn men_and_rights_are_told_in_words() {
    for (query, words) in [
        (
            "material white KRPvKQ",
            "White has 1 pawn, no knight, no bishop, 1 rook, no queen; Black has no pawn, no knight, no bishop, no rook, 1 queen",
        ),
        ("structure \"8/8/8/8/8/8/P7/8\"", "White has pawns on a2 and nowhere else; Black has no pawn"),
        (
            "board \"????????/????????/????????/????????/P???????/????????/????????/????????\"",
            "White has pawns on a4; Black has no pawn on a4",
        ),
        (
            "board \"????????/????????/????????/????????/????????/????????/????????/[Kk.]???????\"",
            "men as in \"????????/????????/????????/????????/????????/????????/????????/[Kk.]???????\"",
        ),
    ] {
        let told = explained(query);
        let texts: Vec<&str> =
            told["predicates"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect();
        assert_eq!(texts, [words], "{query}");
    }
    let implied = explained("material KRPvKR")["conditions"][0]["implies"].clone();
    let side = "has at most 1 pawn, no knight, no bishop, 1 rook, no queen";
    assert_eq!(implied, format!("White {side}; Black {side}"));
    let told = explained("fen \"4k3/8/8/8/3pP3/8/8/4K3 b - e3\"");
    let rights = "nobody may castle; a pawn can be taken en passant on e3";
    assert_eq!(told["predicates"].as_array().unwrap().last().unwrap()["text"], rights);
}

#[test]
fn predicates_are_tested_where_that_is_cheapest() {
    for (query, source, tested) in [
        ("queens_off", "captures_and_promotions", "from captures and promotions alone"),
        ("isolated_pawn on d", "changes_of_pawns_on_files", "from pawns that change files or go alone"),
        ("isolated_pawn on d4", "changes_of_pawns", "from changes of the pawns alone"),
        (
            "count(passed_pawn) > count(queen)",
            "captures_promotions_and_changes_of_pawns",
            "from captures, promotions and changes of the pawns alone",
        ),
        ("white knight on f6 e5", "moves_that_touch_squares", "from moves that touch e5, f6"),
        ("white castled", "moves_that_touch_squares", "from castling moves alone"),
        ("white check", "board", "on the board"),
    ] {
        let told = explained(query);
        let first = &told["predicates"][0];
        assert_eq!((first["source"].as_str(), first["tested"].as_str()), (Some(source), Some(tested)), "{query}");
        assert_eq!(told["board"]["needed"], source == "board", "{query}");
        assert_eq!(told["board"]["keeps"], if source == "board" { "mailbox, pawns, bitboards" } else { "nothing" });
    }
    assert_eq!(explained("white knight on f6 e5")["predicates"][0]["squares"], json!(["e5", "f6"]));
    let told = explained("{ queens_off and check }");
    assert_eq!(told["predicates"][1]["tested"], "on the board, at plies that the others leave open");
    assert_eq!(explained("queens_off")["predicates"][0].get("squares"), None);
}

#[test]
fn a_position_is_told_in_its_parts() {
    let told = explained(SPANISH);
    let texts: Vec<&str> =
        told["predicates"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect();
    assert_eq!(
        texts,
        [
            "Black to move",
            "White has 8 pawns, 2 knights, 2 bishops, 2 rooks, 1 queen; \
             Black has 8 pawns, 2 knights, 2 bishops, 2 rooks, 1 queen",
            "White has pawns on a2 b2 c2 d2 f2 g2 h2 e4 and nowhere else; \
             Black has pawns on e5 a7 b7 c7 d7 f7 g7 h7 and nowhere else",
            "men as in \"r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R\"",
            "castling allowed with the rooks on a1 h1 a8 h8, no others; no pawn can be taken en passant",
        ]
    );
    assert_eq!(sources(&told), ["turn", "captures_and_promotions", "changes_of_pawns", "board", "board"]);
    let home = json!({
        "white": ["a2", "b2", "c2", "d2", "f2", "g2", "h2"],
        "black": ["a7", "b7", "c7", "d7", "f7", "g7", "h7"],
    });
    assert_eq!(told["cut_offs"], json!({ "by_last_signature": true, "by_milestones": true, "home_pawns": home }));
    // Where another condition may still hold, nothing is left early.
    let two = explained(&format!("{SPANISH} or check"));
    assert_eq!(
        two["cut_offs"],
        json!({ "by_last_signature": false, "by_milestones": false, "home_pawns": { "white": [], "black": [] } })
    );
}

#[test]
fn what_is_skipped_is_what_was_said() {
    let sandbox = Sandbox::with_sample();
    let mut skips = Vec::new();
    for query in [
        "queens_off",
        "not queens_off",
        "endgame rook",
        "queens_off and check",
        "queens_off or check",
        "queen on d1",
        "no pawn on e2",
        "no pawn on e2 and check",
        "white pawn on e2",
        "empty e4 for 3",
        "empty e2 for 3",
        "count(rook) >= 1",
        "count(white pawn) <= 2",
        "count(white pawn) <= 2 or check",
        "not count(white pawn) <= 2",
        "material KPvK or material KQvKQ",
        SPANISH,
        "",
    ] {
        let told = sandbox.json(&["explain", query]);
        let stats = &sandbox.json(&["query", "sample.plyfold", query, "--stats"])["stats"];
        // Among the games are some that keep their men and most of their pawns at home.
        let skipped = stats["games_skipped"].as_u64() > Some(0);
        assert_eq!(told["cut_offs"]["by_last_signature"], skipped, "{query}");
        skips.extend(skipped.then_some(query));
        if told["board"]["needed"] == false {
            assert_eq!((&stats["plies_replayed"], &stats["keeps"]), (&json!(0), &json!("nothing")), "{query}");
        }
    }
    for query in ["count(white pawn) <= 2", "empty e2 for 3", SPANISH] {
        assert!(skips.contains(&query), "{query}");
    }
}

#[test]
fn text_for_reading() {
    let sandbox = Sandbox::new();
    let text = sandbox
        .run(&["explain", "{empty a2 and white queen on e5} for 4 moves and not black check"])
        .succeeded()
        .text();
    assert_eq!(
        text,
        "\
{empty a2 and white queen on e5} for 4 moves and not black check
is read as
{ empty a2 and white queen on e5 } for 8 and not black check

A game matches if 1 and not 2, each condition by a position of its own:
  1  { empty a2 and white queen on e5 }
     holds after 8 plies in a row
     implies: White has 1 queen or more, has no pawn on a2; Black has no pawn on a2
  2  black check
     holds after some ply
     implies nothing of the men
A position matches if 1 and not 2 there, whatever went before.

Where predicates are tested, in the order of the query:
  empty a2
     from moves that touch a2
  white queen on e5
     from moves that touch e5
  black check
     on the board, at plies that the others leave open
A board is needed, for what the rest leaves open; it keeps up mailbox, pawns, bitboards.

Games are skipped unread where the last signature says that they cannot match.
Games are skipped unread where the pawns at home never stood like that.
"
    );
    let text = sandbox.run(&["explain", "structure \"8/p7/8/8/8/8/P7/8\""]).succeeded().text();
    for line in [
        "A game matches if this holds:",
        "     implies: White has pawns on a2 and nowhere else; Black has pawns on a7 and nowhere else",
        "A position matches if the condition holds there.",
        "     from changes of the pawns alone",
        "No board is needed.",
        "Games are skipped unread where the last signature says that they cannot match.",
        "Games are skipped unread where the pawns at home never stood like that.",
        "A game is left once White lacks a pawn on a2.",
        "A game is left once Black lacks a pawn on a7.",
    ] {
        assert!(text.lines().any(|found| found == line), "{line:?} in\n{text}");
    }
    assert!(!text.contains("is read as"), "{text}");
    let text = sandbox.run(&["explain", "not check"]).succeeded().text();
    for line in [
        "A game matches if this never holds:",
        "A position matches if the condition does not hold there.",
        "No game can be skipped by its last signature.",
    ] {
        assert!(text.lines().any(|found| found == line), "{line:?} in\n{text}");
    }
    let text = sandbox.run(&["explain", ""]).succeeded().text();
    assert_eq!(text, "(every position)\n\nEvery game and every position matches, and no move is looked at.\n");
}

#[test]
fn queries_come_from_anywhere_and_mistakes_are_pointed_at() {
    let sandbox = Sandbox::new();
    sandbox.put("query.txt", " check \n");
    assert_eq!(sandbox.json(&["explain", "--query-file", "query.txt"])["query"], "check");
    let mut command = sandbox.command(&["explain", "-", "--format", "json"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"queens_off").unwrap();
    let told: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(told["reads_as"], "queens_off");

    let ran = sandbox.run(&["explain", "white bishop_piar"]);
    let ran = ran.failed(2, &["unknown name `bishop_piar`: did you mean `bishop_pair`?"]);
    assert_eq!(ran.stderr.lines().nth(2), Some("      ^^^^^^^^^^^"));
    assert!(ran.stdout.is_empty());
    sandbox.run(&["explain", "{ check for 8 }"]).failed(2, &["for"]);
    sandbox.run(&["explain"]).failed_in_a_line(2, &["a query is missing"]);
    sandbox.run(&["explain", "check", "--query-file", "query.txt"]).failed_in_a_line(2, &["not both"]);
    sandbox.run(&["explain", "--query-file", "nix"]).failed_in_a_line(1, &["nix: the query cannot"]);
    sandbox.run(&["explain", "check", "--format", "csv"]).failed_usage();
    // More predicates than a query can have.
    let many: Vec<String> = (0..65).map(|number| format!("count(pawn) = {number}")).collect();
    sandbox.run(&["explain", &many.join(" or ")]).failed(2, &["at most 64 different"]);
}
