//! Castled: the side has castled in the course of the game.
//!
//! A fact of the course, not of the board: a king that walked to g1 has not castled. In a game from a position set up, only what
//! is castled in the game counts.

use shakmaty::{Color, Role};

use super::{Anywhere, Feature, Implied, Scope};
use crate::board::{Board, CASTLED, squares_of};
use crate::scan::needs::Needs;

/// The king's square if the side has castled on one of the wings in `wings` (bit 0 short, bit 1 long).
fn king_if(board: &Board, colour: Color, wings: u8) -> u64 {
    let shift = if colour == Color::White { 0 } else { 2 };
    if board.castled >> shift & wings != 0 { board.by(colour, Role::King) } else { 0 }
}

macro_rules! castled {
    ($feature:ident, $wings:literal, $name:literal, $aliases:expr, $summary:literal) => {
        #[doc = concat!("The king's square once the side has ", $summary, ".")]
        pub(super) const $feature: Feature = Feature {
            name: $name,
            aliases: $aliases,
            summary: $summary,
            sided: true,
            placed: true,
            depends: CASTLED | squares_of(Role::King as u8),
            needs: Needs::BITS,
            scope: Scope::Square([u64::MAX; 2]),
            anywhere: Anywhere::Castled($wings),
            implies: Implied::Nothing,
            squares: |board, colour| king_if(board, colour, $wings),
        };
    };
}

castled!(EITHER_SIDE, 3, "castled", &["king_castled"], "castled on either wing");
castled!(SHORT, 1, "castled_short", &["castled_kingside"], "castled on the king's wing");
castled!(LONG, 2, "castled_long", &["castled_queenside"], "castled on the queen's wing");
