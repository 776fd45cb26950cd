//! Sets of games as bytes.

use plyfold_core::game::GameId;
use plyfold_core::pmote::error::PmoteError;
use plyfold_core::pmote::game_set::{StoredGameSet, encode};
use plyfold_core::pmote::header::{CorpusStamp, HeaderBuilder};
use plyfold_core::pmote::kind::PmoteKind;
use plyfold_core::reduce::game_set::GameSet;
use proptest::prelude::*;

use super::damage;

fn sample() -> GameSet {
    let mut set = GameSet::empty(70);
    [0, 3, 64, 69].into_iter().for_each(|id| set.insert(GameId(id)));
    set
}

#[test]
fn its_bytes_are_those_of_the_format() {
    let bytes = encode(&sample(), 0x0123_4567_89ab_cdef);
    assert_eq!(bytes[..24], *b"PMOTE-BM\x01\0\0\0\x46\0\0\0\xef\xcd\xab\x89\x67\x45\x23\x01");
    assert_eq!(bytes[24..32], xxhash_rust::xxh3::xxh3_64(&[&bytes[..24], &bytes[32..]].concat()).to_le_bytes());
    assert_eq!(bytes[32..], *b"\x09\0\0\0\0\0\0\0\x21\0\0\0\0\0\0\0");
    assert_eq!(bytes[24..32], 0xd2b9_61f4_8624_b070_u64.to_le_bytes());
}

#[test]
fn damage_is_found() {
    damage::is_found(&encode(&sample(), 7), |bytes| StoredGameSet::open(bytes).map(drop));
}

#[test]
fn bits_beyond_the_last_game_are_found() {
    let mut seal = HeaderBuilder::new(PmoteKind::Games, CorpusStamp { corpus: 7, games: 3 });
    seal.update(&8u64.to_le_bytes());
    let bytes = [&seal.finish()[..], &8u64.to_le_bytes()].concat();
    let error = StoredGameSet::open(&bytes).expect_err("a bit too many");
    assert!(matches!(error, PmoteError::Inconsistent { offset: 32, .. }), "{error}");
}

proptest! {
    #[test]
    fn what_is_written_is_read(games in 0u32..300, ids in prop::collection::vec(0u32..300, 0..100), corpus: u64) {
        let mut set = GameSet::empty(games);
        ids.into_iter().for_each(|id| set.insert(GameId(id)));
        let bytes = encode(&set, corpus);
        // At an address that is no multiple of eight as well.
        let shifted = [&[0][..], &bytes].concat();
        for bytes in [&bytes, &shifted[1..]] {
            let stored = StoredGameSet::open(bytes).expect("sound");
            prop_assert_eq!(stored.stamp, CorpusStamp { corpus, games });
            prop_assert_eq!(&stored.into_game_set(), &set);
        }
    }
}
