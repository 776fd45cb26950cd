//! The index of a table says which bit stands for a position.
//!
//! A table is divided into *pawn slices*, one for each placement of the pawns up to mirroring. Slices with more advanced pawns
//! come first, so every pawn move leads to an earlier slice or to another table. A material without pawns has one slice.
//!
//! A pawn slice is an array with a dimension for every piece that is not a pawn:
//! `[white king][W1][W2][inner pieces][black king]`. The squares of the black king, the innermost dimension, are the bits of one
//! `u64`. Without pawns, the white king has only ten squares (`k` in the drawing), by eightfold symmetry; with pawns it has all
//! 64, and the pawns are mirrored instead.
//!
//! ```text
//! . . . . . . . .
//! . . . . . . . .
//! . . . . . . . .
//! . . . . . . . .
//! . . . k . . . .
//! . . k k . . . .
//! . k k k . . . .
//! k k k k . . . .
//! ```
//!
//! The first two white pieces, W1 and W2, are the *outer* pieces, whose moves alternate in the leapfrog. All other pieces, among
//! them all black ones, are *inner* pieces; the words for fixed outer pieces are a *chunk* of `64^inner` words. The last piece
//! before the black king is the *lane*: the 64 words for its squares are a *row* and stand together.
//!
//! A pawn slice is cut into *tiles*, which are loaded and saved as a whole. A tile has a class of squares of the white king, a class
//! of squares of W1, a class of squares of W2, and all squares of the inner pieces. A class is closed under symmetry: if a king
//! move leaves the ten squares and turns the board, W1 and W2 stay in their classes. A small pawn slice is one tile.
//!
//! A position with identical pieces or with a symmetry has several addresses. Files hold *canonical positions* only: identical
//! pieces are in ascending order, and of the symmetric images the squares of white king, W1 and W2 are the least.

mod boards;
mod canonical;
mod pawns;
mod square_classes;

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use shakmaty::Role;

use super::material::TableMaterial;
use pawns::pawn_placements;
use square_classes::{CORNER, symmetry_orbits};

pub use pawns::PawnPlacement;
pub use square_classes::SquareClasses;

/// The most words of a pawn slice that is one tile: 2 MiB.
///
/// This is part of the file format: another number would give other bytes.
const MAX_SINGLE_TILE_WORDS: usize = 1 << 18;

/// The most pieces besides kings and pawns.
pub const MAX_PIECES: usize = 6;

/// The address of a position: a pawn slice, a tile, and a bit of the tile, which is the word times 64 plus the black king's square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableAddress {
    /// The number of the pawn slice.
    pub pawn_slice: u32,
    /// The number of the tile in the pawn slice.
    pub tile: u32,
    /// The number of the bit in the tile.
    pub bit: u64,
}

/// The squares of all pieces but pawns: white king, W1, W2, inner pieces, black king.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PieceSquares {
    /// The white king's.
    pub white_king: u8,
    /// Those of W1, W2 and the inner pieces, in the order of the dimensions; zero beyond their number.
    pub pieces: [u8; MAX_PIECES],
    /// The black king's.
    pub black_king: u8,
}

/// The shape of a table: its pawn slices, tiles and dimensions.
///
/// ```
/// use plyfold_tables::index::TableIndex;
/// use plyfold_tables::material::TableMaterial;
/// use shakmaty::Bitboard;
/// let material: TableMaterial = "KRvK".parse().expect("the name of a material");
/// let index = TableIndex::new(material);
/// assert_eq!((index.pawn_slices().len(), index.tiles(), index.pawn_slice_words()), (1, 1, 640));
/// let kings = index.king_classes().squares(0).iter().fold(0, |kings, square| kings | 1 << square);
/// assert_eq!(format!("\n{:?}", Bitboard(kings)), "
/// . . . . . . . .
/// . . . . . . . .
/// . . . . . . . .
/// . . . . . . . .
/// . . . 1 . . . .
/// . . 1 1 . . . .
/// . 1 1 1 . . . .
/// 1 1 1 1 . . . .
/// ");
/// ```
#[derive(Clone, Debug)]
pub struct TableIndex {
    material: TableMaterial,
    /// The roles of the pieces that have a dimension, White's first.
    roles: Vec<Role>,
    white_count: usize,
    outer_count: usize,
    pawn_slices: Vec<PawnPlacement>,
    by_pawns: BTreeMap<PawnPlacement, u32>,
    king_classes: SquareClasses,
    outer_classes: [SquareClasses; 2],
}

