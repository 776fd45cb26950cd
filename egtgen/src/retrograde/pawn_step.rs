//! Takes steps of White's pawns within a table. All pieces stay where they are, so a position after the step has the same place in
//! its pawn slice as the position before it in its own, and what the list of a level has can be taken row by row.

use std::ops::Range;
use std::sync::Arc;

use plyfold_tables::index::{PawnPlacement, TableIndex};

use super::result_lists::{LevelList, NeededWords, ResultList, ResultLists};
use super::shape::TableChunk;
use crate::Error;
use crate::rows::position_list::PositionList;
use crate::rows::{MarkedRows, PackedRows};

/// A step of a white pawn within the table.
pub struct PawnStep {
    /// The lists of the table; `None` to find only sizes.
    lists: Option<Arc<dyn ResultLists>>,
    /// The pawn slice that it leads to.
    pawn_slice: u32,
    /// The square that a double step passes.
    must_be_empty: u64,
    /// The last level with lost positions in that pawn slice.
    last_level: Option<u16>,
    chunks: StepChunks,
    /// Positions after the step that are lost at the current level.
    lost: PositionList,
}

/// The chunks of a pawn slice with pawns, numbered by the squares of the white king and the outer pieces.
#[derive(Clone, Copy)]
struct StepChunks {
    outer_count: usize,
    /// The number of rows of a chunk, and of words of a row.
    rows: usize,
    width: usize,
}

/// The rows of a tile on a list.
pub struct TileRows {
    rows: PackedRows,
    /// For each chunk with any: its number, and its rows.
    chunks: Vec<(usize, Range<usize>)>,
}

impl StepChunks {
    fn new(index: &TableIndex) -> StepChunks {
        let width = index.row_words();
        StepChunks { outer_count: index.outer_count(), rows: index.chunk_words() / width, width }
    }

    fn count(self) -> usize {
        64 << (6 * self.outer_count)
    }

    #[inline(always)]
    fn number(self, white_king: u8, outer: impl Iterator<Item = u8>) -> usize {
        outer.take(self.outer_count).fold(usize::from(white_king), |number, square| number << 6 | usize::from(square))
    }
}

impl PawnStep {
    /// Returns whether the positions with these pawns of a table have one place each, with all pieces where they stand. Lists of
    /// others leave out positions, or their pawns are mirror images of those in files.
    #[must_use]
    pub fn keeps_places(index: &TableIndex, pawns: PawnPlacement) -> bool {
        let has_identical = (1..index.roles().len()).any(|piece| index.is_same_as_before(piece));
        let is_stored = index.pawn_slice_of(pawns).is_some_and(|(_, is_mirrored)| !is_mirrored);
        is_stored && pawns != pawns.mirrored() && !has_identical
    }

    /// The step that leads to these pawns, over the squares of `must_be_empty`.
    ///
    /// # Errors
    ///
    /// The lists cannot be read.
    ///
    /// # Panics
    ///
    /// The pawns do not [keep places](Self::keeps_places).
    pub fn new(
        index: &TableIndex,
        lists: Option<Arc<dyn ResultLists>>,
        pawns: PawnPlacement,
        must_be_empty: u64,
    ) -> Result<PawnStep, Error> {
        let (pawn_slice, _) = index.pawn_slice_of(pawns).expect("pawns that keep places have a pawn slice");
        let last_level = match &lists {
            Some(lists) => lists.last_level(pawn_slice, ResultList::Lost)?,
            None => None,
        };
        let chunks = StepChunks::new(index);
        // Without lists, the step is asked for its size alone.
        let lost = PositionList::new(if lists.is_some() { chunks.count() } else { 1 }, 1, chunks.rows);
        Ok(PawnStep { lists, pawn_slice, must_be_empty, last_level, chunks, lost })
    }

