//! The code of sparse sets of positions: gaps from one set bit to the next.
//!
//! A piece begins with a byte that says its method: gaps, words as LZ4, or words as they are. See FORMAT.md.

use alloc::vec::Vec;

use thiserror::Error;

/// Why bytes are no coded set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum CodeError {
    /// There is no first byte, or it is none of the methods.
    #[error("its method is unknown")]
    Method,
    /// The bytes end within a token.
    #[error("it ends within a token")]
    Truncated,
    /// A bit lies beyond the end of the tile.
    #[error("it has a position beyond the end of its tile")]
    PastEnd,
    /// The encoder would have written it otherwise.
    #[error("it is not written in the shortest way")]
    NotCanonical,
    /// LZ4 cannot make sense of it.
    #[error("its LZ4 block is damaged")]
    Block,
}

const GAPS: u8 = 0;
const BLOCK: u8 = 1;
const RAW: u8 = 2;

/// Two bits with gaps of at most this sum share a byte.
const PAIR: u64 = 18;
const LONG: u8 = 190;
const SINGLE: u8 = 191;
const MOST_SINGLE: u64 = 64;

/// The first code of a pair by its first gap.
const fn pair(first: u64) -> u64 {
    first * (PAIR + 1) - first * first.saturating_sub(1) / 2
}

const PAIRS: [(u8, u8); 190] = {
    let mut pairs = [(0, 0); 190];
    let mut first = 0;
    while first <= PAIR {
        let mut second = 0;
        while first + second <= PAIR {
            pairs[(pair(first) + second) as usize] = (first as u8, second as u8);
            second += 1;
        }
        first += 1;
    }
    pairs
};

/// Appends a set as gaps: `words` are its nonzero words by ascending index. An empty set is two bytes shorter if the
/// piece is left out.
///
/// # Panics
///
/// If the indices do not ascend.
pub fn encode(words: impl Iterator<Item = (usize, u64)>, out: &mut Vec<u8>) {
    out.push(GAPS);
    let (mut next, mut waiting) = (0, None);
    let single = |gap: u64, out: &mut Vec<u8>| match gap {
        0..=MOST_SINGLE => out.push(SINGLE + gap as u8),
        _ => {
            out.push(LONG);
            put(gap - MOST_SINGLE - 1, out);
        }
    };
    for (index, mut word) in words {
        while word != 0 {
            let bit = index as u64 * 64 + u64::from(word.trailing_zeros());
            word &= word - 1;
            assert!(bit >= next, "words ascend");
            let gap = bit - next;
            next = bit + 1;
            waiting = match waiting {
                None if gap <= PAIR => Some(gap),
                None => {
                    single(gap, out);
                    None
                }
                Some(first) if first + gap <= PAIR => {
                    out.push((pair(first) + gap) as u8);
                    None
                }
                Some(first) => {
                    single(first, out);
                    if gap <= PAIR {
                        Some(gap)
                    } else {
                        single(gap, out);
                        None
                    }
                }
            };
        }
    }
    if let Some(first) = waiting {
        single(first, out);
    }
}

fn put(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Result<u64, CodeError> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or(CodeError::Truncated)?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return if byte == 0 && shift > 0 { Err(CodeError::NotCanonical) } else { Ok(number) };
        }
    }
    Err(CodeError::PastEnd)
}

