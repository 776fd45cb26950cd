//! Rook on an open file: a file without pawns of either side.

use shakmaty::{Color, Role};

use super::{Anywhere, Feature, Implied, Scope, files_of, squares_of_all};
use crate::scan::needs::Needs;

/// The side's rooks on files without any pawn.
pub(super) const FEATURE: Feature = Feature {
    name: "rook_on_open_file",
    aliases: &["rook_on_an_open_file"],
    summary: "a rook on a file without pawns",
    sided: true,
    placed: true,
    depends: squares_of_all([4, 1, 9]),
    needs: Needs::BITS,
    scope: Scope::Board,
    anywhere: Anywhere::Squares,
    implies: Implied::Men(Role::Rook, 1),
    squares: |board, colour| {
        let pawns = board.by(Color::White, Role::Pawn) | board.by(Color::Black, Role::Pawn);
        board.by(colour, Role::Rook) & !files_of(pawns)
    },
};
