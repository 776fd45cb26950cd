//! Pairs of hash and game in about three bytes each. The first bits of a hash select the bucket of its pairs, the next bits are
//! stored beside the number of the game, and the others are left out.
//!
//! Because of the missing bits, about one in tens of thousands of other positions matches too; a probe replays the games to
//! decide.
//!
//! ```text
//! hash     bucket bits │ check bits │ left out
//! pair     check bits  │ number of the game in its segment       in 1 to 4 bytes, little-endian
//! ```

use alloc::vec::Vec;

/// The least average number of pairs per bucket; the average is at most twice as large.
const MIN_BUCKET_PAIRS: u64 = 16;
/// The least number of hash bits beside the number of a game.
const MIN_CHECK_BITS: u32 = 4;

/// How the pairs of a segment are packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PairLayout {
    /// Bits of the hash that choose a bucket, at most [`PairLayout::MAX_BUCKET_BITS`].
    pub bucket_bits: u32,
    /// Bits of the number of a game.
    pub game_bits: u32,
    /// Bytes of a pair, 1 to 4.
    pub bytes: u32,
}

impl PairLayout {
    pub const MAX_BUCKET_BITS: u32 = 30;

    /// The layout of this many pairs of this many games, below 2^28.
    pub fn new(pairs: u64, games: u32) -> PairLayout {
        let game_bits = 32 - games.saturating_sub(1).leading_zeros();
        PairLayout {
            bucket_bits: (pairs / MIN_BUCKET_PAIRS).checked_ilog2().unwrap_or(0).min(Self::MAX_BUCKET_BITS),
            game_bits,
            bytes: (game_bits + MIN_CHECK_BITS).div_ceil(8),
        }
    }

    pub fn is_valid(self) -> bool {
        self.bucket_bits <= Self::MAX_BUCKET_BITS && (1..=4).contains(&self.bytes) && self.game_bits <= self.bytes * 8
    }

    pub fn buckets(self) -> usize {
        1 << self.bucket_bits
    }

    pub fn bucket(self, hash: u64) -> usize {
        // Shifted in two steps, because a shift by 64 is not possible.
        (hash >> 1 >> (63 - self.bucket_bits)) as usize
    }

    /// The bits of the hash behind those of the bucket, as they are stored in a pair.
    fn check_bits(self, hash: u64) -> u32 {
        let bits = self.bytes * 8 - self.game_bits;
        let check = (hash << self.bucket_bits) >> 1 >> (63 - bits);
        ((check << self.game_bits) & u64::from(u32::MAX)) as u32
    }

    pub fn push(self, pairs: &mut Vec<u8>, hash: u64, game: u32) {
        let pair = (self.check_bits(hash) | game).to_le_bytes();
        pairs.extend_from_slice(&pair[..self.bytes as usize]);
    }

    /// Games of the pairs of a bucket that may have the position.
    pub fn games(self, bucket: &[u8], hash: u64) -> impl Iterator<Item = u32> {
        let check = self.check_bits(hash);
        let numbers = ((1u64 << self.game_bits) - 1) as u32;
        bucket.chunks_exact(self.bytes as usize).filter_map(move |bytes| {
            let mut pair = [0; 4];
            pair[..bytes.len()].copy_from_slice(bytes);
            let pair = u32::from_le_bytes(pair);
            (pair & !numbers == check).then_some(pair & numbers)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pairs_are_found_again(
            hashes in prop::collection::vec((any::<u64>(), any::<u32>()), 1..60),
            pairs in 0u64..1 << 40,
            games in 1u32..1 << 28,
        ) {
            let shape = PairLayout::new(pairs, games);
            prop_assert!(shape.is_valid());
            let mut bytes = Vec::new();
            for &(hash, game) in &hashes {
                shape.push(&mut bytes, hash, game % games);
            }
            prop_assert_eq!(bytes.len(), hashes.len() * shape.bytes as usize);
            for &(hash, game) in &hashes {
                prop_assert!(shape.games(&bytes, hash).any(|found| found == game % games));
                prop_assert!(shape.bucket(hash) < shape.buckets());
                // One changed bit among those that are stored makes it another position.
                let other = hash ^ 1 << (63 - shape.bucket_bits);
                let alike = hashes.iter().filter(|(hash, _)| shape.check_bits(*hash) == shape.check_bits(other)).count();
                prop_assert_eq!(shape.games(&bytes, other).count(), alike);
                prop_assert!(shape.check_bits(other) != shape.check_bits(hash));
            }
        }
    }

    #[test]
    fn real_sizes_take_three_bytes() {
        let shape = PairLayout::new(17_400_000, 206_361);
        assert_eq!((shape.bucket_bits, shape.game_bits, shape.bytes), (20, 18, 3));
        let small = PairLayout::new(3, 1);
        assert_eq!((small.buckets(), small.game_bits, small.bytes, small.bucket(u64::MAX)), (1, 0, 1, 0));
    }

    #[test]
    fn a_layout_is_valid_within_each_of_its_bounds() {
        let layout = |bucket_bits, game_bits, bytes| PairLayout { bucket_bits, game_bits, bytes };
        for (valid, of) in [
            (true, layout(0, 0, 1)),
            (true, layout(30, 8, 1)),
            (true, layout(20, 18, 3)),
            (true, layout(30, 32, 4)),
            (false, layout(31, 8, 1)),
            (false, layout(20, 0, 0)),
            (false, layout(20, 18, 5)),
            (false, layout(0, 9, 1)),
            (false, layout(0, 25, 3)),
            (false, layout(30, 33, 4)),
        ] {
            assert_eq!(of.is_valid(), valid, "{of:?}");
        }
    }
}
