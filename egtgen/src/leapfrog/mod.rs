//! The leapfrog: two white pieces take turns to move, and each traversal of a table completes one cycle and begins the next.
//!
//! A traversal goes through the table in slices. In a slice one outer piece, W1 or W2, stands on squares of one class. The
//! traversal applies the moves of the other outer piece and half of the moves of the white king. These moves stay
//! in the slice, so each slice is processed by itself. The traversal before has begun the positions lost at `level + 1`; this
//! one completes them with its moves, and begins those lost at `level + 2`. The next traversal goes through slices of
//! the other piece and applies the other moves. So each tile is loaded and saved once per cycle.

pub mod block;
pub mod canonical;
pub mod chunks;
pub mod level_lists;
pub mod resident;
pub mod schedule;
pub mod streaming;

use std::sync::atomic::AtomicBool;

use plyfold_tables::index::TableIndex;

use self::canonical::CanonicalWords;
use self::level_lists::{TileLevelLists, TraversalCounts};
use self::schedule::{ScheduleStep, schedules};
use crate::Error;
use crate::retrograde::black::PawnSliceContext;
use crate::retrograde::geometry::{KING_DIRECTIONS, is_on_diagonal};
use crate::store::TileState;

/// The context of a traversal: what it needs besides the tiles of its pawn slice.
pub struct Leapfrog<'a> {
    /// The index of the table.
    pub index: &'a TableIndex,
    /// The pawn slice.
    pub pawn_slice: u32,
    /// Its pieces and conversions.
    pub context: PawnSliceContext<'a>,
    /// The words that files have.
    pub canonical: &'a CanonicalWords,
    /// How many threads work at once.
    pub threads: usize,
    /// Ends the work early when it becomes true.
    pub stop: &'a AtomicBool,
}

/// Takes the lists of a completed level, tile by tile.
pub type TakeLists<'a> = &'a mut (dyn FnMut(TileLevelLists) -> Result<(), Error> + Send);

/// The tiles of a pawn slice, and the way through them.
pub trait Tiles: Sync {
    /// Puts a tile in, in its initial or restored state.
    ///
    /// # Errors
    ///
    /// The tile cannot be stored.
    fn put(&self, leapfrog: &Leapfrog, tile: u32, content: TileState) -> Result<(), Error>;

    /// Ends the first phase, in which every tile was put in once.
    ///
    /// # Errors
    ///
    /// The tiles cannot be stored.
    fn end_put(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Begins the leapfrog where tiles stream: applies the moves of a phase to the positions lost at the last level. The next
    /// traversal, of the other phase, then completes the level after.
    ///
    /// # Errors
    ///
    /// A tile cannot be loaded or stored, or [`Error::Stopped`].
    fn begin_first_level(&self, _leapfrog: &Leapfrog, _phase: LeapfrogPhase) -> Result<(), Error> {
        Ok(())
    }

    /// Completes a level, passes its lists to `take` in the order of the slices, and begins the next level.
    ///
    /// # Errors
    ///
    /// A tile cannot be loaded or stored, `take` fails, or [`Error::Stopped`].
    fn complete_level(
        &self,
        leapfrog: &Leapfrog,
        phase: LeapfrogPhase,
        take: TakeLists,
    ) -> Result<TraversalCounts, Error>;

    /// The positions of a tile that are not won.
    ///
    /// # Errors
    ///
    /// The tile cannot be loaded.
    fn not_won(&self, leapfrog: &Leapfrog, tile: u32) -> Result<Vec<u64>, Error>;

    /// Bytes of tiles read from and written to a scratch file so far.
    fn traffic(&self) -> (u64, u64) {
        (0, 0)
    }
}

impl Leapfrog<'_> {
    /// The tiles in the order in which a traversal completes them.
    fn tiles_in_order(&self, phase: LeapfrogPhase) -> Vec<u32> {
        if self.index.tiles() == 1 {
            return vec![0];
        }
        let steps = schedules(self.index, phase).into_iter().flat_map(|plan| plan.steps);
        let kings =
            steps.filter_map(|step| if let ScheduleStep::FirstSubCycle(kings) = step { Some(kings) } else { None });
        let kings: Vec<usize> = kings.collect();
        let moving_classes = self.index.outer_classes(phase.moving_piece()).count();
        let fixed_classes = 0..self.index.outer_classes(1 - phase.moving_piece()).count();
        let tiles = fixed_classes.flat_map(move |fixed| {
            let tile = move |kings: usize, moving: usize| match phase {
                LeapfrogPhase::First => self.index.tile(kings, moving, fixed),
                LeapfrogPhase::Second => self.index.tile(kings, fixed, moving),
            };
            kings.clone().into_iter().flat_map(move |kings| (0..moving_classes).map(move |moving| tile(kings, moving)))
        });
        tiles.collect()
    }
}

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
        self as usize
    }

    /// Returns whether White has any moves in this phase.
    #[must_use]
    pub fn has_moves(self, index: &TableIndex) -> bool {
        self == LeapfrogPhase::Second || index.outer_count() > 0
    }

    /// The king's steps from a square in this phase.
    #[must_use]
    pub fn king_directions(self, index: &TableIndex, from: u8) -> &'static [(i8, i8)] {
        // All steps of a phase lead the same way. If they lead up, sub-slices are loaded from the top, and each is ready as
        // soon as it is loaded. So few need to be in memory at a time.
        // Without pawns, the steps of a phase from the diagonal are their own mirror images, as are the other moves of chunks.
        let upward = if is_on_diagonal(from) && !index.has_pawns() { 5 } else { 4 };
        // If there is only one outer piece, its moves need all squares of that piece in memory, which leaves no room for
        // the king's neighbours. So all steps of the king belong to the other phase.
        match (self, index.outer_count()) {
            (LeapfrogPhase::First, 2) => &KING_DIRECTIONS[..upward],
            (LeapfrogPhase::Second, 2) => &KING_DIRECTIONS[upward..],
            (LeapfrogPhase::First, _) => &[],
            (LeapfrogPhase::Second, _) => &KING_DIRECTIONS,
        }
    }
}
