//! Connected pawns: a friend beside them, or one that defends them or is defended by them.

use shakmaty::{Color, Role};

use super::{Anywhere, Feature, Implied, Scope, beside};
use crate::board::attacks::pawn_attacks;
use crate::board::squares_of;
use crate::scan::needs::Needs;

/// Every pawn of the side with a friend on a neighbouring file, on its own rank or one from it:
/// `pawns & (beside(pawns) | diagonal neighbours of pawns)`.
pub(super) const FEATURE: Feature = Feature {
    name: "connected_pawn",
    aliases: &["connected_pawns"],
    summary: "a pawn beside a friend, defending one or defended by one",
    sided: true,
    placed: true,
    depends: squares_of(Role::Pawn as u8),
    needs: Needs::PAWNS,
    scope: Scope::Files { ranks: true },
    anywhere: Anywhere::Squares,
    implies: Implied::Men(Role::Pawn, 2),
    squares: |board, colour| {
        let pawns = board.by(colour, Role::Pawn);
        pawns & (beside(pawns) | pawn_attacks(pawns, Color::White) | pawn_attacks(pawns, Color::Black))
    },
};
