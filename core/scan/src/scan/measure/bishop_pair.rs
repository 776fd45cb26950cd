//! The bishop pair: bishops on squares of both colours.

use plyfold_board::board::{PieceCode, placement_change};
use plyfold_board::irreversible::material::dark_bishops;
use shakmaty::{Bitboard, Role};

use super::{BASIS, BoardFeature, FeaturePresence, ImpliedPieces};

/// The side's bishops if at least one stands on a light and one on a dark square; else none.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "bishop_pair",
    aliases: &["two_bishops"],
    summary: "bishops on both light and dark squares",
    dependencies: placement_change(PieceCode::WHITE_BISHOP),
    presence: FeaturePresence::PieceCounts(|number, colour| {
        let (all, dark) = (number[PieceCode::new(colour, Role::Bishop)], number[dark_bishops(colour)]);
        dark > 0 && all > dark
    }),
    implied_pieces: ImpliedPieces::AtLeast(Role::Bishop, 2),
    squares: |board, colour| {
        let bishops = board.pieces(colour, Role::Bishop);
        let both = bishops & Bitboard::LIGHT_SQUARES.0 != 0 && bishops & Bitboard::DARK_SQUARES.0 != 0;
        if both { bishops } else { 0 }
    },
    ..BASIS
};
