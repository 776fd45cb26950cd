//! Where a position stands in a table.
//!
//! A table is cut in *cells*, one for each placement of the pawns up to mirroring, most advanced pawns first: every pawn
//! move leads to an earlier cell or to another table. A material without pawns is one cell.
//!
//! A cell is an array with a dimension for every man that is not a pawn: `[white king][W1][W2][inner men][black king]`.
//! The innermost, the black king, is the bits of one `u64`. The white king has ten squares (a1 to d1 to d4) where there
//! are no pawns, by eightfold symmetry; with pawns it has all 64, and the pawns are mirrored instead.
//! The first two white men are the *outer* ones, whose moves alternate in the leapfrog; all other men, the black ones
//! first of all, are *inner*: their squares for fixed outer men are a *chunk* of `64^inner` words.
//! The last man before the black king is the *lane*: words of 64 lanes are a *row*, and stand together.
//!
//! A cell is cut in *tiles*, the units that travel to a file and back: a tile is a class of white king squares, a class
//! of squares of W1, a class of squares of W2, and everything inside. A class is closed under symmetry, so a king move
//! that leaves the ten squares, and turns the board, stays in the tiles of its W1 and W2. Small cells are one tile.
//!
//! A position with identical men or on the axis of a symmetry has several places. Files hold the *kept* ones:
//! identical men ascending, and of the images the one with the least squares of white king, W1, W2.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{Bitboard, Board, Color, Piece, Role, Square};

use super::material::{SideMaterial, TableMaterial};
use crate::transform::symmetry::Symmetry;

/// Cells of at most so many words are one tile.
const MAX_SINGLE_TILE_WORDS: usize = 1 << 18;

/// At most so many men besides kings and pawns.
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
    /// The mirror image.
    #[must_use]
    pub const fn mirrored(self) -> PawnPlacement {
        PawnPlacement { white: Symmetry::FLIP_H.bitboard(self.white), black: Symmetry::FLIP_H.bitboard(self.black) }
    }

    /// All of them.
    #[must_use]
    pub const fn occupied(self) -> u64 {
        self.white | self.black
    }

    /// Ranks that these pawns still have before them, in all. Placements with equal numbers do not lead to each other.
    #[must_use]
    pub fn remaining_steps(self) -> u32 {
        let white: u32 = Bitboard(self.white).into_iter().map(|square| 7 - u32::from(square.rank())).sum();
        white + Bitboard(self.black).into_iter().map(|square| u32::from(square.rank())).sum::<u32>()
    }
}

/// Where a position stands: a cell, a tile of it, and a bit of that: word times 64 plus the black king's square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableAddress {
    /// Which cell.
    pub pawn_slice: u32,
    /// Which tile of the cell.
    pub tile: u32,
    /// Which bit of the tile.
    pub bit: u64,
}

/// Squares of all men that are not pawns: white king, W1, W2, inner men, black king.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PieceSquares {
    /// The white king's.
    pub white_king: u8,
    /// Those of the men in the order of the dimensions; zero beyond their number.
    pub pieces: [u8; MAX_PIECES],
    /// The black king's.
    pub black_king: u8,
}

/// The shape of a table: cells, tiles, dimensions.
#[derive(Clone, Debug)]
pub struct TableIndex {
    material: TableMaterial,
    /// Roles of the men that have a dimension, white ones first.
    roles: Vec<Role>,
    white_count: usize,
    outer_count: usize,
    pawn_slices: Vec<PawnPlacement>,
    by_pawns: BTreeMap<PawnPlacement, u32>,
    king_classes: SquareClasses,
    outer_classes: [SquareClasses; 2],
}

