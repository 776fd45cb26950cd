//! A query with names matches if *some* choice of pieces fulfils it. This "some" is moved as far inwards as possible.
//!
//! Names that no condition joins need not be chosen together: some A and some B fulfil `A on e5 and B on d5` if some A fulfils
//! the first part and some B the second. So a scan tries 16 + 16 choices instead of 16 times 16. It distributes over `or` always,
//! and over `and` between groups of parts without common names.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use crate::scan::combine::{BitSet, Formula, bits_where};
use crate::scan::evidence::{EvidenceConditions, EvidenceTree};
use crate::scan::predicate::PositionPredicate;
use crate::scan::{Occurrence, Query, ScanCondition};

/// The most choices of pieces for the names of one part of a query, in any game that begins from the initial position.
pub const MAX_CHOICES: u64 = 1 << 16;

/// A query with names, prepared for the choice of pieces.
pub(in crate::scan) struct QuantifiedQuery {
    /// What decides which games match.
    pub verdict: QuantifiedPart,
    /// What decides which positions match.
    pub positions: QuantifiedPositions,
    /// The predicates that need a choice of pieces.
    pub predicates: BitSet,
}

/// What decides which positions match.
pub(in crate::scan) enum QuantifiedPositions {
    /// Positions are not requested.
    Unwanted,
    /// What holds there.
    Everywhere(QuantifiedPart),
    /// The evidence of the parts, in games that match.
    Evidence(QuantifiedPart),
    /// All positions of the games that match.
    EveryPly,
}

impl QuantifiedQuery {
    /// The parts of a query; none if it has no names.
    pub fn new(query: &Query, wants_positions: bool) -> Option<QuantifiedQuery> {
        let predicates = bits_where(&query.predicates, |one| matches!(one, PositionPredicate::Followed(_)));
        if !predicates.intersects(&query.used_predicates()) {
            return None;
        }
        let mut verdict = QuantifiedPart::of_verdict(query, None);
        let mut positions = match &query.evidence {
            _ if !wants_positions => QuantifiedPositions::Unwanted,
            None => QuantifiedPositions::Everywhere(QuantifiedPart::of_positions(query)),
            Some(EvidenceTree::EveryPly) => QuantifiedPositions::EveryPly,
            Some(tree) => QuantifiedPositions::Evidence(QuantifiedPart::of_verdict(query, Some(tree))),
        };
        let mut choices = 0;
        verdict.number(&mut choices);
        if let QuantifiedPositions::Everywhere(part) | QuantifiedPositions::Evidence(part) = &mut positions {
            part.number(&mut choices);
        }
        Some(QuantifiedQuery { verdict, positions, predicates })
    }

    /// The queries of the parts with a choice of their own, in the order of their numbers.
    pub fn evaluated_queries(&self) -> Vec<&Query> {
        let mut queries = Vec::new();
        self.verdict.add_queries(&mut queries);
        if let QuantifiedPositions::Everywhere(part) | QuantifiedPositions::Evidence(part) = &self.positions {
            part.add_queries(&mut queries);
        }
        queries
    }
}

/// A query as parts, each of which has its own choice of pieces.
#[derive(Debug)]
pub enum QuantifiedPart {
    /// All parts.
    All(Vec<QuantifiedPart>),
    /// At least so many parts.
    SomeOf(usize, Vec<QuantifiedPart>),
    /// Some choice of pieces for the names fulfils the query.
    Choice {
        /// The query; names that it does not use have no say.
        query: Box<Query>,
        /// The names that must be chosen together, a bit each.
        names: u8,
        /// The number of the part, from 0.
        number: usize,
    },
}

impl QuantifiedPart {
    /// The parts of the verdict of a query, each with its evidence if there is any.
    pub fn of_verdict(query: &Query, evidence: Option<&EvidenceTree>) -> QuantifiedPart {
        QueryNames::of(query).split(&query.verdict, evidence, &|verdict, evidence| Query {
            conditions: asked_conditions(query, &verdict, evidence.as_ref()),
            verdict,
            position_verdict: Formula::True,
            evidence,
            ..query.clone()
        })
    }

