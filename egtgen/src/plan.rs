//! Computes the memory that a table needs, and the plan that fits into a given memory.

use plyfold_tables::index::{SquareClasses, TableIndex};
use plyfold_tables::material::TableMaterial;

use crate::estimate::MaterialBalance;
use crate::leapfrog::LeapfrogPhase;
use crate::leapfrog::block::BlockScratch;
use crate::leapfrog::canonical::CanonicalWords;
use crate::leapfrog::chunks::ChunkNumbers;
use crate::leapfrog::resident::ResidentTiles;
use crate::leapfrog::schedule::schedules;
use crate::pawn_slice::pawn_slice_shape;
use crate::retrograde::conversion::ConversionTables;
use crate::retrograde::layout::ChunkLayout;
use crate::rows::position_list::PositionList;

/// Memory of the program itself and of its read and write buffers.
const BASE_BYTES: u64 = 12 << 20;

/// Adds the freed memory that the allocator keeps after earlier tables and tiles of other sizes.
fn with_allocator_overhead(bytes: u64) -> u64 {
    bytes + bytes / 20 + (6 << 20)
}

/// Sets of a small pawn slice in memory: one of not won, three of lost, one of won.
const SETS_PER_TILE: u64 = 5;

/// The most that the lists of won and lost positions take, in percent of the memory for the positions that are not won; as
/// measured where White is much stronger, elsewhere, and with more than five men.
const LISTS_PERCENT: [u64; 3] = [350, 150, 120];

/// A run in memory is tried if there is room for lists of this many percent. Few tables have more.
const TRIED_LISTS_PERCENT: u64 = 75;

/// The most room for lists that promotions lead to.
const PROMOTION_BYTES: u64 = 1 << 30;

/// Tables of five men keep up to a byte of such lists for five to six positions, and no list may take more than a quarter of the room.
const POSITIONS_PER_PROMOTION_BYTE: u64 = 3;

/// The resources that the generation of a table needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceNeeds {
    /// Stored positions, illegal ones included.
    pub positions: u64,
    /// Number of pawn slices.
    pub pawn_slices: u32,
    /// Bytes of memory if all tiles stay in memory.
    pub in_memory: u64,
    /// The same without the lists of won and lost positions.
    in_memory_but_for_lists: u64,
    /// Bytes of the positions that are not won, if all tiles stay in memory.
    not_won: u64,
    /// Bytes of memory if slices stream from a file, or if pawn slices have one tile. The first entry is for one thread, the
    /// second for two, and so on.
    pub streaming: Vec<u64>,
    /// The same for one thread that keeps fewer tiles in memory and loads them more often.
    pub frugal: u64,
    /// Bytes of the scratch files, if tiles stream.
    pub scratch: u64,
}

impl ResourceNeeds {
    /// The least memory that is enough, in bytes.
    #[must_use]
    pub fn least_memory(&self) -> u64 {
        self.in_memory.min(self.streaming.first().copied().unwrap_or(u64::MAX)).min(self.frugal)
    }
}

/// The plan to generate a table within a given memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenerationPlan {
    /// Whether tiles stream from a file.
    pub streams: bool,
    /// How many slices, or pawn slices of one tile, are in memory at once.
    pub threads: usize,
    /// Bytes of memory that the plan needs.
    pub bytes: u64,
    /// The most bytes that the lists of won and lost positions may take, if the tiles stay in memory; `None` if there is room
    /// for all. A table whose lists outgrow this goes on by streaming.
    pub list_bytes: Option<u64>,
    /// Whether a single thread keeps fewer tiles in memory and loads them more often.
    pub is_frugal: bool,
    /// The most bytes of lists that promotions lead to and that are kept for other pawn slices.
    pub promotion_bytes: u64,
}

impl GenerationPlan {
    /// A plan with room for all lists, but not for those that promotions lead to.
    pub(crate) fn new(streams: bool, threads: usize, bytes: u64) -> GenerationPlan {
        GenerationPlan { streams, threads, bytes, list_bytes: None, is_frugal: false, promotion_bytes: 0 }
    }

