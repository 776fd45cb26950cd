//! Bishops on squares of both colours, and the bishop pair: such bishops of one side alone.

use plyfold_board::board::{Board, ByPiece, PieceCode, placement_change};
use plyfold_board::irreversible::material::dark_bishops;
use shakmaty::{Bitboard, Color, Role};

use super::{BASIS, BoardFeature, FeaturePresence, ImpliedPieces, placement_changes};

/// The side's bishops if at least one stands on a light and one on a dark square; else none.
pub(super) const TWO_BISHOPS: BoardFeature = BoardFeature {
    name: "two_bishops",
    aliases: &["both_bishops"],
    summary: "bishops on both light and dark squares, whatever the other side has",
    dependencies: placement_change(PieceCode::WHITE_BISHOP),
    presence: FeaturePresence::PieceCounts(has_both),
    implied_pieces: ImpliedPieces::AtLeast(Role::Bishop, 2),
    squares: |board, colour| both_bishops(board, colour),
    ..BASIS
};

/// The same if the other side has no such bishops.
pub(super) const PAIR: BoardFeature = BoardFeature {
    name: "bishop_pair",
    aliases: &[],
    summary: "bishops on both light and dark squares, which the other side has not",
    dependencies: placement_changes([PieceCode::WHITE_BISHOP, PieceCode::BLACK_BISHOP]),
    presence: FeaturePresence::PieceCounts(|number, colour| has_both(number, colour) && !has_both(number, !colour)),
    squares: |board, colour| if both_bishops(board, !colour) == 0 { both_bishops(board, colour) } else { 0 },
    ..TWO_BISHOPS
};

fn has_both(number: &ByPiece<u8>, colour: Color) -> bool {
    let (all, dark) = (number[PieceCode::new(colour, Role::Bishop)], number[dark_bishops(colour)]);
    dark > 0 && all > dark
}

fn both_bishops(board: &Board, colour: Color) -> u64 {
    let bishops = board.pieces(colour, Role::Bishop);
    let both = bishops & Bitboard::LIGHT_SQUARES.0 != 0 && bishops & Bitboard::DARK_SQUARES.0 != 0;
    if both { bishops } else { 0 }
}
