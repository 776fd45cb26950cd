//! The probabilities of a table: one byte for each context in which a question is asked, for most contexts none.
//!
//! A question has a *coarse* context, of which there are few, and a *fine* one, a place in a table of hashes. A fine context that was
//! asked often enough has a probability of its own; all others take that of the coarse one.

use alloc::vec;
use alloc::vec::Vec;

use super::coder::{Probability, RangeDecoder, RangeEncoder};

/// A context: its number among the coarse ones, and its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// The number of the coarse context.
    pub coarse: u16,
    /// The hash of everything that is known.
    pub fine: u64,
}

/// The number of fine contexts, as a power of two.
const FINE_BITS: u32 = 16;

/// A probability in a byte: 0 for none, the others by steps of an eighth of a bit from 1/65536 to 65535/65536.
const STEPS: [Probability; 256] = {
    /// 2⁻¹⸍⁸, times 2³².
    const FACTOR: u64 = 3_938_502_376;
    let mut steps = [1 << 15; 256];
    let (mut unlikely, mut step) = (1u64 << 47, 1);
    while step < 128 {
        unlikely = ((unlikely as u128 * FACTOR as u128) >> 32) as u64;
        let rounded = (unlikely >> 32) as u16;
        steps[128 - step] = if rounded == 0 { 1 } else { rounded };
        steps[128 + step] = u16::MAX - steps[128 - step] + 1;
        step += 1;
    }
    steps
};

/// The probabilities of a table.
pub struct Probabilities {
    /// The steps, and the probability of each.
    coarse: Vec<(u8, Probability)>,
    /// The same; those that are not there have that of a context that nobody asks in.
    fine: Vec<(u8, Probability)>,
}

impl Probabilities {
    /// The probability of yes.
    #[inline(always)]
    pub fn of(&self, context: Context) -> Probability {
        let (step, probability) = self.fine[fine_place(context)];
        if step != 0 { probability } else { self.coarse[usize::from(context.coarse)].1 }
    }

    /// Appends them.
    pub fn write(&self, out: &mut Vec<u8>) {
        let (mut coder, mut model) = (RangeEncoder::new(out), AdaptiveBytes::new());
        for &(byte, _) in self.coarse.iter().chain(&self.fine) {
            model.ask(|probability, question| {
                let answer = match question {
                    ByteQuestion::IsNone => byte == 0,
                    ByteQuestion::Bit(bit) => byte >> bit & 1 != 0,
                };
                coder.put(probability, answer);
                answer
            });
        }
        coder.finish();
    }

    /// The probabilities with which answers take the fewest bits, about. `count_all` counts all of them, and is called twice.
    pub fn counted(coarse_contexts: usize, mut count_all: impl FnMut(&mut AnswerCounts)) -> Probabilities {
        let mut counts = AnswerCounts::new(coarse_contexts);
        count_all(&mut counts);
        counts.known = Some(counts.coarse_probabilities());
        count_all(&mut counts);
        counts.finish()
    }

    /// Reads what [`write`](Self::write) has written, for so many coarse contexts.
    pub fn read(bytes: &[u8], coarse_contexts: usize) -> Probabilities {
        let (mut coder, mut model) = (RangeDecoder::new(bytes), AdaptiveBytes::new());
        let mut list = |length: usize| -> Vec<(u8, Probability)> {
            (0..length).map(|_| with_probability(model.ask(|probability, _| coder.take(probability)))).collect()
        };
        Probabilities { coarse: list(coarse_contexts), fine: list(1 << FINE_BITS) }
    }
}

fn with_probability(step: u8) -> (u8, Probability) {
    (step, STEPS[usize::from(step)])
}

#[inline(always)]
fn fine_place(context: Context) -> usize {
    (context.fine.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - FINE_BITS)) as usize
}

/// What is asked of a byte.
#[derive(Clone, Copy)]
enum ByteQuestion {
    /// Whether it is 0, as most are.
    IsNone,
    /// The bit with this number.
    Bit(u32),
}

/// Bytes as answers: whether it is 0, and if not, its bits, the highest first. Each answer makes the next like it more probable.
struct AdaptiveBytes {
    is_none: Probability,
    nodes: [Probability; 256],
}

impl AdaptiveBytes {
    fn new() -> AdaptiveBytes {
        AdaptiveBytes { is_none: 1 << 15, nodes: [1 << 15; 256] }
    }

    /// Asks for a byte, and returns it.
    fn ask(&mut self, mut ask: impl FnMut(Probability, ByteQuestion) -> bool) -> u8 {
        let is_none = ask(self.is_none, ByteQuestion::IsNone);
        adapt(&mut self.is_none, is_none);
        if is_none {
            return 0;
        }
        let mut node = 1;
        for bit in (0..8).rev() {
            let probability = &mut self.nodes[node];
            let answer = ask(*probability, ByteQuestion::Bit(bit));
            adapt(probability, answer);
            node = node << 1 | usize::from(answer);
        }
        node as u8
    }
}

fn adapt(probability: &mut Probability, answer: bool) {
    if answer {
        *probability += (u16::MAX - *probability) >> 4;
    } else {
        *probability -= *probability >> 4;
    }
}

