//! Isolated pawns: no pawn of the same side on a neighbouring file.

use shakmaty::Role;

use super::{Anywhere, Feature, Implied, Scope, beside, files_of};
use crate::board::squares_of;
use crate::scan::needs::Needs;

/// Every pawn of the side without a friend on the files beside it.
pub(super) const FEATURE: Feature = Feature {
    name: "isolated_pawn",
    aliases: &["isolated_pawns"],
    summary: "a pawn without a pawn of its side on the files beside it",
    sided: true,
    placed: true,
    depends: squares_of(Role::Pawn as u8),
    needs: Needs::PAWNS,
    scope: Scope::Files { ranks: false },
    anywhere: Anywhere::Squares,
    implies: Implied::Men(Role::Pawn, 1),
    squares: |board, colour| {
        let pawns = board.by(colour, Role::Pawn);
        pawns & !beside(files_of(pawns))
    },
};
