//! Verifies tables: derives the value of every position from the positions after it, by the rules of chess, and compares.
//!
//! Verification shares the reading of tables with the rest, and nothing of the generation. It finds every wrong value, because
//! only the right values agree with those of all their successors.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use plyfold_core::table::index::{PieceSquares, TableAddress, TableIndex};
use plyfold_core::table::material::TableMaterial;
use plyfold_core::table::probe::Prober;
use plyfold_core::table::successors::TablePosition;
use plyfold_core::transform::symmetry::Symmetry;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rayon::prelude::*;
use serde::Serialize;
use shakmaty::{Board, Color};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::Error;
use crate::prober::{CacheSlot, CachedTables, IndexedTable, ListSide, ThreadTables};

/// How many differences a report lists.
pub const SHOWN_DIFFERENCES: usize = 10;

/// How many words of a tile one thread takes at a time.
const SPAN_WORDS: usize = 1024;

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

    /// Whether every position is checked.
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

/// The result of a verification.
#[derive(Clone, Debug, Serialize)]
pub struct VerificationReport {
    /// The material.
    pub material: String,
    /// The tables that were verified; White is the winner in each.
    pub tables: Vec<String>,
    /// The fraction of positions that were drawn.
    pub fraction: f64,
    /// The seed of the drawing.
    pub seed: u64,
    /// Whether the verification was stopped early.
    pub is_stopped: bool,
    /// Legal positions checked, up to symmetry, for both sides to move.
    pub checked: u64,
    /// The positions on the whole board that these stand for.
    pub covered: u64,
    /// All legal positions, as the tables count them. Equal to `covered` if all were checked.
    pub legal: u64,
    /// Duration in seconds.
    pub seconds: f64,
    /// Positions with a wrong value, and addresses with a value but no legal position.
    pub differences: u64,
    /// The first differences.
    pub first: Vec<Difference>,
    /// Totals of the tables that differ from the counted positions; found only if all were checked.
    pub miscounts: Vec<Miscount>,
}

impl VerificationReport {
    /// Positions checked per second.
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.checked as f64 / self.seconds.max(1e-9)
    }

    /// Whether no fault was found: no difference and no wrong total.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.differences == 0 && self.miscounts.is_empty()
    }
}

/// A total of a table that differs from the counted positions, on the whole board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Miscount {
    /// The table; White is the winner.
    pub table: String,
    /// The kind of positions, such as `positions won in 5` or `legal positions with Black to move`.
    pub what: String,
    /// The total that the table stores.
    pub stored: u64,
    /// The counted number.
    pub counted: u64,
}

/// A position whose stored value does not follow from the positions after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The table; White is the winner.
    pub table: String,
    /// The position, as FEN; White is the winner.
    pub fen: String,
    /// The stored moves to mate; `None` if White does not win.
    pub stored: Option<u16>,
    /// The derived moves to mate; `None` if White does not win or there is no legal position.
    pub derived: Option<u16>,
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
    let start = Instant::now();
    let mut winners = vec![material, material.swapped()];
    winners.dedup();
    winners.retain(|table| table.can_win());
    let opened = winners.iter().map(|table| tables.table(*table)).collect::<Result<Vec<Arc<IndexedTable>>, Error>>()?;
    let places =
        |table: &Arc<IndexedTable>| (table.index.pawn_slice_words() * 128 * table.index.pawn_slices().len()) as u64;
    let tally = ProgressCounters { total: opened.iter().map(places).sum(), ..ProgressCounters::default() };
    let (mut found, mut miscounts) = (VerificationFindings::default(), Vec::new());
    for table in &opened {
        let work = TableVerifier { tables, table, extent, stop, on_progress, tally: &tally };
        let table_findings = work.run()?;
        if extent.is_whole() && !stop.load(Ordering::Relaxed) {
            miscounts.extend(
                table_findings
                    .counts
                    .iter()
                    .zip([ListSide::Won, ListSide::Lost])
                    .flat_map(|(counts, side)| counts.miscounts(table, side)),
            );
        }
        found = found.merge(table_findings);
    }
    found.first.sort_by_key(|(at, _)| *at);
    Ok(VerificationReport {
        material: material.to_string(),
        tables: winners.iter().map(TableMaterial::to_string).collect(),
        fraction: extent.fraction.min(1.0),
        seed: extent.seed,
        is_stopped: stop.load(Ordering::Relaxed),
        checked: found.checked,
        covered: found.covered,
        legal: opened.iter().map(|table| table.summary.legal.iter().sum::<u64>()).sum(),
        seconds: start.elapsed().as_secs_f64(),
        differences: found.differences,
        first: found.first.into_iter().map(|(_, difference)| difference).collect(),
        miscounts,
    })
}

