//! The distributions of a table: how frequent each symbol is in each context.
//!
//! A symbol has a *coarse* context, of which there are few, and a *fine* one, a place in a table of hashes. A fine context that was met
//! often enough has a distribution of its own; all others take that of the coarse one.

use alloc::vec;
use alloc::vec::Vec;

use wide::i16x8;

use super::ans::{Share, WHOLE};
use super::coder::{Probability, RangeDecoder, RangeEncoder};

/// The number of symbols.
pub const SYMBOLS: usize = 24;
/// The symbol for everything that has no other; every distribution has it.
pub const ESCAPE: usize = SYMBOLS - 1;

/// A context: its number among the coarse ones, and its place among the fine ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// The number of the coarse context.
    pub coarse: u16,
    /// The place of the fine context, below [`FINE_PLACES`].
    pub fine: u16,
}

/// The number of places for fine contexts.
pub const FINE_PLACES: usize = 1 << FINE_BITS;
const FINE_BITS: u32 = 14;
/// The most fine contexts with a distribution: a reader fetches all of them before its first block.
const MAX_FINE: usize = 4096;

impl Context {
    /// The context with this number of the coarse one, and a number for everything that is known.
    #[inline(always)]
    pub fn new(coarse: usize, known: u32) -> Context {
        Context { coarse: coarse as u16, fine: (known.wrapping_mul(0x9e37_79b1) >> (32 - FINE_BITS)) as u16 }
    }
}

/// The frequency of each symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(32))]
pub struct Distribution {
    /// The sum of the frequencies of the symbols before.
    starts: [i16; SYMBOLS],
}

/// A frequency in a byte: 0 for never, the others by steps of a quarter of a bit.
type Step = u8;
/// The step of a symbol that is met always.
const HIGHEST_STEP: Step = 48;

/// 2^(1/4), 2^(2/4) …, times 2^16.
const QUARTERS: [u64; 4] = [65_536, 77_936, 92_682, 110_218];

fn weight(step: Step) -> u64 {
    let step = step.min(HIGHEST_STEP);
    if step == 0 { 0 } else { QUARTERS[usize::from(step % 4)] << (step / 4) }
}

impl Distribution {
    /// The distribution with these steps.
    fn from_steps(steps: &[Step; SYMBOLS]) -> Distribution {
        let sum = steps.iter().map(|step| weight(*step)).sum::<u64>().max(1);
        let mut sizes = steps.map(|step| match step {
            0 => 0,
            _ => (weight(step) * u64::from(WHOLE) / sum).max(1) as u16,
        });
        sizes[ESCAPE] = sizes[ESCAPE].max(1);
        // The largest is so large that it pays for all others that were rounded up.
        let largest = (0..SYMBOLS).max_by_key(|symbol| (sizes[*symbol], SYMBOLS - symbol)).unwrap_or(ESCAPE);
        let all: u16 = sizes.iter().sum();
        sizes[largest] = (sizes[largest] + WHOLE).saturating_sub(all);
        let (mut starts, mut start) = ([0; SYMBOLS], 0);
        for (symbol, size) in sizes.into_iter().enumerate() {
            starts[symbol] = start;
            start += size as i16;
        }
        Distribution { starts }
    }

    /// The share of a symbol; its size is 0 if it never occurs.
    #[inline(always)]
    pub fn share(&self, symbol: usize) -> Share {
        let start = self.starts[symbol] as u16;
        let end = if symbol == ESCAPE { WHOLE } else { self.starts[symbol + 1] as u16 };
        Share { start, size: end - start }
    }

    /// The symbol at a place of the whole.
    #[inline(always)]
    pub fn symbol_at(&self, place: u16) -> usize {
        if (place as i16) < self.starts[1] {
            return 0;
        }
        // PERF: all are compared at once; those that begin behind the place are the last ones.
        let place = i16x8::splat(place as i16);
        let behind = |eighth: usize| {
            i16x8::from(&self.starts[eighth * 8..eighth * 8 + 8]).simd_gt(place).to_bitmask() << (eighth * 8)
        };
        (behind(0) | behind(1) | behind(2) | 1 << SYMBOLS).trailing_zeros() as usize - 1
    }
}

