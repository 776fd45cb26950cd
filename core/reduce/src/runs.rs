//! Counts 64-bit keys, most of which are rare, in little memory.
//!
//! Keys are as good as random. The first bits of a key choose a partition, which stores the other bits and the count of the key
//! in 64 bits, called a *run*. A partition is counted in a table that fits into the cache:
//!
//! ```text
//! push   run ─► chunk of 512 runs of its partition, in an arena
//! shrink when the arena is over its budget: count each partition, write back one run per key into the same chunks
//! count  for each partition, on all threads: chunks of all arenas ─► table ─► distinct, top
//! ```
//!
//! Keys that are likely to come again soon may be pushed through a small table without probing, the front, which adds them up.
//! The arenas of several threads are never merged, but read side by side. Memory is 8 bytes per run until the budget is reached, then
//! up to 24 bytes per distinct key, and a table of one partition.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// The other bits of a key, above the count of the key. No run has the count 0, so 0 is not a run.
type Run = u64;

const PARTITION_BITS: u32 = 10;
const PARTITIONS: usize = 1 << PARTITION_BITS;
/// The bits of the count in a run. They take the place of the key's first bits, which the partition implies.
const COUNT_MASK: u64 = (1 << PARTITION_BITS) - 1;
/// Runs in a chunk.
///
/// PERF: a chunk takes a page. Different positions take 2.41 s over 690,551,600 plies, and 2.71 s with a quarter of the runs in each chunk.
const CHUNK_RUNS: usize = 512;
/// Runs that are allocated at a time.
const SLAB_RUNS: usize = 1 << 15;
/// Bytes of a chunk.
const CHUNK_BYTES: usize = CHUNK_RUNS * size_of::<Run>();
/// Chunks that are fetched at a time when they are counted.
const PREFETCH: usize = 4;
/// Keys that are collected before they are stored.
pub(super) const BLOCK_KEYS: usize = 256;
/// Slots of the front, which takes 128 KiB.
const FRONT_BITS: u32 = 14;

const fn partition_of(key: u64) -> usize {
    (key >> (64 - PARTITION_BITS)) as usize
}

/// The whole key of a partition and a run.
const fn key_of(run: Run, partition: usize) -> u64 {
    run >> PARTITION_BITS | (partition as u64) << (64 - PARTITION_BITS)
}

/// The runs of one thread.
#[cfg_attr(test, derive(Clone))]
pub(super) struct RunArena {
    /// Keys that are not stored yet: distinct ones, and repeated ones.
    pending: [KeyBlock; 2],
    /// The front: a run for each value of the first bits of a key.
    front: Box<[Run; 1 << FRONT_BITS]>,
    /// Where the next run of each partition goes, counted in runs; at the start of a chunk if the partition has no room left.
    next_run: Box<[u32; PARTITIONS]>,
    slabs: Vec<Box<[Run; SLAB_RUNS]>>,
    /// Partition of each chunk, in the order of the arena. All chunks of a partition are full but its last.
    owners: Vec<u16>,
    /// Chunks that shrinking has emptied.
    free: Vec<u32>,
    /// Keys with counts too high for a run, with their counts before the last shrinking.
    overflowed: Vec<(u64, u64)>,
    /// The number of chunks that the arena should not exceed.
    budget: usize,
    /// The number of chunks at which the arena is shrunk.
    shrink_at: usize,
    table: CountTable,
}

/// Keys and their counts.
#[cfg_attr(test, derive(Clone))]
struct KeyBlock {
    keys: Vec<(u64, u64)>,
    len: usize,
}

impl Default for KeyBlock {
    fn default() -> KeyBlock {
        KeyBlock { keys: vec![(0, 0); BLOCK_KEYS], len: 0 }
    }
}

/// Zeros that were never on the stack.
fn zeros<T: Copy + Default, const N: usize>() -> Box<[T; N]> {
    match vec![T::default(); N].into_boxed_slice().try_into() {
        Ok(zeros) => zeros,
        Err(_) => unreachable!(),
    }
}

