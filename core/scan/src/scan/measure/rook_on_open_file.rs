//! Rook on an open file: a file without pawns of either side.

use plyfold_board::board::PieceCode;
use shakmaty::{Color, Role};

use super::{BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces, file_fill, placement_changes};
use crate::scan::replay_needs::ReplayNeeds;

/// The side's rooks on files without any pawn.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "rook_on_open_file",
    aliases: &["rook_on_an_open_file"],
    summary: "a rook on a file without pawns",
    has_sides: true,
    has_location: true,
    dependencies: placement_changes([PieceCode::WHITE_ROOK, PieceCode::WHITE_PAWN, PieceCode::BLACK_PAWN]),
    needs: ReplayNeeds::BITBOARDS,
    scope: FeatureScope::Board,
    presence: FeaturePresence::Squares,
    implied_pieces: ImpliedPieces::AtLeast(Role::Rook, 1),
    squares: |board, colour| {
        let pawns = board.pieces(Color::White, Role::Pawn) | board.pieces(Color::Black, Role::Pawn);
        board.pieces(colour, Role::Rook) & !file_fill(pawns)
    },
};
