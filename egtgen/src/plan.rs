//! What a table will take: memory, disk, and which tables come first.

use plyfold_core::table::index::{Classes, Index};

use crate::leapfrog::Turn;
use crate::leapfrog::schedule::schedules;
use crate::step::feed::Feeds;

/// What the program itself takes, and what it reads and writes through.
const BASE: u64 = 12 << 20;

/// Sets that a tile has in memory: open, three of lost, won.
const SETS: u64 = 5;

/// A number of bytes for people.
#[must_use]
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut value = number.div_ceil(1024) as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if value >= 100.0 || value.fract() == 0.0 {
        format!("{}{}", value.ceil(), UNITS[unit])
    } else {
        format!("{value:.1}{}", UNITS[unit])
    }
}

/// What making a table takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Positions, as stored: bits of all words, illegal ones included.
    pub positions: u64,
    /// Cells.
    pub cells: u32,
    /// Bytes if all tiles are in memory.
    pub in_memory: u64,
    /// Bytes if slices stream from a file, by the number of threads: the first is for one, and the least that does.
    pub streaming: Vec<u64>,
    /// Bytes of the scratch file, if tiles stream.
    pub scratch: u64,
}

/// How a table is made within a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Whether tiles go to a file and back.
    pub streams: bool,
    /// Slices, or cells of one tile, that are in memory at once.
    pub threads: usize,
    /// Bytes that this takes.
    pub bytes: u64,
}

/// What a table takes, on up to so many threads.
#[must_use]
pub fn needs(index: &Index, threads: usize) -> Needs {
    let cells = index.cells().len();
    let words = index.cell_words() as u64;
    // Cells differ in what leads out of them; there are too many to ask all, and the largest are among the first.
    let asked = (0..cells).filter(|cell| *cell < 512 || cell % 37 == 0);
    let feeds = asked.map(|cell| Feeds::bytes(index, cell as u32)).max().unwrap_or(0);
    let chunk = index.chunk_words() as u64;
    // What a thread works in: the words of a block, those of a chunk three times, two blocks of an inner man.
    let work = 8 * (64 * chunk + 3 * chunk + 2 * 64 * 64);
    let largest = (0..index.tiles()).map(|tile| index.tile_words(tile) as u64).max().unwrap_or(0);
    let rows = 8 * words / 64;
    let book = cells as u64 * 256 + if index.has_pawns() { 0 } else { rows };
    let is_small = index.tiles() == 1;
    let count = threads.max(1) as u64;
    let in_memory = if is_small {
        // Several cells at once, each with all that leads out of it.
        let at_once = count.min(cells as u64);
        BASE + book + at_once * (feeds + SETS * 8 * words + work + 8 * words)
    } else {
        BASE + book + feeds + SETS * 8 * words + count * (work + 8 * largest)
    };
    let window = [Turn::First, Turn::Second].map(|turn| {
        let widest = schedules(index, turn).iter().map(|schedule| schedule.window as u64).max().unwrap_or(1);
        widest * sub_slice(index, turn)
    });
    let window = window.into_iter().max().unwrap_or(0);
    // A tile on its way to the file is there as bytes as well, raw and packed.
    let stream = SETS * 8 * window + work + 3 * 8 * largest;
    // All threads lay out tiles at the beginning.
    let lay_out = 8 * 4 * largest * count.min(64);
    let streaming = (1..=count).map(|threads| BASE + book + feeds + (threads * stream).max(lay_out)).collect();
    let scratch = if is_small { 0 } else { 8 * words * 2 };
    Needs { positions: cells as u64 * words * 64, cells: cells as u32, in_memory, streaming, scratch }
}

/// Words of the largest K-sub-slice of a turn's slices.
fn sub_slice(index: &Index, turn: Turn) -> u64 {
    let (moving, fixed) = (index.outers(turn.moving()), index.outers(1 - turn.moving()));
    let squares = |classes: &Classes| -> Vec<usize> { (0..classes.len()).map(|at| classes.squares(at).len()).collect() };
    let most = |classes: &Classes| squares(classes).into_iter().max().unwrap_or(0);
    let moving: usize = squares(moving).into_iter().sum();
    (most(index.kings()) * moving * most(fixed) * index.chunk_words()) as u64
}

/// How to make a table within `memory` bytes: everything in memory if that does, otherwise with as many slices at once as
/// fit; `None` if not even one does.
#[must_use]
pub fn plan(index: &Index, needs: &Needs, memory: u64, threads: usize) -> Option<Plan> {
    if needs.in_memory <= memory {
        return Some(Plan { streams: false, threads, bytes: needs.in_memory });
    }
    if index.tiles() == 1 {
        // Fewer cells at once.
        let each = needs.in_memory.saturating_sub(BASE) / threads.max(1) as u64;
        let fits = memory.saturating_sub(BASE) / each.max(1);
        return (fits > 0).then_some(Plan { streams: false, threads: fits as usize, bytes: BASE + fits * each });
    }
    let at = needs.streaming.iter().rposition(|&bytes| bytes <= memory)?;
    Some(Plan { streams: true, threads: at + 1, bytes: needs.streaming[at] })
}
