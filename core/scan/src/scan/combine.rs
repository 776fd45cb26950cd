//! Stage 4, combine: a formula joins bits by and, or and not.
//!
//! The same small tree serves twice: a condition combines predicates at a position, and the verdict combines conditions.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use shakmaty::Bitboard;

/// A set of the predicates, or of the conditions, of a query by their numbers, a bit each.
///
/// PERF: the first 64 have a word of their own. A query that has no more allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct BitSet {
    first: u64,
    more: Vec<u64>,
}

impl From<u64> for BitSet {
    fn from(first: u64) -> BitSet {
        BitSet { first, more: Vec::new() }
    }
}

impl FromIterator<u16> for BitSet {
    fn from_iter<I: IntoIterator<Item = u16>>(numbers: I) -> BitSet {
        let mut set = BitSet::default();
        numbers.into_iter().for_each(|n| set.insert(n));
        set
    }
}

impl BitSet {
    /// Returns whether the set has this number.
    #[inline]
    pub fn contains(&self, n: u16) -> bool {
        self.word(n / 64) >> (n % 64) & 1 != 0
    }

    /// Adds a number.
    #[inline]
    pub fn insert(&mut self, n: u16) {
        self.insert_word(n / 64, 1 << (n % 64));
    }

    /// Adds all numbers of another set.
    #[inline]
    pub fn insert_all(&mut self, other: &BitSet) {
        self.first |= other.first;
        (1..).zip(&other.more).for_each(|(nth, &bits)| self.insert_word(nth, bits));
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.first == 0 && self.more.iter().all(|&word| word == 0)
    }

    /// Returns whether the sets have a number in common.
    #[inline]
    pub fn intersects(&self, other: &BitSet) -> bool {
        self.first & other.first != 0 || self.more.iter().zip(&other.more).any(|(one, other)| one & other != 0)
    }

    /// Returns whether another set has all numbers of this one.
    #[inline]
    pub fn is_subset(&self, of: &BitSet) -> bool {
        self.first & !of.first == 0 && (1..).zip(&self.more).all(|(nth, &bits)| bits & !of.word(nth) == 0)
    }

    /// Returns the numbers of the set, in their order.
    pub fn iter(&self) -> impl Iterator<Item = u16> {
        let words = (0u16..).zip(core::iter::once(self.first).chain(self.more.iter().copied()));
        words.flat_map(|(nth, word)| Bitboard(word).into_iter().map(move |n| nth * 64 + n as u16))
    }

    /// Returns the numbers from `nth` times 64 on as a word.
    #[inline(always)]
    pub(in crate::scan) fn word(&self, nth: u16) -> u64 {
        match nth.checked_sub(1) {
            None => self.first,
            Some(nth) => self.later_word(nth.into()),
        }
    }

    // PERF: a call that hardly any query makes leaves the code around it short.
    #[cold]
    fn later_word(&self, nth: usize) -> u64 {
        self.more.get(nth).map_or(0, |&word| word)
    }

    /// Adds numbers from `nth` times 64 on, given as a word.
    #[inline(always)]
    pub(in crate::scan) fn insert_word(&mut self, nth: u16, bits: u64) {
        match nth.checked_sub(1) {
            None => self.first |= bits,
            Some(nth) => self.insert_more(nth.into(), bits),
        }
    }

    #[cold]
    fn insert_more(&mut self, nth: usize, bits: u64) {
        if self.more.len() <= nth {
            self.more.resize(nth + 1, 0);
        }
        self.more[nth] |= bits;
    }

    /// Removes a number.
    pub(in crate::scan) fn remove(&mut self, n: u16) {
        self.remove_all(&BitSet::from_iter([n]));
    }

    /// Removes all numbers of another set.
    pub(in crate::scan) fn remove_all(&mut self, other: &BitSet) {
        self.first &= !other.first;
        self.more.iter_mut().zip(&other.more).for_each(|(one, other)| *one &= !other);
    }

    /// Returns the set as one word, if it has room for no number from 64 on.
    pub(in crate::scan) fn only_word(&self) -> Option<u64> {
        self.more.is_empty().then_some(self.first)
    }
}

