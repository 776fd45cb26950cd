//! Verifies one table: tile by tile with unpacked tiles, or its drawn places in batches.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use plyfold_tables::index::TableAddress;
use plyfold_tables::probe::{Prober, TableSource};
use plyfold_tables::successors::TablePosition;
use rayon::prelude::*;
use shakmaty::{Board, Color};

use super::batch::PlaceLevels;
use super::draw::{Draw, draw_in_words, tile_spans};
use super::report::{Difference, SHOWN_DIFFERENCES, VerificationFindings};
use super::{Verification, VerificationExtent, VerificationProgress};
use crate::Error;
use crate::prober::{CacheSlot, IndexedTable, ThreadTables, TileKey};

/// How many positions are in a batch. Each asks for some forty places, of 40 bytes each.
pub(super) const BATCH_POSITIONS: usize = 50_000;

/// Counters for the progress.
#[derive(Default)]
pub(super) struct ProgressCounters {
    total: u64,
    done: AtomicU64,
    checked: AtomicU64,
    differences: AtomicU64,
}

impl ProgressCounters {
    pub fn new(total: u64) -> ProgressCounters {
        ProgressCounters { total, ..ProgressCounters::default() }
    }
}

/// A table that is being verified.
#[derive(Clone, Copy)]
pub(super) struct TableVerifier<'a> {
    verification: &'a Verification<'a>,
    table: &'a IndexedTable,
    /// Whether the table is asked position by position.
    pub is_packed: bool,
    extent: VerificationExtent,
    tally: &'a ProgressCounters,
}

