//! Queens off: neither side has a queen.

use plyfold_board::board::{PieceCode, count_change};
use shakmaty::{Color, Role};

use super::{BASIS, BoardFeature, FeaturePresence, ImpliedPieces};

/// Every square if there is no queen on the board; else none. The feature belongs to neither side.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "queens_off",
    aliases: &["queenless"],
    summary: "no queens on the board",
    has_sides: false,
    has_location: false,
    dependencies: count_change(PieceCode::WHITE_QUEEN) | count_change(PieceCode::BLACK_QUEEN),
    presence: FeaturePresence::PieceCounts(|number, _| {
        number[PieceCode::WHITE_QUEEN] | number[PieceCode::BLACK_QUEEN] == 0
    }),
    implied_pieces: ImpliedPieces::Absent(Role::Queen),
    squares: |board, _| {
        let queens = board.pieces(Color::White, Role::Queen) | board.pieces(Color::Black, Role::Queen);
        if queens == 0 { u64::MAX } else { 0 }
    },
    ..BASIS
};
