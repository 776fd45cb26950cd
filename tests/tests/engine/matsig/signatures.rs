//! Compares signatures with the vectors, and at every position of random games with those by shakmaty.

use plyfold_core::board::Board;
use plyfold_core::board::make::MailboxOnly;
use plyfold_core::board::start::PackedStart;
use plyfold_core::irreversible::material::PackedPieceCounts;
use plyfold_core::matsig::MatSig;
use plyfold_core::matsig::tracker::SignatureTracker;
use plyfold_core::moves::Move;
use plyfold_tests::games::{STARTS, play, position};
use proptest::prelude::*;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{Bitboard, CastlingMode, Chess, Color, EnPassantMode, Position, Role};

use super::{list, signature, text, vectors};

/// The signature of a FEN, even if the position is illegal.
fn of_fen(fen: &str) -> MatSig {
    let setup = fen.parse::<Fen>().unwrap_or_else(|error| panic!("{fen}: {error}")).into_setup();
    MatSig::from_setup(&setup).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

#[test]
fn positions_have_the_signatures_of_the_vectors() {
    let vectors = vectors();
    let mut compared = 0;
    for vector in list(&vectors["sigs"]) {
        let expected = signature(&vector["white"], &vector["black"]);
        assert_eq!(of_fen(text(&vector["fen"])), expected, "{}", vector["fen"]);
        compared += 1;
    }
    for vector in list(&vectors["flip"]) {
        let expected = signature(&vector["flipped"][0], &vector["flipped"][1]);
        let read = signature(&vector["sig"][0], &vector["sig"][1]);
        assert_eq!(read.flipped(), expected, "{}", vector["fen"]);
        assert_eq!(read, of_fen(text(&vector["fen"])), "{}", vector["fen"]);
        compared += 1;
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn games_have_the_signatures_of_the_vectors() {
    let vectors = vectors();
    let mut compared = 0;
    for game in list(&vectors["games"]) {
        let start: Fen = text(&game["start"]).parse().expect("a FEN");
        let mut position: Chess = start.into_position(CastlingMode::Chess960).expect("legal");
        let mut board = Board::from_start(&PackedStart::from_position(&position));
        let mut tracker = SignatureTracker::new(&board);
        let mut tracked = vec![tracker.signature(&board)];
        for mv in list(&game["uci"]) {
            let mv: UciMove = text(mv).parse().expect("UCI");
            let mv = mv.to_move(&position).expect("legal");
            position.play_unchecked(mv);
            tracker.follow(&board, Move::from(mv));
            board.make::<MailboxOnly>(Move::from(mv));
            tracked.push(tracker.signature(&board));
        }
        assert_eq!(Fen::from_position(&position, EnPassantMode::Legal).to_string(), text(&game["final_fen"]));
        for expected in list(&game["sigs"]) {
            let ply = expected["ply"].as_u64().expect("a ply") as usize;
            assert_eq!(tracked[ply], signature(&expected["white"], &expected["black"]), "{}, ply {ply}", game["note"]);
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}

/// The signature, packed into its words from shakmaty's board.
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

/// The steps of the pawns of `colour`, if there are eight pawns.
fn steps_on_the_board(position: &Chess, colour: Color) -> Option<u32> {
    let pawns = position.board().pawns() & position.board().by_color(colour);
    let home = if colour.is_white() { shakmaty::Rank::Second } else { shakmaty::Rank::Seventh };
    (pawns.count() == 8).then(|| pawns.into_iter().map(|pawn| pawn.rank().distance(home)).sum())
}

/// Compares the code with `naive` at every position of a game.
fn follows_shakmaty(start: Option<&'static str>, moves: &[Move]) {
    let mut position = position(start);
    let mut board = Board::from_start(&PackedStart::from_position(&position));
    let mut tracker = SignatureTracker::new(&board);
    let mut steps = [Color::White, Color::Black].map(|colour| steps_on_the_board(&position, colour));
    assert_eq!(tracker.signature(&board), naive(&position, steps));
    for &mv in moves {
        tracker.follow(&board, mv);
        board.make::<MailboxOnly>(mv);
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
        assert_eq!(tracker.signature(&board), naive(&position, steps));
        let alone = [Color::White, Color::Black].map(|colour| steps_on_the_board(&position, colour));
        assert_eq!(MatSig::from_board(&board), naive(&position, alone));
        assert_eq!(tracker.signature(&board).without_history(), MatSig::from_board(&board));
        same_numbers(&tracker.signature(&board), &position);
    }
}

/// Asserts that a signature has the piece counts of the position, if there are fewer than three pieces of each kind.
fn same_numbers(signature: &MatSig, position: &Chess) {
    let many = Color::ALL.into_iter().any(|colour| {
        let all = position.board();
        let of = |role: Role| all.by_piece(role.of(colour));
        let kinds = [of(Role::Knight), of(Role::Rook), of(Role::Queen)];
        let bishops = [of(Role::Bishop) & Bitboard::LIGHT_SQUARES, of(Role::Bishop) & Bitboard::DARK_SQUARES];
        kinds.into_iter().chain(bishops).any(|pieces| pieces.count() >= 3)
    });
    let expected = (!many).then(|| PackedPieceCounts::from_board(&counted(position)).by_piece_code());
    assert_eq!(signature.piece_counts(), expected);
}

/// A board with all its counts.
fn counted(position: &Chess) -> Board {
    Board::from_start(&PackedStart::from_position(position))
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