/// The distributions of a table.
pub struct Distributions {
    /// The coarse ones, then the fine ones.
    all: Vec<Distribution>,
    steps: Vec<[Step; SYMBOLS]>,
    /// By place of the fine context: the number of its distribution, 0 for none.
    fine: Vec<u16>,
}

impl Distributions {
    fn new(coarse: Vec<[Step; SYMBOLS]>, fine: &[Option<[Step; SYMBOLS]>]) -> Distributions {
        let mut steps = coarse;
        let number = |steps_of_one: &Option<[Step; SYMBOLS]>| match steps_of_one {
            None => 0,
            Some(one) => {
                steps.push(*one);
                steps.len() as u16 - 1
            }
        };
        let fine = fine.iter().map(number).collect();
        Distributions { all: steps.iter().map(Distribution::from_steps).collect(), steps, fine }
    }

    /// The distribution of a context.
    #[inline(always)]
    pub fn of(&self, context: Context) -> &Distribution {
        let fine = self.fine[usize::from(context.fine) & (FINE_PLACES - 1)];
        &self.all[usize::from(if fine != 0 { fine } else { context.coarse })]
    }

    /// Appends them.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut coder = RangeEncoder::new(out);
        let mut model = StepModel::new();
        let coarse = self.steps.len() - self.fine.iter().filter(|number| **number != 0).count();
        let mut put = |probability: Probability, answer: bool| {
            coder.put(probability, answer);
            answer
        };
        self.steps[..coarse].iter().for_each(|steps| {
            model.steps(Some(steps), &mut put);
        });
        for number in &self.fine {
            let steps = (*number != 0).then(|| &self.steps[usize::from(*number)]);
            if model.is_there.code(steps.is_some(), &mut put) {
                model.steps(steps, &mut put);
            }
        }
        coder.finish();
    }

    /// Reads what [`write`](Self::write) has written, for so many coarse contexts.
    pub fn read(bytes: &[u8], coarse_contexts: usize) -> Distributions {
        let mut coder = RangeDecoder::new(bytes);
        let mut model = StepModel::new();
        let mut take = |probability: Probability, _: bool| coder.take(probability);
        let coarse = (0..coarse_contexts).map(|_| model.steps(None, &mut take)).collect();
        let fine: Vec<_> = (0..FINE_PLACES)
            .map(|_| model.is_there.code(false, &mut take).then(|| model.steps(None, &mut take)))
            .collect();
        Distributions::new(coarse, &fine)
    }
}

/// How steps are written: whether each is 0, and if not, its bits. Each answer makes the next like it more probable.
struct StepModel {
    is_there: Adaptive,
    /// By symbol, whether the symbol before occurs, and how frequent the first symbol is.
    is_never: [[[Adaptive; 4]; 2]; SYMBOLS],
    bits: [[[Adaptive; 64]; 4]; SYMBOLS],
}

/// A probability that follows the answers, the first ones quickly.
#[derive(Clone, Copy)]
struct Adaptive {
    yes: Probability,
    answers: u8,
}

impl Adaptive {
    const NEW: Adaptive = Adaptive { yes: 1 << 15, answers: 0 };

    fn code(&mut self, truth: bool, code: &mut impl FnMut(Probability, bool) -> bool) -> bool {
        let answer = code(self.yes, truth);
        let rate = u32::from(self.answers) / 2 + 1;
        self.answers = (self.answers + 1).min(9);
        if answer {
            self.yes += (u16::MAX - self.yes) >> rate;
        } else {
            self.yes -= self.yes >> rate;
        }
        answer
    }
}

impl StepModel {
    fn new() -> StepModel {
        StepModel {
            is_there: Adaptive::NEW,
            is_never: [[[Adaptive::NEW; 4]; 2]; SYMBOLS],
            bits: [[[Adaptive::NEW; 64]; 4]; SYMBOLS],
        }
    }

