//! The counts of many values, as one table as long as it fits into the cache, and then as parts, by the first bits of the values' hashes.
//! What is found in a part waits until it is worth fetching the part's table:
//!
//! ```text
//! add     run ─► one table, while there are few values
//!            └─► runs that wait in their part ─► the part's table, when they are several times as many as its values
//! counts  for each part, on all threads: the tables of all threads ─► one table
//! ```

use alloc::vec;
use alloc::vec::Vec;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use plyfold_scan::game::{GameId, Ply};

use super::hash::hash;
use super::matching_positions::PositionRef;
use super::result_counts::ResultCounts;

const PART_BITS: u32 = 10;
const PARTS: usize = 1 << PART_BITS;
/// Runs that are counted together.
const MOST_ADDED: usize = 256;
/// How many times more runs than values wait in a part.
///
/// PERF: with twice as many, structures of 690,551,600 plies take 2 % longer.
const RUNS_PER_VALUE: usize = 6;

/// The counts of one value.
#[derive(Clone, Copy)]
pub(super) struct GroupTotals {
    pub value: u64,
    pub positions: u64,
    /// Games with such positions, each once.
    pub results: ResultCounts,
    pub first_position: PositionRef,
    /// The game that was counted last.
    last_game: GameId,
}

/// Matching positions of one game that have one value: at least one.
#[derive(Clone, Copy)]
pub(super) struct GroupRun {
    pub value: u64,
    /// The first of them.
    pub first: PositionRef,
    pub positions: u32,
    /// The index of the game's result.
    pub result: u8,
}

/// A run that waits in its part. Few runs are too long for it, or begin too late in their game; these do not wait.
#[derive(Clone, Copy)]
struct WaitingRun {
    value: u64,
    game: u32,
    ply: u16,
    /// The number of positions, above two bits for the result.
    positions_and_result: u16,
}

/// Counts by value. The games of the runs that are added come in ascending order. Memory: 55 to 110 bytes per value, and up to 96 for the
/// runs that wait.
pub(super) struct TotalsByValue {
    /// The runs that were added last.
    ///
    /// PERF: they are counted together, because a scan and a table both need the registers and the cache.
    added: Vec<GroupRun>,
    /// One, or [`PARTS`].
    parts: Vec<Part>,
    /// The counts of other threads.
    others: Vec<TotalsByValue>,
    limits: Limits,
}

#[derive(Clone, Copy)]
struct Limits {
    /// The most values of one table, unless it is that of a part.
    most_in_one: usize,
    /// The fewest runs for which the table of a part is fetched.
    fewest_runs: usize,
}

/// The values whose hashes begin with the same bits.
#[derive(Default)]
struct Part {
    table: Table,
    /// As many as it has room for.
    waiting: Vec<WaitingRun>,
}

#[derive(Default)]
struct Table {
    rows: Vec<GroupTotals>,
    /// The number of the row of each value.
    row_of: HashTable<u32>,
}

fn part_of(value: u64) -> usize {
    (hash(value) >> (64 - PART_BITS)) as usize
}

/// The hash of a value in a table. In a part, the hashes of all values begin with the same bits; a hash table looks at the highest and the
/// lowest ones.
fn hash_in_table(value: u64) -> u64 {
    hash(value).wrapping_mul(0xbf58_476d_1ce4_e5b9).swap_bytes()
}

impl GroupTotals {
    fn of(run: &GroupRun) -> GroupTotals {
        let mut results = ResultCounts::default();
        results.add_game(run.result.into());
        let GroupRun { value, first, positions, .. } = *run;
        GroupTotals { value, positions: positions.into(), results, first_position: first, last_game: first.game }
    }

    #[inline]
    fn add(&mut self, run: &GroupRun) {
        self.positions += u64::from(run.positions);
        if self.last_game != run.first.game {
            self.last_game = run.first.game;
            self.results.add_game(run.result.into());
        }
    }

    /// Adds the counts of other games.
    fn merge(&mut self, other: &GroupTotals) {
        self.positions += other.positions;
        self.results.add(&other.results);
        self.first_position = self.first_position.min(other.first_position);
        self.last_game = self.last_game.max(other.last_game);
    }
}

