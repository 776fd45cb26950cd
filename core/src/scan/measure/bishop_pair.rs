//! The bishop pair: bishops on squares of both colours.

use shakmaty::{Bitboard, Role};

use super::Feature;
use crate::board::squares_of;
use crate::scan::needs::Needs;

/// The side's bishops, where it has one on a light and one on a dark square; else none.
pub(super) const FEATURE: Feature = Feature {
    name: "bishop_pair",
    aliases: &["two_bishops"],
    summary: "bishops on light and on dark squares",
    sided: true,
    depends: squares_of(Role::Bishop as u8),
    needs: Needs::BITS,
    squares: |board, colour| {
        let bishops = board.by(colour, Role::Bishop);
        let both = bishops & Bitboard::LIGHT_SQUARES.0 != 0 && bishops & Bitboard::DARK_SQUARES.0 != 0;
        if both { bishops } else { 0 }
    },
};
