//! The codes of sets of positions: the bits of one tile, in words for the 64 squares of the black king.
//!
//! A block begins with a byte that says its method: words with a pattern (`words.rs`), gaps between bits (`gaps.rs`), all
//! words as an LZ4 block, or all words as they are. See `core/tables/src/FORMAT.md`.

mod bits;
mod gaps;
mod words;

use alloc::vec::Vec;

use thiserror::Error;

/// Why bytes cannot be decoded as a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum CodecError {
    /// The first byte is not the number of a method.
    #[error("its method is unknown")]
    Method,
    /// The bytes end within a word.
    #[error("it ends within a word")]
    Truncated,
    /// A bit lies beyond the end of the tile.
    #[error("it has a position beyond the end of its tile")]
    PastEnd,
    /// The encoder would have written other bytes for this set.
    #[error("it is not in its shortest form")]
    NotCanonical,
    /// LZ4 cannot decompress it.
    #[error("its LZ4 block is damaged")]
    Block,
}

const METHOD_WORDS: u8 = 0;
const METHOD_GAPS: u8 = 1;
const METHOD_LZ4: u8 = 2;
const METHOD_RAW: u8 = 3;

/// Sixteen times the mean of the gaps so far, in which each gap counts one sixteenth.
struct GapMean(u32);

impl GapMean {
    #[inline]
    fn add(&mut self, gap: u64) {
        self.0 = self.0 - (self.0 >> 4) + gap.min(0xffff) as u32;
    }
}

/// Appends a set: `words` are its nonzero words by ascending index, below 2^26. An empty set has no bytes.
///
/// The bytes depend on the set alone. Cost: some nanoseconds for each word.
///
/// # Panics
///
/// If the indices do not ascend or are too large, or a word is zero.
// PERF: counting and shifting bits takes twice as many instructions without those of newer processors. Inlined, it has those of
// its caller.
#[inline(always)]
pub fn encode(words: impl Iterator<Item = (usize, u64)> + Clone, out: &mut Vec<u8>) {
    let start = out.len();
    out.push(METHOD_WORDS);
    let (bits, end) = words::encode(words.clone(), out);
    let length = out.len() - start - 1;
    if bits == 0 {
        out.truncate(start);
    } else if length as u64 * 8 > estimated_gap_bits(bits, end * 64) {
        // The set has no pattern that makes words shorter than gaps.
        let mut gaps = Vec::with_capacity(length);
        gaps.push(METHOD_GAPS);
        gaps::encode(words, &mut gaps);
        if gaps.len() <= length {
            out.truncate(start);
            out.extend_from_slice(&gaps);
        }
    }
}

/// An estimate of how many bits the gaps of a random set take: for each gap, the logarithm of the mean gap and one and a half.
///
/// It decides which codes are tried, so it is part of the bytes of a table.
fn estimated_gap_bits(bits: u64, squares: u64) -> u64 {
    let mean = squares.saturating_mul(256) / bits;
    let log = mean.ilog2();
    // The logarithm in sixteenths, interpolated between powers of two.
    let sixteenths = 16 * u64::from(log) + ((mean << 4 >> log) & 15);
    bits * (sixteenths + 24 - 16 * 8) / 16
}

/// Calls `f` with index and word of each nonzero word of the block, ascending. `words` is how many words the tile has.
///
/// # Errors
///
/// No encoder writes these bytes for a tile of this size. `f` may have been called before the error.
// PERF: inlined like [`encode`].
#[inline(always)]
pub fn for_each_word(bytes: &[u8], words: usize, f: impl FnMut(usize, u64)) -> Result<(), CodecError> {
    match bytes.split_first() {
        None => Ok(()),
        Some((&METHOD_WORDS, bytes)) => words::for_each_word(bytes, words, f),
        Some((&METHOD_GAPS, bytes)) => gaps::for_each_word(bytes, words, f),
        Some((&method @ (METHOD_LZ4 | METHOD_RAW), bytes)) => for_each_plain_word(method, bytes, words, f),
        Some(_) => Err(CodecError::Method),
    }
}

fn for_each_plain_word(
    method: u8,
    bytes: &[u8],
    words: usize,
    mut f: impl FnMut(usize, u64),
) -> Result<(), CodecError> {
    let unpacked;
    let bytes = if method == METHOD_RAW {
        bytes
    } else {
        let mut buffer = alloc::vec![0; words * 8];
        if lz4_flex::block::decompress_into(bytes, &mut buffer).ok() != Some(buffer.len()) {
            return Err(CodecError::Block);
        }
        unpacked = buffer;
        &unpacked
    };
    if bytes.len() != words * 8 {
        return Err(if bytes.len() < words * 8 { CodecError::Truncated } else { CodecError::PastEnd });
    }
    let (words, _) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().map(|word| u64::from_le_bytes(*word)).enumerate().filter(|(_, word)| *word != 0) {
        f(index, word);
    }
    Ok(())
}