impl WaitingRun {
    #[inline]
    fn of(run: &GroupRun) -> Option<WaitingRun> {
        let PositionRef { game: GameId(game), ply: Ply(ply) } = run.first;
        let positions_and_result = u16::try_from(u64::from(run.positions) << 2 | u64::from(run.result & 3)).ok()?;
        Some(WaitingRun { value: run.value, game, ply: u16::try_from(ply).ok()?, positions_and_result })
    }

    #[inline]
    fn run(&self) -> GroupRun {
        let first = PositionRef { game: GameId(self.game), ply: Ply(self.ply.into()) };
        let (positions, result) = (u32::from(self.positions_and_result >> 2), (self.positions_and_result & 3) as u8);
        GroupRun { value: self.value, first, positions, result }
    }
}

impl Table {
    #[inline]
    fn add(&mut self, run: &GroupRun) {
        match self.row_of(run.value) {
            Some(row) => self.rows[row].add(run),
            None => self.rows.push(GroupTotals::of(run)),
        }
    }

    /// Adds the counts of other games.
    fn merge(&mut self, other: &GroupTotals) {
        match self.row_of(other.value) {
            Some(row) => self.rows[row].merge(other),
            None => self.rows.push(*other),
        }
    }

    /// The row of a value; for a new value none, and its row must come next.
    #[inline(never)]
    fn row_of(&mut self, value: u64) -> Option<usize> {
        let Table { rows, row_of } = self;
        let is_same = |&row: &u32| rows[row as usize].value == value;
        match row_of.entry(hash_in_table(value), is_same, |&row| hash_in_table(rows[row as usize].value)) {
            Entry::Occupied(row) => Some(*row.get() as usize),
            Entry::Vacant(place) => {
                place.insert(rows.len() as u32);
                None
            }
        }
    }
}

impl Part {
    #[inline]
    fn add(&mut self, run: &GroupRun) {
        match WaitingRun::of(run) {
            Some(run) if self.waiting.len() < self.waiting.capacity() => self.waiting.push(run),
            _ => self.add_to_table(run),
        }
    }

    /// Adds the runs that wait, and then one that does not.
    #[inline(never)]
    fn add_to_table(&mut self, run: &GroupRun) {
        self.count_waiting();
        self.table.add(run);
        self.waiting.reserve_exact(RUNS_PER_VALUE * self.table.rows.len());
    }

    fn count_waiting(&mut self) {
        let Part { table, waiting } = self;
        waiting.drain(..).for_each(|run| table.add(&run.run()));
    }

    /// The counts of the parts of several threads, in no order.
    fn join(parts: Vec<Part>) -> Vec<GroupTotals> {
        let tables = parts.into_iter().map(|mut part| {
            part.count_waiting();
            part.table
        });
        let joined = tables.reduce(|mut all, other| {
            other.rows.iter().for_each(|totals| all.merge(totals));
            all
        });
        joined.unwrap_or_default().rows
    }
}

impl Default for TotalsByValue {
    fn default() -> TotalsByValue {
        TotalsByValue::with_limits(Limits { most_in_one: 1 << 15, fewest_runs: 1 << 10 })
    }
}

impl TotalsByValue {
    fn with_limits(limits: Limits) -> TotalsByValue {
        TotalsByValue { added: Vec::new(), parts: vec![Part::default()], others: Vec::new(), limits }
    }

    /// Adds positions.
    #[inline]
    pub fn add(&mut self, run: GroupRun) {
        if let Some(last) = self.added.last_mut()
            && (last.value, last.first.game) == (run.value, run.first.game)
        {
            last.positions += run.positions;
            return;
        }
        if self.added.len() == MOST_ADDED {
            self.count_added();
        }
        self.added.push(run);
    }

    #[inline(never)]
    fn count_added(&mut self) {
        let TotalsByValue { added, parts, limits, .. } = self;
        if let [Part { table, .. }] = &mut parts[..] {
            added.drain(..).for_each(|run| table.add(&run));
            if table.rows.len() > limits.most_in_one {
                self.split();
            }
        } else {
            added.drain(..).for_each(|run| parts[part_of(run.value)].add(&run));
        }
    }

    /// Makes parts of the one table.
    fn split(&mut self) {
        let waiting = || Vec::with_capacity(self.limits.fewest_runs);
        let parts = (0..PARTS).map(|_| Part { table: Table::default(), waiting: waiting() }).collect();
        let whole = core::mem::replace(&mut self.parts, parts);
        for totals in whole.iter().flat_map(|part| &part.table.rows) {
            self.parts[part_of(totals.value)].table.merge(totals);
        }
    }