impl RunArena {
    /// An arena without runs, which shrinks whenever the runs take more than `budget` bytes.
    pub fn new(budget: usize) -> RunArena {
        let budget = (budget / CHUNK_BYTES).max(1);
        RunArena {
            pending: Default::default(),
            front: zeros(),
            next_run: zeros(),
            slabs: Vec::new(),
            owners: Vec::new(),
            free: Vec::new(),
            overflowed: Vec::new(),
            budget,
            shrink_at: budget,
            table: CountTable::default(),
        }
    }

    /// Adds a key with its count.
    #[inline(always)]
    pub fn push(&mut self, key: u64, count: u64) {
        self.fill(1, false, |places| {
            places[0] = (key, count);
            1
        });
    }

    /// Adds up to `max_keys` keys with their counts, which may be 0; `write` writes them and returns their number. `is_repeated`
    /// means that they are likely to come again soon.
    ///
    /// PERF: keys are collected first, because the caller that finds them and the code that stores them both need the registers.
    #[inline(always)]
    pub fn fill(&mut self, max_keys: usize, is_repeated: bool, write: impl FnOnce(&mut [(u64, u64)]) -> usize) {
        debug_assert!(max_keys <= BLOCK_KEYS);
        if BLOCK_KEYS - self.pending[usize::from(is_repeated)].len < max_keys {
            self.flush(is_repeated);
        }
        let KeyBlock { keys, len } = &mut self.pending[usize::from(is_repeated)];
        *len += write(&mut keys[*len..*len + max_keys]);
    }

    /// Stores the pending keys, either the distinct or the repeated ones.
    #[inline(never)]
    fn flush(&mut self, is_repeated: bool) {
        let new = &mut self.pending[usize::from(is_repeated)];
        let (len, keys) = (core::mem::take(&mut new.len), core::mem::take(&mut new.keys));
        if is_repeated {
            self.flush_repeated(&keys[..len]);
        } else {
            self.flush_distinct(&keys[..len]);
        }
        self.pending[usize::from(is_repeated)].keys = keys;
    }

    /// Adds keys through the front.
    fn flush_repeated(&mut self, keys: &[(u64, u64)]) {
        for &(key, count) in keys {
            if count.wrapping_sub(1) >= COUNT_MASK {
                self.append(key, count);
                continue;
            }
            let run = key << PARTITION_BITS | count;
            let slot = &mut self.front[(key >> (64 - FRONT_BITS)) as usize];
            let old = *slot;
            // A slot and its run belong to one partition.
            if old ^ run <= COUNT_MASK && (old & COUNT_MASK) + count <= COUNT_MASK {
                *slot = old + count;
            } else {
                *slot = run;
                if old != 0 {
                    self.stage(partition_of(key), old);
                }
            }
        }
    }

    /// PERF: one store per key, directly into its chunk. There is one open cache line for each partition, and all of them fit
    /// into the inner caches.
    fn flush_distinct(&mut self, keys: &[(u64, u64)]) {
        let mut keys = keys.iter();
        loop {
            // The addresses are loaded once for many keys.
            let (next, slabs) = (&mut *self.next_run, &mut self.slabs[..]);
            let stopped = keys.find(|&&(key, count)| {
                let at = &mut next[partition_of(key)];
                let to = *at as usize;
                if to.is_multiple_of(CHUNK_RUNS) || count.wrapping_sub(1) >= COUNT_MASK {
                    return true;
                }
                slabs[to / SLAB_RUNS][to % SLAB_RUNS] = key << PARTITION_BITS | count;
                *at += 1;
                false
            });
            match stopped {
                Some(&(key, count)) => self.append(key, count),
                None => return,
            }
        }
    }

    /// Adds a key with any count.
    fn append(&mut self, key: u64, count: u64) {
        match count {
            0 => {}
            1..=COUNT_MASK => self.stage(partition_of(key), key << PARTITION_BITS | count),
            _ => self.overflowed.push((key, count)),
        }
    }

    /// Stores a run in its chunk.
    fn stage(&mut self, partition: usize, run: Run) {
        let mut at = self.next_run[partition] as usize;
        if at.is_multiple_of(CHUNK_RUNS) {
            at = self.add_chunk(partition);
        }
        self.slabs[at / SLAB_RUNS][at % SLAB_RUNS] = run;
        self.next_run[partition] = at as u32 + 1;
    }

