//! Sets as gaps between their bits, for sets without a pattern: adaptive Rice codes, within three parts in a hundred of
//! what a random set must take.
//!
//! A gap is written as `q` zeros, a one and `k` low bits, where `q = gap >> k`; from [`LONGEST`] zeros on as those zeros
//! and 38 bits. `k` follows the mean of the gaps so far.

use alloc::vec::Vec;

use super::CodeError;
use super::bits::{Reader, Writer};

const LONGEST: u32 = 19;
const WIDE: u32 = 38;

/// The mean of the gaps, sixteen times, falling by a sixteenth with each.
struct Mean(u32);

impl Mean {
    const START: Mean = Mean(16 << 4);

    #[inline]
    fn low_bits(&self) -> u32 {
        31 - (((self.0 >> 4) * 3 / 4) | 1).leading_zeros()
    }

    #[inline]
    fn add(&mut self, gap: u64) {
        self.0 = self.0 - (self.0 >> 4) + gap.min(0xffff) as u32;
    }
}

/// Appends the set; `words` as in [`super::encode`].
pub(super) fn encode(words: impl Iterator<Item = (usize, u64)>, out: &mut Vec<u8>) {
    let mut writer = Writer::new(out);
    let (mut next, mut mean) = (0, Mean::START);
    for (index, mut word) in words {
        while word != 0 {
            let bit = index as u64 * 64 + u64::from(word.trailing_zeros());
            word &= word - 1;
            let gap = bit - next;
            next = bit + 1;
            let low = mean.low_bits();
            mean.add(gap);
            let zeros = gap >> low;
            if zeros < LONGEST.into() {
                let bits = (gap & ((1 << low) - 1)) << 1 | 1;
                writer.put(bits << zeros, zeros as u32 + 1 + low);
            } else {
                writer.put(gap << LONGEST, LONGEST + WIDE);
            }
        }
    }
    writer.end();
}

/// As [`super::for_each`], behind the method.
pub(super) fn for_each(bytes: &[u8], words: usize, mut f: impl FnMut(usize, u64)) -> Result<(), CodeError> {
    let mut reader = Reader::new(bytes);
    let end = words as u64 * 64;
    let (mut next, mut mean) = (0, Mean::START);
    let (mut index, mut word) = (0, 0);
    loop {
        let bits = reader.peek();
        if reader.is_at_end(bits) {
            break;
        }
        let (zeros, low) = (bits.trailing_zeros(), mean.low_bits());
        let gap = if zeros < LONGEST {
            reader.skip(zeros + 1 + low);
            u64::from(zeros) << low | (bits >> (zeros + 1)) & ((1 << low) - 1)
        } else {
            reader.skip(LONGEST + WIDE);
            let gap = (bits >> LONGEST) & ((1 << WIDE) - 1);
            if gap >> low < LONGEST.into() {
                reader.done()?;
                return Err(CodeError::NotCanonical);
            }
            gap
        };
        reader.done()?;
        mean.add(gap);
        let bit: u64 = next + gap;
        if bit >= end {
            return Err(CodeError::PastEnd);
        }
        next = bit + 1;
        let at = (bit / 64) as usize;
        if at != index {
            if word != 0 {
                f(index, word);
            }
            (index, word) = (at, 0);
        }
        word |= 1 << (bit % 64);
    }
    if word == 0 {
        return Err(CodeError::NotCanonical);
    }
    f(index, word);
    Ok(())
}