impl TableIndex {
    /// The index of a table: White is the winner.
    pub fn new(material: TableMaterial) -> TableIndex {
        let (white, black): (Vec<Role>, Vec<Role>) =
            (material.white.pieces().collect(), material.black.pieces().collect());
        let inner_white = usize::from(black.is_empty());
        let outer = white.len().saturating_sub(inner_white).min(2);
        let has_pawns = material.white.count(Role::Pawn) + material.black.count(Role::Pawn) > 0;
        let pawn_slices = pawn_placements(material.white, material.black);
        let by_pawns = (0..).zip(&pawn_slices).map(|(number, pawns)| (*pawns, number)).collect();
        let kings: Vec<u8> = if has_pawns { (0..64).collect() } else { CORNER.to_vec() };
        let words = kings.len() << (6 * (white.len() + black.len()));
        let is_one_tile = words <= MAX_SINGLE_TILE_WORDS;
        let classes = || match (is_one_tile, has_pawns) {
            (true, _) => SquareClasses::new(vec![(0..64).collect()]),
            (false, true) => SquareClasses::new((0..8).map(|rank| (8 * rank..8 * rank + 8).collect()).collect()),
            (false, false) => symmetry_orbits(),
        };
        let outers = [0, 1].map(|index| if index < outer { classes() } else { SquareClasses::single() });
        let kings = SquareClasses::new(if is_one_tile {
            vec![kings]
        } else {
            kings.into_iter().map(|king| vec![king]).collect()
        });
        let roles = white.iter().chain(&black).copied().collect();
        TableIndex {
            material,
            roles,
            white_count: white.len(),
            outer_count: outer,
            pawn_slices,
            by_pawns,
            king_classes: kings,
            outer_classes: outers,
        }
    }

    /// The material of the table; White is the winner.
    pub fn material(&self) -> TableMaterial {
        self.material
    }

    /// The placements of the pawns, most advanced first; an empty one for a material without pawns.
    pub fn pawn_slices(&self) -> &[PawnPlacement] {
        &self.pawn_slices
    }

    /// The pawn slice of a placement or of its mirror image, and whether it was mirrored.
    pub fn pawn_slice_of(&self, pawns: PawnPlacement) -> Option<(u32, bool)> {
        let mirrored = pawns.mirrored();
        let number = self.by_pawns.get(&pawns.min(mirrored))?;
        Some((*number, mirrored < pawns))
    }

    /// Returns whether the material has pawns.
    pub fn has_pawns(&self) -> bool {
        self.pawn_slices[0] != PawnPlacement::default()
    }

    /// The roles of the pieces that have a dimension: White's, then Black's; the last one is the lane.
    pub fn roles(&self) -> &[Role] {
        &self.roles
    }

    /// Returns how many of the [`roles`](Self::roles) are White's.
    pub fn white_count(&self) -> usize {
        self.white_count
    }

    /// The number of outer pieces: 0, 1 or 2.
    pub fn outer_count(&self) -> usize {
        self.outer_count
    }

    /// The number of inner pieces.
    pub fn inner_count(&self) -> usize {
        self.roles.len() - self.outer_count
    }

    /// The number of words of a chunk.
    pub fn chunk_words(&self) -> usize {
        1 << (6 * self.inner_count())
    }

    /// The number of words of a row: 64, or 1 if only kings have dimensions.
    pub fn row_words(&self) -> usize {
        if self.roles.is_empty() { 1 } else { 64 }
    }

    /// The classes of the white king's squares.
    pub fn king_classes(&self) -> &SquareClasses {
        &self.king_classes
    }

    /// The classes of the squares of W1 (0) or W2 (1). In a large table without pawns they are the ten orbits of the symmetries:
    ///
    /// ```
    /// use plyfold_tables::index::TableIndex;
    /// let index = TableIndex::new("KRBvKR".parse().expect("the name of a material"));
    /// let class = |square| index.outer_classes(0).find(square).expect("every square has a class").0.to_string();
    /// let ranks = (0..8).rev().map(|rank| (0..8).map(|file| class(8 * rank + file)).collect::<Vec<_>>().join(" "));
    /// assert_eq!(format!("\n{}\n", ranks.collect::<Vec<_>>().join("\n")), "
    /// 0 1 2 3 3 2 1 0
    /// 1 4 5 6 6 5 4 1
    /// 2 5 7 8 8 7 5 2
    /// 3 6 8 9 9 8 6 3
    /// 3 6 8 9 9 8 6 3
    /// 2 5 7 8 8 7 5 2
    /// 1 4 5 6 6 5 4 1
    /// 0 1 2 3 3 2 1 0
    /// ");
    /// ```
    pub fn outer_classes(&self, index: usize) -> &SquareClasses {
        &self.outer_classes[index]
    }

