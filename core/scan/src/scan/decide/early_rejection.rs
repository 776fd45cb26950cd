//! Early rejection drops a game as soon as one tested condition shows that it cannot match.
//! It tests only conditions that every matching game fulfils, or that no matching game fulfils, each by itself and as soon as all
//! its predicates are known.
//!
//! Early rejection ignores at which plies a gate is open. So it may keep a game that does not match, but it never rejects one
//! that does; [`QueryEvaluator`](super::query_evaluator::QueryEvaluator) decides about the games that it keeps.

use alloc::vec::Vec;

use super::KnownPredicates;
use super::word_formula::{ConditionFormulas, WordFormula};
use crate::scan::combine::{BitSet, Formula};
use crate::scan::plies::valid_bits;
use crate::scan::{ConditionEdge, Occurrence, Query, ScanCondition};

/// A condition that can reject a game by itself.
struct NecessaryCondition {
    condition: ScanCondition,
    formulas: ConditionFormulas,
    /// The predicates that the condition uses.
    used_predicates: BitSet,
    /// True if a matching game must fulfil the condition, false if it must not.
    must_hold: bool,
}

/// The conditions of a query that can reject a game.
pub(in crate::scan) struct EarlyRejection(Vec<NecessaryCondition>);

impl EarlyRejection {
    pub fn new(query: &Query) -> EarlyRejection {
        let decisive = (0..).zip(&query.conditions).filter_map(|(n, condition)| {
            let is_required = is_required(query, n);
            // Without a gate, an edge or a run, the number of plies alone decides whether the condition is fulfilled.
            let is_countable = condition.gate.is_none()
                && condition.window.edge.is_none()
                && !matches!(condition.window.occurrence, Occurrence::Consecutive(2..));
            // The start position can fulfil some conditions, whatever the plies.
            let can_reject = !condition.window.counts_start
                && (is_required || is_countable && !verdict_possible(query, Some(n), None));
            can_reject.then(|| NecessaryCondition {
                condition: condition.clone(),
                formulas: ConditionFormulas::new(condition),
                used_predicates: condition.used_predicates(),
                must_hold: is_required,
            })
        });
        EarlyRejection(decisive.collect())
    }

    /// Returns whether a game may still match, given the plies at which the predicates `known` hold.
    /// Conditions that use none of the predicates `new`, from `nth_word` times 64 on, are skipped, because an earlier call has tested
    /// them.
    pub fn may_match(&self, known: &KnownPredicates<'_>, nth_word: u16, new: u64) -> bool {
        self.0.iter().all(|condition| {
            let used = &condition.used_predicates;
            let newly_known = used.word(nth_word) & new != 0 && used.is_subset(known.known);
            !newly_known || condition.is_met(known) == condition.must_hold
        })
    }
}

/// Returns whether every game that matches fulfils condition `n`.
pub(super) fn is_required(query: &Query, n: u16) -> bool {
    !verdict_possible(query, None, Some(n))
}

/// Returns whether the verdict may hold if a condition is fulfilled, or if one is not.
fn verdict_possible(query: &Query, fulfilled: Option<u16>, missing: Option<u16>) -> bool {
    let mut closed: BitSet = missing.into_iter().collect();
    // A gate waits only for conditions that come before those behind it.
    for (n, condition) in (0..).zip(&query.conditions) {
        let opens = |gate: u16| may_hold(&query.gates[usize::from(gate)].opens_after, None, &closed);
        if !condition.gate.is_none_or(opens) {
            closed.insert(n);
        }
    }
    may_hold(&query.verdict, fulfilled, &closed)
}

/// Returns whether a formula may hold, given a bit that must be set and those that cannot be.
fn may_hold(formula: &Formula, must: Option<u16>, cannot: &BitSet) -> bool {
    formula.bounds(&|n| (u64::from(must == Some(n)), u64::from(!cannot.contains(n)))).1 & 1 != 0
}

impl NecessaryCondition {
    /// Returns whether enough plies can count for the condition; all predicates that it uses must be known.
    fn is_met(&self, known: &KnownPredicates<'_>) -> bool {
        let (window, game) = (&self.condition.window, known.game);
        let least = match window.occurrence {
            Occurrence::Header => return self.condition.formula.holds(game.holding_at_start),
            Occurrence::Once => 1,
            Occurrence::Consecutive(least) | Occurrence::Total(least) => least.max(1),
        };
        // A formula that has just ceased to hold does not hold.
        let has_ceased = window.edge == Some(ConditionEdge::Ceased);
        let (from, to) = window.plies.ply_range(game.plies, game.first_half_move);
        let mut count = 0;
        for nth in from / 64..to.div_ceil(64) {
            let at = |formula: &WordFormula| formula.bounds_at(known, nth).1;
            let ConditionFormulas { holds, fails, phase } = &self.formulas;
            let formula = match fails {
                Some(fails) if has_ceased => at(fails),
                _ if has_ceased => !at(holds),
                _ => at(holds),
            };
            let holds = formula & at(phase);
            count += (holds & valid_bits(to, nth) & !valid_bits(from, nth)).count_ones();
            if count >= least {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::random_queries::{CaseRandom, PREDICATES, TruthCase};

    #[test]
    fn no_game_that_matches_is_given_up() {
        let mut dice = CaseRandom(3);
        let mut given_up = 0;
        for number in 0..25_000 {
            let case = TruthCase::random(&mut dice);
            let hope = EarlyRejection::new(&case.query);
            let (verdict, mut before) = (case.verdict(), 1);
            while before != (1 << PREDICATES) - 1 {
                // One predicate becomes known, or several.
                let known = before | dice.below(1 << PREDICATES) as u64;
                let sets = case.sets(|n, ply| known >> n & 1 != 0 && case.holds(n, ply));
                let (all, new) = (case.numbered(known), case.numbered(known & !before));
                let at_hand = KnownPredicates { sets: &sets, known: &all, game: case.game() };
                if known != before && !(0..4).all(|nth| hope.may_match(&at_hand, nth, new.word(nth))) {
                    assert!(!verdict, "case {number}: {:?} at {:x?}", case.query, case.trace);
                    given_up += 1;
                    break;
                }
                before = known;
            }
        }
        assert!(given_up > 2000, "only {given_up} games were given up");
    }
}
