//! Any bytes as a file of results: an error, or a result that is written as the same bytes, never a panic.
//!
//! Random bytes seldom pass a checksum, so the target repairs it: only the checks of consistency can then catch damage.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plyfold_core::pmote::{game_set, groups, heatmap, kind::PmoteKind, positions};
use xxhash_rust::xxh3::xxh3_64;

/// Repairs the checksum.
fn seal(bytes: &mut [u8], kind: PmoteKind) {
    let (checked, at) = match (kind, bytes.len()) {
        (PmoteKind::Positions, 48..) => (bytes[16..bytes.len() - 8].to_vec(), bytes.len() - 8),
        (PmoteKind::Positions, _) | (_, ..32) => return,
        _ => ([&bytes[..24], &bytes[32..]].concat(), 24),
    };
    bytes[at..at + 8].copy_from_slice(&xxh3_64(&checked).to_le_bytes());
}

fuzz_target!(|input: &[u8]| {
    for kind in [PmoteKind::Games, PmoteKind::Positions, PmoteKind::Heatmap, PmoteKind::Groups] {
        let version = 1u32.to_le_bytes();
        let headed = [&kind.magic(), &version[..], input].concat();
        let mut sealed = headed.clone();
        seal(&mut sealed, kind);
        for bytes in [input, &headed, &sealed] {
            if let Ok(stored) = game_set::StoredGameSet::open(bytes) {
                let corpus = stored.stamp.corpus;
                assert_eq!(game_set::encode(&stored.into_game_set(), corpus), bytes);
            }
            if let Ok(stored) = positions::StoredPositions::open(bytes) {
                let records: Vec<positions::PositionRecord> = stored.positions().collect();
                assert_eq!(positions::encode(&records, stored.stamp), bytes);
            }
            if let Ok((stamp, counts)) = heatmap::decode(bytes) {
                assert_eq!(heatmap::encode(&counts, stamp), bytes);
            }
            if let Ok((stamp, all)) = groups::decode(bytes) {
                assert_eq!(groups::encode(&all, stamp), bytes);
            }
        }
    }
});
