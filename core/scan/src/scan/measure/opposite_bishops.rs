//! One bishop each, on squares of opposite colours or of the same.

use plyfold_board::board::{Board, ByPiece, PieceCode};
use plyfold_board::irreversible::material::dark_bishops;
use shakmaty::{Bitboard, Color, Role};

use super::{BASIS, BoardFeature, FeaturePresence, ImpliedPieces, placement_changes};

/// Every square if each side has exactly one bishop and the two stand on squares of opposite colours; else none. The feature has
/// no side and no location.
pub(super) const OPPOSITE: BoardFeature = BoardFeature {
    name: "opposite_coloured_bishops",
    aliases: &["opposite_colored_bishops", "opposite_bishops"],
    summary: "each side has exactly one bishop, on squares of opposite colours",
    has_sides: false,
    has_location: false,
    dependencies: placement_changes([PieceCode::WHITE_BISHOP, PieceCode::BLACK_BISHOP]),
    presence: FeaturePresence::PieceCounts(|number, _| has_one_each(number) && dark_ones(number) == 1),
    implied_pieces: ImpliedPieces::AtLeast(Role::Bishop, 1),
    squares: |board, _| if colours_of_bishops(board) == Some([true, true]) { u64::MAX } else { 0 },
    ..BASIS
};

/// The same for squares of one colour.
pub(super) const SAME: BoardFeature = BoardFeature {
    name: "same_coloured_bishops",
    aliases: &["same_colored_bishops", "same_bishops"],
    summary: "each side has exactly one bishop, on squares of one colour",
    presence: FeaturePresence::PieceCounts(|number, _| has_one_each(number) && dark_ones(number) != 1),
    squares: |board, _| match colours_of_bishops(board) {
        Some([true, false] | [false, true]) => u64::MAX,
        _ => 0,
    },
    ..OPPOSITE
};

fn has_one_each(number: &ByPiece<u8>) -> bool {
    number[PieceCode::WHITE_BISHOP] == 1 && number[PieceCode::BLACK_BISHOP] == 1
}

fn dark_ones(number: &ByPiece<u8>) -> u8 {
    number[dark_bishops(Color::White)] + number[dark_bishops(Color::Black)]
}

/// Whether there are bishops on light squares, and on dark ones, if each side has exactly one.
fn colours_of_bishops(board: &Board) -> Option<[bool; 2]> {
    let bishops = [Color::White, Color::Black].map(|colour| board.pieces(colour, Role::Bishop));
    let one_each = bishops.iter().all(|bishops| bishops.is_power_of_two());
    let both = bishops[0] | bishops[1];
    one_each.then(|| [Bitboard::LIGHT_SQUARES.0, Bitboard::DARK_SQUARES.0].map(|squares| both & squares != 0))
}
