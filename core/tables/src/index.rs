//! The index of a table: which bit stands for a position.
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

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use plyfold_transform::symmetry::Symmetry;
use shakmaty::{Bitboard, Board, Color, Piece, Role, Square};

use super::material::{SideMaterial, TableMaterial};

/// The most words of a pawn slice that is one tile: 2 MiB.
///
/// This is part of the file format: another number would give other bytes.
const MAX_SINGLE_TILE_WORDS: usize = 1 << 18;

/// The most pieces besides kings and pawns.
pub const MAX_PIECES: usize = 6;

/// The white king's squares where there are no pawns: a corner of the board, up to its diagonal.
const CORNER: [u8; 10] = [0, 1, 2, 3, 9, 10, 11, 18, 19, 27];

/// A placement of pawns, as sets of squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PawnPlacement {
    /// White's.
    pub white: u64,
    /// Black's.
    pub black: u64,
}

impl PawnPlacement {
    /// The mirror image, in which left and right change places.
    #[must_use]
    pub const fn mirrored(self) -> PawnPlacement {
        PawnPlacement { white: Symmetry::FLIP_H.bitboard(self.white), black: Symmetry::FLIP_H.bitboard(self.black) }
    }

    /// The squares of all pawns.
    pub const fn occupied(self) -> u64 {
        self.white | self.black
    }

    /// The sum of the ranks that the pawns still have before them. A placement never leads to another one with the same sum.
    pub fn remaining_steps(self) -> u32 {
        let white: u32 = Bitboard(self.white).into_iter().map(|square| 7 - u32::from(square.rank())).sum();
        white + Bitboard(self.black).into_iter().map(|square| u32::from(square.rank())).sum::<u32>()
    }
}

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

/// Classes of squares, and the place of each square in them.
#[derive(Clone, Debug)]
pub struct SquareClasses {
    classes: Vec<Vec<u8>>,
    /// Class and number in it, by square; the class is `NONE` for squares that have none.
    class_of: [(u8, u8); 64],
}

const NO_CLASS: u8 = u8::MAX;

impl SquareClasses {
    fn new(classes: Vec<Vec<u8>>) -> SquareClasses {
        let mut class_of = [(NO_CLASS, 0); 64];
        for (number, class) in (0..).zip(&classes) {
            for (slot, &square) in (0..).zip(class) {
                class_of[usize::from(square)] = (number, slot);
            }
        }
        SquareClasses { classes, class_of }
    }

    /// The single class of a piece that the material does not have.
    fn single() -> SquareClasses {
        SquareClasses::new(vec![vec![0]])
    }

    /// The number of classes.
    pub fn count(&self) -> usize {
        self.classes.len()
    }

    /// The squares of a class.
    pub fn squares(&self, class: usize) -> &[u8] {
        &self.classes[class]
    }

    /// The class of a square and the square's number in it; `None` if it has no class.
    pub fn find(&self, square: u8) -> Option<(usize, usize)> {
        let (class, slot) = self.class_of[usize::from(square)];
        (class != NO_CLASS).then_some((class.into(), slot.into()))
    }
}