/// Counters for the progress.
#[derive(Default)]
struct ProgressCounters {
    total: u64,
    done: AtomicU64,
    checked: AtomicU64,
    differences: AtomicU64,
}

/// The findings of a part. Differences are sorted by pawn slice, tile and bit, so that the first ones do not depend on the
/// number of threads.
#[derive(Default)]
struct VerificationFindings {
    checked: u64,
    covered: u64,
    differences: u64,
    first: Vec<((TableMaterial, u32, u32, u64), Difference)>,
    /// The counts with White to move and with Black to move.
    counts: [CountedLevels; 2],
}

/// Positions on the whole board with one side to move.
#[derive(Default)]
struct CountedLevels {
    legal: u64,
    /// Positions by their stored level.
    levels: Vec<u64>,
}

impl CountedLevels {
    fn add(&mut self, weight: u64, level: Option<u16>) {
        self.legal += weight;
        if let Some(level) = level.map(usize::from) {
            self.levels.resize(self.levels.len().max(level + 1), 0);
            self.levels[level] += weight;
        }
    }

    fn merge(&mut self, other: &CountedLevels) {
        self.legal += other.legal;
        self.levels.resize(self.levels.len().max(other.levels.len()), 0);
        self.levels.iter_mut().zip(&other.levels).for_each(|(sum, more)| *sum += more);
    }

    /// The totals that a table stores wrongly.
    fn miscounts(&self, table: &IndexedTable, side: ListSide) -> impl Iterator<Item = Miscount> {
        let said = table.summary.levels(side);
        let legal = (
            format!("legal positions with {} to move", side.side_to_move()),
            table.summary.legal[side as usize],
            self.legal,
        );
        let levels = (0..said.len().max(self.levels.len())).map(move |level| {
            let word = if side == ListSide::Won { "won" } else { "lost" };
            let count_at = |counts: &[u64]| counts.get(level).copied().unwrap_or(0);
            (format!("positions {word} in {level}"), count_at(said), count_at(&self.levels))
        });
        let differing = std::iter::once(legal).chain(levels).filter(|(_, stored, counted)| stored != counted);
        differing.map(|(what, stored, counted)| Miscount { table: table.material.to_string(), what, stored, counted })
    }
}

impl VerificationFindings {
    fn merge(mut self, other: VerificationFindings) -> VerificationFindings {
        self.checked += other.checked;
        self.covered += other.covered;
        self.counts.iter_mut().zip(&other.counts).for_each(|(sum, more)| sum.merge(more));
        self.differences += other.differences;
        self.first.extend(other.first);
        self.first.sort_by_key(|(at, _)| *at);
        self.first.truncate(SHOWN_DIFFERENCES);
        self
    }
}

/// A table that is being verified.
#[derive(Clone, Copy)]
struct TableVerifier<'a> {
    tables: &'a CachedTables,
    table: &'a IndexedTable,
    extent: VerificationExtent,
    stop: &'a AtomicBool,
    on_progress: &'a (dyn Fn(VerificationProgress) + Sync),
    tally: &'a ProgressCounters,
}

