//! The query evaluator decides what it can about a game while only some predicates have been tested.
//!
//! Each predicate is either untested or has the set of plies at which it holds. From these the evaluator calculates, for each
//! condition, the plies at which it must hold and those at which it may hold (Kleene's logic, 64 plies at a time). Plies where
//! the two differ are undecided.

use alloc::vec::Vec;

use super::KnownPredicates;
use super::early_rejection;
use super::evidence::FulfilledGame;
use super::track::{ConditionTrace, ConditionTrack};
use super::truth::{TruthBounds, TruthWord};
use super::word_formula::{ConditionFormulas, WordFormula};
use crate::scan::combine::{BitSet, Formula};
use crate::scan::evidence::{EvidenceConditions, EvidenceTree};
use crate::scan::plies::{self, valid_bits};
use crate::scan::{Occurrence, PlyWindow, Query};

/// Evaluates a query in one game at a time; the next game reuses the memory.
#[derive(Default)]
pub(in crate::scan) struct QueryEvaluator {
    /// The track while some predicates are untested.
    bounds: ConditionTrack<TruthBounds>,
    /// The track when all predicates are tested.
    exact: ConditionTrack<u64>,
    /// The plies that must match.
    matches: Vec<u64>,
    /// The plies at which further predicates must be tested.
    undecided: Vec<u64>,
    verdict: bool,
    /// The verdict, once the predicates that are known of the game settle it.
    settled_verdict: Option<bool>,
    /// By condition: its formulas.
    formulas: Vec<ConditionFormulas>,
    /// The formula over the predicates by which positions match.
    position_formula: Option<WordFormula>,
    /// The conditions that every game that matches fulfils.
    required_conditions: BitSet,
    /// By gate: the conditions that it waits for.
    gate_conditions: Vec<BitSet>,
    /// The conditions that some gate waits for.
    awaited_conditions: BitSet,
    /// The predicates that the query uses.
    used_predicates: BitSet,
    /// The plies that may count for one condition, while the evaluator looks for runs.
    possible_runs: Vec<u64>,
    /// The conditions whose plies are evidence.
    evidence: EvidenceConditions,
    /// The number of plies in a row that the query needs, if one condition without restrictions decides games and positions.
    single_condition_run: Option<u32>,
}

impl QueryEvaluator {
    pub fn new(query: &Query) -> QueryEvaluator {
        let gate_conditions: Vec<BitSet> = query.gates.iter().map(|gate| gate.opens_after.bits()).collect();
        let mut awaited_conditions = BitSet::default();
        gate_conditions.iter().for_each(|awaited| awaited_conditions.insert_all(awaited));
        let conditions = (0..).zip(&query.conditions).map(|(n, _)| n);
        let plain = match &query.conditions[..] {
            [one]
                if one.gate.is_none()
                    && (&query.verdict, &query.position_verdict) == (&Formula::Bit(0), &Formula::Bit(0))
                    && query.evidence.as_ref().is_none_or(|tree| {
                        // Where any ply fulfils the condition, the evidence is where it holds.
                        *tree == EvidenceTree::Condition(0) && one.window == PlyWindow::ANY_PLY
                    }) =>
            {
                match one.window.occurrence {
                    _ if (PlyWindow { occurrence: Occurrence::Once, ..one.window.clone() }) != PlyWindow::ANY_PLY => {
                        None
                    }
                    Occurrence::Once | Occurrence::Total(1) => Some(1),
                    Occurrence::Consecutive(least) => Some(least.max(1)),
                    Occurrence::Total(_) | Occurrence::Header => None,
                }
            }
            _ => None,
        };
        QueryEvaluator {
            formulas: query.conditions.iter().map(ConditionFormulas::new).collect(),
            position_formula: query
                .evidence
                .is_none()
                .then(|| WordFormula::from_conditions(&query.position_verdict, &query.conditions)),
            required_conditions: conditions.filter(|&n| early_rejection::is_required(query, n)).collect(),
            gate_conditions,
            awaited_conditions,
            single_condition_run: plain,
            used_predicates: query.used_predicates(),
            evidence: query.evidence.as_ref().map(EvidenceTree::conditions).unwrap_or_default(),
            ..QueryEvaluator::default()
        }
    }

