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

use super::material::{Material, Men};
use crate::transform::symmetry::Symmetry;

/// Cells of at most so many words are one tile.
const ONE_TILE: usize = 1 << 18;

/// At most so many men besides kings and pawns.
pub const MOST_PIECES: usize = 6;

/// The white king's squares where there are no pawns: a corner of the board, up to its diagonal.
const CORNER: [u8; 10] = [0, 1, 2, 3, 9, 10, 11, 18, 19, 27];

/// A placement of pawns, as sets of squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pawns {
    /// White's.
    pub white: u64,
    /// Black's.
    pub black: u64,
}

impl Pawns {
    /// The mirror image.
    #[must_use]
    pub const fn mirrored(self) -> Pawns {
        Pawns { white: Symmetry::FLIP_H.word(self.white), black: Symmetry::FLIP_H.word(self.black) }
    }

    /// All of them.
    #[must_use]
    pub const fn all(self) -> u64 {
        self.white | self.black
    }

    /// Ranks that these pawns still have before them, in all. Placements with equal numbers do not lead to each other.
    #[must_use]
    pub fn steps_left(self) -> u32 {
        let white: u32 = Bitboard(self.white).into_iter().map(|square| 7 - u32::from(square.rank())).sum();
        white + Bitboard(self.black).into_iter().map(|square| u32::from(square.rank())).sum::<u32>()
    }
}

/// Where a position stands: a cell, a tile of it, and a bit of that: word times 64 plus the black king's square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Which cell.
    pub cell: u32,
    /// Which tile of the cell.
    pub tile: u32,
    /// Which bit of the tile.
    pub bit: u64,
}

/// Squares of all men that are not pawns: white king, W1, W2, inner men, black king.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Squares {
    /// The white king's.
    pub white_king: u8,
    /// Those of the men in the order of the dimensions; zero beyond their number.
    pub men: [u8; MOST_PIECES],
    /// The black king's.
    pub black_king: u8,
}

/// The shape of a table: cells, tiles, dimensions.
#[derive(Clone, Debug)]
pub struct Index {
    material: Material,
    /// Roles of the men that have a dimension, white ones first.
    roles: Vec<Role>,
    white: usize,
    outer: usize,
    cells: Vec<Pawns>,
    by_pawns: BTreeMap<Pawns, u32>,
    kings: Classes,
    outers: [Classes; 2],
}

/// Classes of squares, and where each square is in them.
#[derive(Clone, Debug)]
pub struct Classes {
    classes: Vec<Vec<u8>>,
    /// Class and number in it, by square; the class is `NONE` for squares that have none.
    of: [(u8, u8); 64],
}

const NONE: u8 = u8::MAX;

impl Classes {
    fn new(classes: Vec<Vec<u8>>) -> Classes {
        let mut of = [(NONE, 0); 64];
        for (number, class) in (0..).zip(&classes) {
            for (slot, &square) in (0..).zip(class) {
                of[usize::from(square)] = (number, slot);
            }
        }
        Classes { classes, of }
    }

    /// The one class of a man that is not there.
    fn absent() -> Classes {
        Classes::new(vec![vec![0]])
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
        let (class, slot) = self.of[usize::from(square)];
        (class != NONE).then_some((class.into(), slot.into()))
    }
}

/// The orbits of the squares under the eight symmetries, as ten classes.
fn orbits() -> Classes {
    let orbit = |corner: &u8| {
        let mut squares: Vec<u8> = Symmetry::ALL.iter().map(|symmetry| symmetry.square(*corner)).collect();
        squares.sort_unstable();
        squares.dedup();
        squares
    };
    Classes::new(CORNER.iter().map(orbit).collect())
}

impl Index {
    /// The index of a table: White is the winner.
    #[must_use]
    pub fn new(material: Material) -> Index {
        let (white, black): (Vec<Role>, Vec<Role>) =
            (material.white.pieces().collect(), material.black.pieces().collect());
        let inner_white = usize::from(black.is_empty());
        let outer = white.len().saturating_sub(inner_white).min(2);
        let has_pawns = material.white.count(Role::Pawn) + material.black.count(Role::Pawn) > 0;
        let cells = placements(material.white, material.black);
        let by_pawns = (0..).zip(&cells).map(|(number, pawns)| (*pawns, number)).collect();
        let kings: Vec<u8> = if has_pawns { (0..64).collect() } else { CORNER.to_vec() };
        let words = kings.len() << (6 * (white.len() + black.len()));
        let is_one_tile = words <= ONE_TILE;
        let classes = || match (is_one_tile, has_pawns) {
            (true, _) => Classes::new(vec![(0..64).collect()]),
            (false, true) => Classes::new((0..8).map(|rank| (8 * rank..8 * rank + 8).collect()).collect()),
            (false, false) => orbits(),
        };
        let outers = [0, 1].map(|man| if man < outer { classes() } else { Classes::absent() });
        let kings =
            Classes::new(if is_one_tile { vec![kings] } else { kings.into_iter().map(|king| vec![king]).collect() });
        let roles = white.iter().chain(&black).copied().collect();
        Index { material, roles, white: white.len(), outer, cells, by_pawns, kings, outers }
    }

