//! Any bytes as a file of answers: an error, or an answer that is written as the same bytes; never a panic.
//!
//! Random bytes seldom pass a checksum, so that of the input is made to fit: what is left are the checks of consistency.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plyfold_core::pmote::{games, groups, header::Kind, heatmap, positions};
use xxhash_rust::xxh3::xxh3_64;

/// Makes the checksum fit.
fn seal(bytes: &mut [u8], kind: Kind) {
    let (checked, at) = match (kind, bytes.len()) {
        (Kind::Positions, 48..) => (bytes[16..bytes.len() - 8].to_vec(), bytes.len() - 8),
        (Kind::Positions, _) | (_, ..32) => return,
        _ => ([&bytes[..24], &bytes[32..]].concat(), 24),
    };
    bytes[at..at + 8].copy_from_slice(&xxh3_64(&checked).to_le_bytes());
}

fuzz_target!(|input: &[u8]| {
    for kind in [Kind::Games, Kind::Positions, Kind::Heatmap, Kind::Groups] {
        let version = 1u32.to_le_bytes();
        let headed = [&kind.magic(), &version[..], input].concat();
        let mut sealed = headed.clone();
        seal(&mut sealed, kind);
        for bytes in [input, &headed, &sealed] {
            if let Ok(stored) = games::Stored::open(bytes) {
                let corpus = stored.of.corpus;
                assert_eq!(games::encode(&stored.into_set(), corpus), bytes);
            }
            if let Ok(stored) = positions::Stored::open(bytes) {
                let places: Vec<positions::Place> = stored.places().collect();
                assert_eq!(positions::encode(&places, stored.of), bytes);
            }
            if let Ok((of, counts)) = heatmap::decode(bytes) {
                assert_eq!(heatmap::encode(&counts, of), bytes);
            }
            if let Ok((of, all)) = groups::decode(bytes) {
                assert_eq!(groups::encode(&all, of), bytes);
            }
        }
    }
});
