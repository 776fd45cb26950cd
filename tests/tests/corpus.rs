//! The corpus file: what goes in comes out, and nothing that is damaged passes.

use plyfold_core::board::make::Mailbox;
use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::{Check, Corpus, FileHeader};
use plyfold_core::course::Courses;
use plyfold_core::game::spans;
use plyfold_core::matsig::tracker::Tracker;
use plyfold_tests::games::{Aligned, Played, STARTS, corpus, play};
use shakmaty::Color;

fn sample() -> Vec<u8> {
    let games: Vec<Played> =
        (0..9u16).map(|n| play(STARTS[usize::from(n) % STARTS.len()], &[n * 7 + 1, n + 3, n * 1000, 12, 5])).collect();
    corpus(&games, 4)
}

fn open(bytes: &[u8]) -> Result<(), CorpusError> {
    Corpus::open(Aligned::new(bytes).bytes(), Check::Whole).map(drop)
}

#[test]
fn what_goes_in_comes_out() {
    let bytes = Aligned::new(&sample());
    let corpus = Corpus::open(bytes.bytes(), Check::Whole).expect("whole");
    assert_eq!((corpus.header.games, corpus.header.shards), (9, 3));
    for id in 0..9 {
        let text = corpus.text(id).expect("text");
        let plies = corpus.record(id).expect("record").plies;
        assert_eq!(String::from_utf8(text).expect("utf-8"), format!("[White \"{}\"]\n\n{plies} moves *\n", id % 4));
        let (shard, game) = corpus.find(id).expect("game");
        assert_eq!(shard.players.get(shard.records[game as usize].white), format!("White {}", id % 4 % 3));
    }
    assert_eq!(corpus.text(9), Err(CorpusError::NoSuchGame { number: 10, games: 9 }));
    assert!(corpus.find(9).is_none());
}

/// Truth for what a shard keeps of a game: the streams of a course of its own, a tracker that has seen each move.
#[test]
fn each_game_has_its_course_and_its_last_signature() {
    let mut rng = 0x1234_5678_9abc_def0u64;
    let mut choice = || {
        rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let choice = (rng >> 40) as u16;
        if choice % 61 == 0 { u16::MAX } else { choice }
    };
    let games: Vec<Played> = (0..300)
        .map(|n| {
            let choices: Vec<u16> = (0..n % 190).map(|_| choice()).collect();
            play(STARTS[n % STARTS.len()], &choices)
        })
        .collect();
    let bytes = Aligned::new(&corpus(&games, 70));
    let corpus = Corpus::open(bytes.bytes(), Check::Whole).expect("whole");
    let mut known = [0; 2];
    for span in spans(&corpus).into_iter().flat_map(|span| span.split(32)) {
        assert_eq!(span.signatures().len(), span.len() as usize);
        for (nth, game) in (0..).zip(span.games()) {
            let (_, moves) = &games[game.id as usize];
            assert_eq!(game.moves, moves);
            let mut board = game.start();
            let mut tracker = Tracker::new(&board);
            let mut courses = Courses::default();
            courses.push(&board, moves);
            for &mv in moves {
                tracker.make(&board, mv);
                board.make::<Mailbox>(mv);
            }
            assert_eq!(game.course, Some(courses.as_course()), "game {}", game.id);
            assert_eq!(game.last, Some(&tracker.signature()), "game {}", game.id);
            assert_eq!(game.last, Some(&span.signatures()[nth as usize]));
            known[usize::from(tracker.signature().steps(Color::White).is_some())] += 1;
            // By its number a game is the same.
            let same = span.game(nth);
            assert_eq!((same.id, same.moves, same.last, same.course), (game.id, game.moves, game.last, game.course));
            assert_eq!((same.record, same.own_start()), (game.record, game.own_start()));
        }
    }
    assert!(known[0] > 30 && known[1] > 200, "{known:?}");
}

#[test]
fn every_flipped_bit_is_an_error() {
    let sound = sample();
    open(&sound).expect("sound");
    for at in 0..sound.len() {
        for bit in 0..8 {
            let mut damaged = sound.clone();
            damaged[at] ^= 1 << bit;
            assert!(open(&damaged).is_err(), "bit {bit} of byte {at} passes");
        }
    }
}

#[test]
fn every_truncation_is_an_error_that_says_where() {
    let sound = sample();
    for length in 0..sound.len() {
        let error = open(&sound[..length]).expect_err("cut");
        match error {
            CorpusError::NotACorpus => assert_eq!(length, 0),
            CorpusError::Truncated { offset, missing, .. } => {
                assert!(missing > 0 && offset < length as u64 + 8, "{length}: {error}")
            }
            other => panic!("cut at {length} of {}: {other}", sound.len()),
        }
    }
}

#[test]
fn what_an_append_left_behind_does_no_harm() {
    let mut bytes = sample();
    bytes.extend_from_slice(b"plyshard and then the power went");
    open(&bytes).expect("the rest is not part of the corpus");
}

#[test]
fn foreign_and_newer_files_are_named() {
    assert_eq!(open(b"[Event \"?\"]\n\n1. e4 *\n"), Err(CorpusError::NotACorpus));
    let mut newer = sample();
    newer[8] = 2;
    assert_eq!(open(&newer), Err(CorpusError::Newer { part: "the file", found: 2, known: 1 }));
    let mut newer = sample();
    newer[64 + 8] = 9;
    assert_eq!(open(&newer), Err(CorpusError::Newer { part: "a shard", found: 9, known: 1 }));
}

/// FORMAT.md shows the smallest corpus byte by byte.
#[test]
fn the_worked_example_is_true() {
    let format = include_str!("../../core/src/corpus/FORMAT.md");
    let example = format.rsplit("```").nth(1).expect("the last example");
    let bytes: Vec<u8> = example
        .lines()
        .flat_map(|line| {
            line.split_whitespace().take_while(|word| word.len() == 2).map(|word| u8::from_str_radix(word, 16))
        })
        .collect::<Result<_, _>>()
        .expect("hex");
    assert_eq!(bytes, FileHeader::empty().to_bytes());
    open(&bytes).expect("an empty corpus");
}
