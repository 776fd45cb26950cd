//! Squares on which no piece stands.

use plyfold_board::board::ANY_CHANGE;

use super::{BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces};
use crate::scan::replay_needs::ReplayNeeds;

/// Every square on which no piece of either side stands.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "empty_square",
    aliases: &["empty_squares"],
    summary: "no side: a square without a piece",
    has_sides: false,
    has_location: true,
    dependencies: ANY_CHANGE,
    needs: ReplayNeeds::BITBOARDS,
    scope: FeatureScope::Board,
    presence: FeaturePresence::Squares,
    implied_pieces: ImpliedPieces::Nothing,
    squares: |board, _| !board.occupied(),
};
