//! Entropy coding for both directions: a model is written once, as a function of a [`Coder`], which writes when a shard is packed and
//! reads when it is unpacked.
//!
//! The coder is rANS (Duda, arXiv:1311.2540): a state of 32 bits, frequencies out of 65,536, words of 16 bits. It codes the last choice
//! first, so the writer collects all choices before it produces bytes.

use alloc::vec::Vec;

/// The sum of the frequencies of all outcomes of a choice.
pub(super) const TOTAL: u32 = 1 << 16;
/// The smallest state between two choices.
const LOWEST_STATE: u32 = 1 << 16;

/// Writes choices, or reads them.
pub(super) trait Coder {
    /// Whether this coder reads. The values that a model is given are then meaningless.
    const READS: bool;

    /// Codes one of the outcomes with these frequencies, which are at least 1 and whose sum is less than [`TOTAL`]; the rest belongs
    /// to one more outcome, whose number is their count. Returns `chosen`, or what was read.
    fn choose(&mut self, frequencies: &[u32], chosen: usize) -> usize;

    /// Codes a bit that is 1 with the probability `ones` / [`TOTAL`], 0 < `ones` < [`TOTAL`]. Returns `bit`, or what was read.
    fn bit(&mut self, ones: u32, bit: bool) -> bool;

    /// Codes the lowest `count` bits of `value`, at most 16, each value as likely as any other. Returns these bits, or what was read.
    fn raw(&mut self, value: u32, count: u32) -> u32;

    /// Whether there has been more to read than there are bytes.
    fn is_exhausted(&self) -> bool;
}

/// Collects choices and makes bytes of them.
#[derive(Default)]
pub(super) struct Writer {
    /// Of each choice the start of its range, and its frequency less one.
    choices: Vec<(u16, u16)>,
}

impl Writer {
    fn push(&mut self, start: u32, frequency: u32) {
        self.choices.push((start as u16, (frequency - 1) as u16));
    }

    /// All choices as bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        let mut state = LOWEST_STATE;
        let mut words = Vec::new();
        for &(start, frequency) in self.choices.iter().rev() {
            let frequency = u32::from(frequency) + 1;
            if u64::from(state) >= u64::from(frequency) << 16 {
                words.push(state as u16);
                state >>= 16;
            }
            state = ((state / frequency) << 16) + state % frequency + u32::from(start);
        }
        let mut bytes = state.to_le_bytes().to_vec();
        bytes.extend(words.iter().rev().flat_map(|word| word.to_le_bytes()));
        bytes
    }
}

impl Coder for Writer {
    const READS: bool = false;

    fn choose(&mut self, frequencies: &[u32], chosen: usize) -> usize {
        let start: u32 = frequencies[..chosen].iter().sum();
        self.push(start, frequencies.get(chosen).copied().unwrap_or(TOTAL - start));
        chosen
    }

    fn bit(&mut self, ones: u32, bit: bool) -> bool {
        if bit {
            self.push(0, ones)
        } else {
            self.push(ones, TOTAL - ones)
        }
        bit
    }

    fn raw(&mut self, value: u32, count: u32) -> u32 {
        let value = value & ((1 << count) - 1);
        self.push(value << (16 - count), 1 << (16 - count));
        value
    }

    fn is_exhausted(&self) -> bool {
        false
    }
}

/// Reads choices. Behind the end of the bytes it reads zeros and remembers that it did.
pub(super) struct Reader<'a> {
    state: u32,
    words: &'a [u8],
    is_exhausted: bool,
}

impl<'a> Reader<'a> {
    /// Reads what a [`Writer`] has written.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        let (head, words) = bytes.split_at_checked(4).unwrap_or((&[], &[]));
        let state = head.try_into().map_or(0, u32::from_le_bytes);
        Reader { state, words, is_exhausted: head.is_empty() }
    }

    /// Returns whether exactly what was written has been read.
    pub fn is_at_end(&self) -> bool {
        self.state == LOWEST_STATE && self.words.is_empty() && !self.is_exhausted
    }

    fn take(&mut self, start: u32, frequency: u32) {
        self.state = frequency.wrapping_mul(self.state >> 16).wrapping_add((self.state & (TOTAL - 1)) - start);
        if self.state < LOWEST_STATE {
            let word = match self.words.split_first_chunk() {
                Some((word, rest)) => {
                    self.words = rest;
                    u16::from_le_bytes(*word)
                }
                None => {
                    self.is_exhausted = true;
                    0
                }
            };
            self.state = self.state << 16 | u32::from(word);
        }
    }
}

impl Coder for Reader<'_> {
    const READS: bool = true;

    fn choose(&mut self, frequencies: &[u32], _: usize) -> usize {
        let place = self.state & (TOTAL - 1);
        let mut start = 0;
        for (outcome, &frequency) in frequencies.iter().enumerate() {
            if place < start + frequency {
                self.take(start, frequency);
                return outcome;
            }
            start += frequency;
        }
        self.take(start, TOTAL - start);
        frequencies.len()
    }

    fn bit(&mut self, ones: u32, _: bool) -> bool {
        let bit = self.state & (TOTAL - 1) < ones;
        if bit {
            self.take(0, ones)
        } else {
            self.take(ones, TOTAL - ones)
        }
        bit
    }

    fn raw(&mut self, _: u32, count: u32) -> u32 {
        let value = (self.state & (TOTAL - 1)) >> (16 - count);
        self.take(value << (16 - count), 1 << (16 - count));
        value
    }

    fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(choices in prop::collection::vec((prop::collection::vec(1u32..4000, 0..12), any::<u16>()), 0..300)) {
            let mut writer = Writer::default();
            for (frequencies, value) in &choices {
                writer.choose(frequencies, usize::from(*value) % (frequencies.len() + 1));
                writer.bit(u32::from(*value).clamp(1, TOTAL - 1), value % 3 == 0);
                writer.raw(u32::from(*value), 16);
                writer.raw(u32::from(*value) & 7, 3);
            }
            let bytes = writer.into_bytes();
            let mut reader = Reader::new(&bytes);
            for (frequencies, value) in &choices {
                prop_assert_eq!(reader.choose(frequencies, 0), usize::from(*value) % (frequencies.len() + 1));
                prop_assert_eq!(reader.bit(u32::from(*value).clamp(1, TOTAL - 1), false), value % 3 == 0);
                prop_assert_eq!(reader.raw(0, 16), u32::from(*value));
                prop_assert_eq!(reader.raw(0, 3), u32::from(*value) & 7);
            }
            prop_assert!(reader.is_at_end());
            reader.raw(0, 16);
            prop_assert!(reader.is_exhausted());
        }
    }
}
