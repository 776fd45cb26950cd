//! Material signatures against vectors made elsewhere, against shakmaty, and against the laws that they must obey.

use plyfold_core::board::Board;
use plyfold_core::board::make::Mailbox;
use plyfold_core::board::start::Start;
use plyfold_core::matsig::MatSig;
use plyfold_core::matsig::tracker::Tracker;
use plyfold_core::moves::Move;
use plyfold_tests::data::shared;
use plyfold_tests::games::{STARTS, play, position};
use proptest::prelude::*;
use serde_json::Value;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position, Role};

/// Reference signatures and verdicts, where they stand beside the project.
fn vectors() -> Option<Value> {
    let text = std::fs::read(shared("../facts/matsig_vectors.json")?).expect("can be read");
    Some(serde_json::from_slice(&text).expect("JSON"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("a text is wanted, not {value}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("a list is wanted, not {value}"))
}

fn signature(white: &Value, black: &Value) -> MatSig {
    format!("{} {}", text(white), text(black)).parse().expect("a signature")
}

/// A board with the men of a FEN, whatever the rules say to it.
fn board(fen: &str) -> Board {
    let setup = fen.parse::<Fen>().unwrap_or_else(|error| panic!("{fen}: {error}")).into_setup();
    let mut board = Board::initial();
    board.men = [0; 64];
    for (square, piece) in &setup.board {
        board.men[square as usize] = plyfold_core::board::man(piece.color, piece.role);
    }
    board
}

#[test]
fn positions_have_the_signatures_of_the_vectors() {
    let Some(vectors) = vectors() else { return };
    let mut compared = 0;
    for vector in list(&vectors["sigs"]) {
        let expected = signature(&vector["white"], &vector["black"]);
        assert_eq!(MatSig::of(&board(text(&vector["fen"]))), expected, "{}", vector["fen"]);
        compared += 1;
    }
    for vector in list(&vectors["flip"]) {
        let expected = signature(&vector["flipped"][0], &vector["flipped"][1]);
        let read = signature(&vector["sig"][0], &vector["sig"][1]);
        assert_eq!(read.flipped(), expected, "{}", vector["fen"]);
        assert_eq!(read, MatSig::of(&board(text(&vector["fen"]))), "{}", vector["fen"]);
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn games_have_the_signatures_of_the_vectors() {
    let Some(vectors) = vectors() else { return };
    let mut compared = 0;
    for game in list(&vectors["games"]) {
        let start: Fen = text(&game["start"]).parse().expect("a FEN");
        let mut position: Chess = start.into_position(CastlingMode::Chess960).expect("legal");
        let mut board = Board::from_start(&Start::from_position(&position));
        let mut tracker = Tracker::new(&board);
        let mut tracked = vec![tracker.signature()];
        for mv in list(&game["uci"]) {
            let mv: UciMove = text(mv).parse().expect("UCI");
            let mv = mv.to_move(&position).expect("legal");
            position.play_unchecked(mv);
            tracker.make(&board, Move::from(mv));
            board.make::<Mailbox>(Move::from(mv));
            tracked.push(tracker.signature());
        }
        assert_eq!(Fen::from_position(&position, EnPassantMode::Legal).to_string(), text(&game["final_fen"]));
        for expected in list(&game["sigs"]) {
            let ply = expected["ply"].as_u64().expect("a ply") as usize;
            assert_eq!(tracked[ply], signature(&expected["white"], &expected["black"]), "{}, ply {ply}", game["note"]);
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

/// The signature in so many words, by shakmaty's board.
fn naive(position: &Chess, steps: [Option<u32>; 2]) -> MatSig {
    let word = |colour: Color, steps: Option<u32>| {
        let mut word = 0;
        let mut numbers = [0; 5];
        for square in position.board().by_color(colour) {
            match position.board().role_at(square) {
                Some(Role::Pawn) => word |= 1 << ((u32::from(square.rank()) - 1) * 8 + u32::from(square.file())),
                Some(Role::Knight) => numbers[0] += 1,
                Some(Role::Bishop) => numbers[if square.is_light() { 1 } else { 2 }] += 1,
                Some(Role::Rook) => numbers[3] += 1,
                Some(Role::Queen) => numbers[4] += 1,
                _ => {}
            }
        }
        for (kind, number) in numbers.into_iter().enumerate() {
            word |= u64::min(number, 3) << (48 + 2 * kind);
        }
        word | steps.map_or(0, |steps| if steps >= 47 { 48 } else { u64::from(steps) + 1 }) << 58
    };
    MatSig { white: word(Color::White, steps[0]), black: word(Color::Black, steps[1]) }
}

/// The steps behind the pawns of `colour`, if there are eight of them.
fn steps_on_the_board(position: &Chess, colour: Color) -> Option<u32> {
    let pawns = position.board().pawns() & position.board().by_color(colour);
    let home = if colour.is_white() { shakmaty::Rank::Second } else { shakmaty::Rank::Seventh };
    (pawns.count() == 8).then(|| pawns.into_iter().map(|pawn| pawn.rank().distance(home)).sum())
}

/// Every position of a game, by the code and by the words above.
fn follows_shakmaty(start: Option<&'static str>, moves: &[Move]) {
    let mut position = position(start);
    let mut board = Board::from_start(&Start::from_position(&position));
    let mut tracker = Tracker::new(&board);
    let mut steps = [Color::White, Color::Black].map(|colour| steps_on_the_board(&position, colour));
    assert_eq!(tracker.signature(), naive(&position, steps));
    for &mv in moves {
        tracker.make(&board, mv);
        board.make::<Mailbox>(mv);
        position = if mv == Move::NULL {
            position.swap_turn().expect("passed")
        } else {
            let legal = position.legal_moves().into_iter().find(|&legal| Move::from(legal) == mv).expect("legal");
            if legal.role() == Role::Pawn {
                let made = legal.from().expect("no drop").rank().distance(legal.to().rank());
                let own = &mut steps[usize::from(position.turn().is_black())];
                *own = own.map(|steps| steps + made);
            }
            position.play_unchecked(legal);
            position
        };
        assert_eq!(tracker.signature(), naive(&position, steps));
        let alone = [Color::White, Color::Black].map(|colour| steps_on_the_board(&position, colour));
        assert_eq!(MatSig::of(&board), naive(&position, alone));
        assert_eq!(tracker.signature().without_history(), MatSig::of(&board));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn tracked_signatures_equal_those_by_shakmaty(
        nth in 0..STARTS.len(),
        choices in prop::collection::vec(prop_oneof![20 => any::<u16>(), 1 => Just(u16::MAX)], 1..300),
    ) {
        let (start, moves) = play(STARTS[nth], &choices);
        follows_shakmaty(start, &moves);
    }
}
