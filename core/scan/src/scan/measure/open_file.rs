//! Open and half-open files.

use plyfold_board::board::{Board, PieceCode};
use shakmaty::{Color, Role};

use super::{BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces, file_fill, placement_changes};
use crate::scan::replay_needs::ReplayNeeds;

/// Every square of the files without any pawn: `!files_of(pawns)`. The feature belongs to neither side.
pub(super) const OPEN: BoardFeature = BoardFeature {
    name: "open_file",
    aliases: &["open_files"],
    summary: "a file without pawns; all its squares",
    has_sides: false,
    has_location: true,
    dependencies: placement_changes([PieceCode::WHITE_PAWN, PieceCode::BLACK_PAWN]),
    needs: ReplayNeeds::PAWN_BITBOARDS,
    // PERF: ranks do not matter, but the pawn counts of both sides on all files have too many combinations to cache.
    scope: FeatureScope::Files { ranks: true },
    presence: FeaturePresence::Squares,
    implied_pieces: ImpliedPieces::Nothing,
    squares: |board, _| !file_fill(board.pieces(Color::White, Role::Pawn) | board.pieces(Color::Black, Role::Pawn)),
};

/// Every square of the files on which the other side has pawns and this side has none:
/// `files_of(enemy pawns) & !files_of(pawns)`.
pub(super) const HALF_OPEN: BoardFeature = BoardFeature {
    name: "half_open_file",
    aliases: &["half_open_files", "semi_open_file", "semi_open_files"],
    summary: "a file with enemy pawns and none of the side's; all its squares",
    has_sides: true,
    has_location: true,
    dependencies: placement_changes([PieceCode::WHITE_PAWN, PieceCode::BLACK_PAWN]),
    needs: ReplayNeeds::PAWN_BITBOARDS,
    // PERF: ranks do not matter, but the pawn counts of both sides on all files have too many combinations to cache.
    scope: FeatureScope::Files { ranks: true },
    presence: FeaturePresence::Squares,
    implied_pieces: ImpliedPieces::Nothing,
    squares: half_open,
};

/// Whole files with pawns of the other side and none of `colour`.
pub(super) fn half_open(board: &Board, colour: Color) -> u64 {
    file_fill(board.pieces(!colour, Role::Pawn)) & !file_fill(board.pieces(colour, Role::Pawn))
}
