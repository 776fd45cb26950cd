//! Rook on a half-open file: a file with enemy pawns and none of the rook's side.

use shakmaty::Role;

use super::{BoardFeature, open_file, rook_on_open_file};

/// The side's rooks on files where the other side has pawns and this side has none.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "rook_on_half_open_file",
    aliases: &["rook_on_semi_open_file"],
    summary: "a rook on a file with enemy pawns and none of its side",
    squares: |board, colour| board.pieces(colour, Role::Rook) & (open_file::HALF_OPEN.squares)(board, colour),
    ..rook_on_open_file::FEATURE
};