    /// The parts of what decides which positions match, whatever the windows.
    pub fn of_positions(query: &Query) -> QuantifiedPart {
        QueryNames::of(query).split(&query.position_verdict, None, &|position_verdict, evidence| Query {
            conditions: asked_conditions(query, &position_verdict, None)
                .into_iter()
                .map(|condition| ScanCondition::at_any_ply(condition.formula))
                .collect(),
            verdict: Formula::True,
            position_verdict,
            evidence,
            ..query.clone()
        })
    }

    /// Combines what `holds` says of each part, given its query and its names.
    pub(in crate::scan) fn holds_for_some(&self, holds: &mut dyn FnMut(&Query, u8) -> bool) -> bool {
        match self {
            QuantifiedPart::All(parts) => parts.iter().all(|part| part.holds_for_some(holds)),
            QuantifiedPart::SomeOf(least, parts) => {
                parts.iter().filter(|part| part.holds_for_some(holds)).take(*least).count() == *least
            }
            QuantifiedPart::Choice { query, names, .. } => holds(query, *names),
        }
    }

    fn number(&mut self, next: &mut usize) {
        match self {
            QuantifiedPart::All(parts) | QuantifiedPart::SomeOf(_, parts) => {
                parts.iter_mut().for_each(|part| part.number(next))
            }
            QuantifiedPart::Choice { number, .. } => {
                *number = *next;
                *next += 1;
            }
        }
    }

    fn add_queries<'a>(&'a self, queries: &mut Vec<&'a Query>) {
        match self {
            QuantifiedPart::All(parts) | QuantifiedPart::SomeOf(_, parts) => {
                parts.iter().for_each(|part| part.add_queries(queries));
            }
            QuantifiedPart::Choice { query, .. } => queries.push(query),
        }
    }

    /// The most choices that some part may need, and the names of that part.
    pub fn max_choices(&self, query: &Query) -> (u64, u8) {
        match self {
            QuantifiedPart::All(parts) | QuantifiedPart::SomeOf(_, parts) => {
                parts.iter().map(|part| part.max_choices(query)).max().unwrap_or((1, 0))
            }
            QuantifiedPart::Choice { names, .. } => {
                let named = query.names.iter().enumerate().filter(|(nth, _)| names >> nth & 1 != 0);
                (named.map(|(_, domain)| domain.max_pieces()).fold(1, u64::saturating_mul), *names)
            }
        }
    }
}

/// The conditions of a query, of which those that a formula and a tree do not ask hold always.
fn asked_conditions(query: &Query, formula: &Formula, evidence: Option<&EvidenceTree>) -> Vec<ScanCondition> {
    let mut asked = formula.bits();
    if let Some(EvidenceConditions { fulfilled, counted, choosing }) = evidence.map(EvidenceTree::conditions) {
        [fulfilled, counted, choosing].iter().for_each(|more| asked.insert_all(more));
    }
    let mut conditions = query.conditions.clone();
    // A gate waits for conditions that come before.
    for (nth, condition) in conditions.iter_mut().enumerate().rev() {
        match condition.gate {
            _ if !asked.contains(nth as u16) => {
                *condition = ScanCondition::at_any_ply(Formula::True);
                condition.window.occurrence = Occurrence::Header;
            }
            gate => gate.iter().for_each(|&gate| asked.insert_all(&query.gates[usize::from(gate)].opens_after.bits())),
        }
    }
    conditions
}

/// The names on which each condition of a query depends, a bit each.
struct QueryNames(Vec<u8>);

impl QueryNames {
    fn of(query: &Query) -> QueryNames {
        let of_predicate = |predicate: &PositionPredicate| match predicate {
            PositionPredicate::Followed(test) => test.names(),
            _ => 0,
        };
        let of_predicates: Vec<u8> = query.predicates.iter().map(of_predicate).collect();
        let mut names = QueryNames(Vec::new());
        for condition in &query.conditions {
            let own = names_of(&condition.used_predicates(), &of_predicates);
            // A gate waits for conditions that come before.
            let gate = condition.gate.and_then(|gate| query.gates.get(usize::from(gate)));
            names.0.push(own | gate.map_or(0, |gate| names.in_formula(&gate.opens_after)));
        }
        names
    }

    fn in_formula(&self, formula: &Formula) -> u8 {
        names_of(&formula.bits(), &self.0)
    }

    /// Whether no two parts have a name in common.
    fn have_nothing_in_common(&self, parts: &[Formula]) -> bool {
        group(parts.iter().map(|part| self.in_formula(part))).iter().all(|group| group.len() == 1)
    }

