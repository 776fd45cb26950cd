//! Every position anew: its value is derived from the positions after it, by the rules of chess, and compared.
//!
//! Nothing of generation is used. What is shared is the reading of tables: a wrong value is found wherever it stands, for
//! of all values that agree with their successors there is one for each position.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use plyfold_core::table::index::{Index, Place, Squares};
use plyfold_core::table::material::Material;
use plyfold_core::table::probe::Prober;
use plyfold_core::table::successors::Position;
use plyfold_core::transform::symmetry::Symmetry;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rayon::prelude::*;
use serde::Serialize;
use shakmaty::{Board, Color};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::Error;
use crate::prober::{Side, Slot, Table, Tables, View};

/// Differences that a report shows.
pub const SHOWN: usize = 10;

/// Words of a tile that one thread takes at a time.
const SPAN: usize = 1024;

/// How much to verify.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// The fraction of places to look at, drawn at random; all of them from 1 on.
    pub fraction: f64,
    /// What the drawing begins from: the same seed draws the same places.
    pub seed: u64,
}

impl Extent {
    /// Every place.
    pub const WHOLE: Extent = Extent { fraction: 1.0, seed: 0 };

    /// Whether nothing is left out.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.fraction >= 1.0
    }
}

/// How far it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Places gone through, looked at or not drawn.
    pub done: u64,
    /// Of how many: every bit of every tile, both sides to move.
    pub of: u64,
    /// Positions looked at.
    pub checked: u64,
    /// Differences found.
    pub differences: u64,
}

/// What verifying found.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Of which material.
    pub material: String,
    /// The tables that were gone through; White is the winner in each.
    pub tables: Vec<String>,
    /// The fraction of places drawn.
    pub fraction: f64,
    /// The seed of the drawing.
    pub seed: u64,
    /// Whether it was stopped before the end.
    pub is_stopped: bool,
    /// Legal positions looked at, up to symmetry, with both sides to move.
    pub checked: u64,
    /// Positions on all squares of the board that these stand for.
    pub covered: u64,
    /// Of how many, as the tables say. Equal to `covered` after all were looked at.
    pub legal: u64,
    /// Seconds that it took.
    pub seconds: f64,
    /// Positions of which a table says what does not follow, and places of no position of which it says anything.
    pub differences: u64,
    /// The first of them.
    pub first: Vec<Difference>,
    /// Counts of the tables that are not what their positions come to; told after all were looked at.
    pub miscounts: Vec<Miscount>,
}

impl Report {
    /// Positions looked at in a second.
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.checked as f64 / self.seconds.max(1e-9)
    }

    /// Whether nothing was found: no difference, and, after all were looked at, every count of the tables is right.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.differences == 0 && self.miscounts.is_empty()
    }
}

/// A count of a table that is not what its positions come to, each for all that it stands for on the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Miscount {
    /// Which table; White is the winner.
    pub table: String,
    /// What is counted, such as `positions won in 5` or `legal positions with Black to move`.
    pub what: String,
    /// How many there are as the table says.
    pub stored: u64,
    /// How many there are.
    pub counted: u64,
}

/// A position of which a table says what does not follow from the positions after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Which table; White is the winner.
    pub table: String,
    /// The position as the table has it.
    pub fen: String,
    /// Moves to mate as the table says; `None` if White does not win.
    pub stored: Option<u16>,
    /// Moves to mate as follows from the positions after it; `None` if White does not win, or there is no such position.
    pub derived: Option<u16>,
}

