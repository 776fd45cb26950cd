//! Blocked pawns: an enemy pawn stands straight ahead.

use shakmaty::Role;

use super::{Anywhere, Feature, Implied, Scope, ahead, squares_of_all};
use crate::scan::needs::Needs;

/// Every pawn of the side with an enemy pawn on the next square of its file: `pawns & ahead(enemy pawns)`, ahead as the enemy sees it.
pub(super) const FEATURE: Feature = Feature {
    name: "blocked_pawn",
    aliases: &["blocked_pawns"],
    summary: "a pawn with an enemy pawn straight ahead",
    sided: true,
    placed: true,
    depends: squares_of_all([1, 9]),
    needs: Needs::PAWNS,
    scope: Scope::Files { ranks: true },
    anywhere: Anywhere::Squares,
    implies: Implied::Men(Role::Pawn, 1),
    squares: |board, colour| board.by(colour, Role::Pawn) & ahead(board.by(!colour, Role::Pawn), !colour),
};
