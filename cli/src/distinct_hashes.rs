//! How many different hashes there are, counted by all threads at once.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Mutex, PoisonError};

/// A set of hashes of positions.
pub type HashesSeen = HashSet<u64, BuildHasherDefault<Unhashed>>;

/// Takes a hash as its own hash.
#[derive(Default)]
pub struct Unhashed(u64);

impl Hasher for Unhashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        // Only `write_u64` is called for a u64; this is right for anything else, too.
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// Hashes in parts, each with a lock of its own. A part of a million hashes fits a processor's cache while it is added to, which the
/// whole does not.
pub struct DistinctHashes(Vec<Mutex<HashesSeen>>);

const PARTS: usize = 256;

/// The part of a hash. Sets look at the highest and at the lowest bits.
fn part_of(hash: u64) -> usize {
    (hash >> 40) as usize % PARTS
}

impl DistinctHashes {
    /// A set without hashes.
    pub fn new() -> DistinctHashes {
        DistinctHashes((0..PARTS).map(|_| Mutex::default()).collect())
    }

    /// Adds hashes. It is quicker by far for many at a time.
    pub fn add(&self, hashes: impl IntoIterator<Item = u64>) {
        let mut by_part = vec![Vec::new(); PARTS];
        for hash in hashes {
            by_part[part_of(hash)].push(hash);
        }
        for (part, hashes) in self.0.iter().zip(by_part).filter(|(_, hashes)| !hashes.is_empty()) {
            part.lock().unwrap_or_else(PoisonError::into_inner).extend(hashes);
        }
    }

    /// How many different hashes were added.
    pub fn count(self) -> u64 {
        self.0.into_iter().map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner).len() as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn hashes_of_several_threads_are_counted_once() {
        // The generator of Knuth's MMIX, without its low bits, which repeat.
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 32 << 32 | state >> 33
        };
        let hashes: Vec<u64> = (0..20_000).map(|_| random() & 0x00ff_f0ff_0000_00ff).collect();
        let distinct = DistinctHashes::new();
        thread::scope(|scope| {
            for part in hashes.chunks(3_000).chain([&hashes[..10], &[]]) {
                scope.spawn(|| distinct.add(part.iter().copied()));
            }
        });
        assert_eq!(distinct.count(), hashes.iter().collect::<std::collections::BTreeSet<_>>().len() as u64);
        assert_eq!(DistinctHashes::new().count(), 0);
    }
}
