//! Connected pawns: a pawn of their side stands beside them, defends them or is defended by them.

use plyfold_board::board::attacks::pawn_attacks;
use plyfold_board::board::{PieceCode, placement_change};
use shakmaty::{Color, Role};

use super::{BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces, adjacent_files};
use crate::scan::replay_needs::ReplayNeeds;

/// Every pawn of the side with another pawn of the side on a neighbouring file, at most one rank away:
/// `pawns & (beside(pawns) | diagonal neighbours of pawns)`.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "connected_pawn",
    aliases: &["connected_pawns"],
    summary: "a pawn that stands beside, defends or is defended by a pawn of its side",
    has_sides: true,
    has_location: true,
    dependencies: placement_change(PieceCode::WHITE_PAWN),
    needs: ReplayNeeds::PAWN_BITBOARDS,
    scope: FeatureScope::Files { ranks: true },
    presence: FeaturePresence::Squares,
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 2),
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn);
        pawns & (adjacent_files(pawns) | pawn_attacks(pawns, Color::White) | pawn_attacks(pawns, Color::Black))
    },
};
