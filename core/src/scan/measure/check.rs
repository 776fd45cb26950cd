//! Check and double check: the side's king stands attacked.

use shakmaty::Role;

use super::{Anywhere, Feature, Implied, Scope};
use crate::board::EVERYTHING;
use crate::scan::needs::Needs;

/// The square of the side's king if it is attacked. Measured again after every ply.
pub(super) const FEATURE: Feature = Feature {
    name: "check",
    aliases: &["in_check"],
    summary: "the side's king is in check",
    sided: true,
    placed: true,
    depends: EVERYTHING,
    needs: Needs::BITS,
    scope: Scope::Board,
    anywhere: Anywhere::Squares,
    implies: Implied::Nothing,
    squares: |board, colour| if board.in_check(colour) { board.by(colour, Role::King) } else { 0 },
};

/// The square of the side's king if two men or more attack it.
pub(super) const DOUBLE: Feature = Feature {
    name: "double_check",
    aliases: &["in_double_check"],
    summary: "two men give the side's king check",
    squares: |board, colour| {
        let attackers = board.king(colour).map_or(0, |king| board.attackers(king, !colour, board.occupied()));
        if attackers & attackers.wrapping_sub(1) != 0 { board.by(colour, Role::King) } else { 0 }
    },
    ..FEATURE
};
