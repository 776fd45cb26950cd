//! Counting keys of 64 bits, many of them seldom, in memory that stays small.
//!
//! A key is as good as random. Its first bits choose a partition; what is put aside in a partition is the rest of the key and how
//! often it came, 64 bits together, a *run*. A partition is counted in a table that stays in cache:
//!
//! ```text
//! push   run ─► chunk of 128 runs of its partition, in an arena
//! shrink when the arena is over its budget: count each partition, write back one run a key into the same chunks
//! count  for each partition, on all threads: chunks of all arenas ─► table ─► distinct, top
//! ```
//!
//! Keys that are likely to come again soon may be pushed by way of a small table without probing, the front, which adds them up.
//! Arenas of several threads are never merged, only read side by side. Memory is 8 bytes a run until the budget is reached,
//! then up to 24 bytes a different key, and a table of one partition.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// The rest of a key, above how often it came. No run came 0 times, so 0 is no run.
type Run = u64;

const PARTITION_BITS: u32 = 10;
const PARTITIONS: usize = 1 << PARTITION_BITS;
/// The bits of a run that count: as many as the partition has saved.
const COUNT: u64 = (1 << PARTITION_BITS) - 1;
/// Runs in a chunk.
const CHUNK: usize = 128;
/// Runs that are allocated at a time.
const SLAB: usize = 1 << 15;
/// Bytes of a chunk.
const CHUNK_BYTES: usize = CHUNK * size_of::<Run>();
/// Chunks that are fetched at a time when they are counted.
const AHEAD: usize = 16;
/// Keys that are collected before they are put aside.
pub(super) const BLOCK: usize = 256;
/// The front has so many slots: 128 KiB.
const FRONT_BITS: u32 = 14;

const fn partition_of(key: u64) -> usize {
    (key >> (64 - PARTITION_BITS)) as usize
}

/// A key of a partition, put together again.
const fn key_of(run: Run, partition: usize) -> u64 {
    run >> PARTITION_BITS | (partition as u64) << (64 - PARTITION_BITS)
}

/// Runs put aside by one thread.
pub(super) struct Runs {
    /// What is not put aside yet: keys that come once, keys that come again.
    new: [Block; 2],
    /// By the first bits of the key: runs.
    front: Box<[Run; 1 << FRONT_BITS]>,
    /// Where the next run of each partition goes, counted in runs; at the start of a chunk stands who has no room left.
    next: Box<[u32; PARTITIONS]>,
    slabs: Vec<Box<[Run; SLAB]>>,
    /// Partition of each chunk, in the order of the arena. All chunks of a partition are full but its last.
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

/// Keys and how often they came.
#[derive(Clone)]
struct Block {
    keys: Vec<(u64, u64)>,
    len: usize,
}

impl Default for Block {
    fn default() -> Block {
        Block { keys: vec![(0, 0); BLOCK], len: 0 }
    }
}

/// Zeros that were never on the stack.
fn zeros<T: Copy + Default, const N: usize>() -> Box<[T; N]> {
    match vec![T::default(); N].into_boxed_slice().try_into() {
        Ok(zeros) => zeros,
        Err(_) => unreachable!(),
    }
}

impl Runs {
    /// No runs; shrunk whenever they take more than `budget` bytes.
    pub fn new(budget: usize) -> Runs {
        let budget = (budget / CHUNK_BYTES).max(1);
        Runs {
            new: Default::default(),
            front: zeros(),
            next: zeros(),
            slabs: Vec::new(),
            owners: Vec::new(),
            free: Vec::new(),
            heavy: Vec::new(),
            budget,
            shrink_at: budget,
            table: Table::default(),
        }
    }

    /// Adds a key that came `count` times.
    #[inline(always)]
    pub fn push(&mut self, key: u64, count: u64) {
        self.fill(1, false, |places| {
            places[0] = (key, count);
            1
        });
    }

    /// Adds up to `most` keys and how often they came, maybe 0 times; `write` writes them and says how many there are. `again` says
    /// that they are likely to come again soon.
    ///
    /// PERF: whoever finds keys wants the registers for other things, and so does whoever puts them aside.
    #[inline(always)]
    pub fn fill(&mut self, most: usize, again: bool, write: impl FnOnce(&mut [(u64, u64)]) -> usize) {
        debug_assert!(most <= BLOCK);
        if BLOCK - self.new[usize::from(again)].len < most {
            self.settle(again);
        }
        let Block { keys, len } = &mut self.new[usize::from(again)];
        *len += write(&mut keys[*len..*len + most]);
    }

