//! The king in the centre: on the d- or e-file, at home.

use shakmaty::{Color, Role};

use super::{Anywhere, Feature, Implied, Scope};
use crate::board::squares_of;
use crate::scan::needs::Needs;

/// d1, e1, d2, e2, and what these are for Black.
const CENTRE: [u64; 2] = [0x1818, 0x1818 << 48];

/// The side's king on the d- or e-file of its own first two ranks.
pub(super) const FEATURE: Feature = Feature {
    name: "king_in_centre",
    aliases: &["king_in_center", "king_in_the_centre", "king_in_the_center"],
    summary: "the king on the d- or e-file of its side's first two ranks",
    sided: true,
    placed: true,
    depends: squares_of(Role::King as u8),
    needs: Needs::BITS,
    scope: Scope::Square(CENTRE),
    anywhere: Anywhere::Squares,
    implies: Implied::Nothing,
    squares: |board, colour| board.by(colour, Role::King) & CENTRE[usize::from(colour == Color::Black)],
};
