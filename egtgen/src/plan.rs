//! What a table will take: memory, disk, and which tables come first.

use plyfold_core::table::index::{SquareClasses, TableIndex};

use crate::leapfrog::LeapfrogPhase;
use crate::leapfrog::schedule::schedules;
use crate::retrograde::conversion::ConversionTables;

/// What the program itself takes, and what it reads and writes through.
const BASE_BYTES: u64 = 12 << 20;

/// What the system keeps of memory that was given back to it, by tables before this one and by tiles of other sizes.
fn with_allocator_overhead(bytes: u64, streams: bool) -> u64 {
    if streams { bytes + bytes / 20 + (6 << 20) } else { bytes + bytes / 2 }
}

/// Sets that a tile has in memory: open, three of lost, won.
const SETS_PER_TILE: u64 = 5;

/// A number of bytes for people, rounded up: what is said is enough.
#[must_use]
pub fn format_bytes(number: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut unit = 0;
    while unit + 1 < UNITS.len() && number >= 1024 << (10 * (unit + 1)) {
        unit += 1;
    }
    let unit_bytes = 1024u64 << (10 * unit);
    let whole = number.div_ceil(unit_bytes);
    let tenths = (u128::from(number) * 10).div_ceil(u128::from(unit_bytes)) as u64;
    if whole >= 100 || tenths.is_multiple_of(10) {
        format!("{whole}{}", UNITS[unit])
    } else {
        format!("{}.{}{}", tenths / 10, tenths % 10, UNITS[unit])
    }
}

/// What making a table takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceNeeds {
    /// Positions, as stored: bits of all words, illegal ones included.
    pub positions: u64,
    /// Cells.
    pub pawn_slices: u32,
    /// Bytes if all tiles are in memory.
    pub in_memory: u64,
    /// Bytes if slices stream from a file, or if there are cells of one tile, by the number of threads: the first is for
    /// one, and the least that does.
    pub streaming: Vec<u64>,
    /// Bytes of the scratch file, if tiles stream.
    pub scratch: u64,
}

/// How a table is made within a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenerationPlan {
    /// Whether tiles go to a file and back.
    pub streams: bool,
    /// Slices, or cells of one tile, that are in memory at once.
    pub threads: usize,
    /// Bytes that this takes.
    pub bytes: u64,
}

/// What a table takes, on up to so many threads.
#[must_use]
pub fn resource_needs(index: &TableIndex, threads: usize) -> ResourceNeeds {
    let cells = index.pawn_slices().len();
    let words = index.pawn_slice_words() as u64;
    // Cells differ in what leads out of them; there are too many to ask all, and the largest are among the first.
    let sampled = (0..cells).filter(|cell| *cell < 512 || cell % 37 == 0);
    let conversions = sampled.map(|cell| ConversionTables::memory_bytes(index, cell as u32)).max().unwrap_or(0);
    let chunk = index.chunk_words() as u64;
    // What a thread works in: the words of a block, those of a chunk three times, two blocks of an inner man.
    let work = 8 * (64 * chunk + 3 * chunk + 2 * 64 * 64);
    let largest = (0..index.tiles()).map(|tile| index.tile_words(tile) as u64).max().unwrap_or(0);
    let rows = 8 * words / 64;
    let bookkeeping = cells as u64 * 256 + if index.has_pawns() { 0 } else { rows };
    let is_small = index.tiles() == 1;
    // Directories of tables that lists come from: those of large ones are kept while they are wanted.
    let tables = index.material().conversions().into_iter().filter(|table| !table.white.is_empty());
    let large = tables.filter(|table| TableIndex::new(*table).tiles() > 1).count() as u64;
    let book = bookkeeping + large * crate::folder::DIRECTORY_CACHE_BYTES as u64;
    let count = threads.max(1) as u64;
    // A cell of one tile with all that leads out of it, with its lists, and another's that wait: most positions are on one
    // list, which takes about a byte.
    let small = conversions + SETS_PER_TILE * 8 * words + work + 8 * words + 2 * 64 * words;
    let window = [LeapfrogPhase::First, LeapfrogPhase::Second].map(|turn| {
        let widest = schedules(index, turn).iter().map(|schedule| schedule.window as u64).max().unwrap_or(1);
        widest * largest_sub_slice(index, turn)
    });
    let window = window.into_iter().max().unwrap_or(0);
    // A tile on its way to the file is there as bytes as well, raw and packed.
    let stream = SETS_PER_TILE * 8 * window + work + 3 * 8 * largest;
    // At the beginning threads lay out two tiles each; a run that goes on does so by classes of kings.
    let lay_out = |threads: u64| 2 * threads * 8 * 4 * largest;
    let rebuild = 2 * 8 * words / index.king_classes().len() as u64;
    let streaming = |threads: u64| match is_small {
        true => BASE_BYTES + book + threads.min(cells as u64) * small,
        false => with_allocator_overhead(
            BASE_BYTES + book + conversions + (threads * stream).max(lay_out(threads)).max(rebuild),
            true,
        ),
    };
    let streaming: Vec<u64> = (1..=count).map(streaming).collect();
    let in_memory = match is_small {
        true => streaming[threads.max(1) - 1],
        false => with_allocator_overhead(
            BASE_BYTES
                + book
                + conversions
                + SETS_PER_TILE * 8 * words
                + lay_out(count).max(count * (work + 8 * largest)),
            false,
        ),
    };
    let scratch = if is_small { 0 } else { 8 * words * 2 };
    ResourceNeeds { positions: cells as u64 * words * 64, pawn_slices: cells as u32, in_memory, streaming, scratch }
}

/// Words of the largest K-sub-slice of a turn's slices.
fn largest_sub_slice(index: &TableIndex, phase: LeapfrogPhase) -> u64 {
    let (moving, fixed) = (index.outer_classes(phase.moving_piece()), index.outer_classes(1 - phase.moving_piece()));
    let squares =
        |classes: &SquareClasses| -> Vec<usize> { (0..classes.len()).map(|at| classes.squares(at).len()).collect() };
    let most = |classes: &SquareClasses| squares(classes).into_iter().max().unwrap_or(0);
    let moving: usize = squares(moving).into_iter().sum();
    (most(index.king_classes()) * moving * most(fixed) * index.chunk_words()) as u64
}

/// How to make a table within `memory` bytes: everything in memory if that does, otherwise with as many slices at once as
/// fit; `None` if not even one does.
#[must_use]
pub fn plan_generation(
    index: &TableIndex,
    needs: &ResourceNeeds,
    memory: u64,
    threads: usize,
) -> Option<GenerationPlan> {
    if needs.in_memory <= memory {
        return Some(GenerationPlan { streams: false, threads, bytes: needs.in_memory });
    }
    let at = needs.streaming.iter().rposition(|&bytes| bytes <= memory)?;
    Some(GenerationPlan { streams: index.tiles() > 1, threads: at + 1, bytes: needs.streaming[at] })
}
