//! Open and half-open files.

use shakmaty::{Color, Role};

use super::{Anywhere, Feature, Implied, Scope, files_of, squares_of_all};
use crate::board::Board;
use crate::scan::needs::Needs;

/// Every square of the files without any pawn; speaks of no side: `!files_of(pawns)`.
pub(super) const OPEN: Feature = Feature {
    name: "open_file",
    aliases: &["open_files"],
    summary: "a file without pawns; all its squares",
    sided: false,
    placed: true,
    depends: squares_of_all([1, 9]),
    needs: Needs::PAWNS,
    // PERF: ranks do not matter, but numbers of both sides on all files come in too many cases to be remembered.
    scope: Scope::Files { ranks: true },
    anywhere: Anywhere::Squares,
    implies: Implied::Nothing,
    squares: |board, _| !files_of(board.by(Color::White, Role::Pawn) | board.by(Color::Black, Role::Pawn)),
};

/// Every square of the files on which the other side has pawns and this side has none:
/// `files_of(enemy pawns) & !files_of(pawns)`.
pub(super) const HALF_OPEN: Feature = Feature {
    name: "half_open_file",
    aliases: &["half_open_files", "semi_open_file", "semi_open_files"],
    summary: "a file with enemy pawns and none of the side's; all its squares",
    sided: true,
    placed: true,
    depends: squares_of_all([1, 9]),
    needs: Needs::PAWNS,
    // PERF: ranks do not matter, but numbers of both sides on all files come in too many cases to be remembered.
    scope: Scope::Files { ranks: true },
    anywhere: Anywhere::Squares,
    implies: Implied::Nothing,
    squares: half_open,
};

/// Whole files with pawns of the other side and none of `colour`.
pub(super) fn half_open(board: &Board, colour: Color) -> u64 {
    files_of(board.by(!colour, Role::Pawn)) & !files_of(board.by(colour, Role::Pawn))
}
