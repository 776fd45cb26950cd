//! Counting many keys exactly, a great part of them different, at a few nanoseconds each.
//!
//! One large hash table would miss the cache at every key, and pay again to grow and to merge. So keys are put aside by the
//! top bits of their hash, in order of arrival, and counted one partition after the other in a table that stays in cache:
//!
//! ```text
//! push   run ─► front ─another key took its place─► staging[partition] ─full─► chunk of 32 runs in an arena
//! shrink when the arena is over its budget: count each partition, write back one run a key into the same chunks
//! count  for each partition, on all threads: chunks of all arenas ─► table ─► distinct, total, top
//! ```
//!
//! The front is a small table without probing: it adds up what comes again soon, on real games three runs in ten.
//! Arenas of several threads are never merged, only read side by side. Memory is 16 bytes a run until the budget is reached,
//! then 16 bytes a different key and half as much again, and a table of one partition.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// A key above 32 bits of count. No count is 0, so 0 is no run.
pub(super) type Run = u128;

/// The bits of a run that count.
pub(super) const COUNT: u128 = u32::MAX as u128;

const PARTITION_BITS: u32 = 9;
const PARTITIONS: usize = 1 << PARTITION_BITS;
/// Runs in a chunk: what is staged before it is written to the arena.
const CHUNK: usize = 32;
/// Chunks that are allocated at a time.
const SLAB: usize = 512;
/// Bytes of a chunk.
const CHUNK_BYTES: usize = CHUNK * size_of::<Run>();
/// The front has so many slots: 512 KiB.
const FRONT_BITS: u32 = 15;

