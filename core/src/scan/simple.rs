//! Most formulas are simple: bits that hold or do not, all together, or the contrary of that. These need no tree.

use super::combine::Formula;

/// Bits of a word that hold or do not, all together, or the contrary of that: most formulas.
#[derive(Clone, Copy)]
pub(super) struct Simple {
    bits: u64,
    /// Those of them that must not hold.
    without: u64,
    /// All ones for the contrary.
    contrary: u64,
}

impl Simple {
    /// The same as `formula`, if that is a simple one.
    pub fn of(formula: &Formula) -> Option<Simple> {
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

    /// Whether it must hold and whether it may, where these of its bits must and these may.
    #[inline(always)]
    pub fn on_bits(self, must: u64, may: u64) -> (bool, bool) {
        let with = self.bits & !self.without;
        let least = with & !must == 0 && self.without & may == 0;
        let most = with & !may == 0 && self.without & must == 0;
        if self.contrary == 0 { (least, most) } else { (!most, !least) }
    }
}

/// What a formula must be and may be at 64 plies; `simple` is the same, if it is a simple one.
#[inline(always)]
pub(super) fn between(
    simple: Option<Simple>,
    formula: &Formula,
    sets: &[u64],
    known: u64,
    width: usize,
    nth: usize,
) -> (u64, u64) {
    match simple {
        Some(simple) => simple.between(sets, known, width, nth),
        None => formula.between(&|n: u8| {
            if known >> n & 1 == 0 {
                return (0, u64::MAX);
            }
            let set = sets[usize::from(n) * width + nth];
            (set, set)
        }),
    }
}

/// Whether a formula over bits must hold and whether it may, where these of them must and these may; `simple` is the same, if it is a simple
/// one.
#[inline(always)]
pub(super) fn on_bits(simple: Option<Simple>, formula: &Formula, must: u64, may: u64) -> (bool, bool) {
    match simple {
        Some(simple) => simple.on_bits(must, may),
        None => {
            let (must, may) = formula.between(&|n: u8| (must >> n & 1, may >> n & 1));
            (must & 1 != 0, may & 1 != 0)
        }
    }
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
                let (least, most) = between(None, &formula, &sets, known, 1, 0);
                // What is said twice in a formula is known once in a simple one, which may say more.
                prop_assert_eq!((must | least, may & most), (must, may));
                let (bits_must, bits_may) = (sets[0] & sets[1], sets[0] | sets[1]);
                let (must_on, may_on) = on_bits(Some(simple), &formula, bits_must, bits_may);
                let (least_on, most_on) = on_bits(None, &formula, bits_must, bits_may);
                prop_assert_eq!((must_on | least_on, may_on & most_on), (must_on, may_on));
                if known == 63 {
                    prop_assert_eq!((must, may), (least, most));
                }
            }
        }
    }
}
