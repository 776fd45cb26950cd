//! `plyfold explain`: what a query means and how a scan evaluates it, compared with what a scan then does.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::program::CliSandbox;

const SPANISH: &str = "fen \"r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3\"";

fn explained(query: &str) -> Value {
    CliSandbox::new().json(&["explain", query])
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
    for (condition, number, text, window, predicates) in [
        (
            &conditions[0],
            1,
            "{ queens_off and white bishop_pair }",
            json!({ "occurrence": { "for": 8 } }),
            json!([1, 2]),
        ),
        (&conditions[1], 2, "black castled", Value::Null, json!([3])),
    ] {
        assert_eq!((&condition["number"], &condition["text"]), (&json!(number), &json!(text)));
        assert_eq!((&condition["window"], &condition["predicates"]), (&window, &predicates));
    }
    assert_eq!(conditions[0]["holds"], "holds after 8 plies in a row");
    assert_eq!(told["tree"]["query"]["and"][0]["condition"]["window"], json!({ "occurrence": { "for": 8 } }));
    assert_eq!(conditions[0]["implies"], "White has 2 bishops or more, no queen; Black has no queen");
    let white = json!({ "bishop": { "least": 2, "most": null }, "queen": { "least": 0, "most": 0 } });
    assert_eq!(conditions[0]["implied"]["white"], json!({ "men": white, "pawns_on": [], "no_pawns_on": [] }));
    assert_eq!(conditions[1]["implies"], Value::Null);
    assert_eq!(told["predicates"][2]["text"], "black castled");
    // A condition that is written twice is one condition.
    assert_eq!(explained("check or { check } or not check")["verdict"], "1 or 1 or not 1");
}

#[test]
fn windows_and_gates_are_told_in_words() {
    for (query, verdict, positions, holds) in [
        ("never check before move 20", "1", "not 1", "never holds after some ply, up to move 19"),
        ("always { not check }", "1", "1", "holds after every ply"),
        ("became check in endgame", "1", "1", "begins to hold after some ply, in the endgame"),
        ("ceased check at least 3 times", "1", "1", "ceases to hold after 3 plies or more"),
        ("check at most 3 times from ply 9", "1", "1", "holds after at most 3 plies, from ply 9 on"),
        ("check exactly 1 times between moves 3..8", "1", "1", "holds after exactly 1 ply, of moves 3 to 8"),
        ("check at end", "1", "1", "holds after some ply, the last ply of the game"),
        ("elo >= 2600", "1", "1", "is decided by the header of the game"),
    ] {
        let told = explained(query);
        assert_eq!((&told["verdict"], &told["positions"]), (&json!(verdict), &json!(positions)), "{query}");
        assert_eq!(told["conditions"][0]["holds"], holds, "{query}");
    }
    let told = explained("(check or queens_off) then within 20 white castled then not rook and result 1-0");
    assert_eq!(told["verdict"], "1 or 2 then within 20 plies 3 then (not 4 and 5)");
    assert_eq!(told["conditions"][2]["after"], json!({ "first": "1 or 2", "within": 20 }));
    assert_eq!(told["conditions"][3]["after"], json!({ "first": "3", "within": null }));
    assert_eq!(told["conditions"][3]["holds"], "holds after some ply; only plies after 3 count");
    assert_eq!((&told["conditions"][4]["after"], &told["conditions"][4]["by_header"]), (&Value::Null, &json!(true)));
    // The same condition after `then` is another condition.
    assert_eq!(explained("check then check")["verdict"], "1 then 2");
}

#[test]
fn braces_and_positions_are_told_in_words() {
    let braces = |query: &str| explained(query)["braces"].as_str().unwrap_or("").to_owned();
    assert_eq!(braces("queens_off"), "");
    assert_eq!(braces("queens_off and elo >= 2600"), "");
    assert_eq!(braces("{ queens_off and check }"), "The conditions in { } hold at the same position.");
    let apart = braces("queens_off and check");
    assert!(apart.contains("at positions that may differ") && apart.contains("`{ queens_off and check }`"), "{apart}");
    assert!(braces("rook and king and { queens_off and check }").contains("`and` outside of them"));

    let told = explained("check for 8 and queens_off");
    let notice = told["notices"][0].as_str().unwrap();
    assert!(
        notice.starts_with("`for 8` selects games, not positions: a position matches by what holds there"),
        "{notice}"
    );
    assert_eq!(explained("check and queens_off").get("notices"), None);
    let early = &told["early_exit"];
    assert_eq!((&early["count_of_games"], &early["count_of_positions"]), (&json!(true), &json!(false)));
    assert_eq!((&early["heatmap"], &early["structures"]), (&json!(false), &json!(false)));
}