    /// The most bytes that it takes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let StepChunks { rows, width, .. } = self.chunks;
        let all_rows = self.chunks.count() * rows;
        PositionList::empty_bytes(self.chunks.count()) + PackedRows::bytes_of(all_rows, all_rows * width)
    }

    /// The last level with positions.
    #[must_use]
    pub fn last_level(&self) -> Option<u16> {
        self.last_level
    }

    /// Returns whether any position after the step is lost at the current level.
    #[inline(always)]
    #[must_use]
    pub fn has_new(&self) -> bool {
        self.lost.row_bytes() > 0
    }

    /// The number of tiles whose lists can be read apart from each other.
    #[must_use]
    pub fn tiles(&self) -> u32 {
        self.lists.as_ref().map_or(0, |lists| lists.index().tiles())
    }

    /// Reads the positions of some tiles that are lost at a level.
    ///
    /// # Errors
    ///
    /// The lists cannot be read.
    pub fn read(&self, level: u16, tiles: &Range<u32>) -> Result<Vec<TileRows>, Error> {
        let (Some(lists), true) = (&self.lists, self.last_level.is_some_and(|last| level <= last)) else {
            return Ok(Vec::new());
        };
        let at = LevelList { pawn_slice: self.pawn_slice, list: ResultList::Lost, level };
        let mut collector = RowCollector::new(self.chunks, lists.index());
        let is_needed = |tile: u32| tiles.contains(&tile);
        let add = &mut |tile, word, bits| collector.add(tile, word, bits);
        lists.visit(at, NeededWords::of_tiles(&is_needed), add)?;
        Ok(collector.finish())
    }

    /// Makes these rows, of all tiles, the positions of the current level.
    pub fn set_lost(&mut self, tiles: impl Iterator<Item = TileRows>) {
        self.lost.clear();
        tiles.for_each(|TileRows { rows, chunks }| self.lost.add(rows, chunks.into_iter()));
    }

    /// Adds to `out` the positions of a chunk that win by the step. The chunk's rows in `out` begin at `base`. Squares of pieces may
    /// be those of pawns, and such positions are added, too: they are not legal.
    #[inline(always)]
    pub fn add_predecessors(&self, chunk: &TableChunk, out: &mut MarkedRows, base: usize) {
        let number = self.chunks.number(chunk.white_king, chunk.squares.into_iter());
        if !self.lost.has(number) {
            return;
        }
        let is_passed = |square: u8| self.must_be_empty >> square & 1 != 0;
        let mut outer = chunk.squares.into_iter().take(self.chunks.outer_count);
        if self.must_be_empty != 0 && (is_passed(chunk.white_king) || outer.any(is_passed)) {
            return;
        }
        let no_lanes = if self.chunks.width == 64 { self.must_be_empty } else { 0 };
        for (row, words) in self.lost.rows(number) {
            if self.must_be_empty != 0 && self.inner_squares(row).any(is_passed) {
                continue;
            }
            let lanes = words.lanes & !no_lanes;
            let out = out.row_mut(base + row, lanes);
            words.iter().for_each(|(lane, word)| {
                let is_kept = (lanes >> lane & 1).wrapping_neg();
                out[lane] |= word & !self.must_be_empty & is_kept;
            });
        }
    }

    /// The squares of the inner pieces of a row.
    #[inline(always)]
    fn inner_squares(&self, row: usize) -> impl Iterator<Item = u8> {
        let inner = self.chunks.rows.trailing_zeros() / 6;
        (0..inner).map(move |piece| (row >> (6 * piece) & 63) as u8)
    }
}

/// Puts the words of a list together to rows, tile by tile.
struct RowCollector<'a> {
    chunks: StepChunks,
    index: &'a TableIndex,
    tiles: Vec<TileRows>,
    tile: u32,
    rows: PackedRows,
    row: usize,
    lanes: u64,
    words: [u64; 64],
}

