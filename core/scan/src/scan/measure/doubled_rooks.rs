//! Doubled rooks: two rooks of a side on one file with nothing between them.

use plyfold_board::board::ANY_CHANGE;
use shakmaty::{Role, Square, attacks};

use super::{BASIS, BoardFeature, ImpliedPieces, file_fill};

/// The side's rooks that defend another along a file.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "doubled_rook",
    aliases: &["doubled_rooks"],
    summary: "two rooks of a side on one file with nothing between them",
    dependencies: ANY_CHANGE,
    implied_pieces: ImpliedPieces::AtLeast(Role::Rook, 2),
    squares: |board, colour| {
        let (rooks, occupied) = (board.pieces(colour, Role::Rook), board.occupied());
        let mut doubled = 0;
        let mut rest = rooks;
        while rest != 0 {
            let rook = Square::new(rest.trailing_zeros());
            let file = file_fill(1 << rook as u32);
            doubled |= attacks::rook_attacks(rook, occupied.into()).0 & file & rooks;
            rest &= rest - 1;
        }
        doubled
    },
    ..BASIS
};