    /// Splits a formula over conditions, and the tree of its evidence, which has the form of the formula as far as both are lists of
    /// parts. `query` makes the query of a part.
    fn split(
        &self,
        formula: &Formula,
        evidence: Option<&EvidenceTree>,
        query: &dyn Fn(Formula, Option<EvidenceTree>) -> Query,
    ) -> QuantifiedPart {
        let choice = |formula: Formula, evidence: Option<EvidenceTree>| QuantifiedPart::Choice {
            names: self.in_formula(&formula),
            query: Box::new(query(formula, evidence)),
            number: 0,
        };
        let split = |part: &Formula, tree: Option<&EvidenceTree>| self.split(part, tree, query);
        let trees = match evidence {
            Some(EvidenceTree::All(trees)) => Some(trees),
            _ => None,
        };
        match (formula, evidence) {
            _ if self.in_formula(formula) == 0 => choice(formula.clone(), evidence.cloned()),
            (Formula::Or(parts), None) => {
                QuantifiedPart::SomeOf(1, parts.iter().map(|part| split(part, None)).collect())
            }
            (Formula::Or(parts), Some(EvidenceTree::SomeOf(1, trees))) if parts.len() == trees.len() => {
                let parts = parts.iter().zip(trees).map(|(part, (_, tree))| split(part, Some(tree)));
                QuantifiedPart::SomeOf(1, parts.collect())
            }
            // Parts that have a name in common are chosen together, because a choice that fulfils one may not fulfil another.
            (Formula::SomeOf(least, parts), None) if self.have_nothing_in_common(parts) => {
                QuantifiedPart::SomeOf(*least, parts.iter().map(|part| split(part, None)).collect())
            }
            (Formula::SomeOf(least, parts), Some(EvidenceTree::SomeOf(_, trees)))
                if parts.len() == trees.len() && self.have_nothing_in_common(parts) =>
            {
                let parts = parts.iter().zip(trees).map(|(part, (_, tree))| split(part, Some(tree)));
                QuantifiedPart::SomeOf(*least, parts.collect())
            }
            (Formula::And(parts), None | Some(EvidenceTree::All(_)))
                if trees.is_none_or(|trees| trees.len() == parts.len()) =>
            {
                let groups = group(parts.iter().map(|part| self.in_formula(part)));
                let groups = groups.into_iter().map(|group| match &group[..] {
                    [one] => split(&parts[*one], trees.map(|trees| &trees[*one])),
                    several => choice(
                        Formula::And(several.iter().map(|&nth| parts[nth].clone()).collect()),
                        trees.map(|trees| EvidenceTree::All(several.iter().map(|&nth| trees[nth].clone()).collect())),
                    ),
                });
                QuantifiedPart::All(groups.collect())
            }
            (Formula::Not(inner), None) => match &**inner {
                Formula::Or(parts) => split(&Formula::And(negated(parts)), None),
                Formula::And(parts) => split(&Formula::Or(negated(parts)), None),
                Formula::SomeOf(least, parts) => {
                    split(&Formula::SomeOf(Formula::failures_of_list(*least, parts.len()), negated(parts)), None)
                }
                _ => choice(formula.clone(), None),
            },
            _ => choice(formula.clone(), evidence.cloned()),
        }
    }
}

/// The names of those of some things that are in a set.
fn names_of(set: &BitSet, names: &[u8]) -> u8 {
    set.iter().fold(0, |all, n| all | names[usize::from(n)])
}

fn negated(parts: &[Formula]) -> Vec<Formula> {
    parts.iter().map(|part| Formula::Not(Box::new(part.clone()))).collect()
}

/// The indices of parts with these names, in groups that have no name in common.
fn group(names_of_parts: impl Iterator<Item = u8>) -> Vec<Vec<usize>> {
    let mut groups: Vec<(u8, Vec<usize>)> = Vec::new();
    for (nth, names) in names_of_parts.enumerate() {
        let (mut all, mut members) = (names, vec![nth]);
        groups.retain_mut(|(others, parts)| {
            let is_apart = *others & names == 0;
            if !is_apart {
                all |= *others;
                members.append(parts);
            }
            is_apart
        });
        members.sort_unstable();
        groups.push((all, members));
    }
    groups.into_iter().map(|(_, members)| members).collect()
}