    fn steps(
        &mut self,
        truth: Option<&[Step; SYMBOLS]>,
        code: &mut impl FnMut(Probability, bool) -> bool,
    ) -> [Step; SYMBOLS] {
        let mut steps = [0; SYMBOLS];
        let (mut occurs, mut first) = (true, 0);
        for symbol in 0..SYMBOLS {
            let step = truth.map_or(0, |steps| steps[symbol]);
            let is_never = self.is_never[symbol][usize::from(occurs)][first].code(step == 0, code);
            occurs = !is_never;
            if !is_never {
                // The first ones are frequent, and so are written to a quarter of a bit.
                let unused = u32::from(symbol > COARSE_FROM);
                let mut node = 1usize;
                for bit in (unused..6).rev() {
                    node = node << 1 | usize::from(self.bits[symbol][first][node].code(step >> bit & 1 != 0, code));
                }
                // Damaged bytes may say more than the highest step.
                steps[symbol] = ((node << unused) as u8 & 63 | unused as u8).clamp(1, HIGHEST_STEP);
            }
            if symbol == 0 {
                first = usize::from(steps[0].saturating_sub(HIGHEST_STEP - 12) / 4).min(3);
            }
        }
        steps
    }
}

/// Frequencies of later symbols are written to half a bit.
const COARSE_FROM: usize = 2;

/// Counts symbols, and makes distributions of them.
pub struct SymbolCounts {
    coarse: Vec<[u32; SYMBOLS]>,
    /// By place of the fine context: its counts, and its coarse context; the highest, if several have the same place.
    fine: Vec<([u32; SYMBOLS], u16)>,
}

impl SymbolCounts {
    /// No symbols, for so many coarse contexts.
    pub fn new(coarse_contexts: usize) -> SymbolCounts {
        SymbolCounts { coarse: vec![[0; SYMBOLS]; coarse_contexts], fine: vec![([0; SYMBOLS], 0); FINE_PLACES] }
    }

    /// Counts a symbol.
    pub fn count(&mut self, context: Context, symbol: usize) {
        self.coarse[usize::from(context.coarse)][symbol] += 1;
        let (counts, coarse) = &mut self.fine[usize::from(context.fine)];
        counts[symbol] += 1;
        *coarse = (*coarse).max(context.coarse);
    }

    /// The distributions with which these symbols take the fewest bits, about, and those bits.
    pub fn distributions(&self) -> (Distributions, f64) {
        let coarse: Vec<[Step; SYMBOLS]> = self.coarse.iter().map(steps_of).collect();
        let coarse_bits =
            |counts: &[u32; SYMBOLS], of: u16| bits_of(counts, &Distribution::from_steps(&coarse[usize::from(of)]));
        let mut bits = 0.0;
        let mut chosen: Vec<(f32, usize, [Step; SYMBOLS])> = Vec::new();
        for (place, (counts, of)) in self.fine.iter().enumerate() {
            let steps = steps_of(counts);
            let without = coarse_bits(counts, *of);
            bits += f64::from(without);
            let saved = without - bits_of(counts, &Distribution::from_steps(&steps)) - cost_of(&steps);
            if saved > 0.0 {
                chosen.push((saved, place, steps));
            }
        }
        chosen.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        chosen.truncate(MAX_FINE);
        bits -= chosen.iter().map(|(saved, ..)| f64::from(*saved)).sum::<f64>();
        let mut fine = vec![None; FINE_PLACES];
        chosen.into_iter().for_each(|(_, place, steps)| fine[place] = Some(steps));
        (Distributions::new(coarse, &fine), bits)
    }

    /// Adds the counts of other symbols.
    pub fn add(&mut self, other: &SymbolCounts) {
        let sum = |all: &mut [u32; SYMBOLS], more: &[u32; SYMBOLS]| {
            all.iter_mut().zip(more).for_each(|(all, more)| *all = all.saturating_add(*more));
        };
        self.coarse.iter_mut().zip(&other.coarse).for_each(|(all, more)| sum(all, more));
        for ((all, coarse), (more, of)) in self.fine.iter_mut().zip(&other.fine) {
            sum(all, more);
            // The same whichever part is added first.
            *coarse = (*coarse).max(*of);
        }
    }
}

/// About how many bits a distribution takes in a file.
fn cost_of(steps: &[Step; SYMBOLS]) -> f32 {
    12.0 + 5.0 * steps.iter().filter(|step| **step != 0).count() as f32
}