    /// Puts aside what is new.
    #[inline(never)]
    fn settle(&mut self, again: bool) {
        let new = &mut self.new[usize::from(again)];
        let (len, keys) = (core::mem::take(&mut new.len), core::mem::take(&mut new.keys));
        if again {
            self.settle_again(&keys[..len]);
        } else {
            self.settle_once(&keys[..len]);
        }
        self.new[usize::from(again)].keys = keys;
    }

    /// By way of the front.
    fn settle_again(&mut self, keys: &[(u64, u64)]) {
        for &(key, count) in keys {
            if count.wrapping_sub(1) >= COUNT {
                self.put_aside(key, count);
                continue;
            }
            let run = key << PARTITION_BITS | count;
            let slot = &mut self.front[(key >> (64 - FRONT_BITS)) as usize];
            let old = *slot;
            // A slot and its run are of one partition.
            if old ^ run <= COUNT && (old & COUNT) + count <= COUNT {
                *slot = old + count;
            } else {
                *slot = run;
                if old != 0 {
                    self.stage(partition_of(key), old);
                }
            }
        }
    }

    /// PERF: a store a key, into the chunk itself. Lines that are written at a time are as many as partitions, and fit the inner
    /// caches.
    fn settle_once(&mut self, keys: &[(u64, u64)]) {
        let mut keys = keys.iter();
        loop {
            // Where things are is known once for many keys.
            let (next, slabs) = (&mut *self.next, &mut self.slabs[..]);
            let stopped = keys.find(|&&(key, count)| {
                let at = &mut next[partition_of(key)];
                let to = *at as usize;
                if to.is_multiple_of(CHUNK) || count.wrapping_sub(1) >= COUNT {
                    return true;
                }
                slabs[to / SLAB][to % SLAB] = key << PARTITION_BITS | count;
                *at += 1;
                false
            });
            match stopped {
                Some(&(key, count)) => self.put_aside(key, count),
                None => return,
            }
        }
    }

    /// Any key, any count.
    fn put_aside(&mut self, key: u64, count: u64) {
        match count {
            0 => {}
            1..=COUNT => self.stage(partition_of(key), key << PARTITION_BITS | count),
            _ => self.heavy.push((key, count)),
        }
    }

    /// Puts a run into its chunk.
    fn stage(&mut self, partition: usize, run: Run) {
        let mut at = self.next[partition] as usize;
        if at.is_multiple_of(CHUNK) {
            at = self.more(partition);
        }
        self.slabs[at / SLAB][at % SLAB] = run;
        self.next[partition] = at as u32 + 1;
    }

    /// A new chunk for a partition.
    #[inline(never)]
    fn more(&mut self, partition: usize) -> usize {
        if self.owners.len() - self.free.len() >= self.shrink_at {
            self.shrink();
            // The last chunk may have room again.
            let at = self.next[partition] as usize;
            if !at.is_multiple_of(CHUNK) {
                return at;
            }
        }
        let chunk = self.free.pop().unwrap_or_else(|| {
            if self.owners.len() == self.slabs.len() * (SLAB / CHUNK) {
                self.slabs.push(zeros());
            }
            self.owners.push(0);
            self.owners.len() as u32 - 1
        }) as usize;
        self.owners[chunk] = partition as u16;
        chunk * CHUNK
    }

    /// Counts each partition and writes back one run a key.
    fn shrink(&mut self) {
        let (mut table, mut runs) = (core::mem::take(&mut self.table), Vec::new());
        let chunks = self.chunks();
        for partition in 0..PARTITIONS {
            let chunks = chunks.of(partition);
            table.clear(chunks.len() * CHUNK);
            for &chunk in chunks {
                table.add_all(self.chunk(chunk, partition));
            }
            self.heavy.extend(table.spilled.drain(..).map(|(rest, count)| (key_of(rest, partition), count)));
            // PERF: which slots are taken is a toss of a coin, so there is no guess at it.
            runs.resize(table.slots.len() + 1, 0);
            let number = table.slots.iter().fold(0, |number, &run| {
                runs[number] = run;
                number + usize::from(run != 0)
            });
            let (mut rest, mut next) = (&runs[..number], 0);
            for &chunk in chunks {
                let (slab, at) = (chunk as usize * CHUNK / SLAB, chunk as usize * CHUNK % SLAB);
                let (filled, left) = rest.split_at(rest.len().min(CHUNK));
                if filled.is_empty() {
                    self.free.push(chunk);
                } else {
                    self.slabs[slab][at..at + filled.len()].copy_from_slice(filled);
                    next = chunk * CHUNK as u32 + filled.len() as u32;
                }
                rest = left;
            }
            self.next[partition] = next;
            // One run a key is no more than there were.
            debug_assert!(rest.is_empty());
        }
        self.table = table;
        self.heavy = added_up(core::mem::take(&mut self.heavy));
        let used = self.owners.len() - self.free.len();
        self.shrink_at = self.budget.max(3 * used);
    }