    /// Prepares the evaluator for a game of which nothing is known.
    #[inline(always)]
    pub fn start_game(&mut self) {
        self.settled_verdict = None;
    }

    /// Evaluates a game by the predicates that are known, which may be more than in the call before for the same game.
    /// Returns true if everything requested is settled: the verdict and, with `positions`, which positions match.
    #[inline(always)]
    pub fn evaluate(&mut self, query: &Query, known: &KnownPredicates<'_>, positions: bool) -> bool {
        self.matches.clear();
        self.undecided.clear();
        if let Some(least) = self.single_condition_run {
            let settled = self.evaluate_single_condition(known, positions);
            if least == 1 {
                return settled;
            }
            if self.undecided.iter().all(|&word| word == 0) {
                self.verdict = plies::runs(&self.matches, least as usize).next().is_some();
                return true;
            }
            self.matches.clear();
            self.undecided.clear();
        }
        self.evaluate_general(query, known, positions)
    }

    /// Returns whether some condition that every game that matches fulfils can count at no ply.
    /// This is less work than an evaluation, because it looks at no gate and counts nothing.
    pub fn cannot_match(&self, query: &Query, known: &KnownPredicates<'_>) -> bool {
        self.required_conditions.iter().any(|n| {
            let PlyWindow { edge, occurrence, counts_start, .. } = &query.conditions[usize::from(n)].window;
            let formula = &self.formulas[usize::from(n)].holds;
            let holds = |word| formula.bounds_at(known, word).1 & valid_bits(known.game.plies, word) != 0;
            let is_plain = edge.is_none() && *occurrence != Occurrence::Header && !counts_start;
            is_plain && !(0..plies::word_count(known.game.plies)).any(holds)
        })
    }

    /// Evaluates any query, without the shortcut for a single condition.
    #[inline(never)]
    fn evaluate_general(&mut self, query: &Query, known: &KnownPredicates<'_>, positions: bool) -> bool {
        let evidence = query.evidence.as_ref().filter(|_| positions);
        let is_settled = self.evaluate_positions(known, positions);
        if query.verdict == Formula::True {
            self.settled_verdict = Some(true);
        }
        if let Some(verdict) = self.settled_verdict
            && !(verdict && evidence.is_some())
        {
            self.verdict = verdict;
            return is_settled;
        }
        if self.used_predicates.is_subset(known.known) {
            let mut track = core::mem::take(&mut self.exact);
            self.verdict = self.track_conditions(query, known, &mut track)
                && query.verdict.holds_where(&|n| track.fulfilled(n.into()) != 0);
            self.settled_verdict = Some(self.verdict);
            if let Some(tree) = evidence {
                self.collect_evidence((query, tree), known.game.plies, &track);
            }
            self.exact = track;
            return true;
        }
        let mut bounds = core::mem::take(&mut self.bounds);
        let is_settled = if self.track_conditions(query, known, &mut bounds) {
            self.evaluate_bounds(query, known.game.plies, evidence, &bounds) && is_settled
        } else {
            (self.verdict, self.settled_verdict) = (false, Some(false));
            is_settled
        };
        self.bounds = bounds;
        is_settled
    }

    /// Finds the positions that match and those that are undecided, unless they are those of the evidence.
    /// Returns true if none is undecided.
    fn evaluate_positions(&mut self, known: &KnownPredicates<'_>, positions: bool) -> bool {
        let plies = known.game.plies;
        let mut any_undecided = 0;
        let formula = self.position_formula.as_ref().filter(|_| positions);
        for word in 0..plies::word_count(plies) {
            let (must, may) = formula.map_or((0, 0), |formula| formula.bounds_at(known, word));
            let within = valid_bits(plies, word);
            if positions {
                self.matches.push(must & within);
            }
            self.undecided.push(may & !must & within);
            any_undecided |= may & !must & within;
        }
        any_undecided == 0
    }

