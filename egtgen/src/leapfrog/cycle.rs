//! One traversal of a pawn slice. It goes through slices, their K-sub-slices, and the blocks of each K-sub-slice.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use plyfold_core::table::codec;
use plyfold_core::table::index::TableIndex;
use plyfold_core::transform::symmetry::Symmetry;

use super::LeapfrogPhase;
use super::canonical::CanonicalWords;
use super::schedule::{Schedule, ScheduleStep, schedules};
use crate::Error;
use crate::retrograde::black::{self, ChunkResults, ChunkScratch, PawnSliceContext, TableChunk};
use crate::retrograde::geometry::{king_step, to_corner};
use crate::retrograde::shape::DimensionSquares;
use crate::retrograde::white;
use crate::store::{TileBits, TileState, TileStore};

/// The lists of one tile for the level that a traversal completed, compressed for a file.
pub struct TileLevelLists {
    /// The tile.
    pub tile: u32,
    /// Positions won at the level; empty if there are none.
    pub won: Vec<u8>,
    /// Positions lost at the level; empty if there are none.
    pub lost: Vec<u8>,
}

/// The totals of a traversal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraversalCounts {
    /// Positions won at the completed level, on the whole board, identical pieces in every order.
    pub won: u64,
    /// Positions lost at the completed level.
    pub lost: u64,
    /// Chunks with newly won positions.
    pub touched_chunks: u64,
}

impl TraversalCounts {
    fn add(&mut self, other: TraversalCounts) {
        self.won += other.won;
        self.lost += other.lost;
        self.touched_chunks += other.touched_chunks;
    }
}

/// Runs the traversals of a pawn slice.
pub struct Leapfrog<'a> {
    /// The index of the table.
    pub index: &'a TableIndex,
    /// The pawn slice.
    pub pawn_slice: u32,
    /// Its pieces and conversions.
    pub context: PawnSliceContext<'a>,
    /// The words that are stored.
    pub canonical: &'a CanonicalWords,
    /// The store of its tiles.
    pub store: &'a dyn TileStore,
    /// How many slices are processed at once, each by one thread.
    pub threads: usize,
    /// Ends the work early when it becomes true.
    pub stop: &'a AtomicBool,
}

/// The loaded part of a slice. Tiles are numbered by the class of the kings and the class of the piece that moves.
struct LoadedSlice {
    phase: LeapfrogPhase,
    /// The class of the other outer piece, which does not move.
    fixed_class: usize,
    moving_classes: usize,
    not_won: Vec<Option<Vec<u64>>>,
    won: Vec<TileBits>,
    /// Positions lost at `level`, `level + 1` and `level + 2`.
    lost: [Vec<TileBits>; 3],
    changed: Vec<bool>,
    /// Words by the square of the piece that moves, all zero between two blocks.
    newly_won: Vec<u64>,
    newly_lost: Vec<u64>,
    scratch: ChunkScratch,
    counts: TraversalCounts,
}

impl LoadedSlice {
    /// A slice with no tile loaded.
    fn new(index: &TableIndex, phase: LeapfrogPhase, fixed_class: usize) -> LoadedSlice {
        let moving_classes = index.outer_classes(phase.moving_piece()).len();
        let tiles = index.king_classes().len() * moving_classes;
        let moving_squares = if phase.moving_piece() < index.outer_count() { 64 } else { 1 };
        let bits = || vec![TileBits::default(); tiles];
        LoadedSlice {
            phase,
            fixed_class,
            moving_classes,
            not_won: vec![None; tiles],
            won: bits(),
            lost: [bits(), bits(), bits()],
            changed: vec![false; tiles],
            newly_won: vec![0; moving_squares * index.chunk_words()],
            newly_lost: vec![0; index.chunk_words()],
            scratch: ChunkScratch::default(),
            counts: TraversalCounts::default(),
        }
    }
}

/// The newly won positions of a block.
struct NewlyWon<'a> {
    /// The words of each chunk, by the square of the piece that moves.
    words: &'a mut [u64],
    /// The squares whose chunks may have positions.
    touched: u64,
}