    /// Adds the counts of other games.
    pub fn merge(&mut self, mut other: TotalsByValue) {
        self.others.append(&mut other.others);
        self.others.push(other);
    }

    /// What `of_part` makes of the counts, each time of those of some values, in no order.
    pub fn by_part<T: Send>(mut self, of_part: impl Fn(Vec<GroupTotals>) -> T + Sync) -> Vec<T> {
        let mut all = core::mem::take(&mut self.others);
        all.push(self);
        all.iter_mut().for_each(TotalsByValue::count_added);
        let count = all.iter().map(|totals| totals.parts.len()).max().unwrap_or(1);
        all.iter_mut().filter(|totals| totals.parts.len() < count).for_each(TotalsByValue::split);
        let mut parts: Vec<Vec<Part>> = (0..count).map(|_| Vec::with_capacity(all.len())).collect();
        for totals in all {
            parts.iter_mut().zip(totals.parts).for_each(|(of_threads, part)| of_threads.push(part));
        }
        let joined = |parts| of_part(Part::join(parts));
        // Every visitor of the page downloads the code that shares out the parts, which takes longer than joining those of a page.
        #[cfg(all(feature = "rayon", not(target_arch = "wasm32")))]
        {
            use rayon::iter::{IntoParallelIterator, ParallelIterator};
            parts.into_par_iter().map(joined).collect()
        }
        #[cfg(not(all(feature = "rayon", not(target_arch = "wasm32"))))]
        {
            parts.into_iter().map(joined).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Counts the runs of some threads, each with its own games, as a map does.
    fn compare(threads: &[Vec<(u64, u32, u8)>], limits: Limits) -> Result<(), TestCaseError> {
        let mut expected: BTreeMap<u64, (u64, BTreeMap<u32, u8>, PositionRef)> = BTreeMap::new();
        let mut all = TotalsByValue::with_limits(limits);
        let mut game = 0;
        for runs in threads {
            let mut totals = TotalsByValue::with_limits(limits);
            for &(value, positions, result) in runs {
                game += u32::from(result & 1);
                let first = PositionRef { game: GameId(game), ply: Ply(positions) };
                let run = GroupRun { value, first, positions, result: (game % 4) as u8 };
                totals.add(run);
                let (sum, games, of_value) = expected.entry(value).or_insert((0, BTreeMap::new(), first));
                *sum += u64::from(positions);
                games.insert(game, run.result);
                of_value.game = of_value.game.min(first.game);
            }
            game += 1;
            all.merge(totals);
        }
        let found = all.by_part(|totals| totals).concat();
        prop_assert_eq!(found.len(), expected.len());
        for totals in found {
            let (positions, games, first) = &expected[&totals.value];
            let counts = ResultCounts::from_counts(core::array::from_fn(|result| {
                games.values().filter(|&&of_game| usize::from(of_game) == result).count() as u32
            }));
            prop_assert_eq!((totals.positions, totals.results), (*positions, counts));
            prop_assert_eq!(totals.first_position.game, first.game);
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Some threads split their tables and others do not, parts are counted often or once, and some runs are too long to wait.
        #[test]
        fn counts_equal_those_of_a_map(
            threads in prop::collection::vec(
                (prop_oneof![Just(3_u64), Just(5_000), Just(100_000)], 0_usize..40_000, any::<u64>()), 1..4,
            ),
            most_in_one in prop_oneof![Just(100_usize), Just(6_000)],
            fewest_runs in 1_usize..40,
        ) {
            let threads: Vec<Vec<(u64, u32, u8)>> = threads.iter().map(|&(values, runs, seed)| {
                let random = |nth: usize| hash(seed.wrapping_add(nth as u64));
                let positions = |bits: u64| if bits.is_multiple_of(64) { 10_000 + (bits >> 6) as u32 % 100_000 } else { bits as u32 % 9 + 1 };
                (0..runs).map(|nth| (random(nth) % values, positions(random(nth) >> 40), (random(nth) >> 50) as u8)).collect()
            }).collect();
            compare(&threads, Limits { most_in_one, fewest_runs })?;
        }
    }
}
