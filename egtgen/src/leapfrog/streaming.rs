//! Traversals of a pawn slice whose tiles are in a store. They go through slices and their K-sub-slices, which stream through
//! memory.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use plyfold_tables::index::TableIndex;

use super::block::{BlockInput, BlockScratch, BlockStep, NotWonChunks};
use super::chunks::{Block, ChunkNumbers, processed_with};
use super::level_lists::{TileLevelLists, TraversalCounts};
use super::schedule::{Schedule, ScheduleStep, schedules};
use super::{Leapfrog, LeapfrogPhase, TakeLists, Tiles};
use crate::Error;
use crate::retrograde::layout::ChunkLayout;
use crate::rows::position_list::PositionList;
use crate::store::{TileState, TileStore};

const UNPOISONED: &str = "no thread panics with it";

/// The tiles of a pawn slice in a store.
pub struct StreamedTiles<S> {
    store: S,
    chunks: ChunkNumbers,
    /// Whether positions that are not won are in memory only while their K-sub-slice is processed.
    is_frugal: bool,
}

/// The loaded part of a slice. Tiles are numbered by the class of the kings and the class of the piece that moves.
struct LoadedSlice {
    phase: LeapfrogPhase,
    /// The class of the other outer piece, which does not move.
    fixed_class: usize,
    moving_classes: usize,
    /// The loaded chunks of each tile.
    not_won: Vec<LoadedChunks>,
    won: PositionList,
    /// Positions lost at `level`, `level + 1` and `level + 2`.
    lost: [PositionList; 3],
    scratch: BlockScratch,
    counts: TraversalCounts,
}

/// The chunks of a tile that are loaded, by their numbers in the tile, each with whether it has changed since.
type LoadedChunks = Vec<Option<(Vec<u64>, bool)>>;

impl LoadedSlice {
    /// A slice with no tile loaded.
    fn new(index: &TableIndex, chunks: &ChunkNumbers, phase: LeapfrogPhase, fixed_class: usize) -> LoadedSlice {
        let moving_classes = index.outer_classes(phase.moving_piece()).len();
        let tiles = index.king_classes().len() * moving_classes;
        let list = || {
            // The rows with one square of the white king are dropped by themselves.
            PositionList::new(chunks.count(), chunks.king_count(), index.chunk_words() / index.row_words())
        };
        LoadedSlice {
            phase,
            fixed_class,
            moving_classes,
            not_won: vec![Vec::new(); tiles],
            won: list(),
            lost: [list(), list(), list()],
            scratch: BlockScratch::new(index),
            counts: TraversalCounts::default(),
        }
    }

    /// The number of a tile in the table.
    fn tile_number(&self, index: &TableIndex, kings: usize, moving: usize) -> u32 {
        match self.phase {
            LeapfrogPhase::First => index.tile(kings, moving, self.fixed_class),
            LeapfrogPhase::Second => index.tile(kings, self.fixed_class, moving),
        }
    }
}

/// A sub-cycle of a K-sub-slice: it takes back moves from one list of lost positions and adds to the next.
#[derive(Clone, Copy)]
struct SubCycle {
    kings: usize,
    /// The list that it reads, 0 or 1.
    from_list: usize,
    with_conversions: bool,
}

/// A block's chunks that are not won. Most of them are never needed, so they are loaded when they are asked for.
struct BlockWords<'a, S> {
    index: &'a TableIndex,
    store: &'a S,
    phase: LeapfrogPhase,
    fixed_class: usize,
    moving_classes: usize,
    block: Block,
    not_won: &'a mut [LoadedChunks],
}

