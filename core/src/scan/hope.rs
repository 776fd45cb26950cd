//! Whether a game may yet match, told with little work while its predicates are tested: by the conditions without which, or with which,
//! no game does, each by itself and as soon as all is known that it asks for.
//!
//! That leaves out at which plies a gate is open, so a game may be kept that does not match, but none is lost; `judge` has the last word.

use alloc::vec::Vec;

use super::plies::{self, within};
use super::simple::{self, Simple};
use super::track::Game;
use super::{Condition, Edge, Query, Times};

/// A condition that can take the hope of a game.
struct Decisive {
    condition: Condition,
    simple: Option<Simple>,
    /// The predicates that it asks for.
    asked: u64,
    /// Whether no game matches in which it is not fulfilled, or in which it is.
    must: bool,
}

/// The conditions of a query that can.
pub(super) struct Hope(Vec<Decisive>);

impl Hope {
    pub fn new(query: &Query) -> Hope {
        let decisive = query.conditions.iter().enumerate().filter_map(|(n, condition)| {
            let must = !may_hold(query, 0, !(1 << n));
            // Whether there was such a ply tells whether it is fulfilled, if no more is asked.
            let told = condition.gate.is_none()
                && condition.window.edge.is_none()
                && !matches!(condition.window.times, Times::Row(2..));
            let decides = must || told && !may_hold(query, 1 << n, u64::MAX);
            decides.then(|| Decisive {
                condition: condition.clone(),
                simple: Simple::of(&condition.formula),
                asked: condition.formula.bits() | condition.window.phase.bits(),
                must,
            })
        });
        Hope(decisive.collect())
    }

    /// Whether a game may match, given the plies at which each of the predicates `known` holds: predicate `n` in the words from `n` times
    /// those of a set on. What asks for none of the `new` ones has been looked at before.
    pub fn is_left(&self, sets: &[u64], known: u64, new: u64, game: Game) -> bool {
        self.0.iter().all(|one| {
            let is_news = one.asked & !known == 0 && one.asked & new != 0;
            !is_news || one.is_met(sets, known, game) == one.must
        })
    }
}

/// Whether the verdict may hold where these conditions are fulfilled, and these may be.
fn may_hold(query: &Query, must: u64, mut may: u64) -> bool {
    // Gates wait for conditions before those that wait for them.
    for (n, condition) in query.conditions.iter().enumerate() {
        let opens = |gate: u8| simple::on_bits(None, &query.gates[usize::from(gate)].first, 0, may).1;
        if !condition.gate.is_none_or(opens) {
            may &= !(1 << n);
        }
    }
    simple::on_bits(None, &query.verdict, must, may).1
}

impl Decisive {
    /// Whether there are as many plies as it wants, where all that it asks for is known.
    fn is_met(&self, sets: &[u64], known: u64, game: Game) -> bool {
        let window = &self.condition.window;
        let least = match window.times {
            Times::Fact => return self.condition.formula.holds(game.at_start),
            Times::Once => 1,
            Times::Row(least) | Times::Count(least) => least.max(1),
        };
        // Where it has ceased to hold, it does not.
        let ceased = if window.edge == Some(Edge::Ceased) { u64::MAX } else { 0 };
        let (from, to) = window.when.range(game.plies, game.first);
        let width = plies::words(game.plies);
        let mut number = 0;
        for nth in from / 64..to.div_ceil(64) {
            let at = |simple, formula| simple::between(simple, formula, sets, known, width, nth).1;
            let holds = (at(self.simple, &self.condition.formula) ^ ceased) & at(None, &window.phase);
            number += (holds & within(to, nth) & !within(from, nth)).count_ones();
            if number >= least {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::cases::{Case, Dice, PREDICATES};
    use super::*;

    #[test]
    fn no_game_that_matches_is_given_up() {
        let mut dice = Dice::new(3);
        let mut given_up = 0;
        for number in 0..25_000 {
            let case = Case::random(&mut dice);
            let hope = Hope::new(&case.query);
            let (verdict, mut before) = (case.verdict(), 1);
            while before != (1 << PREDICATES) - 1 {
                // One more predicate or several.
                let known = before | dice.below(1 << PREDICATES) as u64;
                let sets = case.sets(|n, ply| known >> n & 1 != 0 && case.holds(n, ply));
                if known != before && !hope.is_left(&sets, known, known & !before, case.game) {
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
