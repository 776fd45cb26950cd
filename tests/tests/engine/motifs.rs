//! The motifs of moves: what a chess player sees in small examples, under every symmetry that chess allows, and what shakmaty finds
//! on random boards.

use plyfold_core::board::Board;
use plyfold_core::board::start::PackedStart;
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::corpus_spans;
use plyfold_core::moves::Move;
use plyfold_core::query::compile;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::measure::mate::NamedMate;
use plyfold_tests::games::{Aligned, PlayedGame, corpus};
use plyfold_tests::mates::is_mated_so;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{Board as Pieces, CastlingMode, Chess, Color, FromSetup, Piece, Position, Role, Setup, Square};

/// A position, a mating move of White, and all names of the mate.
const MATES: &[(&str, &str, &str)] = &[
    ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a1a8", "back_rank_mate"),
    ("2k1N3/1p1r4/8/2P5/8/8/R7/K7 w - - 0 1", "a2a8", ""),
    ("6nk/6pp/8/4N3/8/8/8/K7 w - - 0 1", "e5f7", "smothered_mate"),
    ("7k/6pr/5N2/7R/8/8/8/2K5 w - - 0 1", "h5h7", "arabian_mate"),
    ("7k/7p/8/2R4N/8/8/8/6K1 w - - 0 1", "c5c8", "anastasia_mate"),
    ("2kr4/3p4/8/8/5B2/8/4B3/6K1 w - - 0 1", "e2a6", "bodens_mate"),
    ("6bk/7b/7B/6B1/8/8/8/K7 w - - 0 1", "g5f6", "double_bishop_mate"),
    ("8/2rr4/2pk4/8/5P2/8/8/4Q1K1 w - - 0 1", "e1e5", "dovetail_mate"),
    ("R7/4kp2/4pN2/4P3/8/8/8/6K1 w - - 0 1", "a8e8", "hook_mate"),
    ("6nk/4R3/8/5B2/8/8/8/7K w - - 0 1", "e7h7", "opera_mate"),
    ("7k/6p1/4B3/8/8/8/4R3/1K6 w - - 0 1", "e2h2", "pillsburys_mate"),
    ("3bkn2/3b1R2/8/5N2/8/8/8/2K5 w - - 0 1", "f5d6", "corner_mate"),
    ("R4bk1/7p/7Q/8/8/8/8/2K5 w - - 0 1", "a8f8", "kill_box_mate"),
    ("6bk/7p/8/4R3/3B4/8/8/6K1 w - - 0 1", "e5e7", "morphys_mate"),
    ("4N1k1/4PRpr/8/8/8/8/8/6K1 w - - 0 1", "f7f8", "vukovic_mate"),
    ("3rk3/3R4/8/8/8/8/Q7/7K w - - 0 1", "a2f7", "triangle_mate"),
    ("6kr/5RrR/4B3/8/8/8/8/2K5 w - - 0 1", "h7g7", "blind_swine_mate"),
];

/// All images of a position and a move: as it is, with files mirrored, and both with colours swapped.
fn images(fen: &str, uci: &str) -> Vec<(Chess, shakmaty::Move)> {
    let setup: Setup = fen.parse::<Fen>().expect(fen).into_setup();
    let uci: UciMove = uci.parse().expect(uci);
    let image = |mirrors: bool, swaps: bool| {
        let square = |square: Square| {
            let square = if mirrors { square.flip_horizontal() } else { square };
            if swaps { square.flip_vertical() } else { square }
        };
        let mut pieces = Pieces::empty();
        for (at, piece) in setup.board.clone() {
            let color = if swaps { !piece.color } else { piece.color };
            pieces.set_piece_at(square(at), Piece { color, ..piece });
        }
        let turn = if swaps { !setup.turn } else { setup.turn };
        let setup = Setup { board: pieces, turn, ..Setup::empty() };
        let position = Chess::from_setup(setup, CastlingMode::Standard).expect(fen);
        let UciMove::Normal { from, to, promotion } = uci else { panic!("{uci} moves a piece") };
        let uci = UciMove::Normal { from: square(from), to: square(to), promotion };
        let mv = uci.to_move(&position).unwrap_or_else(|_| panic!("{uci} is legal in {fen}"));
        (position, mv)
    };
    [(false, false), (true, false), (false, true), (true, true)].map(|(mirrors, swaps)| image(mirrors, swaps)).to_vec()
}

