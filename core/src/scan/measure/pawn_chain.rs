//! Pawn chains: pawns that defend each other.

use shakmaty::{Color, Role};

use super::{Anywhere, Feature, Implied, Scope};
use crate::board::attacks::pawn_attacks;
use crate::board::squares_of;
use crate::scan::needs::Needs;

/// Every pawn of the side that defends a pawn of its side or is defended by one: `pawns & diagonal neighbours of pawns`.
pub(super) const FEATURE: Feature = Feature {
    name: "pawn_chain",
    aliases: &["pawn_chains"],
    summary: "a pawn that defends a friend or is defended by one",
    sided: true,
    placed: true,
    depends: squares_of(Role::Pawn as u8),
    needs: Needs::PAWNS,
    scope: Scope::Files { ranks: true },
    anywhere: Anywhere::Squares,
    implies: Implied::Men(Role::Pawn, 2),
    squares: |board, colour| {
        let pawns = board.by(colour, Role::Pawn);
        pawns & (pawn_attacks(pawns, Color::White) | pawn_attacks(pawns, Color::Black))
    },
};
