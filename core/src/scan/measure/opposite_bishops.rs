//! Opposite-coloured bishops: one each, on squares of opposite colours.

use shakmaty::{Bitboard, Color, Role};

use super::{Anywhere, Feature, Implied, Scope, squares_of_all};
use crate::course::men::DARK_BISHOPS;
use crate::scan::needs::Needs;

/// Every square if each side has exactly one bishop, and these stand on squares of opposite colours; speaks of no side and no square.
pub(super) const FEATURE: Feature = Feature {
    name: "opposite_coloured_bishops",
    aliases: &["opposite_colored_bishops", "opposite_bishops"],
    summary: "each side has exactly one bishop, on squares of opposite colours",
    sided: false,
    placed: false,
    depends: squares_of_all([3, 11]),
    needs: Needs::BITS,
    scope: Scope::Board,
    anywhere: Anywhere::Numbers(|number, _| {
        const DARK: usize = DARK_BISHOPS as usize;
        number[3] == 1 && number[11] == 1 && number[DARK] + number[DARK | 8] == 1
    }),
    implies: Implied::Men(Role::Bishop, 1),
    squares: |board, _| {
        let bishops = [Color::White, Color::Black].map(|colour| board.by(colour, Role::Bishop));
        let both = bishops[0] | bishops[1];
        let one_each = bishops.iter().all(|bishops| bishops.is_power_of_two());
        let opposite = both & Bitboard::LIGHT_SQUARES.0 != 0 && both & Bitboard::DARK_SQUARES.0 != 0;
        if one_each && opposite { u64::MAX } else { 0 }
    },
};
