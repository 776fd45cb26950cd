//! Reads back what went in: texts, boards, courses, and the worked examples.

use plyfold_core::board::make::{FullState, MailboxOnly};
use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader, CorpusReader};
use plyfold_core::game::{GameId, Ply, corpus_spans, game_by_id, game_in_spans, span_of_game};
use plyfold_core::irreversible::EventStreamBuffer;
use plyfold_core::matsig::tracker::SignatureTracker;
use plyfold_core::pgn::pack_shard;
use plyfold_tests::games::{Aligned, corpus, facts};
use plyfold_tests::shards::CorpusParts;
use plyfold_tests::worked_example::bytes_of_example;
use shakmaty::Color;

use super::{games, open, sample};

#[test]
fn what_goes_in_comes_out() {
    let bytes = Aligned::new(&sample());
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("whole");
    assert_eq!((corpus.header.games, corpus.header.shards), (9, 3));
    for id in 0..9 {
        let text = corpus.text(id).expect("text");
        let plies = corpus.record(id).expect("record").plies;
        assert_eq!(String::from_utf8(text).expect("utf-8"), format!("[White \"{}\"]\n\n{plies} moves *\n", id % 4));
        let (shard, game) = corpus.find_game(id).expect("game");
        assert_eq!(shard.players.get(shard.records[game as usize].white), &*facts(id as usize % 4).white);
    }
    assert_eq!(corpus.text(9), Err(CorpusError::NoSuchGame { number: 10, games: 9 }));
    assert!(corpus.find_game(9).is_none());
}

/// The expected values: event streams built for each game alone, and the signature of a tracker that has seen each move.
#[test]
fn each_game_has_its_course_and_its_last_signature() {
    let games = games();
    let bytes = Aligned::new(&corpus(&games, 70));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("whole");
    let mut known = [0; 2];
    for span in corpus_spans(&corpus).into_iter().flat_map(|span| span.split(32)) {
        assert_eq!(span.signatures().len(), span.len() as usize);
        for (nth, game) in (0..).zip(span.games()) {
            let (_, moves) = &games[game.id.index()];
            assert_eq!(game.moves, moves);
            let mut board = game.start_board();
            let mut tracker = SignatureTracker::new(&board);
            let mut courses = EventStreamBuffer::default();
            courses.push_game(&board, moves);
            for &mv in moves {
                tracker.follow(&board, mv);
                board.make::<MailboxOnly>(mv);
            }
            assert_eq!(game.event_streams, Some(courses.as_streams()), "game {}", game.id.0);
            assert_eq!(game.final_signature, Some(&tracker.signature(&board)), "game {}", game.id.0);
            assert_eq!(game.final_signature, Some(&span.signatures()[nth as usize]));
            known[usize::from(tracker.signature(&board).steps(Color::White).is_some())] += 1;
            // Access by number gives the same game.
            let same = span.game(nth);
            assert_eq!(
                (same.id, same.moves, same.final_signature, same.event_streams),
                (game.id, game.moves, game.final_signature, game.event_streams)
            );
            assert_eq!((same.record, same.custom_start_board()), (game.record, game.custom_start_board()));
        }
    }
    assert!(known[0] > 30 && known[1] > 200, "{known:?}");
}

#[test]
fn a_game_and_its_boards_are_found_by_number() {
    let bytes = Aligned::new(&sample());
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("whole");
    let spans = corpus_spans(&corpus);
    for (span, game) in spans.iter().flat_map(|span| span.games().map(move |game| (span, game))) {
        let alone = span_of_game(&corpus, game.id).expect("a game");
        assert_eq!((alone.first_game, alone.len(), alone.shard), (game.id, 1, span.shard));
        for found in [game_by_id(&corpus, game.id), game_in_spans(&spans, game.id), alone.games().next()] {
            let found = found.expect("a game");
            assert_eq!((found.id, found.record, found.moves), (game.id, game.record, game.moves));
            assert_eq!(found.start_board(), game.start_board());
        }
        let mut board = game.start_board();
        assert_eq!(game.board_at(Ply::START), board);
        for (ply, &mv) in (1..).zip(game.moves) {
            board.make::<FullState>(mv);
            assert_eq!(game.board_at(Ply(ply)), board, "game {} ply {ply}", game.id.0);
        }
        assert_eq!(game.board_at(Ply(u32::MAX)), board);
    }
    assert!(span_of_game(&corpus, GameId(9)).is_none() && game_by_id(&corpus, GameId(9)).is_none());
    assert!(game_in_spans(&spans, GameId(9)).is_none() && game_in_spans(&[], GameId(0)).is_none());
}

/// The bytes of example `nth` in FORMAT.md, counted from the end.
fn example(nth: usize) -> Vec<u8> {
    bytes_of_example(include_str!("../../../../core/corpus/src/FORMAT.md"), nth)
}

/// The parts of a corpus of one shard.
fn parts_of_shard(shard: &[u8]) -> CorpusParts {
    CorpusParts::of(&[&[0; 16][..], &(64 + shard.len() as u64).to_le_bytes(), &[0; 40], shard].concat())
}

/// FORMAT.md shows short games and the smallest corpus byte by byte.
#[test]
fn the_worked_examples_are_true() {
    let (shard, report) = pack_shard(b"1. e4 d5 2. exd5 Qxd5 *", 0);
    assert_eq!((report.imported, report.plies), (1, 4));
    let mut shard = parts_of_shard(&shard);
    let shard = &mut shard.shards[0];
    assert_eq!(example(2), [11, 12, 9].map(|kind| shard.section(kind).clone()).concat());
    assert_eq!(*shard.section(10), [0u32, 0, 2, 4].map(u32::to_le_bytes).concat());
    let annotated = b"1. e4 {[%eval 0.2] [%clk 0:02:10]} e5 {[%eval 1.0]} 2. Nf3 {[%clk 0:01:00]} *";
    let (shard, _) = pack_shard(annotated, 0);
    let mut shard = parts_of_shard(&shard);
    assert_eq!(example(1), *shard.shards[0].section(20));
    assert_eq!(example(0), CorpusFileHeader::empty().to_bytes());
    open(&example(0)).expect("an empty corpus");
}
