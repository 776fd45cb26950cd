//! Evidence: in a game that matches, the plies at which the conditions of the query were fulfilled.
//!
//! A window is fulfilled somewhere in a game, and `position_verdict` of a [`Query`](super::Query) cannot say where, because it
//! looks at one position at a time. An evidence tree says which conditions to ask. GRAMMAR.md defines it for users.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::combine::{BitSet, Formula};

/// Which positions are output for a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PositionRule {
    /// Every position at which the conditions hold, whatever the windows, in every game.
    #[default]
    Everywhere,
    /// The evidence of the games that match.
    Evidence,
    /// The evidence if the query has windows or `then`; otherwise every position, as above.
    EvidenceOfWindows,
}

/// Where the evidence of a part of a query is found. Numbers are those of the query's conditions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EvidenceTree {
    /// Nowhere: headers, `not` and `never` have no place in a game.
    Nowhere,
    /// At every ply of the game, for a query whose parts are all nowhere.
    EveryPly,
    /// At the plies that fulfil a condition: each ply that counts; with a number of plies in a row, all plies of each run; with a
    /// number of plies, all that count if they are enough.
    Condition(u16),
    /// At all plies that count for a condition, however many there are.
    Counted(u16),
    /// In all parts.
    All(Vec<EvidenceTree>),
    /// In each part whose verdict, a formula over the conditions that the game fulfils, holds: they are at least so many.
    SomeOf(usize, Vec<(Formula, EvidenceTree)>),
    /// In the second part, and in the first as far as the second follows.
    Then {
        /// What comes first.
        first: Box<EvidenceTree>,
        /// The most plies from a ply of the first part to one of the second, if there is a limit.
        within: Option<u32>,
        /// What follows.
        second: Box<EvidenceTree>,
    },
}

/// The conditions that an evidence tree asks, a bit each.
#[derive(Clone, Debug, Default)]
pub(in crate::scan) struct EvidenceConditions {
    /// Those whose plies matter once they may be fulfilled.
    pub fulfilled: BitSet,
    /// Those whose plies always matter.
    pub counted: BitSet,
    /// Those that choose between parts.
    pub choosing: BitSet,
}

impl EvidenceTree {
    /// Returns whether no part has a place.
    pub fn is_nowhere(&self) -> bool {
        match self {
            EvidenceTree::Nowhere => true,
            EvidenceTree::EveryPly | EvidenceTree::Condition(_) | EvidenceTree::Counted(_) => false,
            EvidenceTree::All(parts) => parts.iter().all(EvidenceTree::is_nowhere),
            EvidenceTree::SomeOf(_, parts) => parts.iter().all(|(_, part)| part.is_nowhere()),
            EvidenceTree::Then { first, second, .. } => first.is_nowhere() && second.is_nowhere(),
        }
    }

    /// Returns the conditions that the tree asks.
    pub(in crate::scan) fn conditions(&self) -> EvidenceConditions {
        let mut all = EvidenceConditions::default();
        self.add_conditions(&mut all);
        all
    }

    fn add_conditions(&self, all: &mut EvidenceConditions) {
        match self {
            EvidenceTree::Nowhere | EvidenceTree::EveryPly => {}
            EvidenceTree::Condition(n) => all.fulfilled.insert(*n),
            EvidenceTree::Counted(n) => all.counted.insert(*n),
            EvidenceTree::All(parts) => parts.iter().for_each(|part| part.add_conditions(all)),
            EvidenceTree::SomeOf(_, parts) => {
                for (verdict, part) in parts {
                    all.choosing.insert_all(&verdict.bits());
                    part.add_conditions(all);
                }
            }
            EvidenceTree::Then { first, second, .. } => {
                first.add_conditions(all);
                second.add_conditions(all);
            }
        }
    }
}
