//! A query with names matches if some choice of pieces fulfils it. This file tries the choices in one game.
//!
//! Names are given pieces one after the other. After each, the query is evaluated in three-valued logic, where tests of the other
//! names may be true or false: most choices end there. The sets of plies of a test are kept for all choices that agree on its names.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use crate::scan::Query;
use crate::scan::combine::{BitSet, some_of};
use crate::scan::decide::KnownPredicates;
use crate::scan::decide::query_evaluator::QueryEvaluator;
use crate::scan::decide::track::TrackedGame;
use crate::scan::followed_game::{FollowedGame, NOBODY, PieceChoice, PieceId};
use crate::scan::plan::quantified::{QuantifiedPart, QuantifiedPositions, QuantifiedQuery};
use crate::scan::plies::{self, PredicateSets};
use crate::scan::predicate::{FollowedTest, MAX_NAMES, PositionPredicate};

/// The result that is requested of a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RequestedResult {
    /// Whether the game matches.
    Verdict,
    /// The positions that match.
    Positions,
    /// Whether the game matches, and its evidence.
    Evidence,
}

/// The results of the choices of a part.
pub(in crate::scan) struct FoundMatches {
    pub verdict: bool,
    pub matches: Vec<u64>,
}

/// A game in which pieces are chosen for the names of a query.
pub(in crate::scan) struct PieceChoices<'a> {
    game: FollowedGame<'a>,
    /// For each name, the pieces that it may mean.
    domains: Vec<Vec<PieceId>>,
    /// The sets of the predicates of the query; those without names are known.
    sets: PredicateSets<'a>,
    known: BitSet,
    context: TrackedGame<'a>,
    /// By predicate and piece, for tests of the path of one piece: whether it holds before the first ply, and the plies after which it
    /// holds.
    paths: BTreeMap<(u16, PieceId), (bool, Vec<u64>)>,
    /// The plies at which a test is asked.
    asked: Vec<u64>,
}

/// The state with which one thread evaluates a part of a query.
pub(in crate::scan) struct PartEvaluator {
    evaluator: QueryEvaluator,
    tests: Vec<PartTest>,
}

/// A test of a part, by the number of its predicate.
struct PartTest {
    predicate: u16,
    test: FollowedTest,
    names: u8,
    /// Whether the pieces and their paths decide it, so that it is known at all plies as soon as the pieces are.
    is_of_paths: bool,
}

/// What is known once some names have pieces.
#[derive(Clone)]
struct ChosenSoFar {
    /// The names that have pieces, a bit each, and those of them that the last step has given one.
    names: u8,
    new: u8,
    known: BitSet,
    holding_at_start: BitSet,
    unknown_at_start: BitSet,
}

/// The state of the choice of pieces for one part.
struct ChoiceState<'q> {
    query: &'q Query,
    tests: &'q [PartTest],
    evaluator: &'q mut QueryEvaluator,
    requested: RequestedResult,
    choice: PieceChoice,
    found: FoundMatches,
}

impl PartEvaluator {
    pub fn new(query: &Query) -> PartEvaluator {
        let used = query.used_predicates();
        let test = |predicate: u16| match &query.predicates[usize::from(predicate)] {
            PositionPredicate::Followed(test) => {
                let (names, is_of_paths) = (test.names(), test.is_of_paths());
                Some(PartTest { predicate, test: test.clone(), names, is_of_paths })
            }
            _ => None,
        };
        PartEvaluator { evaluator: QueryEvaluator::new(query), tests: used.iter().filter_map(test).collect() }
    }
}

impl<'a> PieceChoices<'a> {
    pub fn new(
        mut game: FollowedGame<'a>,
        query: &Query,
        sets: PredicateSets<'a>,
        (known, context): (BitSet, TrackedGame<'a>),
    ) -> PieceChoices<'a> {
        let domains: Vec<Vec<PieceId>> = query.names.iter().map(|domain| game.pieces_of(domain)).collect();
        if query.asks_what_is_left() {
            let pieces = domains.iter().flatten().filter(|&&piece| piece != NOBODY);
            game.note_what_is_left(pieces.fold(0, |all, piece| all | 1 << piece));
        }
        PieceChoices { domains, game, sets, known, context, paths: BTreeMap::new(), asked: Vec::new() }
    }

