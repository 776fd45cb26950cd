//! `egtgen probe`: the values of positions.

use serde_json::{Value, json};
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::{CastlingMode, Chess, Position};

use super::program::EgtgenSandbox;

const LONGEST: &str = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";

#[test]
fn a_win_is_played_out_to_mate() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let answer = sandbox.json(&["probe", LONGEST, "--tables", "t"]);
    for (name, value) in [
        ("fen", json!(LONGEST)),
        ("material", json!("KRvK")),
        ("result", json!("win")),
        ("dtm_plies", json!(31)),
        ("dtm_moves", json!(16)),
    ] {
        assert_eq!(answer[name], value, "{name}");
    }
    let moves = answer["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 16, "14 of the rook, less two that the king bars, and those of the king");
    let best = answer["best_moves"].as_array().unwrap();
    assert_eq!(best[..], moves[..best.len()]);
    assert!(best.iter().all(|best| best["result"] == "win" && best["dtm_plies"] == 31), "{best:?}");
    assert!(moves[best.len()]["dtm_plies"] != 31, "{moves:?}");
    let rank = |played: &Value| match played["result"].as_str().unwrap() {
        "win" => played["dtm_plies"].as_i64().unwrap(),
        _ => i64::MAX,
    };
    assert!(moves.is_sorted_by_key(rank), "{moves:?}");
    assert!(moves.iter().any(|played| played["uci"] == "b2c2" && played["result"] == "draw"), "{moves:?}");

    let line = answer["line"].as_array().unwrap();
    assert_eq!(line.len(), 31);
    let mut game: Chess = LONGEST.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
    for san in line {
        let san: San = san.as_str().unwrap().trim_end_matches(['+', '#']).parse().unwrap();
        game = game.clone().play(san.to_move(&game).unwrap()).unwrap();
    }
    assert!(game.is_checkmate());
    assert!(line[30].as_str().unwrap().ends_with('#'));
}

#[test]
fn every_kind_of_answer() {
    let sandbox = EgtgenSandbox::with(&["KQvK"]);
    let cases = [
        ("8/8/8/8/4k3/8/1Q6/K7 b - - 0 1", json!("loss"), json!(20)),
        ("8/8/8/8/4K3/8/1q6/k7 w - - 0 1", json!("loss"), json!(20)),
        ("k7/8/KQ6/8/8/8/8/8 b - - 0 1", json!("draw"), json!(null)),
        ("k7/1Q6/K7/8/8/8/8/8 b - - 0 1", json!("loss"), json!(0)),
        ("8/8/8/8/8/2k5/1Q6/6K1 b - - 0 1", json!("draw"), json!(null)),
        ("8/8/8/8/8/2k5/8/6K1 b - - 0 1", json!("draw"), json!(null)),
    ];
    let input: String = cases.iter().map(|(fen, ..)| format!("{fen}\n\n")).collect();
    for arguments in
        [&["probe", "--tables", "t", "--format", "json"][..], &["probe", "-", "--tables", "t", "--format=json"]]
    {
        let answers = sandbox.run_with(arguments, &input).succeeded().objects();
        assert_eq!(answers.len(), cases.len());
        for (answer, (fen, result, plies)) in answers.iter().zip(&cases) {
            assert_eq!((&answer["fen"], &answer["result"], &answer["dtm_plies"]), (&json!(fen), result, plies));
            let line = answer["line"].as_array().unwrap();
            assert_eq!(line.len() as u64, plies.as_u64().unwrap_or(0));
        }
        assert_eq!(answers[2]["moves"], json!([]), "stalemate");
    }
}