impl<S> BlockWords<'_, S> {
    /// The number of a chunk's tile in the slice and in the table, and the number of the chunk in the tile.
    #[inline]
    fn locate(&self, square: u8) -> (usize, u32, usize) {
        const STORED: &str = "the square has a class";
        let (index, moving) = (self.index, self.phase.moving_piece());
        let (kings, king) = index.king_classes().find(self.block.chunk.white_king).expect(STORED);
        let (_, fixed) = index.outer_classes(1 - moving).find(self.block.fixed).expect(STORED);
        let (class, at) = index.outer_classes(moving).find(square).expect(STORED);
        let (tile, w1, w2) = match self.phase {
            LeapfrogPhase::First => (index.tile(kings, class, self.fixed_class), at, fixed),
            LeapfrogPhase::Second => (index.tile(kings, self.fixed_class, class), fixed, at),
        };
        let (_, first, second) = index.classes(tile);
        let firsts = index.outer_classes(0).squares(first).len();
        let seconds = index.outer_classes(1).squares(second).len();
        (kings * self.moving_classes + class, tile, (king * firsts + w1) * seconds + w2)
    }
}

impl<S: TileStore> NotWonChunks for BlockWords<'_, S> {
    fn chunk(&mut self, square: u8) -> Result<&mut [u64], Error> {
        let (at, tile, chunk) = self.locate(square);
        let loaded = &mut self.not_won[at];
        if loaded.is_empty() {
            loaded.resize(self.index.tile_chunks(tile), None);
        }
        if loaded[chunk].is_none() {
            loaded[chunk] = Some((self.store.load_chunk(tile, chunk)?, false));
        }
        let (words, _) = loaded[chunk].as_mut().expect("the chunk is loaded");
        Ok(words)
    }

    fn mark_changed(&mut self, square: u8) {
        let (at, _, chunk) = self.locate(square);
        let (_, is_changed) = self.not_won[at][chunk].as_mut().expect("a changed chunk is loaded");
        *is_changed = true;
    }
}

impl<S: TileStore> StreamedTiles<S> {
    /// The tiles of a pawn slice in an empty store. `is_frugal` keeps fewer of them in memory, and loads more often.
    #[must_use]
    pub fn new(index: &TableIndex, store: S, is_frugal: bool) -> StreamedTiles<S> {
        StreamedTiles { store, chunks: ChunkNumbers::new(index), is_frugal }
    }

    fn traverse(
        &self,
        leapfrog: &Leapfrog,
        phase: LeapfrogPhase,
        is_beginning: bool,
        take: TakeLists,
    ) -> Result<TraversalCounts, Error> {
        let schedules = schedules(leapfrog.index, phase);
        let slices = leapfrog.index.outer_classes(1 - phase.moving_piece()).len() * schedules.len();
        let next = AtomicUsize::new(0);
        // Slices finish in any order; their lists are passed on in order.
        let done = Mutex::new((0, BTreeMap::new(), TraversalCounts::default(), take));
        let failed = Mutex::new(None);
        let work = || {
            loop {
                let slice = next.fetch_add(1, Ordering::Relaxed);
                if slice >= slices || failed.lock().expect(UNPOISONED).is_some() {
                    return;
                }
                let (fixed, plan) = (slice / schedules.len(), &schedules[slice % schedules.len()]);
                let result =
                    self.process_slice(leapfrog, (phase, fixed), is_beginning, plan).and_then(|(found, tally)| {
                        let mut done = done.lock().expect(UNPOISONED);
                        let (expected, waiting, sum, take) = &mut *done;
                        sum.add(tally);
                        waiting.insert(slice, found);
                        while let Some(found) = waiting.remove(expected) {
                            found.into_iter().try_for_each(&mut *take)?;
                            *expected += 1;
                        }
                        Ok(())
                    });
                if let Err(error) = result {
                    failed.lock().expect(UNPOISONED).get_or_insert(error);
                    return;
                }
            }
        };
        let threads = leapfrog.threads.min(slices);
        if threads <= 1 {
            work();
        } else {
            rayon::scope(|scope| (0..threads).for_each(|_| scope.spawn(|_| work())));
        }
        if let Some(error) = failed.into_inner().expect(UNPOISONED) {
            return Err(error);
        }
        self.store.end_traversal()?;
        Ok(done.into_inner().expect(UNPOISONED).2)
    }

