//! Sets as gaps between their bits, for sets without a pattern: adaptive Rice codes, within three parts in a hundred of
//! what a random set must take.
//!
//! A gap is written as `q` zeros, a one and `k` low bits, where `q = gap >> k`; from [`MAX_UNARY_ZEROS`] zeros on as those zeros
//! and 38 bits. `k` follows the mean of the gaps so far.

use alloc::vec::Vec;

use super::CodecError;
use super::bits::{BitReader, BitWriter};

const MAX_UNARY_ZEROS: u32 = 19;
const ESCAPE_BITS: u32 = 38;

/// The mean of the gaps, sixteen times, falling by a sixteenth with each.
struct GapMean(u32);

impl GapMean {
    const START: GapMean = GapMean(16 << 4);

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
    let mut writer = BitWriter::new(out);
    let (mut next, mut mean) = (0, GapMean::START);
    for (index, mut word) in words {
        while word != 0 {
            let bit = index as u64 * 64 + u64::from(word.trailing_zeros());
            word &= word - 1;
            let gap = bit - next;
            next = bit + 1;
            let low = mean.low_bits();
            mean.add(gap);
            let zeros = gap >> low;
            if zeros < MAX_UNARY_ZEROS.into() {
                let bits = (gap & ((1 << low) - 1)) << 1 | 1;
                writer.put(bits << zeros, zeros as u32 + 1 + low);
            } else {
                writer.put(gap << MAX_UNARY_ZEROS, MAX_UNARY_ZEROS + ESCAPE_BITS);
            }
        }
    }
    writer.finish();
}

/// As [`super::for_each_word`], behind the method.
pub(super) fn for_each_word(bytes: &[u8], words: usize, mut f: impl FnMut(usize, u64)) -> Result<(), CodecError> {
    let mut reader = BitReader::new(bytes);
    let end = words as u64 * 64;
    let (mut next, mut mean) = (0, GapMean::START);
    let (mut index, mut word) = (0, 0);
    loop {
        let bits = reader.peek();
        if reader.is_at_end(bits) {
            break;
        }
        let (zeros, low) = (bits.trailing_zeros(), mean.low_bits());
        let gap = if zeros < MAX_UNARY_ZEROS {
            reader.skip(zeros + 1 + low);
            u64::from(zeros) << low | (bits >> (zeros + 1)) & ((1 << low) - 1)
        } else {
            reader.skip(MAX_UNARY_ZEROS + ESCAPE_BITS);
            let gap = (bits >> MAX_UNARY_ZEROS) & ((1 << ESCAPE_BITS) - 1);
            if gap >> low < MAX_UNARY_ZEROS.into() {
                reader.check_end()?;
                return Err(CodecError::NotCanonical);
            }
            gap
        };
        reader.check_end()?;
        mean.add(gap);
        let bit: u64 = next + gap;
        if bit >= end {
            return Err(CodecError::PastEnd);
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
        return Err(CodecError::NotCanonical);
    }
    f(index, word);
    Ok(())
}
