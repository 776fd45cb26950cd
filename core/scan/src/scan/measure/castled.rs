//! Castled: the side has castled during the game.
//!
//! This depends on the moves, not on the board: a king that walked to g1 has not castled. In a game from a set-up position only
//! castling during the game counts.

use plyfold_board::board::{Board, CASTLING_CHANGE, PieceCode, placement_change};
use shakmaty::{Color, Role};

use super::{BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces};
use crate::scan::replay_needs::ReplayNeeds;

/// The king's square if the side has castled on one of the wings in `wings` (bit 0 short, bit 1 long).
fn king_if(board: &Board, colour: Color, wings: u8) -> u64 {
    let shift = if colour == Color::White { 0 } else { 2 };
    if board.castled_wings >> shift & wings != 0 { board.pieces(colour, Role::King) } else { 0 }
}

macro_rules! castled {
    ($feature:ident, $wings:literal, $name:literal, $aliases:expr, $summary:literal) => {
        #[doc = concat!("The king's square once the side has ", $summary, ".")]
        pub(super) const $feature: BoardFeature = BoardFeature {
            name: $name,
            aliases: $aliases,
            summary: $summary,
            has_sides: true,
            has_location: true,
            dependencies: CASTLING_CHANGE | placement_change(PieceCode::WHITE_KING),
            needs: ReplayNeeds::BITBOARDS,
            scope: FeatureScope::Square([u64::MAX; 2]),
            presence: FeaturePresence::Castled($wings),
            implied_pieces: ImpliedPieces::Nothing,
            squares: |board, colour| king_if(board, colour, $wings),
        };
    };
}

castled!(EITHER_SIDE, 3, "castled", &["king_castled"], "castled on either wing");
castled!(SHORT, 1, "castled_short", &["castled_kingside"], "castled on the king's wing");
castled!(LONG, 2, "castled_long", &["castled_queenside"], "castled on the queen's wing");
