//! Verifies tables: derives the value of every position from the positions after it, by the rules of chess, and compares.
//!
//! Verification shares only the reading of tables with the rest, and no code with generation. It finds every wrong value, because
//! only the right values agree with those of all their successors.
//!
//! Small tables are verified tile by tile, with the tiles of their successors unpacked in a cache. Samples, and tables whose tiles
//! are too large for that, are verified in batches. Packed tables are asked position by position.

mod batch;
mod draw;
mod report;
mod table_verifier;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use plyfold_tables::material::TableMaterial;

use crate::Error;
use crate::prober::{CachedTables, IndexedTable, ListSide};

use draw::{draw_positions, table_words};
use report::VerificationFindings;
use table_verifier::{BATCH_POSITIONS, ProgressCounters, TableVerifier};

pub use report::{Difference, Miscount, SHOWN_DIFFERENCES, VerificationReport};

/// A tile is unpacked if so many of its size fit into the cache; otherwise its positions are verified in batches.
const TILES_IN_CACHE: usize = 32;

/// How much to verify.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerificationExtent {
    /// The fraction of positions to check, drawn at random; 1 or more means all.
    pub fraction: f64,
    /// The seed of the drawing; the same seed draws the same positions.
    pub seed: u64,
}

impl VerificationExtent {
    /// Every position.
    pub const WHOLE: VerificationExtent = VerificationExtent { fraction: 1.0, seed: 0 };

    /// Returns whether every position is checked.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.fraction >= 1.0
    }
}

/// Progress of a verification.
#[derive(Clone, Copy, Debug, Default)]
pub struct VerificationProgress {
    /// Addresses passed so far, drawn or not.
    pub done: u64,
    /// All addresses: every bit of every tile, for both sides to move.
    pub total: u64,
    /// Positions checked.
    pub checked: u64,
    /// Differences found so far.
    pub differences: u64,
}

/// Verifies both tables of a material, on the threads of the current rayon pool. `stop` ends it early. `on_progress` is
/// called often, from all threads.
///
/// # Errors
/// A table, or a smaller one that it converts into, is missing or cannot be read.
pub fn verify(
    tables: &CachedTables,
    material: TableMaterial,
    extent: VerificationExtent,
    stop: &AtomicBool,
    on_progress: &(dyn Fn(VerificationProgress) + Sync),
) -> Result<VerificationReport, Error> {
    let mut winners = vec![material, material.swapped()];
    winners.dedup();
    winners.retain(|table| table.can_win());
    let verification = Verification::open(tables, &winners, stop, on_progress)?;
    verification.run(extent)
}

/// A verification of some tables of one material.
pub struct Verification<'a> {
    tables: &'a CachedTables,
    opened: Vec<Arc<IndexedTable>>,
    stop: &'a AtomicBool,
    on_progress: &'a (dyn Fn(VerificationProgress) + Sync),
    start: Instant,
}

