//! Rook on a half-open file: one with enemy pawns and none of its own side.

use shakmaty::Role;

use super::{Anywhere, Feature, Implied, Scope, open_file, squares_of_all};
use crate::scan::needs::Needs;

/// The side's rooks on files where the other side has pawns and this side has none.
pub(super) const FEATURE: Feature = Feature {
    name: "rook_on_half_open_file",
    aliases: &["rook_on_semi_open_file"],
    summary: "a rook on a file with enemy pawns and none of its side",
    sided: true,
    placed: true,
    depends: squares_of_all([4, 1, 9]),
    needs: Needs::BITS,
    scope: Scope::Board,
    anywhere: Anywhere::Squares,
    implies: Implied::Men(Role::Rook, 1),
    squares: |board, colour| board.by(colour, Role::Rook) & open_file::half_open(board, colour),
};
