//! Pawn chains: pawns that defend each other.

use plyfold_board::board::attacks::pawn_attacks;
use shakmaty::{Color, Role};

use super::{BoardFeature, ImpliedPieces, OWN_PAWN_BASIS};

/// Every pawn of the side that defends a pawn of its side or is defended by one: `pawns & diagonal neighbours of pawns`.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "pawn_chain",
    aliases: &["pawn_chains"],
    summary: "a pawn that defends or is defended by a pawn of its side",
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 2),
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn);
        pawns & (pawn_attacks(pawns, Color::White) | pawn_attacks(pawns, Color::Black))
    },
    ..OWN_PAWN_BASIS
};
