//! Stage 4, combine: and, or, not over bits.
//!
//! The same little tree serves twice: predicates at a position make a condition, conditions make the verdict.

use alloc::boxed::Box;
use alloc::vec::Vec;

/// A boolean combination of the bits of a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// Holds always.
    True,
    /// Bit `n` of the word, 0–63.
    Bit(u8),
    /// Does not hold.
    Not(Box<Formula>),
    /// All hold.
    And(Vec<Formula>),
    /// At least one holds.
    Or(Vec<Formula>),
}

impl Formula {
    /// Its value for these bits.
    pub fn holds(&self, bits: u64) -> bool {
        match self {
            Formula::True => true,
            Formula::Bit(n) => bits >> (n & 63) & 1 != 0,
            Formula::Not(inner) => !inner.holds(bits),
            Formula::And(all) => all.iter().all(|inner| inner.holds(bits)),
            Formula::Or(any) => any.iter().any(|inner| inner.holds(bits)),
        }
    }

    /// Its least and its greatest value, bit by bit of 64 cases, where of each bit's value the least and the greatest are known.
    ///
    /// Kleene's logic: what is not known yet is 0 at least and 1 at most.
    #[inline]
    pub fn between(&self, bit: &impl Fn(u8) -> (u64, u64)) -> (u64, u64) {
        match self {
            Formula::True => (u64::MAX, u64::MAX),
            Formula::Bit(n) => bit(*n),
            Formula::Not(inner) => {
                let (least, most) = inner.between(bit);
                (!most, !least)
            }
            Formula::And(all) => all.iter().fold((u64::MAX, u64::MAX), |known, inner| {
                let (least, most) = inner.between(bit);
                (known.0 & least, known.1 & most)
            }),
            Formula::Or(any) => any.iter().fold((0, 0), |known, inner| {
                let (least, most) = inner.between(bit);
                (known.0 | least, known.1 | most)
            }),
        }
    }

    /// The bits that it names.
    pub fn bits(&self) -> u64 {
        match self {
            Formula::True => 0,
            Formula::Bit(n) => 1 << (n & 63),
            Formula::Not(inner) => inner.bits(),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().fold(0, |all, part| all | part.bits()),
        }
    }

    /// The bits that are better set than not: those that stand under an even number of `not`.
    pub fn wanted(&self) -> u64 {
        fn of(formula: &Formula, wanted: bool) -> u64 {
            match formula {
                Formula::True => 0,
                Formula::Bit(n) => u64::from(wanted) << (n & 63),
                Formula::Not(inner) => of(inner, !wanted),
                Formula::And(parts) | Formula::Or(parts) => parts.iter().fold(0, |all, part| all | of(part, wanted)),
            }
        }
        of(self, true)
    }
}