impl TableVerifier<'_> {
    fn run(self) -> Result<VerificationFindings, Error> {
        let index = &self.table.index;
        let (cells, tiles) = (index.pawn_slices().len() as u64, u64::from(index.tiles()));
        let tile = |number: u64| {
            let (cell, tile) = ((number / tiles) as u32, (number % tiles) as u32);
            let words = index.tile_words(tile);
            let span =
                move |span: usize| self.span(cell, tile, span * SPAN_WORDS..((span + 1) * SPAN_WORDS).min(words));
            (0..words.div_ceil(SPAN_WORDS))
                .into_par_iter()
                .map(span)
                .try_reduce(VerificationFindings::default, |one, other| Ok(one.merge(other)))
        };
        (0..cells * tiles)
            .into_par_iter()
            .map(tile)
            .try_reduce(VerificationFindings::default, |one, other| Ok(one.merge(other)))
    }

    /// Verifies some words of a tile.
    fn span(self, pawn_slice: u32, tile: u32, words: Range<usize>) -> Result<VerificationFindings, Error> {
        let mut found = VerificationFindings::default();
        if self.stop.load(Ordering::Relaxed) {
            return Ok(found);
        }
        let (index, places) = (&self.table.index, words.len() as u64 * 128);
        let name = [pawn_slice, tile, words.start as u32].map(u32::to_le_bytes).concat();
        let seed = xxh3_64_with_seed(&name, self.extent.seed);
        let prober = Prober::new(ThreadTables::new(self.tables));
        let levels: [OnceCell<Arc<CacheSlot>>; 2] = [OnceCell::new(), OnceCell::new()];
        let mut word = CurrentWord::default();
        for place in SampledPlaces::new(places, self.extent, seed) {
            let number = words.start + (place / 128) as usize;
            let (side, turn) =
                if place & 1 == 0 { (ListSide::Won, Color::White) } else { (ListSide::Lost, Color::Black) };
            let bit = number as u64 * 64 + (place / 2) % 64;
            word.go_to(index, pawn_slice, tile, number);
            let cached = &levels[side as usize];
            let slot = match cached.get() {
                Some(slot) => slot,
                None => {
                    let read = self.tables.levels(self.table, pawn_slice, tile, side)?;
                    cached.get_or_init(|| read)
                }
            };
            let stored = slot.levels().and_then(|levels| levels.get(bit));
            if !word.is_canonical && stored.is_none() {
                continue;
            }
            let board = index.board_at(TableAddress { pawn_slice, tile, bit });
            let position = board
                .clone()
                .filter(|_| word.is_canonical)
                .and_then(|men| TablePosition::from_board(men, turn, None).ok());
            let derived = match &position {
                Some(position) => prober.searched_level(Color::White, position)?,
                None => None,
            };
            if position.is_some() {
                found.checked += 1;
                found.covered += word.weight;
                found.counts[side as usize].add(word.weight, stored);
            }
            if stored != derived {
                found.differences += 1;
                if found.first.len() < SHOWN_DIFFERENCES {
                    let fen = describe_place(board.as_ref(), turn, pawn_slice, tile, bit);
                    let difference = Difference { table: self.table.material.to_string(), fen, stored, derived };
                    found.first.push(((self.table.material, pawn_slice, tile, 2 * bit + side as u64), difference));
                }
            }
        }
        self.report_progress(&found, places);
        Ok(found)
    }

    fn report_progress(&self, found: &VerificationFindings, places: u64) {
        let add = |counter: &AtomicU64, more: u64| counter.fetch_add(more, Ordering::Relaxed) + more;
        (self.on_progress)(VerificationProgress {
            done: add(&self.tally.done, places),
            total: self.tally.total,
            checked: add(&self.tally.checked, found.checked),
            differences: add(&self.tally.differences, found.differences),
        });
    }
}

/// Names an address: by its FEN, or by its numbers if two pieces share a square.
fn describe_place(board: Option<&Board>, turn: Color, pawn_slice: u32, tile: u32, bit: u64) -> String {
    match board {
        Some(men) => format!("{} {} - - 0 1", men.board_fen(), turn.char()),
        None => format!("no position: bit {bit} of tile {tile} of cell {pawn_slice}, {} to move", turn.char()),
    }
}

/// The current word: 64 positions that differ only in the square of the black king.
#[derive(Default)]
struct CurrentWord {
    number: Option<usize>,
    row: Option<usize>,
    /// The canonical words of the row.
    canonical_words: u64,
    is_canonical: bool,
    /// How many positions on the whole board each of its positions stands for.
    weight: u64,
}

impl CurrentWord {
    fn go_to(&mut self, index: &TableIndex, pawn_slice: u32, tile: u32, number: usize) {
        if self.number == Some(number) {
            return;
        }
        self.number = Some(number);
        let squares = index.squares(TableAddress { pawn_slice, tile, bit: number as u64 * 64 });
        let (row, lane) = (number / index.row_words(), number % index.row_words());
        if self.row != Some(row) {
            self.row = Some(row);
            self.canonical_words = index.canonical_words(pawn_slice, &squares);
        }
        self.is_canonical = self.canonical_words >> lane & 1 != 0;
        self.weight = weight(index, &squares);
    }
}

