//! One block of a traversal: White's moves first, then Black's step over the chunks with newly won positions. Where all tiles are in
//! memory, the moves of one phase are gathered for the other phase to go on with, so that Black's step is done once for both.

use std::ops::Range;

use plyfold_tables::index::TableIndex;
use plyfold_transform::symmetry::Symmetry;

use super::LeapfrogPhase;
use super::chunks::{Block, ChunkNumbers};
use super::level_lists::EncoderScratch;
use crate::Error;
use crate::retrograde::black::PawnSliceContext;
use crate::retrograde::geometry::{is_on_diagonal, king_step, to_corner};
use crate::retrograde::layout::ChunkLayout;
use crate::retrograde::newly_lost::{self, NewlyWon, NotWon};
use crate::retrograde::white;
use crate::rows::position_list::PositionList;
use crate::rows::{MarkedRows, PackedRows, lanes};
use crate::vectors::by_vectors;

/// The blocks of a pawn slice in one sub-cycle, or in one pass where all tiles are in memory.
pub struct BlockStep<'a> {
    /// The index of the table.
    pub index: &'a TableIndex,
    /// The pieces and conversions of the pawn slice.
    pub context: &'a PawnSliceContext<'a>,
    /// The numbers of its chunks.
    pub chunks: &'a ChunkNumbers,
    /// The moves that are applied.
    pub phase: LeapfrogPhase,
    /// The words of a chunk that are stored.
    pub layout: ChunkLayout,
    /// Whether conversions of White are applied, too.
    pub(super) with_white_conversions: bool,
    /// Whether conversions of Black are.
    pub(super) with_black_conversions: bool,
    /// Whether newly won positions are only gathered: they stay among those that are not won, and no position is lost.
    pub(super) is_gathering: bool,
    /// Whether the moves of the other phase are applied, too. It is for tables with one outer piece, which the first phase moves: then
    /// those of the second stay in a chunk, or come from lists of other blocks.
    pub(super) with_both_phases: bool,
}

/// Working memory for one block at a time.
pub struct BlockScratch {
    /// By the square of the piece that moves.
    newly_won: MarkedRows,
    candidates: MarkedRows,
    /// What blocks added to the lists.
    pub findings: BlockFindings,
    /// Rows of a folded chunk in both orders of the identical pieces.
    both_orders: MarkedRows,
    /// Rows of the mirror image of a chunk.
    mirrored: MarkedRows,
    /// For the lists of a tile.
    pub encoder: EncoderScratch,
    unfolded: Vec<u64>,
}

impl BlockScratch {
    /// Memory for the blocks of a table.
    #[must_use]
    pub fn new(index: &TableIndex) -> BlockScratch {
        let (rows, width) = (index.chunk_words() / index.row_words(), index.row_words());
        let chunks = if index.outer_count() > 0 { 64 } else { 1 };
        BlockScratch {
            newly_won: MarkedRows::new(chunks * rows, width),
            candidates: MarkedRows::new(rows, width),
            findings: BlockFindings::default(),
            both_orders: MarkedRows::default(),
            mirrored: MarkedRows::new(rows, width),
            encoder: EncoderScratch::default(),
            unfolded: Vec::new(),
        }
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(index: &TableIndex) -> u64 {
        let (words, chunks) = (index.chunk_words(), if index.outer_count() > 0 { 64 } else { 1 });
        (chunks + 3) * MarkedRows::bytes(words, index.row_words()) + 8 * words as u64
    }
}

/// What blocks added to the lists of won and lost positions.
#[derive(Default)]
pub struct BlockFindings {
    /// Newly won positions, chunk by chunk.
    pub won: PackedRows,
    /// Newly lost positions.
    pub lost: PackedRows,
    /// For each chunk with any: its number, and its rows of both.
    pub chunks: Vec<(usize, Range<usize>, Range<usize>)>,
}

impl BlockFindings {
    /// Takes what was found, and keeps the memory for the next blocks.
    pub fn take(&mut self) -> BlockFindings {
        let taken =
            BlockFindings { won: self.won.to_exact(), lost: self.lost.to_exact(), chunks: self.chunks.to_vec() };
        self.won.clear();
        self.lost.clear();
        self.chunks.clear();
        taken
    }