    /// Of which material; White is the winner.
    #[must_use]
    pub fn material(&self) -> Material {
        self.material
    }

    /// Placements of the pawns, most advanced first; one for a material without pawns.
    #[must_use]
    pub fn cells(&self) -> &[Pawns] {
        &self.cells
    }

    /// The cell of a placement, mirrored if need be, and whether it was mirrored.
    #[must_use]
    pub fn cell(&self, pawns: Pawns) -> Option<(u32, bool)> {
        let mirrored = pawns.mirrored();
        let number = self.by_pawns.get(&pawns.min(mirrored))?;
        Some((*number, mirrored < pawns))
    }

    /// Whether any man is a pawn.
    #[must_use]
    pub fn has_pawns(&self) -> bool {
        self.cells[0] != Pawns::default()
    }

    /// Positions of the whole board that a bit stands for, by the white king's square: 8 for two mirrored halves of four,
    /// and so on. Identical men are counted in every order.
    #[must_use]
    pub fn weight(&self, cell: u32, white_king: u8) -> u64 {
        let pawns = self.cells[cell as usize];
        match self.has_pawns() {
            true if pawns == pawns.mirrored() => 1,
            true => 2,
            false if white_king >> 3 == white_king & 7 => 4,
            false => 8,
        }
    }

    /// Orders in which identical men are counted.
    #[must_use]
    pub fn orders(&self) -> u64 {
        let factorial = |men: u8| (1..=u64::from(men)).product::<u64>();
        let of = |men: Men| -> u64 {
            Men::ROLES.into_iter().filter(|role| *role != Role::Pawn).map(|role| factorial(men.count(role))).product()
        };
        of(self.material.white) * of(self.material.black)
    }

    /// The roles of the men that have a dimension: white ones, then black ones; the last is the lane.
    #[must_use]
    pub fn roles(&self) -> &[Role] {
        &self.roles
    }

    /// How many of the [`roles`](Self::roles) are White's.
    #[must_use]
    pub fn whites(&self) -> usize {
        self.white
    }

    /// How many white men are outer: 0, 1 or 2.
    #[must_use]
    pub fn outer(&self) -> usize {
        self.outer
    }

    /// How many men are inner.
    #[must_use]
    pub fn inner(&self) -> usize {
        self.roles.len() - self.outer
    }

    /// Words of a chunk.
    #[must_use]
    pub fn chunk_words(&self) -> usize {
        1 << (6 * self.inner())
    }

    /// Words of a row: 64, or one where only kings move.
    #[must_use]
    pub fn row_words(&self) -> usize {
        if self.roles.is_empty() { 1 } else { 64 }
    }

    /// Classes of the white king's squares.
    #[must_use]
    pub fn kings(&self) -> &Classes {
        &self.kings
    }

    /// Classes of the squares of W1 (0) or W2 (1).
    #[must_use]
    pub fn outers(&self, man: usize) -> &Classes {
        &self.outers[man]
    }

    /// Tiles of a cell.
    #[must_use]
    pub fn tiles(&self) -> u32 {
        (self.kings.len() * self.outers[0].len() * self.outers[1].len()) as u32
    }

    /// The tile of a class of kings, of W1 and of W2.
    #[must_use]
    pub fn tile(&self, king: usize, w1: usize, w2: usize) -> u32 {
        ((king * self.outers[0].len() + w1) * self.outers[1].len() + w2) as u32
    }

    /// The classes of a tile: kings, W1, W2.
    #[must_use]
    pub fn classes(&self, tile: u32) -> (usize, usize, usize) {
        let (tile, seconds) = (tile as usize, self.outers[1].len());
        let firsts = self.outers[0].len();
        (tile / seconds / firsts, tile / seconds % firsts, tile % seconds)
    }

