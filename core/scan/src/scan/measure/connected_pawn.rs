//! Connected pawns: a pawn of their side stands beside them, defends them or is defended by them.

use plyfold_board::board::attacks::pawn_attacks;
use shakmaty::{Color, Role};

use super::{BoardFeature, ImpliedPieces, OWN_PAWN_BASIS, adjacent_files};

/// Every pawn of the side with another pawn of the side on a neighbouring file, at most one rank away:
/// `pawns & (beside(pawns) | diagonal neighbours of pawns)`.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "connected_pawn",
    aliases: &["connected_pawns"],
    summary: "a pawn that stands beside, defends or is defended by a pawn of its side",
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 2),
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn);
        pawns & (adjacent_files(pawns) | pawn_attacks(pawns, Color::White) | pawn_attacks(pawns, Color::Black))
    },
    ..OWN_PAWN_BASIS
};