impl RowCollector<'_> {
    fn new(chunks: StepChunks, index: &TableIndex) -> RowCollector<'_> {
        let (tiles, rows) = (Vec::new(), PackedRows::default());
        RowCollector { chunks, index, tiles, tile: 0, rows, row: 0, lanes: 0, words: [0; 64] }
    }

    #[inline(always)]
    fn add(&mut self, tile: u32, word: usize, bits: u64) {
        // The width is a power of two.
        let row = word >> self.chunks.width.trailing_zeros();
        if tile != self.tile || row != self.row {
            self.end_row();
            if tile != self.tile {
                self.end_tile();
            }
            (self.tile, self.row) = (tile, row);
        }
        let lane = word & (self.chunks.width - 1);
        self.lanes |= 1 << lane;
        self.words[lane] = bits;
    }

    fn end_row(&mut self) {
        if self.lanes != 0 {
            self.rows.push(self.row, std::mem::take(&mut self.lanes), &self.words);
        }
    }

    fn end_tile(&mut self) {
        if self.rows.is_empty() {
            return;
        }
        let rows = self.rows.to_exact();
        self.rows.clear();
        let number = |chunk: usize| {
            let (white_king, first, second) = self.index.chunk_squares(self.tile, chunk);
            self.chunks.number(white_king, [first, second].into_iter())
        };
        let ranges = rows.chunk_ranges(self.chunks.rows).into_iter();
        let chunks = ranges.map(|(chunk, range)| (number(chunk), range)).collect();
        self.tiles.push(TileRows { rows, chunks });
    }

    fn finish(mut self) -> Vec<TileRows> {
        self.end_row();
        self.end_tile();
        self.tiles
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use plyfold_tables::index::TableAddress;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::super::result_lists::VisitWord;
    use super::super::shape::DimensionSquares;
    use super::*;

    /// A list of some words.
    struct SomeWords {
        index: TableIndex,
        words: BTreeMap<(u32, usize), u64>,
    }

    impl ResultLists for SomeWords {
        fn index(&self) -> &TableIndex {
            &self.index
        }

        fn last_level(&self, _: u32, _: ResultList) -> Result<Option<u16>, Error> {
            Ok(Some(3))
        }

        fn visit(&self, at: LevelList, needed: NeededWords, visit: VisitWord) -> Result<(), Error> {
            assert_eq!((at.list, at.level), (ResultList::Lost, 3));
            let needed = self.words.iter().filter(|((tile, _), _)| (needed.tile)(*tile));
            needed.for_each(|((tile, word), bits)| visit(*tile, *word, *bits));
            Ok(())
        }
    }

    /// Random words: some alone, some in rows with many.
    fn random_words(index: &TableIndex, random: &mut StdRng) -> BTreeMap<(u32, usize), u64> {
        let width = index.row_words();
        let mut words = BTreeMap::new();
        for _ in 0..3000 {
            let tile = random.random_range(0..index.tiles());
            let row = random.random_range(0..index.tile_words(tile) / width);
            for _ in 0..[1, 5, 90][random.random_range(0..3)] {
                let bits = random.random::<u64>() & random.random::<u64>() | 1 << random.random_range(0..64);
                words.insert((tile, row * width + random.random_range(0..width)), bits);
            }
        }
        words
    }

    /// The positions with the white king and the pieces on the squares of a word, before a step over `passed`.
    fn before(index: &TableIndex, (tile, word): (u32, usize), bits: u64, passed: u64) -> u64 {
        let at = TableAddress { pawn_slice: 0, tile, bit: (word as u64) << 6 };
        let squares = index.squares(at);
        let pieces = squares.pieces[..index.roles().len()].iter();
        let occupied = pieces.fold(1 << squares.white_king, |occupied: u64, square| occupied | 1 << square);
        if occupied & passed == 0 { bits & !passed } else { 0 }
    }

    #[test]
    fn a_step_takes_every_position_to_its_own_place() {
        let mut random = StdRng::seed_from_u64(12);
        for name in ["KPvK", "KPvKR", "KRPvK", "KRPvKR", "KPvKRN", "KQRPvK", "KRPvKBN", "KRBPvKN"] {
            let index = || TableIndex::new(name.parse().expect("a material"));
            let (index, lists) = (index(), SomeWords { words: random_words(&index(), &mut random), index: index() });
            let words = lists.words.clone();
            let lists: Arc<dyn ResultLists> = Arc::new(lists);
            for (to, passed) in [(25, 0), (25, 1 << 17), (38, 0), (38, 1 << 30)] {
                let pawns = PawnPlacement { white: 1 << to, black: 0 };
                if !PawnStep::keeps_places(&index, pawns) {
                    continue;
                }
                let mut step = PawnStep::new(&index, Some(Arc::clone(&lists)), pawns, passed).expect("lists in memory");
                assert!(!step.has_new());
                // The parts are read apart from each other, the last first.
                let end = step.tiles();
                let firsts: Vec<u32> = (0..end).step_by(end.div_ceil(3) as usize).collect();
                let read = firsts.iter().rev().flat_map(|&first| {
                    step.read(3, &(first..end.min(first + end.div_ceil(3)))).expect("lists in memory")
                });
                let read: Vec<TileRows> = read.collect();
                step.set_lost(read.into_iter());
                assert!(step.has_new() && step.lost.row_bytes() < step.bytes());

                let (rows, width) = (step.chunks.rows, step.chunks.width);
                let mut found = MarkedRows::new(rows, width);
                for tile in 0..index.tiles() {
                    for chunk in 0..index.tile_chunks(tile) {
                        let (white_king, first, second) = index.chunk_squares(tile, chunk);
                        let mut at = TableChunk { white_king, squares: DimensionSquares::default() };
                        at.squares[..2].copy_from_slice(&[first, second]);
                        step.add_predecessors(&at, &mut found, 0);
                        let of_chunk = chunk * rows * width;
                        let listed = words.range((tile, of_chunk)..(tile, of_chunk + rows * width));
                        let mut expected = vec![0; rows * width];
                        for (&(_, word), &bits) in listed {
                            expected[word - of_chunk] = before(&index, (tile, word), bits, passed);
                        }
                        assert!(found.words() == expected, "{name}, to {to} over {passed:#x}, {tile} {chunk}");
                        let marked =
                            |(at, word): (usize, &u64)| *word == 0 || found.lanes(at / width) >> (at % width) & 1 != 0;
                        assert!(expected.iter().enumerate().all(marked));
                        found.clear(0..rows);
                    }
                }
                assert!(step.read(4, &(0..end)).expect("no list").is_empty());
            }
        }
    }

    #[test]
    fn steps_keep_places_unless_lists_leave_positions_out() {
        let keeps = |name: &str, squares: &[u32]| {
            let index = TableIndex::new(name.parse().expect("a material"));
            let white = squares.iter().fold(0u64, |pawns, square| pawns | 1 << square);
            PawnStep::keeps_places(&index, PawnPlacement { white, black: 0 })
        };
        // Of b4 and g4, files have one.
        assert_ne!(keeps("KRPvKR", &[25]), keeps("KRPvKR", &[30]));
        // These pawns are their own mirror image.
        assert!(!keeps("KRPPvK", &[25, 30]) && (keeps("KRPPvK", &[25, 31]) || keeps("KRPPvK", &[24, 30])));
        // Two knights stand in one order.
        assert!(!keeps("KPvKNN", &[25]) && !keeps("KPvKNN", &[30]));
    }
}