    /// Streams one slice through memory.
    fn process_slice(
        &self,
        leapfrog: &Leapfrog,
        (phase, fixed): (LeapfrogPhase, usize),
        is_beginning: bool,
        schedule: &Schedule,
    ) -> Result<(Vec<TileLevelLists>, TraversalCounts), Error> {
        let mut slice = LoadedSlice::new(leapfrog.index, &self.chunks, phase, fixed);
        let mut found = Vec::new();
        for step in &schedule.steps {
            if leapfrog.stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            match *step {
                ScheduleStep::Load(kings) => self.load_sub_slice(leapfrog.index, &mut slice, kings)?,
                ScheduleStep::FirstSubCycle(kings) => {
                    let sub_cycle = SubCycle { kings, from_list: 0, with_conversions: !is_beginning };
                    self.sub_cycle(leapfrog, &mut slice, sub_cycle)?;
                    if !is_beginning {
                        self.collect_lists(leapfrog, &mut slice, kings, &mut found);
                    }
                }
                ScheduleStep::SecondSubCycle(_) if is_beginning => {}
                ScheduleStep::SecondSubCycle(kings) => {
                    let sub_cycle = SubCycle { kings, from_list: 1, with_conversions: false };
                    self.sub_cycle(leapfrog, &mut slice, sub_cycle)?;
                }
                ScheduleStep::Unload(kings) => {
                    self.unload_sub_slice(leapfrog.index, &mut slice, kings, is_beginning)?;
                }
            }
        }
        Ok((found, slice.counts))
    }

    /// Hands the positions of a K-sub-slice that are not won back to the store.
    fn give_back_not_won(&self, index: &TableIndex, slice: &mut LoadedSlice, kings: usize) -> Result<(), Error> {
        for moving in 0..slice.moving_classes {
            let tile = slice.tile_number(index, kings, moving);
            let loaded = std::mem::take(&mut slice.not_won[kings * slice.moving_classes + moving]);
            for (chunk, loaded) in loaded.into_iter().enumerate() {
                match loaded {
                    Some((words, true)) => self.store.save_chunk(tile, chunk, words)?,
                    Some((words, false)) => self.store.drop_chunk(words),
                    None => {}
                }
            }
        }
        Ok(())
    }

    /// The numbers of a tile's chunks.
    fn tile_chunks(&self, index: &TableIndex, tile: u32) -> Vec<usize> {
        self.chunks.of_tile(index, tile).collect()
    }

    fn load_sub_slice(&self, index: &TableIndex, slice: &mut LoadedSlice, kings: usize) -> Result<(), Error> {
        let rows = index.chunk_words() / index.row_words();
        for moving in 0..slice.moving_classes {
            let tile = slice.tile_number(index, kings, moving);
            let TileState { lost, next_lost, won, .. } = self.store.load(tile)?;
            let chunks = self.tile_chunks(index, tile);
            let [first, second, _] = &mut slice.lost;
            for (list, loaded) in [(first, lost), (second, next_lost), (&mut slice.won, won)] {
                let ranges = loaded.chunk_ranges(rows);
                list.add(loaded, ranges.into_iter().map(|(chunk, range)| (chunks[chunk], range)));
            }
        }
        Ok(())
    }

    /// Hands the tiles of a K-sub-slice back to the store. Unless the leapfrog is only beginning, the level that was begun
    /// last becomes the current one.
    fn unload_sub_slice(
        &self,
        index: &TableIndex,
        slice: &mut LoadedSlice,
        kings: usize,
        is_beginning: bool,
    ) -> Result<(), Error> {
        self.give_back_not_won(index, slice, kings)?;
        for moving in 0..slice.moving_classes {
            let tile = slice.tile_number(index, kings, moving);
            let of_tile = |list: &PositionList| list.merged(self.chunks.of_tile(index, tile));
            let current = usize::from(!is_beginning);
            let content = TileState {
                not_won: Vec::new(),
                lost: of_tile(&slice.lost[current]),
                next_lost: of_tile(&slice.lost[current + 1]),
                won: of_tile(&slice.won),
            };
            self.store.save(tile, content)?;
        }
        for &square in index.king_classes().squares(kings) {
            let king = self.chunks.king_number(square);
            slice.won.clear_group(king);
            slice.lost.iter_mut().for_each(|list| list.clear_group(king));
        }
        Ok(())
    }