impl<'a> TableVerifier<'a> {
    pub fn new(
        verification: &'a Verification<'a>,
        table: &'a IndexedTable,
        extent: VerificationExtent,
        tally: &'a ProgressCounters,
    ) -> Result<TableVerifier<'a>, Error> {
        let is_packed = verification.tables.archive.finds_single_levels(table.material)?;
        Ok(TableVerifier { verification, table, is_packed, extent, tally })
    }

    /// Verifies the table tile by tile, with the tiles of its successors unpacked in the cache.
    pub fn run(self) -> Result<VerificationFindings, Error> {
        let index = &self.table.index;
        let in_tile = |number: u64| {
            let (pawn_slice, tile) = self.tile(number);
            let spans: Vec<Range<usize>> = tile_spans(index, tile).collect();
            VerificationFindings::of_parts(spans.into_par_iter().map(|words| self.span(pawn_slice, tile, words)))
        };
        VerificationFindings::of_parts((0..self.tile_count()).into_par_iter().map(in_tile))
    }

    /// The number of tiles of all pawn slices.
    fn tile_count(&self) -> u64 {
        self.table.index.pawn_slices().len() as u64 * u64::from(self.table.index.tiles())
    }

    /// The pawn slice and the tile of a number that counts all tiles of the table.
    fn tile(&self, number: u64) -> (u32, u32) {
        let tiles = u64::from(self.table.index.tiles());
        ((number / tiles) as u32, (number % tiles) as u32)
    }

    /// The drawn places of some words of a tile.
    fn draws(self, pawn_slice: u32, tile: u32, words: Range<usize>) -> impl Iterator<Item = Draw> {
        draw_in_words(&self.table.index, (pawn_slice, tile), words, self.extent)
    }

    /// Verifies some words of a tile.
    fn span(self, pawn_slice: u32, tile: u32, words: Range<usize>) -> Result<VerificationFindings, Error> {
        let mut found = VerificationFindings::default();
        if self.verification.is_stopped() {
            return Ok(found);
        }
        let places = words.len() as u64 * 128;
        let prober = Prober::new(ThreadTables::new(self.verification.tables));
        let mut slots: [Option<Arc<CacheSlot>>; 2] = [None, None];
        for draw in self.draws(pawn_slice, tile, words) {
            let mut stored = None;
            if !self.is_packed {
                let slot = match &mut slots[draw.side as usize] {
                    Some(slot) => slot,
                    empty => empty.insert(self.verification.tables.levels(self.table, self.key(&draw).0)?),
                };
                stored = slot.levels().and_then(|levels| levels.get(draw.at.bit));
            }
            if draw.is_canonical || stored.is_some() {
                let position = draw.position(&self.table.index);
                self.compare(&prober, (&draw, position.as_ref()), stored, &mut found)?;
            }
        }
        self.report_progress(&found, places);
        Ok(found)
    }

    /// Verifies the table with little memory: the drawn places in their order, in batches.
    pub fn run_in_batches(self) -> Result<VerificationFindings, Error> {
        let (mut found, mut draws, mut passed) = (VerificationFindings::default(), Vec::new(), 0);
        let mut end_batch = |draws: &mut Vec<Draw>, passed: &mut u64| {
            let in_batch = self.batch(draws)?;
            self.report_progress(&in_batch, *passed);
            found = std::mem::take(&mut found).merge(in_batch);
            draws.clear();
            *passed = 0;
            Ok::<(), Error>(())
        };
        for (pawn_slice, tile) in (0..self.tile_count()).map(|number| self.tile(number)) {
            for words in tile_spans(&self.table.index, tile) {
                if self.verification.is_stopped() {
                    break;
                }
                passed += words.len() as u64 * 128;
                for draw in self.draws(pawn_slice, tile, words) {
                    draws.push(draw);
                    if draws.len() == BATCH_POSITIONS {
                        end_batch(&mut draws, &mut passed)?;
                    }
                }
            }
        }
        end_batch(&mut draws, &mut passed)?;
        Ok(found)
    }

    /// Verifies drawn places together.
    pub fn batch(&self, draws: &[Draw]) -> Result<VerificationFindings, Error> {
        let index = &self.table.index;
        let positions: Vec<Option<TablePosition>> = draws.par_iter().map(|draw| draw.position(index)).collect();
        let places = if self.is_packed { Vec::new() } else { draws.iter().map(|draw| self.key(draw)).collect() };
        let levels = PlaceLevels::read(self.verification.tables, places, &positions)?;
        let compare = |(draw, position): (&Draw, &Option<TablePosition>)| {
            let mut found = VerificationFindings::default();
            let stored = levels.level_of(self.key(draw));
            self.compare(&Prober::new(&levels), (draw, position.as_ref()), stored, &mut found)?;
            Ok(found)
        };
        VerificationFindings::of_parts(draws.par_iter().zip(&positions).map(compare))
    }

    /// The tile of a place, and its bit.
    fn key(&self, draw: &Draw) -> (TileKey, u64) {
        (TileKey::of_place(self.table.material, draw.at, draw.side.side_to_move()), draw.at.bit)
    }

    /// Notes whether the stored level of a place is the derived one. A packed table is asked for the former.
    fn compare<S: TableSource<Error = Error>>(
        &self,
        prober: &Prober<S>,
        (draw, position): (&Draw, Option<&TablePosition>),
        mut stored: Option<u16>,
        found: &mut VerificationFindings,
    ) -> Result<(), Error> {
        let mut derived = None;
        if let Some(position) = position {
            if self.is_packed {
                stored = prober.level(Color::White, position)?;
            }
            derived = prober.searched_level(Color::White, position)?;
            found.checked += 1;
            found.covered += draw.weight;
            found.counts[draw.side as usize].add(draw.weight, stored);
        }
        if stored != derived {
            found.differences += 1;
            if found.first.len() < SHOWN_DIFFERENCES {
                let fen =
                    describe_place(self.table.index.board_at(draw.at).as_ref(), draw.side.side_to_move(), draw.at);
                let TableAddress { pawn_slice, tile, bit } = draw.at;
                let difference = Difference { table: self.table.material.to_string(), fen, stored, derived };
                let at = (self.table.material, pawn_slice, tile, 2 * bit + draw.side as u64);
                found.first.push((at, difference));
            }
        }
        Ok(())
    }

    pub fn report_progress(&self, found: &VerificationFindings, places: u64) {
        let add = |counter: &AtomicU64, more: u64| counter.fetch_add(more, Ordering::Relaxed) + more;
        (self.verification.on_progress)(VerificationProgress {
            done: add(&self.tally.done, places),
            total: self.tally.total,
            checked: add(&self.tally.checked, found.checked),
            differences: add(&self.tally.differences, found.differences),
        });
    }
}

/// Names an address: by its FEN, or by its numbers if two pieces share a square.
fn describe_place(board: Option<&Board>, turn: Color, TableAddress { pawn_slice, tile, bit }: TableAddress) -> String {
    match board {
        Some(board) => format!("{} {} - - 0 1", board.board_fen(), turn.char()),
        None => format!("no position: bit {bit} of tile {tile} of pawn slice {pawn_slice}, {} to move", turn.char()),
    }
}