/// Verifies both tables of a material, on the threads of the current rayon pool. `stop` ends it early; `watch` is told
/// from all threads, often.
///
/// # Errors
/// If a table, or a smaller one that it converts into, is missing or cannot be read.
pub fn verify(
    tables: &Tables,
    material: Material,
    extent: Extent,
    stop: &AtomicBool,
    watch: &(dyn Fn(Progress) + Sync),
) -> Result<Report, Error> {
    let start = Instant::now();
    let mut winners = vec![material, material.flipped()];
    winners.dedup();
    winners.retain(|table| table.can_win());
    let opened = winners.iter().map(|table| tables.table(*table)).collect::<Result<Vec<Arc<Table>>, Error>>()?;
    let places = |table: &Arc<Table>| (table.index.cell_words() * 128 * table.index.cells().len()) as u64;
    let tally = Tally { of: opened.iter().map(places).sum(), ..Tally::default() };
    let (mut found, mut miscounts) = (Found::default(), Vec::new());
    for table in &opened {
        let work = Work { tables, table, extent, stop, watch, tally: &tally };
        let of_table = work.run()?;
        if extent.is_whole() && !stop.load(Ordering::Relaxed) {
            miscounts.extend(
                of_table
                    .counts
                    .iter()
                    .zip([Side::Won, Side::Lost])
                    .flat_map(|(counts, side)| counts.miscounts(table, side)),
            );
        }
        found = found.merge(of_table);
    }
    found.first.sort_by_key(|(at, _)| *at);
    Ok(Report {
        material: material.to_string(),
        tables: winners.iter().map(Material::to_string).collect(),
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

/// Counters for the watcher.
#[derive(Default)]
struct Tally {
    of: u64,
    done: AtomicU64,
    checked: AtomicU64,
    differences: AtomicU64,
}

/// What a part found. Differences go by cell, tile and place, so that the first are the same for any number of threads.
#[derive(Default)]
struct Found {
    checked: u64,
    covered: u64,
    differences: u64,
    first: Vec<((Material, u32, u32, u64), Difference)>,
    /// With White to move, and with Black to move.
    counts: [Counts; 2],
}

/// Positions on all squares of the board, of one side to move.
#[derive(Default)]
struct Counts {
    legal: u64,
    /// By their stored level.
    levels: Vec<u64>,
}

impl Counts {
    fn add(&mut self, weight: u64, level: Option<u16>) {
        self.legal += weight;
        if let Some(level) = level.map(usize::from) {
            self.levels.resize(self.levels.len().max(level + 1), 0);
            self.levels[level] += weight;
        }
    }

    fn merge(&mut self, other: &Counts) {
        self.legal += other.legal;
        self.levels.resize(self.levels.len().max(other.levels.len()), 0);
        self.levels.iter_mut().zip(&other.levels).for_each(|(sum, more)| *sum += more);
    }

    /// What a table says otherwise.
    fn miscounts(&self, table: &Table, side: Side) -> impl Iterator<Item = Miscount> {
        let said = table.summary.levels(side);
        let legal =
            (format!("legal positions with {} to move", side.turn()), table.summary.legal[side as usize], self.legal);
        let levels = (0..said.len().max(self.levels.len())).map(move |level| {
            let word = if side == Side::Won { "won" } else { "lost" };
            let of = |counts: &[u64]| counts.get(level).copied().unwrap_or(0);
            (format!("positions {word} in {level}"), of(said), of(&self.levels))
        });
        let each = std::iter::once(legal).chain(levels).filter(|(_, stored, counted)| stored != counted);
        each.map(|(what, stored, counted)| Miscount { table: table.material.to_string(), what, stored, counted })
    }
}

impl Found {
    fn merge(mut self, other: Found) -> Found {
        self.checked += other.checked;
        self.covered += other.covered;
        self.counts.iter_mut().zip(&other.counts).for_each(|(sum, more)| sum.merge(more));
        self.differences += other.differences;
        self.first.extend(other.first);
        self.first.sort_by_key(|(at, _)| *at);
        self.first.truncate(SHOWN);
        self
    }
}

/// One table to go through.
#[derive(Clone, Copy)]
struct Work<'a> {
    tables: &'a Tables,
    table: &'a Table,
    extent: Extent,
    stop: &'a AtomicBool,
    watch: &'a (dyn Fn(Progress) + Sync),
    tally: &'a Tally,
}

impl Work<'_> {
    fn run(self) -> Result<Found, Error> {
        let index = &self.table.index;
        let (cells, tiles) = (index.cells().len() as u64, u64::from(index.tiles()));
        let tile = |number: u64| {
            let (cell, tile) = ((number / tiles) as u32, (number % tiles) as u32);
            let words = index.tile_words(tile);
            let span = move |span: usize| self.span(cell, tile, span * SPAN..((span + 1) * SPAN).min(words));
            (0..words.div_ceil(SPAN))
                .into_par_iter()
                .map(span)
                .try_reduce(Found::default, |one, other| Ok(one.merge(other)))
        };
        (0..cells * tiles).into_par_iter().map(tile).try_reduce(Found::default, |one, other| Ok(one.merge(other)))
    }

    /// Goes through some words of a tile.
    fn span(self, cell: u32, tile: u32, words: Range<usize>) -> Result<Found, Error> {
        let mut found = Found::default();
        if self.stop.load(Ordering::Relaxed) {
            return Ok(found);
        }
        let (index, places) = (&self.table.index, words.len() as u64 * 128);
        let name = [cell, tile, words.start as u32].map(u32::to_le_bytes).concat();
        let seed = xxh3_64_with_seed(&name, self.extent.seed);
        let prober = Prober::new(View::new(self.tables));
        let levels: [OnceCell<Arc<Slot>>; 2] = [OnceCell::new(), OnceCell::new()];
        let mut word = Word::default();
        for place in Picks::new(places, self.extent, seed) {
            let number = words.start + (place / 128) as usize;
            let (side, turn) = if place & 1 == 0 { (Side::Won, Color::White) } else { (Side::Lost, Color::Black) };
            let bit = number as u64 * 64 + (place / 2) % 64;
            word.go_to(index, cell, tile, number);
            let cached = &levels[side as usize];
            let slot = match cached.get() {
                Some(slot) => slot,
                None => {
                    let read = self.tables.levels(self.table, cell, tile, side)?;
                    cached.get_or_init(|| read)
                }
            };
            let stored = slot.levels().and_then(|levels| levels.get(bit));
            if !word.is_kept && stored.is_none() {
                continue;
            }
            let men = index.men(Place { cell, tile, bit });
            let position =
                men.clone().filter(|_| word.is_kept).and_then(|men| Position::from_board(men, turn, None).ok());
            let derived = match &position {
                Some(position) => prober.searched(Color::White, position)?,
                None => None,
            };
            if position.is_some() {
                found.checked += 1;
                found.covered += word.weight;
                found.counts[side as usize].add(word.weight, stored);
            }
            if stored != derived {
                found.differences += 1;
                if found.first.len() < SHOWN {
                    let fen = shown(men.as_ref(), turn, cell, tile, bit);
                    let difference = Difference { table: self.table.material.to_string(), fen, stored, derived };
                    found.first.push(((self.table.material, cell, tile, 2 * bit + side as u64), difference));
                }
            }
        }
        self.tell(&found, places);
        Ok(found)
    }

    fn tell(&self, found: &Found, places: u64) {
        let add = |counter: &AtomicU64, more: u64| counter.fetch_add(more, Ordering::Relaxed) + more;
        (self.watch)(Progress {
            done: add(&self.tally.done, places),
            of: self.tally.of,
            checked: add(&self.tally.checked, found.checked),
            differences: add(&self.tally.differences, found.differences),
        });
    }
}

/// A place in words: as FEN, or by number where men would share a square.
fn shown(men: Option<&Board>, turn: Color, cell: u32, tile: u32, bit: u64) -> String {
    match men {
        Some(men) => format!("{} {} - - 0 1", men.board_fen(), turn.char()),
        None => format!("no position: bit {bit} of tile {tile} of cell {cell}, {} to move", turn.char()),
    }
}

/// The word that is being gone through: 64 places that differ in the black king's square.
#[derive(Default)]
struct Word {
    number: Option<usize>,
    row: Option<usize>,
    /// The kept words of the row.
    lanes: u64,
    is_kept: bool,
    /// Positions on all squares of the board that each of its positions stands for.
    weight: u64,
}

impl Word {
    fn go_to(&mut self, index: &Index, cell: u32, tile: u32, number: usize) {
        if self.number == Some(number) {
            return;
        }
        self.number = Some(number);
        let squares = index.squares(Place { cell, tile, bit: number as u64 * 64 });
        let (row, lane) = (number / index.row_words(), number % index.row_words());
        if self.row != Some(row) {
            self.row = Some(row);
            self.lanes = index.kept_lanes(cell, &squares);
        }
        self.is_kept = self.lanes >> lane & 1 != 0;
        self.weight = weight(index, &squares);
    }
}

/// How many positions of the board a kept one stands for.
fn weight(index: &Index, squares: &Squares) -> u64 {
    if index.has_pawns() {
        // No man but a pawn can be its own mirror image, and of the white king's two squares one is kept.
        return 2;
    }
    let is_on_diagonal = squares.white_king >> 3 == squares.white_king & 7;
    if !is_on_diagonal {
        return 8;
    }
    // Where the outer men are their own image, the image is kept too, or is the same.
    let mut image = index.turned(squares, Symmetry::FLIP_D);
    let is_same = |one: &usize, other: &usize| {
        let role = |man: usize| (index.roles()[man], man < index.whites());
        role(*one) == role(*other)
    };
    let men: Vec<usize> = (0..index.roles().len()).collect();
    for same in men.chunk_by(is_same) {
        image.men[same[0]..same[0] + same.len()].sort_unstable();
    }
    if image.men[..index.outer()] == squares.men[..index.outer()] { 4 } else { 8 }
}

/// The places of a span to look at, ascending.
struct Picks {
    next: u64,
    end: u64,
    /// The generator, and the logarithm of the chance that a place is passed over.
    random: Option<(StdRng, f64)>,
}

impl Picks {
    fn new(end: u64, extent: Extent, seed: u64) -> Picks {
        let random = (!extent.is_whole()).then(|| (StdRng::seed_from_u64(seed), (-extent.fraction.max(0.0)).ln_1p()));
        let mut picks = Picks { next: 0, end, random };
        picks.pass_over();
        picks
    }

    /// Passes over as many places as chance has it: the gaps between drawn places are distributed geometrically.
    fn pass_over(&mut self) {
        if let Some((random, chance)) = &mut self.random {
            // In (0, 1], so that the logarithm is finite; a fraction of zero gives a gap beyond every end.
            let gap = (1.0 - random.random::<f64>()).ln() / *chance;
            self.next = if gap.is_nan() { self.end } else { self.next.saturating_add(gap as u64) };
        }
    }
}

impl Iterator for Picks {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let place = (self.next < self.end).then_some(self.next)?;
        self.next += 1;
        self.pass_over();
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

    use plyfold_core::table::index::Index;

    use super::*;
    use crate::prober::tests::{Made, made, material};
    use crate::prober::{Archive, Summary, Tile, USUAL_BOUND};

    fn run(archive: impl Archive + 'static, name: &str, extent: Extent) -> Report {
        let tables = Tables::new(Box::new(archive), USUAL_BOUND);
        verify(&tables, material(name), extent, &AtomicBool::new(false), &|_| {}).expect("tables in memory")
    }

    /// Tables of which KRvK counts its positions wrong.
    struct Miscounting(Made, fn(&mut Summary));

    impl Archive for Miscounting {
        fn summary(&self, index: &Index) -> Result<Summary, Error> {
            let mut summary = self.0.summary(index)?;
            (self.1)(&mut summary);
            Ok(summary)
        }

        fn decode(
            &self,
            at: Tile,
            words: usize,
            levels: RangeInclusive<u16>,
            put: &mut dyn FnMut(u64, u16),
        ) -> Result<(), Error> {
            self.0.decode(at, words, levels, put)
        }
    }

    #[test]
    fn every_wrong_count_is_found() {
        /// What is made wrong, and which counts are told then.
        type Case = (fn(&mut Summary), &'static [&'static str]);
        let cases: [Case; 6] = [
            (|summary| summary.won[16] += 1, &["positions won in 16"]),
            (|summary| summary.lost[0] -= 8, &["positions lost in 0"]),
            (|summary| summary.lost.push(8), &["positions lost in 18"]),
            (|summary| summary.won.push(8), &["positions won in 18"]),
            (|summary| summary.won.swap(3, 4), &["positions won in 3", "positions won in 4"]),
            // The sum of both sides is right.
            (
                |summary| {
                    summary.legal[0] += 8;
                    summary.legal[1] -= 8;
                },
                &["legal positions with white to move", "legal positions with black to move"],
            ),
        ];
        for (change, expected) in cases {
            let report = run(Miscounting(made(&["KRvK"]), change), "KRvK", Extent::WHOLE);
            let found: Vec<&str> = report.miscounts.iter().map(|one| &*one.what).collect();
            assert_eq!((found, report.differences, report.is_sound()), (expected.to_vec(), 0, false));
            assert!(report.miscounts.iter().all(|one| one.table == "KRvK" && one.stored != one.counted));
            // A part of the positions says nothing of counts.
            let part = run(Miscounting(made(&["KRvK"]), change), "KRvK", Extent { fraction: 0.1, seed: 1 });
            assert!(part.is_sound() && part.miscounts.is_empty());
        }
    }

    /// Tables of which KRvK is wrong on one side: levels are changed, and something is put where there is no position.
    struct Wrong<F> {
        made: Made,
        side: Side,
        change: F,
        more: Option<(u64, u16)>,
    }

    impl<F: Fn(u64, u16) -> Option<u16> + Send + Sync> Archive for Wrong<F> {
        fn summary(&self, index: &Index) -> Result<Summary, Error> {
            self.made.summary(index)
        }

        fn decode(
            &self,
            at: Tile,
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

    fn wrong(side: Side, change: impl Fn(u64, u16) -> Option<u16> + Send + Sync + 'static) -> impl Archive + 'static {
        Wrong { made: made(&["KRvK"]), side, change, more: None }
    }

    #[test]
    fn sound_tables_are_found_sound_and_every_legal_position_is_counted() {
        for name in ["KRvK", "KPvK", "KNvK"] {
            let report = run(made(&[name]), name, Extent::WHOLE);
            assert!(report.is_sound(), "{report:?}");
            assert_eq!(report.covered, report.legal, "{name}");
            assert_eq!(report.tables, [name], "a lone king has no table");
        }
    }

    #[test]
    fn a_wrong_level_is_found_where_it_stands_and_where_it_leads() {
        let shorter = |_: u64, level: u16| Some(if level == 16 { 15 } else { level });
        let report = run(wrong(Side::Won, shorter), "KRvK", Extent::WHOLE);
        assert!(!report.is_sound() && report.differences >= 10, "{report:?}");
        assert_eq!(report.first.len(), SHOWN);
        assert!(report.first.iter().any(|one| one.stored == Some(15) && one.derived == Some(16)), "{report:?}");
        assert!(report.first.iter().all(|one| Position::from_fen(&one.fen).is_ok()), "{report:?}");
    }

    #[test]
    fn what_is_left_out_is_found() {
        let fewer = |_: u64, level: u16| (level != 0).then_some(level);
        let report = run(wrong(Side::Lost, fewer), "KRvK", Extent::WHOLE);
        assert!(report.first.iter().any(|one| one.stored.is_none() && one.derived == Some(0)), "{report:?}");
    }

    #[test]
    fn what_is_no_position_is_found() {
        // White king on a1, rook on b1, black king on a1 too.
        let more =
            Wrong { made: made(&["KRvK"]), side: Side::Won, change: |_, level| Some(level), more: Some((64, 3)) };
        let report = run(more, "KRvK", Extent::WHOLE);
        assert_eq!(report.differences, 1, "{report:?}");
        assert!(report.first[0].fen.starts_with("no position: bit 64"), "{report:?}");
    }

    #[test]
    fn a_sample_is_what_its_seed_says_for_any_number_of_threads() {
        let longer = |bit: u64, level: u16| Some(if bit.is_multiple_of(7) { level + 1 } else { level });
        let of = |seed: u64, threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let report = pool.install(|| run(wrong(Side::Won, longer), "KRvK", Extent { fraction: 0.2, seed }));
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
        let tables = Tables::new(Box::new(made(&["KPvK"])), USUAL_BOUND);
        let (stop, most) = (AtomicBool::new(false), AtomicU64::new(0));
        let watch = |progress: Progress| {
            most.fetch_max(progress.done, Ordering::Relaxed);
            assert!(progress.done <= progress.of && progress.differences == 0);
        };
        verify(&tables, material("KPvK"), Extent::WHOLE, &stop, &watch).expect("tables in memory");
        assert_eq!(most.load(Ordering::Relaxed), 24 * 64 * 128, "cells, words, places of a word");
        let early = |_: Progress| stop.store(true, Ordering::Relaxed);
        let report = verify(&tables, material("KPvK"), Extent::WHOLE, &stop, &early).expect("tables in memory");
        assert!(report.is_stopped && report.covered < report.legal);
    }

    #[test]
    fn picks_are_as_many_as_wanted() {
        let count = |fraction: f64| Picks::new(1_000_000, Extent { fraction, seed: 0 }, 5).count();
        assert_eq!((count(0.0), count(1.0), count(7.0)), (0, 1_000_000, 1_000_000));
        assert!((9_000..11_000).contains(&count(0.01)), "{}", count(0.01));
        assert!((890_000..910_000).contains(&count(0.9)), "{}", count(0.9));
    }
}
