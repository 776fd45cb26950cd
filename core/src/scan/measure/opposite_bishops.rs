//! Opposite-coloured bishops: one each, on squares of opposite colours.

use shakmaty::{Bitboard, Color, Role};

use super::{BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces, placement_changes};
use crate::irreversible::material::DARK_BISHOPS_CODE;
use crate::scan::replay_needs::ReplayNeeds;

/// Every square if each side has exactly one bishop, and these stand on squares of opposite colours; speaks of no side and no square.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "opposite_coloured_bishops",
    aliases: &["opposite_colored_bishops", "opposite_bishops"],
    summary: "each side has exactly one bishop, on squares of opposite colours",
    has_sides: false,
    has_location: false,
    dependencies: placement_changes([3, 11]),
    needs: ReplayNeeds::BITBOARDS,
    scope: FeatureScope::Board,
    presence: FeaturePresence::PieceCounts(|number, _| {
        const DARK: usize = DARK_BISHOPS_CODE as usize;
        number[3] == 1 && number[11] == 1 && number[DARK] + number[DARK | 8] == 1
    }),
    implied_pieces: ImpliedPieces::AtLeast(Role::Bishop, 1),
    squares: |board, _| {
        let bishops = [Color::White, Color::Black].map(|colour| board.pieces(colour, Role::Bishop));
        let both = bishops[0] | bishops[1];
        let one_each = bishops.iter().all(|bishops| bishops.is_power_of_two());
        let opposite = both & Bitboard::LIGHT_SQUARES.0 != 0 && both & Bitboard::DARK_SQUARES.0 != 0;
        if one_each && opposite { u64::MAX } else { 0 }
    },
};
