//! A formula over predicates as few conjunctions, so that the evaluation of 64 plies goes through no tree in most cases.
//!
//! `not` is moved inwards to the literals, nested lists are joined, and the parts of a list become one conjunction as far as they
//! can. Kleene's logic allows each of these steps.

use alloc::vec;
use alloc::vec::Vec;

use super::KnownPredicates;
use crate::scan::ScanCondition;
use crate::scan::combine::{BitSet, Formula, bounds_of_some};
use crate::scan::plies;

/// A conjunction of literals over 64 predicates, or the negation of one. Most formulas have this form.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct LiteralConjunction {
    /// The number of the first of the 64 predicates, divided by 64.
    predicate_word: u16,
    literals: u64,
    /// The literals that are negated.
    negated: u64,
    /// All ones if the whole conjunction is negated, else 0.
    complement: u64,
}

impl LiteralConjunction {
    /// The conjunction of nothing, which always holds.
    pub const EMPTY: LiteralConjunction =
        LiteralConjunction { predicate_word: 0, literals: 0, negated: 0, complement: 0 };

    /// A single bit.
    pub fn literal(n: u16) -> LiteralConjunction {
        LiteralConjunction { predicate_word: n / 64, literals: 1 << (n % 64), ..LiteralConjunction::EMPTY }
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
        let fit = self.predicate_word == other.predicate_word || self.literals == 0 || other.literals == 0;
        (fit && both | self.complement | other.complement == 0).then_some(LiteralConjunction {
            predicate_word: self.predicate_word.max(other.predicate_word),
            literals: bits,
            negated: without,
            complement: 0,
        })
    }

    /// Returns whether it is not the negation of a conjunction.
    fn is_conjunction(self) -> bool {
        self.complement == 0
    }

    /// Returns its lower and upper bound at 64 plies.
    #[inline(always)]
    pub fn bounds_at(self, sets: &[u64], known: &BitSet, width: usize, word: usize) -> (u64, u64) {
        let known = known.word(self.predicate_word);
        let first = usize::from(self.predicate_word) * 64;
        let (mut rest, mut may) = (self.literals & known, u64::MAX);
        while rest != 0 {
            let n = rest.trailing_zeros() as usize;
            may &= sets[(first + n) * width + word] ^ (self.negated >> n & 1).wrapping_neg();
            rest &= rest - 1;
        }
        let must = if self.literals & !known == 0 { may } else { 0 };
        let (least, most) = (must ^ self.complement, may ^ self.complement);
        (least & most, least | most)
    }
}

/// A formula over the predicates of a query.
pub(super) enum WordFormula {
    Simple(LiteralConjunction),
    And(Vec<WordFormula>),
    Or(Vec<WordFormula>),
    SomeOf(usize, Vec<WordFormula>),
}

/// The formulas of a condition over the predicates.
pub(super) struct ConditionFormulas {
    pub holds: WordFormula,
    /// Where it is known not to hold, if that is not wherever it does not hold.
    pub fails: Option<WordFormula>,
    /// The phase of its window.
    pub phase: WordFormula,
}

impl ConditionFormulas {
    pub fn new(condition: &ScanCondition) -> ConditionFormulas {
        ConditionFormulas {
            holds: WordFormula::from_formula(&condition.formula),
            fails: condition.contrary.as_ref().map(WordFormula::from_formula),
            phase: WordFormula::from_formula(&condition.window.phase),
        }
    }
}

impl WordFormula {
    /// Converts a formula over predicates.
    pub fn from_formula(formula: &Formula) -> WordFormula {
        convert(formula, false, &|n, is_negated| literal(n, is_negated))
    }

    /// Converts a formula over conditions, each of which means that its own formula holds at the position.
    pub fn from_conditions(formula: &Formula, conditions: &[ScanCondition]) -> WordFormula {
        convert(formula, false, &|condition, is_negated| {
            convert(&conditions[usize::from(condition)].formula, is_negated, &literal)
        })
    }

