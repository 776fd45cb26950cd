//! The side to move.

use plyfold_board::board::ANY_CHANGE;
use shakmaty::Role;

use super::{BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces};
use crate::scan::replay_needs::ReplayNeeds;

/// The king's square if the side is to move.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "to_move",
    aliases: &["on_move"],
    summary: "the side is to move (the square is its king's)",
    has_sides: true,
    has_location: true,
    dependencies: ANY_CHANGE,
    needs: ReplayNeeds::BITBOARDS,
    scope: FeatureScope::Board,
    presence: FeaturePresence::Squares,
    implied_pieces: ImpliedPieces::Nothing,
    squares: |board, colour| if board.side_to_move() == colour { board.pieces(colour, Role::King) } else { 0 },
};