impl<'a> Verification<'a> {
    /// Opens the tables. White is the winner in each.
    ///
    /// # Errors
    /// A table is missing or cannot be read.
    pub fn open(
        tables: &'a CachedTables,
        winners: &[TableMaterial],
        stop: &'a AtomicBool,
        on_progress: &'a (dyn Fn(VerificationProgress) + Sync),
    ) -> Result<Verification<'a>, Error> {
        let start = Instant::now();
        let opened = winners.iter().map(|table| tables.table(*table)).collect::<Result<Vec<_>, Error>>()?;
        Ok(Verification { tables, opened, stop, on_progress, start })
    }

    /// Verifies all positions, or a fraction of them, on the threads of the current rayon pool.
    ///
    /// # Errors
    /// A smaller table is missing, or a table cannot be read.
    pub fn run(&self, extent: VerificationExtent) -> Result<VerificationReport, Error> {
        let places = |table: &Arc<IndexedTable>| 128 * table_words(&table.index);
        let tally = ProgressCounters::new(self.opened.iter().map(places).sum());
        let (mut found, mut miscounts) = (VerificationFindings::default(), Vec::new());
        for table in &self.opened {
            let work = TableVerifier::new(self, table, extent, &tally)?;
            let by_tiles = work.is_packed || self.fits_cache(table);
            let table_findings = if by_tiles { work.run()? } else { work.run_in_batches()? };
            if extent.is_whole() && !self.is_stopped() {
                let counts = table_findings.counts.iter().zip(ListSide::BOTH);
                miscounts.extend(counts.flat_map(|(counts, side)| counts.miscounts(table, side)));
            }
            found = found.merge(table_findings);
        }
        Ok(VerificationReport { miscounts, fraction: extent.fraction.min(1.0), ..self.report(found, extent.seed) })
    }

    /// Verifies so many positions, drawn at random, on the threads of the current rayon pool. It takes little memory, however large
    /// the tables are; each table that they need is read once for up to 50,000 positions, so a position costs more time if there
    /// are few.
    ///
    /// # Errors
    /// A smaller table is missing, or a table cannot be read.
    pub fn run_sample(&self, positions: u64, seed: u64) -> Result<VerificationReport, Error> {
        let tally = ProgressCounters::new(positions);
        let mut found = VerificationFindings::default();
        for (table, draws) in self.opened.iter().zip(draw_positions(&self.opened, positions, seed, self.stop)) {
            let extent = VerificationExtent { seed, ..VerificationExtent::WHOLE };
            let work = TableVerifier::new(self, table, extent, &tally)?;
            for batch in draws.chunks(BATCH_POSITIONS) {
                if !self.is_stopped() {
                    let in_batch = work.batch(batch)?;
                    work.report_progress(&in_batch, batch.len() as u64);
                    found = found.merge(in_batch);
                }
            }
        }
        let report = self.report(found, seed);
        let fraction = report.covered as f64 / report.legal.max(1) as f64;
        Ok(VerificationReport { fraction, sample: Some(positions), ..report })
    }

    /// Whether tiles of a table, and of those that it converts into, can be unpacked in the cache.
    fn fits_cache(&self, table: &IndexedTable) -> bool {
        let smaller = table.material.conversions().into_iter().filter_map(|smaller| self.tables.table(smaller).ok());
        let indexes: Vec<Arc<IndexedTable>> = smaller.collect();
        let indexes = indexes.iter().map(|smaller| &smaller.index).chain([&table.index]);
        let widest = indexes.flat_map(|index| (0..index.tiles()).map(|tile| index.tile_words(tile))).max();
        64 * widest.unwrap_or(0) * TILES_IN_CACHE <= self.tables.bound()
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn report(&self, mut found: VerificationFindings, seed: u64) -> VerificationReport {
        found.first.sort_by_key(|(at, _)| *at);
        let material = self.opened.first().map_or_else(String::new, |table| table.material.to_string());
        VerificationReport {
            material,
            tables: self.opened.iter().map(|table| table.material.to_string()).collect(),
            fraction: 0.0,
            sample: None,
            seed,
            is_stopped: self.is_stopped(),
            checked: found.checked,
            covered: found.covered,
            legal: self.opened.iter().map(|table| table.summary.legal.iter().sum::<u64>()).sum(),
            seconds: self.start.elapsed().as_secs_f64(),
            differences: found.differences,
            first: found.first.into_iter().map(|(_, difference)| difference).collect(),
            miscounts: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;
    use std::sync::atomic::AtomicU64;

    use plyfold_tables::index::TableIndex;
    use plyfold_tables::layout::{LevelTotals, TableTotals};
    use plyfold_tables::successors::TablePosition;

    use super::*;
    use crate::memory_tables::MemoryLibrary;
    use crate::prober::tests::{made, material};
    use crate::prober::{Archive, DEFAULT_CACHE_BYTES, PutLevel, TileKey};

    fn run(archive: impl Archive + 'static, name: &str, extent: VerificationExtent) -> VerificationReport {
        run_within(DEFAULT_CACHE_BYTES, archive, name, extent)
    }

    fn run_within(
        bound: usize,
        archive: impl Archive + 'static,
        name: &str,
        extent: VerificationExtent,
    ) -> VerificationReport {
        let tables = CachedTables::new(Box::new(archive), bound);
        verify(&tables, material(name), extent, &AtomicBool::new(false), &|_| {}).expect("tables in memory")
    }

    type Change = Box<dyn Fn(u64, u16) -> Option<u16> + Send + Sync>;

    /// Tables with wrong totals in KRvK, wrong levels for one side to move, or a level at an address without a legal position.
    struct Wrong {
        made: MemoryLibrary,
        totals: fn(&mut TableTotals),
        side: ListSide,
        change: Change,
        more: Option<(u64, u16)>,
    }

    impl Wrong {
        fn new(side: ListSide, change: impl Fn(u64, u16) -> Option<u16> + Send + Sync + 'static) -> Wrong {
            Wrong { made: made(&["KRvK"]), totals: |_| (), side, change: Box::new(change), more: None }
        }

        fn none() -> Wrong {
            Wrong::new(ListSide::Won, |_, level| Some(level))
        }
    }

    impl Archive for Wrong {
        fn summary(&self, index: &TableIndex) -> Result<TableTotals, Error> {
            let mut summary = self.made.summary(index)?;
            (self.totals)(&mut summary);
            Ok(summary)
        }

        fn decode(&self, at: TileKey, words: usize, levels: RangeInclusive<u16>, put: PutLevel) -> Result<(), Error> {
            if at.table != material("KRvK") || at.side != self.side {
                return self.made.decode(at, words, levels, put);
            }
            self.more.into_iter().for_each(|(bit, level)| put(bit, level));
            self.made.decode(at, words, levels, &mut |bit, level| {
                (self.change)(bit, level).into_iter().for_each(|level| put(bit, level));
            })
        }
    }

    #[test]
    fn every_wrong_count_is_found() {
        /// A change of the totals, and the wrong totals that must be reported.
        type Case = (fn(&mut TableTotals), &'static [&'static str]);
        let cases: [Case; 6] = [
            (|summary| summary.levels[16].won += 1, &["positions won in 16"]),
            (|summary| summary.levels[0].lost -= 8, &["positions lost in 0"]),
            (|summary| summary.levels.push(LevelTotals { n: 18, won: 0, lost: 8 }), &["positions lost in 18"]),
            (|summary| summary.levels.push(LevelTotals { n: 18, won: 8, lost: 0 }), &["positions won in 18"]),
            (
                |summary| {
                    summary.levels[3].won += 8;
                    summary.levels[4].won -= 8;
                },
                &["positions won in 3", "positions won in 4"],
            ),
            // The sum of both sides stays right.
            (
                |summary| {
                    summary.legal[0] += 8;
                    summary.legal[1] -= 8;
                },
                &["legal positions with white to move", "legal positions with black to move"],
            ),
        ];
        for (change, expected) in cases {
            let wrong = || Wrong { totals: change, ..Wrong::none() };
            let report = run(wrong(), "KRvK", VerificationExtent::WHOLE);
            let found: Vec<&str> = report.miscounts.iter().map(|one| &*one.what).collect();
            assert_eq!((found, report.differences, report.is_sound()), (expected.to_vec(), 0, false));
            assert!(report.miscounts.iter().all(|one| one.table == "KRvK" && one.stored != one.counted));
            // Totals are not checked unless all positions are.
            let part = run(wrong(), "KRvK", VerificationExtent { fraction: 0.1, seed: 1 });
            assert!(part.is_sound() && part.miscounts.is_empty());
        }
    }

    #[test]
    fn sound_tables_are_found_sound_and_every_legal_position_is_counted() {
        for name in ["KRvK", "KPvK", "KNvK"] {
            let report = run(made(&[name]), name, VerificationExtent::WHOLE);
            assert!(report.is_sound(), "{report:?}");
            assert_eq!(report.covered, report.legal, "{name}");
            assert_eq!(report.tables, [name], "a lone king has no table");
        }
    }

    #[test]
    fn a_wrong_level_is_found_where_it_stands_and_where_it_leads() {
        let shorter = |_: u64, level: u16| Some(if level == 16 { 15 } else { level });
        let report = run(Wrong::new(ListSide::Won, shorter), "KRvK", VerificationExtent::WHOLE);
        assert!(!report.is_sound() && report.differences >= 10, "{report:?}");
        assert_eq!(report.first.len(), SHOWN_DIFFERENCES);
        assert!(report.first.iter().any(|one| one.stored == Some(15) && one.derived == Some(16)), "{report:?}");
        assert!(report.first.iter().all(|one| TablePosition::from_fen(&one.fen).is_ok()), "{report:?}");
    }

    /// Batches and the cache of tiles are two ways to the same report.
    #[test]
    #[ignore = "slow"]
    fn batches_find_what_the_cache_finds() {
        let numbers = |report: VerificationReport| {
            let VerificationReport { checked, covered, differences, first, miscounts, .. } = report;
            (checked, covered, differences, first, miscounts)
        };
        let part = VerificationExtent { fraction: 0.3, seed: 5 };
        for (name, extent) in [("KRvK", VerificationExtent::WHOLE), ("KNNvK", part), ("KPvK", part)] {
            let [cached, batches] =
                [DEFAULT_CACHE_BYTES, 1].map(|bound| numbers(run_within(bound, made(&[name]), name, extent)));
            assert!(cached.0 > 10_000 && cached.2 == 0, "{name}: {}", cached.0);
            assert_eq!(cached, batches, "{name}");
        }
        let longer = |bit: u64, level: u16| Some(if bit.is_multiple_of(7) { level + 1 } else { level });
        for extent in [VerificationExtent::WHOLE, part] {
            let [cached, batches] = [DEFAULT_CACHE_BYTES, 1]
                .map(|bound| numbers(run_within(bound, Wrong::new(ListSide::Won, longer), "KRvK", extent)));
            assert!(cached.2 > 1000);
            assert_eq!(cached, batches);
        }
        let more = Wrong { more: Some((64, 3)), ..Wrong::none() };
        assert_eq!(run_within(1, more, "KRvK", VerificationExtent::WHOLE).differences, 1);
    }

    #[test]
    fn a_sample_draws_positions_alike() {
        let tables = CachedTables::new(Box::new(made(&["KRvK"])), DEFAULT_CACHE_BYTES);
        let stop = AtomicBool::new(false);
        let verification = Verification::open(&tables, &[material("KRvK")], &stop, &|_| {}).expect("tables in memory");
        let report = verification.run_sample(100_000, 3).expect("tables in memory");
        assert_eq!((report.checked, report.sample, report.is_sound()), (100_000, Some(100_000), true));
        // Positions stand for eight or four on the whole board, and a sample has as many of each as the table.
        let whole = verification.run(VerificationExtent::WHOLE).expect("tables in memory");
        let mean = |report: &VerificationReport| report.covered as f64 / report.checked as f64;
        assert!((mean(&report) / mean(&whole) - 1.0).abs() < 0.02, "{} {}", mean(&report), mean(&whole));
        let white = draw_positions(&verification.opened, 100_000, 3, &stop)[0]
            .iter()
            .filter(|draw| draw.side == ListSide::Won)
            .count();
        let share = white as f64 / 100_000.0;
        assert!((share - 175_168.0 / (175_168.0 + 223_944.0)).abs() < 0.02, "{share}");
    }

    #[test]
    fn what_is_left_out_is_found() {
        let fewer = |_: u64, level: u16| (level != 0).then_some(level);
        let report = run(Wrong::new(ListSide::Lost, fewer), "KRvK", VerificationExtent::WHOLE);
        assert!(report.first.iter().any(|one| one.stored.is_none() && one.derived == Some(0)), "{report:?}");
    }

    #[test]
    fn what_is_no_position_is_found() {
        // White king on a1, rook on b1, and the black king also on a1.
        let more = Wrong { more: Some((64, 3)), ..Wrong::none() };
        let report = run(more, "KRvK", VerificationExtent::WHOLE);
        assert_eq!(report.differences, 1, "{report:?}");
        assert!(report.first[0].fen.starts_with("no position: bit 64"), "{report:?}");
    }

    #[test]
    fn a_sample_is_what_its_seed_says_for_any_number_of_threads() {
        let longer = |bit: u64, level: u16| Some(if bit.is_multiple_of(7) { level + 1 } else { level });
        let of = |seed: u64, threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let report = pool
                .install(|| run(Wrong::new(ListSide::Won, longer), "KRvK", VerificationExtent { fraction: 0.2, seed }));
            (report.checked, report.covered, report.differences, report.first)
        };
        let one = of(1, 1);
        assert_eq!(one, of(1, 3));
        assert_ne!(one, of(2, 1));
        let (_, covered, ..) = one;
        let whole = (175_168 + 223_944) as f64;
        assert!((0.18..0.22).contains(&(covered as f64 / whole)), "{covered} of {whole}");
    }

    #[test]
    fn it_is_told_of_everything_and_can_be_stopped() {
        let tables = CachedTables::new(Box::new(made(&["KPvK"])), DEFAULT_CACHE_BYTES);
        let (stop, most) = (AtomicBool::new(false), AtomicU64::new(0));
        let watch = |progress: VerificationProgress| {
            most.fetch_max(progress.done, Ordering::Relaxed);
            assert!(progress.done <= progress.total && progress.differences == 0);
        };
        verify(&tables, material("KPvK"), VerificationExtent::WHOLE, &stop, &watch).expect("tables in memory");
        assert_eq!(most.load(Ordering::Relaxed), 24 * 64 * 128, "pawn slices, words, places of a word");
        let early = |_: VerificationProgress| stop.store(true, Ordering::Relaxed);
        let report =
            verify(&tables, material("KPvK"), VerificationExtent::WHOLE, &stop, &early).expect("tables in memory");
        assert!(report.is_stopped && report.covered < report.legal);
    }
}