/// Appends a dense set, all words of a tile, by the method that gives the fewest bytes. An empty set has no bytes.
#[inline(always)]
pub fn encode_bitmap(words: &[u64], out: &mut Vec<u8>) {
    let start = out.len();
    encode((0..).zip(words.iter().copied()).filter(|(_, word)| *word != 0), out);
    let raw: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let block = lz4_flex::block::compress(&raw);
    let (method, bytes) = if block.len() < raw.len() { (METHOD_LZ4, block) } else { (METHOD_RAW, raw) };
    if out.len() - start > bytes.len() + 1 {
        out.truncate(start);
        out.push(method);
        out.extend_from_slice(&bytes);
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use proptest::prelude::*;

    use super::*;

    fn nonzero(words: &[u64]) -> impl Iterator<Item = (usize, u64)> + Clone {
        words.iter().copied().enumerate().filter(|(_, word)| *word != 0)
    }

    fn tiles() -> impl Strategy<Value = Vec<u64>> {
        let word = prop_oneof![8 => Just(0), 1 => any::<u64>(), 1 => (any::<u64>(), any::<u64>(), any::<u64>()).prop_map(|(a, b, c)| a & b & c),
            2 => (0..8u32, 0..8u32, 1..64u64).prop_map(|(file, rank, run)| (0..3).map(|up| (run << file & 255) << (8 * ((rank + up) % 8))).fold(0, |a, b| a | b)), 1 => (0..64u32).prop_map(|bit| 1 << bit), 1 => Just(u64::MAX)];
        prop::collection::vec(word, 0..300)
    }

    proptest! {
        #[test]
        fn sets_come_back(words in tiles()) {
            let (mut gaps, mut best) = (vec![], vec![]);
            encode(nonzero(&words), &mut gaps);
            encode_bitmap(&words, &mut best);
            prop_assert!(best.len() <= gaps.len());
            for bytes in [gaps, best] {
                let mut found = vec![];
                for_each_word(&bytes, words.len(), |index, word| found.push((index, word))).expect("what was encoded");
                prop_assert_eq!(found, nonzero(&words).collect::<Vec<_>>());
            }
        }

        #[test]
        fn any_bytes_are_canonical_or_an_error(tail in prop::collection::vec(any::<u8>(), 0..60), words in 0usize..40) {
            for method in [METHOD_WORDS, METHOD_GAPS] {
                check_canonical(method, &tail, words)?;
            }
        }

        /// Random bytes seldom get far; these are near to what an encoder writes.
        #[test]
        fn changed_bytes_are_canonical_or_an_error(words in tiles(), flips in prop::collection::vec(any::<(u16, u8)>(), 1..4)) {
            for method in [METHOD_WORDS, METHOD_GAPS] {
                let mut tail = vec![];
                by_method(method, &words, &mut tail);
                for (at, flip) in &flips {
                    let length = tail.len().max(1);
                    if let Some(byte) = tail.get_mut(usize::from(*at) % length) {
                        *byte ^= flip;
                    }
                }
                check_canonical(method, &tail, words.len())?;
                tail.pop();
                check_canonical(method, &tail, words.len())?;
            }
        }
    }

    fn by_method(method: u8, words: &[u64], out: &mut Vec<u8>) {
        match method {
            METHOD_WORDS => drop(words::encode(nonzero(words), out)),
            _ => gaps::encode(nonzero(words), out),
        }
    }

    fn check_canonical(method: u8, tail: &[u8], words: usize) -> Result<(), TestCaseError> {
        let bytes = [&[method], tail].concat();
        let mut read = vec![0; words];
        if for_each_word(&bytes, words, |index, word| read[index] = word).is_ok() {
            let mut again = vec![];
            by_method(method, &read, &mut again);
            prop_assert_eq!(again, tail);
        }
        Ok(())
    }

    /// The set bit by bit, as FORMAT.md has it, with strings for bits.
    fn naive_words(words: &[u64]) -> Vec<u8> {
        use alloc::format;
        use alloc::string::String;
        // Numbers are written lowest bit first.
        let low = |number: u64, bits: u32| -> String {
            (0..bits).map(|bit| if number >> bit & 1 != 0 { '1' } else { '0' }).collect()
        };
        let mut text = String::new();
        let (mut next, mut mean, mut seen) = (0, 0u64, vec![0; 128]);
        for (index, word) in nonzero(words) {
            let gap = (index - next) as u64;
            next = index + 1;
            let k = (mean / 32).max(1).ilog2();
            mean = mean - mean / 16 + gap.min(65535);
            let c = (gap / (1 << k) + 1).ilog2();
            text += &format!("{}1{}{}", "0".repeat(c as usize), low(gap / (1 << k) + 1, c), low(gap, k));
            let set: Vec<u64> = (0..64).filter(|bit| word >> bit & 1 != 0).collect();
            if let [bit] = set[..] {
                text += &format!("1{}", low(bit, 6));
                continue;
            }
            let slot = ((u128::from(word) * 0x9e37_79b9_7f4a_7c15) >> 57 & 127) as usize;
            if core::mem::replace(&mut seen[slot], word) == word {
                text += &format!("01{}", low(slot as u64, 7));
                continue;
            }
            if let [one, other] = set[..] {
                text += &format!("001{}{}", low(one, 6), low(other, 6));
                continue;
            }
            let (mut mask, mut tail, mut before) = (String::new(), String::new(), 0);
            for byte in word.to_le_bytes() {
                mask.push(if byte == 0 { '0' } else { '1' });
                let (first, last) = (byte.trailing_zeros(), 7u32.wrapping_sub(byte.leading_zeros()));
                tail += &match byte {
                    0 => continue,
                    _ if byte == before => "110".into(),
                    _ if first == last => format!("0{}", low(first.into(), 3)),
                    _ if byte.count_ones() == last - first + 1 => {
                        // Runs are numbered by their first bit, then by their last.
                        let number = (0..8)
                            .flat_map(|first| (first + 1..8).map(move |last| (first, last)))
                            .position(|run| run == (first, last));
                        format!("10{}", low(number.expect("a run") as u64, 5))
                    }
                    _ => format!("111{}", low(byte.into(), 8)),
                };
                before = byte;
            }
            text += &if tail.len() < 64 {
                format!("000{mask}{tail}")
            } else {
                format!("{}{}", "0".repeat(11), low(word, 64))
            };
        }
        let bits: Vec<bool> = text.chars().map(|bit| bit == '1').collect();
        bits.chunks(8).map(|bits| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit))).collect()
    }

    proptest! {
        #[test]
        fn words_are_as_the_naive_twin_writes_them(words in tiles()) {
            let mut bytes = vec![];
            words::encode(nonzero(&words), &mut bytes);
            prop_assert_eq!(bytes, naive_words(&words));
        }
    }

    /// Four of the 32 numbers of runs are of none.
    #[test]
    fn runs_without_a_number_are_errors() {
        // No gap, bytes, a mask of two, and twice the run of this number, or any other byte.
        for number in 0..32u64 {
            let bits: u64 = 1 | 0b11 << 4 | 0b01 << 12 | number << 14 | 0b011 << 19;
            let bytes = [&[METHOD_WORDS], &bits.to_le_bytes()[..3]].concat();
            let read = for_each_word(&bytes, 1, |_, _| ());
            assert_eq!(read.is_ok(), number < 28, "{number}: {read:?}");
        }
    }

    #[test]
    fn sets_without_a_pattern_are_gaps() {
        // Bits from the digits of a multiplication, about one in five.
        let bit = |at: u64| {
            at.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 40
                < (1 << 24) / 5
        };
        let words: Vec<u64> =
            (0..500).map(|word| (0..64).map(|at| u64::from(bit(word * 64 + at)) << at).sum()).collect();
        let mut bytes = vec![];
        encode(nonzero(&words), &mut bytes);
        assert_eq!(bytes[0], METHOD_GAPS);
        let set: u32 = words.iter().map(|word| word.count_ones()).sum();
        assert!(bytes.len() * 8 < set as usize * 4, "3.6 bits each is what a random set must take");
        let blocks = vec![0x0000_3c3c_3c3c_0000; 500];
        let mut bytes = vec![];
        encode(nonzero(&blocks), &mut bytes);
        assert_eq!((bytes[0], bytes.len()), (METHOD_WORDS, 1 + (1 + 11 + 7 + 3 * 3 + 499 * 10usize).div_ceil(8)));
        let mut nothing = vec![];
        encode_bitmap(&[0; 9], &mut nothing);
        assert_eq!((nothing.len(), for_each_word(&nothing, 9, |_, _| ())), (0, Ok(())));
    }

    #[test]
    fn random_sets_take_the_logarithm_of_their_gaps_and_one_and_a_half() {
        // A power of two as mean gap: 1.5 bits and its logarithm, for each bit.
        for (bits, gap, expected) in [(64, 1, 96), (64, 2, 160), (64, 256, 608), (10, 1 << 20, 215), (2, 1 << 40, 83)] {
            assert_eq!(estimated_gap_bits(bits, bits * gap), expected, "{bits} bits, one in {gap}");
        }
        // Half way between powers of two, and a quarter: by a straight line.
        assert_eq!(estimated_gap_bits(100, 300), 300);
        assert_eq!(estimated_gap_bits(100, 500), 375);
    }
}
