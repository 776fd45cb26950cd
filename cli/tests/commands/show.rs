//! `plyfold show`: a game with its board.

use serde_json::json;

use crate::program::CliSandbox;

#[test]
fn a_game_at_a_ply() {
    let sandbox = CliSandbox::with_sample();
    let text = sandbox.run(&["show", "sample.plyfold", "1", "--ascii"]).succeeded().text();
    for part in [
        "Game 1 of 4\nAnna (2100) - Bert (1900)  1-0\nCaf\u{e9}, Paris, 2001.02.03, C20 King's Pawn Game: Wayward Queen Attack\n7 plies, ended: checkmate\n",
        "After ply 7: 4. Qxf7#\n",
        "  8  r . b q k b . r\n  7  p p p p . Q p p\n",
        "\nr1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4\n",
        "\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 [4. Qxf7#] 1-0\n",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    let flipped = sandbox.run(&["show", "sample.plyfold", "1", "--flip", "--ply", "0"]).succeeded().text();
    assert!(flipped.contains("Start position\n  1  ♖ ♘ ♗ ♔ ♕ ♗ ♘ ♖\n"), "{flipped}");
    assert!(flipped.contains("     h g f e d c b a\n"), "{flipped}");
}

#[test]
fn matching_plies_are_marked() {
    let sandbox = CliSandbox::with_sample();
    let text = sandbox.run(&["show", "sample.plyfold", "2", "--query", "queens_off"]).succeeded().text();
    assert!(text.contains("4. Qxd6 [Bxd6*] 5. Nf3* Nf6* 1/2-1/2"), "{text}");
    assert!(text.contains("3 of 10 positions match (*)"), "{text}");
    let shown = sandbox.json(&["show", "sample.plyfold", "2", "--query", "queens_off"]);
    assert_eq!((&shown["matching"], &shown["ply"]), (&json!([8, 9, 10]), &json!(8)));
    let shown = sandbox.json(&["show", "sample.plyfold", "2", "--query", "white king on a8"]);
    assert_eq!((&shown["matching"], &shown["ply"]), (&json!([]), &json!(10)));
}

#[test]
fn odd_games_in_json() {
    let sandbox = CliSandbox::with_sample();
    let shown = sandbox.json(&["show", "sample.plyfold", "3", "--ply", "3"]);
    assert_eq!(shown["start_fen"], "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    assert_eq!(shown["fen"], "8/3k4/8/8/4P3/8/3K4/8 b - - 2 2");
    assert_eq!(shown["board"][6], "...K....");
    assert_eq!(shown["moves"][2], json!({ "ply": 3, "number": "2.", "san": "Kd2", "uci": "e1d2" }));
    assert_eq!(shown["moves"][3], json!({ "ply": 4, "number": "2...", "san": "--", "uci": "0000" }));
    assert_eq!(shown.get("matching"), None);
    let shown = sandbox.json(&["show", "sample.plyfold", "4"]);
    assert_eq!((&shown["chess960"], &shown["ply"]), (&json!(true), &json!(2)));
    assert!(shown["text"].as_str().unwrap().ends_with("1. e3 e6 0-1"));
}

#[test]
fn special_moves_are_written_as_they_should() {
    let sandbox = CliSandbox::new();
    let moves = "1. e4 a6 2. e5 d5 3. exd6 Nf6 4. dxc7 g6 5. Nf3 Bg7 6. Be2 O-O 7. O-O Nc6 8. cxd8=N *";
    let chess960 = "[Variant \"Chess960\"]\n[FEN \"rk6/8/8/8/8/8/8/RK5R w HAa - 0 1\"]\n\n1. O-O O-O-O *";
    sandbox.put("special.pgn", format!("[White \"A\"]\n\n{moves}\n\n{chess960}\n"));
    sandbox.run(&["import", "special.pgn", "-o", "special.plyfold"]).succeeded();
    let written = |number: &str| {
        let shown = sandbox.json(&["show", "special.plyfold", number]);
        let moves = shown["moves"].as_array().unwrap().clone();
        let part = |name: &str| moves.iter().map(|mv| mv[name].as_str().unwrap().to_owned()).collect::<Vec<_>>();
        (part("san"), part("uci"))
    };
    let (san, uci) = written("1");
    let expected: Vec<&str> = moves.split(' ').filter(|word| !word.ends_with('.') && *word != "*").collect();
    assert_eq!(san, expected);
    assert_eq!((&*uci[4], &*uci[11], &*uci[12], &*uci[14]), ("e5d6", "e8g8", "e1g1", "c7d8n"));
    let (san, uci) = written("2");
    assert_eq!((san, uci), (vec!["O-O".into(), "O-O-O".into()], vec!["b1h1".into(), "b8a8".into()]));
}

#[test]
fn what_is_not_there() {
    let sandbox = CliSandbox::with_sample();
    for number in ["0", "5", "18446744073709551615"] {
        let says = format!("there is no game {number}: the corpus has games 1 to 4");
        sandbox.run(&["show", "sample.plyfold", number]).failed_in_a_line(1, &[&says]);
    }
    sandbox.run(&["show", "sample.plyfold", "1", "--ply", "8"]).failed_in_a_line(2, &["game 1 has 7 plies"]);
    sandbox
        .run(&["show", "sample.plyfold", "1", "--query", "quens"])
        .failed(2, &["\"quens\" is not understood", "^^^^^"]);
    sandbox.run(&["show", "sample.plyfold", "one"]).failed_usage();
}