    /// Chunks of a tile.
    #[must_use]
    pub fn tile_chunks(&self, tile: u32) -> usize {
        let (king, w1, w2) = self.classes(tile);
        self.kings.squares(king).len() * self.outers[0].squares(w1).len() * self.outers[1].squares(w2).len()
    }

    /// Words of a tile.
    #[must_use]
    pub fn tile_words(&self, tile: u32) -> usize {
        self.tile_chunks(tile) * self.chunk_words()
    }

    /// Words of a cell.
    #[must_use]
    pub fn cell_words(&self) -> usize {
        (0..self.tiles()).map(|tile| self.tile_words(tile)).sum()
    }

    /// The squares of white king, W1 and W2 of a tile's chunk.
    #[must_use]
    pub fn chunk_squares(&self, tile: u32, chunk: usize) -> (u8, u8, u8) {
        let (king, w1, w2) = self.classes(tile);
        let (firsts, seconds) = (self.outers[0].squares(w1), self.outers[1].squares(w2));
        let kings = self.kings.squares(king);
        (
            kings[chunk / seconds.len() / firsts.len()],
            firsts[chunk / seconds.len() % firsts.len()],
            seconds[chunk % seconds.len()],
        )
    }

    /// The place of squares of the men, if the white king has a slot; the pawns are those of `cell`.
    #[must_use]
    pub fn place_of(&self, cell: u32, squares: &Squares) -> Option<Place> {
        let (king, king_slot) = self.kings.find(squares.white_king)?;
        let outer = |man: usize| if man < self.outer { squares.men[man] } else { 0 };
        let ((w1, slot1), (w2, slot2)) = (self.outers[0].find(outer(0))?, self.outers[1].find(outer(1))?);
        let chunk = (king_slot * self.outers[0].squares(w1).len() + slot1) * self.outers[1].squares(w2).len() + slot2;
        let inner = self.outer..self.roles.len();
        let bit = inner.fold(chunk as u64, |at, man| at << 6 | u64::from(squares.men[man]));
        Some(Place { cell, tile: self.tile(king, w1, w2), bit: bit << 6 | u64::from(squares.black_king) })
    }

    /// The squares of a place.
    #[must_use]
    pub fn squares(&self, place: Place) -> Squares {
        let mut rest = place.bit;
        let mut next = || {
            let square = (rest & 63) as u8;
            rest >>= 6;
            square
        };
        let mut squares = Squares { black_king: next(), ..Squares::default() };
        for man in (self.outer..self.roles.len()).rev() {
            squares.men[man] = next();
        }
        let (king, w1, w2) = self.chunk_squares(place.tile, rest as usize);
        squares.white_king = king;
        for (man, square) in [w1, w2].into_iter().enumerate().take(self.outer) {
            squares.men[man] = square;
        }
        squares
    }

    /// Where files hold the position of these squares; its pawns are those of `cell`.
    #[must_use]
    pub fn kept(&self, cell: u32, squares: &Squares) -> Squares {
        let sorted = self.ascending(squares);
        let pawns = self.cells[cell as usize];
        let images: &[Symmetry] = match self.has_pawns() {
            false => &Symmetry::ALL,
            true if pawns == pawns.mirrored() => &[Symmetry::IDENTITY, Symmetry::FLIP_H],
            true => &[],
        };
        let images = images.iter().map(|symmetry| self.ascending(&self.turned(&sorted, *symmetry)));
        let outer = |squares: &Squares| {
            let man = |man: usize| if man < self.outer { squares.men[man] } else { 0 };
            (squares.white_king, man(0), man(1))
        };
        // The first of equals, so that a place that is its own image's equal stays.
        images.filter(|image| self.kings.find(image.white_king).is_some()).fold(sorted, |least, image| {
            if outer(&image) < outer(&least) || self.kings.find(least.white_king).is_none() { image } else { least }
        })
    }

    /// The squares, turned.
    #[must_use]
    pub fn turned(&self, squares: &Squares, symmetry: Symmetry) -> Squares {
        let mut turned = Squares {
            white_king: symmetry.square(squares.white_king),
            black_king: symmetry.square(squares.black_king),
            ..Squares::default()
        };
        for man in 0..self.roles.len() {
            turned.men[man] = symmetry.square(squares.men[man]);
        }
        turned
    }

