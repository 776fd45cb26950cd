//! Pawn islands: pawns on neighbouring files, with a file that has none on either side.

use shakmaty::Role;

use super::{Anywhere, Feature, Implied, Scope, files_of, in_front};
use crate::board::make::FILE_H;
use crate::board::squares_of;
use crate::scan::needs::Needs;

/// One pawn an island: the least advanced on the file nearest to the a-file, so that counting them counts the islands.
///
/// `pawns`, less those ahead of another and those with a friend on the file to the left.
pub(super) const FEATURE: Feature = Feature {
    name: "pawn_island",
    aliases: &["pawn_islands"],
    summary: "one pawn of each group on neighbouring files, the rearmost of its leftmost file",
    sided: true,
    placed: true,
    depends: squares_of(Role::Pawn as u8),
    needs: Needs::PAWNS,
    scope: Scope::Files { ranks: false },
    anywhere: Anywhere::Squares,
    implies: Implied::Men(Role::Pawn, 1),
    squares: |board, colour| {
        let pawns = board.by(colour, Role::Pawn);
        pawns & !in_front(pawns, colour) & !((files_of(pawns) & !FILE_H) << 1)
    },
};
