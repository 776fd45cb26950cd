//! A side has just given check with a piece that did not move.

use plyfold_board::board::{ANY_CHANGE, ChangeMask};
use shakmaty::Color;

use super::{Predicate, TestedPly};
use crate::scan::access_path::{AccessPath, PredicateAccess};
use crate::scan::replay_needs::ReplayNeeds;

/// The side has just given check with a piece that did not move. This needs the board after the move, and the move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiscoveredCheck(pub Color);

impl Predicate for DiscoveredCheck {
    fn test_after(&self, at: &mut TestedPly<'_, '_>) -> bool {
        at.last().is_some_and(|played| played.mover == self.0 && at.board.discovered_checkers(played.mv) != 0)
    }

    fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
        (ANY_CHANGE, ReplayNeeds::BITBOARDS)
    }

    fn access(&self, _: bool) -> PredicateAccess {
        PredicateAccess::by(AccessPath::Checks)
    }
}