    /// Identical men in ascending order.
    fn ascending(&self, squares: &Squares) -> Squares {
        let mut squares = *squares;
        let mut from = 0;
        while from < self.roles.len() {
            let is_same = |man: usize| self.roles[man] == self.roles[from] && (man < self.white) == (from < self.white);
            let to = (from..self.roles.len()).find(|&man| !is_same(man)).unwrap_or(self.roles.len());
            squares.men[from..to].sort_unstable();
            from = to;
        }
        squares
    }

    /// Where files hold a position: `None` if its men are not this material.
    #[must_use]
    pub fn place(&self, board: &Board) -> Option<Place> {
        let men = |color: Color| board.by_color(color);
        if men(Color::White).count() != self.material.white.len() + 1
            || men(Color::Black).count() != self.material.black.len() + 1
        {
            return None;
        }
        let pawns = |color: Color| board.by_piece(Piece { color, role: Role::Pawn }).0;
        let (cell, is_mirrored) = self.cell(Pawns { white: pawns(Color::White), black: pawns(Color::Black) })?;
        let mut squares = Squares {
            white_king: board.king_of(Color::White)? as u8,
            black_king: board.king_of(Color::Black)? as u8,
            ..Squares::default()
        };
        let mut at = 0;
        for (color, men) in [(Color::White, self.material.white), (Color::Black, self.material.black)] {
            for role in Men::ROLES.into_iter().filter(|role| *role != Role::Pawn) {
                let found = board.by_piece(Piece { color, role });
                if found.count() != usize::from(men.count(role)) {
                    return None;
                }
                for square in found {
                    squares.men[at] = square as u8;
                    at += 1;
                }
            }
        }
        if is_mirrored {
            squares = self.turned(&squares, Symmetry::FLIP_H);
        }
        self.place_of(cell, &self.kept(cell, &squares))
    }

    /// The men at a place; `None` where two would stand on one square.
    #[must_use]
    pub fn men(&self, place: Place) -> Option<Board> {
        let squares = self.squares(place);
        let pawns = self.cells[place.cell as usize];
        let mut board = Board::empty();
        let mut put = |square: u8, color: Color, role: Role| {
            let square = Square::new(square.into());
            let is_free = board.piece_at(square).is_none();
            board.set_piece_at(square, Piece { color, role });
            is_free
        };
        let mut is_sound = put(squares.white_king, Color::White, Role::King);
        is_sound &= put(squares.black_king, Color::Black, Role::King);
        for (man, &role) in self.roles.iter().enumerate() {
            is_sound &= put(squares.men[man], Color::from_white(man < self.white), role);
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
    pub fn kept_lanes(&self, cell: u32, squares: &Squares) -> u64 {
        let Some(lane) = self.roles.len().checked_sub(1) else {
            return u64::from(self.kept(cell, squares).white_king == squares.white_king);
        };
        let mut kept = 0;
        let mut squares = *squares;
        for square in 0..64 {
            squares.men[lane] = square;
            let best = self.kept(cell, &squares);
            // The outer men decide; where they are equal both images are kept, and inner men only need be ascending.
            let is_kept = self.ascending(&squares) == squares
                && best.white_king == squares.white_king
                && best.men[..self.outer] == squares.men[..self.outer];
            kept |= u64::from(is_kept) << square;
        }
        kept
    }
}

/// All placements of the pawns up to mirroring, most advanced first.
fn placements(white: Men, black: Men) -> Vec<Pawns> {
    const SQUARES: u64 = 0x00FF_FFFF_FFFF_FF00;
    let mut placements = vec![Pawns::default()];
    for (number, is_white) in [(white.count(Role::Pawn), true), (black.count(Role::Pawn), false)] {
        for _ in 0..number {
            let mut more = Vec::new();
            for pawns in placements {
                let own = if is_white { pawns.white } else { pawns.black };
                // Identical pawns are put down in ascending order, each placement once.
                let above = if own == 0 { SQUARES } else { SQUARES & !(u64::MAX >> own.leading_zeros()) };
                for square in Bitboard(above & !pawns.all()) {
                    let square = 1 << square as u8;
                    more.push(match is_white {
                        true => Pawns { white: own | square, ..pawns },
                        false => Pawns { black: own | square, ..pawns },
                    });
                }
            }
            placements = more;
        }
    }
    placements.retain(|pawns| *pawns <= pawns.mirrored());
    placements.sort_unstable_by_key(|pawns| (pawns.steps_left(), *pawns));
    placements
}
