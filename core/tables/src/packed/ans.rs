//! Codes symbols as one number, by asymmetric numeral systems (rANS, by Jarek Duda) with frequencies in parts of 4,096.
//!
//! The encoder takes the symbols from the last to the first, so that the decoder finds the first one first. The decoder ends with
//! the number with which the encoder began; damaged bytes rarely give this number.

use alloc::vec::Vec;

/// Bits of a frequency.
pub const FREQUENCY_BITS: u32 = 12;
/// The sum of all frequencies.
pub const WHOLE: u16 = 1 << FREQUENCY_BITS;
/// The number with which the encoder begins, and the least between two symbols.
const LEAST: u32 = 1 << 16;

/// A part of the whole that stands for a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The sum of the frequencies of the symbols before.
    pub start: u16,
    /// The frequency of the symbol; at least 1.
    pub size: u16,
}

/// Appends the symbols with these shares.
pub fn encode(shares: &[Share], out: &mut Vec<u8>) {
    let (mut state, mut words) = (LEAST, Vec::with_capacity(shares.len() / 8 + 2));
    for &Share { start, size } in shares.iter().rev() {
        let size = u32::from(size.max(1));
        if u64::from(state) >= u64::from(size) << (32 - FREQUENCY_BITS) {
            words.push(state as u16);
            state >>= 16;
        }
        state = (state / size) << FREQUENCY_BITS | (state % size + u32::from(start));
    }
    // Whether the highest byte is there follows from the length.
    let bytes = if state >> 24 == 0 { 3 } else { 4 };
    out.extend_from_slice(&state.to_le_bytes()[..bytes]);
    words.into_iter().rev().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
}

/// Reads symbols. Bytes that are damaged give other symbols, never a panic.
pub struct Decoder<'a> {
    state: u32,
    rest: &'a [u8],
}

impl<'a> Decoder<'a> {
    /// Reads from the beginning of `bytes`, all of which belong to it.
    pub fn new(bytes: &'a [u8]) -> Decoder<'a> {
        let (first, rest) = bytes.split_at(bytes.len().min(4 - bytes.len() % 2));
        let mut state = [0; 4];
        state[..first.len()].copy_from_slice(first);
        Decoder { state: u32::from_le_bytes(state), rest }
    }

    /// Returns the place of the next symbol in the whole.
    #[inline(always)]
    pub fn place(&self) -> u16 {
        self.state as u16 & (WHOLE - 1)
    }

    /// Goes on behind the symbol with this share, in which the place lies.
    #[inline(always)]
    pub fn advance(&mut self, Share { start, size }: Share) {
        let offset = u32::from(self.place().wrapping_sub(start));
        self.state = u32::from(size) * (self.state >> FREQUENCY_BITS) + offset;
        if self.state < LEAST {
            let (word, rest) = self.rest.split_first_chunk().unwrap_or((&[0; 2], &[]));
            self.state = self.state << 16 | u32::from(u16::from_le_bytes(*word));
            self.rest = rest;
        }
    }

    /// Returns whether all symbols have been read that were written.
    pub fn is_at_end(&self) -> bool {
        self.state == LEAST && self.rest.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn share() -> impl Strategy<Value = Share> {
        (0..WHOLE, 1..=WHOLE).prop_map(|(start, size)| Share { start, size: size.min(WHOLE - start) })
    }

    proptest! {
        #[test]
        fn symbols_are_read_as_written(shares in prop::collection::vec(share(), 0..900)) {
            let mut bytes = Vec::new();
            encode(&shares, &mut bytes);
            let mut decoder = Decoder::new(&bytes);
            for share in shares {
                let place = decoder.place();
                prop_assert!(place >= share.start && place < share.start + share.size);
                decoder.advance(share);
            }
            prop_assert!(decoder.is_at_end());
        }

        #[test]
        fn expected_symbols_take_little(number in 0usize..4000) {
            let mut bytes = Vec::new();
            encode(&alloc::vec![Share { start: 0, size: WHOLE - 1 }; number], &mut bytes);
            prop_assert!(bytes.len() <= 4 + number / 20_000);
        }
    }
}
