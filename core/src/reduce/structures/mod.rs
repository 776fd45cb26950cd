//! Pawn structures of matching positions: how many positions have each.
//!
//! Counted by run: a structure that lasts nine plies of which seven match is one run of seven; `runs` counts those.

mod runs;

use alloc::vec::Vec;

use runs::{Run, Runs};

use super::TopStructures;
use crate::course::pawns;
use crate::scan::needs::Needs;
use crate::scan::reducer::{Found, Reducer};

/// A pawn structure and the number of matching positions that have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Structure {
    /// Squares of white pawns, a1 lowest.
    pub white: u64,
    /// Squares of black pawns, a1 lowest.
    pub black: u64,
    /// Positions.
    pub count: u64,
}

/// Counts by pawn structure.
pub struct Structures {
    runs: Runs,
    /// Runs of other threads.
    others: Vec<Runs>,
}

/// Bytes that the runs of all threads together should not outgrow, unless there are more structures.
const BUDGET: usize = 60 << 20;

/// Pawns stand on ranks 2–7, 48 squares a side: a structure takes 96 bits, white above black, and leaves 32 for its count.
#[inline(always)]
fn run(pawns: [u64; 2], count: u32) -> Run {
    const MIDDLE: u64 = (1 << 48) - 1;
    (Run::from(pawns[0] >> 8 & MIDDLE) << 48 | Run::from(pawns[1] >> 8 & MIDDLE)) << 32 | Run::from(count)
}

/// The pawns of a key.
fn structure((key, count): (Run, u64)) -> Structure {
    Structure { white: ((key >> 80) as u64) << 8, black: ((key >> 32) as u64) << 16 >> 8, count }
}

impl Structures {
    /// None yet; `threads` of these share the memory.
    pub fn new(threads: usize) -> Structures {
        Structures { runs: Runs::new(BUDGET / threads.max(1)), others: Vec::new() }
    }

    /// The `most` frequent, and the totals.
    pub fn top(self, most: usize) -> TopStructures {
        let mut arenas = self.others;
        arenas.push(self.runs);
        let mut all = TopStructures::default();
        let mut top = Vec::new();
        for part in runs::count(&arenas, most) {
            all.distinct += part.distinct;
            all.total += part.total;
            top.extend(part.top);
        }
        top.sort_unstable_by(runs::order);
        all.top = top.into_iter().take(most).map(structure).collect();
        all
    }
}

impl Reducer for Structures {
    fn needs(&self) -> Needs {
        Needs::NOTHING
    }

    #[inline(always)]
    fn game(&mut self, found: &Found<'_>) {
        let mut walk = pawns::Walk::on(found.start, found.course.pawns);
        let plies = found.game.moves.len();
        let mut since = 0;
        while since < plies {
            // The structure of the plies after `since`, up to the one before the next change.
            let next = walk.next_ply().min(plies + 1);
            let count = found.matches.between(since, next - 1);
            if count != 0 {
                self.runs.push(run(walk.pawns(), count));
            }
            since = next - 1;
            walk.step();
            if next > plies {
                return;
            }
        }
    }

    fn merge(&mut self, other: Self) {
        self.others.push(other.runs);
        self.others.extend(other.others);
    }
}
