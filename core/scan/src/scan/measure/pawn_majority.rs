//! Pawn majorities: more pawns on a wing than the other side has there.

use plyfold_board::board::make::FILE_A;
use shakmaty::Role;

use super::{BoardFeature, FeatureScope, PAWN_BASIS};

/// Files a to d, and e to h.
const WINGS: [u64; 2] = [FILE_A * 0x0f, FILE_A * 0xf0];

/// The side's pawns on a wing (files a–d, files e–h) on which it has more of them than the other side.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "pawn_majority",
    aliases: &["pawn_majorities"],
    summary: "pawns on a wing, a–d or e–h, where the side has more of them than the other",
    scope: FeatureScope::Board,
    squares: |board, colour| {
        let (own, other) = (board.pieces(colour, Role::Pawn), board.pieces(!colour, Role::Pawn));
        let more = |wing: &&u64| (own & **wing).count_ones() > (other & **wing).count_ones();
        own & WINGS.iter().filter(more).sum::<u64>()
    },
    ..PAWN_BASIS
};
