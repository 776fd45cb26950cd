//! Codes sets with a pattern as words of 64 bits: the squares of a king are few, or neighbours, or the same as in an earlier word.
//!
//! The code of a word is the gap from the word before and then one of these:
//!
//! | bits | the word |
//! |---|---|
//! | `1`, 6 bits | one bit |
//! | `01`, 7 bits | the word last seen in this slot of the dictionary |
//! | `001`, 6 bits, 6 bits | two bits, the lower first |
//! | `000`, 8 bits not all 0 | a mask of the bytes that are not 0, then the code of each of them, as below |
//! | `000`, 8 zeros, 64 bits | the word as it is, if the codes of its bytes would take 64 bits or more |
//!
//! | bits | the byte |
//! |---|---|
//! | `0`, 3 bits | one bit |
//! | `10`, 5 bits | a run of two to eight bits |
//! | `110` | the same as the byte before |
//! | `111`, 8 bits | any other |
//!
//! The gap is an exponential Golomb code: with `h = (gap >> k) + 1` of `c + 1` bits, `c` zeros, a one, the `c` low bits of
//! `h`, and the `k` low bits of the gap; `k` follows the mean of the gaps so far. The tables above show prefixes with the first
//! bit first; numbers have their lowest bit first. All numbers here are part of the file format.

use alloc::vec::Vec;

use super::bits::{BitReader, BitWriter};
use super::{CodecError, GapMean};

/// A tile has fewer than `1 << INDEX_BITS` words.
const INDEX_BITS: u32 = 26;

/// `k` for a mean.
#[inline(always)]
fn low_bits(mean: &GapMean) -> u32 {
    31 - ((mean.0 >> 5) | 1).leading_zeros()
}

/// The words of two or more bits that were seen last, by a hash.
struct RecentWords([u64; 1 << RecentWords::BITS]);

impl RecentWords {
    const BITS: u32 = 7;

    #[inline]
    fn slot(word: u64) -> usize {
        (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Self::BITS)) as usize
    }
}

const RAW_CODE: u64 = 0;
const SAME_CODE: (u64, u32) = (0b011, 3);

/// The code of each byte that differs from the byte before, and its length in bits.
const BYTE_CODES: [(u16, u8); 256] = {
    let mut codes = [(0, 0); 256];
    let mut byte = 1u16;
    while byte < 256 {
        codes[byte as usize] = (byte << 3 | 0b111, 11);
        byte += 1;
    }
    let mut number = 0;
    let mut first = 0;
    while first < 8 {
        codes[1 << first] = ((first as u16) << 1, 4);
        let mut behind = first + 2;
        while behind <= 8 {
            codes[(1 << behind) - (1 << first)] = (number << 2 | 0b01, 7);
            number += 1;
            behind += 1;
        }
        first += 1;
    }
    codes
};

/// For each eleven bits, the code that they begin with: its byte, 8 bits further its length, and [`IS_SAME`] if the byte is that before. 0 if
/// they begin with no code, or with one of a byte that has a shorter one.
const CODES: [u16; 1 << LONGEST_CODE] = {
    let mut codes = [0; 1 << LONGEST_CODE];
    let mut byte = 0;
    while byte < 256 {
        let (code, length, entry) = match BYTE_CODES[byte] {
            (_, 0) => (SAME_CODE.0 as usize, SAME_CODE.1, IS_SAME),
            (code, length) => (code as usize, length as u32, byte as u16),
        };
        let mut rest = 0;
        while rest < 1 << (LONGEST_CODE - length) {
            codes[code | rest << length] = entry | (length as u16) << 8;
            rest += 1;
        }
        byte += 1;
    }
    codes
};

/// The bits of the longest code of a byte.
const LONGEST_CODE: u32 = 11;

/// In [`CODES`]: the byte before once more.
const IS_SAME: u16 = 1 << 15;

