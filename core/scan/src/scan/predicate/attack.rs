//! An attack predicate holds when a piece of one side attacks a square of its target.

use plyfold_board::board::{ANY_CHANGE, ChangeMask};
use plyfold_board::matsig::target::MaterialBounds;
use shakmaty::Role;

use super::{FeatureSquares, Predicate};
use crate::scan::measure::measured_board::MeasuredBoard;
use crate::scan::replay_needs::ReplayNeeds;

/// Pieces of one side that attack something.
#[derive(Clone, PartialEq, Debug)]
pub struct AttackPredicate {
    /// The attackers: the side's pieces on these squares.
    pub attackers: FeatureSquares,
    /// What the pieces attack.
    pub target: AttackTarget,
}

/// What can be attacked.
#[derive(Clone, PartialEq, Debug)]
pub enum AttackTarget {
    /// The squares of a feature of either side.
    Feature(FeatureSquares),
    /// Any of these squares, empty or not.
    Region(u64),
}

impl Predicate for AttackPredicate {
    /// Whether one of the attackers attacks a square of the target. Every piece stops a ray; a piece also attacks what it
    /// defends, and attacks even where it is pinned.
    fn test(&self, board: &MeasuredBoard<'_>) -> bool {
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

    fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
        let (attackers, needs) = self.attackers.declaration();
        let (target, target_needs) = match &self.target {
            AttackTarget::Feature(squares) => squares.declaration(),
            AttackTarget::Region(_) => (0, ReplayNeeds::NONE),
        };
        // No piece can block the attacks of these roles.
        let is_leaper = matches!(self.attackers.feature.role(), Some(Role::Pawn | Role::Knight | Role::King));
        let dependencies = if is_leaper { attackers | target } else { ANY_CHANGE };
        (dependencies, ReplayNeeds::BITBOARDS.union(needs).union(target_needs))
    }

    fn implied(&self) -> MaterialBounds {
        let attackers = self.attackers.implied();
        match &self.target {
            AttackTarget::Feature(target) => attackers.and(&target.implied()),
            AttackTarget::Region(_) => attackers,
        }
    }
}
