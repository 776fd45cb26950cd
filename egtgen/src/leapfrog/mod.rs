//! The leapfrog: two white pieces take turns to move, and each traversal of a table completes one cycle and begins the next.
//!
//! A traversal goes through the table in slices. In a slice one outer piece, W1 or W2, stands on squares of one class. The
//! traversal applies the moves of the other outer piece and half of the moves of the white king. These moves stay
//! in the slice, so each slice is processed by itself. The traversal before has begun the positions lost at `level + 1`; this
//! one completes them with its moves, and begins those lost at `level + 2`. The next traversal goes through slices of
//! the other piece and applies the other moves. So each tile is loaded and saved once per cycle.

pub mod canonical;
pub mod cycle;
pub mod schedule;

use crate::retrograde::geometry::KING_DIRECTIONS;

/// The moves that a traversal applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeapfrogPhase {
    /// The moves of W1, and half of the king's.
    First,
    /// The moves of W2 and of the inner white pieces, and the other half of the king's.
    Second,
}

impl LeapfrogPhase {
    /// The phase of the traversal that completes this level.
    #[must_use]
    pub fn completing(level: u16) -> LeapfrogPhase {
        if level % 2 == 1 { LeapfrogPhase::First } else { LeapfrogPhase::Second }
    }

    /// The number of the outer piece that moves.
    #[must_use]
    pub fn moving_piece(self) -> usize {
        match self {
            LeapfrogPhase::First => 0,
            LeapfrogPhase::Second => 1,
        }
    }

    /// The king's steps in this phase, for a table with `outer` outer pieces.
    #[must_use]
    pub fn king_directions(self, outer: usize) -> &'static [(i8, i8)] {
        // All steps of a phase lead the same way. If they lead up, sub-slices are loaded from the top, and each is ready as
        // soon as it is loaded. So few need to be in memory at a time.
        // If there is only one outer piece, its moves need all squares of that piece in memory, which leaves no room for
        // the king's neighbours. So all steps of the king belong to the other phase.
        match (self, outer) {
            (LeapfrogPhase::First, 2) => &KING_DIRECTIONS[..4],
            (LeapfrogPhase::Second, 2) => &KING_DIRECTIONS[4..],
            (LeapfrogPhase::First, _) => &[],
            (LeapfrogPhase::Second, _) => &KING_DIRECTIONS,
        }
    }
}