    /// Tracks all conditions through the game.
    /// Returns false if it finds that the game does not match; then it leaves the other conditions.
    fn track_conditions<T: TruthWord>(
        &self,
        query: &Query,
        known: &KnownPredicates<'_>,
        track: &mut ConditionTrack<T>,
    ) -> bool {
        let game = known.game;
        track.start_game(query, game.plies);
        for (n, ConditionFormulas { holds, fails, phase }) in (0..).zip(&self.formulas) {
            let at = |formula: &WordFormula, word| {
                let (must, may) = formula.bounds_at(known, word);
                T::new(must, may)
            };
            let holds = |word| {
                let holds = at(holds, word);
                [holds, fails.as_ref().map_or_else(|| holds.not(), |fails| at(fails, word))]
            };
            let phase = |word| at(phase, word);
            let is_awaited = self.awaited_conditions.contains(n);
            track.track_condition(query, &game, ConditionTrace { is_awaited, holds, phase });
            if self.required_conditions.contains(n) && track.fulfilled(n.into()).may() == 0 {
                return false;
            }
        }
        true
    }

    /// Derives the verdict and the plies that are undecided for it and for the evidence from the bounds of the conditions.
    /// Returns true if everything is settled but for the positions that match without evidence.
    fn evaluate_bounds(
        &mut self,
        query: &Query,
        plies: usize,
        evidence: Option<&EvidenceTree>,
        track: &ConditionTrack<TruthBounds>,
    ) -> bool {
        let fulfilled = |n: u16| {
            let fulfilled = track.fulfilled(n.into());
            (fulfilled.must(), fulfilled.may())
        };
        let (must, may) = query.verdict.bounds(&fulfilled);
        self.verdict = must & 1 != 0;
        if must == may {
            self.settled_verdict = Some(self.verdict);
        }
        if let Some(tree) = evidence
            && may & 1 != 0
        {
            self.mark_evidence(query, track);
            if must == may && self.undecided.iter().all(|&word| word == 0) {
                self.collect_evidence((query, tree), plies, track);
                return true;
            }
        }
        if must == may {
            return !self.verdict || evidence.is_none();
        }
        let mut awaited = BitSet::default();
        for (n, condition) in query.conditions.iter().enumerate().rev() {
            if track.fulfilled(n).undecided() != 0 || awaited.contains(n as u16) {
                // When the gate opened depends on when the conditions before it were met, even if it is known that they were.
                condition.gate.iter().for_each(|&gate| awaited.insert_all(&self.gate_conditions[usize::from(gate)]));
                self.mark_undecided(track.hits(n), condition.window.occurrence, &condition.window);
            }
        }
        false
    }

    /// Marks the plies as undecided that may still be evidence, or may decide where the evidence lies.
    fn mark_evidence(&mut self, query: &Query, track: &ConditionTrack<TruthBounds>) {
        let mut awaited = BitSet::default();
        for (n, condition) in query.conditions.iter().enumerate().rev() {
            let fulfilled = track.fulfilled(n);
            let is_in = |conditions: &BitSet| conditions.contains(n as u16);
            let matters = is_in(&self.evidence.counted)
                || is_in(&awaited)
                || is_in(&self.evidence.fulfilled) && fulfilled.may() != 0
                || is_in(&self.evidence.choosing) && fulfilled.undecided() != 0;
            if matters && track.hits(n).iter().any(|hits| hits.undecided() != 0) {
                condition.gate.iter().for_each(|&gate| awaited.insert_all(&self.gate_conditions[usize::from(gate)]));
                // All plies that count matter, not only those of long runs.
                let occurrence =
                    if is_in(&self.evidence.counted) { Occurrence::Once } else { condition.window.occurrence };
                self.mark_undecided(track.hits(n), occurrence, &condition.window);
            }
        }
    }

