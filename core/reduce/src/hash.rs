//! Hashes of values.

use core::hash::Hasher;

/// Fibonacci hashing of one number: tables look at the highest and the lowest bits.
pub(super) fn hash(value: u64) -> u64 {
    let hash = value.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ hash >> 32
}

/// The same hash for tables that need a hasher.
#[derive(Default)]
pub(super) struct FibonacciHasher(u64);

impl Hasher for FibonacciHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = hash(self.0 ^ value);
    }
}
