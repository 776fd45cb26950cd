//! Stage 4, combine: a formula joins bits by and, or and not.
//!
//! The same small tree serves twice: a condition combines predicates at a position, and the verdict combines conditions.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// A boolean combination of the bits of a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// Always holds.
    True,
    /// Bit `n` of the word, 0–63.
    Bit(u8),
    /// Holds if the inner formula does not.
    Not(Box<Formula>),
    /// Holds if all parts hold.
    And(Vec<Formula>),
    /// Holds if at least one part holds.
    Or(Vec<Formula>),
    /// Holds if at least so many parts hold.
    SomeOf(usize, Vec<Formula>),
}

impl Formula {
    /// Returns the value of the formula for these bits.
    pub fn holds(&self, bits: u64) -> bool {
        match self {
            Formula::True => true,
            Formula::Bit(n) => bits >> (n & 63) & 1 != 0,
            Formula::Not(inner) => !inner.holds(bits),
            Formula::And(all) => all.iter().all(|inner| inner.holds(bits)),
            Formula::Or(any) => any.iter().any(|inner| inner.holds(bits)),
            Formula::SomeOf(least, parts) => parts.iter().filter(|inner| inner.holds(bits)).count() >= *least,
        }
    }

    /// Returns the lower and upper bound of the formula in 64 cases at once, given the bounds of each bit.
    ///
    /// This is Kleene's three-valued logic: an unknown bit is at least 0 and at most 1.
    #[inline]
    pub fn bounds(&self, bit_bounds: &impl Fn(u8) -> (u64, u64)) -> (u64, u64) {
        match self {
            Formula::True => (u64::MAX, u64::MAX),
            Formula::Bit(n) => bit_bounds(*n),
            Formula::Not(inner) => {
                let (least, most) = inner.bounds(bit_bounds);
                (!most, !least)
            }
            Formula::And(all) => all.iter().fold((u64::MAX, u64::MAX), |known, inner| {
                let (least, most) = inner.bounds(bit_bounds);
                (known.0 & least, known.1 & most)
            }),
            Formula::Or(any) => any.iter().fold((0, 0), |known, inner| {
                let (least, most) = inner.bounds(bit_bounds);
                (known.0 | least, known.1 | most)
            }),
            Formula::SomeOf(least, parts) => bounds_of_some(*least, parts.iter().map(|inner| inner.bounds(bit_bounds))),
        }
    }

    /// Returns how many of the parts of [`SomeOf`](Formula::SomeOf) must fail so that it fails: too few are left then.
    pub fn failures_of_list(least: usize, parts: usize) -> usize {
        (parts + 1).saturating_sub(least)
    }

    /// Returns the bits that the formula names.
    pub fn bits(&self) -> u64 {
        match self {
            Formula::True => 0,
            Formula::Bit(n) => 1 << (n & 63),
            Formula::Not(inner) => inner.bits(),
            Formula::And(parts) | Formula::Or(parts) | Formula::SomeOf(_, parts) => {
                parts.iter().fold(0, |all, part| all | part.bits())
            }
        }
    }

    /// Returns the bits that can make the formula true by being set: those under an even number of `not`.
    pub(crate) fn positive_bits(&self) -> u64 {
        fn of(formula: &Formula, value: bool) -> u64 {
            match formula {
                Formula::True => 0,
                Formula::Bit(n) => u64::from(value) << (n & 63),
                Formula::Not(inner) => of(inner, !value),
                Formula::And(parts) | Formula::Or(parts) | Formula::SomeOf(_, parts) => {
                    parts.iter().fold(0, |all, part| all | of(part, value))
                }
            }
        }
        of(self, true)
    }

    /// Returns the formula with each bit replaced. `replace` gets the bit, and whether setting it can make the whole formula true: it
    /// stands under an even number of `not`.
    pub(crate) fn replace_bits(&self, replace: &dyn Fn(u8, bool) -> Formula) -> Formula {
        fn of(formula: &Formula, helps: bool, replace: &dyn Fn(u8, bool) -> Formula) -> Formula {
            let all = |parts: &[Formula]| parts.iter().map(|part| of(part, helps, replace)).collect();
            match formula {
                Formula::True => Formula::True,
                Formula::Bit(n) => replace(*n, helps),
                Formula::Not(inner) => Formula::Not(Box::new(of(inner, !helps, replace))),
                Formula::And(parts) => Formula::And(all(parts)),
                Formula::Or(parts) => Formula::Or(all(parts)),
                Formula::SomeOf(least, parts) => Formula::SomeOf(*least, all(parts)),
            }
        }
        of(self, true, replace)
    }
}

