//! Pawn structures of matching positions: how many positions have each.
//!
//! Counted by run: a structure that lasts nine plies of which seven match is one run of seven; [`runs`] counts those.

mod runs;

use alloc::vec::Vec;
use core::cmp::Ordering;

use runs::{COUNT, Run, Runs};
use shakmaty::{Color, Role};

use super::TopStructures;
use crate::board::{Board, squares_of};
use crate::game::Game;
use crate::scan::predicate::Needs;
use crate::scan::reducer::{End, Ply, Reducer};

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

const PAWNS: u32 = squares_of(1) | squares_of(9);
/// Counts by pawn structure.
pub struct Structures {
    runs: Runs,
    /// Runs of other threads.
    others: Vec<Runs>,
    current: Run,
    /// Matches of the game before the current structure came up.
    since: u32,
}

impl Default for Structures {
    fn default() -> Structures {
        Structures { runs: Runs::new(), others: Vec::new(), current: 0, since: 0 }
    }
}

/// Pawns stand on ranks 2–7, 48 squares a side: a structure takes 96 bits, and leaves 32 for its count.
#[inline(always)]
fn key(board: &Board) -> Run {
    let (white, black) = (board.by(Color::White, Role::Pawn), board.by(Color::Black, Role::Pawn));
    const MIDDLE: u64 = (1 << 48) - 1;
    (u128::from(white >> 8 & MIDDLE) | u128::from(black >> 8 & MIDDLE) << 48) << 32
}

impl Structures {
    /// The run of the current structure ends with `matched` matches in the game so far.
    #[inline(always)]
    fn close(&mut self, matched: u32) {
        let count = matched - self.since;
        if count != 0 {
            self.runs.push(self.current | Run::from(count));
        }
        self.since = matched;
    }

    /// The `most` frequent, and the totals.
    pub fn top(self, most: usize) -> TopStructures {
        let mut arenas = self.others;
        arenas.push(self.runs);
        let parts = runs::count(&arenas, |counts| part(counts, most));
        let mut all = TopStructures::default();
        for mut part in parts {
            all.distinct += part.distinct;
            all.total += part.total;
            all.top.append(&mut part.top);
        }
        all.top.sort_unstable_by(order);
        all.top.truncate(most);
        all
    }
}

/// The most frequent first; equal counts by the pawns' bits.
fn order(one: &Structure, two: &Structure) -> Ordering {
    (two.count, one.white, one.black).cmp(&(one.count, two.white, two.black))
}

/// The most frequent of some structures, in any order, and the totals.
fn part(counts: &mut dyn Iterator<Item = (Run, u64)>, most: usize) -> TopStructures {
    let mut part = TopStructures::default();
    let mut least = 0;
    for (key, count) in counts {
        part.distinct += 1;
        part.total += count;
        if count < least || most == 0 {
            continue;
        }
        debug_assert_eq!(key & COUNT, 0);
        part.top.push(Structure { white: ((key >> 32) as u64) << 16 >> 8, black: ((key >> 80) as u64) << 8, count });
        // Now and then the rear is cut off, so that memory is that of the answer.
        if part.top.len() >= most.saturating_mul(2).max(64) {
            part.top.select_nth_unstable_by(most - 1, order);
            part.top.truncate(most);
            least = part.top[most - 1].count;
        }
    }
    part.top.sort_unstable_by(order);
    part.top.truncate(most);
    part
}

impl Reducer for Structures {
    fn needs(&self) -> Needs {
        Needs::BITS
    }

    #[inline(always)]
    fn begin(&mut self, _: &Game<'_>, board: &Board) {
        self.current = key(board);
        self.since = 0;
    }

    #[inline(always)]
    fn after(&mut self, ply: &Ply<'_>) {
        if ply.change & PAWNS != 0 {
            self.close(ply.matched_before);
            self.current = key(ply.board);
        }
    }

    fn end(&mut self, end: &End<'_>) {
        self.close(end.matched);
    }

    fn merge(&mut self, other: Self) {
        self.others.push(other.runs);
        self.others.extend(other.others);
    }
}
