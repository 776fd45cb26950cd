//! Queens off: neither side has a queen.

use shakmaty::{Color, Role};

use super::{BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces};
use crate::board::count_change;
use crate::scan::replay_needs::ReplayNeeds;

/// Every square if there is no queen on the board; speaks of no side.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "queens_off",
    aliases: &["queenless"],
    summary: "no queens on the board",
    has_sides: false,
    has_location: false,
    dependencies: count_change(Role::Queen as u8) | count_change(Role::Queen as u8 | 8),
    needs: ReplayNeeds::BITBOARDS,
    scope: FeatureScope::Board,
    presence: FeaturePresence::PieceCounts(|number, _| number[5] | number[13] == 0),
    implied_pieces: ImpliedPieces::Absent(Role::Queen),
    squares: |board, _| {
        if board.pieces(Color::White, Role::Queen) | board.pieces(Color::Black, Role::Queen) == 0 {
            u64::MAX
        } else {
            0
        }
    },
};