    /// Finds the verdict and the matching positions of a query. `evaluators` has one for each part with a choice of its own.
    pub fn evaluate(&mut self, quantified: &QuantifiedQuery, evaluators: &mut [PartEvaluator]) -> FoundMatches {
        self.known.remove_all(&quantified.predicates);
        match &quantified.positions {
            QuantifiedPositions::Evidence(part) => self.find(part, RequestedResult::Evidence, evaluators),
            positions => {
                let verdict = self.find(&quantified.verdict, RequestedResult::Verdict, evaluators).verdict;
                let matches = match positions {
                    QuantifiedPositions::Everywhere(part) => {
                        self.find(part, RequestedResult::Positions, evaluators).matches
                    }
                    QuantifiedPositions::EveryPly if verdict => {
                        (0..self.sets.width).map(|nth| plies::valid_bits(self.context.plies, nth)).collect()
                    }
                    _ => vec![0; self.sets.width],
                };
                FoundMatches { verdict, matches }
            }
        }
    }

    fn find(
        &mut self,
        part: &QuantifiedPart,
        requested: RequestedResult,
        evaluators: &mut [PartEvaluator],
    ) -> FoundMatches {
        let none = FoundMatches { verdict: false, matches: vec![0; self.sets.width] };
        match part {
            QuantifiedPart::All(parts) => {
                let mut all = FoundMatches { verdict: true, ..none };
                for (nth, part) in parts.iter().enumerate() {
                    let one = self.find(part, requested, evaluators);
                    if requested != RequestedResult::Positions && !one.verdict {
                        return FoundMatches { verdict: false, matches: vec![0; self.sets.width] };
                    }
                    let intersects = requested == RequestedResult::Positions && nth > 0;
                    let words = all.matches.iter_mut().zip(one.matches);
                    words.for_each(|(all, one)| *all = if intersects { *all & one } else { *all | one });
                }
                all
            }
            QuantifiedPart::SomeOf(least, parts) => {
                let (mut found, mut verdicts) = (Vec::new(), 0);
                for part in parts {
                    let one = self.find(part, requested, evaluators);
                    verdicts += usize::from(one.verdict);
                    found.push(one.matches);
                    if requested == RequestedResult::Verdict && verdicts >= *least {
                        break;
                    }
                }
                let verdict = verdicts >= *least;
                if requested != RequestedResult::Positions && !verdict {
                    return none;
                }
                let least = if requested == RequestedResult::Positions { *least } else { 1 };
                let at = |word: usize| {
                    let parts = found.iter().map(|matches| matches[word]);
                    some_of(least, parts, [0, u64::MAX], |one, other| one & other, |one, other| one | other)
                };
                FoundMatches { verdict, matches: (0..self.sets.width).map(at).collect() }
            }
            QuantifiedPart::Choice { query, names, number } => {
                let Some(PartEvaluator { evaluator, tests }) = evaluators.get_mut(*number) else { return none };
                let choice = [NOBODY; MAX_NAMES];
                let mut so_far = ChosenSoFar {
                    names: 0,
                    new: 0,
                    known: self.known.clone(),
                    holding_at_start: self.context.holding_at_start.clone(),
                    unknown_at_start: tests.iter().map(|test| test.predicate).collect(),
                };
                let mut state = ChoiceState { query, tests, evaluator, requested, choice, found: none };
                self.choose(&mut state, &mut so_far, *names);
                state.found
            }
        }
    }

    /// Tries all pieces for these names, which have none yet.
    fn choose(&mut self, state: &mut ChoiceState<'_>, so_far: &mut ChosenSoFar, names: u8) {
        if self.evaluate_choice(state, so_far) || names == 0 {
            return;
        }
        let name = names.trailing_zeros() as usize;
        for nth in 0..self.domains[name].len() {
            state.choice[name] = self.domains[name][nth];
            let mut with_piece = ChosenSoFar { names: so_far.names | 1 << name, new: 1 << name, ..so_far.clone() };
            self.choose(state, &mut with_piece, names & (names - 1));
            state.choice[name] = NOBODY;
            if state.requested == RequestedResult::Verdict && state.found.verdict {
                return;
            }
        }
    }

