//! Eight differences are read at once, where each has one byte and is known: most evaluations and clocks lie in such groups.
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
const BIAS: i32 = 128;

/// More than the sum of the sizes of eight differences.
pub(super) const MAX_CHANGE: i32 = 8 * BIAS;

/// Eight differences, each plus [`BIAS`], four to a word.
pub(super) struct EightDifferences {
    /// The first, third, fifth and seventh.
    even: u64,
    /// The others.
    odd: u64,
}

impl EightDifferences {
    /// Reads eight bytes up to the first number that is longer than a byte or unknown. Returns the differences, 0 from there on, and how many
    /// have been read. None if there are fewer bytes.
    #[inline(always)]
    pub fn read(bytes: &[u8]) -> Option<(EightDifferences, usize)> {
        let word = u64::from_le_bytes(*bytes.first_chunk()?);
        let is_long = word & word << 1 & word << 2;
        let is_unknown = word.wrapping_sub(ONES) & !word;
        let first_other = (is_long | is_unknown) & HIGHEST;
        let count = first_other.trailing_zeros() / 8;
        let read = if count == 8 { u64::MAX } else { (1 << (8 * count)) - 1 };
        let zigzag = (word & read | ONES & !read) - ONES;
        let size = zigzag >> 1 & !HIGHEST;
        let signs = (zigzag & ONES) * 0xff;
        let biased = size ^ signs ^ HIGHEST;
        let differences = EightDifferences { even: biased & LOWER, odd: biased >> 8 & LOWER };
        Some((differences, count as usize))
    }

    /// The sums of the first, the first two, and so on up to all eight.
    #[inline(always)]
    pub fn running_sums(&self) -> [i32; 8] {
        let pairs = (self.even + self.odd).wrapping_mul(RUNNING_SUMS);
        // No sum of biased differences takes more than 16 bits, so no pair of bytes borrows from the next.
        let (even, odd) = (lanes(pairs - self.odd), lanes(pairs));
        core::array::from_fn(|nth| {
            let biased = if nth % 2 == 0 { even[nth / 2] } else { odd[nth / 2] };
            i32::from(biased) - BIAS * (nth as i32 + 1)
        })
    }

    /// The same, for the even and the odd ones apart.
    #[inline(always)]
    pub fn running_sums_of_sides(&self) -> [i32; 8] {
        let [even, odd] = [self.even, self.odd].map(|side| lanes(side.wrapping_mul(RUNNING_SUMS)));
        core::array::from_fn(|nth| {
            let biased = if nth % 2 == 0 { even[nth / 2] } else { odd[nth / 2] };
            i32::from(biased) - BIAS * (nth as i32 / 2 + 1)
        })
    }
}

#[inline(always)]
fn lanes(word: u64) -> [u16; 4] {
    core::array::from_fn(|nth| (word >> (16 * nth)) as u16)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::annotations::varint::{push, unzigzag, zigzag};

    proptest! {
        #[test]
        fn eight_are_summed_like_one_after_the_other(differences in prop::array::uniform8(-111i32..=111)) {
            let mut bytes = alloc::vec::Vec::new();
            differences.iter().for_each(|&difference| push(&mut bytes, 1 + zigzag(difference)));
            let (eight, count) = EightDifferences::read(&bytes).expect("eight short numbers");
            prop_assert_eq!(count, 8);
            let sums = core::array::from_fn(|nth| differences[..=nth].iter().sum::<i32>());
            prop_assert_eq!(eight.running_sums(), sums);
            let of_sides = core::array::from_fn(|nth| (0..=nth).filter(|one| one % 2 == nth % 2).map(|one| differences[one]).sum::<i32>());
            prop_assert_eq!(eight.running_sums_of_sides(), of_sides);
            prop_assert!(sums.iter().chain(&of_sides).all(|sum| sum.abs() < MAX_CHANGE));
        }

        #[test]
        fn longer_and_unknown_numbers_are_left(bytes in prop::collection::vec(prop_oneof![6 => 1u8..224, 1 => any::<u8>()], 0..12)) {
            let read = EightDifferences::read(&bytes);
            prop_assert_eq!(read.is_some(), bytes.len() >= 8);
            let Some((eight, count)) = read else { return Ok(()) };
            prop_assert_eq!(count, bytes[..8].iter().take_while(|byte| (1..224).contains(*byte)).count());
            let short: alloc::vec::Vec<i32> = bytes[..count].iter().map(|&byte| unzigzag(u32::from(byte) - 1)).collect();
            let sum = |to: usize| short.iter().take(to).sum::<i32>();
            prop_assert_eq!(eight.running_sums(), core::array::from_fn(|nth| sum(nth + 1)));
        }
    }
}