    /// Sets the matches of a game to its evidence, or to none if the game does not match.
    #[inline(never)]
    fn collect_evidence<T: TruthWord>(
        &mut self,
        (query, tree): (&Query, &EvidenceTree),
        plies: usize,
        track: &ConditionTrack<T>,
    ) {
        let width = plies::word_count(plies);
        self.matches.clear();
        if !self.verdict {
            self.matches.resize(width, 0);
            return;
        }
        let fulfilled = |n: u16| track.fulfilled(n.into()).must() != 0;
        let hits = |n: usize, word: usize| track.hits(n)[word].must();
        let hit_at_start = |n: usize| track.hit_at_start(n).must() != 0;
        let game =
            FulfilledGame { query, plies, width, hits: &hits, hit_at_start: &hit_at_start, fulfilled: &fulfilled };
        self.matches = game.evidence(tree);
    }

    /// Marks the plies as undecided that may still decide a condition with these hits.
    fn mark_undecided(&mut self, hits: &[TruthBounds], times: Occurrence, window: &PlyWindow) {
        let edge = window.edge.is_some();
        if let Occurrence::Consecutive(least) = times
            && !edge
            && !window.counts_start
        {
            // Only runs that are long enough can decide.
            self.possible_runs.clear();
            self.possible_runs.extend(hits.iter().map(|hits| hits.may()));
            for (from, to) in plies::runs(&self.possible_runs, least as usize) {
                let words = self.undecided.iter_mut().zip(hits).enumerate().take((to - 1) / 64 + 1).skip(from / 64);
                for (nth, (open, hits)) in words {
                    *open |= valid_bits(to, nth) & !valid_bits(from, nth) & !hits.must();
                }
            }
            return;
        }
        for (nth, hits) in hits.iter().enumerate() {
            let open = hits.undecided();
            self.undecided[nth] |= open;
            if edge {
                // An edge also depends on the ply before.
                self.undecided[nth] |= open >> 1;
                if open & 1 != 0 && nth > 0 {
                    self.undecided[nth - 1] |= 1 << 63;
                }
            }
        }
    }

    /// Evaluates the only condition of a query ply by ply.
    /// Returns true if everything is settled for a condition that any single ply fulfils.
    #[inline(always)]
    fn evaluate_single_condition(&mut self, known: &KnownPredicates<'_>, positions: bool) -> bool {
        let plies = known.game.plies;
        let width = plies::word_count(plies);
        let (mut any_match, mut any_undecided) = (0, 0);
        for nth in 0..width {
            let (must, may) = self.formulas[0].holds.bounds_at(known, nth);
            let within = valid_bits(plies, nth);
            let open = may & !must & within;
            self.matches.push(must & within);
            self.undecided.push(open);
            any_match |= must & within;
            any_undecided |= open;
        }
        self.verdict = any_match != 0;
        any_undecided == 0 || !positions && any_match != 0
    }

    /// Returns whether a single ply at which the only condition holds decides the query.
    pub fn is_decided_by_one_ply(&self) -> bool {
        self.single_condition_run == Some(1)
    }

    /// Returns whether the game matches, once that is settled.
    pub fn verdict(&self) -> bool {
        self.verdict
    }

    /// Returns the plies that match, once they are settled. A caller that takes the memory must put it back.
    pub fn matches_mut(&mut self) -> &mut Vec<u64> {
        &mut self.matches
    }

    /// Settles that the game does not match, whatever later tests find.
    pub fn reject(&mut self) {
        self.verdict = false;
        self.matches.clear();
    }

    /// Settles the verdict and the matching plies, which something else has found.
    pub fn settle(&mut self, verdict: bool, matches: &[u64]) {
        self.verdict = verdict;
        self.matches.clear();
        self.matches.extend_from_slice(matches);
    }

