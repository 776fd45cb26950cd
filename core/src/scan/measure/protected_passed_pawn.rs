//! Protected passed pawns: a pawn of their own side defends them.

use shakmaty::Role;

use super::{Anywhere, Feature, Implied, Scope, passed_pawn, squares_of_all};
use crate::board::attacks::pawn_attacks;
use crate::scan::needs::Needs;

/// Every passed pawn of the side that a pawn of its side defends: `passed & pawn_attacks(pawns)`.
pub(super) const FEATURE: Feature = Feature {
    name: "protected_passed_pawn",
    aliases: &["protected_passed_pawns", "protected_passer"],
    summary: "a passed pawn that a pawn of its side defends",
    sided: true,
    placed: true,
    depends: squares_of_all([1, 9]),
    needs: Needs::PAWNS,
    scope: Scope::Files { ranks: true },
    anywhere: Anywhere::Squares,
    implies: Implied::Men(Role::Pawn, 2),
    squares: |board, colour| {
        (passed_pawn::FEATURE.squares)(board, colour) & pawn_attacks(board.by(colour, Role::Pawn), colour)
    },
};
