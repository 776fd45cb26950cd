//! The corpus file: what goes in comes out, and nothing that is damaged passes.

use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::{Check, Corpus, FileHeader};
use plyfold_tests::games::{Aligned, Played, STARTS, corpus, play};

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
