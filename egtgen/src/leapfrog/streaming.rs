//! Traversals of a pawn slice whose tiles are in a store. They go through slices and their K-sub-slices, which stream through
//! memory.

use std::sync::atomic::Ordering;

use plyfold_tables::index::TableIndex;

use super::block::{BlockInput, BlockScratch, BlockStep, NotWonChunks};
use super::chunks::{Block, ChunkNumbers, processed_with};
use super::level_lists::{TileLevelLists, TraversalCounts};
use super::schedule::{Schedule, ScheduleStep, schedules};
use super::{Leapfrog, LeapfrogPhase, TakeLists, Tiles};
use crate::Error;
use crate::in_order::run_in_order;
use crate::retrograde::layout::ChunkLayout;
use crate::rows::position_list::PositionList;
use crate::store::{TileState, TileStore};

/// The tiles of a pawn slice in a store.
pub struct StreamedTiles<S> {
    store: S,
    chunks: ChunkNumbers,
    /// Whether positions that are not won are in memory only while their K-sub-slice is processed.
    is_frugal: bool,
}

/// Which slice of a phase. Its tiles are numbered by the class of the kings and the class of the piece that moves.
#[derive(Clone, Copy)]
struct Slice<'a> {
    index: &'a TableIndex,
    phase: LeapfrogPhase,
    /// The class of the other outer piece, which does not move.
    fixed_class: usize,
    moving_classes: usize,
}

impl Slice<'_> {
    /// The number of a tile in the table.
    fn tile(self, kings: usize, moving: usize) -> u32 {
        match self.phase {
            LeapfrogPhase::First => self.index.tile(kings, moving, self.fixed_class),
            LeapfrogPhase::Second => self.index.tile(kings, self.fixed_class, moving),
        }
    }
}

/// The loaded part of a slice.
struct LoadedSlice<'a> {
    slice: Slice<'a>,
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

impl<'a> LoadedSlice<'a> {
    /// A slice with no tile loaded.
    fn new(slice: Slice<'a>, chunks: &ChunkNumbers) -> LoadedSlice<'a> {
        let index = slice.index;
        let list = || {
            // The rows with one square of the white king are dropped by themselves.
            PositionList::new(chunks.count(), chunks.king_count(), index.chunk_words() / index.row_words())
        };
        LoadedSlice {
            slice,
            not_won: vec![Vec::new(); index.king_classes().count() * slice.moving_classes],
            won: list(),
            lost: [list(), list(), list()],
            scratch: BlockScratch::new(index),
            counts: TraversalCounts::default(),
        }
    }
}

/// A block's chunks that are not won. Most of them are never needed, so they are loaded when they are asked for.
struct BlockWords<'a, S> {
    slice: Slice<'a>,
    store: &'a S,
    block: Block,
    not_won: &'a mut [LoadedChunks],
}

impl<S> BlockWords<'_, S> {
    /// The number of a chunk's tile in the slice and in the table, and the number of the chunk in the tile.
    #[inline]
    fn locate(&self, square: u8) -> (usize, u32, usize) {
        const STORED: &str = "the square has a class";
        let (index, moving) = (self.slice.index, self.slice.phase.moving_piece());
        let (kings, king) = index.king_classes().find(self.block.chunk.white_king).expect(STORED);
        let (_, fixed) = index.outer_classes(1 - moving).find(self.block.fixed).expect(STORED);
        let (class, at) = index.outer_classes(moving).find(square).expect(STORED);
        let (w1, w2) = if moving == 0 { (at, fixed) } else { (fixed, at) };
        let tile = self.slice.tile(kings, class);
        let (_, first, second) = index.classes(tile);
        let firsts = index.outer_classes(0).squares(first).len();
        let seconds = index.outer_classes(1).squares(second).len();
        (kings * self.slice.moving_classes + class, tile, (king * firsts + w1) * seconds + w2)
    }
}