/// A block: the chunks that differ only in the square of the outer piece that moves.
#[derive(Clone, Copy)]
struct Block {
    /// Where the white king and the other outer piece stand.
    chunk: TableChunk,
    /// The square of that other piece; if the table has none, the square that stands for its only class.
    fixed: u8,
    /// The number of the outer piece that moves.
    moving: usize,
    /// Whether the table has such a piece. If not, the block is one chunk.
    is_moving: bool,
}

impl Block {
    #[inline(always)]
    fn squares(&self) -> Range<u8> {
        if self.is_moving { 0..64 } else { 0..1 }
    }

    /// The chunk with the moving piece on a square.
    #[inline(always)]
    fn chunk_at(&self, square: u8) -> TableChunk {
        let mut chunk = self.chunk;
        if self.is_moving {
            chunk.squares[self.moving] = square;
        }
        chunk
    }

    /// The squares that locate that chunk.
    #[inline(always)]
    fn outer_squares(&self, square: u8) -> OuterSquares {
        OuterSquares { white_king: self.chunk.white_king, fixed: self.fixed, moving: square }
    }
}

/// The squares that locate a chunk in a slice.
#[derive(Clone, Copy)]
struct OuterSquares {
    white_king: u8,
    fixed: u8,
    moving: u8,
}

/// What a sub-cycle does: it reads one list of lost positions and adds to the next.
#[derive(Clone, Copy)]
struct SubCycle {
    /// The list that it reads, 0 or 1.
    from_list: usize,
    /// Whether it includes conversions.
    with_conversions: bool,
}

