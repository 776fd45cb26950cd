//! Pinned men: one line of them and their king, and an enemy slider at its end.

use super::{Anywhere, Feature, Implied, Scope};
use crate::board::EVERYTHING;
use crate::scan::needs::Needs;

/// The side's men, pawns too, that stand alone between their king and an enemy rook, bishop or queen that moves along that line.
pub(super) const FEATURE: Feature = Feature {
    name: "pinned",
    aliases: &["pinned_man", "pinned_men", "pinned_piece", "pinned_pieces"],
    summary: "a man pinned to its king",
    sided: true,
    placed: true,
    depends: EVERYTHING,
    needs: Needs::BITS,
    scope: Scope::Board,
    anywhere: Anywhere::Squares,
    implies: Implied::Nothing,
    squares: |board, colour| board.pinned(colour),
};