    /// The plan with room for the lists that promotions lead to, if there are pawns and memory is left.
    fn with_room_for_promotions(
        mut self,
        (index, needs): (&TableIndex, &ResourceNeeds),
        memory: u64,
    ) -> GenerationPlan {
        if index.has_pawns() {
            // While a list is decoded, it takes up to twice what is kept, and the allocator cannot use all that is freed.
            // Where memory is short, half of what is left stays free, for what short lists leave behind.
            let requested = PROMOTION_BYTES.min(needs.positions / POSITIONS_PER_PROMOTION_BYTE);
            self.promotion_bytes = requested.min(memory.saturating_sub(self.bytes) / 4);
            self.bytes += 2 * self.promotion_bytes;
        }
        self
    }
}

/// Returns what a table needs, on up to `threads` threads.
#[must_use]
pub fn resource_needs(index: &TableIndex, threads: usize) -> ResourceNeeds {
    let pawn_slices = index.pawn_slices().len();
    let words = index.pawn_slice_words() as u64;
    // Pawn slices differ in their conversions. There are too many to ask them all, and the largest are among the first.
    let sampled = (0..pawn_slices).filter(|number| *number < 512 || number % 37 == 0);
    let conversions = sampled.map(|number| ConversionTables::memory_bytes(index, number as u32)).max().unwrap_or(0);
    let chunk = index.chunk_words() as u64;
    // The working memory of a thread, and that of the initial step: three times a chunk, and two blocks of an inner piece.
    let work = BlockScratch::bytes(index) + 8 * (3 * chunk + 2 * 64 * 64);
    let chunks = ChunkNumbers::new(index).count() as u64;
    let empty_lists = 4 * PositionList::empty_bytes(chunks as usize);
    let lists_percent = lists_percent(index.material());
    let largest = (0..index.tiles()).map(|tile| index.tile_words(tile) as u64).max().unwrap_or(0);
    let bookkeeping = pawn_slices as u64 * 256 + CanonicalWords::bytes(index);
    let is_small = index.tiles() == 1;
    // The directories of the tables that are read.
    let tables = index.material().conversions().into_iter().filter(|table| !table.white.is_empty());
    let large = tables.filter(|table| TableIndex::new(*table).tiles() > 1).count() as u64;
    let book = bookkeeping + large * crate::folder::DIRECTORY_CACHE_BYTES as u64;
    let count = threads.max(1) as u64;
    // A pawn slice of one tile with its conversion tables and lists, and the waiting lists of another. Most positions are on
    // one list, at about a byte each.
    let small = conversions + SETS_PER_TILE * 8 * words + empty_lists + work + 8 * words + 2 * 64 * words;
    let phases = [LeapfrogPhase::First, LeapfrogPhase::Second];
    let sub_slice = phases.map(|turn| largest_sub_slice(index, turn)).into_iter().max().unwrap_or(0);
    let window = phases.map(|turn| {
        let widest = schedules(index, turn).iter().map(|schedule| schedule.window as u64).max().unwrap_or(1);
        widest * largest_sub_slice(index, turn)
    });
    let window = window.into_iter().max().unwrap_or(0);
    // A tile that is being written also exists as bytes, raw and compressed.
    let lists = 8 * window * lists_percent / 100 + empty_lists + work + 3 * 8 * largest;
    let stream = 8 * window + lists;
    // At the start each thread initializes two tiles; a resumed run restores the tiles of a class of kings and of W1 at once.
    let lay_out = |threads: u64| 2 * threads * 8 * 3 * largest;
    let rebuild = 2 * 8 * largest * index.outer_classes(1).count() as u64;
    let large = |threads: u64, slices: u64| {
        with_allocator_overhead(BASE_BYTES + book + conversions + slices.max(lay_out(threads)).max(rebuild))
    };
    let streaming = |threads: u64| match is_small {
        true => BASE_BYTES + book + threads.min(pawn_slices as u64) * small,
        false => large(threads, threads * stream),
    };
    let streaming: Vec<u64> = (1..=count).map(streaming).collect();
    let frugal = if is_small { streaming[0] } else { large(1, 8 * sub_slice + lists) };
    let layout = ChunkLayout::smallest(&pawn_slice_shape(index, 0), index.outer_count());
    let not_won = ResidentTiles::chunk_bytes(layout.stored_words(index.chunk_words())) * chunks;
    let but_for_lists =
        BASE_BYTES + book + conversions + not_won + empty_lists + lay_out(count).max(count * (work + 3 * 8 * largest));
    let in_memory = match is_small {
        true => streaming[threads.max(1) - 1],
        false => with_allocator_overhead(but_for_lists + not_won * lists_percent / 100),
    };
    let scratch = if is_small { 0 } else { 8 * words * 2 };
    ResourceNeeds {
        positions: pawn_slices as u64 * words * 64,
        pawn_slices: pawn_slices as u32,
        in_memory,
        in_memory_but_for_lists: but_for_lists,
        not_won,
        streaming,
        frugal,
        scratch,
    }
}

