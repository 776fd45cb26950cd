//! The games whose comments, tags or lines can change the result of a query: those that match the rest of it.
//!
//! A query without its comments is a query that matches whenever the whole does, whatever the comments say. Tags and lines are left out likewise. It takes each test of
//! comments as fulfilled where that helps a match, and each negated one as well.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::combine::{BitSet, Formula, bits_where};
use super::predicate::{AnnotationTest, FoundPlies, PlyMark, PositionPredicate};
use super::{PlyWindow, Query, ScanCondition};
use crate::headers::{HeaderTest, NamePattern};

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
    pub fn bind_comments(&mut self, mut found: impl FnMut(&NamePattern) -> Arc<FoundPlies>) {
        for predicate in &mut self.predicates {
            if let PositionPredicate::Annotations(AnnotationTest::Comment(test)) = predicate {
                test.found = Some(found(&test.pattern));
            }
        }
    }

    /// The names of the lines in the query, each once, without the `@`.
    pub fn line_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for predicate in &self.predicates {
            if let PositionPredicate::Annotations(AnnotationTest::Lines(test)) = predicate
                && !names.contains(&&*test.name)
            {
                names.push(&test.name);
            }
        }
        names
    }

    /// Binds each test of lines to the plies that `found` has for their name: those with a position of the lines, or, for `true`, those at
    /// which a move left them. This must happen before a scan.
    pub fn bind_lines(&mut self, mut found: impl FnMut(&str, bool) -> Arc<FoundPlies>) {
        for predicate in &mut self.predicates {
            if let PositionPredicate::Annotations(AnnotationTest::Lines(test)) = predicate {
                test.found = Some(found(&test.name, test.left_by.is_some()));
            }
        }
    }

    /// The query without its comments: each game that could match, or have matching positions, for some comments matches it.
    /// If `marks_are_stored`, the games store which moves have comments, and a test of comments matches at most these moves.
    pub fn without_comments(&self, marks_are_stored: bool) -> Query {
        let comments = bits_where(&self.predicates, |predicate| {
            matches!(predicate, PositionPredicate::Annotations(AnnotationTest::Comment(_)))
        });
        // A test of comments becomes one of any comment by the same side.
        let without_words = |predicate: &PositionPredicate| match predicate {
            PositionPredicate::Annotations(AnnotationTest::Comment(test)) => {
                PositionPredicate::Annotations(AnnotationTest::Mark { mark: PlyMark::Commented, mover: test.mover })
            }
            predicate => predicate.clone(),
        };
        Query {
            predicates: self.predicates.iter().map(without_words).collect(),
            ..self.without(&comments, marks_are_stored)
        }
    }

    /// The query without its tags: each game that could match, or have matching positions, for some tags matches it.
    pub fn without_tags(&self) -> Query {
        let is_tag = |predicate: &PositionPredicate| matches!(predicate, PositionPredicate::Header(HeaderTest::Tag(_)));
        self.without(&bits_where(&self.predicates, is_tag), false)
    }

    /// The query without its lines: each game that could match, or have matching positions, for some lines matches it.
    pub fn without_lines(&self) -> Query {
        let is_of_lines = |predicate: &PositionPredicate| {
            matches!(predicate, PositionPredicate::Annotations(AnnotationTest::Lines(_)))
        };
        self.without(&bits_where(&self.predicates, is_of_lines), false)
    }

    /// The query without these predicates. If they are `kept`, those that help a match stay; others count as fulfilled.
    fn without(&self, removed: &BitSet, kept: bool) -> Query {
        let weakened = |formula: &Formula| {
            formula.replace_bits(&|n, helps| match removed.contains(n) {
                false => Formula::Bit(n),
                true if !helps => never(),
                true if kept => Formula::Bit(n),
                true => Formula::True,
            })
        };
        let uncertain = self.uncertain_conditions(removed);
        let conditions = self.conditions.iter().map(|condition| {
            let ScanCondition { formula, contrary, window, gate } = condition;
            // Where a formula begins or ceases to hold depends on all of it.
            let is_edge = window.edge.is_some() && condition.used_predicates().intersects(removed);
            let (formula, contrary, edge) =
                if is_edge { (Formula::True, None, None) } else { (weakened(formula), contrary.clone(), window.edge) };
            let window = PlyWindow { edge, phase: weakened(&window.phase), ..window.clone() };
            ScanCondition { formula, contrary, window, gate: *gate }
        });
        let of_conditions = |formula: &Formula| {
            formula.replace_bits(&|n, helps| if helps || !uncertain.contains(n) { Formula::Bit(n) } else { never() })
        };
        let mut conditions: Vec<ScanCondition> = conditions.collect();
        let mut verdict = of_conditions(&self.verdict);
        // A position is evidence only in a game that matches; otherwise it may match wherever it is. A query that was weakened before has none.
        if self.evidence.is_none() && self.position_verdict != never() {
            let formula = of_conditions(&self.position_verdict);
            let at_one_position = formula.replace_bits(&|n, _| conditions[usize::from(n)].formula.clone());
            let any_position = u16::try_from(conditions.len()).map_or(Formula::True, Formula::Bit);
            conditions.push(ScanCondition::at_any_ply(at_one_position));
            verdict = Formula::Or([verdict, any_position].into());
        }
        Query {
            names: self.names.clone(),
            predicates: self.predicates.clone(),
            conditions,
            gates: self.gates.clone(),
            // The verdict has the positions already, so that the query can be weakened again.
            position_verdict: never(),
            verdict,
            evidence: None,
        }
    }

    /// The conditions that these predicates can change: they mention them, or wait for such a condition.
    fn uncertain_conditions(&self, removed: &BitSet) -> BitSet {
        let mut uncertain = bits_where(&self.conditions, |condition| condition.used_predicates().intersects(removed));
        // A gate waits for conditions that come before those behind it.
        for (n, condition) in (0..).zip(&self.conditions) {
            let gate = condition.gate.and_then(|gate| self.gates.get(usize::from(gate)));
            if gate.is_some_and(|gate| gate.opens_after.bits().intersects(&uncertain)) {
                uncertain.insert(n);
            }
        }
        uncertain
    }
}

/// A formula that never holds.
fn never() -> Formula {
    Formula::Not(Box::new(Formula::True))
}
