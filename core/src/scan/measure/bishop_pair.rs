//! The bishop pair: bishops on squares of both colours.

use shakmaty::{Bitboard, Role};

use super::{Anywhere, Feature, Implied, Scope};
use crate::board::{man, side, squares_of};
use crate::course::men::DARK_BISHOPS;
use crate::scan::needs::Needs;

/// The side's bishops, where it has one on a light and one on a dark square; else none.
pub(super) const FEATURE: Feature = Feature {
    name: "bishop_pair",
    aliases: &["two_bishops"],
    summary: "bishops on light and on dark squares",
    sided: true,
    placed: true,
    depends: squares_of(Role::Bishop as u8),
    needs: Needs::BITS,
    scope: Scope::Board,
    anywhere: Anywhere::Numbers(|number, colour| {
        let (bishop, dark) = (man(colour, Role::Bishop), side(colour) | DARK_BISHOPS);
        let (all, dark) = (number[usize::from(bishop)], number[usize::from(dark)]);
        dark > 0 && all > dark
    }),
    implies: Implied::Men(Role::Bishop, 2),
    squares: |board, colour| {
        let bishops = board.by(colour, Role::Bishop);
        let both = bishops & Bitboard::LIGHT_SQUARES.0 != 0 && bishops & Bitboard::DARK_SQUARES.0 != 0;
        if both { bishops } else { 0 }
    },
};
