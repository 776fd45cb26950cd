//! Checkmate and stalemate: the side to move has no legal move.

use shakmaty::Role;

use super::{Anywhere, Feature, Implied, Scope};
use crate::board::EVERYTHING;
use crate::scan::needs::Needs;

/// The square of the side's king if the side is to move, in check, and has no legal move.
pub(super) const CHECKMATE: Feature = Feature {
    name: "checkmate",
    aliases: &["mated", "checkmated"],
    summary: "the side is mated",
    sided: true,
    placed: true,
    depends: EVERYTHING,
    // A pawn that gives mate may be taken en passant.
    needs: Needs::RIGHTS,
    scope: Scope::Board,
    anywhere: Anywhere::Squares,
    implies: Implied::Nothing,
    squares: |board, colour| {
        if board.turn() == colour && board.is_checkmate() { board.by(colour, Role::King) } else { 0 }
    },
};

/// The square of the side's king if the side is to move, not in check, and has no legal move.
pub(super) const STALEMATE: Feature = Feature {
    name: "stalemate",
    aliases: &["stalemated"],
    summary: "the side is to move and has no legal move, without being in check",
    squares: |board, colour| {
        if board.turn() == colour && board.is_stalemate() { board.by(colour, Role::King) } else { 0 }
    },
    ..CHECKMATE
};