/// The orbits of the squares under the eight symmetries, as ten classes.
fn symmetry_orbits() -> SquareClasses {
    let orbit = |corner: &u8| {
        let mut squares: Vec<u8> = Symmetry::ALL.iter().map(|symmetry| symmetry.square(*corner)).collect();
        squares.sort_unstable();
        squares.dedup();
        squares
    };
    SquareClasses::new(CORNER.iter().map(orbit).collect())
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

    /// Whether the material has pawns.
    pub fn has_pawns(&self) -> bool {
        self.pawn_slices[0] != PawnPlacement::default()
    }

    /// How many positions of the whole board a bit stands for: its symmetric images, which depend on the white king's square.
    /// Identical pieces are counted in every order.
    pub fn weight(&self, pawn_slice: u32, white_king: u8) -> u64 {
        let pawns = self.pawn_slices[pawn_slice as usize];
        match self.has_pawns() {
            true if pawns == pawns.mirrored() => 1,
            true => 2,
            false if white_king >> 3 == white_king & 7 => 4,
            false => 8,
        }
    }

    /// How many orders of identical pieces there are.
    pub fn permutations(&self) -> u64 {
        let factorial = |count: u8| (1..=u64::from(count)).product::<u64>();
        let for_side = |counts: SideMaterial| -> u64 {
            SideMaterial::ROLES
                .into_iter()
                .filter(|role| *role != Role::Pawn)
                .map(|role| factorial(counts.count(role)))
                .product()
        };
        for_side(self.material.white) * for_side(self.material.black)
    }

    /// The roles of the pieces that have a dimension: White's, then Black's; the last one is the lane.
    pub fn roles(&self) -> &[Role] {
        &self.roles
    }

    /// How many of the [`roles`](Self::roles) are White's.
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
        let bit = inner.fold(chunk as u64, |at, man| at << 6 | u64::from(squares.pieces[man]));
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

    /// The canonical position: the squares under which files hold it, with the pawns of `pawn_slice`.
    #[must_use]
    pub fn canonical(&self, pawn_slice: u32, squares: &PieceSquares) -> PieceSquares {
        let sorted = self.sort_identical(squares);
        let images = self.images(pawn_slice).iter();
        let images = images.map(|symmetry| self.sort_identical(&self.transformed(&sorted, *symmetry)));
        // Of equal images the first, so that a canonical position stays as it is.
        images.filter(|image| self.king_classes.find(image.white_king).is_some()).fold(sorted, |best, image| {
            let is_better = self.outer_squares(&image) < self.outer_squares(&best);
            if is_better || self.king_classes.find(best.white_king).is_none() { image } else { best }
        })
    }

    /// The squares after a symmetry.
    #[must_use]
    pub fn transformed(&self, squares: &PieceSquares, symmetry: Symmetry) -> PieceSquares {
        let mut transformed = PieceSquares {
            white_king: symmetry.square(squares.white_king),
            black_king: symmetry.square(squares.black_king),
            ..PieceSquares::default()
        };
        for index in 0..self.roles.len() {
            transformed.pieces[index] = symmetry.square(squares.pieces[index]);
        }
        transformed
    }

    /// The squares with identical pieces in ascending order.
    fn sort_identical(&self, squares: &PieceSquares) -> PieceSquares {
        let mut squares = *squares;
        let mut from = 0;
        while from < self.roles.len() {
            let to = (from + 1..self.roles.len()).find(|&man| !self.is_same_as_before(man)).unwrap_or(self.roles.len());
            squares.pieces[from..to].sort_unstable();
            from = to;
        }
        squares
    }

    /// The address under which files hold a position; `None` if the board has another material.
    pub fn canonical_address(&self, board: &Board) -> Option<TableAddress> {
        let pieces = |color: Color| board.by_color(color);
        if pieces(Color::White).count() != self.material.white.len() + 1
            || pieces(Color::Black).count() != self.material.black.len() + 1
        {
            return None;
        }
        let pawns = |color: Color| board.by_piece(Piece { color, role: Role::Pawn }).0;
        let (pawn_slice, is_mirrored) =
            self.pawn_slice_of(PawnPlacement { white: pawns(Color::White), black: pawns(Color::Black) })?;
        let mut squares = PieceSquares {
            white_king: board.king_of(Color::White)? as u8,
            black_king: board.king_of(Color::Black)? as u8,
            ..PieceSquares::default()
        };
        let mut at = 0;
        for (color, pieces) in [(Color::White, self.material.white), (Color::Black, self.material.black)] {
            for role in SideMaterial::ROLES.into_iter().filter(|role| *role != Role::Pawn) {
                let occupied = board.by_piece(Piece { color, role });
                if occupied.count() != usize::from(pieces.count(role)) {
                    return None;
                }
                for square in occupied {
                    squares.pieces[at] = square as u8;
                    at += 1;
                }
            }
        }
        if is_mirrored {
            squares = self.transformed(&squares, Symmetry::FLIP_H);
        }
        self.address_as_given(pawn_slice, &self.canonical(pawn_slice, &squares))
    }

    /// The board at an address; `None` if two pieces would stand on one square.
    pub fn board_at(&self, address: TableAddress) -> Option<Board> {
        let squares = self.squares(address);
        let pawns = self.pawn_slices[address.pawn_slice as usize];
        let mut board = Board::empty();
        let mut put = |square: u8, color: Color, role: Role| {
            let square = Square::new(square.into());
            let is_free = board.piece_at(square).is_none();
            board.set_piece_at(square, Piece { color, role });
            is_free
        };
        let mut is_sound = put(squares.white_king, Color::White, Role::King);
        is_sound &= put(squares.black_king, Color::Black, Role::King);
        for (index, &role) in self.roles.iter().enumerate() {
            is_sound &= put(squares.pieces[index], Color::from_white(index < self.white_count), role);
        }
        for (set, color) in [(pawns.white, Color::White), (pawns.black, Color::Black)] {
            for square in Bitboard(set) {
                is_sound &= put(square as u8, color, Role::Pawn);
            }
        }
        is_sound.then_some(board)
    }

    /// For the 64 words of a row, one bit each: whether the word holds canonical positions. `squares` has the squares of all
    /// pieces but the lane and the black king.
    ///
    /// Cost: some nanoseconds unless the white king stands on a line of symmetry; a table of seven men has more than a hundred million
    /// rows.
    pub fn canonical_words(&self, pawn_slice: u32, squares: &PieceSquares) -> u64 {
        let Some(last_piece) = self.roles.len().checked_sub(1) else {
            return u64::from(self.canonical(pawn_slice, squares).white_king == squares.white_king);
        };
        let in_order = self.lanes_in_order(squares);
        if in_order == 0 || self.king_classes.find(squares.white_king).is_none() {
            return 0;
        }
        let images = self.images(pawn_slice).iter().filter(|&&symmetry| {
            symmetry != Symmetry::IDENTITY && self.king_classes.find(symmetry.square(squares.white_king)).is_some()
        });
        // The outer pieces decide. If they are equal, both images are kept, and only the order of the inner pieces counts.
        let mut squares = *squares;
        let mut is_smallest = |lane: u8| {
            squares.pieces[last_piece] = lane;
            let own = self.outer_squares(&squares);
            images
                .clone()
                .all(|&symmetry| self.outer_squares(&self.sort_identical(&self.transformed(&squares, symmetry))) >= own)
        };
        if images.clone().next().is_none() {
            return in_order;
        }
        if !self.lane_may_be_outer() {
            return if is_smallest(0) { in_order } else { 0 };
        }
        Bitboard(in_order).into_iter().fold(0, |kept, lane| kept | u64::from(is_smallest(lane as u8)) << lane as u8)
    }

    /// The squares of the lane with which identical pieces stand in ascending order.
    fn lanes_in_order(&self, squares: &PieceSquares) -> u64 {
        let last_piece = self.roles.len() - 1;
        let below = |man: usize| self.is_same_as_before(man).then(|| squares.pieces[man - 1]);
        let others_are = (1..last_piece).all(|man| below(man).is_none_or(|below| squares.pieces[man] >= below));
        match below(last_piece) {
            _ if !others_are => 0,
            Some(below) => u64::MAX << below,
            None => u64::MAX,
        }
    }

    /// Whether the piece with this index has a piece before it, and has its colour and role.
    pub fn is_same_as_before(&self, man: usize) -> bool {
        man > 0 && man != self.white_count && self.roles[man - 1] == self.roles[man]
    }

    /// Whether the lane is identical to an outer piece, so that an image may swap them.
    fn lane_may_be_outer(&self) -> bool {
        self.outer_count > 0 && (self.outer_count..self.roles.len()).all(|man| self.is_same_as_before(man))
    }

    /// The white king and the outer pieces: of two images the one with the smaller squares is canonical.
    fn outer_squares(&self, squares: &PieceSquares) -> (u8, u8, u8) {
        let man = |index: usize| if index < self.outer_count { squares.pieces[index] } else { 0 };
        (squares.white_king, man(0), man(1))
    }

    /// The symmetries of a pawn slice.
    fn images(&self, pawn_slice: u32) -> &'static [Symmetry] {
        let pawns = self.pawn_slices[pawn_slice as usize];
        match self.has_pawns() {
            false => &Symmetry::ALL,
            true if pawns == pawns.mirrored() => &[Symmetry::IDENTITY, Symmetry::FLIP_H],
            true => &[],
        }
    }
}

/// All placements of the pawns up to mirroring, with the most advanced pawns first.
fn pawn_placements(white: SideMaterial, black: SideMaterial) -> Vec<PawnPlacement> {
    const SQUARES: u64 = 0x00FF_FFFF_FFFF_FF00;
    let mut placements = vec![PawnPlacement::default()];
    for (number, is_white) in [(white.count(Role::Pawn), true), (black.count(Role::Pawn), false)] {
        for _ in 0..number {
            let mut more = Vec::new();
            for pawns in placements {
                let own = if is_white { pawns.white } else { pawns.black };
                // Pawns of one side are added in ascending order, so each placement occurs once.
                let above = if own == 0 { SQUARES } else { SQUARES & !(u64::MAX >> own.leading_zeros()) };
                for square in Bitboard(above & !pawns.occupied()) {
                    let square = 1 << square as u8;
                    more.push(match is_white {
                        true => PawnPlacement { white: own | square, ..pawns },
                        false => PawnPlacement { black: own | square, ..pawns },
                    });
                }
            }
            placements = more;
        }
    }
    placements.retain(|pawns| *pawns <= pawns.mirrored());
    placements.sort_unstable_by_key(|pawns| (pawns.remaining_steps(), *pawns));
    placements
}
