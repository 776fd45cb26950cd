//! Most formulas are simple: a conjunction of literals, or the negation of one. They need no tree.

use super::KnownPredicates;
use crate::scan::combine::Formula;
use crate::scan::plies;

/// A conjunction of literals over the bits of a word, or the negation of one. Most formulas have this form.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::scan) struct LiteralConjunction {
    literals: u64,
    /// The literals that are negated.
    negated: u64,
    /// All ones if the whole conjunction is negated, else 0.
    complement: u64,
}

impl LiteralConjunction {
    /// The conjunction of nothing, which always holds.
    pub const EMPTY: LiteralConjunction = LiteralConjunction { literals: 0, negated: 0, complement: 0 };

    /// A single bit.
    pub fn literal(n: u8) -> LiteralConjunction {
        LiteralConjunction { literals: 1 << (n & 63), ..LiteralConjunction::EMPTY }
    }

    /// Converts a formula; returns none if it is not simple.
    pub fn from_formula(formula: &Formula) -> Option<LiteralConjunction> {
        let none = LiteralConjunction::EMPTY;
        match formula {
            Formula::True => Some(none),
            Formula::Bit(n) => Some(LiteralConjunction::literal(*n)),
            Formula::Not(inner) => LiteralConjunction::from_formula(inner).map(LiteralConjunction::negate),
            Formula::And(parts) => {
                parts.iter().try_fold(none, |all, part| all.conjoin(LiteralConjunction::from_formula(part)?))
            }
            Formula::Or(parts) => parts
                .iter()
                .try_fold(none, |all, part| all.conjoin(LiteralConjunction::from_formula(part)?.negate()))
                .map(LiteralConjunction::negate),
        }
    }

    /// Negates the formula.
    /// The negation of a single literal is again a literal, so it can become part of a larger conjunction.
    pub fn negate(self) -> LiteralConjunction {
        if self.literals.is_power_of_two() {
            LiteralConjunction { negated: self.negated ^ self.literals, ..self }
        } else {
            LiteralConjunction { complement: !self.complement, ..self }
        }
    }

    /// Returns the conjunction of two, if it has this form.
    pub fn conjoin(self, other: LiteralConjunction) -> Option<LiteralConjunction> {
        let (bits, without) = (self.literals | other.literals, self.negated | other.negated);
        let both = self.literals & other.literals & (self.negated ^ other.negated);
        (both | self.complement | other.complement == 0).then_some(LiteralConjunction {
            literals: bits,
            negated: without,
            complement: 0,
        })
    }

    /// Returns its lower and upper bound at 64 plies.
    #[inline(always)]
    pub fn bounds_at(self, sets: &[u64], known: u64, width: usize, word: usize) -> (u64, u64) {
        let (mut rest, mut may) = (self.literals & known, u64::MAX);
        while rest != 0 {
            let n = rest.trailing_zeros() as usize;
            may &= sets[n * width + word] ^ (self.negated >> n & 1).wrapping_neg();
            rest &= rest - 1;
        }
        let must = if self.literals & !known == 0 { may } else { 0 };
        let (least, most) = (must ^ self.complement, may ^ self.complement);
        (least & most, least | most)
    }

    /// Returns whether it must hold and whether it may hold, given the bits that must be set and those that may be.
    #[inline(always)]
    pub fn bounds_on_bits(self, must: u64, may: u64) -> (bool, bool) {
        let positive = self.literals & !self.negated;
        let least = positive & !must == 0 && self.negated & may == 0;
        let most = positive & !may == 0 && self.negated & must == 0;
        if self.complement == 0 { (least, most) } else { (!most, !least) }
    }
}

/// Returns the lower and upper bound of a formula at 64 plies; `conjunction` is the same formula, if it is simple.
#[inline(always)]
pub(in crate::scan) fn formula_bounds_at(
    conjunction: Option<LiteralConjunction>,
    formula: &Formula,
    &KnownPredicates { sets, known, game }: &KnownPredicates<'_>,
    word: usize,
) -> (u64, u64) {
    let width = plies::word_count(game.plies);
    match conjunction {
        Some(simple) => simple.bounds_at(sets, known, width, word),
        None => formula.bounds(&|n: u8| {
            if known >> n & 1 == 0 {
                return (0, u64::MAX);
            }
            let set = sets[usize::from(n) * width + word];
            (set, set)
        }),
    }
}

/// Returns whether a formula must hold and whether it may hold, given the bits that must be set and those that may be.
/// `conjunction` is the same formula, if it is simple.
#[inline(always)]
pub(in crate::scan) fn formula_bounds_on_bits(
    conjunction: Option<LiteralConjunction>,
    formula: &Formula,
    must: u64,
    may: u64,
) -> (bool, bool) {
    match conjunction {
        Some(simple) => simple.bounds_on_bits(must, may),
        None => {
            let (must, may) = formula.bounds(&|n: u8| (must >> n & 1, may >> n & 1));
            (must & 1 != 0, may & 1 != 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;

    use proptest::prelude::*;

    use super::*;
    use crate::scan::decide::track::TrackedGame;

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
            if let Some(simple) = LiteralConjunction::from_formula(&formula) {
                let (must, may) = simple.bounds_at(&sets, known, 1, 0);
                let game = TrackedGame { plies: 64, first_half_move: 0, holding_at_start: 0 };
                let (least, most) = formula_bounds_at(None, &formula, &KnownPredicates { sets: &sets, known, game }, 0);
                // The conjunction merges a bit that the formula names twice, so it may have tighter bounds.
                prop_assert_eq!((must | least, may & most), (must, may));
                let (bits_must, bits_may) = (sets[0] & sets[1], sets[0] | sets[1]);
                let (must_on, may_on) = formula_bounds_on_bits(Some(simple), &formula, bits_must, bits_may);
                let (least_on, most_on) = formula_bounds_on_bits(None, &formula, bits_must, bits_may);
                prop_assert_eq!((must_on | least_on, may_on & most_on), (must_on, may_on));
                if known == 63 {
                    prop_assert_eq!((must, may), (least, most));
                }
            }
        }
    }
}
