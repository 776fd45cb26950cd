//! The scan: one pass over every ply of every game, in five stages.
//!
//! ```text
//! board ─► measure ─► predicate ─► track ─► combine ─► reduce
//!          features   true/false   windows  verdict    answers
//! ```
//!
//! [`measure`] has the features, [`predicate`] compares them, [`track`] remembers per game, [`combine`] makes the verdict,
//! [`reducer`] is the door for what is kept; [`fold`] runs them, and [`naive`] is the twin that it must equal.

pub mod combine;
pub mod fold;
pub mod measure;
pub mod naive;
pub mod needs;
pub mod predicate;
pub mod reducer;
pub mod track;

use alloc::vec::Vec;

use combine::Formula;
use needs::Needs;
use predicate::Predicate;

use crate::board::{Board, Change};

/// A query made ready for scanning.
#[derive(Clone, PartialEq, Debug)]
pub struct Query {
    /// Predicates, at most 64, each once.
    pub predicates: Vec<Predicate>,
    /// Conditions, at most 64.
    pub conditions: Vec<Condition>,
    /// The verdict: a formula over the bits of the conditions. A game is judged by the conditions that it ever fulfilled, streaks
    /// and all; a position by those whose formula holds there.
    pub verdict: Formula,
}

/// What must hold at one position, or at so many in a row.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    /// Over the bits of the predicates at one position.
    pub formula: Formula,
    /// A game fulfils the condition if the formula holds after so many plies in a row; 1 for a single one.
    pub streak: u32,
}

impl Query {
    /// The query that every game and position satisfies.
    pub fn everything() -> Query {
        Query { predicates: Vec::new(), conditions: Vec::new(), verdict: Formula::True }
    }

    /// What the replay must keep up.
    pub fn needs(&self) -> Needs {
        self.predicates.iter().fold(Needs::NOTHING, |all, predicate| all.and(predicate.needs()))
    }

    /// What must change for anything in it to be tested again.
    pub fn depends(&self) -> Change {
        self.predicates.iter().fold(0, |all, predicate| all | predicate.depends())
    }

    /// Conditions that hold where the predicates have these bits.
    fn holding(&self, bits: u64) -> u64 {
        let conditions = self.conditions.iter().enumerate();
        conditions.fold(0, |all, (n, condition)| all | u64::from(condition.formula.holds(bits)) << n)
    }

    /// Predicates that hold on `board`, all tested afresh.
    fn tested(&self, board: &Board) -> u64 {
        let predicates = self.predicates.iter().enumerate();
        predicates.fold(0, |all, (n, predicate)| all | u64::from(predicate.test(board)) << n)
    }
}