    /// Evaluates the part for the pieces that are chosen, and adds what is found. Returns true if no choice for the other names
    /// finds more.
    fn evaluate_choice(&mut self, state: &mut ChoiceState<'_>, so_far: &mut ChosenSoFar) -> bool {
        let (names, new) = (so_far.names, so_far.new);
        // The sets of tests whose pieces were chosen before are still there.
        let is_due = |test: &PartTest| test.names & !names == 0 && test.names & new != 0;
        for test in state.tests.iter().filter(|test| test.is_of_paths && is_due(test)) {
            let holds_at_start = self.fill_path(test, &state.choice);
            so_far.learn(test.predicate, holds_at_start);
            // PERF: hardly any choice gets beyond the first test of several pieces.
            if !test.names.is_power_of_two() && state.is_futile(&self.known(so_far)) {
                return true;
            }
        }
        let mut nth = 0;
        loop {
            let known = self.known(so_far);
            if state.is_settled(&known) {
                return true;
            }
            // PERF: a test of the board is asked where the others leave the result open.
            let next = state.tests[nth..].iter().position(|test| !test.is_of_paths && is_due(test));
            let Some(test) = next.map(|next| &state.tests[nth + next]) else { return false };
            nth += next.unwrap_or(0) + 1;
            self.asked.clear();
            self.asked.extend_from_slice(state.evaluator.undecided());
            if state.requested == RequestedResult::Positions {
                self.asked.iter_mut().zip(&state.found.matches).for_each(|(asked, found)| *asked &= !found);
            }
            let set = self.sets.of(test.predicate.into());
            set.fill(0);
            let holds_at_start = self.game.test(&test.test, &state.choice, &self.asked, set);
            so_far.learn(test.predicate, holds_at_start);
        }
    }

    /// What is known of the game once some names have pieces.
    fn known<'s>(&'s self, so_far: &'s ChosenSoFar) -> KnownPredicates<'s> {
        let game = TrackedGame {
            holding_at_start: &so_far.holding_at_start,
            unknown_at_start: &so_far.unknown_at_start,
            ..self.context
        };
        KnownPredicates { sets: self.sets.words, known: &so_far.known, game }
    }

    /// Sets the plies after which a test of paths holds. Returns whether it holds before the first ply.
    fn fill_path(&mut self, test: &PartTest, choice: &PieceChoice) -> bool {
        let width = self.sets.width;
        if !test.names.is_power_of_two() {
            let set = self.sets.of(test.predicate.into());
            set.fill(0);
            return self.game.test(&test.test, choice, &[], set);
        }
        let piece = choice[test.names.trailing_zeros() as usize];
        let (at_start, plies) = self.paths.entry((test.predicate, piece)).or_insert_with(|| {
            let mut set = vec![0; width];
            (self.game.test(&test.test, choice, &[], &mut set), set)
        });
        self.sets.of(test.predicate.into()).copy_from_slice(plies);
        *at_start
    }
}

impl ChosenSoFar {
    /// Notes that the set of a test is known, and whether the test holds before the first ply.
    fn learn(&mut self, predicate: u16, holds_at_start: bool) {
        self.known.insert(predicate);
        if holds_at_start {
            self.holding_at_start.insert(predicate);
        }
        self.unknown_at_start.remove(predicate);
    }
}

impl ChoiceState<'_> {
    /// Whether nothing more can be found, as far as little work shows.
    fn is_futile(&mut self, known: &KnownPredicates<'_>) -> bool {
        match self.requested {
            RequestedResult::Positions => self.is_settled(known),
            _ => self.evaluator.cannot_match(self.query, known),
        }
    }

    /// Evaluates the part by what is known, and adds what is found. Returns true if nothing more can be found.
    fn is_settled(&mut self, known: &KnownPredicates<'_>) -> bool {
        let (evaluator, found) = (&mut *self.evaluator, &mut self.found);
        if evaluator.cannot_match(self.query, known) {
            return true;
        }
        evaluator.start_game();
        if evaluator.evaluate(self.query, known, self.requested != RequestedResult::Verdict) {
            let verdict = evaluator.verdict();
            found.verdict |= verdict;
            if self.requested == RequestedResult::Positions || self.requested == RequestedResult::Evidence && verdict {
                let words = found.matches.iter_mut().zip(evaluator.matches_mut().iter());
                words.for_each(|(all, one)| *all |= one);
            }
            return true;
        }
        self.requested == RequestedResult::Positions && evaluator.may_match_only_in(&found.matches)
    }
}
