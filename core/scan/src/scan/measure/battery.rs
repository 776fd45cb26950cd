//! Batteries: two pieces on a line that both move along it.

use plyfold_board::board::ANY_CHANGE;
use plyfold_board::board::attacks::{diagonal_attacks, orthogonal_attacks};

use super::{BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces};
use crate::scan::replay_needs::ReplayNeeds;

/// The side's rooks, bishops and queens that form a battery. Rooks and queens share a rank or file, bishops and queens share a
/// diagonal, with nothing between them.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "battery",
    aliases: &["batteries"],
    summary: "two pieces in line with nothing between them, both of which move along that line",
    has_sides: true,
    has_location: true,
    dependencies: ANY_CHANGE,
    needs: ReplayNeeds::BITBOARDS,
    scope: FeatureScope::Board,
    presence: FeaturePresence::Squares,
    implied_pieces: ImpliedPieces::Nothing,
    squares: |board, colour| {
        let (straight, diagonal, empty) =
            (board.orthogonal_sliders(colour), board.diagonal_sliders(colour), !board.occupied());
        let several = |men: u64| men & men.wrapping_sub(1) != 0;
        let on_lines = if several(straight) { orthogonal_attacks(straight, empty) & straight } else { 0 };
        let on_diagonals = if several(diagonal) { diagonal_attacks(diagonal, empty) & diagonal } else { 0 };
        on_lines | on_diagonals
    },
};
