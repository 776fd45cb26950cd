//! Rook on a half-open file: a file with enemy pawns and none of the rook's side.

use plyfold_board::board::PieceCode;
use shakmaty::Role;

use super::{BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces, open_file, placement_changes};
use crate::scan::replay_needs::ReplayNeeds;

/// The side's rooks on files where the other side has pawns and this side has none.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "rook_on_half_open_file",
    aliases: &["rook_on_semi_open_file"],
    summary: "a rook on a file with enemy pawns and none of its side",
    has_sides: true,
    has_location: true,
    dependencies: placement_changes([PieceCode::WHITE_ROOK, PieceCode::WHITE_PAWN, PieceCode::BLACK_PAWN]),
    needs: ReplayNeeds::BITBOARDS,
    scope: FeatureScope::Board,
    presence: FeaturePresence::Squares,
    implied_pieces: ImpliedPieces::AtLeast(Role::Rook, 1),
    squares: |board, colour| board.pieces(colour, Role::Rook) & open_file::half_open(board, colour),
};
