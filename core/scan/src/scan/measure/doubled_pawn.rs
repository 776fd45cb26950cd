//! Doubled pawns: two or more of a side's pawns on one file.

use plyfold_board::board::{PieceCode, placement_change};
use shakmaty::{Color, Role};

use super::{BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces, front_span};
use crate::scan::replay_needs::ReplayNeeds;

/// Every pawn of the side that shares its file with another (tripled pawns included).
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "doubled_pawn",
    aliases: &["doubled_pawns"],
    summary: "two pawns of a side on one file",
    has_sides: true,
    has_location: true,
    dependencies: placement_change(PieceCode::WHITE_PAWN),
    needs: ReplayNeeds::PAWN_BITBOARDS,
    scope: FeatureScope::Files { ranks: false },
    presence: FeaturePresence::Squares,
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 2),
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn);
        pawns & (front_span(pawns, Color::White) | front_span(pawns, Color::Black))
    },
};
