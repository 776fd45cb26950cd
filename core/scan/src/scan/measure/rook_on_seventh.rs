//! Rook on the seventh rank, seen from its side.

use plyfold_board::board::{PieceCode, placement_change};
use shakmaty::{Color, Rank, Role};

use super::{BASIS, BoardFeature, FeatureScope, ImpliedPieces};

/// The side's rooks on its seventh rank (Black's is the second).
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "rook_on_seventh",
    aliases: &["rook_on_the_seventh", "rook_on_seventh_rank", "rook_on_the_seventh_rank"],
    summary: "a rook on its side's seventh rank",
    dependencies: placement_change(PieceCode::WHITE_ROOK),
    scope: FeatureScope::Square([0xff << 48, 0xff << 8]),
    implied_pieces: ImpliedPieces::AtLeast(Role::Rook, 1),
    squares: |board, colour| {
        let seventh = match colour {
            Color::White => Rank::Seventh,
            Color::Black => Rank::Second,
        };
        board.pieces(colour, Role::Rook) & 0xff << (seventh as u32 * 8)
    },
    ..BASIS
};
