//! Fianchetto: a bishop on b2 or g2 behind the pawn that made way for it.

use shakmaty::{Color, Role};

use super::{Anywhere, Feature, Implied, Scope, ahead, squares_of_all};
use crate::scan::needs::Needs;

/// b2 and g2, and b7 and g7.
const SQUARES: [u64; 2] = [0x42 << 8, 0x42 << 48];

/// The side's bishops on b2 and g2 (Black's on b7 and g7) with a pawn of the side one or two squares ahead on the file.
pub(super) const FEATURE: Feature = Feature {
    name: "fianchetto",
    aliases: &["fianchettoed_bishop", "fianchettos"],
    summary: "a bishop on b2 or g2 (b7, g7) with a pawn of its side one or two squares ahead of it",
    sided: true,
    placed: true,
    depends: squares_of_all([1, 3]),
    needs: Needs::BITS,
    scope: Scope::Board,
    anywhere: Anywhere::Squares,
    implies: Implied::Men(Role::Bishop, 1),
    squares: |board, colour| {
        let behind = ahead(board.by(colour, Role::Pawn), !colour);
        let bishops = board.by(colour, Role::Bishop) & SQUARES[usize::from(colour == Color::Black)];
        bishops & (behind | ahead(behind, !colour))
    },
};
