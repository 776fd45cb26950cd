//! The games whose comments can change the result of a query: those that match the rest of it.
//!
//! A query without its comments is a query that matches whenever the whole does, whatever the comments say. It takes each test of
//! comments as fulfilled where that helps a match, and each negated one as well.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::combine::Formula;
use super::predicate::{AnnotationTest, CommentPlies, PlyMark, PositionPredicate};
use super::{PlyWindow, Query, ScanCondition};
use crate::headers::NamePattern;

/// The most conditions of a query.
const MAX_CONDITIONS: usize = 64;

impl Query {
    /// The patterns of comments in the query, each once.
    pub fn comment_patterns(&self) -> Vec<NamePattern> {
        let mut patterns: Vec<NamePattern> = Vec::new();
        for predicate in &self.predicates {
            if let PositionPredicate::Annotations(AnnotationTest::Comment(test)) = predicate
                && !patterns.contains(&test.pattern)
            {
                patterns.push(test.pattern.clone());
            }
        }
        patterns
    }

    /// Binds each pattern of comments to the moves that have such a comment; this must happen before a scan.
    pub fn bind_comments(&mut self, mut found: impl FnMut(&NamePattern) -> Arc<CommentPlies>) {
        for predicate in &mut self.predicates {
            if let PositionPredicate::Annotations(AnnotationTest::Comment(test)) = predicate {
                test.found = Some(found(&test.pattern));
            }
        }
    }

    /// The query without its comments: each game that could match, or have matching positions, for some comments matches it.
    /// If `marks_are_stored`, the games store which moves have comments, and a test of comments matches at most these moves.
    pub fn without_comments(&self, marks_are_stored: bool) -> Query {
        let is_comment = |n: u8| {
            let predicate = self.predicates.get(usize::from(n));
            matches!(predicate, Some(PositionPredicate::Annotations(AnnotationTest::Comment(_))))
        };
        let weakened = |formula: &Formula| {
            weaken(formula, true, &|n, helps| match is_comment(n) {
                false => Formula::Bit(n),
                true if !helps => never(),
                true if marks_are_stored => Formula::Bit(n),
                true => Formula::True,
            })
        };
        let mentions = |condition: &ScanCondition| {
            uses(&condition.formula, &is_comment)
                || condition.contrary.as_ref().is_some_and(|contrary| uses(contrary, &is_comment))
                || uses(&condition.window.phase, &is_comment)
        };
        let uncertain = self.uncertain_conditions(&mentions);
        let conditions = self.conditions.iter().map(|condition| {
            let ScanCondition { formula, contrary, window, gate } = condition;
            // Where a formula begins or ceases to hold depends on all of it.
            let is_edge = window.edge.is_some() && mentions(condition);
            let (formula, contrary, edge) =
                if is_edge { (Formula::True, None, None) } else { (weakened(formula), contrary.clone(), window.edge) };
            let window = PlyWindow { edge, phase: weakened(&window.phase), ..window.clone() };
            ScanCondition { formula, contrary, window, gate: *gate }
        });
        let of_conditions = |formula: &Formula| {
            weaken(formula, true, &|n, helps| {
                if helps || !uncertain[usize::from(n)] { Formula::Bit(n) } else { never() }
            })
        };
        let mut conditions: Vec<ScanCondition> = conditions.collect();
        let mut verdict = of_conditions(&self.verdict);
        // A position is evidence only in a game that matches; otherwise it may match wherever it is.
        if self.evidence.is_none() {
            let formula = at_one_position(&of_conditions(&self.position_verdict), &conditions);
            let any_position = match u8::try_from(conditions.len()) {
                Ok(n) if conditions.len() < MAX_CONDITIONS => {
                    conditions.push(ScanCondition::at_any_ply(formula));
                    Formula::Bit(n)
                }
                _ => Formula::True,
            };
            verdict = Formula::Or([verdict, any_position].into());
        }
        Query {
            names: self.names.clone(),
            predicates: self.predicates.iter().map(without_words).collect(),
            conditions,
            gates: self.gates.clone(),
            position_verdict: Formula::True,
            verdict,
            evidence: None,
        }
    }

    /// For each condition, whether comments can change it: it mentions them, or waits for such a condition.
    fn uncertain_conditions(&self, mentions: &dyn Fn(&ScanCondition) -> bool) -> Vec<bool> {
        let mut uncertain: Vec<bool> = self.conditions.iter().map(mentions).collect();
        // A gate waits for conditions that may wait behind other gates.
        for _ in 0..self.gates.len() {
            for (n, condition) in self.conditions.iter().enumerate() {
                let gate = condition.gate.and_then(|gate| self.gates.get(usize::from(gate)));
                let waits = |before: u8| uncertain.get(usize::from(before)).copied().unwrap_or(false);
                if gate.is_some_and(|gate| uses(&gate.opens_after, &waits)) {
                    uncertain[n] = true;
                }
            }
        }
        uncertain
    }
}

/// A formula over conditions as one over predicates at the same position.
fn at_one_position(formula: &Formula, conditions: &[ScanCondition]) -> Formula {
    weaken(formula, true, &|n, _| conditions[usize::from(n)].formula.clone())
}

/// A formula that never holds.
fn never() -> Formula {
    Formula::Not(Box::new(Formula::True))
}

/// The predicate, or for a test of comments that of a comment by the same side.
fn without_words(predicate: &PositionPredicate) -> PositionPredicate {
    match predicate {
        PositionPredicate::Annotations(AnnotationTest::Comment(test)) => {
            PositionPredicate::Annotations(AnnotationTest::Mark { mark: PlyMark::Commented, mover: test.mover })
        }
        predicate => predicate.clone(),
    }
}

/// Whether a formula has a bit of which `is_sought` is true.
fn uses(formula: &Formula, is_sought: &dyn Fn(u8) -> bool) -> bool {
    match formula {
        Formula::True => false,
        Formula::Bit(n) => is_sought(*n),
        Formula::Not(inner) => uses(inner, is_sought),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| uses(part, is_sought)),
    }
}

/// The formula with each bit replaced. `replace` gets the bit, and whether the formula as a whole is true rather if it holds.
fn weaken(formula: &Formula, helps: bool, replace: &dyn Fn(u8, bool) -> Formula) -> Formula {
    let all = |parts: &[Formula]| parts.iter().map(|part| weaken(part, helps, replace)).collect();
    match formula {
        Formula::True => Formula::True,
        Formula::Bit(n) => replace(*n, helps),
        Formula::Not(inner) => Formula::Not(Box::new(weaken(inner, !helps, replace))),
        Formula::And(parts) => Formula::And(all(parts)),
        Formula::Or(parts) => Formula::Or(all(parts)),
    }
}
