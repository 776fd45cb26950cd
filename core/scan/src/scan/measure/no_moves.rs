//! Checkmate and stalemate: the side to move has no legal move.

use shakmaty::Role;

use super::{BASIS, BoardFeature, FeatureScope};
use crate::scan::replay_needs::ReplayNeeds;

/// The square of the side's king if the side is to move, in check, and has no legal move.
pub(super) const CHECKMATE: BoardFeature = BoardFeature {
    name: "checkmate",
    aliases: &["mated", "checkmated"],
    summary: "the side is mated",
    // A pawn that gives mate may be taken en passant.
    needs: ReplayNeeds::RIGHTS,
    scope: FeatureScope::NoMoves { in_check: true },
    squares: |board, colour| {
        if board.side_to_move() == colour && board.is_checkmate() { board.pieces(colour, Role::King) } else { 0 }
    },
    ..BASIS
};

/// The square of the side's king if the side is to move, not in check, and has no legal move.
pub(super) const STALEMATE: BoardFeature = BoardFeature {
    name: "stalemate",
    aliases: &["stalemated"],
    summary: "the side is to move and has no legal move, without being in check",
    needs: ReplayNeeds::RIGHTS,
    scope: FeatureScope::NoMoves { in_check: false },
    squares: |board, colour| {
        if board.side_to_move() == colour && board.is_stalemate() { board.pieces(colour, Role::King) } else { 0 }
    },
    ..BASIS
};
