//! No piece stands in a region.

use plyfold_board::board::{ANY_CHANGE, ChangeMask};
use plyfold_board::matsig::target::MaterialBounds;

use super::Predicate;
use crate::scan::access_path::PredicateAccess;
use crate::scan::measure::measured_board::MeasuredBoard;
use crate::scan::replay_needs::ReplayNeeds;

/// No piece stands on these squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EmptySquares(pub u64);

impl Predicate for EmptySquares {
    fn test(&self, board: &MeasuredBoard<'_>) -> bool {
        board.occupied() & self.0 == 0
    }

    fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
        (ANY_CHANGE, ReplayNeeds::BITBOARDS)
    }

    fn access(&self, _: bool) -> PredicateAccess {
        PredicateAccess::of_squares(self.0)
    }

    fn implied(&self) -> MaterialBounds {
        MaterialBounds { allowed_pawns: [!self.0; 2], ..MaterialBounds::default() }
    }
}
