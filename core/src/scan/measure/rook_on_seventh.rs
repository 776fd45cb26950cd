//! Rook on the seventh rank, seen from its side.

use shakmaty::{Color, Rank, Role};

use super::{Anywhere, Feature, Implied, Scope};
use crate::board::squares_of;
use crate::scan::needs::Needs;

/// The side's rooks on its seventh rank (Black's is the second).
pub(super) const FEATURE: Feature = Feature {
    name: "rook_on_seventh",
    aliases: &["rook_on_the_seventh"],
    summary: "a rook on its side's seventh rank",
    sided: true,
    placed: true,
    depends: squares_of(Role::Rook as u8),
    needs: Needs::BITS,
    scope: Scope::Square([0xff << 48, 0xff << 8]),
    anywhere: Anywhere::Squares,
    implies: Implied::Men(Role::Rook, 1),
    squares: |board, colour| {
        let seventh = match colour {
            Color::White => Rank::Seventh,
            Color::Black => Rank::Second,
        };
        board.by(colour, Role::Rook) & 0xff << (seventh as u32 * 8)
    },
};