#[test]
fn headers_cut_and_boards_are_told() {
    for (query, alone, cut) in [
        ("elo >= 2600 and not result 1-0", true, true),
        ("elo >= 2600 and check", false, true),
        ("elo >= 2600 or check", false, false),
        ("winner passed_pawn", false, true),
        ("check", false, false),
    ] {
        let cut_offs = &explained(query)["cut_offs"];
        assert_eq!((&cut_offs["headers_alone"], &cut_offs["by_headers"]), (&json!(alone), &json!(cut)), "{query}");
    }
    let told = explained("fork and white knight attacks queen and elo >= 2600");
    assert_eq!(told["board"]["replays"].as_array().unwrap().len(), 1);
    assert_eq!(told["board"]["replays"][0]["policy"], "bits");
    let depends = |query: &str| explained(query)["predicates"][0]["depends_on"].as_str().unwrap().to_owned();
    assert_eq!(depends("result 1-0"), "the header of the game");
    assert_eq!(depends("move < 20"), "the number of the ply");
    assert_eq!(depends("queens_off"), "the number of queens");
    assert_eq!(depends("white passed_pawn"), "the squares of pawns");
    assert_eq!(depends("white knight on e5"), "the squares of White's knights");
}

#[test]
fn pieces_and_rights_are_told_in_words() {
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
            "board \"????????/????????/????????/????????/????????/????????/????????/[Kk.]???????\"",
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
    let rights = "no castling rights; an en passant capture on e3 is legal";
    assert_eq!(told["predicates"].as_array().unwrap().last().unwrap()["text"], rights);
}

#[test]
fn predicates_are_tested_where_that_is_cheapest() {
    for (query, source, tested) in [
        ("queens_off", "captures_and_promotions", "from captures and promotions only"),
        ("isolated_pawn on d", "changes_of_pawns_on_files", "from captures by and of pawns, and promotions"),
        ("isolated_pawn on d4", "changes_of_pawns", "from pawn moves and captured pawns only"),
        (
            "count(passed_pawn) > count(queen)",
            "captures_promotions_and_changes_of_pawns",
            "from captures, promotions and pawn moves only",
        ),
        ("white knight on f6 e5", "moves_that_touch_squares", "from moves that touch e5, f6"),
        ("white castled", "moves_that_touch_squares", "from castling moves only"),
        ("white check", "lines_to_kings", "from moves and the lines to the kings"),
        ("white double_check", "lines_to_kings", "from moves and the lines to the kings"),
        ("white checkmate", "ends_of_games", "from ends of games only"),
        ("white fork", "board", "on the board"),
    ] {
        let told = explained(query);
        let first = &told["predicates"][0];
        assert_eq!((first["source"].as_str(), first["tested"].as_str()), (Some(source), Some(tested)), "{query}");
        assert_eq!(told["board"]["needed"], source == "board", "{query}");
        assert_eq!(told["board"]["keeps"], if source == "board" { "mailbox, pawns, bitboards" } else { "nothing" });
    }
    assert_eq!(explained("white knight on f6 e5")["predicates"][0]["squares"], json!(["e5", "f6"]));
    let told = explained("{ queens_off and fork }");
    assert_eq!(told["predicates"][1]["tested"], "on the board, at plies that the other predicates leave open");
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
            "fen \"r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq -\"",
            "castling rights with exactly the rooks on a1 h1 a8 h8; no en passant capture is legal",
        ]
    );
    assert_eq!(sources(&told), ["turn", "captures_and_promotions", "changes_of_pawns", "board", "board"]);
    let home = json!({
        "white": ["a2", "b2", "c2", "d2", "f2", "g2", "h2"],
        "black": ["a7", "b7", "c7", "d7", "f7", "g7", "h7"],
    });
    let skipped = json!({ "by_headers": false, "by_last_signature": true, "by_milestones": true });
    assert_eq!(
        told["cut_offs"],
        json!({
            "headers_alone": false, "by_headers": false, "by_last_signature": true, "by_milestones": true,
            "for_games_alone": skipped, "home_pawns": home,
        })
    );
    // If another condition may hold, these cut-offs do not apply.
    let two = explained(&format!("{SPANISH} or check"));
    assert_eq!(two["cut_offs"]["home_pawns"], json!({ "white": [], "black": [] }));
    assert_eq!(
        (&two["cut_offs"]["by_last_signature"], &two["cut_offs"]["by_milestones"]),
        (&json!(false), &json!(false))
    );
}