/// The share of [`LISTS_PERCENT`] that holds for a material. Where White is much stronger, most positions are won within few
/// moves.
fn lists_percent(material: TableMaterial) -> u64 {
    match (MaterialBalance::of_material(material), material.men()) {
        (MaterialBalance::Stronger, _) => LISTS_PERCENT[0],
        (_, ..=5) => LISTS_PERCENT[1],
        _ => LISTS_PERCENT[2],
    }
}

/// Words of the largest K-sub-slice of a phase.
fn largest_sub_slice(index: &TableIndex, phase: LeapfrogPhase) -> u64 {
    let (moving, fixed) = (index.outer_classes(phase.moving_piece()), index.outer_classes(1 - phase.moving_piece()));
    let squares =
        |classes: &SquareClasses| -> Vec<usize> { (0..classes.count()).map(|at| classes.squares(at).len()).collect() };
    let most = |classes: &SquareClasses| squares(classes).into_iter().max().unwrap_or(0);
    let moving: usize = squares(moving).into_iter().sum();
    (most(index.king_classes()) * moving * most(fixed) * index.chunk_words()) as u64
}

/// Plans a table within `memory` bytes: all in memory if it fits, otherwise with as many slices at once as fit; `None` if not
/// even one does.
#[must_use]
pub fn plan_generation(
    index: &TableIndex,
    needs: &ResourceNeeds,
    memory: u64,
    threads: usize,
) -> Option<GenerationPlan> {
    let plan = plan_tiles(index, needs, memory, threads).or_else(|| plan_windows(index, needs, memory))?;
    Some(plan.with_room_for_promotions((index, needs), memory))
}

/// Plans a table whose tiles all stay in memory.
fn plan_tiles(index: &TableIndex, needs: &ResourceNeeds, memory: u64, threads: usize) -> Option<GenerationPlan> {
    if needs.in_memory <= memory {
        return Some(GenerationPlan::new(false, threads, needs.in_memory));
    }
    let tried = needs.in_memory_but_for_lists + needs.not_won * TRIED_LISTS_PERCENT / 100;
    let is_tried = index.tiles() > 1 && with_allocator_overhead(tried) <= memory;
    let list_bytes = (memory - memory / 20).saturating_sub(needs.in_memory_but_for_lists + (6 << 20));
    is_tried.then(|| GenerationPlan { list_bytes: Some(list_bytes), ..GenerationPlan::new(false, threads, memory) })
}

/// Plans a table within `memory` bytes, with as many slices at once as fit; `None` if not even one does.
#[must_use]
pub fn plan_streaming(index: &TableIndex, needs: &ResourceNeeds, memory: u64) -> Option<GenerationPlan> {
    plan_windows(index, needs, memory).map(|plan| plan.with_room_for_promotions((index, needs), memory))
}

/// As [`plan_streaming`], without room for the lists that promotions lead to.
fn plan_windows(index: &TableIndex, needs: &ResourceNeeds, memory: u64) -> Option<GenerationPlan> {
    let streams = index.tiles() > 1;
    if let Some(at) = needs.streaming.iter().rposition(|&bytes| bytes <= memory) {
        return Some(GenerationPlan::new(streams, at + 1, needs.streaming[at]));
    }
    let frugal = GenerationPlan { is_frugal: true, ..GenerationPlan::new(streams, 1, needs.frugal) };
    (needs.frugal <= memory).then_some(frugal)
}