/// Classes of squares, and where each square is in them.
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

    /// The one class of a man that is not there.
    fn single() -> SquareClasses {
        SquareClasses::new(vec![vec![0]])
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there are none; never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The squares of a class.
    #[must_use]
    pub fn squares(&self, class: usize) -> &[u8] {
        &self.classes[class]
    }

    /// The class of a square and its number there; `None` for a square of no class.
    #[must_use]
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
    #[must_use]
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

    /// Of which material; White is the winner.
    #[must_use]
    pub fn material(&self) -> TableMaterial {
        self.material
    }

    /// Placements of the pawns, most advanced first; one for a material without pawns.
    #[must_use]
    pub fn pawn_slices(&self) -> &[PawnPlacement] {
        &self.pawn_slices
    }

    /// The cell of a placement, mirrored if need be, and whether it was mirrored.
    #[must_use]
    pub fn pawn_slice_of(&self, pawns: PawnPlacement) -> Option<(u32, bool)> {
        let mirrored = pawns.mirrored();
        let number = self.by_pawns.get(&pawns.min(mirrored))?;
        Some((*number, mirrored < pawns))
    }

    /// Whether any man is a pawn.
    #[must_use]
    pub fn has_pawns(&self) -> bool {
        self.pawn_slices[0] != PawnPlacement::default()
    }

    /// Positions of the whole board that a bit stands for, by the white king's square: 8 for two mirrored halves of four,
    /// and so on. Identical men are counted in every order.
    #[must_use]
    pub fn weight(&self, pawn_slice: u32, white_king: u8) -> u64 {
        let pawns = self.pawn_slices[pawn_slice as usize];
        match self.has_pawns() {
            true if pawns == pawns.mirrored() => 1,
            true => 2,
            false if white_king >> 3 == white_king & 7 => 4,
            false => 8,
        }
    }

    /// Orders in which identical men are counted.
    #[must_use]
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

    /// The roles of the men that have a dimension: white ones, then black ones; the last is the lane.
    #[must_use]
    pub fn roles(&self) -> &[Role] {
        &self.roles
    }

    /// How many of the [`roles`](Self::roles) are White's.
    #[must_use]
    pub fn white_count(&self) -> usize {
        self.white_count
    }

    /// How many white men are outer: 0, 1 or 2.
    #[must_use]
    pub fn outer_count(&self) -> usize {
        self.outer_count
    }

    /// How many men are inner.
    #[must_use]
    pub fn inner_count(&self) -> usize {
        self.roles.len() - self.outer_count
    }

    /// Words of a chunk.
    #[must_use]
    pub fn chunk_words(&self) -> usize {
        1 << (6 * self.inner_count())
    }

    /// Words of a row: 64, or one where only kings move.
    #[must_use]
    pub fn row_words(&self) -> usize {
        if self.roles.is_empty() { 1 } else { 64 }
    }

    /// Classes of the white king's squares.
    #[must_use]
    pub fn king_classes(&self) -> &SquareClasses {
        &self.king_classes
    }

    /// Classes of the squares of W1 (0) or W2 (1).
    #[must_use]
    pub fn outer_classes(&self, index: usize) -> &SquareClasses {
        &self.outer_classes[index]
    }

    /// Tiles of a cell.
    #[must_use]
    pub fn tiles(&self) -> u32 {
        (self.king_classes.len() * self.outer_classes[0].len() * self.outer_classes[1].len()) as u32
    }

    /// The tile of a class of kings, of W1 and of W2.
    #[must_use]
    pub fn tile(&self, king: usize, w1: usize, w2: usize) -> u32 {
        ((king * self.outer_classes[0].len() + w1) * self.outer_classes[1].len() + w2) as u32
    }

    /// The classes of a tile: kings, W1, W2.
    #[must_use]
    pub fn classes(&self, tile: u32) -> (usize, usize, usize) {
        let (tile, seconds) = (tile as usize, self.outer_classes[1].len());
        let firsts = self.outer_classes[0].len();
        (tile / seconds / firsts, tile / seconds % firsts, tile % seconds)
    }

    /// Chunks of a tile.
    #[must_use]
    pub fn tile_chunks(&self, tile: u32) -> usize {
        let (king, w1, w2) = self.classes(tile);
        self.king_classes.squares(king).len()
            * self.outer_classes[0].squares(w1).len()
            * self.outer_classes[1].squares(w2).len()
    }

    /// Words of a tile.
    #[must_use]
    pub fn tile_words(&self, tile: u32) -> usize {
        self.tile_chunks(tile) * self.chunk_words()
    }

    /// Words of a cell.
    #[must_use]
    pub fn pawn_slice_words(&self) -> usize {
        (0..self.tiles()).map(|tile| self.tile_words(tile)).sum()
    }

    /// The squares of white king, W1 and W2 of a tile's chunk.
    #[must_use]
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

    /// The place of squares of the men, if the white king has a slot; the pawns are those of `cell`.
    #[must_use]
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

    /// The squares of a place.
    #[must_use]
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

    /// Where files hold the position of these squares; its pawns are those of `cell`.
    #[must_use]
    pub fn canonical(&self, pawn_slice: u32, squares: &PieceSquares) -> PieceSquares {
        let sorted = self.sort_identical(squares);
        let pawns = self.pawn_slices[pawn_slice as usize];
        let images: &[Symmetry] = match self.has_pawns() {
            false => &Symmetry::ALL,
            true if pawns == pawns.mirrored() => &[Symmetry::IDENTITY, Symmetry::FLIP_H],
            true => &[],
        };
        let images = images.iter().map(|symmetry| self.sort_identical(&self.transformed(&sorted, *symmetry)));
        let outer = |squares: &PieceSquares| {
            let man = |index: usize| if index < self.outer_count { squares.pieces[index] } else { 0 };
            (squares.white_king, man(0), man(1))
        };
        // The first of equals, so that a place that is its own image's equal stays.
        images.filter(|image| self.king_classes.find(image.white_king).is_some()).fold(sorted, |best, image| {
            if outer(&image) < outer(&best) || self.king_classes.find(best.white_king).is_none() { image } else { best }
        })
    }

    /// The squares, turned.
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

    /// Identical men in ascending order.
    fn sort_identical(&self, squares: &PieceSquares) -> PieceSquares {
        let mut squares = *squares;
        let mut from = 0;
        while from < self.roles.len() {
            let is_same = |index: usize| {
                self.roles[index] == self.roles[from] && (index < self.white_count) == (from < self.white_count)
            };
            let to = (from..self.roles.len()).find(|&man| !is_same(man)).unwrap_or(self.roles.len());
            squares.pieces[from..to].sort_unstable();
            from = to;
        }
        squares
    }

    /// Where files hold a position: `None` if its men are not this material.
    #[must_use]
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

    /// The men at a place; `None` where two would stand on one square.
    #[must_use]
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

    /// Of 64 words that differ in the lane's square, those that files keep, a bit each. `squares` says where all men but
    /// lane and black king stand.
    #[must_use]
    pub fn canonical_words(&self, pawn_slice: u32, squares: &PieceSquares) -> u64 {
        let Some(last_piece) = self.roles.len().checked_sub(1) else {
            return u64::from(self.canonical(pawn_slice, squares).white_king == squares.white_king);
        };
        let mut canonical = 0;
        let mut squares = *squares;
        for square in 0..64 {
            squares.pieces[last_piece] = square;
            let best = self.canonical(pawn_slice, &squares);
            // The outer men decide; where they are equal both images are kept, and inner men only need be ascending.
            let is_kept = self.sort_identical(&squares) == squares
                && best.white_king == squares.white_king
                && best.pieces[..self.outer_count] == squares.pieces[..self.outer_count];
            canonical |= u64::from(is_kept) << square;
        }
        canonical
    }
}

/// All placements of the pawns up to mirroring, most advanced first.
fn pawn_placements(white: SideMaterial, black: SideMaterial) -> Vec<PawnPlacement> {
    const SQUARES: u64 = 0x00FF_FFFF_FFFF_FF00;
    let mut placements = vec![PawnPlacement::default()];
    for (number, is_white) in [(white.count(Role::Pawn), true), (black.count(Role::Pawn), false)] {
        for _ in 0..number {
            let mut more = Vec::new();
            for pawns in placements {
                let own = if is_white { pawns.white } else { pawns.black };
                // Identical pawns are put down in ascending order, each placement once.
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
