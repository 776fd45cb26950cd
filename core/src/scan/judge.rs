//! What is known of a game while only some predicates have been tested.
//!
//! For each predicate there is the set of plies at which it holds, or nothing yet. Combined, that gives for each condition a set
//! that must hold and a larger one that may (Kleene's logic, 64 plies at a time); where they differ, the answer is open.

use alloc::vec::Vec;

use super::Query;
use super::combine::Formula;
use super::plies::{self, within};
use super::track::{fulfilled, open_plies};

/// The judgement of one game; its memory serves the next.
#[derive(Default)]
pub(super) struct Judge {
    /// By condition: plies at which its formula must hold, and may.
    must: Vec<u64>,
    may: Vec<u64>,
    /// Plies that must match.
    matches: Vec<u64>,
    /// Plies that are to be tested further.
    open: Vec<u64>,
    verdict: bool,
    /// By condition: its formula, if it is a simple one.
    simple: Vec<Option<Simple>>,
}

/// Bits of a word that hold or do not, all together, or the contrary of that: most formulas.
#[derive(Clone, Copy)]
struct Simple {
    bits: u64,
    /// Those of them that must not hold.
    without: u64,
    /// All ones for the contrary.
    contrary: u64,
}

impl Simple {
    fn of(formula: &Formula) -> Option<Simple> {
        let none = Simple { bits: 0, without: 0, contrary: 0 };
        match formula {
            Formula::True => Some(none),
            Formula::Bit(n) => Some(Simple { bits: 1 << (n & 63), ..none }),
            Formula::Not(inner) => Simple::of(inner).map(Simple::not),
            Formula::And(parts) => parts.iter().try_fold(none, |all, part| all.and(Simple::of(part)?)),
            Formula::Or(parts) => {
                parts.iter().try_fold(none, |all, part| all.and(Simple::of(part)?.not())).map(Simple::not)
            }
        }
    }

    /// The contrary. That of a single bit is another bit, so that it can be part of more.
    fn not(self) -> Simple {
        if self.bits.is_power_of_two() {
            Simple { without: self.without ^ self.bits, ..self }
        } else {
            Simple { contrary: !self.contrary, ..self }
        }
    }

    fn and(self, other: Simple) -> Option<Simple> {
        let (bits, without) = (self.bits | other.bits, self.without | other.without);
        let both = self.bits & other.bits & (self.without ^ other.without);
        (both | self.contrary | other.contrary == 0).then_some(Simple { bits, without, contrary: 0 })
    }

    /// What it must be and may be at 64 plies.
    #[inline(always)]
    fn between(self, sets: &[u64], known: u64, width: usize, nth: usize) -> (u64, u64) {
        let (mut rest, mut may) = (self.bits & known, u64::MAX);
        while rest != 0 {
            let n = rest.trailing_zeros() as usize;
            may &= sets[n * width + nth] ^ (self.without >> n & 1).wrapping_neg();
            rest &= rest - 1;
        }
        let must = if self.bits & !known == 0 { may } else { 0 };
        let (least, most) = (must ^ self.contrary, may ^ self.contrary);
        (least & most, least | most)
    }
}

impl Judge {
    pub fn new(query: &Query) -> Judge {
        let simple = query.conditions.iter().map(|condition| Simple::of(&condition.formula)).collect();
        Judge { simple, ..Judge::default() }
    }