    /// A new chunk for a partition.
    #[inline(never)]
    fn add_chunk(&mut self, partition: usize) -> usize {
        if self.owners.len() - self.free.len() >= self.shrink_at {
            self.shrink();
            // The last chunk may have room again.
            let at = self.next_run[partition] as usize;
            if !at.is_multiple_of(CHUNK_RUNS) {
                return at;
            }
        }
        let chunk = self.free.pop().unwrap_or_else(|| {
            if self.owners.len() == self.slabs.len() * (SLAB_RUNS / CHUNK_RUNS) {
                self.slabs.push(zeros());
            }
            self.owners.push(0);
            self.owners.len() as u32 - 1
        }) as usize;
        self.owners[chunk] = partition as u16;
        chunk * CHUNK_RUNS
    }

    /// Counts each partition and writes back one run per key.
    fn shrink(&mut self) {
        let (mut table, mut runs) = (core::mem::take(&mut self.table), Vec::new());
        let chunks = self.chunks_by_partition();
        for partition in 0..PARTITIONS {
            let chunks = chunks.of_partition(partition);
            table.clear();
            for &chunk in chunks {
                table.add_all(self.chunk(chunk, partition));
            }
            self.overflowed.extend(table.spilled.drain(..).map(|(rest, count)| (key_of(rest, partition), count)));
            // PERF: whether a slot is taken cannot be predicted, so there is no branch on it.
            runs.resize(table.slots.len() + 1, 0);
            let number = table.slots.iter().fold(0, |number, &run| {
                runs[number] = run;
                number + usize::from(run != 0)
            });
            let (mut rest, mut next) = (&runs[..number], 0);
            for &chunk in chunks {
                let (slab, at) = (chunk as usize * CHUNK_RUNS / SLAB_RUNS, chunk as usize * CHUNK_RUNS % SLAB_RUNS);
                let (filled, unfilled) = rest.split_at(rest.len().min(CHUNK_RUNS));
                if filled.is_empty() {
                    self.free.push(chunk);
                } else {
                    self.slabs[slab][at..at + filled.len()].copy_from_slice(filled);
                    next = chunk * CHUNK_RUNS as u32 + filled.len() as u32;
                }
                rest = unfilled;
            }
            self.next_run[partition] = next;
            // With one run per key there are no more runs than before.
            debug_assert!(rest.is_empty());
        }
        self.table = table;
        self.overflowed = merge_equal_keys(core::mem::take(&mut self.overflowed));
        let used = self.owners.len() - self.free.len();
        self.shrink_at = self.budget.max(3 * used);
    }

    /// Chunks by partition.
    fn chunks_by_partition(&self) -> Chunks {
        let mut owners = self.owners.clone();
        self.free.iter().for_each(|&chunk| owners[chunk as usize] = u16::MAX);
        let mut from = vec![0; PARTITIONS + 1];
        let used = || owners.iter().enumerate().filter(|&(_, &owner)| owner != u16::MAX);
        used().for_each(|(_, &owner)| from[usize::from(owner) + 1] += 1);
        (0..PARTITIONS).for_each(|partition| from[partition + 1] += from[partition]);
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
        let (slab, at) = (chunk as usize * CHUNK_RUNS / SLAB_RUNS, chunk as usize * CHUNK_RUNS % SLAB_RUNS);
        let next = self.next_run[partition] as usize;
        let runs = if next / CHUNK_RUNS == chunk as usize && !next.is_multiple_of(CHUNK_RUNS) {
            next % CHUNK_RUNS
        } else {
            CHUNK_RUNS
        };
        &self.slabs[slab][at..at + runs]
    }
}

/// Numbers of the chunks of each partition, one after the other.
struct Chunks {
    from: Vec<usize>,
    numbers: Vec<u32>,
}

impl Chunks {
    fn of_partition(&self, partition: usize) -> &[u32] {
        &self.numbers[self.from[partition]..self.from[partition + 1]]
    }
}

