//! Counting keys of 64 bits, many of them seldom, in memory that stays small.
//!
//! A key is as good as random. Its first bits choose a partition; what is put aside in a partition is the rest of the key and how
//! often it came, 64 bits together. A partition is counted in a table that stays in cache:
//!
//! ```text
//! push   run ─► staging[partition] ─full─► chunk of 128 runs in an arena
//! shrink when the arena is over its budget: count each partition, write back one run a key into the same chunks
//! count  for each partition, on all threads: chunks of all arenas ─► table ─► distinct, total, top
//! ```
//!
//! Keys that are likely to come again soon may be pushed by way of a small table without probing, the front, which adds them up.
//! Arenas of several threads are never merged, only read side by side. Memory is 8 bytes a run until the budget is reached,
//! then up to 24 bytes a different key, and a table of one partition.

use alloc::vec;
use alloc::vec::Vec;

/// The rest of a key, above how often it came. No run came 0 times, so 0 is no run.
type Run = u64;

const PARTITION_BITS: u32 = 9;
const PARTITIONS: usize = 1 << PARTITION_BITS;
/// The bits of a run that count: as many as the partition has saved.
const COUNT: u64 = (1 << PARTITION_BITS) - 1;
/// Runs in a chunk: what is staged before it is written to the arena.
const CHUNK: usize = 128;
/// Chunks that are allocated at a time.
const SLAB: usize = 256;
/// Bytes of a chunk.
const CHUNK_BYTES: usize = CHUNK * size_of::<Run>();
/// The front has so many slots: 128 KiB.
const FRONT_BITS: u32 = 13;

const fn partition_of(key: u64) -> usize {
    (key >> (64 - PARTITION_BITS)) as usize
}

/// A key of a partition, put together again.
const fn key_of(run: Run, partition: usize) -> u64 {
    run >> PARTITION_BITS | (partition as u64) << (64 - PARTITION_BITS)
}

/// Runs put aside by one thread.
pub(super) struct Runs {
    front: Vec<(u64, u64)>,
    staged: Vec<Run>,
    fill: Vec<u8>,
    slabs: Vec<Vec<Run>>,
    /// Partition of each chunk, in the order of the arena.
    owners: Vec<u16>,
    /// Chunks that shrinking has emptied.
    free: Vec<u32>,
    /// Keys that came oftener than a run can say, with what they came before the last shrinking.
    heavy: Vec<(u64, u64)>,
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
            front: vec![(0, 0); 1 << FRONT_BITS],
            staged: vec![0; PARTITIONS * CHUNK],
            fill: vec![0; PARTITIONS],
            slabs: Vec::new(),
            owners: Vec::new(),
            free: Vec::new(),
            heavy: Vec::new(),
            budget,
            shrink_at: budget,
            table: Table::default(),
        }
    }

    /// Adds a key that came `count` times and is likely to come again soon.
    #[inline(always)]
    pub fn push_again(&mut self, key: u64, count: u64) {
        let slot = &mut self.front[(key >> (64 - FRONT_BITS)) as usize];
        if slot.0 == key {
            slot.1 += count;
        } else {
            let (old, times) = core::mem::replace(slot, (key, count));
            self.push(old, times);
        }
    }

    /// Adds a key that came `count` times.
    #[inline(always)]
    pub fn push(&mut self, key: u64, mut count: u64) {
        while count > COUNT {
            if count > 8 * COUNT {
                return self.heavy.push((key, count));
            }
            self.stage(key, COUNT);
            count -= COUNT;
        }
        if count > 0 {
            self.stage(key, count);
        }
    }

    #[inline(always)]
    fn stage(&mut self, key: u64, count: u64) {
        let partition = partition_of(key);
        let fill = usize::from(self.fill[partition]);
        self.staged[partition * CHUNK + fill % CHUNK] = key << PARTITION_BITS | count;
        self.fill[partition] = fill as u8 + 1;
        if fill + 1 == CHUNK {
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
            let mut runs = table.slots.iter().filter(|slot| slot.1 != 0).filter_map(|&(rest, count)| {
                if count > COUNT {
                    self.heavy.push((key_of(rest, partition), count));
                    return None;
                }
                Some(rest | count)
            });
            for chunk in chunks {
                let (slab, at) = (chunk as usize / SLAB, chunk as usize % SLAB * CHUNK);
                let mut filled = 0;
                for slot in &mut self.slabs[slab][at..at + CHUNK] {
                    *slot = runs.next().unwrap_or(0);
                    filled += usize::from(*slot != 0);
                }
                if filled == 0 {
                    self.free.push(chunk);
                }
                debug_assert_eq!(usize::from(self.owners[chunk as usize]), partition);
            }
            // One run a key is no more than there were.
            debug_assert!(runs.next().is_none());
        }
        self.table = table;
        self.heavy = added_up(core::mem::take(&mut self.heavy));
        let used = self.owners.len() - self.free.len();
        self.shrink_at = self.budget.max(3 * used);
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

    /// What is staged.
    fn staged(&self, partition: usize) -> &[Run] {
        let from = partition * CHUNK;
        &self.staged[from..from + usize::from(self.fill[partition])]
    }
}

