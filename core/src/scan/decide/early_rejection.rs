//! Whether a game may yet match, told with little work while its predicates are tested: by the conditions without which, or with which,
//! no game does, each by itself and as soon as all is known that it asks for.
//!
//! That leaves out at which plies a gate is open, so a game may be kept that does not match, but none is lost; `judge` has the last word.

use alloc::vec::Vec;

use super::KnownPredicates;
use super::conjunction::{self, LiteralConjunction};
use super::track::TrackedGame;
use crate::scan::plies::valid_bits;
use crate::scan::{ConditionEdge, Occurrence, Query, ScanCondition};

/// A condition that can take the hope of a game.
struct NecessaryCondition {
    condition: ScanCondition,
    conjunction: Option<LiteralConjunction>,
    /// The predicates that it asks for.
    used_predicates: u64,
    /// Whether no game matches in which it is not fulfilled, or in which it is.
    must_hold: bool,
}

/// The conditions of a query that can.
pub(in crate::scan) struct EarlyRejection(Vec<NecessaryCondition>);

impl EarlyRejection {
    pub fn new(query: &Query) -> EarlyRejection {
        let decisive = query.conditions.iter().enumerate().filter_map(|(n, condition)| {
            let is_required = !verdict_possible(query, 0, !(1 << n));
            // Whether there was such a ply tells whether it is fulfilled, if no more is asked.
            let is_countable = condition.gate.is_none()
                && condition.window.edge.is_none()
                && !matches!(condition.window.occurrence, Occurrence::Consecutive(2..));
            let can_reject = is_required || is_countable && !verdict_possible(query, 1 << n, u64::MAX);
            can_reject.then(|| NecessaryCondition {
                condition: condition.clone(),
                conjunction: LiteralConjunction::from_formula(&condition.formula),
                used_predicates: condition.formula.bits() | condition.window.phase.bits(),
                must_hold: is_required,
            })
        });
        EarlyRejection(decisive.collect())
    }

    /// Whether a game may match, given the plies at which each of the predicates `known` holds: predicate `n` in the words from `n` times
    /// those of a set on. What asks for none of the `new` ones has been looked at before.
    pub fn may_match(&self, sets: &[u64], known: u64, new: u64, game: TrackedGame) -> bool {
        self.0.iter().all(|condition| {
            let newly_known = condition.used_predicates & !known == 0 && condition.used_predicates & new != 0;
            !newly_known || condition.is_met(sets, known, game) == condition.must_hold
        })
    }
}

/// Whether the verdict may hold where these conditions are fulfilled, and these may be.
fn verdict_possible(query: &Query, must: u64, mut may: u64) -> bool {
    // Gates wait for conditions before those that wait for them.
    for (n, condition) in query.conditions.iter().enumerate() {
        let opens =
            |gate: u8| conjunction::formula_bounds_on_bits(None, &query.gates[usize::from(gate)].opens_after, 0, may).1;
        if !condition.gate.is_none_or(opens) {
            may &= !(1 << n);
        }
    }
    conjunction::formula_bounds_on_bits(None, &query.verdict, must, may).1
}

impl NecessaryCondition {
    /// Whether there are as many plies as it wants, where all that it asks for is known.
    fn is_met(&self, sets: &[u64], known: u64, game: TrackedGame) -> bool {
        let window = &self.condition.window;
        let least = match window.occurrence {
            Occurrence::Header => return self.condition.formula.holds(game.holding_at_start),
            Occurrence::Once => 1,
            Occurrence::Consecutive(least) | Occurrence::Total(least) => least.max(1),
        };
        // Where it has ceased to hold, it does not.
        let ceased = if window.edge == Some(ConditionEdge::Ceased) { u64::MAX } else { 0 };
        let (from, to) = window.plies.ply_range(game.plies, game.first_half_move);
        let known = KnownPredicates { sets, known, game };
        let mut count = 0;
        for nth in from / 64..to.div_ceil(64) {
            let at = |simple, formula| conjunction::formula_bounds_at(simple, formula, &known, nth).1;
            let holds = (at(self.conjunction, &self.condition.formula) ^ ceased) & at(None, &window.phase);
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
        let mut dice = CaseRandom::new(3);
        let mut given_up = 0;
        for number in 0..25_000 {
            let case = TruthCase::random(&mut dice);
            let hope = EarlyRejection::new(&case.query);
            let (verdict, mut before) = (case.verdict(), 1);
            while before != (1 << PREDICATES) - 1 {
                // One more predicate or several.
                let known = before | dice.below(1 << PREDICATES) as u64;
                let sets = case.sets(|n, ply| known >> n & 1 != 0 && case.holds(n, ply));
                if known != before && !hope.may_match(&sets, known, known & !before, case.game) {
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
