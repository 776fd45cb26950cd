//! One traversal of a cell: slice by slice, sub-slice by sub-slice, block by block.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use plyfold_core::table::code;
use plyfold_core::table::index::Index;
use plyfold_core::transform::symmetry::Symmetry;

use super::Turn;
use super::keep::Keep;
use super::schedule::{Schedule, Step, schedules};
use crate::Error;
use crate::step::black::{self, Cell, Chunk, Scratch};
use crate::step::geometry::{step, to_corner};
use crate::step::shape::Men;
use crate::step::white;
use crate::store::{Bits, Store, Tile};

/// What a traversal found of one tile: the lists of the level that it completed, coded for a file.
pub struct Found {
    /// Which tile.
    pub tile: u32,
    /// Won at the level; empty if none.
    pub won: Vec<u8>,
    /// Lost at the level; empty if none.
    pub lost: Vec<u8>,
}

/// What a traversal found in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Positions won at the completed level: of the whole board, identical men in every order.
    pub won: u64,
    /// Positions lost at it.
    pub lost: u64,
    /// Chunks in which anything was won.
    pub touched: u64,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.won += other.won;
        self.lost += other.lost;
        self.touched += other.touched;
    }
}

/// A cell on its way through the cycles.
pub struct Cycles<'a> {
    /// The table's shape.
    pub index: &'a Index,
    /// Which cell.
    pub number: u32,
    /// Its men and what leads out of it.
    pub cell: Cell<'a>,
    /// Which words go to files.
    pub keep: &'a Keep,
    /// Where its tiles are.
    pub store: &'a dyn Store,
    /// How many slices are in memory at once.
    pub threads: usize,
    /// The caller wants no more.
    pub stop: &'a AtomicBool,
}

/// A slice, as far as it is in memory: tiles by class of kings and class of the man that moves.
struct Slice {
    turn: Turn,
    /// The class of the man that stands still.
    fixed: usize,
    movings: usize,
    open: Vec<Option<Vec<u64>>>,
    won: Vec<Bits>,
    /// Lost at `level`, `level + 1`, `level + 2`.
    lost: [Vec<Bits>; 3],
    changed: Vec<bool>,
    /// Words by the square of the man that moves, all zero between two blocks.
    fresh: Vec<u64>,
    found: Vec<u64>,
    scratch: Scratch,
    tally: Tally,
}

/// What a sub-cycle does: from one list of the slice to the next.
#[derive(Clone, Copy)]
struct Pass {
    /// 0 or 1: which list it begins with.
    from: usize,
    /// Whether it treats conversions too.
    conversions: bool,
}

