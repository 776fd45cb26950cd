//! The scan: one pass over every ply of every game, in five stages.
//!
//! ```text
//! board ─► measure ─► predicate ─► track ─► combine ─► reduce
//!          features   true/false   windows  verdict    answers
//! ```
//!
//! [`measure`] has the features, [`predicate`] compares them, `track` has the windows, [`combine`] makes the verdict, [`reducer`]
//! is the door for what is kept; [`fold`] runs them, and [`naive`] is the twin that it must equal.
//!
//! The board is the dearest thing to have, so a predicate is tested along the cheapest [`source`] that says all it asks about:
//! `events` (captures, promotions, changes of pawns), `touch` (moves that touch some squares), `replay` (the board). Each writes sets
//! of [`plies`]; `judge` tells what is still open.

pub mod aim;
pub mod combine;
mod events;
pub mod fold;
mod judge;
pub mod measure;
pub mod naive;
pub mod needs;
pub mod plies;
pub mod predicate;
pub mod reducer;
mod replay;
pub mod source;
mod touch;
mod track;

use alloc::vec::Vec;

use combine::Formula;
use needs::Needs;
use predicate::Predicate;

use crate::board::Board;

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

/// What a scan looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// Games of the corpus.
    pub games: u64,
    /// Plies of the corpus.
    pub plies: u64,
    /// Games that were left by their milestones and final signature alone.
    pub games_cut: u64,
    /// Games for which a board was set up.
    pub games_replayed: u64,
    /// Captures, promotions and changes of pawns that were looked at.
    pub events: u64,
    /// Moves that were looked at without a board.
    pub plies_filtered: u64,
    /// Moves that were made on a board.
    pub plies_replayed: u64,
}

impl Work {
    /// Adds what another thread looked at.
    pub fn add(&mut self, other: &Work) {
        self.games += other.games;
        self.plies += other.plies;
        self.games_cut += other.games_cut;
        self.games_replayed += other.games_replayed;
        self.events += other.events;
        self.plies_filtered += other.plies_filtered;
        self.plies_replayed += other.plies_replayed;
    }
}
