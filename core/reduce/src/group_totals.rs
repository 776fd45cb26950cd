//! The counts of many values, in one table. Each value is somewhere else in memory, so what is found waits until some of it is there,
//! and the places of all of it are fetched at once.

use alloc::vec;
use alloc::vec::Vec;

use plyfold_scan::game::GameId;

use super::hash::hash;
use super::matching_positions::PositionRef;
use super::result_counts::ResultCounts;

/// The most runs that wait: more than a processor fetches at a time.
const MOST_WAITING: usize = 64;

/// The counts of one value, in a line of the cache of its own.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct GroupTotals {
    pub value: u64,
    pub positions: u64,
    /// Games with such positions, each once.
    pub results: ResultCounts,
    pub first_position: PositionRef,
    /// One more than the number of the game that was counted last; 0 in a place of the table that is free.
    last_game: u32,
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

/// Counts by value. The games of the runs that are added come in ascending order. Memory: 85 to 170 bytes per value.
#[derive(Default)]
pub(super) struct TotalsByValue {
    /// Open addressing, at most three quarters full: a value stands at the place of its hash, or behind it.
    places: Vec<GroupTotals>,
    taken: usize,
    waiting: Vec<GroupRun>,
}

impl GroupTotals {
    fn free() -> GroupTotals {
        let (results, first_position) = (ResultCounts::default(), PositionRef::default());
        GroupTotals { value: 0, positions: 0, results, first_position, last_game: 0 }
    }

    #[inline]
    fn add(&mut self, run: &GroupRun) {
        let GameId(game) = run.first.game;
        if self.last_game == 0 {
            (self.value, self.first_position) = (run.value, run.first);
        }
        self.positions += u64::from(run.positions);
        if self.last_game != game + 1 {
            self.last_game = game + 1;
            self.results.add_game(run.result.into());
        }
    }

    /// Adds the counts of other games.
    fn merge(&mut self, other: &GroupTotals) {
        if self.last_game == 0 {
            *self = *other;
            return;
        }
        self.positions += other.positions;
        self.results.add(&other.results);
        self.first_position = self.first_position.min(other.first_position);
        self.last_game = self.last_game.max(other.last_game);
    }
}

impl TotalsByValue {
    /// Adds positions.
    #[inline]
    pub fn add(&mut self, run: GroupRun) {
        if let Some(last) = self.waiting.last_mut()
            && (last.value, last.first.game) == (run.value, run.first.game)
        {
            last.positions += run.positions;
            return;
        }
        if self.waiting.len() == MOST_WAITING {
            self.count_waiting();
        }
        self.waiting.push(run);
    }

    #[inline(never)]
    fn count_waiting(&mut self) {
        let mut waiting = core::mem::take(&mut self.waiting);
        self.fetch(waiting.iter().map(|run| run.value));
        waiting.drain(..).for_each(|run| self.totals_of(run.value).add(&run));
        self.waiting = waiting;
    }

    /// Makes room for some values and fetches their places.
    fn fetch(&mut self, values: impl ExactSizeIterator<Item = u64>) {
        if 4 * (self.taken + values.len()) > 3 * self.places.len() {
            self.grow(values.len());
        }
        // PERF: the loads depend on nothing, so many are on their way at the same time.
        core::hint::black_box(values.fold(0, |all, value| all ^ self.places[self.first_place(value)].last_game));
    }

    #[inline(never)]
    fn grow(&mut self, more: usize) {
        let places = (2 * (self.taken + more)).next_power_of_two();
        let full = core::mem::replace(&mut self.places, vec![GroupTotals::free(); places]);
        self.taken = 0;
        full.iter().filter(|totals| totals.last_game != 0).for_each(|totals| *self.totals_of(totals.value) = *totals);
    }

    /// Where a value stands, if no other took the place.
    fn first_place(&self, value: u64) -> usize {
        (hash(value) >> (64 - self.places.len().trailing_zeros())) as usize
    }

    /// The place of a value, which counts as taken: there must be a free one.
    #[inline]
    fn totals_of(&mut self, value: u64) -> &mut GroupTotals {
        let mask = self.places.len() - 1;
        let mut at = self.first_place(value);
        while self.places[at].last_game != 0 && self.places[at].value != value {
            at = (at + 1) & mask;
        }
        let totals = &mut self.places[at];
        self.taken += usize::from(totals.last_game == 0);
        totals
    }

    /// Adds the counts of other games.
    pub fn merge(&mut self, other: TotalsByValue) {
        self.count_waiting();
        for some in other.into_totals().chunks(MOST_WAITING) {
            self.fetch(some.iter().map(|totals| totals.value));
            some.iter().for_each(|totals| self.totals_of(totals.value).merge(totals));
        }
    }

    /// The counts, in no order.
    pub fn into_totals(mut self) -> Vec<GroupTotals> {
        self.count_waiting();
        self.places.retain(|totals| totals.last_game != 0);
        self.places
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use plyfold_scan::game::Ply;
    use proptest::prelude::*;

    use super::*;

    /// Counts the runs of some threads, each with its own games, as a map does.
    fn compare(threads: &[Vec<(u64, u32, u8)>]) -> Result<(), TestCaseError> {
        let mut expected: BTreeMap<u64, (u64, BTreeMap<u32, u8>, PositionRef)> = BTreeMap::new();
        let mut all = TotalsByValue::default();
        let mut game = 0;
        for runs in threads {
            let mut totals = TotalsByValue::default();
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
        let found = all.into_totals();
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

        #[test]
        fn counts_equal_those_of_a_map(
            threads in prop::collection::vec(
                (prop_oneof![Just(3_u64), Just(5_000), Just(100_000)], 0_usize..40_000, any::<u64>()), 1..4,
            ),
        ) {
            let threads: Vec<Vec<(u64, u32, u8)>> = threads.iter().map(|&(values, runs, seed)| {
                let random = |nth: usize| hash(seed.wrapping_add(nth as u64));
                (0..runs).map(|nth| (random(nth) % values, (random(nth) >> 40) as u32 % 9 + 1, (random(nth) >> 50) as u8)).collect()
            }).collect();
            compare(&threads)?;
        }
    }
}