impl<S: TileStore> NotWonChunks for BlockWords<'_, S> {
    fn chunk(&mut self, square: u8) -> Result<&mut [u64], Error> {
        let (at, tile, chunk) = self.locate(square);
        let loaded = &mut self.not_won[at];
        if loaded.is_empty() {
            loaded.resize(self.slice.index.tile_chunks(tile), None);
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
        let slices = leapfrog.index.outer_classes(1 - phase.moving_piece()).count() * schedules.len();
        let slices: Vec<u32> = (0..slices as u32).collect();
        let process = |slice: u32| {
            let (fixed_class, schedule) = (slice as usize / schedules.len(), slice as usize % schedules.len());
            let moving_classes = leapfrog.index.outer_classes(phase.moving_piece()).count();
            let slice = Slice { index: leapfrog.index, phase, fixed_class, moving_classes };
            self.process_slice(leapfrog, slice, is_beginning, &schedules[schedule])
        };
        let mut sum = TraversalCounts::default();
        run_in_order(&slices, leapfrog.threads, slices.len(), process, |_, (found, counts)| {
            sum.add(counts);
            found.into_iter().try_for_each(&mut *take)
        })?;
        self.store.end_traversal()?;
        Ok(sum)
    }

    /// Streams one slice through memory.
    fn process_slice(
        &self,
        leapfrog: &Leapfrog,
        slice: Slice,
        is_beginning: bool,
        schedule: &Schedule,
    ) -> Result<(Vec<TileLevelLists>, TraversalCounts), Error> {
        let mut loaded = LoadedSlice::new(slice, &self.chunks);
        let mut found = Vec::new();
        for step in &schedule.steps {
            if leapfrog.stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            match *step {
                ScheduleStep::Load(kings) => self.load_sub_slice(&mut loaded, kings)?,
                ScheduleStep::FirstSubCycle(kings) => {
                    self.sub_cycle(leapfrog, &mut loaded, kings, (0, !is_beginning))?;
                    if !is_beginning {
                        self.collect_lists(leapfrog, &mut loaded, kings, &mut found);
                    }
                }
                ScheduleStep::SecondSubCycle(_) if is_beginning => {}
                ScheduleStep::SecondSubCycle(kings) => self.sub_cycle(leapfrog, &mut loaded, kings, (1, false))?,
                ScheduleStep::Unload(kings) => self.unload_sub_slice(&mut loaded, kings, is_beginning)?,
            }
        }
        Ok((found, loaded.counts))
    }

    /// Hands the positions of a K-sub-slice that are not won back to the store.
    fn give_back_not_won(&self, loaded: &mut LoadedSlice, kings: usize) -> Result<(), Error> {
        for moving in 0..loaded.slice.moving_classes {
            let tile = loaded.slice.tile(kings, moving);
            let chunks = std::mem::take(&mut loaded.not_won[kings * loaded.slice.moving_classes + moving]);
            for (chunk, words) in chunks.into_iter().enumerate() {
                match words {
                    Some((words, true)) => self.store.save_chunk(tile, chunk, words)?,
                    Some((words, false)) => self.store.drop_chunk(words),
                    None => {}
                }
            }
        }
        Ok(())
    }

    fn load_sub_slice(&self, loaded: &mut LoadedSlice, kings: usize) -> Result<(), Error> {
        let index = loaded.slice.index;
        let rows = index.chunk_words() / index.row_words();
        for moving in 0..loaded.slice.moving_classes {
            let tile = loaded.slice.tile(kings, moving);
            let TileState { lost, next_lost, won, .. } = self.store.load(tile)?;
            let chunks: Vec<usize> = self.chunks.of_tile(index, tile).collect();
            let [first, second, _] = &mut loaded.lost;
            for (list, stored) in [(first, lost), (second, next_lost), (&mut loaded.won, won)] {
                let ranges = stored.chunk_ranges(rows);
                list.add(stored, ranges.into_iter().map(|(chunk, range)| (chunks[chunk], range)));
            }
        }
        Ok(())
    }

    /// Hands the tiles of a K-sub-slice back to the store. Unless the leapfrog is only beginning, the level that was begun
    /// last becomes the current one.
    fn unload_sub_slice(&self, loaded: &mut LoadedSlice, kings: usize, is_beginning: bool) -> Result<(), Error> {
        let index = loaded.slice.index;
        self.give_back_not_won(loaded, kings)?;
        for moving in 0..loaded.slice.moving_classes {
            let tile = loaded.slice.tile(kings, moving);
            let of_tile = |list: &PositionList| list.merged(self.chunks.of_tile(index, tile));
            let current = usize::from(!is_beginning);
            let content = TileState {
                not_won: Vec::new(),
                lost: of_tile(&loaded.lost[current]),
                next_lost: of_tile(&loaded.lost[current + 1]),
                won: of_tile(&loaded.won),
            };
            self.store.save(tile, content)?;
        }
        for &square in index.king_classes().squares(kings) {
            let king = self.chunks.king_number(square);
            loaded.won.clear_group(king);
            loaded.lost.iter_mut().for_each(|list| list.clear_group(king));
        }
        Ok(())
    }

    /// Compresses and counts the lists of a K-sub-slice for the completed level.
    fn collect_lists(
        &self,
        leapfrog: &Leapfrog,
        loaded: &mut LoadedSlice,
        kings: usize,
        found: &mut Vec<TileLevelLists>,
    ) {
        for moving in 0..loaded.slice.moving_classes {
            let tile = loaded.slice.tile(kings, moving);
            let of_level = (&loaded.won, &loaded.lost[1]);
            let (lists, counts) = leapfrog.tile_level_lists(&self.chunks, of_level, tile, &mut loaded.scratch.encoder);
            loaded.counts.add(counts);
            if !lists.is_empty() {
                found.push(lists);
            }
        }
        for &square in leapfrog.index.king_classes().squares(kings) {
            loaded.won.clear_group(self.chunks.king_number(square));
        }
    }

    /// Runs a sub-cycle on all blocks of a K-sub-slice: it takes back moves from one list of lost positions, of number 0 or 1, and adds
    /// to the next.
    fn sub_cycle(
        &self,
        leapfrog: &Leapfrog,
        loaded: &mut LoadedSlice,
        kings: usize,
        (from_list, with_conversions): (usize, bool),
    ) -> Result<(), Error> {
        let (slice, context) = (loaded.slice, &leapfrog.context);
        let Slice { index, phase, .. } = slice;
        let place = (index, &self.chunks, ChunkLayout::whole(context.shape));
        let step = BlockStep::new(place, context, phase, with_conversions);
        for &white_king in index.king_classes().squares(kings) {
            for &fixed in index.outer_classes(1 - phase.moving_piece()).squares(slice.fixed_class) {
                let block = Block::new(index, phase, white_king, fixed);
                let mut words = BlockWords { slice, store: &self.store, block, not_won: &mut loaded.not_won };
                let (read, written) = loaded.lost.split_at_mut(from_list + 1);
                let (input, scratch) = (BlockInput { lost: &read[from_list], gathered: None }, &mut loaded.scratch);
                step.process(&block, input, scratch, &mut words)?;
                scratch.findings.take().add_to(&mut loaded.won, &mut written[0]);
            }
        }
        if self.is_frugal {
            self.give_back_not_won(loaded, kings)?;
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