    /// Returns its lower and upper bound at the 64 plies of a word.
    #[inline(always)]
    pub fn bounds_at(&self, known: &KnownPredicates<'_>, word: usize) -> (u64, u64) {
        let width = plies::word_count(known.game.plies);
        match self {
            WordFormula::Simple(simple) => simple.bounds_at(known.sets, known.known, width, word),
            _ => self.bounds_of_list(known, width, word),
        }
    }

    #[inline(never)]
    fn bounds_of_list(&self, known: &KnownPredicates<'_>, width: usize, word: usize) -> (u64, u64) {
        match self {
            WordFormula::Simple(simple) => simple.bounds_at(known.sets, known.known, width, word),
            WordFormula::And(parts) => parts.iter().fold((u64::MAX, u64::MAX), |all, part| {
                let (least, most) = part.bounds_of_list(known, width, word);
                (all.0 & least, all.1 & most)
            }),
            WordFormula::Or(parts) => parts.iter().fold((0, 0), |all, part| {
                let (least, most) = part.bounds_of_list(known, width, word);
                (all.0 | least, all.1 | most)
            }),
            WordFormula::SomeOf(least, parts) => {
                bounds_of_some(*least, parts.iter().map(|part| part.bounds_of_list(known, width, word)))
            }
        }
    }
}

fn literal(n: u16, is_negated: bool) -> WordFormula {
    let simple = LiteralConjunction::literal(n);
    WordFormula::Simple(if is_negated { simple.negate() } else { simple })
}

/// Converts a formula, or its contrary. `bit` converts a bit of it, or its contrary.
fn convert(formula: &Formula, is_negated: bool, bit: &impl Fn(u16, bool) -> WordFormula) -> WordFormula {
    match formula {
        Formula::True => {
            let all = LiteralConjunction::EMPTY;
            WordFormula::Simple(if is_negated { all.negate() } else { all })
        }
        Formula::Bit(n) => bit(*n, is_negated),
        Formula::Not(inner) => convert(inner, !is_negated, bit),
        Formula::And(parts) | Formula::Or(parts) => {
            let is_and = matches!(formula, Formula::And(_)) != is_negated;
            join(parts.iter().map(|part| convert(part, is_negated, bit)), is_and)
        }
        Formula::SomeOf(least, parts) => {
            let least = if is_negated { Formula::failures_of_list(*least, parts.len()) } else { *least };
            WordFormula::SomeOf(least, parts.iter().map(|part| convert(part, is_negated, bit)).collect())
        }
    }
}