    /// Compresses and counts the lists of a K-sub-slice for the completed level.
    fn collect_lists(
        &self,
        leapfrog: &Leapfrog,
        slice: &mut LoadedSlice,
        kings: usize,
        found: &mut Vec<TileLevelLists>,
    ) {
        for moving in 0..slice.moving_classes {
            let tile = slice.tile_number(leapfrog.index, kings, moving);
            let (lists, counts) = {
                let of_level = (&slice.won, &slice.lost[1]);
                leapfrog.tile_level_lists(&self.chunks, of_level, tile, &mut slice.scratch.encoder)
            };
            slice.counts.add(counts);
            if !lists.is_empty() {
                found.push(lists);
            }
        }
        for &square in leapfrog.index.king_classes().squares(kings) {
            slice.won.clear_group(self.chunks.king_number(square));
        }
    }

    /// Runs a sub-cycle on all blocks of a K-sub-slice.
    fn sub_cycle(&self, leapfrog: &Leapfrog, slice: &mut LoadedSlice, sub_cycle: SubCycle) -> Result<(), Error> {
        let (index, context, phase) = (leapfrog.index, &leapfrog.context, slice.phase);
        let SubCycle { kings, from_list, with_conversions } = sub_cycle;
        let place = (index, &self.chunks, ChunkLayout::whole(context.shape));
        let step = BlockStep::new(place, context, phase, with_conversions);
        for &white_king in index.king_classes().squares(kings) {
            for &fixed in index.outer_classes(1 - phase.moving_piece()).squares(slice.fixed_class) {
                let block = Block::new(index, phase, white_king, fixed);
                let mut words = BlockWords {
                    index,
                    store: &self.store,
                    phase,
                    fixed_class: slice.fixed_class,
                    moving_classes: slice.moving_classes,
                    block,
                    not_won: &mut slice.not_won,
                };
                let (read, written) = slice.lost.split_at_mut(from_list + 1);
                let (input, scratch) = (BlockInput { lost: &read[from_list], gathered: None }, &mut slice.scratch);
                step.process(&block, input, scratch, &mut words)?;
                scratch.findings.take().add_to(&mut slice.won, &mut written[0]);
            }
        }
        if self.is_frugal {
            self.give_back_not_won(index, slice, kings)?;
        }
        Ok(())
    }
}

impl<S: TileStore> Tiles for StreamedTiles<S> {
    fn put(&self, leapfrog: &Leapfrog, tile: u32, mut content: TileState) -> Result<(), Error> {
        let index = leapfrog.index;
        for (chunk, words) in content.not_won.chunks_exact_mut(index.chunk_words()).enumerate() {
            let (white_king, first, second) = index.chunk_squares(tile, chunk);
            if processed_with(index, white_king, [first, second]) == 0 {
                words.fill(0);
            }
        }
        self.store.save(tile, content)
    }

    fn end_put(&self) -> Result<(), Error> {
        self.store.end_traversal()
    }

    fn begin_first_level(&self, leapfrog: &Leapfrog, phase: LeapfrogPhase) -> Result<(), Error> {
        self.traverse(leapfrog, phase, true, &mut |_| Ok(())).map(drop)
    }

    fn complete_level(
        &self,
        leapfrog: &Leapfrog,
        phase: LeapfrogPhase,
        take: TakeLists,
    ) -> Result<TraversalCounts, Error> {
        self.traverse(leapfrog, phase, false, take)
    }

    fn not_won(&self, leapfrog: &Leapfrog, tile: u32) -> Result<Vec<u64>, Error> {
        let mut words = Vec::with_capacity(leapfrog.index.tile_words(tile));
        for chunk in 0..leapfrog.index.tile_chunks(tile) {
            let loaded = self.store.load_chunk(tile, chunk)?;
            words.extend_from_slice(&loaded);
            self.store.drop_chunk(loaded);
        }
        Ok(words)
    }

    fn traffic(&self) -> (u64, u64) {
        self.store.traffic()
    }
}
