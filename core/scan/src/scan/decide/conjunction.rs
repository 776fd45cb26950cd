//! Most formulas are simple: a conjunction of literals, or the negation of one. They need no tree.

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
}