#[test]
fn what_is_skipped_is_what_was_said() {
    let sandbox = CliSandbox::with_sample();
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
        // Some of the games keep all their pieces and most of their pawns at home.
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
    let sandbox = CliSandbox::new();
    let text =
        sandbox.run(&["explain", "{empty a2 and white queen on e5} for 4 moves and not black fork"]).succeeded().text();
    assert_eq!(
        text,
        "\
{empty a2 and white queen on e5} for 4 moves and not black fork
is read as
{ empty a2 and white queen on e5 } for 8 and not black fork

A game matches if 1 and not 2, each condition at a position of its own:
  1  { empty a2 and white queen on e5 }
     holds after 8 plies in a row
     implies: White has 1 queen or more, has no pawn on a2; Black has no pawn on a2
  2  black fork
     holds after some ply
     implies nothing about the pieces
A position matches if 1 and not 2 there, whatever the rest of the game.
The conditions in { } hold at the same position.
Note: `for 8` selects games, not positions: a position matches by what holds there, whatever the rest of the game; `--evidence` finds where they were fulfilled.

Where predicates are tested, in the order of the query:
  empty a2
     from moves that touch a2
     depends on anything on the board
  white queen on e5
     from moves that touch e5
     depends on the squares of White's queens
  black fork
     on the board, at plies that the other predicates leave open
     depends on anything on the board
The remaining games need a board, which keeps mailbox, pawns, bitboards.
  The replay uses the policy `bits` (it keeps pieces, as a board and as bitboards) for `black fork`.

Games are skipped without a replay if their final material signature rules a match out.
Games are skipped without a replay if their home-pawn signature rules a match out.
If only games are counted or listed, the scan leaves a game as soon as it knows whether the game matches;
the count and the list of positions, and what is made of them as the heatmap is, need every matching position.
"
    );
}

#[test]
fn text_for_reading_says_how_games_are_skipped_and_left() {
    let sandbox = CliSandbox::new();
    let text = sandbox.run(&["explain", "structure \"8/p7/8/8/8/8/P7/8\""]).succeeded().text();
    for line in [
        "A game matches if this condition holds:",
        "     implies: White has pawns on a2 and nowhere else; Black has pawns on a7 and nowhere else",
        "A position matches if the condition holds there.",
        "     from pawn moves and captured pawns only",
        "No board is needed.",
        "Games are skipped without a replay if their final material signature rules a match out.",
        "Games are skipped without a replay if their home-pawn signature rules a match out.",
        "The scan leaves a game once White has no pawn on a2.",
        "The scan leaves a game once Black has no pawn on a7.",
    ] {
        assert!(text.lines().any(|found| found == line), "{line:?} in\n{text}");
    }
    assert!(!text.contains("is read as"), "{text}");
    let text = sandbox.run(&["explain", "not check"]).succeeded().text();
    for line in [
        "A game matches if this condition never holds:",
        "A position matches if the condition does not hold there.",
        "No game can be skipped by its final material signature.",
    ] {
        assert!(text.lines().any(|found| found == line), "{line:?} in\n{text}");
    }
    let text = sandbox.run(&["explain", ""]).succeeded().text();
    assert_eq!(text, "(every position)\n\nEvery game and every position matches, so no moves are replayed.\n");
}

