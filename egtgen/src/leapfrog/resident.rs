//! Traversals of a pawn slice that stays in memory. Every chunk can be reached at any time, so the white pieces need not take turns by
//! traversals: a level is begun and completed in one of two passes. The first gathers what White's moves of one phase reach;
//! the second adds those of the other phase, and does Black's step. Blocks do not depend on each other within a pass, so all threads
//! share out all blocks.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use plyfold_tables::index::TableIndex;

use super::block::{BlockFindings, BlockInput, BlockScratch, BlockStep, NotWonChunks};
use super::chunks::{Block, ChunkNumbers};
use super::level_lists::TraversalCounts;
use super::{Leapfrog, LeapfrogPhase, TakeLists, Tiles};
use crate::Error;
use crate::pawn_slice::pawn_slice_shape;
use crate::retrograde::layout::ChunkLayout;
use crate::rows::PackedRows;
use crate::rows::position_list::PositionList;
use crate::store::TileState;

const UNPOISONED: &str = "no thread panics with it";

/// When a thread has found this many words, it gives them away. Giving away those of each block would keep the allocator busy.
const MANY_WORDS: usize = 1 << 17;

/// With fewer blocks, some threads would wait for others at the end of a pass.
const LEAST_BLOCKS_PER_THREAD: usize = 8;

/// All tiles of a pawn slice in memory.
pub struct ResidentTiles {
    chunks: ChunkNumbers,
    layout: ChunkLayout,
    /// The words of a chunk, of which its layout may store fewer.
    all_words: usize,
    /// The most bytes that all lists may take.
    list_bytes: u64,
    state: Mutex<State>,
    scratch: Mutex<Vec<BlockScratch>>,
}

struct State {
    /// Positions with White to move that are legal and not won so far, chunk by chunk. In a pass, each belongs to one block.
    not_won: Vec<Mutex<Box<[u64]>>>,
    /// Newly won positions that the first pass has gathered.
    gathered: PositionList,
    /// Positions won at the level that is not complete yet.
    won: PositionList,
    /// Positions lost at the last complete level, and at the one after it.
    lost: [PositionList; 2],
}

/// A block's chunks that are not won, of which the last one that was asked for is locked.
struct BlockWords<'a> {
    chunks: &'a ChunkNumbers,
    phase: LeapfrogPhase,
    block: Block,
    not_won: &'a [Mutex<Box<[u64]>>],
    locked: Option<(u8, MutexGuard<'a, Box<[u64]>>)>,
}

impl NotWonChunks for BlockWords<'_> {
    #[inline(always)]
    fn chunk(&mut self, square: u8) -> Result<&mut [u64], Error> {
        if self.locked.as_ref().is_none_or(|(locked, _)| *locked != square) {
            let number = self.chunks.in_block(self.phase, self.block.chunk.white_king, self.block.fixed, square);
            self.locked = Some((square, self.not_won[number].lock().expect(UNPOISONED)));
        }
        Ok(self.locked.as_mut().map_or(&mut [], |(_, words)| &mut **words))
    }

    fn mark_changed(&mut self, _: u8) {}
}

impl ResidentTiles {
    /// Memory for the tiles of a pawn slice. A level whose lists outgrow `list_bytes` is [`Error::Outgrown`].
    #[must_use]
    pub fn new(index: &TableIndex, list_bytes: Option<u64>) -> ResidentTiles {
        let list_bytes = list_bytes.unwrap_or(u64::MAX);
        let chunks = ChunkNumbers::new(index);
        let all_words = index.chunk_words();
        let layout = ChunkLayout::smallest(&pawn_slice_shape(index, 0), index.outer_count());
        let stored_words = layout.stored_words(all_words);
        let list = || PositionList::new(chunks.count(), 1, all_words / index.row_words());
        let not_won = (0..chunks.count()).map(|_| Mutex::new(vec![0; stored_words].into())).collect();
        let state = Mutex::new(State { not_won, gathered: list(), won: list(), lost: [list(), list()] });
        ResidentTiles { state, chunks, layout, all_words, list_bytes, scratch: Mutex::default() }
    }

    /// The bytes of a chunk with this many words: they have a lock, an address and, in the allocator, a header.
    #[must_use]
    pub fn chunk_bytes(words: usize) -> u64 {
        (8 * words + size_of::<Mutex<Box<[u64]>>>() + 2 * size_of::<usize>()) as u64
    }