/// Mixes the 96 bits of a key into 64.
#[inline(always)]
fn hash(run: Run) -> u64 {
    let (low, high) = ((run >> 32) as u64, (run >> 64) as u64);
    let product = u128::from(low ^ 0x9e37_79b9_7f4a_7c15) * u128::from(high ^ 0xd1b5_4a32_d192_ed03);
    (product as u64 ^ (product >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Runs put aside by one thread.
pub(super) struct Runs {
    front: Vec<Run>,
    staged: Vec<Run>,
    fill: [u8; PARTITIONS],
    slabs: Vec<Vec<Run>>,
    /// Partition of each chunk, in the order of the arena.
    owners: Vec<u16>,
    /// Chunks that shrinking has emptied.
    free: Vec<u32>,
    /// Chunks that the arena should not outgrow.
    budget: usize,
    /// Chunks at which it is shrunk.
    shrink_at: usize,
    table: Table,
}

impl Runs {
    /// No runs; shrunk whenever they take more than `budget` bytes.
    pub fn new(budget: usize) -> Runs {
        let budget = (budget / CHUNK_BYTES).max(1);
        Runs {
            front: vec![0; 1 << FRONT_BITS],
            staged: vec![0; PARTITIONS * CHUNK],
            fill: [0; PARTITIONS],
            slabs: Vec::new(),
            owners: Vec::new(),
            free: Vec::new(),
            budget,
            shrink_at: budget,
            table: Table::default(),
        }
    }

    /// Adds a run; its count is not 0.
    ///
    /// PERF: whether the front knows a key is a toss of a coin, so there is no branch on it: what was in the front is always
    /// staged, and stays staged only if it was another key. Both have the same partition, the top bits of one hash.
    #[inline(always)]
    pub fn push(&mut self, run: Run) {
        let hash = hash(run);
        let slot = &mut self.front[(hash >> (64 - FRONT_BITS)) as usize];
        let old = *slot;
        let count = (old & COUNT) + (run & COUNT);
        let joined = (old ^ run) & !COUNT == 0 && count <= COUNT;
        *slot = if joined { run & !COUNT | count } else { run };
        let partition = (hash >> (64 - PARTITION_BITS)) as usize;
        let fill = usize::from(self.fill[partition]);
        self.staged[partition * CHUNK + fill % CHUNK] = old;
        let fill = fill + usize::from(!joined & (old != 0));
        self.fill[partition] = fill as u8;
        if fill == CHUNK {
            self.flush(partition);
        }
    }

    #[inline(never)]
    fn flush(&mut self, partition: usize) {
        if self.owners.len() - self.free.len() >= self.shrink_at {
            self.shrink();
        }
        let from = partition * CHUNK;
        let chunk = self.free.pop().unwrap_or_else(|| {
            if self.owners.len() == self.slabs.len() * SLAB {
                self.slabs.push(Vec::with_capacity(SLAB * CHUNK));
            }
            self.owners.push(0);
            self.owners.len() as u32 - 1
        }) as usize;
        self.owners[chunk] = partition as u16;
        let runs = &self.staged[from..from + CHUNK];
        let slab = &mut self.slabs[chunk / SLAB];
        let at = chunk % SLAB * CHUNK;
        if at == slab.len() {
            slab.extend_from_slice(runs);
        } else {
            slab[at..at + CHUNK].copy_from_slice(runs);
        }
        self.fill[partition] = 0;
    }

    /// Counts each partition and writes back one run a key.
    fn shrink(&mut self) {
        let mut table = core::mem::take(&mut self.table);
        for (partition, chunks) in self.chunks().into_iter().enumerate() {
            table.clear(chunks.len() * CHUNK);
            for &chunk in &chunks {
                table.add_all(self.chunk(chunk));
            }
            let mut keys = table.runs();
            for chunk in chunks {
                let (slab, at) = (chunk as usize / SLAB, chunk as usize % SLAB * CHUNK);
                let mut filled = 0;
                for slot in &mut self.slabs[slab][at..at + CHUNK] {
                    *slot = keys.next().unwrap_or(0);
                    filled += usize::from(*slot != 0);
                }
                if filled == 0 {
                    self.free.push(chunk);
                }
                debug_assert_eq!(usize::from(self.owners[chunk as usize]), partition);
            }
        }
        self.table = table;
        let used = self.owners.len() - self.free.len();
        self.shrink_at = self.budget.max(used + used / 2);
    }

    /// Numbers of the chunks of each partition.
    fn chunks(&self) -> Vec<Vec<u32>> {
        let mut chunks = vec![Vec::new(); PARTITIONS];
        let mut free = vec![false; self.owners.len()];
        self.free.iter().for_each(|&chunk| free[chunk as usize] = true);
        for (chunk, &owner) in self.owners.iter().enumerate().filter(|&(chunk, _)| !free[chunk]) {
            chunks[usize::from(owner)].push(chunk as u32);
        }
        chunks
    }

    fn chunk(&self, chunk: u32) -> &[Run] {
        let at = chunk as usize % SLAB * CHUNK;
        &self.slabs[chunk as usize / SLAB][at..at + CHUNK]
    }

    /// What is staged and what is in the front.
    fn recent(&self, partition: usize) -> [&[Run]; 2] {
        let from = partition * CHUNK;
        let front = 1 << (FRONT_BITS - PARTITION_BITS);
        let staged = &self.staged[from..from + usize::from(self.fill[partition])];
        [staged, &self.front[partition * front..(partition + 1) * front]]
    }
}

/// What a partition has, or all of them.
#[derive(Default)]
pub(super) struct Counts {
    /// Different keys.
    pub distinct: u64,
    /// The counts of all keys together.
    pub total: u64,
    /// Keys with the highest counts, in no order: the first by [`order`], and maybe more.
    pub top: Vec<(Run, u64)>,
}

/// Counts the runs that several threads have put aside: for each partition the totals, and what may be among the `most` frequent
/// keys of all. The order is that of the partitions, the same for any number of threads.
pub(super) fn count(arenas: &[Runs], most: usize) -> Vec<Counts> {
    let chunks: Vec<Vec<Vec<u32>>> = arenas.iter().map(Runs::chunks).collect();
    let partition = |table: &mut Table, partition: usize| {
        let recent = CHUNK + (1 << (FRONT_BITS - PARTITION_BITS));
        table.clear(chunks.iter().map(|chunks| chunks[partition].len() * CHUNK + recent).sum());
        for (runs, chunks) in arenas.iter().zip(&chunks) {
            let chunks = &chunks[partition];
            for (nth, &chunk) in chunks.iter().enumerate() {
                // PERF: chunks lie anywhere in the arena, so the next is asked for while this one is counted.
                let next = chunks.get(nth + 1).map_or(&[][..], |&next| runs.chunk(next));
                core::hint::black_box(next.iter().step_by(4).fold(0, |all, &run| all ^ run as u64));
                table.add_all(runs.chunk(chunk));
            }
            runs.recent(partition).into_iter().for_each(|runs| table.add_all(runs));
        }
        table.counts(most)
    };
    #[cfg(feature = "rayon")]
    {
        use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
        (0..PARTITIONS)
            .into_par_iter()
            .with_min_len(16)
            .map_init(Table::default, |table, nth| partition(table, nth))
            .collect()
    }
    #[cfg(not(feature = "rayon"))]
    {
        let mut table = Table::default();
        (0..PARTITIONS).map(|nth| partition(&mut table, nth)).collect()
    }
}

/// The most frequent first; equal counts by the key.
pub(super) fn order(one: &(Run, u64), two: &(Run, u64)) -> Ordering {
    (two.1, one.0).cmp(&(one.1, two.0))
}

/// Counts of one partition: open addressing, at most four fifths full.
#[derive(Default)]
struct Table {
    slots: Vec<Run>,
    shift: u32,
    distinct: u64,
    total: u64,
    /// What did not fit into 32 bits of count, as further runs.
    spilled: Vec<Run>,
}

impl Table {
    /// Empties the table and makes room for `runs`.
    fn clear(&mut self, runs: usize) {
        let capacity = (runs + runs / 4 + 1).next_power_of_two();
        self.slots.clear();
        self.slots.resize(capacity, 0);
        self.shift = 64 - PARTITION_BITS - capacity.trailing_zeros();
        self.spilled.clear();
        (self.distinct, self.total) = (0, 0);
    }

    /// Where a run is looked for first: by the bits of the hash below those that chose the partition.
    #[inline(always)]
    fn home(&self, run: Run) -> usize {
        (hash(run) >> self.shift) as usize & (self.slots.len() - 1)
    }

    /// PERF: whether a slot is free is a toss of a coin, and a wrong guess waits for the slot to arrive from the outer caches. So
    /// the slots of all runs are fetched first, which they can be side by side.
    fn add_all(&mut self, runs: &[Run]) {
        let fetched = runs
            .iter()
            .fold((0, 0), |(all, total), &run| (all ^ self.slots[self.home(run)] as u64, total + (run & COUNT) as u64));
        core::hint::black_box(fetched.0);
        self.total += fetched.1;
        runs.iter().for_each(|&run| self.add(run));
    }

    #[inline(always)]
    fn add(&mut self, run: Run) {
        if run == 0 {
            return;
        }
        let mask = self.slots.len() - 1;
        let mut at = self.home(run);
        loop {
            let slot = &mut self.slots[at & mask];
            if *slot == 0 {
                *slot = run;
                self.distinct += 1;
                return;
            }
            if (*slot ^ run) & !COUNT == 0 {
                let count = (*slot & COUNT) + (run & COUNT);
                if count <= COUNT {
                    *slot = *slot & !COUNT | count;
                } else {
                    self.spilled.push(run);
                }
                return;
            }
            at += 1;
        }
    }

    /// One run a key, and the spilled ones.
    fn runs(&self) -> impl Iterator<Item = Run> + '_ {
        self.slots.iter().copied().filter(|&slot| slot != 0).chain(self.spilled.iter().copied())
    }

    /// The totals, and what may be among the `most` frequent keys.
    fn counts(&self, most: usize) -> Counts {
        let mut top: Vec<(Run, u64)> = Vec::new();
        if most > 0 {
            // A spilled key has the highest counts of all, and is seldom: its slot alone does not say so.
            let mut least = 0;
            for slots in self.slots.chunks(8) {
                if slots.iter().fold(0, |most, &slot| most.max(slot as u32)) <= least {
                    continue;
                }
                for &slot in slots.iter().filter(|&&slot| slot as u32 > least) {
                    top.push((slot & !COUNT, (slot & COUNT) as u64));
                }
                // Now and then the rear is cut off.
                if top.len() >= most.saturating_mul(2).max(64) {
                    let (_, &mut (_, last), _) = top.select_nth_unstable_by(most - 1, order);
                    top.truncate(most);
                    least = (last - 1) as u32;
                }
            }
            for &run in &self.spilled {
                let (key, count) = (run & !COUNT, (run & COUNT) as u64);
                match top.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, whole)) => *whole += count,
                    None => top.push((key, count + self.slot_of(key))),
                }
            }
        }
        Counts { distinct: self.distinct, total: self.total, top }
    }

    /// The count in the slot of a key that is there.
    fn slot_of(&self, key: Run) -> u64 {
        self.slots.iter().find(|&&slot| slot & !COUNT == key && slot != 0).map_or(0, |&slot| (slot & COUNT) as u64)
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Counts are those of a sorted map, wherever runs are split over arenas, shrunk or not, counts beyond 32 bits included.
        #[test]
        fn counts_equal_those_of_a_map(
            runs in prop::collection::vec((0u64..300, 0u64..3, prop_oneof![1u32..9, Just(u32::MAX)]), 0..4000),
            cuts in prop::collection::vec(0usize..4000, 0..3),
            shrink_at in 1usize..200,
        ) {
            let mut expected: BTreeMap<u128, u64> = BTreeMap::new();
            let mut arenas = vec![Runs::new(shrink_at * CHUNK_BYTES)];
            for (nth, &(low, high, count)) in runs.iter().enumerate() {
                if cuts.contains(&nth) {
                    arenas.push(Runs::new(shrink_at * CHUNK_BYTES));
                }
                let key = (u128::from(low) | u128::from(high) << 70) << 32;
                *expected.entry(key).or_default() += u64::from(count);
                arenas.last_mut().expect("one").push(key | u128::from(count));
            }
            let counts = count(&arenas, usize::MAX);
            prop_assert_eq!(counts.iter().map(|part| part.distinct).sum::<u64>(), expected.len() as u64);
            prop_assert_eq!(counts.iter().map(|part| part.total).sum::<u64>(), expected.values().sum::<u64>());
            let found: BTreeMap<u128, u64> = counts.into_iter().flat_map(|part| part.top).collect();
            prop_assert_eq!(&found, &expected);
            // Whatever `most`, the first of all are among what is returned.
            let mut all: Vec<(Run, u64)> = expected.into_iter().collect();
            all.sort_unstable_by(order);
            for most in [1, 2, 40] {
                let mut top: Vec<(Run, u64)> = count(&arenas, most).into_iter().flat_map(|part| part.top).collect();
                top.sort_unstable_by(order);
                prop_assert_eq!(&top[..most.min(top.len())], &all[..most.min(all.len())]);
            }
        }
    }
}