/// How many positions on the whole board a canonical one stands for.
fn weight(index: &TableIndex, squares: &PieceSquares) -> u64 {
    if index.has_pawns() {
        // Mirroring moves every piece to another square, so each position has an image, and one of the two is canonical.
        return 2;
    }
    let is_on_diagonal = squares.white_king >> 3 == squares.white_king & 7;
    if !is_on_diagonal {
        return 8;
    }
    // If the outer pieces are their own image, the image is canonical too, or is the same position.
    let mut image = index.transformed(squares, Symmetry::FLIP_D);
    let is_same = |one: &usize, other: &usize| {
        let role = |man: usize| (index.roles()[man], man < index.white_count());
        role(*one) == role(*other)
    };
    let pieces: Vec<usize> = (0..index.roles().len()).collect();
    for same in pieces.chunk_by(is_same) {
        image.pieces[same[0]..same[0] + same.len()].sort_unstable();
    }
    if image.pieces[..index.outer_count()] == squares.pieces[..index.outer_count()] { 4 } else { 8 }
}

/// The drawn addresses of a span, ascending.
struct SampledPlaces {
    next: u64,
    end: u64,
    /// The random generator, and the logarithm of the probability that an address is skipped.
    random: Option<(StdRng, f64)>,
}

impl SampledPlaces {
    fn new(end: u64, extent: VerificationExtent, seed: u64) -> SampledPlaces {
        let random = (!extent.is_whole()).then(|| (StdRng::seed_from_u64(seed), (-extent.fraction.max(0.0)).ln_1p()));
        let mut picks = SampledPlaces { next: 0, end, random };
        picks.skip_gap();
        picks
    }

    /// Skips a random number of addresses: the gaps between drawn addresses have a geometric distribution.
    fn skip_gap(&mut self) {
        if let Some((random, chance)) = &mut self.random {
            // In (0, 1], so that the logarithm is finite. A fraction of zero gives a gap beyond every span.
            let gap = (1.0 - random.random::<f64>()).ln() / *chance;
            self.next = if gap.is_nan() { self.end } else { self.next.saturating_add(gap as u64) };
        }
    }
}

impl Iterator for SampledPlaces {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let place = (self.next < self.end).then_some(self.next)?;
        self.next += 1;
        self.skip_gap();
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

    use plyfold_core::table::index::TableIndex;

    use super::*;
    use crate::memory_tables::MemoryLibrary;
    use crate::prober::tests::{made, material};
    use crate::prober::{Archive, DEFAULT_CACHE_BYTES, PositionTotals, TileKey};

    fn run(archive: impl Archive + 'static, name: &str, extent: VerificationExtent) -> VerificationReport {
        let tables = CachedTables::new(Box::new(archive), DEFAULT_CACHE_BYTES);
        verify(&tables, material(name), extent, &AtomicBool::new(false), &|_| {}).expect("tables in memory")
    }

    /// Tables with wrong totals in KRvK.
    struct Miscounting(MemoryLibrary, fn(&mut PositionTotals));

    impl Archive for Miscounting {
        fn summary(&self, index: &TableIndex) -> Result<PositionTotals, Error> {
            let mut summary = self.0.summary(index)?;
            (self.1)(&mut summary);
            Ok(summary)
        }

        fn decode(
            &self,
            at: TileKey,
            words: usize,
            levels: RangeInclusive<u16>,
            put: &mut dyn FnMut(u64, u16),
        ) -> Result<(), Error> {
            self.0.decode(at, words, levels, put)
        }
    }

