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
    /// By predicate and the pieces of its names: whether it holds before the first ply, and the plies after which it holds.
    tested: BTreeMap<(u16, PieceChoice), (bool, Vec<u64>)>,
}

/// The state of the choice of pieces for one part.
struct ChoiceState<'q, 'f> {
    query: &'q Query,
    evaluator: &'f mut QueryEvaluator,
    requested: RequestedResult,
    choice: PieceChoice,
    /// The names that have pieces, a bit each.
    chosen: u8,
    found: FoundMatches,
}

impl<'a> PieceChoices<'a> {
    pub fn new(
        game: FollowedGame<'a>,
        query: &Query,
        sets: PredicateSets<'a>,
        (known, context): (BitSet, TrackedGame<'a>),
    ) -> PieceChoices<'a> {
        let domains = query.names.iter().map(|domain| game.pieces_of(domain)).collect();
        PieceChoices { domains, game, sets, known, context, tested: BTreeMap::new() }
    }

    /// Finds the verdict and the matching positions of a query. `evaluators` has one for each part with a choice of its own.
    pub fn evaluate(&mut self, quantified: &QuantifiedQuery, evaluators: &mut [QueryEvaluator]) -> FoundMatches {
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
        evaluators: &mut [QueryEvaluator],
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
                let Some(evaluator) = evaluators.get_mut(*number) else { return none };
                let choice = [NOBODY; MAX_NAMES];
                let mut state = ChoiceState { query, evaluator, requested, choice, chosen: 0, found: none };
                self.choose(&mut state, *names);
                state.found
            }
        }
    }

    /// Tries all pieces for these names, which have none yet.
    fn choose(&mut self, state: &mut ChoiceState<'_, '_>, names: u8) {
        if self.evaluate_choice(state) || names == 0 {
            return;
        }
        let name = names.trailing_zeros() as usize;
        for nth in 0..self.domains[name].len() {
            state.choice[name] = self.domains[name][nth];
            state.chosen |= 1 << name;
            self.choose(state, names & (names - 1));
            (state.choice[name], state.chosen) = (NOBODY, state.chosen & !(1 << name));
            if state.requested == RequestedResult::Verdict && state.found.verdict {
                return;
            }
        }
    }

    /// Evaluates the part for the pieces that are chosen, and adds what is found. Returns true if no choice for the other names
    /// finds more.
    fn evaluate_choice(&mut self, state: &mut ChoiceState<'_, '_>) -> bool {
        let (mut known, mut holding_at_start) = (self.known.clone(), self.context.holding_at_start.clone());
        let mut unknown_at_start = BitSet::default();
        for n in state.query.used_predicates().iter() {
            let PositionPredicate::Followed(test) = &state.query.predicates[usize::from(n)] else { continue };
            if test.names() & !state.chosen != 0 {
                unknown_at_start.insert(n);
                continue;
            }
            if self.fill(n, test, &state.choice) {
                holding_at_start.insert(n);
            }
            known.insert(n);
        }
        let (holding_at_start, unknown_at_start) = (&holding_at_start, &unknown_at_start);
        let game = TrackedGame { holding_at_start, unknown_at_start, ..self.context };
        let known = KnownPredicates { sets: self.sets.words, known: &known, game };
        let (evaluator, found) = (&mut *state.evaluator, &mut state.found);
        evaluator.start_game();
        let is_settled = evaluator.evaluate(state.query, &known, state.requested != RequestedResult::Verdict);
        if is_settled {
            let verdict = evaluator.verdict();
            found.verdict |= verdict;
            if state.requested == RequestedResult::Positions || state.requested == RequestedResult::Evidence && verdict
            {
                let words = found.matches.iter_mut().zip(evaluator.matches_mut().iter());
                words.for_each(|(all, one)| *all |= one);
            }
            return true;
        }
        state.requested == RequestedResult::Positions && evaluator.may_match_only_in(&found.matches)
    }

    /// Copies the plies after which a test holds into its set. Returns whether it holds before the first ply.
    fn fill(&mut self, predicate: u16, test: &FollowedTest, choice: &PieceChoice) -> bool {
        let names = test.names();
        let of_test = core::array::from_fn(|nth| if names >> nth & 1 != 0 { choice[nth] } else { NOBODY });
        let width = self.sets.width;
        let (at_start, plies) = self.tested.entry((predicate, of_test)).or_insert_with(|| {
            let mut set = vec![0; width];
            (self.game.test(test, &of_test, &mut set), set)
        });
        self.sets.of(predicate.into()).copy_from_slice(plies);
        *at_start
    }
}