/// The number of games that a query finds.
fn number_found(corpus: &CorpusReader<'_>, query: &str) -> u32 {
    let compiled = compile(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
    let found = run_query(&corpus_spans(corpus), &compiled, &selection, &()).expect("nobody cancels");
    found.games.expect("games").words().iter().map(|word| word.count_ones()).sum()
}

#[test]
fn mates_have_the_names_that_players_give_them() {
    let mut wrong = Vec::new();
    for &(fen, uci, expected) in MATES {
        for (mut position, mv) in images(fen, uci) {
            let mater = position.turn();
            position.play_unchecked(mv);
            assert!(position.is_checkmate(), "{uci} mates in {fen}");
            let board = Board::from_start(&PackedStart::from_position(&position));
            let has = |mate: &&NamedMate| mate.feature().squares_on(&board, !mater) != 0;
            let found: Vec<&str> = NamedMate::ALL.iter().filter(has).map(|mate| mate.word().0).collect();
            if found.join(" ") != expected {
                wrong.push(format!("{fen} {uci}: {found:?}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_side_before_a_mate_is_the_side_that_mates() {
    for &(fen, uci, name) in MATES {
        let position = images(fen, uci)[0].clone();
        let games: Vec<PlayedGame> = vec![(Some(fen), vec![Move::from(position.1)])];
        let bytes = Aligned::new(&corpus(&games, 1));
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
        for mate in NamedMate::ALL {
            let word = mate.word().0;
            assert_eq!(number_found(&corpus, &format!("white {word}")), u32::from(word == name), "{fen}: {word}");
            assert_eq!(number_found(&corpus, &format!("black {word}")), 0, "{fen}: {word}");
        }
    }
}

#[test]
fn named_mates_of_random_boards_are_those_of_shakmaty() {
    let mut random = StdRng::seed_from_u64(41);
    let mut found = [0; NamedMate::ALL.len()];
    for _ in 0..100_000 {
        let Some(position) = crowded_king(&mut random).filter(Position::is_checkmate) else { continue };
        let board = Board::from_start(&PackedStart::from_position(&position));
        for (number, &mate) in found.iter_mut().zip(NamedMate::ALL) {
            let holds = mate.feature().squares_on(&board, position.turn()) != 0;
            assert_eq!(holds, is_mated_so(&position, mate), "{mate:?} in {board:?}");
            assert_eq!(mate.feature().squares_on(&board, !position.turn()), 0, "{mate:?}");
            *number += u32::from(holds);
        }
    }
    // The rarest occur in the examples alone.
    assert!(found.iter().filter(|&&number| number > 0).count() > 11, "{found:?}");
}

/// A king to move with pieces of both sides around it, many of them close.
fn crowded_king(random: &mut StdRng) -> Option<Chess> {
    let colour = if random.random() { Color::White } else { Color::Black };
    let mut pieces = Pieces::empty();
    let king = Square::new(random.random_range(0..64));
    pieces.set_piece_at(king, colour.king());
    let near = |far: i32, random: &mut StdRng| {
        let mut offset = || random.random_range(-far..=far);
        Some(Square::from_coords(king.file().offset(offset())?, king.rank().offset(offset())?))
    };
    const OWN: [Role; 4] = [Role::Pawn, Role::Pawn, Role::Rook, Role::Bishop];
    const ENEMIES: [Role; 7] =
        [Role::Rook, Role::Rook, Role::Knight, Role::Bishop, Role::Bishop, Role::Queen, Role::Pawn];
    let own = random.random_range(0..8);
    let enemies = random.random_range(2..5);
    for nth in 0..own + enemies {
        let is_own = nth < own;
        let Some(square) = near(if is_own { 1 } else { 3 }, random) else { continue };
        let roles = if is_own { &OWN[..] } else { &ENEMIES };
        let role = roles[random.random_range(0..roles.len())];
        if pieces.piece_at(square).is_none() {
            pieces.set_piece_at(square, Piece { color: if is_own { colour } else { !colour }, role });
        }
    }
    let other = Square::new(random.random_range(0..64));
    if pieces.piece_at(other).is_some() {
        return None;
    }
    pieces.set_piece_at(other, (!colour).king());
    Chess::from_setup(Setup { board: pieces, turn: colour, ..Setup::empty() }, CastlingMode::Standard).ok()
}
