//! An attack predicate holds when a piece of one side attacks a square of its target.

use shakmaty::Role;

use super::quantity::FeatureSquares;
use crate::board::{ANY_CHANGE, Board, ChangeMask};
use crate::scan::replay_needs::ReplayNeeds;

/// Men that attack something.
#[derive(Clone, PartialEq, Debug)]
pub struct AttackPredicate {
    /// Where they stand: the side's men on these squares.
    pub attackers: FeatureSquares,
    /// What they attack.
    pub target: AttackTarget,
}

/// What can be attacked.
#[derive(Clone, PartialEq, Debug)]
pub enum AttackTarget {
    /// Squares of a feature, of either side.
    Feature(FeatureSquares),
    /// Any of these squares, whatever stands there.
    Region(u64),
}

impl AttackPredicate {
    /// Whether a man of the side on one of the squares `by` attacks a square of the target. Rays stop at every man; a man attacks what
    /// it defends, and attacks also where it is pinned.
    pub(super) fn holds(&self, board: &Board) -> bool {
        let attackers = self.attackers.on_board(board);
        if attackers == 0 {
            return false;
        }
        let target = match &self.target {
            AttackTarget::Feature(squares) => squares.on_board(board),
            AttackTarget::Region(region) => *region,
        };
        target != 0 && board.attacked_from(self.attackers.colour, attackers) & target != 0
    }

    /// What must have changed for the answer to change.
    pub(super) fn dependencies(&self) -> ChangeMask {
        let dependencies_of = |squares: &FeatureSquares| squares.feature.dependencies_for(squares.colour);
        match (self.attackers.feature.role(), &self.target) {
            // Nothing stands in the way of these.
            (Some(Role::Pawn | Role::Knight | Role::King), AttackTarget::Feature(target)) => {
                dependencies_of(&self.attackers) | dependencies_of(target)
            }
            (Some(Role::Pawn | Role::Knight | Role::King), AttackTarget::Region(_)) => dependencies_of(&self.attackers),
            _ => ANY_CHANGE,
        }
    }

    pub(super) fn needs(&self) -> ReplayNeeds {
        let target = match &self.target {
            AttackTarget::Feature(squares) => squares.feature.needs,
            AttackTarget::Region(_) => ReplayNeeds::NONE,
        };
        ReplayNeeds::BITBOARDS.union(self.attackers.feature.needs).union(target)
    }
}
