//! Codes sets without a pattern as the gaps between their bits: adaptive Rice codes, which take at most 3 % more bits than any code
//! must take for a random set.
//!
//! A gap is written as `q` zeros, a one and `k` low bits, where `q = gap >> k`; if `q` is [`MAX_UNARY_ZEROS`] or more, as that many
//! zeros and 38 bits. `k` follows the mean of the gaps so far. All numbers here are part of the file format.

use alloc::vec::Vec;

use super::bits::{BitReader, BitWriter};
use super::{CodecError, GapMean};

const MAX_UNARY_ZEROS: u32 = 19;
const ESCAPE_BITS: u32 = 38;

/// The mean before the first gap.
const FIRST_MEAN: GapMean = GapMean(16 << 4);

/// `k` for a mean.
#[inline(always)]
fn low_bits(mean: &GapMean) -> u32 {
    31 - (((mean.0 >> 4) * 3 / 4) | 1).leading_zeros()
}

/// Appends the set; `words` as in [`super::encode`].
#[inline(always)]
pub(super) fn encode(words: impl Iterator<Item = (usize, u64)>, out: &mut Vec<u8>) {
    let mut writer = BitWriter::new(out);
    let (mut next, mut mean) = (0, FIRST_MEAN);
    for (index, mut word) in words {
        while word != 0 {
            let bit = index as u64 * 64 + u64::from(word.trailing_zeros());
            word &= word - 1;
            let gap = bit - next;
            next = bit + 1;
            let low = low_bits(&mean);
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

/// As [`super::for_each_word`], for the bytes behind the method.
#[inline(always)]
pub(super) fn for_each_word(bytes: &[u8], words: usize, mut f: impl FnMut(usize, u64)) -> Result<(), CodecError> {
    let mut reader = BitReader::new(bytes);
    let end = words as u64 * 64;
    let (mut next, mut mean) = (0, FIRST_MEAN);
    let (mut index, mut word) = (0, 0);
    loop {
        let bits = reader.peek();
        if reader.is_at_end(bits) {
            break;
        }
        let (zeros, low) = (bits.trailing_zeros(), low_bits(&mean));
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
