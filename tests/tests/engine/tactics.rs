//! The motifs of moves: what a chess player sees in small examples, under every symmetry that chess allows, and what shakmaty finds
//! in real games.

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::corpus_spans;
use plyfold_core::moves::Move;
use plyfold_core::query::compile;
use plyfold_core::query::parse::parse;
use plyfold_core::reduce::matching_positions::PositionSelection;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::predicate::Motif;
use plyfold_tests::games::{Aligned, PlayedGame, corpus};
use plyfold_tests::oracle::Trace;
use plyfold_tests::{data, imported};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, Position};

/// A position, a line of moves, and the motifs of the side that moves first, each with its ply.
const TACTICS: &[(&str, &str, &str)] = &[
    ("r3k3/8/8/3N4/8/8/8/4K3 w - - 0 1", "d5c7 e8d7 c7a8", "1 plays_fork"),
    ("4k3/8/8/4r3/8/8/5P2/4R1K1 w - - 0 1", "f2f4 e8d7 f4e5", "1 plays_pin"),
    ("3q4/8/8/3k4/8/8/8/R5K1 w - - 0 1", "a1d1 d5e6 d1d8", "1 plays_skewer"),
    ("3qk3/8/8/8/3N4/8/8/3R2K1 w - - 0 1", "d4f5 e8f7 d1d8", "1 plays_discovered_attack"),
    ("R3r2k/6pp/8/4q3/8/8/8/4R1K1 w - - 0 1", "a8e8 e5e8 e1e8", "1 plays_x_ray"),
    ("4k3/8/8/8/8/R1n5/8/4K3 w - - 0 1", "a3c3 e8e7", "1 captures_hanging_piece"),
    ("6k1/8/8/8/8/1P6/b1P5/2K5 w - - 0 1", "c1b2 g8f7 b2a2", "1 traps_piece"),
    ("k7/8/8/N7/8/8/8/1R4K1 w - - 0 1", "b1b8 a8b8 a5c6", "1 plays_attraction"),
    ("6k1/3q1ppp/8/8/8/7r/7R/4R1K1 w - - 0 1", "e1e8 d7e8 h2h3", "1 plays_deflection"),
    ("3r3k/8/8/8/1B1n4/8/8/3R2K1 w - - 0 1", "b4d6 h8g8 d1d4", "1 plays_interference"),
    ("6k1/8/8/8/8/8/1R6/B5K1 w - - 0 1", "b2b8 g8f7 a1e5", "1 plays_clearance"),
    ("6k1/8/2n5/1B2b3/8/8/8/4R1K1 w - - 0 1", "b5c6 g8f8 e1e5", "1 captures_defender"),
    ("4k3/8/8/2b5/3N4/2P5/8/R3K3 b - - 0 1", "c5d4 a1a8 e8e7 c3d4", "2 plays_intermezzo"),
];

/// The game of a line from a position, also with colours swapped.
fn games(fen: &'static str, line: &str) -> [PlayedGame; 2] {
    let swapped: &'static str = String::leak(mirrored(fen));
    let swap_ranks = |uci: &str| -> String {
        uci.chars().map(|c| c.to_digit(10).map_or(c, |rank| char::from_digit(9 - rank, 10).unwrap_or(c))).collect()
    };
    let of_line = |fen: &'static str, line: &str| {
        let mut position: Chess = fen.parse::<Fen>().expect(fen).into_position(CastlingMode::Standard).expect(fen);
        let moves = line.split(' ').map(|uci| {
            let mv = uci.parse::<UciMove>().expect(uci).to_move(&position).unwrap_or_else(|_| panic!("{uci} in {fen}"));
            position.play_unchecked(mv);
            Move::from(mv)
        });
        (Some(fen), moves.collect())
    };
    [of_line(fen, line), of_line(swapped, &swap_ranks(line))]
}

/// A FEN with colours swapped.
fn mirrored(fen: &str) -> String {
    let (board, rest) = fen.split_once(' ').expect(fen);
    let swap_case = |c: char| if c.is_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    let ranks: Vec<String> = board.rsplit('/').map(|rank| rank.chars().map(swap_case).collect()).collect();
    let turn = if rest.starts_with('w') { "b" } else { "w" };
    format!("{} {turn}{}", ranks.join("/"), &rest[1..])
}

/// The plies at which a query holds in each game.
fn plies_found(corpus: &CorpusReader<'_>, query: &str) -> Vec<(u32, u32)> {
    let compiled = compile(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    let selection = ReducerSelection { positions: Some(PositionSelection::default()), ..ReducerSelection::default() };
    let found = run_query(&corpus_spans(corpus), &compiled, &selection, &()).expect("nobody cancels");
    found.positions.expect("positions").iter().map(|one| (one.game.0, one.ply.0)).collect()
}

#[test]
fn tactics_are_what_players_see() {
    let mut wrong = Vec::new();
    for &(fen, line, expected) in TACTICS {
        for (nth, game) in games(fen, line).into_iter().enumerate() {
            let bytes = Aligned::new(&corpus(&[game], 1));
            let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
            let (ply, name) = expected.split_once(' ').expect("a ply and a motif");
            let first = if fen.contains(" w ") == (nth == 0) { "white" } else { "black" };
            let side = if ply == "1" {
                first
            } else if first == "white" {
                "black"
            } else {
                "white"
            };
            let found = plies_found(&corpus, &format!("{side} {name}"));
            if found != [(0, ply.parse().expect("a number"))] {
                wrong.push(format!("{fen} {line}: {side} {name}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// In the demo games, against shakmaty.
#[test]
fn tactics_of_real_games_are_those_of_shakmaty() {
    let (bytes, _) = imported::file(&data::demo());
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let spans = corpus_spans(&corpus);
    for &motif in Motif::ALL {
        let mut number = 0;
        for side in [Color::White, Color::Black] {
            let query = format!("{} {}", side.fold_wb("white", "black"), motif.words().0[0]);
            let tree = parse(&query).expect(&query);
            let found = plies_found(&corpus, &query);
            number += found.len();
            for game in (0..spans[0].len()).step_by(40) {
                let expected = Trace::of(spans[0], game).matching_plies(&tree);
                let here: Vec<u32> = found.iter().filter(|one| one.0 == game).map(|one| one.1).collect();
                assert_eq!(here, expected, "{query} in game {game}");
            }
        }
        assert!(number > 0, "{motif:?} occurs in the demo games");
    }
}