/// Counts answers, and makes probabilities of them.
pub struct AnswerCounts {
    /// By coarse context: noes and yeses.
    coarse: Vec<[u32; 2]>,
    /// By place of the fine context: the same, and the bits that they take with the probabilities of their coarse contexts.
    fine: Vec<([u32; 2], f32)>,
    /// The probabilities of the coarse contexts, once they are known.
    known: Option<Probabilities>,
}

/// About how many bits a probability takes in a file.
const BITS_OF_A_PROBABILITY: f32 = 9.0;

impl AnswerCounts {
    /// No answers.
    fn new(coarse_contexts: usize) -> AnswerCounts {
        AnswerCounts { coarse: vec![[0; 2]; coarse_contexts], fine: vec![([0; 2], 0.0); 1 << FINE_BITS], known: None }
    }

    /// Counts an answer.
    pub fn count(&mut self, context: Context, answer: bool) {
        match &self.known {
            None => self.coarse[usize::from(context.coarse)][usize::from(answer)] += 1,
            Some(known) => {
                let (counts, bits) = &mut self.fine[fine_place(context)];
                counts[usize::from(answer)] += 1;
                *bits += bits_of(known.coarse[usize::from(context.coarse)].1, answer);
            }
        }
    }

    /// The probabilities of the coarse contexts alone.
    fn coarse_probabilities(&self) -> Probabilities {
        let coarse = self
            .coarse
            .iter()
            .map(|counts| with_probability(if *counts == [0; 2] { 128 } else { step_of(*counts) }))
            .collect();
        Probabilities { coarse, fine: vec![(0, 0); 1 << FINE_BITS] }
    }

    /// Adds the fine contexts that save more bits than they take.
    fn finish(mut self) -> Probabilities {
        let mut found = self.known.take().unwrap_or_else(|| self.coarse_probabilities());
        for (probability, (counts, bits_before)) in found.fine.iter_mut().zip(self.fine) {
            let step = step_of(counts);
            let bits = |answer: bool| counts[usize::from(answer)] as f32 * bits_of(STEPS[usize::from(step)], answer);
            if bits(false) + bits(true) + BITS_OF_A_PROBABILITY < bits_before {
                *probability = with_probability(step);
            }
        }
        found
    }
}

fn bits_of(probability: Probability, answer: bool) -> f32 {
    let yes = f32::from(probability) / 65_536.0;
    -log2(if answer { yes } else { 1.0 - yes })
}

/// The step with which these noes and yeses take the fewest bits.
fn step_of([noes, yeses]: [u32; 2]) -> u8 {
    let share = (u64::from(yeses) * 2 + 1) * 32_768 / (u64::from(noes) + u64::from(yeses) + 1);
    let above = STEPS[1..].partition_point(|&step| u64::from(step) < share) + 1;
    let nearer = |step: usize| (u64::from(STEPS[step.clamp(1, 255)])).abs_diff(share);
    (if above > 1 && nearer(above - 1) < nearer(above) { above - 1 } else { above }).clamp(1, 255) as u8
}

/// The binary logarithm, near enough to weigh costs; `core` has none.
fn log2(number: f32) -> f32 {
    let bits = number.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let mantissa = f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000);
    // A parabola through the powers of two and the middle between them.
    let fraction = mantissa - 1.0;
    exponent as f32 + fraction * (1.0 + 0.3398 * (1.0 - fraction))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn steps_rise_from_never_to_always() {
        assert!(STEPS[1..].is_sorted() && (STEPS[1], STEPS[128], STEPS[255]) == (1, 1 << 15, u16::MAX));
        // Eight steps halve what is unlikely.
        assert_eq!(STEPS[120], 1 << 14);
        for share in [1u32, 10, 500, 900, 990] {
            let step = STEPS[usize::from(step_of([1_000_000 - 1000 * share, 1000 * share]))];
            let expected = f64::from(share) / 1000.0 * 65_536.0;
            assert!((f64::from(step) / expected - 1.0).abs() < 0.06, "{share}: {step}");
        }
    }

    #[test]
    fn logarithms_are_near_enough() {
        for number in 1..=1000 {
            let number = number as f32 / 1000.0;
            assert!((log2(number) - number.log2()).abs() < 0.01, "{number}");
        }
    }

    proptest! {
        #[test]
        fn probabilities_are_read_as_written(coarse in prop::collection::vec(1u8.., 1..40), fine in prop::collection::vec((0..1usize << FINE_BITS, any::<u8>()), 0..90)) {
            let mut steps = vec![with_probability(0); 1 << FINE_BITS];
            fine.into_iter().for_each(|(place, step)| steps[place] = with_probability(step));
            let written = Probabilities { coarse: coarse.into_iter().map(with_probability).collect(), fine: steps };
            let mut bytes = Vec::new();
            written.write(&mut bytes);
            let read = Probabilities::read(&bytes, written.coarse.len());
            prop_assert!((written.coarse, written.fine) == (read.coarse, read.fine));
        }
    }
}
