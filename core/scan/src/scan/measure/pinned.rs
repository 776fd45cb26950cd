//! Pinned pieces: they stand alone between their king and an enemy slider.

use plyfold_board::board::ANY_CHANGE;

use super::{BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces};
use crate::scan::replay_needs::ReplayNeeds;

/// The side's pieces, pawns included, that stand alone between their king and an enemy slider. The slider is a rook, bishop or
/// queen that moves along that line.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "pinned",
    aliases: &["pinned_piece", "pinned_pieces", "pinned_man", "pinned_men"],
    summary: "a piece pinned to its king",
    has_sides: true,
    has_location: true,
    dependencies: ANY_CHANGE,
    needs: ReplayNeeds::BITBOARDS,
    scope: FeatureScope::Board,
    presence: FeaturePresence::Squares,
    implied_pieces: ImpliedPieces::Nothing,
    squares: |board, colour| board.pinned_pieces(colour),
};