/// Joins the parts of a conjunction or, if `is_and` is false, of a disjunction.
fn join(parts: impl Iterator<Item = WordFormula>, is_and: bool) -> WordFormula {
    // Several literals, which are one conjunction for each word of predicates or the contrary of one.
    let mut joined = vec![LiteralConjunction::EMPTY];
    let mut rest = Vec::new();
    let mut add = |part: WordFormula| match part {
        WordFormula::Simple(simple) => {
            let simple = if is_and { simple } else { simple.negate() };
            match joined.iter_mut().find_map(|one| Some((one.conjoin(simple)?, one))) {
                Some((more, one)) => *one = more,
                None if simple.is_conjunction() => joined.push(simple),
                None => rest.push(part),
            }
        }
        _ => rest.push(part),
    };
    for part in parts {
        match part {
            WordFormula::And(inner) if is_and => inner.into_iter().for_each(&mut add),
            WordFormula::Or(inner) if !is_and => inner.into_iter().for_each(&mut add),
            part => add(part),
        }
    }
    if !rest.is_empty() || joined.len() > 1 {
        joined.retain(|one| *one != LiteralConjunction::EMPTY);
    }
    rest.extend(joined.into_iter().map(|one| WordFormula::Simple(if is_and { one } else { one.negate() })));
    match rest.pop() {
        Some(only) if rest.is_empty() => only,
        last => {
            rest.extend(last);
            if is_and { WordFormula::And(rest) } else { WordFormula::Or(rest) }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;

    use super::*;
    use crate::scan::decide::track::TrackedGame;
    use crate::scan::random_queries::{CaseRandom, formula};

    /// The number of predicates of a case.
    const PREDICATES: usize = 6;

    fn random(dice: &mut CaseRandom, bits: usize) -> Formula {
        let depth = dice.below(5);
        let inner = formula(dice, (0, bits), depth, true);
        let parts = Formula::And([inner, formula(dice, (0, bits), 2, true)].into_iter().collect());
        if dice.one_in(2) { Formula::Not(Box::new(parts)) } else { parts }
    }

    /// The same bounds by the tree; they may be wider where it names a bit twice.
    fn bounds_by_tree(formula: &Formula, known: &KnownPredicates<'_>) -> (u64, u64) {
        formula.bounds(&|n| match known.known.contains(n) {
            false => (0, u64::MAX),
            true => (known.sets[usize::from(n)], known.sets[usize::from(n)]),
        })
    }

    fn assert_bounds(fast: &WordFormula, (least, most): (u64, u64), (known, is_all): (&KnownPredicates<'_>, bool)) {
        let (must, may) = fast.bounds_at(known, 0);
        assert_eq!((must | least, may & most), (must, may));
        assert_eq!(must & !may, 0);
        if is_all {
            assert_eq!((must, may), (least, most));
        }
    }

    #[test]
    fn words_have_the_bounds_of_the_tree() {
        let mut dice = CaseRandom(11);
        for _ in 0..20_000 {
            // The predicates are in one word, or in four.
            let step = dice.of(&[1, 40]);
            let sets: Vec<u64> = (0..PREDICATES * usize::from(step)).map(|_| dice.word()).collect();
            let (holding_at_start, unknown_at_start) = (&BitSet::default(), &BitSet::default());
            let game = TrackedGame { plies: 64, first_half_move: 0, holding_at_start, unknown_at_start };
            let is_known = dice.one_in(3);
            let known: BitSet =
                (0..PREDICATES as u16).filter(|_| is_known || dice.one_in(2)).map(|n| n * step).collect();
            let known = KnownPredicates { sets: &sets, known: &known, game };
            let known = (&known, is_known);
            let random_over = |dice: &mut _| random(dice, PREDICATES).replace_bits(&|n, _| Formula::Bit(n * step));
            let predicates = random_over(&mut dice);
            assert_bounds(&WordFormula::from_formula(&predicates), bounds_by_tree(&predicates, known.0), known);
            let conditions: Vec<ScanCondition> =
                (0..3).map(|_| ScanCondition::at_any_ply(random_over(&mut dice))).collect();
            let verdict = random(&mut dice, 3);
            let bounds = verdict.bounds(&|n| bounds_by_tree(&conditions[usize::from(n)].formula, known.0));
            assert_bounds(&WordFormula::from_conditions(&verdict, &conditions), bounds, known);
        }
    }

    #[test]
    fn lists_of_literals_are_one_conjunction() {
        let bit = |n| Formula::Bit(n);
        let either = |parts: [Formula; 2]| Formula::Or(parts.into_iter().collect());
        let conditions = [either([bit(0), bit(1)]), bit(2), Formula::Not(Box::new(bit(3)))];
        let conditions = conditions.map(ScanCondition::at_any_ply);
        let any = either([bit(0), either([bit(1), bit(2)])]);
        assert!(matches!(WordFormula::from_conditions(&any, &conditions), WordFormula::Simple(_)));
        let both = Formula::And([any, bit(0)].into_iter().collect());
        let WordFormula::And(parts) = WordFormula::from_conditions(&both, &conditions) else { panic!("two lists") };
        assert_eq!(parts.len(), 2);
    }
}
