//! Pawn structures of matching positions: how many positions have each.
//!
//! Counted by run: a structure that lasts nine plies of which seven match is one run of seven; `runs` counts those, `key` says what
//! they are.

mod key;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use key::Key;

use super::TopStructures;
use super::runs::{self, Runs};
use crate::course::{mover, pawns};
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
    /// Structures with more than three pawns on a file: there are few.
    crowded: BTreeMap<[u64; 2], u64>,
    /// Runs of other threads.
    others: Vec<Runs>,
    /// The structure of the usual array.
    usual: Key,
}

/// Bytes that the runs of all threads together should not outgrow, unless there are more structures.
const BUDGET: usize = 60 << 20;
/// So many changes after the start of a game, structures are still likely to come again in the next games.
const EARLY: u32 = 5;

impl Structures {
    /// None yet; `threads` of these share the memory.
    pub fn new(threads: usize) -> Structures {
        let usual = Key::new([0xff << 8, 0xff << 48]);
        Structures { runs: Runs::new(BUDGET / threads.max(1)), crowded: BTreeMap::new(), others: Vec::new(), usual }
    }

    /// The `most` frequent, and the totals.
    pub fn top(self, most: usize) -> TopStructures {
        let mut arenas = self.others;
        arenas.push(self.runs);
        let mut all = TopStructures { distinct: self.crowded.len() as u64, ..TopStructures::default() };
        let mut add = |[white, black]: [u64; 2], count| all.top.push(Structure { white, black, count });
        for (&pawns, &count) in &self.crowded {
            all.total += count;
            add(pawns, count);
        }
        for part in runs::count(arenas, most) {
            all.distinct += part.distinct;
            all.total += part.total;
            part.top.into_iter().for_each(|(word, count)| add(key::pawns(word), count));
        }
        all.top.sort_unstable_by_key(|one| (Reverse(one.count), one.white, one.black));
        all.top.truncate(most);
        all
    }

    #[inline(always)]
    fn push(&mut self, key: Key, pawns: [u64; 2], count: u32, is_early: bool) {
        match key.word() {
            _ if count == 0 => {}
            Some(word) if is_early => self.runs.push_again(word, count.into()),
            Some(word) => self.runs.push(word, count.into()),
            None => *self.crowded.entry(pawns).or_default() += u64::from(count),
        }
    }
}

impl Reducer for Structures {
    #[inline(never)]
    fn game(&mut self, found: &Found<'_>) {
        let (first, plies) = (found.start.turn, found.game.moves.len());
        let mut pawns = [found.start.of[1], found.start.of[9]];
        let mut key = if found.game.has_own_start() { Key::new(pawns) } else { self.usual };
        let (mut since, mut ply, mut changes) = (0, 0, 0);
        for &event in found.course.pawns {
            ply += pawns::gap(event);
            if ply > plies {
                break;
            }
            self.push(key, pawns, found.matches.between(since, ply - 1), changes < EARLY);
            changes += 1;
            since = ply - 1;
            let changed = pawns::change(event, mover(first, ply));
            pawns = [pawns[0] ^ changed[0], pawns[1] ^ changed[1]];
            let [one, two] = pawns::files(event);
            key = key.with(pawns, one).with(pawns, two);
        }
        self.push(key, pawns, found.matches.between(since, plies), changes < EARLY);
    }

    fn merge(&mut self, other: Self) {
        self.others.push(other.runs);
        self.others.extend(other.others);
        for (pawns, count) in other.crowded {
            *self.crowded.entry(pawns).or_default() += count;
        }
    }
}
