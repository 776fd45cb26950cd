//! The leapfrog: two white men take turns to move, and each traversal of a table completes one cycle and begins the next.
//!
//! A traversal goes through the table by slices of one outer man, W1 or W2, and treats the moves of the other, and half
//! of the white king's. All these stay in the slice, so the slice can go on by itself: what is lost at `level + 1`, begun
//! by the traversal before, is completed with this traversal's moves, and from it what is lost at `level + 2` is begun.
//! Then the slice is done with until the next traversal, which goes by slices of the other man and has the other moves.
//! Two cycles thus cost each tile two journeys, one a cycle.

pub mod canonical;
pub mod cycle;
pub mod schedule;

use crate::retrograde::geometry::KING_DIRECTIONS;

/// Which moves a traversal treats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeapfrogPhase {
    /// W1, and half of the king's.
    First,
    /// W2, the inner white men, and the other half.
    Second,
}

impl LeapfrogPhase {
    /// The turn of the traversal that completes this level.
    #[must_use]
    pub fn completing(level: u16) -> LeapfrogPhase {
        if level % 2 == 1 { LeapfrogPhase::First } else { LeapfrogPhase::Second }
    }

    /// The outer man that moves.
    #[must_use]
    pub fn moving_piece(self) -> usize {
        match self {
            LeapfrogPhase::First => 0,
            LeapfrogPhase::Second => 1,
        }
    }

    /// The king's steps, for a table with so many outer men.
    #[must_use]
    pub fn king_directions(self, outer: usize) -> &'static [(i8, i8)] {
        // All steps of a turn lead one way. A sub-slice that looks only at squares above it is done with them as soon as
        // it is loaded, if the squares come in from above: so few need be in memory at a time.
        // Where there is but one outer man, its own moves need every black man's squares in memory, and the king's moves
        // leave no room for more: they all go to the other turn.
        match (self, outer) {
            (LeapfrogPhase::First, 2) => &KING_DIRECTIONS[..4],
            (LeapfrogPhase::Second, 2) => &KING_DIRECTIONS[4..],
            (LeapfrogPhase::First, _) => &[],
            (LeapfrogPhase::Second, _) => &KING_DIRECTIONS,
        }
    }
}