/// Returns where at least `least` of several parts hold, by `meet`, where two hold, and `join`, where one of two holds, from
/// `never` and `always`. A list of `n` parts takes `n * least` of these steps.
pub(crate) fn some_of<T: Clone>(
    least: usize,
    parts: impl Iterator<Item = T>,
    [never, always]: [T; 2],
    meet: impl Fn(&T, &T) -> T,
    join: impl Fn(&T, T) -> T,
) -> T {
    let mut reached = vec![never; least + 1];
    reached[0] = always;
    add_parts(&mut reached, parts, meet, join);
    reached.swap_remove(least)
}

/// Adds parts, so that item `n` of `reached` is where at least `n` of the parts so far hold.
fn add_parts<T>(
    reached: &mut [T],
    parts: impl Iterator<Item = T>,
    meet: impl Fn(&T, &T) -> T,
    join: impl Fn(&T, T) -> T,
) {
    for part in parts {
        for n in (1..reached.len()).rev() {
            reached[n] = join(&reached[n], meet(&reached[n - 1], &part));
        }
    }
}

/// The bounds in 64 cases of at least `least` parts, by those of each.
#[inline]
pub(in crate::scan) fn bounds_of_some(least: usize, parts: impl Iterator<Item = (u64, u64)>) -> (u64, u64) {
    // A scan does this for every 64 plies, and most lists ask few.
    let (mut few, mut many) = ([(0, 0); 8], Vec::new());
    let reached = match few.get_mut(..=least) {
        Some(reached) => reached,
        None => {
            many.resize(least + 1, (0, 0));
            &mut many[..]
        }
    };
    reached[0] = (u64::MAX, u64::MAX);
    let meet = |one: &(u64, u64), other: &(u64, u64)| (one.0 & other.0, one.1 & other.1);
    add_parts(reached, parts, meet, |one, other| (one.0 | other.0, one.1 | other.1));
    reached[least]
}

/// Returns which of at most 64 items pass a test, a bit each.
pub(crate) fn bits_where<T>(items: &[T], passes: impl Fn(&T) -> bool) -> u64 {
    items.iter().rev().fold(0, |bits, item| bits << 1 | u64::from(passes(item)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::random_queries::{CaseRandom, formula};

    /// The number of bits in a formula under test.
    const BITS: usize = 4;

    fn random(dice: &mut CaseRandom) -> Formula {
        let depth = dice.below(4);
        let mut inner = formula(dice, (0, BITS), depth, true);
        if dice.one_in(8) {
            let parts: Vec<Formula> = (0..12).map(|_| formula(dice, (0, BITS), 1, true)).collect();
            inner = Formula::SomeOf(1 + dice.below(12), parts);
        }
        // Whole parts are negated, too.
        if dice.one_in(3) { Formula::Not(Box::new(inner)) } else { inner }
    }

    #[test]
    fn bounds_hold_whatever_the_unknown_bits_are() {
        let mut dice = CaseRandom(5);
        for _ in 0..3000 {
            let formula = random(&mut dice);
            // The cases are the 16 values of four bits; an unknown bit may have either value.
            for known in 0..1u64 << BITS {
                let set = |n: u8| (0..16u64).fold(0, |all, case| all | (case >> n & 1) << case);
                let (least, most) =
                    formula.bounds(&|n| if known >> n & 1 != 0 { (set(n), set(n)) } else { (0, 0xffff) });
                for case in 0..16u64 {
                    let same = (0..16u64).filter(|other| (other ^ case) & known == 0);
                    let values: Vec<bool> = same.map(|other| formula.holds(other)).collect();
                    let (must, may) = (least >> case & 1 != 0, most >> case & 1 != 0);
                    assert!(!must || !values.contains(&false), "{formula:?}, {known:b} known, {case:b}");
                    assert!(may || !values.contains(&true), "{formula:?}, {known:b} known, {case:b}");
                    assert!(known != 15 || must == may, "{formula:?}, {case:b}");
                }
            }
        }
    }

    #[test]
    fn bits_that_are_not_requested_make_nothing_true() {
        let mut dice = CaseRandom(6);
        for _ in 0..3000 {
            let formula = random(&mut dice);
            for (case, n) in (0..16u64).flat_map(|case| (0..BITS).map(move |n| (case, n))) {
                let (without, with) = (formula.holds(case & !(1 << n)), formula.holds(case | 1 << n));
                assert!(without || !with || formula.positive_bits() >> n & 1 != 0, "{formula:?}, bit {n} of {case:b}");
                assert!(without == with || formula.bits() >> n & 1 != 0, "{formula:?}, bit {n} of {case:b}");
            }
        }
    }
}
