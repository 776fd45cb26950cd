//! Lists of positions as bytes.

use plyfold_core::game::Ply;
use plyfold_core::pmote::error::PmoteError;
use plyfold_core::pmote::header::CorpusStamp;
use plyfold_core::pmote::positions::{PositionRecord, StoredPositions, encode, header_count};
use proptest::prelude::*;

use super::damage;

const OF: CorpusStamp = CorpusStamp { corpus: 0x0123_4567_89ab_cdef, games: 70 };
const SAMPLE: [PositionRecord; 2] =
    [PositionRecord { shard: 0, game: 9, ply: Ply(1) }, PositionRecord { shard: 2, game: 258, ply: Ply(40) }];

#[test]
fn its_bytes_are_those_of_the_format() {
    let bytes = encode(&SAMPLE, OF);
    assert_eq!(bytes[..16], *b"PMOTE-PS\x01\0\0\0\x02\0\0\0");
    assert_eq!(bytes[16..40], *b"\0\0\0\0\x09\0\0\0\x01\0\0\0\x02\0\0\0\x02\x01\0\0\x28\0\0\0");
    assert_eq!(bytes[40..64], *b"\x02\0\0\0\0\0\0\0\xef\xcd\xab\x89\x67\x45\x23\x01\x46\0\0\0\0\0\0\0");
    assert_eq!(bytes[64..72], 0x4c88_32d6_4943_54ca_u64.to_le_bytes());
    assert_eq!(bytes.len(), 72);
}

#[test]
fn damage_is_found() {
    damage::is_found(&encode(&SAMPLE, OF), |bytes| StoredPositions::open(bytes).map(drop));
    // A list as other programs write it: nobody says what it is of.
    let error = StoredPositions::open(&encode(&SAMPLE, OF)[..40]).expect_err("no trailer");
    assert_eq!(error, PmoteError::Truncated { part: "trailer", offset: 40, missing: 32 });
}

#[test]
fn more_than_the_header_can_count_are_counted_behind() {
    assert_eq!([0, 1, u64::from(u32::MAX), 1 << 40].map(header_count), [0, 1, u32::MAX, u32::MAX]);
    // A header that says so where there are fewer is not believed.
    let mut bytes = encode(&SAMPLE, OF);
    bytes[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(matches!(StoredPositions::open(&bytes), Err(PmoteError::Truncated { part: "records", .. })));
    let error = StoredPositions::checked(&bytes, u32::MAX, 16..40).expect_err("two records");
    assert!(matches!(error, PmoteError::Inconsistent { part: "trailer", offset: 40, .. }), "{error}");
}

proptest! {
    #[test]
    fn what_is_written_is_read(places in prop::collection::vec(prop::array::uniform3(any::<u32>()), 0..50), corpus: u64, games: u32) {
        let places: Vec<PositionRecord> = places.into_iter().map(|[shard, game, ply]| PositionRecord { shard, game, ply: Ply(ply) }).collect();
        let of = CorpusStamp { corpus, games };
        let bytes = encode(&places, of);
        let stored = StoredPositions::open(&bytes).expect("sound");
        prop_assert_eq!((stored.stamp, stored.count()), (of, places.len() as u64));
        prop_assert_eq!(stored.positions().collect::<Vec<PositionRecord>>(), places);
    }
}
