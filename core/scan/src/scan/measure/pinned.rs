//! Pinned pieces: they stand alone between their king and an enemy slider.

use super::{BASIS, BoardFeature};

/// The side's pieces, pawns included, that stand alone between their king and an enemy slider. The slider is a rook, bishop or
/// queen that moves along that line.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "pinned",
    aliases: &["pinned_piece", "pinned_pieces", "pinned_man", "pinned_men"],
    summary: "a piece pinned to its king",
    squares: |board, colour| board.pinned_pieces(colour),
    ..BASIS
};
