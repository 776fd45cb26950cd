//! Generates one pawn slice of a table: initial positions, all cycles, then the bitmaps. The caller chooses the store for
//! the tiles and the sink for the lists.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use plyfold_tables::codec;
use plyfold_tables::index::{MAX_PIECES, PieceSquares, TableAddress, TableIndex};
use plyfold_tables::layout::{BlockKind, LevelTotals};
use plyfold_transform::symmetry::Symmetry;
use rayon::prelude::*;

use crate::Error;
use crate::leapfrog::canonical::CanonicalWords;
use crate::leapfrog::level_lists::{TileLevelLists, encode_canonical};
use crate::leapfrog::{Leapfrog, LeapfrogPhase, Tiles};
use crate::retrograde::black::{self, ChunkScratch, PawnSliceContext};
use crate::retrograde::conversion::{ConversionTables, identical_piece_permutations};
use crate::retrograde::geometry::beside;
use crate::retrograde::result_lists::{LevelList, NeededWords, ResultList, ResultLists, TableLibrary};
use crate::retrograde::shape::{ArrayShape, EndgamePiece, TableChunk};
use crate::rows::PackedRows;
use crate::store::TileState;
use crate::vectors::by_vectors;

/// How many parts of a list each thread reads, since some take longer than others.
const PARTS_PER_THREAD: u32 = 4;

/// Receives the blocks of a table, section by section. A section that has ended survives an interruption.
pub trait SectionSink: Send {
    /// Begins a section of a pawn slice.
    ///
    /// # Errors
    ///
    /// The block cannot be written.
    fn begin_section(&mut self, pawn_slice: u32) -> Result<(), Error>;

    /// Adds a block to the section.
    ///
    /// # Errors
    ///
    /// The block cannot be written.
    fn add_block(&mut self, kind: BlockKind, level: u16, tile: u32, bytes: &[u8]) -> Result<(), Error>;

    /// Ends the section. `levels` has its levels, and `is_last` says whether it is the last of the pawn slice. `legal` counts
    /// the legal positions of the pawn slice with White and with Black to move in its first section, and is zero in others.
    ///
    /// # Errors
    ///
    /// The block cannot be written.
    fn end_section(&mut self, levels: &[LevelTotals], legal: [u64; 2], is_last: bool) -> Result<(), Error>;
}

/// Progress after a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct CycleReport {
    /// Number of pawn slices of the table.
    pub pawn_slices: u32,
    /// The pawn slice.
    pub pawn_slice: u32,
    /// The level that the cycle completed.
    pub level: u16,
    /// Positions won at the level.
    pub won: u64,
    /// Positions lost at the level.
    pub lost: u64,
    /// Chunks with newly won positions.
    pub touched_chunks: u64,
    /// All chunks of the pawn slice.
    pub chunks: u64,
    /// Bytes of tiles read from and written to a scratch file so far.
    pub traffic: (u64, u64),
}

/// The context of the generation of a pawn slice: what it needs besides its table.
#[derive(Clone, Copy)]
pub struct GenerationContext<'a> {
    /// Smaller tables, and the complete pawn slices of this table.
    pub library: &'a dyn TableLibrary,
    /// Number of threads.
    pub threads: usize,
    /// Ends the work early when it becomes true.
    pub stop: &'a AtomicBool,
    /// Called after each cycle.
    pub on_cycle: &'a (dyn Fn(CycleReport) + Sync),
}

/// Generates one pawn slice.
pub struct PawnSliceGenerator<'a> {
    index: &'a TableIndex,
    pawn_slice: u32,
    shape: ArrayShape,
    conversions: ConversionTables,
    canonical: CanonicalWords,
    context: &'a GenerationContext<'a>,
}

/// The shape of a pawn slice's array.
#[must_use]
pub fn pawn_slice_shape(index: &TableIndex, pawn_slice: u32) -> ArrayShape {
    let pawns = index.pawn_slices()[pawn_slice as usize];
    let pieces = EndgamePiece::of_table(index);
    ArrayShape { pieces, white_pawns: pawns.white, black_pawns: pawns.black, fixed: None }
}

/// Returns whether Black can take en passant after a double step of White into this pawn slice. Its stalemates must then be stored,
/// since such a capture can end a stalemate.
#[must_use]
pub fn needs_stalemates(index: &TableIndex, pawn_slice: u32) -> bool {
    let pawns = index.pawn_slices()[pawn_slice as usize];
    beside(pawns.white & 0xFF00_0000) & pawns.black != 0
}

