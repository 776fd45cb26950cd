//! Backward pawns: left behind by their neighbours, and taken if they step on.

use shakmaty::Role;

use super::{Anywhere, Feature, Implied, Scope, ahead, beside, in_front, squares_of_all};
use crate::board::attacks::pawn_attacks;
use crate::scan::needs::Needs;

/// Every pawn of the side that no pawn of its side on a neighbouring file stands level with or behind, and whose square straight
/// ahead an enemy pawn attacks. Nothing is asked of what stands there; an isolated pawn can be backward too.
///
/// `pawns & behind(attacked & !covered)`, where `covered` is what lies ahead of a friend on a neighbouring file.
pub(super) const FEATURE: Feature = Feature {
    name: "backward_pawn",
    aliases: &["backward_pawns"],
    summary: "a pawn with no friend level or behind on the files beside it, and an enemy pawn attacking the square ahead",
    sided: true,
    placed: true,
    depends: squares_of_all([1, 9]),
    needs: Needs::PAWNS,
    scope: Scope::Files { ranks: true },
    anywhere: Anywhere::Squares,
    implies: Implied::Men(Role::Pawn, 1),
    squares: |board, colour| {
        let pawns = board.by(colour, Role::Pawn);
        let covered = in_front(beside(pawns), colour);
        let attacked = pawn_attacks(board.by(!colour, Role::Pawn), !colour);
        pawns & ahead(attacked & !covered, !colour)
    },
};
