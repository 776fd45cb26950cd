//! Fianchetto: a bishop on b2 or g2 behind the pawn that made way for it.

use plyfold_board::board::PieceCode;
use shakmaty::{Color, Role};

use super::{BASIS, BoardFeature, ImpliedPieces, one_step_ahead, placement_changes};

/// b2 and g2, and b7 and g7.
const FIANCHETTO_SQUARES: [u64; 2] = [0x42 << 8, 0x42 << 48];

/// The side's bishops on b2 and g2 (Black's on b7 and g7) with a pawn of the side one or two squares ahead on the file, which made
/// way for the bishop.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "fianchetto",
    aliases: &["fianchettoed_bishop", "fianchettos"],
    summary: "a bishop on b2 or g2 (b7, g7) with a pawn of its side one or two squares ahead of it",
    dependencies: placement_changes([PieceCode::WHITE_PAWN, PieceCode::WHITE_BISHOP]),
    implied_pieces: ImpliedPieces::AtLeast(Role::Bishop, 1),
    squares: |board, colour| {
        let behind = one_step_ahead(board.pieces(colour, Role::Pawn), !colour);
        let bishops = board.pieces(colour, Role::Bishop) & FIANCHETTO_SQUARES[usize::from(colour == Color::Black)];
        bishops & (behind | one_step_ahead(behind, !colour))
    },
    ..BASIS
};