/// A bit for each byte that is not 0.
#[inline(always)]
fn nonzero_byte_mask(word: u64) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let high = (((word & LOW) + LOW) | word) & !LOW;
    (high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The codes of the word's bytes that are not 0, and how many bits they take; `None` if they take 64 bits or more.
// PERF: what a byte is, and how many there are, is hard to predict, so all eight take the same way, and one that is 0 adds nothing. The
// sum of the lengths tells at the end whether codes were lost.
#[inline(always)]
fn pack_bytes(word: u64) -> Option<(u64, u32)> {
    let (mut code, mut length, mut before) = (0, 0, 0);
    for byte in word.to_le_bytes() {
        let (bits, count) = BYTE_CODES[usize::from(byte)];
        let is_same = byte == before && byte != 0;
        let (bits, count) = if is_same { SAME_CODE } else { (bits.into(), count.into()) };
        code |= bits.wrapping_shl(length);
        length += count;
        before = if byte != 0 { byte } else { before };
    }
    (length < 64).then_some((code, length))
}

/// Appends the set; `words` as in [`super::encode`]. Returns the number of its bits and the index behind its last word.
#[inline(always)]
pub(super) fn encode(words: impl Iterator<Item = (usize, u64)>, out: &mut Vec<u8>) -> (u64, u64) {
    let mut writer = BitWriter::new(out);
    let (mut next, mut mean, mut seen) = (0, GapMean(0), RecentWords([0; _]));
    let mut bits = 0;
    for (index, word) in words {
        let index = index as u64;
        assert!(word != 0 && index >= next && index >> INDEX_BITS == 0, "words ascend and have bits");
        let gap = index - next;
        next = index + 1;
        let low = low_bits(&mean);
        mean.add(gap);
        let head = (gap >> low) + 1;
        let zeros = 63 - head.leading_zeros();
        let tail = (head & !(1 << zeros)) | (gap & ((1 << low) - 1)) << zeros;
        let (head, used) = ((tail << 1 | 1) << zeros, 2 * zeros + 1 + low);
        let count = word.count_ones();
        bits += u64::from(count);
        if count == 1 {
            writer.put_both((head, used), (u64::from(word.trailing_zeros()) << 1 | 1, 7));
            continue;
        }
        let slot = RecentWords::slot(word);
        if seen.0[slot] == word {
            writer.put_both((head, used), ((slot as u64) << 2 | 0b10, 2 + RecentWords::BITS));
            continue;
        }
        seen.0[slot] = word;
        if count == 2 {
            let (low, high) = (u64::from(word.trailing_zeros()), u64::from(63 - word.leading_zeros()));
            writer.put_both((head, used), (high << 9 | low << 3 | 0b100, 15));
            continue;
        }
        let mask = nonzero_byte_mask(word);
        match pack_bytes(word) {
            Some((code, length)) => {
                writer.put_both((head, used), (mask << 3, 11));
                writer.put(code, length);
            }
            None => {
                writer.put_both((head, used), (RAW_CODE, 11));
                writer.put(word, 64);
            }
        }
    }
    writer.finish();
    (bits, next)
}

/// As [`super::for_each_word`], for the bytes behind the method.
#[inline(always)]
pub(super) fn for_each_word(bytes: &[u8], words: usize, mut f: impl FnMut(usize, u64)) -> Result<(), CodecError> {
    let mut reader = BitReader::new(bytes);
    let (mut next, mut mean, mut seen) = (0, GapMean(0), RecentWords([0; _]));
    loop {
        let bits = reader.peek();
        if reader.is_at_end(bits) {
            break;
        }
        let (gap, bits) = read_gap(bits, &mut mean, &mut reader)?;
        let index = next + gap as usize;
        if index >= words {
            reader.check_end()?;
            return Err(CodecError::PastEnd);
        }
        next = index + 1;
        let word = read_word(bits, &mut seen, &mut reader)?;
        reader.check_end()?;
        if word == 0 {
            return Err(CodecError::NotCanonical);
        }
        f(index, word);
    }
    if next == 0 { Err(CodecError::NotCanonical) } else { Ok(()) }
}

/// The gap that `bits` begin with, and the bits behind it: at least 17, as many as the head of a word.
#[inline(always)]
fn read_gap(mut bits: u64, mean: &mut GapMean, reader: &mut BitReader<'_>) -> Result<(u64, u64), CodecError> {
    let (zeros, low) = (bits.trailing_zeros(), low_bits(mean));
    if zeros + low > INDEX_BITS {
        return Err(CodecError::PastEnd);
    }
    bits >>= zeros + 1;
    let head = 1 << zeros | bits & ((1 << zeros) - 1);
    bits >>= zeros;
    let gap = (head - 1) << low | bits & ((1 << low) - 1);
    bits >>= low;
    mean.add(gap);
    let used = 2 * zeros + 1 + low;
    reader.skip(used);
    Ok((gap, if used > 40 { reader.peek() } else { bits }))
}

/// The word that `bits` begin with.
#[inline(always)]
fn read_word(bits: u64, seen: &mut RecentWords, reader: &mut BitReader<'_>) -> Result<u64, CodecError> {
    let kind = bits.trailing_zeros();
    if kind == 0 {
        reader.skip(7);
        return Ok(1 << (bits >> 1 & 63));
    }
    if kind == 1 {
        reader.skip(2 + RecentWords::BITS);
        return Ok(seen.0[(bits >> 2 & ((1 << RecentWords::BITS) - 1)) as usize]);
    }
    let word = if kind == 2 {
        reader.skip(15);
        1 << (bits >> 3 & 63) | 1 << (bits >> 9 & 63)
    } else {
        reader.skip(11);
        read_literal(bits >> 3 & 255, reader)?
    };
    let is_pair = bits >> 9 & 63 > bits >> 3 & 63;
    let seen = &mut seen.0[RecentWords::slot(word)];
    if *seen == word || if kind == 2 { !is_pair } else { word.count_ones() < 3 } {
        reader.check_end()?;
        return Err(CodecError::NotCanonical);
    }
    *seen = word;
    Ok(word)
}

/// Reads a word by the codes of its bytes, or as it is.
#[inline(always)]
fn read_literal(mut mask: u64, reader: &mut BitReader<'_>) -> Result<u64, CodecError> {
    let mut word = 0;
    if mask == 0 {
        word = reader.read_32() | reader.read_32() << 32;
        return if pack_bytes(word).is_none() { Ok(word) } else { Err(CodecError::NotCanonical) };
    }
    // PERF: what comes next is hard to predict, so bytes of all kinds take the same way, and an error is told at the end.
    let (mut bits, mut used, mut total, mut before) = (reader.peek(), 0, 0, 0);
    let mut is_wrong = false;
    while mask != 0 {
        let place = 8 * mask.trailing_zeros();
        mask &= mask - 1;
        if used > 57 - LONGEST_CODE {
            reader.skip(used);
            total += used;
            (bits, used) = (reader.peek(), 0);
        }
        let code = CODES[(bits & ((1 << LONGEST_CODE) - 1)) as usize];
        let (is_same, length) = (code & IS_SAME != 0, u32::from(code >> 8 & 15));
        let byte = if is_same { before } else { u64::from(code & 255) };
        is_wrong |= byte == 0 || (byte == before) != is_same;
        word |= byte << place;
        before = byte;
        bits >>= length;
        used += length;
    }
    reader.skip(used);
    if is_wrong || total + used >= 64 { Err(CodecError::NotCanonical) } else { Ok(word) }
}
