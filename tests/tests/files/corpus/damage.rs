//! Refuses flipped bits, cuts, and foreign or newer files.

use plyfold_core::corpus::error::CorpusError;

use super::{open, sample};

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
    assert_eq!(open(&newer), Err(CorpusError::UnsupportedVersion { part: "the file", found: 2, known: 1 }));
    let mut newer = sample();
    newer[64 + 8] = 9;
    assert_eq!(open(&newer), Err(CorpusError::UnsupportedVersion { part: "a shard", found: 9, known: 1 }));
}