#[test]
fn queries_come_from_anywhere_and_mistakes_are_pointed_at() {
    let sandbox = CliSandbox::new();
    sandbox.put("query.txt", " check \n");
    assert_eq!(sandbox.json(&["explain", "--query-file", "query.txt"])["query"], "check");
    let mut command = sandbox.command(&["explain", "-", "--format", "json"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"queens_off").unwrap();
    let told: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(told["reads_as"], "queens_off");
    sandbox.put("query.json", r#"{"not": {"squares": {"side": "white", "of": "check"}}}"#);
    let told = sandbox.json(&["explain", "--json-query", "query.json"]);
    assert_eq!((&told["query"], &told["reads_as"]), (&json!("not white check"), &json!("not white check")));
    sandbox.put("wrong.json", r#"{"not": {"squares": {"side": "white", "of": "chek"}}}"#);
    let says = "the query in JSON: /not/squares: unknown name `chek`: did you mean `check`?";
    sandbox.run(&["explain", "--json-query", "wrong.json"]).failed_in_a_line(2, &[says]);
    sandbox.run(&["explain", "check", "--json-query", "query.json"]).failed_in_a_line(2, &["give the query once"]);
    let schema = sandbox.run(&["schema"]).succeeded().text();
    let stale = "docs/query.schema.json is stale: plyfold schema -o docs/query.schema.json";
    assert!(schema == include_str!("../../../docs/query.schema.json"), "{stale}");

    let ran = sandbox.run(&["explain", "white bishop_piar"]);
    let ran = ran.failed(2, &["unknown name `bishop_piar`: did you mean `bishop_pair`?"]);
    assert_eq!(ran.stderr.lines().nth(2), Some("      ^^^^^^^^^^^"));
    assert!(ran.stdout.is_empty());
    sandbox.run(&["explain", "{ check for 8 }"]).failed(2, &["for"]);
    sandbox.run(&["explain"]).failed_in_a_line(2, &["there is no query"]);
    sandbox.run(&["explain", "check", "--query-file", "query.txt"]).failed_in_a_line(2, &["not both"]);
    sandbox.run(&["explain", "--query-file", "nix"]).failed_in_a_line(1, &["nix: the query cannot"]);
    sandbox.run(&["explain", "check", "--format", "csv"]).failed_usage();
    // More predicates than a word has bits.
    let many: Vec<String> = (0..130).map(|number| format!("count(pawn) = {number}")).collect();
    let told = sandbox.json(&["explain", &many.join(" or ")]);
    assert_eq!(told["predicates"].as_array().map(Vec::len), Some(130));
    let replayed: Vec<String> = (0..130).map(|number| format!("count(white controlled_square) = {number}")).collect();
    let told = sandbox.json(&["explain", &replayed.join(" or ")]);
    assert_eq!(told["board"]["replays"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_game_says_why_it_does_not_match() {
    let sandbox = CliSandbox::new();
    sandbox.put(
        "games.pgn",
        "[White \"Anna\"]\n[Black \"Boris\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n",
    );
    let why = |query: &str| sandbox.json(&["explain", query, "--corpus", "games.pgn", "--game", "1"]);
    let found = why("checkmate and \"Anna\"");
    assert_eq!((&found["matches"], &found["drop"]), (&json!(true), &json!([])));
    // The queen stands on h5 from ply 3 on, and on f7 only when it mates.
    let found = why("checkmate and { white queen on h5 and check } and result 0-1");
    assert_eq!(found["matches"], false);
    let parts = found["parts"].as_array().unwrap();
    assert_eq!(parts.iter().map(|part| part["matches"] == true).collect::<Vec<_>>(), [true, false, false]);
    assert_eq!(parts[1]["nearest"], json!({"ply": 3, "holds": ["white queen on h5"], "fails": ["check"]}));
    assert_eq!(found["drop"].as_array().unwrap().len(), 2);
    let found = why("white queen on h5 for 9");
    assert_eq!(found["parts"][0]["without_window"], json!({"positions": 4, "first_ply": 3}));
    let found = why("checkmate then white queen on h5");
    let then = &found["parts"][0]["parts"];
    assert!(found["matches"] == false && then[0]["matches"] == true && then[1]["matches"] == true);
    let text = sandbox.run(&["explain", "check for 3", "--corpus", "games.pgn", "--game", "1"]).succeeded().text();
    assert!(text.starts_with("Game 1, Anna - Boris, does not match"), "{text}");
    sandbox.run(&["explain", "check", "--corpus", "games.pgn", "--game", "2"]).failed(1, &["games.pgn", "2"]);
    sandbox.run(&["explain", "check", "--game", "2"]).failed_usage();
}
