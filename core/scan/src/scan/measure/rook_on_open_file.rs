//! Rook on an open file: a file without pawns of either side.

use plyfold_board::board::PieceCode;
use shakmaty::Role;

use super::{BASIS, BoardFeature, ImpliedPieces, open_file, placement_changes};

/// The side's rooks on files without any pawn.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "rook_on_open_file",
    aliases: &["rook_on_an_open_file"],
    summary: "a rook on a file without pawns",
    dependencies: placement_changes([PieceCode::WHITE_ROOK, PieceCode::WHITE_PAWN, PieceCode::BLACK_PAWN]),
    implied_pieces: ImpliedPieces::AtLeast(Role::Rook, 1),
    squares: |board, colour| board.pieces(colour, Role::Rook) & (open_file::OPEN.squares)(board, colour),
    ..BASIS
};
