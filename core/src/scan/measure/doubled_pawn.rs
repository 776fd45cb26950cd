//! Doubled pawns: two or more of a side's pawns on one file.

use shakmaty::{Color, Role};

use super::{Anywhere, Feature, Implied, Scope, in_front};
use crate::board::squares_of;
use crate::scan::needs::Needs;

/// Every pawn of the side that shares its file with another (tripled pawns included).
pub(super) const FEATURE: Feature = Feature {
    name: "doubled_pawn",
    aliases: &["doubled_pawns"],
    summary: "two pawns of a side on one file",
    sided: true,
    placed: true,
    depends: squares_of(Role::Pawn as u8),
    needs: Needs::PAWNS,
    scope: Scope::Files { ranks: false },
    anywhere: Anywhere::Squares,
    implies: Implied::Men(Role::Pawn, 2),
    squares: |board, colour| {
        let pawns = board.by(colour, Role::Pawn);
        pawns & (in_front(pawns, Color::White) | in_front(pawns, Color::Black))
    },
};