    /// Gathers what White reaches from the positions lost at the last complete level, by the moves of the first phase.
    fn gather(&self, leapfrog: &Leapfrog, state: &mut State) -> Result<(), Error> {
        let phase = LeapfrogPhase::First;
        if !phase.has_moves(leapfrog.index) {
            return Ok(());
        }
        let place = (leapfrog.index, &self.chunks, self.layout);
        let step = BlockStep { is_gathering: true, ..BlockStep::new(place, &leapfrog.context, phase, false) };
        let input = BlockInput { lost: &state.lost[0], gathered: None };
        let found = self.process_blocks(leapfrog, (&step, input), &state.not_won, state.lost[0].row_bytes())?;
        for findings in found {
            findings.add_to(&mut state.gathered, &mut state.lost[1]);
        }
        Ok(())
    }

    /// Whether one pass applies the moves of both phases. It has few blocks, which are the work of threads.
    fn takes_one_pass(&self, leapfrog: &Leapfrog) -> bool {
        let blocks = self.chunks.blocks(LeapfrogPhase::First);
        leapfrog.index.outer_count() == 1 && blocks >= LEAST_BLOCKS_PER_THREAD * leapfrog.threads
    }

    /// Adds the moves of the second phase and conversions, and finds the positions that are lost at the next level. If nothing was
    /// gathered, this is the only pass.
    fn complete(&self, leapfrog: &Leapfrog, state: &mut State, is_only: bool) -> Result<(), Error> {
        let place = (leapfrog.index, &self.chunks, self.layout);
        let phase = if is_only { LeapfrogPhase::First } else { LeapfrogPhase::Second };
        let step = BlockStep { with_both_phases: is_only, ..BlockStep::new(place, &leapfrog.context, phase, true) };
        let input = BlockInput { lost: &state.lost[0], gathered: Some(&state.gathered) };
        let bytes = state.lost[0].row_bytes() + state.gathered.row_bytes();
        let found = self.process_blocks(leapfrog, (&step, input), &state.not_won, bytes)?;
        for findings in found {
            findings.add_to(&mut state.won, &mut state.lost[1]);
        }
        Ok(())
    }

    /// Processes all blocks of a phase, and gives what was found. The other lists take `list_bytes` so far.
    fn process_blocks(
        &self,
        leapfrog: &Leapfrog,
        (step, input): (&BlockStep, BlockInput),
        not_won: &[Mutex<Box<[u64]>>],
        list_bytes: u64,
    ) -> Result<Vec<BlockFindings>, Error> {
        let (phase, list_bytes) = (step.phase, AtomicU64::new(list_bytes));
        let found = Mutex::new(Vec::new());
        let keep = |scratch: &mut BlockScratch| {
            if scratch.findings.word_count() == 0 {
                return Ok(());
            }
            let findings = scratch.findings.take();
            let added = findings.bytes();
            found.lock().expect(UNPOISONED).push(findings);
            match list_bytes.fetch_add(added, Ordering::Relaxed) + added > self.list_bytes {
                true => Err(Error::Outgrown(self.list_bytes)),
                false => Ok(()),
            }
        };
        self.share_out(leapfrog, self.chunks.blocks(phase), |number, scratch| {
            let block = self.chunks.block(leapfrog.index, phase, number);
            let mut words = BlockWords { chunks: &self.chunks, phase, block, not_won, locked: None };
            step.process(&block, input, scratch, &mut words)?;
            if scratch.findings.word_count() < MANY_WORDS { Ok(()) } else { keep(scratch) }
        })?;
        self.scratch.lock().expect(UNPOISONED).iter_mut().try_for_each(keep)?;
        Ok(found.into_inner().expect(UNPOISONED))
    }

