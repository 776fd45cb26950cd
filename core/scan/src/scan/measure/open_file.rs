//! Open and half-open files.

use shakmaty::{Color, Role};

use super::{BoardFeature, FeatureScope, ImpliedPieces, PAWN_BASIS, file_fill};

/// Every square of the files without any pawn: `!files_of(pawns)`. The feature belongs to neither side.
pub(super) const OPEN: BoardFeature = BoardFeature {
    name: "open_file",
    aliases: &["open_files"],
    summary: "a file without pawns; all its squares",
    has_sides: false,
    // PERF: ranks do not matter, but the pawn counts of both sides on all files have too many combinations to cache.
    scope: FeatureScope::Files { ranks: true },
    implied_pieces: ImpliedPieces::Nothing,
    squares: |board, _| !file_fill(board.pieces(Color::White, Role::Pawn) | board.pieces(Color::Black, Role::Pawn)),
    ..PAWN_BASIS
};

/// Every square of the files on which the other side has pawns and this side has none:
/// `files_of(enemy pawns) & !files_of(pawns)`.
pub(super) const HALF_OPEN: BoardFeature = BoardFeature {
    name: "half_open_file",
    aliases: &["half_open_files", "semi_open_file", "semi_open_files"],
    summary: "a file with enemy pawns and none of the side's; all its squares",
    has_sides: true,
    squares: |board, colour| {
        file_fill(board.pieces(!colour, Role::Pawn)) & !file_fill(board.pieces(colour, Role::Pawn))
    },
    ..OPEN
};