    /// Number of words that were found.
    #[must_use]
    pub fn word_count(&self) -> usize {
        self.won.word_count() + self.lost.word_count()
    }

    /// Bytes of the rows in memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.won.bytes() + self.lost.bytes()
    }

    /// Adds what was found to the lists.
    pub fn add_to(self, won: &mut PositionList, lost: &mut PositionList) {
        won.add(self.won, self.chunks.iter().map(|(chunk, rows, _)| (*chunk, rows.clone())));
        lost.add(self.lost, self.chunks.iter().map(|(chunk, _, rows)| (*chunk, rows.clone())));
    }
}

/// What a block is processed with.
#[derive(Clone, Copy)]
pub struct BlockInput<'a> {
    /// The positions lost at the level before, from which moves are taken back.
    pub lost: &'a PositionList,
    /// Newly won positions that the other phase has gathered.
    pub gathered: Option<&'a PositionList>,
}

/// The positions of a block that are not won, chunk by chunk.
pub trait NotWonChunks {
    /// The words of the chunk with the moving piece on a square.
    ///
    /// # Errors
    ///
    /// They cannot be loaded.
    fn chunk(&mut self, square: u8) -> Result<&mut [u64], Error>;

    /// Notes that the words of that chunk have changed.
    fn mark_changed(&mut self, square: u8);
}