    #[test]
    fn every_wrong_count_is_found() {
        /// A change of the totals, and the wrong totals that must be reported.
        type Case = (fn(&mut PositionTotals), &'static [&'static str]);
        let cases: [Case; 6] = [
            (|summary| summary.won[16] += 1, &["positions won in 16"]),
            (|summary| summary.lost[0] -= 8, &["positions lost in 0"]),
            (|summary| summary.lost.push(8), &["positions lost in 18"]),
            (|summary| summary.won.push(8), &["positions won in 18"]),
            (|summary| summary.won.swap(3, 4), &["positions won in 3", "positions won in 4"]),
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
            let report = run(Miscounting(made(&["KRvK"]), change), "KRvK", VerificationExtent::WHOLE);
            let found: Vec<&str> = report.miscounts.iter().map(|one| &*one.what).collect();
            assert_eq!((found, report.differences, report.is_sound()), (expected.to_vec(), 0, false));
            assert!(report.miscounts.iter().all(|one| one.table == "KRvK" && one.stored != one.counted));
            // Totals are not checked unless all positions are.
            let part = run(Miscounting(made(&["KRvK"]), change), "KRvK", VerificationExtent { fraction: 0.1, seed: 1 });
            assert!(part.is_sound() && part.miscounts.is_empty());
        }
    }

    /// Tables with wrong levels in KRvK for one side to move, and a level at an address without a legal position.
    struct Wrong<F> {
        made: MemoryLibrary,
        side: ListSide,
        change: F,
        more: Option<(u64, u16)>,
    }

    impl<F: Fn(u64, u16) -> Option<u16> + Send + Sync> Archive for Wrong<F> {
        fn summary(&self, index: &TableIndex) -> Result<PositionTotals, Error> {
            self.made.summary(index)
        }

        fn decode(
            &self,
            at: TileKey,
            words: usize,
            levels: RangeInclusive<u16>,
            put: &mut dyn FnMut(u64, u16),
        ) -> Result<(), Error> {
            if at.table != material("KRvK") || at.side != self.side {
                return self.made.decode(at, words, levels, put);
            }
            self.more.into_iter().for_each(|(bit, level)| put(bit, level));
            self.made.decode(at, words, levels, &mut |bit, level| {
                (self.change)(bit, level).into_iter().for_each(|level| put(bit, level));
            })
        }
    }

    fn wrong(
        side: ListSide,
        change: impl Fn(u64, u16) -> Option<u16> + Send + Sync + 'static,
    ) -> impl Archive + 'static {
        Wrong { made: made(&["KRvK"]), side, change, more: None }
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
        let report = run(wrong(ListSide::Won, shorter), "KRvK", VerificationExtent::WHOLE);
        assert!(!report.is_sound() && report.differences >= 10, "{report:?}");
        assert_eq!(report.first.len(), SHOWN_DIFFERENCES);
        assert!(report.first.iter().any(|one| one.stored == Some(15) && one.derived == Some(16)), "{report:?}");
        assert!(report.first.iter().all(|one| TablePosition::from_fen(&one.fen).is_ok()), "{report:?}");
    }

    #[test]
    fn what_is_left_out_is_found() {
        let fewer = |_: u64, level: u16| (level != 0).then_some(level);
        let report = run(wrong(ListSide::Lost, fewer), "KRvK", VerificationExtent::WHOLE);
        assert!(report.first.iter().any(|one| one.stored.is_none() && one.derived == Some(0)), "{report:?}");
    }

    #[test]
    fn what_is_no_position_is_found() {
        // White king on a1, rook on b1, and the black king also on a1.
        let more =
            Wrong { made: made(&["KRvK"]), side: ListSide::Won, change: |_, level| Some(level), more: Some((64, 3)) };
        let report = run(more, "KRvK", VerificationExtent::WHOLE);
        assert_eq!(report.differences, 1, "{report:?}");
        assert!(report.first[0].fen.starts_with("no position: bit 64"), "{report:?}");
    }

    #[test]
    fn a_sample_is_what_its_seed_says_for_any_number_of_threads() {
        let longer = |bit: u64, level: u16| Some(if bit.is_multiple_of(7) { level + 1 } else { level });
        let of = |seed: u64, threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let report =
                pool.install(|| run(wrong(ListSide::Won, longer), "KRvK", VerificationExtent { fraction: 0.2, seed }));
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
        assert_eq!(most.load(Ordering::Relaxed), 24 * 64 * 128, "cells, words, places of a word");
        let early = |_: VerificationProgress| stop.store(true, Ordering::Relaxed);
        let report =
            verify(&tables, material("KPvK"), VerificationExtent::WHOLE, &stop, &early).expect("tables in memory");
        assert!(report.is_stopped && report.covered < report.legal);
    }

    #[test]
    fn picks_are_as_many_as_wanted() {
        let count = |fraction: f64| SampledPlaces::new(1_000_000, VerificationExtent { fraction, seed: 0 }, 5).count();
        assert_eq!((count(0.0), count(1.0), count(7.0)), (0, 1_000_000, 1_000_000));
        assert!((9_000..11_000).contains(&count(0.01)), "{}", count(0.01));
        assert!((890_000..910_000).contains(&count(0.9)), "{}", count(0.9));
    }
}