impl Leapfrog<'_> {
    /// Begins the leapfrog: applies the moves of this phase to the positions lost at the last level. The next traversal, of
    /// the other phase, then completes the level after.
    ///
    /// # Errors
    ///
    /// The store fails, or [`Error::Stopped`].
    pub fn begin_first_level(&self, phase: LeapfrogPhase) -> Result<(), Error> {
        self.traverse(phase, true, &mut |_| Ok(())).map(drop)
    }

    /// Completes a level, passes its lists to `take` in the order of the slices, and begins the next level.
    ///
    /// # Errors
    ///
    /// The store or `take` fails, or [`Error::Stopped`].
    pub fn complete_level(
        &self,
        phase: LeapfrogPhase,
        take: &mut (dyn FnMut(TileLevelLists) -> Result<(), Error> + Send),
    ) -> Result<TraversalCounts, Error> {
        self.traverse(phase, false, take)
    }

    fn traverse(
        &self,
        phase: LeapfrogPhase,
        is_beginning: bool,
        take: &mut (dyn FnMut(TileLevelLists) -> Result<(), Error> + Send),
    ) -> Result<TraversalCounts, Error> {
        let schedules = schedules(self.index, phase);
        let slices = self.index.outer_classes(1 - phase.moving_piece()).len() * schedules.len();
        let next = AtomicUsize::new(0);
        // Slices finish in any order; their lists are passed on in order.
        let done = Mutex::new((0, BTreeMap::new(), TraversalCounts::default(), take));
        let failed = Mutex::new(None);
        let work = || {
            loop {
                let slice = next.fetch_add(1, Ordering::Relaxed);
                if slice >= slices || failed.lock().expect("no thread panics with it").is_some() {
                    return;
                }
                let (fixed, plan) = (slice / schedules.len(), &schedules[slice % schedules.len()]);
                let result = self.process_slice(phase, fixed, is_beginning, plan).and_then(|(found, tally)| {
                    let mut done = done.lock().expect("no thread panics with it");
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
                    failed.lock().expect("no thread panics with it").get_or_insert(error);
                    return;
                }
            }
        };
        let threads = self.threads.min(slices);
        if threads <= 1 {
            work();
        } else {
            rayon::scope(|scope| (0..threads).for_each(|_| scope.spawn(|_| work())));
        }
        if let Some(error) = failed.into_inner().expect("no thread panics with it") {
            return Err(error);
        }
        self.store.end_traversal()?;
        Ok(done.into_inner().expect("no thread panics with it").2)
    }

    /// Streams one slice through memory.
    fn process_slice(
        &self,
        phase: LeapfrogPhase,
        fixed: usize,
        is_beginning: bool,
        schedule: &Schedule,
    ) -> Result<(Vec<TileLevelLists>, TraversalCounts), Error> {
        let mut slice = LoadedSlice::new(self.index, phase, fixed);
        let moving_classes = slice.moving_classes;
        let mut found = Vec::new();
        for step in &schedule.steps {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            match *step {
                ScheduleStep::Load(kings) => self.load_sub_slice(&mut slice, kings)?,
                ScheduleStep::FirstSubCycle(kings) if is_beginning => {
                    self.sub_cycle(&mut slice, kings, SubCycle { from_list: 0, with_conversions: false })?;
                }
                ScheduleStep::FirstSubCycle(kings) => {
                    self.sub_cycle(&mut slice, kings, SubCycle { from_list: 0, with_conversions: true })?;
                    for moving in 0..moving_classes {
                        self.collect_lists(&mut slice, kings, moving, &mut found);
                    }
                }
                ScheduleStep::SecondSubCycle(_) if is_beginning => {}
                ScheduleStep::SecondSubCycle(kings) => {
                    self.sub_cycle(&mut slice, kings, SubCycle { from_list: 1, with_conversions: false })?;
                }
                ScheduleStep::Unload(kings) => self.unload_sub_slice(&mut slice, kings, is_beginning)?,
            }
        }
        Ok((found, slice.counts))
    }

    fn load_sub_slice(&self, slice: &mut LoadedSlice, kings: usize) -> Result<(), Error> {
        for moving in 0..slice.moving_classes {
            let tile = self.store.load(self.tile_number(slice, kings, moving))?;
            let at = kings * slice.moving_classes + moving;
            slice.not_won[at] = (!tile.not_won.is_empty()).then_some(tile.not_won);
            slice.won[at] = tile.won;
            slice.lost[0][at] = tile.lost;
            slice.lost[1][at] = tile.next_lost;
            slice.lost[2][at] = tile.spare;
            slice.changed[at] = tile.is_changed;
        }
        Ok(())
    }

    /// Hands the tiles of a K-sub-slice back to the store. Unless the leapfrog is only beginning, the level that was begun
    /// last becomes the current one.
    fn unload_sub_slice(&self, slice: &mut LoadedSlice, kings: usize, is_beginning: bool) -> Result<(), Error> {
        for moving in 0..slice.moving_classes {
            let at = kings * slice.moving_classes + moving;
            let [lost, next, after] = &mut slice.lost;
            let take = |bits: &mut Vec<TileBits>| std::mem::take(&mut bits[at]);
            let [mut lost, mut next, mut after] = [take(lost), take(next), take(after)];
            if !is_beginning {
                lost.clear(self.index.chunk_words());
                (lost, next, after) = (next, after, lost);
            }
            let content = TileState {
                not_won: slice.not_won[at].take().unwrap_or_default(),
                lost,
                next_lost: next,
                won: std::mem::take(&mut slice.won[at]),
                is_changed: slice.changed[at],
                spare: after,
            };
            self.store.save(self.tile_number(slice, kings, moving), content)?;
        }
        Ok(())
    }

    fn tile_number(&self, slice: &LoadedSlice, kings: usize, moving: usize) -> u32 {
        match slice.phase {
            LeapfrogPhase::First => self.index.tile(kings, moving, slice.fixed_class),
            LeapfrogPhase::Second => self.index.tile(kings, slice.fixed_class, moving),
        }
    }

    /// Compresses and counts the lists of a tile for the completed level.
    fn collect_lists(&self, slice: &mut LoadedSlice, kings: usize, moving: usize, found: &mut Vec<TileLevelLists>) {
        let at = kings * slice.moving_classes + moving;
        let tile = self.tile_number(slice, kings, moving);
        let words = self.index.chunk_words();
        let width = self.index.row_words();
        let count = |bits: &TileBits| -> u64 {
            let chunks = bits.live_chunks().map(|chunk| {
                let positions: u64 = bits.words[chunk * words..(chunk + 1) * words]
                    .iter()
                    .map(|word| u64::from(word.count_ones()))
                    .sum();
                positions * self.index.weight(self.pawn_slice, self.index.chunk_squares(tile, chunk).0)
            });
            chunks.sum()
        };
        let encode =
            |bits: &TileBits| encode_canonical(bits, words, |word| self.canonical.is_canonical(tile, word, width));
        let (won, lost) = (&slice.won[at], &slice.lost[1][at]);
        slice.counts.won += count(won);
        slice.counts.lost += count(lost);
        slice.counts.touched_chunks += won.live_chunks().count() as u64;
        let content = TileLevelLists { tile, won: encode(won), lost: encode(lost) };
        if !content.won.is_empty() || !content.lost.is_empty() {
            found.push(content);
        }
        slice.won[at].clear(words);
    }

    /// Runs a sub-cycle on all blocks of a K-sub-slice.
    #[inline(always)]
    fn sub_cycle_body(&self, slice: &mut LoadedSlice, kings: usize, sub_cycle: SubCycle) -> Result<(), Error> {
        let fixed_man = 1 - slice.phase.moving_piece();
        let has_fixed = fixed_man < self.context.outer_count;
        for &white_king in self.index.king_classes().squares(kings) {
            for &square in self.index.outer_classes(fixed_man).squares(slice.fixed_class) {
                if has_fixed && square == white_king {
                    continue;
                }
                let mut chunk = TableChunk { white_king, squares: DimensionSquares::default() };
                if has_fixed {
                    chunk.squares[fixed_man] = square;
                }
                if self.context.shape.static_occupancy() >> white_king & 1 == 0 {
                    self.process_block(slice, chunk, square, sub_cycle)?;
                }
            }
        }
        Ok(())
    }

    /// [`sub_cycle_body`](Self::sub_cycle_body) with the widest vector instructions of the machine.
    fn sub_cycle(&self, slice: &mut LoadedSlice, kings: usize, sub_cycle: SubCycle) -> Result<(), Error> {
        pulp::Arch::new().dispatch(|| self.sub_cycle_body(slice, kings, sub_cycle))
    }

    /// The number of a chunk's tile in the slice, and the number of the chunk in the tile.
    #[inline]
    fn locate_chunk(&self, slice: &LoadedSlice, white_king: u8, fixed: u8, moving: u8) -> (usize, usize) {
        const STORED: &str = "the square has a class";
        let (kings, king) = self.index.king_classes().find(white_king).expect(STORED);
        let fixed_man = 1 - slice.phase.moving_piece();
        let (_, fixed) = self.index.outer_classes(fixed_man).find(fixed).expect(STORED);
        let (class, moving) = self.index.outer_classes(slice.phase.moving_piece()).find(moving).expect(STORED);
        let (w1, w2, seconds, firsts) = match slice.phase {
            LeapfrogPhase::First => (
                moving,
                fixed,
                self.index.outer_classes(1).squares(slice.fixed_class).len(),
                self.index.outer_classes(0).squares(class).len(),
            ),
            LeapfrogPhase::Second => (
                fixed,
                moving,
                self.index.outer_classes(1).squares(class).len(),
                self.index.outer_classes(0).squares(slice.fixed_class).len(),
            ),
        };
        (kings * slice.moving_classes + class, (king * firsts + w1) * seconds + w2)
    }

    /// The words of a chunk on a list of lost positions, if it may have any.
    #[inline(always)]
    fn lost_words<'b>(&self, slice: &LoadedSlice, list: &'b [TileBits], squares: OuterSquares) -> Option<&'b [u64]> {
        let words = self.index.chunk_words();
        let (tile, number) = self.locate_chunk(slice, squares.white_king, squares.fixed, squares.moving);
        let bits = &list[tile];
        bits.is_live(number).then(|| &bits.words[number * words..(number + 1) * words])
    }

    /// Whether the piece that moves can stand on a square of a block.
    #[inline(always)]
    fn is_free(&self, block: &Block, square: u8) -> bool {
        !block.is_moving
            || square != block.chunk.white_king
                && (1 - block.moving >= self.context.outer_count || square != block.fixed)
                && self.context.shape.static_occupancy() >> square & 1 == 0
    }

    /// Processes one block: White's moves first, then Black's step over the chunks with new positions.
    #[inline(always)]
    fn process_block(
        &self,
        slice: &mut LoadedSlice,
        chunk: TableChunk,
        fixed: u8,
        sub_cycle: SubCycle,
    ) -> Result<(), Error> {
        let words = self.index.chunk_words();
        let moving = slice.phase.moving_piece();
        let block = Block { chunk, fixed, moving, is_moving: moving < self.context.outer_count };
        let mut newly_won = std::mem::take(&mut slice.newly_won);
        let mut touched = self.add_piece_moves(slice, &block, sub_cycle.from_list, &mut newly_won);
        touched |= self.add_king_moves(slice, &block, sub_cycle.from_list, &mut newly_won);
        if sub_cycle.with_conversions && self.context.conversions.has_new_white_conversions() {
            for square in block.squares().filter(|&square| self.is_free(&block, square)) {
                let out = &mut newly_won[usize::from(square) * words..][..words];
                white::conversion_predecessors(&self.context, &block.chunk_at(square), out);
                touched |= 1 << square;
            }
        }
        self.complete_block(slice, &block, sub_cycle, NewlyWon { words: &mut newly_won, touched })?;
        slice.newly_won = newly_won;
        Ok(())
    }

    /// Adds what reaches the lost positions of a block by moves of the phase's white pieces. Gives the squares whose chunks
    /// may have changed.
    #[inline(always)]
    fn add_piece_moves(&self, slice: &LoadedSlice, block: &Block, from_list: usize, newly_won: &mut [u64]) -> u64 {
        let words = self.index.chunk_words();
        let list = &slice.lost[from_list];
        let mut touched = 0;
        for square in block.squares() {
            let Some(lost) = self.lost_words(slice, list, block.outer_squares(square)) else { continue };
            let chunk = block.chunk_at(square);
            if block.is_moving {
                touched |= white::outer_predecessors(&self.context, &chunk, block.moving, lost, newly_won);
            }
            if slice.phase == LeapfrogPhase::Second {
                let out = &mut newly_won[usize::from(square) * words..][..words];
                white::inner_predecessors(&self.context, &chunk, lost, out);
                touched |= 1 << square;
            }
        }
        touched
    }

    /// Adds what reaches lost positions of other blocks by the phase's moves of the white king. Gives the squares whose
    /// chunks may have changed.
    #[inline(always)]
    fn add_king_moves(&self, slice: &LoadedSlice, block: &Block, from_list: usize, newly_won: &mut [u64]) -> u64 {
        let words = self.index.chunk_words();
        let list = &slice.lost[from_list];
        let mut touched = 0;
        for &by in slice.phase.king_directions(self.context.outer_count) {
            let Some(to) = king_step(block.chunk.white_king, by) else { continue };
            let symmetry = if self.index.has_pawns() { Symmetry::IDENTITY } else { to_corner(to) };
            let (there, back) = (symmetry.square(to), symmetry.inverse());
            let has_fixed = 1 - block.moving < self.context.outer_count;
            let fixed_there = if has_fixed { symmetry.square(block.fixed) } else { block.fixed };
            for square in block.squares() {
                let square_there = if block.is_moving { symmetry.square(square) } else { square };
                let squares = OuterSquares { white_king: there, fixed: fixed_there, moving: square_there };
                if let Some(lost) = self.lost_words(slice, list, squares) {
                    let out = &mut newly_won[usize::from(square) * words..][..words];
                    white::transform_chunk(self.index.inner_count(), back, lost, out);
                    touched |= 1 << square;
                }
            }
        }
        touched
    }

    /// Removes the newly won positions from those that are not won, and adds the positions that they make lost to the next
    /// list. Empties `newly_won`.
    #[inline(always)]
    fn complete_block(
        &self,
        slice: &mut LoadedSlice,
        block: &Block,
        sub_cycle: SubCycle,
        newly_won: NewlyWon,
    ) -> Result<(), Error> {
        let words = self.index.chunk_words();
        let from_black = sub_cycle.with_conversions && self.context.conversions.has_new_black_conversions();
        for square in block.squares() {
            let is_touched = newly_won.touched >> square & 1 != 0;
            if !is_touched && !from_black {
                continue;
            }
            let new = &mut newly_won.words[usize::from(square) * words..][..words];
            if !self.is_free(block, square) {
                new.fill(0);
                continue;
            }
            let (tile, number) = self.locate_chunk(slice, block.chunk.white_king, block.fixed, square);
            self.load_not_won(slice, tile)?;
            let chunks = self.tile_chunks(slice, tile);
            let open = slice.not_won[tile].as_mut().expect("the tile is loaded");
            let open = &mut open[number * words..(number + 1) * words];
            let any = is_touched && take_newly_won(open, new);
            if any {
                slice.changed[tile] = true;
                slice.won[tile].reserve(chunks, words, |number| self.store.zeroed_words(number));
                add_words(slice.won[tile].chunk_mut(number, chunks, words), new);
            }
            if any || from_black {
                let results = ChunkResults { not_won: open, newly_won: Some(new), with_conversions: from_black };
                let (scratch, found) = (&mut slice.scratch, &mut slice.newly_lost);
                if black::find_lost(&self.context, &block.chunk_at(square), results, scratch, found) {
                    let list = &mut slice.lost[sub_cycle.from_list + 1][tile];
                    list.reserve(chunks, words, |number| self.store.zeroed_words(number));
                    add_words(list.chunk_mut(number, chunks, words), found);
                }
            }
            if is_touched {
                new.fill(0);
            }
        }
        Ok(())
    }

    /// Loads the positions of a tile of a slice that are not won. Many tiles never need them.
    #[inline(always)]
    fn load_not_won(&self, slice: &mut LoadedSlice, tile: usize) -> Result<(), Error> {
        if slice.not_won[tile].is_none() {
            let number = self.tile_number(slice, tile / slice.moving_classes, tile % slice.moving_classes);
            slice.not_won[tile] = Some(self.store.load_not_won(number)?);
        }
        Ok(())
    }

    fn tile_chunks(&self, slice: &LoadedSlice, at: usize) -> usize {
        self.index.tile_chunks(self.tile_number(slice, at / slice.moving_classes, at % slice.moving_classes))
    }
}

/// Leaves in `newly_won` what was not won before, takes it off `not_won`, and tells whether there is any.
#[inline(always)]
fn take_newly_won(not_won: &mut [u64], newly_won: &mut [u64]) -> bool {
    let mut any = 0;
    for (new, open) in newly_won.iter_mut().zip(not_won) {
        *new &= *open;
        *open &= !*new;
        any |= *new;
    }
    any != 0
}

/// Adds a set to another.
#[inline(always)]
fn add_words(set: &mut [u64], more: &[u64]) {
    for (word, more) in set.iter_mut().zip(more) {
        *word |= *more;
    }
}

/// The canonical words of a set, compressed as a block; empty if there are none.
pub fn encode_canonical(bits: &TileBits, words: usize, is_canonical: impl Fn(usize) -> bool) -> Vec<u8> {
    let mut canonical = bits.nonzero_words(words).filter(|(word, _)| is_canonical(*word)).peekable();
    let mut out = Vec::new();
    if canonical.peek().is_some() {
        codec::encode(canonical, &mut out);
    }
    out
}