#[test]
fn of_one_winner_what_is_not_known_is_said() {
    let sandbox = EgtgenSandbox::new();
    sandbox.run(&["generate", "KQvKR", "--winner", "white", "--out", "t"]).succeeded();
    let whole = EgtgenSandbox::with(&["KQvKR"]);
    for fen in ["8/8/r7/8/3k4/8/8/K1Q5 w - - 0 1", "krK5/6Q1/8/8/8/8/8/8 w - - 0 1", "8/8/1r6/8/3k4/8/8/K1Q5 b - - 0 1"]
    {
        let known = whole.json(&["probe", fen, "--tables", "t"]);
        if fen.starts_with("krK5") {
            // The rook's side wins.
            let ran = sandbox.run(&["probe", fen, "--tables", "t"]);
            ran.failed(1, &["White does not win", "whether Black wins is not known", "KRvKQ is missing"]);
            assert_eq!(known["result"], "loss");
            continue;
        }
        let answer = sandbox.json(&["probe", fen, "--tables", "t"]);
        for part in ["result", "dtm_plies", "dtm_moves", "line"] {
            assert_eq!(answer[part], known[part], "{fen}");
        }
        let won = if answer["result"] == "win" { "win" } else { "loss" };
        let moves_of = |answer: &Value| -> Vec<(String, Value, Value)> {
            let moves = answer["moves"].as_array().unwrap().iter();
            let mut moves: Vec<_> = moves
                .map(|one| (one["uci"].as_str().unwrap().to_owned(), one["result"].clone(), one["dtm_plies"].clone()))
                .collect();
            moves.sort_by(|one, other| one.0.cmp(&other.0));
            moves
        };
        let mut unknown = 0;
        for (one, whole) in moves_of(&answer).into_iter().zip(moves_of(&known)) {
            if whole.1 == won {
                assert_eq!(one, whole, "{fen}");
            } else {
                assert_eq!((one.0, one.1, one.2), (whole.0, json!("unknown"), json!(null)), "{fen}");
                unknown += 1;
            }
        }
        assert!(unknown > 0 || won == "loss", "{fen}");
    }
    // A table that nobody has is an error as before.
    sandbox.run(&["probe", "8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "--tables", "t"]).failed(1, &["KRvK is missing"]);
}

#[test]
fn answers_for_reading() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let ran = sandbox.run(&["probe", LONGEST, "--tables", "t"]).succeeded();
    assert!(ran.stdout.starts_with(&format!("{LONGEST}\nWhite to move wins: mate in 16 moves (31 plies)\n")));
    assert!(ran.stdout.contains("\n1. ") && ran.stdout.contains(" 16. ") && ran.stdout.trim().ends_with('#'));
    let ran = sandbox.run(&["probe", LONGEST, "--tables", "t", "--no-line"]).succeeded();
    assert!(!ran.stdout.contains("16. "), "{}", ran.stdout);
    // People forget to quote a FEN.
    let pieces: Vec<&str> = LONGEST.split(' ').collect();
    let other = sandbox.run(&[&["probe", "--tables", "t", "--no-line"], &pieces[..]].concat()).succeeded();
    assert_eq!(other.stdout, ran.stdout);
}

#[test]
fn one_bad_fen_is_one_sentence() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    for (fen, says) in [
        ("rubbish", "this is not a FEN"),
        ("8/8/8/8/8/2k5/1R6/K7 x - - 0 1", "side to move"),
        (
            "8/8/8/8/8/2k5/2R5/K7 w - - 0 1",
            "Black is in check with the other side to move; it must be Black's turn, `b`",
        ),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "castling rights"),
        ("8/8/8/8/8/2k5/1R6/8 w - - 0 1", "White has 0 kings"),
        ("8/8/8/8/8/8/8/kK5R w - - 0 1", "the kings stand next to each other"),
        ("k7/8/8/8/8/8/8/KRRRRRRR w - - 0 1", "9 men on the board"),
        ("k7/8/1nnnn3/8/8/8/7Q/7K w - - 0 1", "KQvKNNNN has a side of 5 men that can lose"),
        ("k6P/8/8/8/8/8/8/K7 w - - 0 1", "a pawn stands on the first or the last rank"),
    ] {
        sandbox.run(&["probe", fen, "--tables", "t"]).failed(2, &[fen, says]);
    }
}

#[test]
fn a_bad_fen_among_many_does_not_stop_the_rest() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let input = format!("{LONGEST}\nrubbish\n{LONGEST}\n8/8/8/8/8/2k5/1Q6/K7 b - - 0 1\n{LONGEST}\n");
    let ran = sandbox.run_with(&["probe", "--tables", "t", "--format", "json"], &input);
    let ran = ran.failed(2, &["2 of 5 positions could not be answered"]);
    let answers = ran.objects();
    assert_eq!(answers.len(), 5);
    for (nth, says) in [(1, "this is not a FEN"), (3, "the table KQvK is missing")] {
        assert!(answers[nth]["error"].as_str().unwrap().contains(says), "{}", answers[nth]);
    }
    assert!([0, 2, 4].iter().all(|&nth| answers[nth]["dtm_plies"] == 31));
    assert_eq!(answers[1]["fen"], "rubbish");
    let ran = sandbox.run_with(&["probe", "--tables", "t"], &input).failed(2, &["2 of 5"]);
    assert!(
        ran.stdout.contains("this is not a FEN") && ran.stdout.matches("mate in 16").count() == 3,
        "{}",
        ran.stdout
    );
}

#[test]
fn tables_that_are_not_there() {
    let sandbox = EgtgenSandbox::with(&["KRvK"]);
    let probe = |tables: &[&str]| sandbox.run(&[&["probe", "8/8/8/8/8/2k5/1Q6/K7 b - - 0 1"], tables].concat());
    probe(&["--tables", "t"]).failed(1, &["t: the table KQvK is missing", "`egtgen generate KQvK --out t` makes it"]);
    probe(&["--tables", "nowhere"]).failed(1, &["nowhere: ", "`egtgen generate KRvK --out DIR`"]);
    probe(&["--tables", "t/KRvK.egt"]).failed(1, &["is not a folder"]);
    probe(&[]).failed(2, &["--tables DIR"]);
}