    /// Returns whether no ply outside this set may still match.
    pub fn may_match_only_in(&self, found: &[u64]) -> bool {
        let may = self.matches.iter().zip(&self.undecided).map(|(must, undecided)| must | undecided);
        may.zip(found).all(|(may, found)| may & !found == 0)
    }

    /// Marks all plies as undecided, for a game that has not been evaluated.
    pub fn mark_all_undecided(&mut self, plies: usize) {
        self.undecided.clear();
        self.undecided.extend((0..plies::word_count(plies)).map(|nth| valid_bits(plies, nth)));
    }

    /// Returns the number of undecided plies.
    pub fn undecided_count(&self) -> usize {
        self.undecided.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns the undecided plies.
    pub fn undecided(&self) -> &[u64] {
        &self.undecided
    }

    /// Returns the number of plies up to the last undecided one.
    pub fn last_undecided(&self) -> usize {
        plies::last_one(&self.undecided).map_or(0, |bit| bit + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::random_queries::{CaseRandom, PREDICATES, TruthCase};

    /// Asserts that the evaluator agrees with the definitions.
    fn compare(judge: &mut QueryEvaluator, case: &TruthCase, positions: bool, number: u64) {
        assert_eq!(judge.verdict(), case.verdict(), "case {number}: {:?} at {:x?}", case.query, case.trace);
        if positions {
            assert_eq!(*judge.matches_mut(), case.matches(), "case {number}: {:?} at {:x?}", case.query, case.trace);
        }
    }

    #[test]
    fn what_is_known_of_a_game_is_judged_by_the_definitions() {
        let mut dice = CaseRandom(1);
        for number in 0..15_000 {
            let case = TruthCase::random(&mut dice);
            let sets = case.sets(|n, ply| case.holds(n, ply));
            let all = case.numbered((1 << PREDICATES) - 1);
            let known = KnownPredicates { sets: &sets, known: &all, game: case.game() };
            let mut judge = QueryEvaluator::new(&case.query);
            for positions in [false, true] {
                judge.start_game();
                assert!(judge.evaluate(&case.query, &known, positions));
                compare(&mut judge, &case, positions, number);
            }
        }
    }

    /// Like a scan, this test makes predicates known one after the other.
    /// Each becomes known at the undecided plies, or at all plies up to the last of these. At other plies it has arbitrary
    /// values, which must not change the result.
    #[test]
    #[ignore = "slow"]
    fn plies_that_are_not_open_have_no_say() {
        let mut dice = CaseRandom(2);
        for number in 0..60_000 {
            let mut case = TruthCase::random(&mut dice);
            let (positions, is_anything, by_ply) = (dice.one_in(2), dice.one_in(2), dice.one_in(2));
            // Header predicates are known from the start.
            let mut rest: Vec<usize> = (1..PREDICATES).collect();
            let (mut predicates, mut sets) = (1, case.sets(|n, ply| n == 0 && case.holds(n, ply)));
            let mut judge = QueryEvaluator::new(&case.query);
            judge.start_game();
            case.unknown_at_start = case.numbered(!predicates & ((1 << PREDICATES) - 1));
            while !judge.evaluate(
                &case.query,
                &KnownPredicates { sets: &sets, known: &case.numbered(predicates), game: case.game() },
                positions,
            ) {
                let (open, last) = (judge.undecided().to_vec(), judge.last_undecided());
                let n = rest.swap_remove(dice.below(rest.len()));
                for ply in 0..case.game().plies {
                    let told = if by_ply { open[ply / 64] >> (ply % 64) & 1 != 0 } else { ply < last };
                    let holds = if told { case.holds(n, ply) } else { is_anything && dice.one_in(2) };
                    sets[case.set_word(n, ply)] |= u64::from(holds) << (ply % 64);
                }
                predicates |= 1 << n;
                case.unknown_at_start = case.numbered(!predicates & ((1 << PREDICATES) - 1));
            }
            compare(&mut judge, &case, positions, number);
        }
    }
}