/// Calls `f` with index and word of each nonzero word of the piece, ascending. `words` is how many words the tile has.
///
/// # Errors
///
/// Bytes that no encoder wrote for a tile of this size; `f` may have been called before.
pub fn for_each(bytes: &[u8], words: usize, mut f: impl FnMut(usize, u64)) -> Result<(), CodeError> {
    let (&method, mut bytes) = bytes.split_first().ok_or(CodeError::Method)?;
    match method {
        GAPS => {}
        BLOCK | RAW => return each_word(method, bytes, words, f),
        _ => return Err(CodeError::Method),
    }
    let end = words as u64 * 64;
    let (mut next, mut index, mut word) = (0u64, 0, 0u64);
    let mut single = u64::MAX;
    let mut set = |gap: u64| {
        let bit = next.saturating_add(gap);
        if bit >= end {
            return Err(CodeError::PastEnd);
        }
        let at = (bit / 64) as usize;
        if at != index {
            if word != 0 {
                f(index, word);
            }
            (index, word) = (at, 0);
        }
        word |= 1 << (bit % 64);
        next = bit + 1;
        Ok(())
    };
    while let Some((&code, rest)) = bytes.split_first() {
        bytes = rest;
        let first = match code {
            0..LONG => u64::from(PAIRS[usize::from(code)].0),
            LONG => MOST_SINGLE + 1,
            SINGLE.. => u64::from(code - SINGLE),
        };
        if single.saturating_add(first) <= PAIR {
            return Err(CodeError::NotCanonical);
        }
        single = u64::MAX;
        match code {
            0..LONG => {
                set(first)?;
                set(PAIRS[usize::from(code)].1.into())?;
            }
            LONG => set(take(&mut bytes)?.saturating_add(MOST_SINGLE + 1))?,
            SINGLE.. => {
                set(first)?;
                single = first;
            }
        }
    }
    if word != 0 {
        f(index, word);
    }
    Ok(())
}

fn each_word(method: u8, bytes: &[u8], words: usize, mut f: impl FnMut(usize, u64)) -> Result<(), CodeError> {
    let unpacked;
    let bytes = if method == RAW {
        bytes
    } else {
        let mut buffer = alloc::vec![0; words * 8];
        if lz4_flex::block::decompress_into(bytes, &mut buffer).ok() != Some(buffer.len()) {
            return Err(CodeError::Block);
        }
        unpacked = buffer;
        &unpacked
    };
    if bytes.len() != words * 8 {
        return Err(if bytes.len() < words * 8 { CodeError::Truncated } else { CodeError::PastEnd });
    }
    let (words, _) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().map(|word| u64::from_le_bytes(*word)).enumerate().filter(|(_, word)| *word != 0) {
        f(index, word);
    }
    Ok(())
}

/// Adds a piece to the words of its tile.
///
/// # Errors
///
/// As [`for_each`]; some bits may have been added before.
pub fn decode_into(bytes: &[u8], words: &mut [u64]) -> Result<(), CodeError> {
    for_each(bytes, words.len(), |index, word| words[index] |= word)
}

/// Appends a dense set, all words of a tile, by the method that is smallest.
pub fn encode_bitmap(words: &[u64], out: &mut Vec<u8>) {
    let start = out.len();
    encode((0..).zip(words.iter().copied()).filter(|(_, word)| *word != 0), out);
    let raw: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let block = lz4_flex::block::compress(&raw);
    let gaps = out.len() - start - 1;
    if gaps <= block.len().min(raw.len()) {
        return;
    }
    out.truncate(start);
    let (method, bytes) = if block.len() < raw.len() { (BLOCK, block) } else { (RAW, raw) };
    out.push(method);
    out.extend_from_slice(&bytes);
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use proptest::prelude::*;

    use super::*;

    fn nonzero(words: &[u64]) -> impl Iterator<Item = (usize, u64)> + '_ {
        words.iter().copied().enumerate().filter(|(_, word)| *word != 0)
    }

    fn tiles() -> impl Strategy<Value = Vec<u64>> {
        let word =
            prop_oneof![8 => Just(0), 1 => any::<u64>(), 1 => (0..64u32).prop_map(|bit| 1 << bit), 1 => Just(u64::MAX)];
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
                let mut read = vec![0; words.len()];
                decode_into(&bytes, &mut read).expect("what was encoded");
                prop_assert_eq!(&read, &words);
                let mut found = vec![];
                for_each(&bytes, words.len(), |index, word| found.push((index, word))).expect("what was encoded");
                prop_assert_eq!(found, nonzero(&words).collect::<Vec<_>>());
            }
        }

        #[test]
        fn any_bytes_are_canonical_or_an_error(tail in prop::collection::vec(any::<u8>(), 0..60), words in 0usize..40) {
            let bytes = [&[GAPS], &tail[..]].concat();
            let mut read = vec![0; words];
            if decode_into(&bytes, &mut read).is_ok() {
                let mut again = vec![];
                encode(nonzero(&read), &mut again);
                prop_assert_eq!(again, bytes);
            }
        }
    }
}