    /// Chunks by partition.
    fn chunks(&self) -> Chunks {
        let mut owners = self.owners.clone();
        self.free.iter().for_each(|&chunk| owners[chunk as usize] = u16::MAX);
        let mut from = vec![0; PARTITIONS + 1];
        let used = || owners.iter().enumerate().filter(|&(_, &owner)| owner != u16::MAX);
        used().for_each(|(_, &owner)| from[usize::from(owner) + 1] += 1);
        (0..PARTITIONS).for_each(|nth| from[nth + 1] += from[nth]);
        let (mut at, mut numbers) = (from.clone(), vec![0; from[PARTITIONS]]);
        for (chunk, &owner) in used() {
            let at = &mut at[usize::from(owner)];
            numbers[*at] = chunk as u32;
            *at += 1;
        }
        Chunks { from, numbers }
    }

    /// The runs of a chunk of a partition.
    fn chunk(&self, chunk: u32, partition: usize) -> &[Run] {
        let (slab, at) = (chunk as usize * CHUNK / SLAB, chunk as usize * CHUNK % SLAB);
        let next = self.next[partition] as usize;
        let runs = if next / CHUNK == chunk as usize && !next.is_multiple_of(CHUNK) { next % CHUNK } else { CHUNK };
        &self.slabs[slab][at..at + runs]
    }
}

/// Numbers of the chunks of each partition, one after the other.
struct Chunks {
    from: Vec<usize>,
    numbers: Vec<u32>,
}

impl Chunks {
    fn of(&self, partition: usize) -> &[u32] {
        &self.numbers[self.from[partition]..self.from[partition + 1]]
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

/// What some partitions have.
#[derive(Default)]
pub(super) struct Counts {
    /// Different keys.
    pub distinct: u64,
    /// The keys with the highest counts, and maybe more, in no order: no key that is left out has a higher count than one that is
    /// in.
    pub top: Vec<(u64, u64)>,
}

/// Counts the runs that several threads have put aside: for some partitions at a time how many keys they have, and all that may be
/// among the `most` frequent keys of all, whatever the order of those with equal counts.
pub(super) fn count(mut arenas: Vec<Runs>, most: usize) -> Vec<Counts> {
    for runs in &mut arenas {
        runs.settle(false);
        runs.settle(true);
        let front = core::mem::replace(&mut runs.front, zeros());
        let partition = |slot: usize| slot >> (FRONT_BITS - PARTITION_BITS);
        front
            .iter()
            .enumerate()
            .filter(|&(_, &run)| run != 0)
            .for_each(|(slot, &run)| runs.stage(partition(slot), run));
    }
    let heavy = added_up(arenas.iter().flat_map(|runs| runs.heavy.iter().copied()).collect());
    let arenas = arenas;
    let chunks: Vec<Chunks> = arenas.iter().map(Runs::chunks).collect();
    let partition = |(mut table, mut counts): (Table, Counts), partition: usize| {
        let from = heavy.partition_point(|&(key, _)| partition_of(key) < partition);
        let heavy = &heavy[from..];
        let heavy = &heavy[..heavy.partition_point(|&(key, _)| partition_of(key) == partition)];
        let runs = chunks.iter().map(|chunks| chunks.of(partition).len() * CHUNK).sum::<usize>();
        table.clear(runs + heavy.len());
        for &(key, count) in heavy {
            table.add_heavy(key << PARTITION_BITS, count);
        }
        for (runs, chunks) in arenas.iter().zip(&chunks) {
            // PERF: chunks lie anywhere in the arena, so many are asked for before the first is counted.
            for chunks in chunks.of(partition).chunks(AHEAD) {
                let runs = || chunks.iter().map(|&chunk| runs.chunk(chunk, partition));
                core::hint::black_box(runs().flat_map(|runs| runs.iter().step_by(8)).fold(0, |all, &run| all ^ run));
                runs().for_each(|runs| table.add_all(runs));
            }
        }
        table.counts(partition, most, &mut counts);
        (table, counts)
    };
    #[cfg(feature = "rayon")]
    {
        use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
        let counts = (0..PARTITIONS).into_par_iter().with_min_len(64);
        counts.fold(Default::default, partition).map(|(_, counts)| counts).collect()
    }
    #[cfg(not(feature = "rayon"))]
    {
        vec![(0..PARTITIONS).fold(Default::default(), partition).1]
    }
}

/// Counts of one partition: open addressing, at most half full. A slot is a run, or 0.
#[derive(Default)]
struct Table {
    slots: Vec<Run>,
    shift: u32,
    /// How many slots are taken.
    taken: u64,
    /// What the counts of slots could not hold: the rest of a key, shifted as in a run, and a count. The key has a slot nevertheless.
    spilled: Vec<(u64, u64)>,
    /// Fewer than this is not among the most frequent.
    least: u64,
}

impl Table {
    /// Empties the table and makes room for `runs`.
    fn clear(&mut self, runs: usize) {
        let capacity = (2 * runs).next_power_of_two().max(64);
        self.slots.clear();
        self.slots.resize(capacity, 0);
        self.shift = 64 - capacity.trailing_zeros();
        self.taken = 0;
        self.spilled.clear();
    }

    #[inline(never)]
    fn add_all(&mut self, runs: &[Run]) {
        let slots = &mut self.slots[..];
        let mask = slots.len() - 1;
        let mut taken = 0;
        for &run in runs {
            let mut at = (run >> self.shift) as usize;
            loop {
                let slot = &mut slots[at & mask];
                let old = *slot;
                // PERF: a free slot and one of the same key are filled alike, so there is one guess a probe. Two tests would be two
                // guesses: what is not free has a count, and shifted it is too much.
                if (old ^ run).min(old << PARTITION_BITS) <= COUNT {
                    let rest = run & !COUNT;
                    *slot = (old | rest) + (run & COUNT);
                    taken += u64::from(old == 0);
                    if *slot ^ run > COUNT {
                        *slot = rest | 1;
                        self.spilled.push((rest, (old & COUNT) + (run & COUNT) - 1));
                    }
                    break;
                }
                at += 1;
            }
        }
        self.taken += taken;
    }

    /// Adds a key whose count may be too high for a run.
    fn add_heavy(&mut self, rest: u64, count: u64) {
        self.add_all(&[rest | 1]);
        self.spilled.push((rest, count - 1));
    }

    /// The count in the slot of a key, and takes it away.
    fn take(&mut self, rest: u64) -> u64 {
        let mask = self.slots.len() - 1;
        let mut at = (rest >> self.shift) as usize;
        while self.slots[at & mask] ^ rest > COUNT {
            at += 1;
        }
        core::mem::replace(&mut self.slots[at & mask], rest) & COUNT
    }

    /// Adds what the partition has.
    fn counts(&mut self, partition: usize, most: usize, counts: &mut Counts) {
        counts.distinct += self.taken;
        if most == 0 {
            return;
        }
        for (rest, count) in added_up(core::mem::take(&mut self.spilled)) {
            let count = count + self.take(rest);
            if count > self.least {
                counts.top.push((key_of(rest, partition), count));
            }
        }
        for nth in 0..self.slots.len() / 8 {
            if self.least >= COUNT {
                break;
            }
            let slots = &self.slots[nth * 8..nth * 8 + 8];
            let highest = slots.iter().fold(0, |highest, slot| (slot & COUNT).max(highest));
            if highest <= self.least {
                continue;
            }
            let above = slots.iter().filter(|&slot| slot & COUNT > self.least);
            counts.top.extend(above.map(|&run| (key_of(run, partition), run & COUNT)));
            self.cut(most, &mut counts.top);
        }
        self.cut(most, &mut counts.top);
    }

    /// Cuts off the rear if it is long, but not those that come as often as the last.
    fn cut(&mut self, most: usize, top: &mut Vec<(u64, u64)>) {
        if top.len() >= most.saturating_mul(2).max(64) {
            let (_, &mut (_, last), _) =
                top.select_nth_unstable_by_key(most - 1, |&(_, count)| core::cmp::Reverse(count));
            top.retain(|&(_, count)| count >= last);
            self.least = last - 1;
        }
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
                arena.fill(2, again, |places| {
                    places[0] = (key, count);
                    1
                });
                arena.push(key, 0);
            }
            let all: u64 = expected.values().sum();
            for most in [usize::MAX, 0, 1, 2, 40] {
                let again: Vec<Runs> = arenas.iter().map(Runs::copy).collect();
                let counts = count(again, most);
                prop_assert_eq!(counts.iter().map(|part| part.distinct).sum::<u64>(), expected.len() as u64);
                if most == usize::MAX {
                    prop_assert_eq!(counts.iter().flat_map(|part| &part.top).map(|key| key.1).sum::<u64>(), all);
                }
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
                new: self.new.clone(),
                front: self.front.clone(),
                next: self.next.clone(),
                slabs: self.slabs.clone(),
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
