//! Heatmaps as bytes.

use plyfold_core::pmote::header::CorpusStamp;
use plyfold_core::pmote::heatmap::{HeatmapCounts, decode, encode};

use super::damage;

const OF: CorpusStamp = CorpusStamp { corpus: 0x0123_4567_89ab_cdef, games: 70 };

fn sample() -> HeatmapCounts {
    core::array::from_fn(|colour| {
        core::array::from_fn(|piece| core::array::from_fn(|square| (colour << 40 | piece << 8 | square) as u64))
    })
}

#[test]
fn its_bytes_are_those_of_the_format() {
    let bytes = encode(&sample(), OF);
    assert_eq!(bytes.len(), 32 + 6144);
    assert_eq!(bytes[..24], *b"PMOTE-HM\x01\0\0\0\x46\0\0\0\xef\xcd\xab\x89\x67\x45\x23\x01");
    assert_eq!(bytes[24..32], 0xcacd_8b53_6c57_bfed_u64.to_le_bytes());
    // Black's knights on b1.
    assert_eq!(bytes[32 + ((6 + 1) * 64 + 1) * 8..][..8], [1, 1, 0, 0, 0, 1, 0, 0]);
    assert_eq!(decode(&bytes), Ok((OF, Box::new(sample()))));
}

#[test]
fn damage_is_found() {
    damage::is_found(&encode(&sample(), OF), |bytes| decode(bytes).map(drop));
}
