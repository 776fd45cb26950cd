//! Reads eight differences at once, if each has one byte and is known: most evaluations and clocks lie in such groups.
//!
//! The bytes are the numbers `1 + zigzag(difference)` of [`varint`](super::varint), so 0 is unknown and those from 224 on begin longer
//! numbers. One multiplication adds up the differences of a group.

/// One in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each byte.
const HIGHEST: u64 = 0x8080_8080_8080_8080;
/// The lower byte of each pair of bytes.
const LOWER: u64 = 0x00ff_00ff_00ff_00ff;
/// A number times this has in each pair of bytes the sum of its pairs up to there.
const RUNNING_SUMS: u64 = 0x0001_0001_0001_0001;
/// What is added to a difference so that it is not negative.
const BIAS: i16 = 128;

/// More than the sum of the sizes of eight differences.
pub(super) const MAX_CHANGE: i16 = 8 * BIAS;

/// Eight differences, each plus [`BIAS`], four to a word.
pub(super) struct EightDifferences {
    /// The first, third, fifth and seventh.
    even: u64,
    /// The others.
    odd: u64,
}

impl EightDifferences {
    /// Reads the first eight bytes, if each is a whole number and known.
    ///
    /// PERF: nothing but a branch that is easy to foresee depends on where the numbers end, so the next eight need not wait.
    #[inline(always)]
    pub fn read_whole(bytes: &[u8]) -> Option<EightDifferences> {
        let word = u64::from_le_bytes(*bytes.first_chunk()?);
        (first_other(word) == 0).then(|| EightDifferences::from_word(word))
    }

    /// Reads eight bytes, or all if there are fewer, up to the first number that is longer than a byte or unknown. Returns the differences, 0
    /// from there on, and how many have been read.
    #[inline(never)]
    pub fn read(bytes: &[u8]) -> (EightDifferences, usize) {
        let word = u64::from_le_bytes(bytes.first_chunk().copied().unwrap_or_else(|| padded(bytes)));
        let count = first_other(word).trailing_zeros() / 8;
        let read = if count == 8 { u64::MAX } else { (1 << (8 * count)) - 1 };
        (EightDifferences::from_word(word & read | ONES & !read), count as usize)
    }

    /// The differences of eight bytes, all of them whole and known numbers.
    #[inline(always)]
    fn from_word(word: u64) -> EightDifferences {
        let zigzag = word - ONES;
        let size = zigzag >> 1 & !HIGHEST;
        let signs = (zigzag & ONES) * 0xff;
        let biased = size ^ signs ^ HIGHEST;
        EightDifferences { even: biased & LOWER, odd: biased >> 8 & LOWER }
    }

    /// The sums of the first, the first two, and so on up to all eight.
    #[inline(always)]
    pub fn running_sums(&self) -> [i16; 8] {
        let pairs = (self.even + self.odd).wrapping_mul(RUNNING_SUMS);
        // No sum of biased differences takes more than 16 bits, so no pair of bytes borrows from the next.
        interleaved(pairs - self.odd, pairs, core::array::from_fn(|nth| BIAS * (nth as i16 + 1)))
    }

    /// The same, for the even and the odd ones apart.
    #[inline(always)]
    pub fn running_sums_of_sides(&self) -> [i16; 8] {
        let [even, odd] = [self.even, self.odd].map(|side| side.wrapping_mul(RUNNING_SUMS));
        interleaved(even, odd, core::array::from_fn(|nth| BIAS * (nth as i16 / 2 + 1)))
    }
}

/// The highest bit of each byte that is unknown or begins a longer number, at least up to the first such byte.
#[inline(always)]
fn first_other(word: u64) -> u64 {
    let is_long = word & word << 1 & word << 2;
    let is_unknown = word.wrapping_sub(ONES) & !word;
    (is_long | is_unknown) & HIGHEST
}

/// Pads fewer than eight bytes with zeros, which are unknown numbers.
#[inline(never)]
fn padded(bytes: &[u8]) -> [u8; 8] {
    let mut eight = [0; 8];
    eight[..bytes.len()].copy_from_slice(bytes);
    eight
}

/// The sums in the pairs of bytes of two words, by turns, without what has been added to them.
#[inline(always)]
fn interleaved(even: u64, odd: u64, added: [i16; 8]) -> [i16; 8] {
    let (even, odd) = (lanes(even), lanes(odd));
    core::array::from_fn(|nth| if nth % 2 == 0 { even[nth / 2] } else { odd[nth / 2] }.wrapping_sub(added[nth]))
}

#[inline(always)]
fn lanes(word: u64) -> [i16; 4] {
    core::array::from_fn(|nth| (word >> (16 * nth)) as i16)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::varint::{push, unzigzag, zigzag};

    proptest! {
        #[test]
        fn eight_are_summed_like_one_after_the_other(differences in prop::array::uniform8(-111i16..=111)) {
            let mut bytes = alloc::vec::Vec::new();
            differences.iter().for_each(|&difference| push(&mut bytes, 1 + zigzag(difference.into())));
            let (eight, count) = EightDifferences::read(&bytes);
            let whole = EightDifferences::read_whole(&bytes).map(|whole| (whole.even, whole.odd));
            prop_assert_eq!(whole, Some((eight.even, eight.odd)));
            let sums = core::array::from_fn(|nth| differences[..=nth].iter().sum::<i16>());
            prop_assert_eq!((count, eight.running_sums()), (8, sums));
            let of_sides = core::array::from_fn(|nth| (0..=nth).filter(|one| one % 2 == nth % 2).map(|one| differences[one]).sum::<i16>());
            prop_assert_eq!(eight.running_sums_of_sides(), of_sides);
            prop_assert!(sums.iter().chain(&of_sides).all(|sum| sum.abs() < MAX_CHANGE));
        }

        #[test]
        fn longer_and_unknown_numbers_are_left(bytes in prop::collection::vec(prop_oneof![6 => 1u8..224, 1 => any::<u8>()], 0..12)) {
            let (eight, count) = EightDifferences::read(&bytes);
            let short = bytes.iter().take(8).take_while(|byte| (1..224).contains(*byte));
            let short: alloc::vec::Vec<i16> = short.map(|&byte| unzigzag(u32::from(byte) - 1) as i16).collect();
            prop_assert_eq!(count, short.len());
            prop_assert_eq!(EightDifferences::read_whole(&bytes).is_some(), count == 8);
            let sum = |to: usize| short.iter().take(to).sum::<i16>();
            prop_assert_eq!(eight.running_sums(), core::array::from_fn(|nth| sum(nth + 1)));
        }
    }
}