    /// Judges a game of `plies` by the predicates that are `known`, whose sets of plies are `sets`. True if all that was asked is
    /// settled: the verdict, and with `positions` which of them match.
    #[inline(always)]
    pub fn judge(&mut self, query: &Query, sets: &[u64], known: u64, plies: usize, positions: bool) -> bool {
        let width = plies::words(plies);
        self.matches.clear();
        self.open.clear();
        if let (Formula::Bit(0), [condition]) = (&query.verdict, &query.conditions[..]) {
            let settled = match self.simple[0] {
                Some(simple) => self.judge_plain(plies, positions, |nth| simple.between(sets, known, width, nth)),
                None => self.judge_plain(plies, positions, |nth| between(&condition.formula, sets, known, width, nth)),
            };
            if condition.streak <= 1 {
                return settled;
            }
            if self.open.iter().all(|&word| word == 0) {
                self.verdict = fulfilled(&self.matches, condition.streak);
                return true;
            }
            self.matches.clear();
            self.open.clear();
        }
        self.must.clear();
        self.may.clear();
        for (condition, simple) in query.conditions.iter().zip(&self.simple) {
            for nth in 0..width {
                let (must, may) = match simple {
                    Some(simple) => simple.between(sets, known, width, nth),
                    None => between(&condition.formula, sets, known, width, nth),
                };
                self.must.push(must & within(plies, nth));
                self.may.push(may & within(plies, nth));
            }
        }
        let of = |sets: &[u64], condition: usize, nth: usize| sets[condition * width + nth];
        let mut is_open = 0;
        for nth in 0..width {
            let bit = |n: u8| (of(&self.must, n.into(), nth), of(&self.may, n.into(), nth));
            let (must, may) = query.verdict.between(&bit);
            let within = within(plies, nth);
            self.matches.push(must & within);
            let open = if positions { may & !must & within } else { 0 };
            self.open.push(open);
            is_open |= open;
        }
        let (mut fired, mut may_fire) = (0u64, 0u64);
        for (n, condition) in query.conditions.iter().enumerate() {
            let set = |sets: &'_ [u64]| fulfilled(&sets[n * width..(n + 1) * width], condition.streak);
            fired |= u64::from(set(&self.must)) << n;
            may_fire |= u64::from(set(&self.may)) << n;
        }
        let every = |bits: u64, n: u8| if bits >> n & 1 != 0 { u64::MAX } else { 0 };
        let (must, may) = query.verdict.between(&|n| (every(fired, n), every(may_fire, n)));
        self.verdict = must != 0;
        if must == may {
            return is_open == 0;
        }
        for (n, condition) in query.conditions.iter().enumerate() {
            if (fired ^ may_fire) >> n & 1 != 0 {
                let range = n * width..(n + 1) * width;
                open_plies(&self.must[range.clone()], &self.may[range], condition.streak, &mut self.open);
            }
        }
        false
    }

    /// The same where there is one condition, without a streak, and the verdict is that it ever holds.
    #[inline(always)]
    fn judge_plain(&mut self, plies: usize, positions: bool, between: impl Fn(usize) -> (u64, u64)) -> bool {
        let width = plies::words(plies);
        let (mut any, mut is_open) = (0, 0);
        for nth in 0..width {
            let (must, may) = between(nth);
            let within = within(plies, nth);
            let open = may & !must & within;
            self.matches.push(must & within);
            self.open.push(open);
            any |= must & within;
            is_open |= open;
        }
        self.verdict = any != 0;
        is_open == 0 || !positions && any != 0
    }

    /// Whether one condition without a streak decides all.
    pub fn is_plain(&self, query: &Query) -> bool {
        matches!((&query.verdict, &query.conditions[..]), (Formula::Bit(0), [one]) if one.streak <= 1)
    }

    /// Whether the game matches, once that is settled.
    pub fn verdict(&self) -> bool {
        self.verdict
    }

    /// The plies that match, once that is settled; whoever takes them gives their memory back.
    pub fn matches(&mut self) -> &mut Vec<u64> {
        &mut self.matches
    }

    /// The plies that are open.
    pub fn open_set(&self) -> &[u64] {
        &self.open
    }

    /// How many plies there are up to the last open one.
    pub fn last_open(&self) -> usize {
        plies::last(&self.open).map_or(0, |bit| bit + 1)
    }
}

/// What a formula must be and may be at 64 plies.
fn between(formula: &Formula, sets: &[u64], known: u64, width: usize, nth: usize) -> (u64, u64) {
    formula.between(&|n: u8| {
        if known >> n & 1 == 0 {
            return (0, u64::MAX);
        }
        let set = sets[usize::from(n) * width + nth];
        (set, set)
    })
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;

    use proptest::prelude::*;

    use super::*;

    fn formula() -> impl Strategy<Value = Formula> {
        let leaf = prop_oneof![4 => (0u8..6).prop_map(Formula::Bit), 1 => Just(Formula::True)];
        leaf.prop_recursive(3, 12, 4, |inner| {
            let several = prop::collection::vec(inner.clone(), 0..4);
            prop_oneof![
                inner.prop_map(|inner| Formula::Not(Box::new(inner))),
                several.clone().prop_map(Formula::And),
                several.prop_map(Formula::Or),
            ]
        })
    }

    proptest! {
        #[test]
        fn simple_formulas_mean_the_same(formula in formula(), sets in prop::array::uniform6(any::<u64>()), known in 0u64..64) {
            if let Some(simple) = Simple::of(&formula) {
                let (must, may) = simple.between(&sets, known, 1, 0);
                let (least, most) = between(&formula, &sets, known, 1, 0);
                // What is said twice in a formula is known once in a simple one, which may say more.
                prop_assert_eq!((must | least, may & most), (must, may));
                if known == 63 {
                    prop_assert_eq!((must, may), (least, most));
                }
            }
        }
    }
}
