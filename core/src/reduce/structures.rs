//! Pawn structures of matching positions: how many positions have each.
//!
//! Counted by run: a structure that lasts nine plies of which seven match is one insert of seven. Runs are put aside and
//! inserted many at a time, so that the processor waits for several cache lines at once.

use alloc::vec;
use alloc::vec::Vec;

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
/// Runs put aside before they are inserted.
const ASIDE: usize = 1024;

/// Counts by pawn structure.
pub struct Structures {
    table: Table,
    aside: Vec<u128>,
    current: u128,
    /// Matches of the game before the current structure came up.
    since: u32,
}

impl Default for Structures {
    fn default() -> Structures {
        Structures { table: Table::new(), aside: Vec::with_capacity(ASIDE), current: 0, since: 0 }
    }
}

/// Pawns stand on ranks 2–7, 48 squares a side: a structure takes 96 bits, and leaves 32 for its count.
#[inline(always)]
fn key(board: &Board) -> u128 {
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
            self.aside.push(self.current | u128::from(count));
            if self.aside.len() == ASIDE {
                self.table.add_all(&mut self.aside);
            }
        }
        self.since = matched;
    }

    /// The `most` frequent, and the totals.
    pub fn top(mut self, most: usize) -> TopStructures {
        self.table.add_all(&mut self.aside);
        self.table.top(most)
    }
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

    fn merge(&mut self, mut other: Self) {
        self.table.add_all(&mut self.aside);
        other.table.add_all(&mut other.aside);
        self.table.merge(other.table);
    }
}

/// Independent parts of the table: growing one moves little, and two tables merge part by part.
const PARTS: usize = 64;

/// Open addressing in 16 bytes an entry, structure above count; 0 is free.
struct Table {
    parts: Vec<Part>,
    /// Counts that outgrew 32 bits: structure and what was taken off.
    overflow: Vec<(u128, u64)>,
}

#[derive(Default)]
struct Part {
    slots: Vec<u128>,
    used: usize,
}

const COUNT: u128 = u32::MAX as u128;