impl<'a> PawnSliceGenerator<'a> {
    /// Prepares a pawn slice. The tables and pawn slices that it converts into must exist.
    ///
    /// # Errors
    ///
    /// A table is missing or damaged.
    pub fn new(
        index: &'a TableIndex,
        pawn_slice: u32,
        context: &'a GenerationContext<'a>,
    ) -> Result<PawnSliceGenerator<'a>, Error> {
        let conversions = ConversionTables::new(index, pawn_slice, context.library)?;
        Ok(PawnSliceGenerator {
            index,
            pawn_slice,
            shape: pawn_slice_shape(index, pawn_slice),
            conversions,
            canonical: CanonicalWords::new(index, pawn_slice),
            context,
        })
    }

    /// Generates the pawn slice from the start. `tiles` must be empty.
    ///
    /// # Errors
    ///
    /// The tiles, the sink or the library fails, or [`Error::Stopped`].
    pub fn run(&mut self, tiles: &dyn Tiles, sink: &mut dyn SectionSink) -> Result<(), Error> {
        let mut section = SectionWriter::begin(self.index, self.pawn_slice, sink)?;
        let (legal, lost) = self.initialize_tiles(tiles, &mut section)?;
        section.levels.push(LevelTotals { n: 0, won: 0, lost: lost / self.index.permutations() });
        section.legal = legal.map(|positions| positions / self.index.permutations());
        section.end_cycle()?;
        self.run_cycles(tiles, 0, section)
    }

    /// Resumes after the last complete level, from the lists written so far. `tiles` must be empty.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn resume(
        &mut self,
        tiles: &dyn Tiles,
        level: u16,
        lists: &dyn ResultLists,
        sink: &mut dyn SectionSink,
    ) -> Result<(), Error> {
        for level in 0..level {
            self.conversions.advance_tables(level)?;
        }
        for kings in 0..self.index.king_classes().count() {
            for first in 0..self.index.outer_classes(0).count() {
                self.restore_tiles(tiles, (kings, first), level, lists)?;
            }
        }
        tiles.end_put()?;
        let section = SectionWriter::begin(self.index, self.pawn_slice, sink)?;
        // If the last cycle is complete, only the bitmaps are missing. Another cycle would find nothing and write an empty
        // section.
        let last = lists.last_level(self.pawn_slice, ResultList::Lost)?;
        if level > 0 && last.is_none_or(|last| last < level) && !self.conversions.has_more(level) {
            return self.write_bitmaps(tiles, section);
        }
        self.run_cycles(tiles, level, section)
    }

    fn run_cycles(&mut self, tiles: &dyn Tiles, mut level: u16, mut section: SectionWriter) -> Result<(), Error> {
        let orders = self.index.permutations();
        let chunks = (0..self.index.tiles()).map(|tile| self.index.tile_chunks(tile) as u64).sum();
        tiles.begin_first_level(&self.leapfrog(), LeapfrogPhase::completing(level))?;
        loop {
            self.advance_conversions(level)?;
            level += 1;
            let phase = LeapfrogPhase::completing(level);
            let tally = tiles.complete_level(&self.leapfrog(), phase, &mut |found: TileLevelLists| {
                if !found.won.is_empty() {
                    section.sink.add_block(BlockKind::Won, level, found.tile, &found.won)?;
                }
                if !found.lost.is_empty() {
                    section.sink.add_block(BlockKind::Lost, level, found.tile, &found.lost)?;
                }
                Ok(())
            })?;
            let level_counts = LevelTotals { n: level, won: tally.won / orders, lost: tally.lost / orders };
            section.levels.push(level_counts);
            let is_finished = tally.lost == 0 && !self.conversions.has_more(level);
            (self.context.on_cycle)(CycleReport {
                pawn_slices: self.index.pawn_slices().len() as u32,
                pawn_slice: self.pawn_slice,
                level,
                won: level_counts.won,
                lost: level_counts.lost,
                touched_chunks: tally.touched_chunks,
                chunks,
                traffic: tiles.traffic(),
            });
            section.end_cycle()?;
            if is_finished {
                break;
            }
        }
        self.write_bitmaps(tiles, section)
    }

    /// Advances all conversions to the next cycle. Where the pawn slice has several tiles, all threads read the lists after steps of
    /// pawns, which are the longest.
    fn advance_conversions(&mut self, level: u16) -> Result<(), Error> {
        let tiles = self.index.tiles();
        if tiles == 1 || self.context.threads == 1 {
            return self.conversions.advance(level);
        }
        self.conversions.advance_tables(level)?;
        let part = tiles.div_ceil(PARTS_PER_THREAD * self.context.threads as u32) as usize;
        for step in &mut self.conversions.white_pawn_steps {
            let parts: Vec<Range<u32>> =
                (0..tiles).step_by(part).map(|first| first..tiles.min(first + part as u32)).collect();
            let read = parts.par_iter().map(|tiles| step.read(level, tiles)).collect::<Result<Vec<_>, _>>()?;
            step.set_lost(read.into_iter().flatten());
        }
        Ok(())
    }

    /// Restores the tiles of a class of kings and a class of W1 to their state when `level` was complete.
    fn restore_tiles(
        &self,
        tiles: &dyn Tiles,
        (kings, first): (usize, usize),
        level: u16,
        lists: &dyn ResultLists,
    ) -> Result<(), Error> {
        let is_restored =
            |tile: &u32| matches!(self.index.classes(*tile), (king, w1, _) if (king, w1) == (kings, first));
        let numbers: Vec<u32> = (0..self.index.tiles()).filter(is_restored).collect();
        let mut contents: Vec<TileState> = numbers
            .par_iter()
            .map(|&tile| TileState { not_won: self.legal_white_to_move(tile), ..TileState::default() })
            .collect();
        let mut lost: Vec<BTreeMap<usize, u64>> = vec![BTreeMap::new(); numbers.len()];
        let pawns = self.index.pawn_slices()[self.pawn_slice as usize];
        let symmetries: &[Symmetry] = match self.index.has_pawns() {
            false => &Symmetry::ALL,
            true if pawns == pawns.mirrored() => &[Symmetry::IDENTITY, Symmetry::FLIP_H],
            true => &[Symmetry::IDENTITY],
        };
        let permutations = identical_piece_permutations(&self.shape.pieces, &self.shape.pieces, None);
        // A position that files leave out has its canonical image among the same kings, or those on the mirrored square. No
        // symmetry changes the class of an outer piece, but W1 may be any of the pieces that are identical to it.
        let becomes_first: Vec<usize> =
            permutations.iter().filter_map(|order| order.iter().position(|&piece| piece == 0)).collect();
        let is_near = |tile: u32| {
            let of = |class: usize| self.index.king_classes().squares(class).iter();
            let (class, w1, w2) = self.index.classes(tile);
            let outer_classes = &[w1, w2][..self.index.outer_count()];
            of(class).any(|king| of(kings).any(|other| symmetries.iter().any(|by| by.square(*king) == *other)))
                && (outer_classes.is_empty()
                    || becomes_first.iter().any(|&piece| outer_classes.get(piece).is_none_or(|&class| class == first)))
        };
        for (list, level) in (1..=level).map(|level| (ResultList::Won, level)).chain([(ResultList::Lost, level)]) {
            let at = LevelList { pawn_slice: self.pawn_slice, list, level };
            lists.visit(at, NeededWords::of_tiles(&is_near), &mut |tile, word, bits| {
                let squares =
                    self.index.squares(TableAddress { pawn_slice: self.pawn_slice, tile, bit: (word as u64) << 6 });
                for symmetry in symmetries {
                    let turned = self.index.transformed(&squares, *symmetry);
                    for order in &permutations {
                        let mut image_squares = [0; MAX_PIECES];
                        for piece in 0..self.shape.pieces.len() {
                            image_squares[order[piece]] = turned.pieces[piece];
                        }
                        let image =
                            PieceSquares { white_king: turned.white_king, pieces: image_squares, black_king: 0 };
                        let Some(place) = self.index.address_as_given(self.pawn_slice, &image) else { continue };
                        let Ok(at) = numbers.binary_search(&place.tile) else { continue };
                        let (word, bits) = ((place.bit >> 6) as usize, symmetry.bitboard(bits));
                        if list == ResultList::Won {
                            contents[at].not_won[word] &= !bits;
                        } else {
                            *lost[at].entry(word).or_insert(0) |= bits;
                        }
                    }
                }
            })?;
        }
        let (leapfrog, width) = (self.leapfrog(), self.index.row_words());
        numbers.into_iter().zip(contents).zip(lost).try_for_each(|((tile, content), lost)| {
            tiles.put(&leapfrog, tile, TileState { lost: PackedRows::from_words(lost.into_iter(), width), ..content })
        })
    }

    fn leapfrog(&self) -> Leapfrog<'_> {
        Leapfrog {
            index: self.index,
            pawn_slice: self.pawn_slice,
            context: self.pawn_slice_context(),
            canonical: &self.canonical,
            threads: self.context.threads,
            stop: self.context.stop,
        }
    }

    fn pawn_slice_context(&self) -> PawnSliceContext<'_> {
        PawnSliceContext { shape: &self.shape, outer_count: self.index.outer_count(), conversions: &self.conversions }
    }

    /// Initializes all tiles with their legal positions and mates. Gives the numbers of legal positions with White and Black
    /// to move and of mates, identical pieces in every order.
    fn initialize_tiles(&self, tiles: &dyn Tiles, section: &mut SectionWriter) -> Result<([u64; 2], u64), Error> {
        let mut sums = ([0, 0], 0);
        let leapfrog = self.leapfrog();
        let numbers: Vec<u32> = (0..self.index.tiles()).collect();
        for numbers in numbers.chunks(2 * self.context.threads) {
            let initial_tile = |&tile: &u32| {
                by_vectors(
                    #[inline(always)]
                    move || self.initial_tile(tile),
                )
            };
            let initial_tiles: Vec<_> = numbers.par_iter().map(initial_tile).collect();
            for (&tile, (content, stale, legal)) in numbers.iter().zip(initial_tiles) {
                sums.1 += self.count_positions(tile, &content.lost);
                sums.0[0] += legal[0];
                sums.0[1] += legal[1];
                let width = self.index.row_words();
                for (kind, rows) in [(BlockKind::Lost, &content.lost), (BlockKind::Stalemate, &stale)] {
                    let bytes = encode_canonical(rows, width, |word| self.canonical.is_canonical(tile, word, width));
                    if !bytes.is_empty() {
                        section.sink.add_block(kind, 0, tile, &bytes)?;
                    }
                }
                tiles.put(&leapfrog, tile, content)?;
            }
        }
        tiles.end_put()?;
        Ok(sums)
    }

    fn count_positions(&self, tile: u32, rows: &PackedRows) -> u64 {
        let words = self.index.chunk_words();
        let weighed = rows.words(self.index.row_words()).map(|(word, set)| {
            let king = self.index.chunk_squares(tile, word / words).0;
            u64::from(set.count_ones()) * self.index.weight(self.pawn_slice, king)
        });
        weighed.sum()
    }

    /// The initial state of a tile, its stalemates if they are needed, and the numbers of its legal positions.
    #[inline(always)]
    fn initial_tile(&self, tile: u32) -> (TileState, PackedRows, [u64; 2]) {
        let (words, chunks) = (self.index.chunk_words(), self.index.tile_chunks(tile));
        let width = self.index.row_words();
        let slice = self.pawn_slice_context();
        let mut content = TileState { not_won: self.legal_white_to_move(tile), ..TileState::default() };
        let mut stalemates = PackedRows::default();
        let wants_stalemates = needs_stalemates(self.index, self.pawn_slice);
        let mut legal = [0, 0];
        let (mut scratch, mut stuck) = (ChunkScratch::default(), vec![0; words]);
        let (mut attacked, mut closed) = ([0; 64], [0; 64]);
        for number in 0..chunks {
            let open = &content.not_won[number * words..(number + 1) * words];
            let chunk = self.chunk(tile, number);
            let weight = self.index.weight(self.pawn_slice, chunk.white_king);
            let count = |words: &[u64]| words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>() * weight;
            legal[0] += count(open);
            for spot in (0..slice.row_count()).filter_map(|row| slice.row_placement(&chunk, row)) {
                self.shape.legal_black_to_move(chunk.white_king, &spot.squares, spot.occupied, &mut closed[..width]);
                legal[1] += count(&closed[..width]);
            }
            if !black::find_stuck(&slice, &chunk, open, &mut scratch, &mut stuck) {
                continue;
            }
            for (row, stuck) in stuck.chunks_exact(width).enumerate() {
                let squares = slice.squares_in_row(&chunk, row);
                let Some(occupied) = self.shape.occupied(chunk.white_king, &squares) else { continue };
                self.shape.attacked(chunk.white_king, &squares, occupied, &mut attacked[..width]);
                let mut mates = [0; 64];
                let mut stale = [0; 64];
                for (lane, (stuck, attacked)) in stuck.iter().zip(&attacked).enumerate() {
                    mates[lane] = stuck & attacked;
                    stale[lane] = stuck & !attacked;
                }
                let (number, all) = (number * slice.row_count() + row, u64::MAX >> (64 - width));
                content.lost.push(number, all, &mates);
                if wants_stalemates {
                    stalemates.push(number, all, &stale);
                }
            }
        }
        (content, stalemates, legal)
    }

    fn chunk(&self, tile: u32, number: usize) -> TableChunk {
        let bit = (number * self.index.chunk_words() * 64) as u64;
        let squares = self.index.squares(TableAddress { pawn_slice: self.pawn_slice, tile, bit });
        TableChunk { white_king: squares.white_king, squares: squares.pieces }
    }

    /// The legal positions of a tile with White to move.
    #[inline(always)]
    fn legal_white_to_move(&self, tile: u32) -> Vec<u64> {
        let (words, chunks) = (self.index.chunk_words(), self.index.tile_chunks(tile));
        let width = self.index.row_words();
        let slice = self.pawn_slice_context();
        let mut legal = vec![0; words * chunks];
        for (number, legal) in legal.chunks_exact_mut(words).enumerate() {
            let chunk = self.chunk(tile, number);
            for (row, legal) in legal.chunks_exact_mut(width).enumerate() {
                self.shape.legal_row_white_to_move(chunk.white_king, &slice.squares_in_row(&chunk, row), legal);
            }
        }
        legal
    }

    /// The canonical won positions of a tile as a bitmap; empty if there are none.
    #[inline(always)]
    fn won_bitmap(&self, tile: u32, not_won: &[u64]) -> Vec<u8> {
        let mut won = self.legal_white_to_move(tile);
        let width = self.index.row_words();
        for (row, (won, open)) in won.chunks_exact_mut(width).zip(not_won.chunks_exact(width)).enumerate() {
            let kept = self.canonical.in_row(tile, row);
            for (lane, (won, open)) in won.iter_mut().zip(open).enumerate() {
                *won &= !open & (kept >> lane & 1).wrapping_neg();
            }
        }
        let mut bytes = Vec::new();
        if won.iter().any(|&word| word != 0) {
            codec::encode_bitmap(&won, &mut bytes);
        }
        bytes
    }

    /// Ends the pawn slice after its last cycle: writes all won positions as bitmaps.
    fn write_bitmaps(&self, tiles: &dyn Tiles, mut section: SectionWriter) -> Result<(), Error> {
        let leapfrog = self.leapfrog();
        let numbers: Vec<u32> = (0..self.index.tiles()).collect();
        for numbers in numbers.chunks(2 * self.context.threads) {
            let encode = |&tile: &u32| {
                let not_won = tiles.not_won(&leapfrog, tile)?;
                Ok(by_vectors(
                    #[inline(always)]
                    || self.won_bitmap(tile, &not_won),
                ))
            };
            let encoded = numbers.par_iter().map(encode).collect::<Result<Vec<_>, Error>>()?;
            for (&tile, bytes) in numbers.iter().zip(&encoded).filter(|(_, bytes)| !bytes.is_empty()) {
                section.sink.add_block(BlockKind::Bitmap, 0, tile, bytes)?;
            }
        }
        section.end(true)
    }
}

/// Writes the sections of a pawn slice: one for each cycle, or a single one if the pawn slice has one tile.
struct SectionWriter<'a> {
    sink: &'a mut dyn SectionSink,
    pawn_slice: u32,
    levels: Vec<LevelTotals>,
    legal: [u64; 2],
    is_small: bool,
}

impl<'a> SectionWriter<'a> {
    /// Begins the first section.
    fn begin(index: &TableIndex, pawn_slice: u32, sink: &'a mut dyn SectionSink) -> Result<SectionWriter<'a>, Error> {
        sink.begin_section(pawn_slice)?;
        Ok(SectionWriter { sink, pawn_slice, levels: Vec::new(), legal: [0, 0], is_small: index.tiles() == 1 })
    }

    /// Ends the section of a cycle.
    fn end_cycle(&mut self) -> Result<(), Error> {
        if self.is_small {
            return Ok(());
        }
        self.end(false)?;
        self.sink.begin_section(self.pawn_slice)
    }

    fn end(&mut self, is_last: bool) -> Result<(), Error> {
        let legal = std::mem::take(&mut self.legal);
        self.sink.end_section(&std::mem::take(&mut self.levels), legal, is_last)
    }
}