/// How many bits these symbols take.
fn bits_of(counts: &[u32; SYMBOLS], distribution: &Distribution) -> f32 {
    let bits = |symbol: usize| match (counts[symbol], distribution.share(symbol).size) {
        (0, _) => 0.0,
        // The escape, and ten bits more.
        (count, 0) => count as f32 * 22.0,
        (count, size) => count as f32 * -log2(f32::from(size) / f32::from(WHOLE)),
    };
    (0..SYMBOLS).map(bits).sum()
}

/// The steps nearest to these frequencies.
fn steps_of(counts: &[u32; SYMBOLS]) -> [Step; SYMBOLS] {
    let all: u32 = counts.iter().sum();
    if all == 0 {
        return [0; SYMBOLS];
    }
    let mut symbol = 0;
    counts.map(|count| {
        symbol += 1;
        match count {
            0 => 0,
            _ => {
                let step = 4.0 * log2(count as f32 / all as f32) + f32::from(HIGHEST_STEP);
                if symbol > COARSE_FROM + 1 {
                    (step / 2.0).max(0.0) as Step * 2 + 1
                } else {
                    (step + 0.5).max(1.0) as Step
                }
            }
        }
    })
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

    fn steps() -> impl Strategy<Value = [Step; SYMBOLS]> {
        let step = prop_oneof![Just(0), 1..=HIGHEST_STEP];
        prop::collection::vec(step, SYMBOLS).prop_map(|steps| {
            let mut symbol = 0;
            <[Step; SYMBOLS]>::try_from(steps).expect("as many").map(|step| {
                symbol += 1;
                if symbol > COARSE_FROM + 1 && step > 0 { (step | 1).min(HIGHEST_STEP - 1) } else { step }
            })
        })
    }

    #[test]
    fn logarithms_are_near_enough() {
        for number in 1..=1000 {
            let number = number as f32 / 1000.0;
            assert!((log2(number) - number.log2()).abs() < 0.01, "{number}");
        }
    }

    #[test]
    fn frequencies_are_those_that_were_counted() {
        let mut counts = [0; SYMBOLS];
        counts[..4].copy_from_slice(&[9000, 700, 200, 90]);
        let distribution = Distribution::from_steps(&steps_of(&counts));
        let sizes: Vec<u16> = (0..SYMBOLS).map(|symbol| distribution.share(symbol).size).collect();
        for (symbol, expected) in [(0, 3690.0), (1, 287.0), (2, 82.0)] {
            assert!((f32::from(sizes[symbol]) / expected - 1.0).abs() < 0.15, "{sizes:?}");
        }
        assert_eq!(sizes[4..ESCAPE], [0; ESCAPE - 4]);
        assert!(sizes[ESCAPE] == 1, "what was never met can be written nevertheless");
    }

    proptest! {
        #[test]
        fn every_place_is_that_of_one_symbol(steps in steps()) {
            let distribution = Distribution::from_steps(&steps);
            for place in 0..WHOLE {
                let symbol = distribution.symbol_at(place);
                let share = distribution.share(symbol);
                prop_assert!(place >= share.start && place < share.start + share.size, "{} {}", place, symbol);
            }
            prop_assert_eq!((0..SYMBOLS).map(|symbol| distribution.share(symbol).size).sum::<u16>(), WHOLE);
        }

        #[test]
        fn distributions_are_read_as_written(coarse in prop::collection::vec(steps(), 1..40), fine in prop::collection::vec((0..FINE_PLACES, steps()), 0..90)) {
            let mut places = vec![None; FINE_PLACES];
            fine.into_iter().for_each(|(place, steps)| places[place] = Some(steps));
            let written = Distributions::new(coarse.clone(), &places);
            let mut bytes = Vec::new();
            written.write(&mut bytes);
            let read = Distributions::read(&bytes, coarse.len());
            prop_assert!((written.steps, written.fine) == (read.steps, read.fine));
        }

        #[test]
        fn damaged_bytes_are_some_distributions(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let read = Distributions::read(&bytes, 9);
            for coarse in 0..9 {
                let distribution = read.of(Context { coarse, fine: coarse });
                prop_assert!(distribution.share(distribution.symbol_at(WHOLE - 1)).size > 0);
            }
        }
    }
}