impl Cycles<'_> {
    /// Begins the leapfrog: what was lost at the last level gets the moves of this turn, so that the next traversal, of
    /// the other turn, can complete the level after.
    ///
    /// # Errors
    ///
    /// What the store met, or [`Error::Stopped`].
    pub fn begin(&self, turn: Turn) -> Result<(), Error> {
        self.traverse(turn, true, &mut |_| Ok(())).map(drop)
    }

    /// A traversal: completes a level, hands its lists over in the order of the slices, and begins the next.
    ///
    /// # Errors
    ///
    /// What the store or `take` met, or [`Error::Stopped`].
    pub fn complete(
        &self,
        turn: Turn,
        take: &mut (dyn FnMut(Found) -> Result<(), Error> + Send),
    ) -> Result<Tally, Error> {
        self.traverse(turn, false, take)
    }

    fn traverse(
        &self,
        turn: Turn,
        is_beginning: bool,
        take: &mut (dyn FnMut(Found) -> Result<(), Error> + Send),
    ) -> Result<Tally, Error> {
        let plans = schedules(self.index, turn);
        let slices = self.index.outers(1 - turn.moving()).len() * plans.len();
        let next = AtomicUsize::new(0);
        // Slices end in any order and are handed over in theirs.
        let done = Mutex::new((0, BTreeMap::new(), Tally::default(), take));
        let failed = Mutex::new(None);
        let work = || {
            loop {
                let slice = next.fetch_add(1, Ordering::Relaxed);
                if slice >= slices || failed.lock().expect("no thread panics with it").is_some() {
                    return;
                }
                let (fixed, plan) = (slice / plans.len(), &plans[slice % plans.len()]);
                let result = self.slice(turn, fixed, is_beginning, plan).and_then(|(found, tally)| {
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
        self.store.turn()?;
        Ok(done.into_inner().expect("no thread panics with it").2)
    }

    /// One slice, streamed through memory.
    fn slice(
        &self,
        turn: Turn,
        fixed: usize,
        is_beginning: bool,
        plan: &Schedule,
    ) -> Result<(Vec<Found>, Tally), Error> {
        let movings = self.index.outers(turn.moving()).len();
        let tiles = self.index.kings().len() * movings;
        let moving_squares = if turn.moving() < self.index.outer() { 64 } else { 1 };
        let bits = || vec![Bits::default(); tiles];
        let mut slice = Slice {
            turn,
            fixed,
            movings,
            open: vec![None; tiles],
            won: bits(),
            lost: [bits(), bits(), bits()],
            changed: vec![false; tiles],
            fresh: vec![0; moving_squares * self.index.chunk_words()],
            found: vec![0; self.index.chunk_words()],
            scratch: Scratch::default(),
            tally: Tally::default(),
        };
        let mut found = Vec::new();
        for step in &plan.steps {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            match *step {
                Step::Load(kings) => {
                    for moving in 0..movings {
                        let tile = self.store.load(self.tile(&slice, kings, moving))?;
                        let at = kings * movings + moving;
                        slice.open[at] = (!tile.open.is_empty()).then_some(tile.open);
                        slice.won[at] = tile.won;
                        slice.lost[0][at] = tile.lost;
                        slice.lost[1][at] = tile.next;
                        slice.lost[2][at] = tile.spare;
                        slice.changed[at] = tile.is_changed;
                    }
                }
                Step::First(kings) if is_beginning => {
                    self.sub_cycle(&mut slice, kings, Pass { from: 0, conversions: false })?;
                }
                Step::First(kings) => {
                    self.sub_cycle(&mut slice, kings, Pass { from: 0, conversions: true })?;
                    for moving in 0..movings {
                        self.hand_over(&mut slice, kings, moving, &mut found);
                    }
                }
                Step::Second(_) if is_beginning => {}
                Step::Second(kings) => {
                    self.sub_cycle(&mut slice, kings, Pass { from: 1, conversions: false })?;
                }
                Step::Leave(kings) => {
                    for moving in 0..movings {
                        let at = kings * movings + moving;
                        let [lost, next, after] = &mut slice.lost;
                        let take = |bits: &mut Vec<Bits>| std::mem::take(&mut bits[at]);
                        let [mut lost, mut next, mut after] = [take(lost), take(next), take(after)];
                        if !is_beginning {
                            lost.clear(self.index.chunk_words());
                            (lost, next, after) = (next, after, lost);
                        }
                        let content = Tile {
                            open: slice.open[at].take().unwrap_or_default(),
                            lost,
                            next,
                            won: std::mem::take(&mut slice.won[at]),
                            is_changed: slice.changed[at],
                            spare: after,
                        };
                        self.store.save(self.tile(&slice, kings, moving), content)?;
                    }
                }
            }
        }
        Ok((found, slice.tally))
    }

    fn tile(&self, slice: &Slice, kings: usize, moving: usize) -> u32 {
        match slice.turn {
            Turn::First => self.index.tile(kings, moving, slice.fixed),
            Turn::Second => self.index.tile(kings, slice.fixed, moving),
        }
    }

    /// A level of a tile is complete: its lists are coded and counted.
    fn hand_over(&self, slice: &mut Slice, kings: usize, moving: usize, found: &mut Vec<Found>) {
        let at = kings * slice.movings + moving;
        let tile = self.tile(slice, kings, moving);
        let words = self.index.chunk_words();
        let width = self.index.row_words();
        let count = |bits: &Bits| -> u64 {
            let chunks = bits.live_chunks().map(|chunk| {
                let positions: u64 = bits.words[chunk * words..(chunk + 1) * words]
                    .iter()
                    .map(|word| u64::from(word.count_ones()))
                    .sum();
                positions * self.index.weight(self.number, self.index.chunk_squares(tile, chunk).0)
            });
            chunks.sum()
        };
        let encode = |bits: &Bits| coded(bits, words, |word| self.keep.has(tile, word, width));
        let (won, lost) = (&slice.won[at], &slice.lost[1][at]);
        slice.tally.won += count(won);
        slice.tally.lost += count(lost);
        slice.tally.touched += won.live_chunks().count() as u64;
        let content = Found { tile, won: encode(won), lost: encode(lost) };
        if !content.won.is_empty() || !content.lost.is_empty() {
            found.push(content);
        }
        slice.won[at].clear(words);
    }

    /// A sub-cycle of a K-sub-slice: all its blocks, a block being all squares of the man that moves.
    #[inline(always)]
    fn sub_cycle_here(&self, slice: &mut Slice, kings: usize, pass: Pass) -> Result<(), Error> {
        let fixed_man = 1 - slice.turn.moving();
        let has_fixed = fixed_man < self.cell.outer;
        for &white_king in self.index.kings().squares(kings) {
            for &square in self.index.outers(fixed_man).squares(slice.fixed) {
                if has_fixed && square == white_king {
                    continue;
                }
                let mut chunk = Chunk { white_king, men: Men::default() };
                if has_fixed {
                    chunk.men[fixed_man] = square;
                }
                if self.cell.shape.still() >> white_king & 1 == 0 {
                    self.block(slice, chunk, square, pass)?;
                }
            }
        }
        Ok(())
    }

    /// [`sub_cycle_here`](Self::sub_cycle_here) with the widest vectors that the machine has.
    fn sub_cycle(&self, slice: &mut Slice, kings: usize, pass: Pass) -> Result<(), Error> {
        pulp::Arch::new().dispatch(|| self.sub_cycle_here(slice, kings, pass))
    }

    /// The number of a chunk's tile in the slice, and the chunk's in the tile, by squares of king, fixed and moving man.
    #[inline]
    fn find(&self, slice: &Slice, white_king: u8, fixed: u8, moving: u8) -> (usize, usize) {
        const STORED: &str = "the square has a class";
        let (kings, king) = self.index.kings().find(white_king).expect(STORED);
        let fixed_man = 1 - slice.turn.moving();
        let (_, fixed) = self.index.outers(fixed_man).find(fixed).expect(STORED);
        let (class, moving) = self.index.outers(slice.turn.moving()).find(moving).expect(STORED);
        let (w1, w2, seconds, firsts) = match slice.turn {
            Turn::First => (
                moving,
                fixed,
                self.index.outers(1).squares(slice.fixed).len(),
                self.index.outers(0).squares(class).len(),
            ),
            Turn::Second => (
                fixed,
                moving,
                self.index.outers(1).squares(class).len(),
                self.index.outers(0).squares(slice.fixed).len(),
            ),
        };
        (kings * slice.movings + class, (king * firsts + w1) * seconds + w2)
    }

    /// One block: White's moves into it, then Black's pass over the chunks in which anything is new.
    #[inline(always)]
    fn block(&self, slice: &mut Slice, chunk: Chunk, fixed: u8, pass: Pass) -> Result<(), Error> {
        let words = self.index.chunk_words();
        let moving = slice.turn.moving();
        let moves = moving < self.cell.outer;
        let squares: std::ops::Range<u8> = if moves { 0..64 } else { 0..1 };
        let at = |square: u8| {
            let mut chunk = chunk;
            if moves {
                chunk.men[moving] = square;
            }
            chunk
        };
        let is_free = |square: u8| {
            !moves
                || square != chunk.white_king
                    && (1 - moving >= self.cell.outer || square != fixed)
                    && self.cell.shape.still() >> square & 1 == 0
        };
        let mut fresh = std::mem::take(&mut slice.fresh);
        let mut touched = 0u64;

        let sources = &slice.lost[pass.from];
        let source = |white_king: u8, fixed: u8, square: u8| {
            let (tile, number) = self.find(slice, white_king, fixed, square);
            let bits = &sources[tile];
            bits.is_live(number).then(|| &bits.words[number * words..(number + 1) * words])
        };
        for square in squares.clone() {
            let Some(lost) = source(chunk.white_king, fixed, square) else { continue };
            if moves {
                touched |= white::outer(&self.cell, &at(square), moving, lost, &mut fresh);
            }
            if slice.turn == Turn::Second {
                let out = &mut fresh[usize::from(square) * words..][..words];
                white::inner(&self.cell, &at(square), lost, out);
                touched |= 1 << square;
            }
        }
        for &by in slice.turn.king_steps(self.cell.outer) {
            let Some(to) = step(chunk.white_king, by) else { continue };
            let symmetry = if self.index.has_pawns() { Symmetry::IDENTITY } else { to_corner(to) };
            let (there, back) = (symmetry.square(to), symmetry.inverse());
            let has_fixed = 1 - moving < self.cell.outer;
            let fixed_there = if has_fixed { symmetry.square(fixed) } else { fixed };
            for square in squares.clone() {
                let square_there = if moves { symmetry.square(square) } else { square };
                if let Some(lost) = source(there, fixed_there, square_there) {
                    let out = &mut fresh[usize::from(square) * words..][..words];
                    white::turn(self.index.inner(), back, lost, out);
                    touched |= 1 << square;
                }
            }
        }
        if pass.conversions && self.cell.feeds.white_is_live() {
            for square in squares.clone().filter(|&square| is_free(square)) {
                let out = &mut fresh[usize::from(square) * words..][..words];
                white::conversions(&self.cell, &at(square), out);
                touched |= 1 << square;
            }
        }

        let from_black = pass.conversions && self.cell.feeds.black_is_live();
        for square in squares {
            let is_touched = touched >> square & 1 != 0;
            if !is_touched && !from_black {
                continue;
            }
            let new = &mut fresh[usize::from(square) * words..][..words];
            if !is_free(square) {
                new.fill(0);
                continue;
            }
            let (tile, number) = self.find(slice, chunk.white_king, fixed, square);
            if slice.open[tile].is_none() {
                // Only now it is wanted; of many tiles it never is.
                slice.open[tile] =
                    Some(self.store.open(self.tile(slice, tile / slice.movings, tile % slice.movings))?);
            }
            let chunks = self.tile_chunks(slice, tile);
            let open = slice.open[tile].as_mut().expect("the tile is loaded");
            let open = &mut open[number * words..(number + 1) * words];
            let mut any = 0;
            if is_touched {
                for (new, open) in new.iter_mut().zip(open.iter_mut()) {
                    *new &= *open;
                    *open &= !*new;
                    any |= *new;
                }
            }
            if any != 0 {
                slice.changed[tile] = true;
                slice.won[tile].reserve(chunks, words, |number| self.store.words(number));
                let won = slice.won[tile].chunk_mut(number, chunks, words);
                for (won, new) in won.iter_mut().zip(new.iter()) {
                    *won |= *new;
                }
            }
            if any != 0 || from_black {
                let conversions = from_black;
                let (scratch, found) = (&mut slice.scratch, &mut slice.found);
                if black::pass(&self.cell, &at(square), open, Some(new), conversions, scratch, found) {
                    let list = &mut slice.lost[pass.from + 1][tile];
                    list.reserve(chunks, words, |number| self.store.words(number));
                    let lost = list.chunk_mut(number, chunks, words);
                    for (lost, found) in lost.iter_mut().zip(found.iter()) {
                        *lost |= *found;
                    }
                }
            }
            if is_touched {
                new.fill(0);
            }
        }
        slice.fresh = fresh;
        Ok(())
    }

    fn tile_chunks(&self, slice: &Slice, at: usize) -> usize {
        self.index.tile_chunks(self.tile(slice, at / slice.movings, at % slice.movings))
    }
}

/// The words of a set for which `is_kept`, as a piece; empty if there are none.
pub fn coded(bits: &Bits, words: usize, is_kept: impl Fn(usize) -> bool) -> Vec<u8> {
    let mut kept = bits.nonzero(words).filter(|(word, _)| is_kept(*word)).peekable();
    let mut out = Vec::new();
    if kept.peek().is_some() {
        code::encode(kept, &mut out);
    }
    out
}
