//! Check and double check: one or more pieces attack the side's king.

use shakmaty::Role;

use super::{BASIS, BoardFeature, FeatureScope, has_several};

/// The square of the side's king if it is attacked.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "check",
    aliases: &["in_check"],
    summary: "the side's king is in check",
    scope: FeatureScope::Check { min_checkers: 1 },
    squares: |board, colour| if board.is_in_check(colour) { board.pieces(colour, Role::King) } else { 0 },
    ..BASIS
};

/// The square of the side's king if two or more pieces attack it.
pub(super) const DOUBLE: BoardFeature = BoardFeature {
    name: "double_check",
    aliases: &["in_double_check"],
    summary: "two pieces give the side's king check",
    scope: FeatureScope::Check { min_checkers: 2 },
    squares: |board, colour| {
        let attackers = board.king(colour).map_or(0, |king| board.attackers(king, !colour, board.occupied()));
        if has_several(attackers) { board.pieces(colour, Role::King) } else { 0 }
    },
    ..BASIS
};
