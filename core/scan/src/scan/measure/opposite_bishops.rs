//! Opposite-coloured bishops: each side has one bishop, and the two stand on squares of opposite colours.

use plyfold_board::board::PieceCode;
use plyfold_board::irreversible::material::dark_bishops;
use shakmaty::{Bitboard, Color, Role};

use super::{BASIS, BoardFeature, FeaturePresence, ImpliedPieces, placement_changes};

/// Every square if each side has exactly one bishop and the two stand on squares of opposite colours; else none. The feature has
/// no side and no location.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "opposite_coloured_bishops",
    aliases: &["opposite_colored_bishops", "opposite_bishops"],
    summary: "each side has exactly one bishop, on squares of opposite colours",
    has_sides: false,
    has_location: false,
    dependencies: placement_changes([PieceCode::WHITE_BISHOP, PieceCode::BLACK_BISHOP]),
    presence: FeaturePresence::PieceCounts(|number, _| {
        number[PieceCode::WHITE_BISHOP] == 1
            && number[PieceCode::BLACK_BISHOP] == 1
            && number[dark_bishops(Color::White)] + number[dark_bishops(Color::Black)] == 1
    }),
    implied_pieces: ImpliedPieces::AtLeast(Role::Bishop, 1),
    squares: |board, _| {
        let bishops = [Color::White, Color::Black].map(|colour| board.pieces(colour, Role::Bishop));
        let both = bishops[0] | bishops[1];
        let one_each = bishops.iter().all(|bishops| bishops.is_power_of_two());
        let opposite = both & Bitboard::LIGHT_SQUARES.0 != 0 && both & Bitboard::DARK_SQUARES.0 != 0;
        if one_each && opposite { u64::MAX } else { 0 }
    },
    ..BASIS
};
