//! What the number of a ply alone decides: the side to move, and the number itself.

use shakmaty::Color;

use super::{Predicate, TestedPly};
use crate::scan::access_path::{AccessPath, PredicateAccess};
use crate::scan::measure::measured_board::MeasuredBoard;
use crate::scan::ply_filter::PlyFilter;

/// The side is to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SideToMove(pub Color);

impl Predicate for SideToMove {
    fn test(&self, board: &MeasuredBoard<'_>) -> bool {
        board.side_to_move() == self.0
    }

    fn access(&self, _: bool) -> PredicateAccess {
        PredicateAccess::by(AccessPath::PlyNumber)
    }
}

/// The ply is one of these.
impl Predicate for PlyFilter {
    fn test_after(&self, at: &mut TestedPly<'_, '_>) -> bool {
        at.ply > 0 && self.holds(at.ply, at.game.game.moves.len(), at.first_half_move)
    }

    fn access(&self, _: bool) -> PredicateAccess {
        PredicateAccess::by(AccessPath::PlyNumber)
    }
}
