//! Next moves of positions that are written alike or differently: each row has one name, and each name one row.

use std::collections::BTreeMap;

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::corpus_spans;
use plyfold_core::moves::Move;
use plyfold_core::query::compile;
use plyfold_core::reduce::move_name::{ChosenMove, MoveName};
use plyfold_core::reduce::next_moves::{NEXT_MOVES, NextMoveTable};
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_tests::games::{Aligned, PlayedGame, corpus, position};
use shakmaty::san::SanPlus;
use shakmaty::{Position, Square};

/// In each of these positions one of two moves is written differently though its squares are the same, or alike though they are others.
#[test]
fn moves_that_are_written_alike_have_one_row() {
    let plays = |fen: &'static str, moves: &[&str]| -> PlayedGame {
        let mut position = position(Some(fen));
        let played = moves.iter().map(|san| {
            let mv = san.parse::<SanPlus>().expect(san).san.to_move(&position).expect(san);
            position.play_unchecked(mv);
            mv
        });
        (Some(fen), played.map(Move::from).collect())
    };
    let games = [
        // En passant, and the same capture of a pawn that stands there.
        plays("4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1", &["dxe6"]),
        plays("4k3/8/4p3/3P4/8/8/8/4K3 w - - 0 1", &["dxe6"]),
        plays("4k3/8/8/8/8/8/8/1K6 w - - 0 1", &["Ka2"]),
        plays("4k3/8/8/8/8/8/n7/1K6 w - - 0 1", &["Kxa2"]),
        // From two squares, and from one of them where another knight may go there too, or may not because it is pinned.
        plays("4k3/8/8/8/8/8/8/1N2K3 w - - 0 1", &["Nd2"]),
        plays("4k3/8/8/8/8/5N2/8/4K3 w - - 0 1", &["Nd2"]),
        plays("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", &["Nbd2"]),
        plays("7k/8/8/8/4N3/8/8/1N2K3 w - - 0 1", &["Nbd2"]),
        plays("4r2k/8/8/8/4N3/8/8/1N2K3 w - - 0 1", &["Nd2"]),
        // Mate, check, and neither; mate alone.
        plays("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", &["Ra8#"]),
        plays("6k1/5pp1/8/8/8/8/8/R3K3 w - - 0 1", &["Ra8+"]),
        plays("6k1/5ppp/8/8/8/8/8/1R2K3 w - - 0 1", &["Rb8#"]),
        plays("6k1/8/8/8/8/8/8/4K2R w K - 0 1", &["O-O"]),
        plays("4k2r/8/8/8/8/8/8/4K3 b k - 0 1", &["O-O"]),
    ];
    let bytes = Aligned::new(&corpus(&games, 5));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let (spans, query) = (corpus_spans(&corpus), compile("").expect("a query"));
    let found = run_query(&spans, &query, &ReducerSelection::of(NEXT_MOVES.output()), &()).expect("nobody cancels");
    let table = found.summary::<NextMoveTable>().expect("requested");
    let rows: BTreeMap<&str, u64> = table.moves.iter().map(|next| (&*next.written[0], next.times)).collect();
    let expected =
        [("Ka2", 1), ("Kxa2", 1), ("Nbd2", 2), ("Nd2", 3), ("O-O", 2), ("Ra8+", 2), ("Rb8#", 1), ("dxe6", 2)];
    assert_eq!(rows, BTreeMap::from(expected));
    for next in &table.moves {
        assert_eq!(MoveName::from_bits(next.name.bits()), Some(next.name));
        // A link of an older version has the bits of the move.
        assert_eq!(MoveName::from_bits(next.mv.bits().into()), None);
    }
    let en_passant = Move::en_passant(Square::D5, Square::E6);
    let output = NEXT_MOVES.output().with_chosen(ChosenMove::Resolved(en_passant));
    let found = run_query(&spans, &query, &ReducerSelection::of(output), &()).expect("nobody cancels");
    let chosen = found.summary::<NextMoveTable>().and_then(|table| table.chosen_games.as_ref()).expect("requested");
    assert!(chosen.iter().map(|game| game.0).eq([0]));
}
