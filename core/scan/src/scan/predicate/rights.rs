//! Castling rights and en passant, as a position demands them.

use plyfold_board::board::{ANY_CHANGE, ChangeMask};

use super::Predicate;
use crate::scan::measure::measured_board::MeasuredBoard;
use crate::scan::replay_needs::ReplayNeeds;

/// Castling rights and en passant, each if the query requires it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequiredRights {
    /// The squares of all rooks that may still castle.
    pub castling: Option<u64>,
    /// The square behind a pawn that can be taken en passant, or [`NO_SQUARE`](plyfold_board::board::NO_SQUARE).
    pub en_passant: Option<u8>,
}

impl Predicate for RequiredRights {
    fn test(&self, board: &MeasuredBoard<'_>) -> bool {
        self.castling.is_none_or(|rooks| rooks == board.castling_rooks)
            && self.en_passant.is_none_or(|square| square == board.en_passant)
    }

    fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
        (ANY_CHANGE, ReplayNeeds::RIGHTS)
    }
}