/// Adds up the counts of equal keys and sorts by key.
fn merge_equal_keys(mut keys: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    keys.sort_unstable();
    keys.dedup_by(|next, first| {
        let same = next.0 == first.0;
        first.1 += if same { next.1 } else { 0 };
        same
    });
    keys
}

/// The counts of some partitions.
#[derive(Default)]
pub(super) struct KeyCounts {
    /// Different keys.
    pub distinct: u64,
    /// The keys with the highest counts, and maybe more, in no order: no other key has a higher count than one of these.
    pub top: Vec<(u64, u64)>,
}

/// Counts the runs of several threads. Returns, for some partitions at a time, the number of keys and all keys that may be among
/// the `max_keys` most frequent of all, whatever the order of those with equal counts.
pub(super) fn count_runs(mut arenas: Vec<RunArena>, max_keys: usize) -> Vec<KeyCounts> {
    for runs in &mut arenas {
        runs.flush(false);
        runs.flush(true);
        let front = core::mem::replace(&mut runs.front, zeros());
        let partition = |slot: usize| slot >> (FRONT_BITS - PARTITION_BITS);
        front
            .iter()
            .enumerate()
            .filter(|&(_, &run)| run != 0)
            .for_each(|(slot, &run)| runs.stage(partition(slot), run));
    }
    let heavy = merge_equal_keys(arenas.iter().flat_map(|runs| runs.overflowed.iter().copied()).collect());
    let arenas = arenas;
    let chunks: Vec<Chunks> = arenas.iter().map(RunArena::chunks_by_partition).collect();
    let partition = |(mut table, mut counts): (CountTable, KeyCounts), partition: usize| {
        let from = heavy.partition_point(|&(key, _)| partition_of(key) < partition);
        let heavy = &heavy[from..];
        let heavy = &heavy[..heavy.partition_point(|&(key, _)| partition_of(key) == partition)];
        table.clear();
        for &(key, count) in heavy {
            table.add_heavy(key << PARTITION_BITS, count);
        }
        for (runs, chunks) in arenas.iter().zip(&chunks) {
            // PERF: chunks lie anywhere in the arena, so several are prefetched before the first is counted.
            for chunks in chunks.of_partition(partition).chunks(PREFETCH) {
                let runs = || chunks.iter().map(|&chunk| runs.chunk(chunk, partition));
                core::hint::black_box(runs().flat_map(|runs| runs.iter().step_by(8)).fold(0, |all, &run| all ^ run));
                runs().for_each(|runs| table.add_all(runs));
            }
        }
        table.counts(partition, max_keys, &mut counts);
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
#[cfg_attr(test, derive(Clone))]
struct CountTable {
    slots: Vec<Run>,
    shift: u32,
    /// How many slots are taken.
    taken: u64,
    /// The counts that did not fit into a slot: the rest of a key, shifted as in a run, and a count. Such a key has a slot as
    /// well.
    spilled: Vec<(u64, u64)>,
    /// A key with this count or less is not among the most frequent.
    min_count: u64,
}

impl CountTable {
    /// Empties the table, with room for about as many keys as it had: partitions are alike.
    ///
    /// PERF: most keys have several runs. A table with room for all runs would leave the inner caches, and zeros would take as long as
    /// counting.
    fn clear(&mut self) {
        let keys = self.taken as usize;
        let capacity = (2 * (keys + keys / 8 + CHUNK_RUNS)).next_power_of_two();
        self.slots.clear();
        self.slots.resize(capacity, 0);
        self.shift = 64 - capacity.trailing_zeros();
        self.taken = 0;
        self.spilled.clear();
    }

    /// Doubles the slots.
    #[cold]
    fn grow(&mut self) {
        let slots = vec![0; 2 * self.slots.len()];
        let full = core::mem::replace(&mut self.slots, slots);
        self.shift -= 1;
        let mask = self.slots.len() - 1;
        for run in full.into_iter().filter(|&run| run != 0) {
            let mut at = (run >> self.shift) as usize;
            while self.slots[at & mask] != 0 {
                at += 1;
            }
            self.slots[at & mask] = run;
        }
    }

    /// Adds runs, at most those of a chunk.
    #[inline(never)]
    fn add_all(&mut self, runs: &[Run]) {
        if 2 * (self.taken as usize + runs.len()) > self.slots.len() {
            self.grow();
        }
        let slots = &mut self.slots[..];
        let mask = slots.len() - 1;
        let mut taken = 0;
        for &run in runs {
            let mut at = (run >> self.shift) as usize;
            loop {
                let slot = &mut slots[at & mask];
                let old = *slot;
                // PERF: a free slot and a slot of the same key are filled by the same code, so there is one branch to predict for
                // each probe instead of two. The test works because a slot that is not free has a count, and a shifted count
                // exceeds the mask.
                if (old ^ run).min(old << PARTITION_BITS) <= COUNT_MASK {
                    let rest = run & !COUNT_MASK;
                    *slot = (old | rest) + (run & COUNT_MASK);
                    taken += u64::from(old == 0);
                    if *slot ^ run > COUNT_MASK {
                        *slot = rest | 1;
                        self.spilled.push((rest, (old & COUNT_MASK) + (run & COUNT_MASK) - 1));
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

    /// Removes the count from the slot of a key and returns it.
    fn take(&mut self, rest: u64) -> u64 {
        let mask = self.slots.len() - 1;
        let mut at = (rest >> self.shift) as usize;
        while self.slots[at & mask] ^ rest > COUNT_MASK {
            at += 1;
        }
        core::mem::replace(&mut self.slots[at & mask], rest) & COUNT_MASK
    }

    /// Adds the counts of the partition to `counts`.
    fn counts(&mut self, partition: usize, max_keys: usize, counts: &mut KeyCounts) {
        counts.distinct += self.taken;
        if max_keys == 0 {
            return;
        }
        for (rest, count) in merge_equal_keys(core::mem::take(&mut self.spilled)) {
            let count = count + self.take(rest);
            if count > self.min_count {
                counts.top.push((key_of(rest, partition), count));
            }
        }
        for group in 0..self.slots.len() / 8 {
            if self.min_count >= COUNT_MASK {
                break;
            }
            let slots = &self.slots[group * 8..group * 8 + 8];
            let highest = slots.iter().fold(0, |highest, slot| (slot & COUNT_MASK).max(highest));
            if highest <= self.min_count {
                continue;
            }
            let above = slots.iter().filter(|&slot| slot & COUNT_MASK > self.min_count);
            counts.top.extend(above.map(|&run| (key_of(run, partition), run & COUNT_MASK)));
            self.cut(max_keys, &mut counts.top);
        }
        self.cut(max_keys, &mut counts.top);
    }

    /// Truncates a long list to the `max_keys` highest counts; keys with the same count as the last stay.
    fn cut(&mut self, max_keys: usize, top: &mut Vec<(u64, u64)>) {
        if top.len() >= max_keys.saturating_mul(2).max(64) {
            let (_, &mut (_, last), _) =
                top.select_nth_unstable_by_key(max_keys - 1, |&(_, count)| core::cmp::Reverse(count));
            top.retain(|&(_, count)| count >= last);
            self.min_count = last - 1;
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
        /// The counts agree with a sorted map. Runs lie in any number of arenas, shrunk or not, and keys are distinct or
        /// repeated, with any counts.
        #[test]
        fn counts_equal_those_of_a_map(
            runs in prop::collection::vec(
                (0u64..300, prop_oneof![1u64..9, 500u64..520, 5000u64..5_000_000_000], any::<bool>()), 0..4000,
            ),
            cuts in prop::collection::vec(0usize..4000, 0..3),
            shrink_at in 1usize..200,
        ) {
            let mut expected: BTreeMap<u64, u64> = BTreeMap::new();
            let mut arenas = vec![RunArena::new(shrink_at * CHUNK_BYTES)];
            for (nth, &(key, count, again)) in runs.iter().enumerate() {
                if cuts.contains(&nth) {
                    arenas.push(RunArena::new(shrink_at * CHUNK_BYTES));
                }
                // Keys of all partitions, many of them in one; 0 is a key as well.
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
                let counts = count_runs(arenas.clone(), most);
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
}