/// Each key once, by key.
fn added_up(mut keys: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    keys.sort_unstable();
    keys.dedup_by(|next, first| {
        let same = next.0 == first.0;
        first.1 += if same { next.1 } else { 0 };
        same
    });
    keys
}

/// What a partition has.
#[derive(Default)]
pub(super) struct Counts {
    /// Different keys.
    pub distinct: u64,
    /// The counts of all keys together.
    pub total: u64,
    /// The keys with the highest counts, and maybe more, in no order: no key that is left out has a higher count than one that is
    /// in.
    pub top: Vec<(u64, u64)>,
}

/// Counts the runs that several threads have put aside: for each partition the totals, and all that may be among the `most` frequent
/// keys of all, whatever the order of those with equal counts.
pub(super) fn count(mut arenas: Vec<Runs>, most: usize) -> Vec<Counts> {
    for runs in &mut arenas {
        let front = core::mem::take(&mut runs.front);
        front.into_iter().for_each(|(key, count)| runs.push(key, count));
    }
    let heavy = added_up(arenas.iter().flat_map(|runs| runs.heavy.iter().copied()).collect());
    let arenas = arenas;
    let chunks: Vec<Vec<Vec<u32>>> = arenas.iter().map(Runs::chunks).collect();
    let partition = |table: &mut Table, partition: usize| {
        let from = heavy.partition_point(|&(key, _)| partition_of(key) < partition);
        let to = heavy.partition_point(|&(key, _)| partition_of(key) <= partition);
        let runs = chunks.iter().map(|chunks| (chunks[partition].len() + 1) * CHUNK).sum::<usize>();
        table.clear(runs + to - from);
        for &(key, count) in &heavy[from..to] {
            table.add(key << PARTITION_BITS, count);
        }
        for (runs, chunks) in arenas.iter().zip(&chunks) {
            let chunks = &chunks[partition];
            for (nth, &chunk) in chunks.iter().enumerate() {
                // PERF: chunks lie anywhere in the arena, so the next is asked for while this one is counted.
                let next = chunks.get(nth + 1).map_or(&[][..], |&next| runs.chunk(next));
                core::hint::black_box(next.iter().step_by(8).fold(0, |all, &run| all ^ run));
                table.add_all(runs.chunk(chunk));
            }
            table.add_all(runs.staged(partition));
        }
        table.counts(partition, most)
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

/// Counts of one partition: open addressing, at most four fifths full. A slot has the rest of a key, shifted as in a run, and how often
/// it came.
#[derive(Default)]
struct Table {
    slots: Vec<(u64, u64)>,
    shift: u32,
}

impl Table {
    /// Empties the table and makes room for `runs`.
    fn clear(&mut self, runs: usize) {
        let capacity = (runs + runs / 4 + 1).next_power_of_two();
        self.slots.clear();
        self.slots.resize(capacity, (0, 0));
        self.shift = 64 - capacity.trailing_zeros();
    }

    /// Where the rest of a key is looked for first: by its first bits.
    #[inline(always)]
    fn home(&self, rest: u64) -> usize {
        rest.checked_shr(self.shift).unwrap_or(0) as usize & (self.slots.len() - 1)
    }

    /// PERF: whether a slot is free is a toss of a coin, and a wrong guess waits for the slot to arrive from the outer caches. So
    /// the slots of all runs are fetched first, which they can be side by side.
    fn add_all(&mut self, runs: &[Run]) {
        let fetched = runs.iter().fold(0, |all, &run| all ^ self.slots[self.home(run)].0);
        core::hint::black_box(fetched);
        runs.iter().for_each(|&run| self.add(run & !COUNT, run & COUNT));
    }

    #[inline(always)]
    fn add(&mut self, rest: u64, count: u64) {
        if count == 0 {
            return;
        }
        let mask = self.slots.len() - 1;
        let mut at = self.home(rest);
        loop {
            let slot = &mut self.slots[at & mask];
            // PERF: a free slot and one of the same key are filled alike, so there is one guess a probe.
            if slot.1 == 0 || slot.0 == rest {
                *slot = (rest, slot.1 + count);
                return;
            }
            at += 1;
        }
    }

    /// The totals, and what may be among the `most` frequent keys.
    fn counts(&self, partition: usize, most: usize) -> Counts {
        let mut counts = Counts::default();
        let top = &mut counts.top;
        let mut least = 0;
        for slots in self.slots.chunks(8) {
            let mut highest = 0;
            for &(_, count) in slots {
                counts.total += count;
                counts.distinct += u64::from(count != 0);
                highest = highest.max(count);
            }
            if most == 0 || highest <= least {
                continue;
            }
            let above = slots.iter().filter(|slot| slot.1 > least);
            top.extend(above.map(|&(rest, count)| (key_of(rest, partition), count)));
            // Now and then the rear is cut off, but not those that come as often as the last.
            if top.len() >= most.saturating_mul(2).max(64) {
                let (_, &mut (_, last), _) =
                    top.select_nth_unstable_by_key(most - 1, |&(_, count)| core::cmp::Reverse(count));
                top.retain(|&(_, count)| count >= last);
                least = last - 1;
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;
    use core::cmp::Reverse;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Counts are those of a sorted map, wherever runs are split over arenas, shrunk or not, pushed either way, often or seldom.
        #[test]
        fn counts_equal_those_of_a_map(
            runs in prop::collection::vec(
                (0u64..300, prop_oneof![1u64..9, 500u64..520, 5000u64..5_000_000_000], any::<bool>()), 0..4000,
            ),
            cuts in prop::collection::vec(0usize..4000, 0..3),
            shrink_at in 1usize..200,
        ) {
            let mut expected: BTreeMap<u64, u64> = BTreeMap::new();
            let mut arenas = vec![Runs::new(shrink_at * CHUNK_BYTES)];
            for (nth, &(key, count, again)) in runs.iter().enumerate() {
                if cuts.contains(&nth) {
                    arenas.push(Runs::new(shrink_at * CHUNK_BYTES));
                }
                // All partitions, and one that is crowded; 0 is a key as well.
                let key = if key < 150 { key } else { key.wrapping_mul(0x9e37_79b9_7f4a_7c15) };
                *expected.entry(key).or_default() += count;
                let arena = arenas.last_mut().expect("one");
                if again { arena.push_again(key, count) } else { arena.push(key, count) }
            }
            let all: u64 = expected.values().sum();
            for most in [usize::MAX, 0, 1, 2, 40] {
                let again: Vec<Runs> = arenas.iter().map(Runs::copy).collect();
                let counts = count(again, most);
                prop_assert_eq!(counts.iter().map(|part| part.distinct).sum::<u64>(), expected.len() as u64);
                prop_assert_eq!(counts.iter().map(|part| part.total).sum::<u64>(), all);
                let order = |&(key, count): &(u64, u64)| (Reverse(count), Reverse(key));
                let mut found: Vec<(u64, u64)> = counts.into_iter().flat_map(|part| part.top).collect();
                found.sort_unstable_by_key(order);
                let mut expected: Vec<(u64, u64)> = expected.iter().map(|(&key, &count)| (key, count)).collect();
                expected.sort_unstable_by_key(order);
                expected.truncate(most);
                found.truncate(most);
                prop_assert_eq!(found, expected);
            }
        }
    }

    impl Runs {
        fn copy(&self) -> Runs {
            Runs {
                front: self.front.clone(),
                staged: self.staged.clone(),
                fill: self.fill.clone(),
                slabs: self
                    .slabs
                    .iter()
                    .map(|slab| {
                        let mut copy = Vec::with_capacity(SLAB * CHUNK);
                        copy.extend_from_slice(slab);
                        copy
                    })
                    .collect(),
                owners: self.owners.clone(),
                free: self.free.clone(),
                heavy: self.heavy.clone(),
                budget: self.budget,
                shrink_at: self.shrink_at,
                table: Table::default(),
            }
        }
    }
}