/// A boolean combination of bits, which are numbered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// Always holds.
    True,
    /// Bit `n`.
    Bit(u16),
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
    /// Returns the value of the formula if these bits are set.
    pub fn holds(&self, bits: &BitSet) -> bool {
        self.holds_where(&|n| bits.contains(n))
    }

    /// Returns the value of the formula, given whether a bit is set.
    pub fn holds_where(&self, is_set: &impl Fn(u16) -> bool) -> bool {
        match self {
            Formula::True => true,
            Formula::Bit(n) => is_set(*n),
            Formula::Not(inner) => !inner.holds_where(is_set),
            Formula::And(all) => all.iter().all(|inner| inner.holds_where(is_set)),
            Formula::Or(any) => any.iter().any(|inner| inner.holds_where(is_set)),
            Formula::SomeOf(least, parts) => parts.iter().filter(|inner| inner.holds_where(is_set)).count() >= *least,
        }
    }

    /// Returns the lower and upper bound of the formula in 64 cases at once, given the bounds of each bit.
    ///
    /// This is Kleene's three-valued logic: an unknown bit is at least 0 and at most 1.
    #[inline]
    pub fn bounds(&self, bit_bounds: &impl Fn(u16) -> (u64, u64)) -> (u64, u64) {
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
    pub fn bits(&self) -> BitSet {
        let mut bits = BitSet::default();
        self.visit_bits(true, &mut |n, _| bits.insert(n));
        bits
    }

    /// Returns the bits that can make the formula true by being set: those under an even number of `not`.
    pub(crate) fn positive_bits(&self) -> BitSet {
        let mut bits = BitSet::default();
        self.visit_bits(true, &mut |n, helps| {
            if helps {
                bits.insert(n);
            }
        });
        bits
    }

    /// Visits each bit, and whether it stands under an even number of `not` if `helps` says so of the formula.
    fn visit_bits(&self, helps: bool, visit: &mut impl FnMut(u16, bool)) {
        match self {
            Formula::True => {}
            Formula::Bit(n) => visit(*n, helps),
            Formula::Not(inner) => inner.visit_bits(!helps, visit),
            Formula::And(parts) | Formula::Or(parts) | Formula::SomeOf(_, parts) => {
                parts.iter().for_each(|part| part.visit_bits(helps, visit));
            }
        }
    }

    /// Returns the formula with each bit replaced. `replace` gets the bit, and whether setting it can make the whole formula true: it
    /// stands under an even number of `not`.
    pub(crate) fn replace_bits(&self, replace: &dyn Fn(u16, bool) -> Formula) -> Formula {
        fn of(formula: &Formula, helps: bool, replace: &dyn Fn(u16, bool) -> Formula) -> Formula {
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

/// Returns which items pass a test, a bit each.
pub(crate) fn bits_where<T>(items: &[T], passes: impl Fn(&T) -> bool) -> BitSet {
    (0..).zip(items).filter(|(_, item)| passes(item)).map(|(n, _)| n).collect()
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
                let set = |n: u16| (0..16u64).fold(0, |all, case| all | (case >> n & 1) << case);
                let (least, most) =
                    formula.bounds(&|n| if known >> n & 1 != 0 { (set(n), set(n)) } else { (0, 0xffff) });
                for case in 0..16u64 {
                    let same = (0..16u64).filter(|other| (other ^ case) & known == 0);
                    let values: Vec<bool> = same.map(|other| formula.holds(&other.into())).collect();
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
            for (case, n) in (0..16u64).flat_map(|case| (0..BITS as u16).map(move |n| (case, n))) {
                let (without, with) =
                    (formula.holds(&(case & !(1 << n)).into()), formula.holds(&(case | 1 << n).into()));
                assert!(without || !with || formula.positive_bits().contains(n), "{formula:?}, bit {n} of {case:b}");
                assert!(without == with || formula.bits().contains(n), "{formula:?}, bit {n} of {case:b}");
            }
        }
    }
}
