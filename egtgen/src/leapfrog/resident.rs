//! Traversals of a pawn slice that stays in memory. Blocks do not depend on each other within a sub-cycle, so all threads
//! share out all blocks.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use plyfold_core::table::index::TableIndex;

use super::block::{BlockFindings, BlockScratch, BlockStep, NotWonChunks};
use super::chunks::ChunkNumbers;
use super::level_lists::{TileLevelLists, TraversalCounts};
use super::position_list::PositionList;
use super::{Leapfrog, LeapfrogPhase, TakeLists, Tiles};
use crate::Error;
use crate::store::TileState;

const UNPOISONED: &str = "no thread panics with it";

/// All tiles of a pawn slice in memory.
pub struct ResidentTiles {
    chunks: ChunkNumbers,
    chunk_words: usize,
    state: Mutex<State>,
    scratch: Mutex<Vec<BlockScratch>>,
}

struct State {
    /// Positions with White to move that are legal and not won so far, chunk by chunk.
    not_won: Vec<u64>,
    /// Positions won at the level that is not complete yet.
    won: PositionList,
    /// Positions lost at the last complete level, and at the two after it as far as they are known.
    lost: [PositionList; 3],
}

/// A block's chunks that are not won.
struct BlockWords<'a>(Vec<Option<&'a mut [u64]>>);

impl NotWonChunks for BlockWords<'_> {
    #[inline(always)]
    fn chunk(&mut self, square: u8) -> Result<&mut [u64], Error> {
        Ok(self.0[usize::from(square)].as_deref_mut().expect("a block has all its chunks"))
    }

    fn mark_changed(&mut self, _: u8) {}
}

impl ResidentTiles {
    /// Memory for the tiles of a pawn slice.
    #[must_use]
    pub fn new(index: &TableIndex) -> ResidentTiles {
        let chunks = ChunkNumbers::new(index);
        let chunk_words = index.chunk_words();
        let list = || PositionList::new(&chunks, chunk_words / index.row_words());
        let not_won = vec![0; chunks.count() * chunk_words];
        let state = Mutex::new(State { not_won, won: list(), lost: [list(), list(), list()] });
        ResidentTiles { state, chunks, chunk_words, scratch: Mutex::default() }
    }

    /// Runs a sub-cycle on all blocks: takes back moves from `lost`.
    fn sub_cycle(
        &self,
        leapfrog: &Leapfrog,
        (phase, with_conversions): (LeapfrogPhase, bool),
        not_won: &mut [u64],
        lost: &PositionList,
    ) -> Result<Vec<BlockFindings>, Error> {
        let context = &leapfrog.context;
        let step = BlockStep { index: leapfrog.index, context, chunks: &self.chunks, phase, with_conversions };
        let blocks = self.chunks.blocks(phase);
        let per_block = self.chunks.count() / blocks;
        let mut words: Vec<BlockWords> =
            (0..blocks).map(|_| BlockWords((0..per_block).map(|_| None).collect())).collect();
        for (chunk, open) in not_won.chunks_exact_mut(self.chunk_words).enumerate() {
            let (block, number) = self.chunks.block_of(phase, chunk);
            words[block].0[number] = Some(open);
        }
        let words: Vec<Mutex<BlockWords>> = words.into_iter().map(Mutex::new).collect();
        let found: Mutex<Vec<(usize, BlockFindings)>> = Mutex::default();
        self.share_out(leapfrog, blocks, |number, scratch| {
            let block = self.chunks.block(leapfrog.index, phase, number);
            let words = &mut *words[number].lock().expect(UNPOISONED);
            let findings = pulp::Arch::new().dispatch(|| step.process(&block, lost, scratch, words))?;
            found.lock().expect(UNPOISONED).push((number, findings));
            Ok(())
        })?;
        let mut found = found.into_inner().expect(UNPOISONED);
        found.sort_unstable_by_key(|(number, _)| *number);
        Ok(found.into_iter().map(|(_, findings)| findings).collect())
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
        failed.into_inner().expect(UNPOISONED).map_or(Ok(()), Err)
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
        let tiles: Vec<u32> = leapfrog.tiles_in_order(phase).collect();
        for tiles in tiles.chunks(512 * leapfrog.threads) {
            let found: Mutex<Vec<(usize, TileLevelLists)>> = Mutex::default();
            let counts = Mutex::new(TraversalCounts::default());
            self.share_out(leapfrog, tiles.len(), |number, _| {
                let (lists, tally) = leapfrog.tile_level_lists(&self.chunks, lists, tiles[number]);
                counts.lock().expect(UNPOISONED).add(tally);
                if !lists.won.is_empty() || !lists.lost.is_empty() {
                    found.lock().expect(UNPOISONED).push((number, lists));
                }
                Ok(())
            })?;
            sum.add(counts.into_inner().expect(UNPOISONED));
            let mut found = found.into_inner().expect(UNPOISONED);
            found.sort_unstable_by_key(|(number, _)| *number);
            found.into_iter().try_for_each(|(_, lists)| take(lists))?;
        }
        Ok(sum)
    }
}

impl Tiles for ResidentTiles {
    fn put(&self, leapfrog: &Leapfrog, tile: u32, content: TileState) -> Result<(), Error> {
        let mut state = self.state.lock().expect(UNPOISONED);
        let words = self.chunk_words;
        let rows = words / leapfrog.index.row_words();
        let numbers: Vec<usize> = self.chunks.of_tile(leapfrog.index, tile).collect();
        for (chunk, open) in numbers.iter().zip(content.not_won.chunks_exact(words)) {
            state.not_won[chunk * words..(chunk + 1) * words].copy_from_slice(open);
        }
        for (king, range) in content.lost.chunk_ranges(rows).into_iter().map(|(at, range)| (numbers[at], range)) {
            let part = content.lost.part(range);
            let all = 0..part.len();
            state.lost[0].add(part, std::iter::once((king, all)));
        }
        Ok(())
    }

    fn end_put(&self) -> Result<(), Error> {
        Ok(())
    }

    fn begin_first_level(&self, leapfrog: &Leapfrog, phase: LeapfrogPhase) -> Result<(), Error> {
        let State { not_won, won, lost } = &mut *self.state.lock().expect(UNPOISONED);
        for found in self.sub_cycle(leapfrog, (phase, false), not_won, &lost[0])? {
            found.add_to(won, &mut lost[1]);
        }
        Ok(())
    }

    fn complete_level(
        &self,
        leapfrog: &Leapfrog,
        phase: LeapfrogPhase,
        take: TakeLists,
    ) -> Result<TraversalCounts, Error> {
        let State { not_won, won, lost } = &mut *self.state.lock().expect(UNPOISONED);
        for found in self.sub_cycle(leapfrog, (phase, true), not_won, &lost[0])? {
            found.add_to(won, &mut lost[1]);
        }
        lost[0].clear();
        let counts = self.take_level(leapfrog, phase, (won, &lost[1]), take)?;
        won.clear();
        for found in self.sub_cycle(leapfrog, (phase, false), not_won, &lost[1])? {
            found.add_to(won, &mut lost[2]);
        }
        lost.rotate_left(1);
        Ok(counts)
    }

    fn not_won(&self, leapfrog: &Leapfrog, tile: u32) -> Result<Vec<u64>, Error> {
        let state = self.state.lock().expect(UNPOISONED);
        let words = self.chunk_words;
        let chunks = self.chunks.of_tile(leapfrog.index, tile);
        Ok(chunks.flat_map(|chunk| state.not_won[chunk * words..(chunk + 1) * words].iter().copied()).collect())
    }
}