    /// Calls `work` for each number below `count`, on all threads.
    fn share_out(
        &self,
        leapfrog: &Leapfrog,
        count: usize,
        work: impl Fn(usize, &mut BlockScratch) -> Result<(), Error> + Sync,
    ) -> Result<(), Error> {
        let next = AtomicUsize::new(0);
        let failed = Mutex::new(None);
        let run = || {
            let spare = self.scratch.lock().expect(UNPOISONED).pop();
            let mut scratch = spare.unwrap_or_else(|| BlockScratch::new(leapfrog.index));
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    break;
                }
                let result = match leapfrog.stop.load(Ordering::Relaxed) {
                    true => Err(Error::Stopped),
                    false => work(number, &mut scratch),
                };
                if let Err(error) = result {
                    next.store(count, Ordering::Relaxed);
                    failed.lock().expect(UNPOISONED).get_or_insert(error);
                    break;
                }
            }
            self.scratch.lock().expect(UNPOISONED).push(scratch);
        };
        let threads = leapfrog.threads.min(count);
        if threads <= 1 {
            run();
        } else {
            rayon::scope(|scope| (0..threads).for_each(|_| scope.spawn(|_| run())));
        }
        if let Some(error) = failed.into_inner().expect(UNPOISONED) {
            // What they have found belongs to a pass that did not end.
            self.scratch.lock().expect(UNPOISONED).clear();
            return Err(error);
        }
        Ok(())
    }

    /// Passes the lists of the completed level to `take`, in the order of the tiles.
    fn take_level(
        &self,
        leapfrog: &Leapfrog,
        phase: LeapfrogPhase,
        lists: (&PositionList, &PositionList),
        take: TakeLists,
    ) -> Result<TraversalCounts, Error> {
        let mut sum = TraversalCounts::default();
        let tiles = leapfrog.tiles_in_order(phase);
        for tiles in tiles.chunks(512 * leapfrog.threads) {
            let found = Mutex::new(Vec::with_capacity(tiles.len()));
            self.share_out(leapfrog, tiles.len(), |number, scratch| {
                let lists = leapfrog.tile_level_lists(&self.chunks, lists, tiles[number], &mut scratch.encoder);
                found.lock().expect(UNPOISONED).push((number, lists));
                Ok(())
            })?;
            let mut found = found.into_inner().expect(UNPOISONED);
            found.sort_unstable_by_key(|(number, _)| *number);
            for (_, (lists, counts)) in found {
                sum.add(counts.times(self.layout.orders()));
                if !lists.is_empty() {
                    take(lists)?;
                }
            }
        }
        Ok(sum)
    }
}

impl Tiles for ResidentTiles {
    fn put(&self, leapfrog: &Leapfrog, tile: u32, content: TileState) -> Result<(), Error> {
        let mut state = self.state.lock().expect(UNPOISONED);
        let (rows, width) = (self.all_words / leapfrog.index.row_words(), leapfrog.index.row_words());
        let numbers: Vec<usize> = self.chunks.of_tile(leapfrog.index, tile).collect();
        for (chunk, whole) in numbers.iter().zip(content.not_won.chunks_exact(self.all_words)) {
            self.layout.fold(whole, state.not_won[*chunk].get_mut().expect(UNPOISONED));
        }
        for (chunk, range) in content.lost.chunk_ranges(rows).into_iter().map(|(at, range)| (numbers[at], range)) {
            let mut stored = PackedRows::default();
            for (row, words) in content.lost.rows(range) {
                stored.push(row, words.lanes & self.layout.stored_lanes(row), &words.whole(&mut [0; 64])[..width]);
            }
            let all = 0..stored.len();
            state.lost[0].add(stored, std::iter::once((chunk, all)));
        }
        Ok(())
    }

    fn complete_level(
        &self,
        leapfrog: &Leapfrog,
        phase: LeapfrogPhase,
        take: TakeLists,
    ) -> Result<TraversalCounts, Error> {
        let state = &mut *self.state.lock().expect(UNPOISONED);
        let is_only = self.takes_one_pass(leapfrog);
        if !is_only {
            self.gather(leapfrog, state)?;
        }
        self.complete(leapfrog, state, is_only)?;
        state.lost[0].clear();
        state.gathered.clear();
        let counts = self.take_level(leapfrog, phase, (&state.won, &state.lost[1]), take)?;
        state.won.clear();
        state.lost.swap(0, 1);
        Ok(counts)
    }

    fn not_won(&self, leapfrog: &Leapfrog, tile: u32) -> Result<Vec<u64>, Error> {
        let state = self.state.lock().expect(UNPOISONED);
        let mut all = vec![0; leapfrog.index.tile_words(tile)];
        let chunks = self.chunks.of_tile(leapfrog.index, tile);
        for (chunk, whole) in chunks.zip(all.chunks_exact_mut(self.all_words)) {
            self.layout.unfold(&state.not_won[chunk].lock().expect(UNPOISONED), whole);
        }
        Ok(all)
    }
}
