//! Models that learn while they code: bits, numbers, and text.

use alloc::vec;
use alloc::vec::Vec;

use super::entropy::{Coder, TOTAL};

/// How likely a bit is to be 1, after the bits that came before it.
#[derive(Clone, Copy)]
pub(super) struct BitModel {
    /// Out of [`TOTAL`].
    ones: u16,
    /// Bits seen, up to a limit.
    seen: u8,
}

/// After so many bits, older ones are gradually forgotten.
const MEMORY: u8 = 60;
/// No outcome is believed to be rarer than this, out of [`TOTAL`].
const RAREST: u32 = 24;

impl BitModel {
    pub const NEW: BitModel = BitModel { ones: (TOTAL / 2) as u16, seen: 0 };

    fn ones(self) -> u32 {
        u32::from(self.ones).clamp(RAREST, TOTAL - RAREST)
    }

    fn learn(&mut self, bit: bool) {
        let rate = u32::from(self.seen) + 2;
        let ones = u32::from(self.ones);
        self.ones = if bit { ones + (TOTAL - 1 - ones) / rate } else { ones - ones / rate } as u16;
        self.seen = (self.seen + 1).min(MEMORY);
    }

    /// Codes a bit and learns it.
    pub fn code(&mut self, coder: &mut impl Coder, bit: bool) -> bool {
        let bit = coder.bit(self.ones(), bit);
        self.learn(bit);
        bit
    }
}

/// Codes the lowest `count` bits of `value`, each with the bits above it as context. `models` has 2 to the `count` entries.
fn code_tree(coder: &mut impl Coder, models: &mut [BitModel], value: u32, count: u32) -> u32 {
    let mut node = 1;
    for bit in (0..count).rev() {
        node = node << 1 | usize::from(models[node].code(coder, value >> bit & 1 != 0));
    }
    node as u32 - (1 << count)
}

/// Numbers of which small ones, or those of a certain size, are likely.
#[derive(Clone)]
pub(super) struct NumberModel {
    /// A tree of the number of bits.
    lengths: [BitModel; 64],
    /// For each number of bits, a tree of the three bits after the highest.
    leading: [[BitModel; 8]; 33],
}

impl Default for NumberModel {
    fn default() -> NumberModel {
        NumberModel { lengths: [BitModel::NEW; 64], leading: [[BitModel::NEW; 8]; 33] }
    }
}

impl NumberModel {
    /// Codes a number.
    pub fn code(&mut self, coder: &mut impl Coder, value: u32) -> u32 {
        let length = code_tree(coder, &mut self.lengths, 32 - value.leading_zeros(), 6).min(32);
        if length < 2 {
            return length;
        }
        let mut rest = length - 1;
        let count = rest.min(3);
        rest -= count;
        let leading = code_tree(coder, &mut self.leading[length as usize], value >> rest & ((1 << count) - 1), count);
        let mut number = 1 << count | leading;
        while rest > 0 {
            let count = rest.min(16);
            rest -= count;
            number = number << count | coder.raw(value >> rest, count);
        }
        number
    }

    /// Codes a number by its difference from `expected`.
    pub fn code_near(&mut self, coder: &mut impl Coder, expected: u32, value: u32) -> u32 {
        let difference = value.wrapping_sub(expected) as i32;
        let folded = self.code(coder, (difference << 1 ^ difference >> 31) as u32);
        expected.wrapping_add((folded >> 1) ^ (folded & 1).wrapping_neg())
    }
}

/// Bytes, each after the three before it.
pub(super) struct TextModel {
    /// For the last byte, the last two, and the last three: a tree of 256 entries each, the latter two in a table by hash.
    orders: [Vec<BitModel>; 3],
    /// The bytes before, the last one lowest.
    last: u32,
}

/// Trees in the tables of longer contexts, as a power of two.
const TREES: u32 = 12;
/// How much more a prediction after two and three bytes counts.
const WEIGHTS: [u32; 3] = [1, 6, 24];

impl Default for TextModel {
    fn default() -> TextModel {
        TextModel { orders: [8, TREES, TREES].map(|trees| vec![BitModel::NEW; 256 << trees]), last: 0 }
    }
}

impl TextModel {
    /// Codes a byte.
    pub fn code(&mut self, coder: &mut impl Coder, byte: u8) -> u8 {
        let hash = |bytes: u32| bytes.wrapping_mul(0x9e37_79b1) >> (32 - TREES);
        let trees =
            [self.last & 0xff, hash(self.last & 0xffff), hash(self.last & 0xff_ffff)].map(|tree| tree as usize * 256);
        let mut node = 1;
        for bit in (0..8).rev() {
            let (mut ones, mut weights) = (0, 0);
            for ((order, tree), weight) in self.orders.iter().zip(trees).zip(WEIGHTS) {
                let model = order[tree + node];
                let weight = weight * (u32::from(model.seen) + 1).min(24);
                ones += model.ones() * weight;
                weights += weight;
            }
            let bit = coder.bit(ones / weights, byte >> bit & 1 != 0);
            for (order, tree) in self.orders.iter_mut().zip(trees) {
                order[tree + node].learn(bit);
            }
            node = node << 1 | usize::from(bit);
        }
        self.last = self.last << 8 | (node as u32 & 0xff);
        node as u8
    }

    /// Codes so many bytes; `bytes` are those to be written.
    pub fn code_all<C: Coder>(&mut self, coder: &mut C, bytes: &[u8], count: usize) -> Vec<u8> {
        let mut coded = Vec::new();
        for at in 0..count {
            if coder.is_exhausted() {
                break;
            }
            coded.push(self.code(coder, bytes.get(at).copied().unwrap_or(0)));
        }
        coded
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::entropy::{Reader, Writer};
    use super::*;

    proptest! {
        #[test]
        fn numbers_and_texts_come_back(numbers in prop::collection::vec((any::<u32>(), 0u32..33), 0..200), text in ".{0,80}") {
            let mut writer = Writer::default();
            let (mut one, mut near, mut texts) = (NumberModel::default(), NumberModel::default(), TextModel::default());
            let numbers: Vec<u32> = numbers.iter().map(|(value, bits)| (u64::from(*value) >> (32 - bits)) as u32).collect();
            for pair in numbers.windows(2) {
                one.code(&mut writer, pair[1]);
                near.code_near(&mut writer, pair[0], pair[1]);
            }
            texts.code_all(&mut writer, text.as_bytes(), text.len());
            let bytes = writer.into_bytes();
            let mut reader = Reader::new(&bytes);
            let (mut one, mut near, mut texts) = (NumberModel::default(), NumberModel::default(), TextModel::default());
            for pair in numbers.windows(2) {
                prop_assert_eq!(one.code(&mut reader, 0), pair[1]);
                prop_assert_eq!(near.code_near(&mut reader, pair[0], 0), pair[1]);
            }
            prop_assert_eq!(texts.code_all(&mut reader, &[], text.len()), text.as_bytes());
            prop_assert!(reader.is_at_end());
        }
    }
}