    /// The number of tiles of a pawn slice.
    pub fn tiles(&self) -> u32 {
        (self.king_classes.count() * self.outer_classes[0].count() * self.outer_classes[1].count()) as u32
    }

    /// The tile with these classes of the white king, of W1 and of W2.
    pub fn tile(&self, king: usize, w1: usize, w2: usize) -> u32 {
        ((king * self.outer_classes[0].count() + w1) * self.outer_classes[1].count() + w2) as u32
    }

    /// The classes of a tile: white king, W1, W2.
    pub fn classes(&self, tile: u32) -> (usize, usize, usize) {
        let (tile, seconds) = (tile as usize, self.outer_classes[1].count());
        let firsts = self.outer_classes[0].count();
        (tile / seconds / firsts, tile / seconds % firsts, tile % seconds)
    }

    /// The number of chunks of a tile.
    pub fn tile_chunks(&self, tile: u32) -> usize {
        let (king, w1, w2) = self.classes(tile);
        self.king_classes.squares(king).len()
            * self.outer_classes[0].squares(w1).len()
            * self.outer_classes[1].squares(w2).len()
    }

    /// The number of words of a tile.
    pub fn tile_words(&self, tile: u32) -> usize {
        self.tile_chunks(tile) * self.chunk_words()
    }

    /// The number of words of a pawn slice.
    pub fn pawn_slice_words(&self) -> usize {
        (0..self.tiles()).map(|tile| self.tile_words(tile)).sum()
    }

    /// The squares of white king, W1 and W2 in a chunk of a tile.
    pub fn chunk_squares(&self, tile: u32, chunk: usize) -> (u8, u8, u8) {
        let (king, w1, w2) = self.classes(tile);
        let (firsts, seconds) = (self.outer_classes[0].squares(w1), self.outer_classes[1].squares(w2));
        let kings = self.king_classes.squares(king);
        (
            kings[chunk / seconds.len() / firsts.len()],
            firsts[chunk / seconds.len() % firsts.len()],
            seconds[chunk % seconds.len()],
        )
    }

    /// The address of the pieces as they stand, with the pawns of `pawn_slice`; `None` if the white king's square has no class.
    pub fn address_as_given(&self, pawn_slice: u32, squares: &PieceSquares) -> Option<TableAddress> {
        let (king, king_slot) = self.king_classes.find(squares.white_king)?;
        let outer_squares = |index: usize| if index < self.outer_count { squares.pieces[index] } else { 0 };
        let ((w1, slot1), (w2, slot2)) =
            (self.outer_classes[0].find(outer_squares(0))?, self.outer_classes[1].find(outer_squares(1))?);
        let chunk = (king_slot * self.outer_classes[0].squares(w1).len() + slot1)
            * self.outer_classes[1].squares(w2).len()
            + slot2;
        let inner = self.outer_count..self.roles.len();
        let bit = inner.fold(chunk as u64, |at, piece| at << 6 | u64::from(squares.pieces[piece]));
        Some(TableAddress { pawn_slice, tile: self.tile(king, w1, w2), bit: bit << 6 | u64::from(squares.black_king) })
    }

    /// The squares of the pieces at an address.
    pub fn squares(&self, address: TableAddress) -> PieceSquares {
        let mut rest = address.bit;
        let mut next = || {
            let square = (rest & 63) as u8;
            rest >>= 6;
            square
        };
        let mut squares = PieceSquares { black_king: next(), ..PieceSquares::default() };
        for index in (self.outer_count..self.roles.len()).rev() {
            squares.pieces[index] = next();
        }
        let (king, w1, w2) = self.chunk_squares(address.tile, rest as usize);
        squares.white_king = king;
        for (index, square) in [w1, w2].into_iter().enumerate().take(self.outer_count) {
            squares.pieces[index] = square;
        }
        squares
    }
}
