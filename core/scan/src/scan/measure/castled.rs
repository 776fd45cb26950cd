//! Castled: the side has castled during the game.
//!
//! This depends on the moves, not on the board: a king that walked to g1 has not castled. In a game from a set-up position only
//! castling during the game counts.

use plyfold_board::board::{CASTLING_CHANGE, PieceCode, placement_change};
use shakmaty::{Color, Role};

use super::{BASIS, BoardFeature, FeaturePresence, FeatureScope};

/// The king's square once the side has castled on one of the wings in `WINGS` (bit 0 short, bit 1 long).
const fn castled<const WINGS: u8>(
    name: &'static str,
    aliases: &'static [&'static str],
    summary: &'static str,
) -> BoardFeature {
    BoardFeature {
        name,
        aliases,
        summary,
        dependencies: CASTLING_CHANGE | placement_change(PieceCode::WHITE_KING),
        scope: FeatureScope::Square([u64::MAX; 2]),
        presence: FeaturePresence::Castled(WINGS),
        squares: |board, colour| {
            let shift = if colour == Color::White { 0 } else { 2 };
            if board.castled_wings >> shift & WINGS != 0 { board.pieces(colour, Role::King) } else { 0 }
        },
        ..BASIS
    }
}

pub(super) const EITHER_SIDE: BoardFeature = castled::<3>("castled", &["king_castled"], "castled on either wing");
pub(super) const SHORT: BoardFeature =
    castled::<1>("castled_short", &["castled_kingside"], "castled on the king's wing");
pub(super) const LONG: BoardFeature =
    castled::<2>("castled_long", &["castled_queenside"], "castled on the queen's wing");