impl<'a> BlockStep<'a> {
    /// The step for the blocks of a pawn slice, with conversions if any were decided in this cycle and they are asked for.
    #[must_use]
    pub fn new(
        (index, chunks, layout): (&'a TableIndex, &'a ChunkNumbers, ChunkLayout),
        context: &'a PawnSliceContext<'a>,
        phase: LeapfrogPhase,
        with_conversions: bool,
    ) -> BlockStep<'a> {
        BlockStep {
            index,
            context,
            chunks,
            phase,
            layout,
            with_white_conversions: with_conversions && context.conversions.has_new_white_conversions(),
            with_black_conversions: with_conversions && context.conversions.has_new_black_conversions(),
            is_gathering: false,
            with_both_phases: false,
        }
    }

    /// Processes a block: takes back moves from `input.lost`, and takes the newly won positions from those that are not won. What it
    /// finds is added to the findings of `scratch`. It uses the widest vectors that the processor has.
    ///
    /// # Errors
    ///
    /// `not_won` fails.
    pub fn process(
        &self,
        block: &Block,
        input: BlockInput,
        scratch: &mut BlockScratch,
        not_won: &mut impl NotWonChunks,
    ) -> Result<(), Error> {
        by_vectors(
            #[inline(always)]
            move || self.process_inline(block, input, scratch, not_won),
        )
    }

    #[inline(always)]
    fn process_inline(
        &self,
        block: &Block,
        input: BlockInput,
        scratch: &mut BlockScratch,
        not_won: &mut impl NotWonChunks,
    ) -> Result<(), Error> {
        let lost = input.lost;
        let (newly_won, first) = (&mut scratch.newly_won, scratch.findings.chunks.len());
        let is_free = |square: &usize| self.is_free(block, *square as u8);
        let requested = lanes(block.processed).filter(is_free).fold(0, |requested, square| requested | 1 << square);
        if requested == 0 {
            return Ok(());
        }
        if let Some(gathered) = input.gathered {
            self.add_gathered(block, requested, gathered, newly_won);
        }
        self.add_piece_moves(block, requested, lost, newly_won);
        self.add_king_moves(block, requested, lost, newly_won);
        if self.with_white_conversions {
            for square in lanes(requested).map(|square| square as u8) {
                let base = self.base(block, square);
                let chunk = block.chunk_at(square);
                white::conversion_predecessors(self.context, &chunk, self.layout, newly_won, base);
            }
        }
        for square in lanes(requested).map(|square| square as u8) {
            let base = self.base(block, square);
            self.process_chunk(block, square, scratch, not_won)?;
            scratch.newly_won.clear(base..base + self.context.row_count());
        }
        if !self.is_gathering && !self.index.has_pawns() && is_on_diagonal(block.chunk.white_king) {
            self.add_mirror_images(block, first, scratch);
        }
        Ok(())
    }

    /// The first row of a chunk among those of its block.
    #[inline(always)]
    fn base(&self, block: &Block, square: u8) -> usize {
        if block.is_moving { usize::from(square) * self.context.row_count() } else { 0 }
    }

    /// Whether the pieces of a chunk can stand on their squares.
    #[inline(always)]
    fn is_free(&self, block: &Block, square: u8) -> bool {
        let has_fixed = 1 - block.moving < self.context.outer_count;
        let pawns = self.context.shape.static_occupancy();
        let king = block.chunk.white_king;
        let is_sound = pawns >> king & 1 == 0 && (!has_fixed || block.fixed != king && pawns >> block.fixed & 1 == 0);
        is_sound
            && (!block.is_moving || square != king && (!has_fixed || square != block.fixed) && pawns >> square & 1 == 0)
    }

    /// Adds what the other phase has gathered.
    #[inline(always)]
    fn add_gathered(&self, block: &Block, requested: u64, gathered: &PositionList, newly_won: &mut MarkedRows) {
        for square in lanes(requested).map(|square| square as u8) {
            let number = self.chunks.in_block(self.phase, block.chunk.white_king, block.fixed, square);
            if !gathered.has(number) {
                continue;
            }
            let base = self.base(block, square);
            for (row, words) in gathered.rows(number) {
                words.add_to(newly_won.row_mut(base + row, words.lanes));
            }
        }
    }

    /// Adds what reaches the lost positions of a block by moves of the phase's white pieces.
    #[inline(always)]
    fn add_piece_moves(&self, block: &Block, requested: u64, lost: &PositionList, newly_won: &mut MarkedRows) {
        for square in 0..block.chunk_count() as u8 {
            let number = self.chunks.in_block(self.phase, block.chunk.white_king, block.fixed, square);
            if !lost.has(number) {
                continue;
            }
            let chunk = block.chunk_at(square);
            if block.is_moving {
                let movers = (block.moving, requested);
                white::outer_predecessors(self.context, &chunk, movers, lost.rows(number), newly_won);
            }
            if (self.phase == LeapfrogPhase::Second || self.with_both_phases) && requested >> square & 1 != 0 {
                let base = self.base(block, square);
                white::inner_predecessors(self.context, &chunk, lost.rows(number), newly_won, base);
            }
        }
    }

    /// Adds what reaches lost positions of other blocks by the phase's moves of the white king. All are of the second phase if there is
    /// only one outer piece.
    #[inline(always)]
    fn add_king_moves(&self, block: &Block, requested: u64, lost: &PositionList, newly_won: &mut MarkedRows) {
        let phase = if self.with_both_phases { LeapfrogPhase::Second } else { self.phase };
        for &by in phase.king_directions(self.index, block.chunk.white_king) {
            let Some(to) = king_step(block.chunk.white_king, by) else { continue };
            let symmetry = if self.index.has_pawns() { Symmetry::IDENTITY } else { to_corner(to) };
            let (there, back) = (symmetry.square(to), symmetry.inverse());
            let has_fixed = 1 - block.moving < self.context.outer_count;
            let fixed_there = if has_fixed { symmetry.square(block.fixed) } else { block.fixed };
            for square in lanes(requested).map(|square| square as u8) {
                let square_there = if block.is_moving { symmetry.square(square) } else { square };
                let number = self.chunks.in_block(self.phase, there, fixed_there, square_there);
                if lost.has(number) {
                    let base = self.base(block, square);
                    let place = (self.index.inner_count(), self.layout);
                    white::add_images(place, back, lost.rows(number), newly_won, base);
                }
            }
        }
    }

    /// Adds to what was found in a block, from the chunk number `first` on, that of the mirror images of its chunks, which are
    /// not processed.
    #[inline(always)]
    fn add_mirror_images(&self, block: &Block, first: usize, scratch: &mut BlockScratch) {
        let BlockScratch { findings, mirrored, .. } = scratch;
        let image = |square: u8| Symmetry::FLIP_D.square(square);
        for at in first..findings.chunks.len() {
            let (chunk, won, lost) = findings.chunks[at].clone();
            let square = self.chunks.block_of(self.phase, chunk).1 as u8;
            let of_image = self.chunks.in_block(self.phase, block.chunk.white_king, image(block.fixed), image(square));
            if of_image == chunk {
                continue;
            }
            let [won, lost] = [(&mut findings.won, won), (&mut findings.lost, lost)].map(|(list, rows)| {
                let (inner, first) = ((self.index.inner_count(), self.layout), list.len());
                white::add_images(inner, Symmetry::FLIP_D, list.rows(rows), mirrored, 0);
                let mut next = mirrored.next_live(0, mirrored.row_count());
                while let Some(row) = next {
                    list.push(row, mirrored.lanes(row), mirrored.row(row));
                    next = mirrored.next_live(row + 1, mirrored.row_count());
                }
                mirrored.clear(0..mirrored.row_count());
                first..list.len()
            });
            findings.chunks.push((of_image, won, lost));
        }
    }

    /// Takes the newly won positions of a chunk from those that are not won, and finds the positions that they make lost. If they are
    /// only gathered, it lists them and does no more.
    #[inline(always)]
    fn process_chunk(
        &self,
        block: &Block,
        square: u8,
        scratch: &mut BlockScratch,
        not_won: &mut impl NotWonChunks,
    ) -> Result<(), Error> {
        let BlockScratch { newly_won, candidates, findings, both_orders, unfolded, .. } = scratch;
        let (base, rows, width) = (self.base(block, square), self.context.row_count(), self.index.row_words());
        let with_conversions = self.with_black_conversions;
        let (won_before, lost_before) = (findings.won.len(), findings.lost.len());
        let mut next = newly_won.next_live(base, base + rows);
        if next.is_some() {
            let open = not_won.chunk(square)?;
            while let Some(at) = next {
                let row = at - base;
                let start = self.layout.row_start(row);
                let open = &mut open[start..start + width];
                let has_any = match self.is_gathering {
                    true => newly_won.keep_common(at, open),
                    false => newly_won.take_from(at, open),
                };
                if has_any {
                    findings.won.push_packed(row, newly_won.row_words(at));
                }
                next = newly_won.next_live(at + 1, base + rows);
            }
            if findings.won.len() > won_before && !self.is_gathering {
                not_won.mark_changed(square);
            }
        }
        if !self.is_gathering && (findings.won.len() > won_before || with_conversions) {
            let chunk = block.chunk_at(square);
            let mut new = NewlyWon { rows: newly_won, base, with_conversions };
            if self.layout == ChunkLayout::Folded {
                if both_orders.row_count() == 0 {
                    *both_orders = MarkedRows::new(rows, width);
                }
                self.layout.add_both_orders(newly_won, base, both_orders);
                new = NewlyWon { rows: both_orders, base: 0, with_conversions };
            }
            if newly_lost::find_candidates(self.context, &chunk, new, candidates) {
                let open = NotWon { words: not_won.chunk(square)?, layout: self.layout };
                newly_lost::take_lost(self.context, &chunk, open, candidates, (&mut findings.lost, unfolded));
            }
            both_orders.clear(0..both_orders.row_count());
        }
        let found = (won_before..findings.won.len(), lost_before..findings.lost.len());
        if !found.0.is_empty() || !found.1.is_empty() {
            let number = self.chunks.in_block(self.phase, block.chunk.white_king, block.fixed, square);
            findings.chunks.push((number, found.0, found.1));
        }
        Ok(())
    }
}
