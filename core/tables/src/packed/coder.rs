//! A range coder for answers of yes and no, each with the probability of yes.
//!
//! The coder keeps an interval of numbers and halves it with each answer, in proportion to the probabilities. The bytes are the number
//! in the last interval that has the fewest of them; zeros at its end are left out.

use alloc::vec::Vec;

/// The probability of yes in parts of 65,536; from 1 to 65,535.
pub type Probability = u16;

/// Bits of a probability.
const PROBABILITY_BITS: u32 = 16;

/// Writes answers.
pub struct RangeEncoder<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
    low: u64,
    range: u64,
}

impl<'a> RangeEncoder<'a> {
    /// Appends to `out`.
    pub fn new(out: &'a mut Vec<u8>) -> RangeEncoder<'a> {
        RangeEncoder { start: out.len(), out, low: 0, range: u64::MAX }
    }

    /// Appends an answer.
    pub fn put(&mut self, probability: Probability, answer: bool) {
        let yes = (self.range >> PROBABILITY_BITS) * u64::from(probability.max(1));
        if answer {
            self.range = yes;
        } else {
            self.add(yes);
            self.range -= yes;
        }
        if self.range >> 32 == 0 {
            self.out.extend_from_slice(&((self.low >> 32) as u32).to_be_bytes());
            (self.low, self.range) = (self.low << 32, self.range << 32);
        }
    }

    fn add(&mut self, number: u64) {
        let (low, carries) = self.low.overflowing_add(number);
        self.low = low;
        if carries {
            for byte in self.out[self.start..].iter_mut().rev() {
                *byte = byte.wrapping_add(1);
                if *byte != 0 {
                    break;
                }
            }
        }
    }

    /// Appends the rest.
    pub fn finish(mut self) {
        // Of the numbers in the interval, the one with the most zeros at its end.
        let zeros = 63 - self.range.leading_zeros();
        let mask = (1u64 << zeros) - 1;
        if self.low & mask != 0 {
            self.add(mask);
            self.low &= !mask;
        }
        self.out.extend_from_slice(&self.low.to_be_bytes());
        while self.out.len() > self.start && self.out.last() == Some(&0) {
            self.out.pop();
        }
    }
}

/// Reads answers. Bytes that are damaged give other answers, never a panic.
pub struct RangeDecoder<'a> {
    rest: &'a [u8],
    /// The number, less the beginning of the interval.
    number: u64,
    range: u64,
}

impl<'a> RangeDecoder<'a> {
    /// Reads from the beginning of `bytes`.
    pub fn new(bytes: &'a [u8]) -> RangeDecoder<'a> {
        let mut decoder = RangeDecoder { rest: bytes, number: 0, range: u64::MAX };
        decoder.number = u64::from(decoder.next()) << 32;
        decoder.number |= u64::from(decoder.next());
        decoder
    }

    #[inline(always)]
    fn next(&mut self) -> u32 {
        if let Some((word, rest)) = self.rest.split_first_chunk() {
            self.rest = rest;
            return u32::from_be_bytes(*word);
        }
        let mut word = [0; 4];
        word[..self.rest.len()].copy_from_slice(self.rest);
        self.rest = &[];
        u32::from_be_bytes(word)
    }

    /// Reads an answer.
    #[inline(always)]
    pub fn take(&mut self, probability: Probability) -> bool {
        let yes = (self.range >> PROBABILITY_BITS) * u64::from(probability.max(1));
        let answer = self.number < yes;
        if answer {
            self.range = yes;
        } else {
            self.number -= yes;
            self.range -= yes;
        }
        if self.range >> 32 == 0 {
            self.range <<= 32;
            self.number = self.number << 32 | u64::from(self.next());
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn probability() -> impl Strategy<Value = Probability> {
        prop_oneof![Just(1), Just(u16::MAX), 1..=u16::MAX]
    }

    proptest! {
        #[test]
        fn answers_are_read_as_written(answers in prop::collection::vec((probability(), any::<bool>()), 0..900), before in 0usize..3) {
            let mut bytes = alloc::vec![0xff; before];
            let mut encoder = RangeEncoder::new(&mut bytes);
            answers.iter().for_each(|&(probability, answer)| encoder.put(probability, answer));
            encoder.finish();
            prop_assert!(bytes[..before].iter().all(|byte| *byte == 0xff));
            let mut decoder = RangeDecoder::new(&bytes[before..]);
            for &(probability, answer) in &answers {
                prop_assert_eq!(decoder.take(probability), answer);
            }
        }

        #[test]
        fn expected_answers_take_little(number in 0usize..4000) {
            let mut bytes = Vec::new();
            let mut encoder = RangeEncoder::new(&mut bytes);
            (0..number).for_each(|_| encoder.put(u16::MAX, true));
            encoder.finish();
            prop_assert!(bytes.len() <= 1 + number / 40_000);
        }
    }
}
