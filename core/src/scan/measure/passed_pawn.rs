//! Passed pawns: no enemy pawn ahead on the same or a neighbouring file.

use shakmaty::Role;

use super::{Anywhere, Feature, Implied, Scope, beside, in_front, squares_of_all};
use crate::scan::needs::Needs;

/// Every pawn of the side that no enemy pawn can stop or take on its way. A pawn behind another of its own side counts too.
pub(super) const FEATURE: Feature = Feature {
    name: "passed_pawn",
    aliases: &["passed_pawns", "passer"],
    summary: "a pawn with no enemy pawn ahead on its file or the files beside it",
    sided: true,
    placed: true,
    depends: squares_of_all([1, 9]),
    needs: Needs::PAWNS,
    scope: Scope::Files { ranks: true },
    anywhere: Anywhere::Squares,
    implies: Implied::Men(Role::Pawn, 1),
    squares: |board, colour| {
        let stoppers = board.by(!colour, Role::Pawn);
        let stopped = in_front(stoppers | beside(stoppers), !colour);
        board.by(colour, Role::Pawn) & !stopped
    },
};