/// Mixes the 96 bits of a structure into 64.
#[inline(always)]
fn hash(key: u128) -> u64 {
    let (low, high) = ((key >> 32) as u64, (key >> 80) as u64);
    let product = u128::from(low ^ 0x9e37_79b9_7f4a_7c15) * u128::from(high.rotate_left(23) ^ 0xd1b5_4a32_d192_ed03);
    (product as u64 ^ (product >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Table {
    fn new() -> Table {
        Table { parts: (0..PARTS).map(|_| Part::default()).collect(), overflow: Vec::new() }
    }

    fn add_all(&mut self, runs: &mut Vec<u128>) {
        for run in runs.drain(..) {
            let hash = hash(run);
            let spill = self.parts[(hash >> 58) as usize % PARTS].add(run, hash);
            self.overflow.extend(spill);
        }
    }

    fn merge(&mut self, other: Table) {
        let pair = |(mine, theirs): (&mut Part, Part)| -> Vec<(u128, u64)> {
            let (large, small) =
                if mine.used < theirs.used { (theirs, core::mem::take(mine)) } else { (core::mem::take(mine), theirs) };
            *mine = large;
            small.slots.into_iter().filter(|&slot| slot != 0).filter_map(|slot| mine.add(slot, hash(slot))).collect()
        };
        #[cfg(feature = "rayon")]
        let spilled: Vec<_> = {
            use rayon::iter::{
                IndexedParallelIterator, IntoParallelIterator, IntoParallelRefMutIterator, ParallelIterator,
            };
            self.parts.par_iter_mut().zip(other.parts.into_par_iter()).map(pair).collect()
        };
        #[cfg(not(feature = "rayon"))]
        let spilled: Vec<_> = self.parts.iter_mut().zip(other.parts).map(pair).collect();
        self.overflow.extend(spilled.into_iter().flatten());
        self.overflow.extend(other.overflow);
    }

    fn top(&self, most: usize) -> TopStructures {
        let slots = || self.parts.iter().flat_map(|part| part.slots.iter().copied()).filter(|&slot| slot != 0);
        let structure = |slot: u128| {
            let key = slot & !COUNT;
            let spilled = self.overflow.iter().filter(|(other, _)| *other == key).map(|(_, count)| count);
            Structure {
                white: ((key >> 32) as u64) << 16 >> 8,
                black: ((key >> 80) as u64) << 8,
                count: (slot & COUNT) as u64 + spilled.sum::<u64>(),
            }
        };
        let mut all: Vec<Structure> = Vec::new();
        let order = |one: &Structure, two: &Structure| {
            (two.count, one.white, one.black).cmp(&(one.count, two.white, two.black))
        };
        let (mut distinct, mut total) = (0, 0);
        for slot in slots() {
            let structure = structure(slot);
            distinct += 1;
            total += structure.count;
            if most == 0 {
                continue;
            }
            all.push(structure);
            // Now and then the rear is cut off, so that memory is that of the answer.
            if all.len() >= most.saturating_mul(2).max(1 << 12) {
                all.select_nth_unstable_by(most - 1, order);
                all.truncate(most);
            }
        }
        all.sort_unstable_by(order);
        all.truncate(most);
        TopStructures { distinct, total, top: all }
    }
}

impl Part {
    /// Adds the count of `run` to its structure; returns what must be kept elsewhere because 32 bits are full.
    #[inline(always)]
    fn add(&mut self, run: u128, hash: u64) -> Option<(u128, u64)> {
        if self.used * 8 >= self.slots.len() * 7 {
            self.grow();
        }
        let capacity = self.slots.len();
        // The top six bits chose the part.
        let mut at = ((u128::from(hash << 6) * capacity as u128) >> 64) as usize;
        loop {
            let slot = &mut self.slots[at];
            if *slot == 0 {
                *slot = run;
                self.used += 1;
                return None;
            }
            if (*slot ^ run) & !COUNT == 0 {
                let count = (*slot & COUNT) as u64 + (run & COUNT) as u64;
                if count <= u64::from(u32::MAX) {
                    *slot += run & COUNT;
                    return None;
                }
                *slot = *slot & !COUNT | 1;
                return Some((run & !COUNT, count - 1));
            }
            at += 1;
            if at == capacity {
                at = 0;
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let capacity = (self.slots.len() + self.slots.len() / 2).max(64);
        let old = core::mem::replace(&mut self.slots, vec![0; capacity]);
        self.used = 0;
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            self.add(slot, hash(slot));
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The table counts as a sorted map does, split and merged anywhere, counts beyond 32 bits included.
        #[test]
        fn table_equals_map(
            runs in prop::collection::vec((0u64..300, 0u64..3, prop_oneof![1u32..9, Just(u32::MAX)]), 0..4000),
            cut in 0usize..4000,
        ) {
            let mut expected: BTreeMap<(u64, u64), u64> = BTreeMap::new();
            let mut packed: Vec<u128> = Vec::new();
            for &(white, black, count) in &runs {
                let (white, black) = (white << 20, black << 9);
                *expected.entry((white, black)).or_default() += u64::from(count);
                packed.push((u128::from(white >> 8) | u128::from(black >> 8) << 48) << 32 | u128::from(count));
            }
            let mut second = packed.split_off(cut.min(packed.len()));
            let (mut one, mut two) = (Table::new(), Table::new());
            one.add_all(&mut packed);
            two.add_all(&mut second);
            one.merge(two);
            let found = one.top(usize::MAX);
            prop_assert_eq!(found.distinct, expected.len() as u64);
            prop_assert_eq!(found.total, expected.values().sum::<u64>());
            let found_map: BTreeMap<_, _> = found.top.iter().map(|found| ((found.white, found.black), found.count)).collect();
            prop_assert_eq!(found_map, expected);
            prop_assert!(found.top.windows(2).all(|pair| pair[0].count >= pair[1].count));
            prop_assert_eq!(&one.top(3).top[..], &found.top[..found.top.len().min(3)]);
        }
    }
}
