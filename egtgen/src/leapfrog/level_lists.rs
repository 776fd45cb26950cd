//! The lists of a completed level, tile by tile, as files have them.

use plyfold_tables::codec;

use super::Leapfrog;
use super::chunks::{ChunkNumbers, processed_with};
use crate::rows::PackedRows;
use crate::rows::position_list::PositionList;
use crate::vectors::by_vectors;

/// The lists of one tile for the level that a traversal completed, compressed for a file.
pub struct TileLevelLists {
    /// The tile.
    pub tile: u32,
    /// Positions won at the level; empty if there are none.
    pub won: Vec<u8>,
    /// Positions lost at the level; empty if there are none.
    pub lost: Vec<u8>,
}

impl TileLevelLists {
    /// Returns whether both lists are empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.won.is_empty() && self.lost.is_empty()
    }
}

/// Working memory for one tile at a time.
#[derive(Default)]
pub struct EncoderScratch {
    canonical: Vec<(usize, u64)>,
    bytes: Vec<u8>,
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
    /// The totals if each position stands for this many.
    #[must_use]
    pub fn times(self, positions: u64) -> TraversalCounts {
        TraversalCounts { won: positions * self.won, lost: positions * self.lost, ..self }
    }

    /// Adds the totals of a part.
    pub fn add(&mut self, other: TraversalCounts) {
        self.won += other.won;
        self.lost += other.lost;
        self.touched_chunks += other.touched_chunks;
    }
}

impl Leapfrog<'_> {
    /// Compresses and counts the lists of a tile for the completed level, with the instructions that the processor has.
    pub(super) fn tile_level_lists(
        &self,
        chunks: &ChunkNumbers,
        (won, lost): (&PositionList, &PositionList),
        tile: u32,
        scratch: &mut EncoderScratch,
    ) -> (TileLevelLists, TraversalCounts) {
        by_vectors(
            #[inline(always)]
            move || {
                let (won, won_bytes, touched_chunks) = self.encode_tile(chunks, won, tile, scratch);
                let (lost, lost_bytes, _) = self.encode_tile(chunks, lost, tile, scratch);
                let lists = TileLevelLists { tile, won: won_bytes, lost: lost_bytes };
                (lists, TraversalCounts { won, lost, touched_chunks })
            },
        )
    }

    /// The number of a tile's positions on a list, its canonical words as a block, and the number of its chunks with positions.
    #[inline(always)]
    fn encode_tile(
        &self,
        chunks: &ChunkNumbers,
        list: &PositionList,
        tile: u32,
        scratch: &mut EncoderScratch,
    ) -> (u64, Vec<u8>, u64) {
        let (rows, width) = (self.index.chunk_words() / self.index.row_words(), self.index.row_words());
        let (mut positions, mut touched) = (0, 0);
        // PERF: without memory of its own, each thread waits for the allocator as long as it encodes.
        let EncoderScratch { canonical, bytes } = scratch;
        canonical.clear();
        bytes.clear();
        for (number, chunk) in chunks.of_tile(self.index, tile).enumerate().filter(|(_, chunk)| list.has(*chunk)) {
            let (white_king, first, second) = self.index.chunk_squares(tile, number);
            let stands_for = processed_with(self.index, white_king, [first, second]);
            if stands_for == 0 {
                continue;
            }
            let mut of_chunk = 0;
            list.for_each_row(
                chunk,
                #[inline(always)]
                |row, words| {
                    let row = number * rows + row;
                    let kept = self.canonical.in_row(tile, row);
                    for (lane, word) in words.iter() {
                        of_chunk += u64::from(word.count_ones());
                        if kept >> lane & 1 != 0 {
                            canonical.push((row * width + lane, word));
                        }
                    }
                },
            );
            touched += stands_for;
            positions += stands_for * of_chunk * self.index.weight(self.pawn_slice, white_king);
        }
        if !canonical.is_empty() {
            codec::encode(canonical.iter().copied(), bytes);
        }
        (positions, bytes.to_vec(), touched)
    }
}

/// The canonical words of a tile's rows, compressed as a block; empty if there are none.
pub fn encode_canonical(rows: &PackedRows, width: usize, is_canonical: impl Fn(usize) -> bool + Clone) -> Vec<u8> {
    let mut canonical = rows.words(width).filter(move |(word, _)| is_canonical(*word)).peekable();
    let mut out = Vec::new();
    if canonical.peek().is_some() {
        codec::encode(canonical, &mut out);
    }
    out
}
