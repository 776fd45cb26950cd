//! Numbers the chunks and blocks of a pawn slice.

use std::cmp::Ordering;

use plyfold_tables::index::TableIndex;
use plyfold_transform::symmetry::Symmetry;

use super::LeapfrogPhase;
use crate::retrograde::geometry::is_on_diagonal;
use crate::retrograde::shape::{DimensionSquares, TableChunk};

/// Numbers the chunks of a pawn slice: white king, W1, W2.
#[derive(Clone, Debug)]
pub struct ChunkNumbers {
    kings: Vec<u8>,
    king_numbers: [u8; 64],
    /// The squares of W1 and W2: 64, or 1 if there is no such piece.
    squares: [usize; 2],
}

/// A block: the chunks that differ only in the square of the outer piece that moves.
#[derive(Clone, Copy)]
pub struct Block {
    /// Where the white king and the other outer piece stand.
    pub chunk: TableChunk,
    /// The square of that other piece; if the table has none, 0.
    pub fixed: u8,
    /// The number of the outer piece that moves.
    pub moving: usize,
    /// Whether the table has such a piece. If not, the block is one chunk.
    pub is_moving: bool,
    /// The squares of that piece whose chunks are processed; see [`processed_with`].
    pub processed: u64,
}

/// Returns how many chunks are processed with the chunk of these squares of the white king and the outer pieces, itself included.
/// If the board has no pawns and the white king stands on the diagonal, a chunk and its mirror image in the diagonal have the same
/// positions; then it is 2 for one of both and 0 for the other.
#[must_use]
pub fn processed_with(index: &TableIndex, white_king: u8, outer: [u8; 2]) -> u64 {
    if index.has_pawns() || !is_on_diagonal(white_king) {
        return 1;
    }
    let outer = &outer[..index.outer_count()];
    match outer.iter().copied().cmp(outer.iter().map(|&square| Symmetry::FLIP_D.square(square))) {
        Ordering::Less => 2,
        Ordering::Equal => 1,
        Ordering::Greater => 0,
    }
}

impl Block {
    /// The block of a phase with the white king and the outer piece that does not move on these squares.
    #[must_use]
    pub fn new(index: &TableIndex, phase: LeapfrogPhase, white_king: u8, fixed: u8) -> Block {
        let moving = phase.moving_piece();
        let mut squares = DimensionSquares::default();
        if 1 - moving < index.outer_count() {
            squares[1 - moving] = fixed;
        }
        let is_moving = moving < index.outer_count();
        let chunks = 0..if is_moving { 64 } else { 1 };
        let outer = |square: u8| if moving == 0 { [square, fixed] } else { [fixed, square] };
        let is_processed = |square: &u8| processed_with(index, white_king, outer(*square)) > 0;
        let processed = chunks.filter(is_processed).fold(0, |set, square| set | 1 << square);
        Block { chunk: TableChunk { white_king, squares }, fixed, moving, is_moving, processed }
    }

    /// The number of its chunks.
    #[must_use]
    pub fn chunk_count(&self) -> usize {
        if self.is_moving { 64 } else { 1 }
    }

    /// The chunk with the moving piece on a square.
    #[inline(always)]
    #[must_use]
    pub fn chunk_at(&self, square: u8) -> TableChunk {
        let mut chunk = self.chunk;
        if self.is_moving {
            chunk.squares[self.moving] = square;
        }
        chunk
    }
}

impl ChunkNumbers {
    /// The numbers for a table.
    #[must_use]
    pub fn new(index: &TableIndex) -> ChunkNumbers {
        let classes = index.king_classes();
        let kings: Vec<u8> = (0..classes.count()).flat_map(|class| classes.squares(class).iter().copied()).collect();
        let mut king_numbers = [u8::MAX; 64];
        (0..).zip(&kings).for_each(|(number, king)| king_numbers[usize::from(*king)] = number);
        let squares = [0, 1].map(|outer| if outer < index.outer_count() { 64 } else { 1 });
        ChunkNumbers { kings, king_numbers, squares }
    }

    /// The number of squares of the white king.
    #[must_use]
    pub fn king_count(&self) -> usize {
        self.kings.len()
    }

    /// The number of a square of the white king.
    #[must_use]
    pub fn king_number(&self, square: u8) -> usize {
        usize::from(self.king_numbers[usize::from(square)])
    }

    /// The number of chunks.
    #[must_use]
    pub fn count(&self) -> usize {
        self.kings.len() * self.squares[0] * self.squares[1]
    }

    /// The number of the chunk with these squares of the white king, W1 and W2.
    #[inline(always)]
    #[must_use]
    pub fn number(&self, white_king: u8, outer: [u8; 2]) -> usize {
        let king = self.king_number(white_king);
        (king * self.squares[0] + usize::from(outer[0])) * self.squares[1] + usize::from(outer[1])
    }

    /// The same for a block of a phase: the square of the outer piece that stands still, and that of the one that moves.
    #[inline(always)]
    #[must_use]
    pub fn in_block(&self, phase: LeapfrogPhase, white_king: u8, fixed: u8, moving: u8) -> usize {
        self.number(white_king, if phase.moving_piece() == 0 { [moving, fixed] } else { [fixed, moving] })
    }

    /// The number of the chunk's block in a phase, and the chunk's number in the block.
    #[inline(always)]
    #[must_use]
    pub fn block_of(&self, phase: LeapfrogPhase, chunk: usize) -> (usize, usize) {
        // PERF: the numbers of squares are powers of two, but the compiler would divide, for each chunk in each pass.
        let [of_first, of_second] = self.squares.map(usize::trailing_zeros);
        let (king, first, second) = (
            chunk >> (of_first + of_second),
            chunk >> of_second & (self.squares[0] - 1),
            chunk & (self.squares[1] - 1),
        );
        let (fixed, moving) = if phase.moving_piece() == 0 { (second, first) } else { (first, second) };
        (king * self.squares[1 - phase.moving_piece()] + fixed, moving)
    }

    /// The number of blocks of a phase.
    #[must_use]
    pub fn blocks(&self, phase: LeapfrogPhase) -> usize {
        self.kings.len() * self.squares[1 - phase.moving_piece()]
    }

    /// A block of a phase by its number.
    #[must_use]
    pub fn block(&self, index: &TableIndex, phase: LeapfrogPhase, number: usize) -> Block {
        let fixed_squares = self.squares[1 - phase.moving_piece()];
        Block::new(index, phase, self.kings[number / fixed_squares], (number % fixed_squares) as u8)
    }

    /// The numbers of the chunks of a tile, in its order.
    pub fn of_tile<'a>(&'a self, index: &'a TableIndex, tile: u32) -> impl Iterator<Item = usize> + 'a {
        (0..index.tile_chunks(tile)).map(move |chunk| {
            let (white_king, first, second) = index.chunk_squares(tile, chunk);
            self.number(white_king, [first, second])
        })
    }
}
