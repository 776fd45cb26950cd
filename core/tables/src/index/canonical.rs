//! Chooses the canonical one among the addresses of a position, and counts the positions of the whole board for which it stands.

use plyfold_transform::symmetry::Symmetry;
use shakmaty::{Bitboard, Role};

use super::{PieceSquares, TableIndex};
use crate::material::SideMaterial;

impl TableIndex {
    /// Returns how many positions of the whole board a bit stands for: its symmetric images, which depend on the white king's
    /// square. Identical pieces are counted in every order.
    pub fn weight(&self, pawn_slice: u32, white_king: u8) -> u64 {
        let pawns = self.pawn_slices[pawn_slice as usize];
        match self.has_pawns() {
            true if pawns == pawns.mirrored() => 1,
            true => 2,
            false if white_king >> 3 == white_king & 7 => 4,
            false => 8,
        }
    }

    /// Returns the number of orders of identical pieces.
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
            let to =
                (from + 1..self.roles.len()).find(|&piece| !self.is_same_as_before(piece)).unwrap_or(self.roles.len());
            squares.pieces[from..to].sort_unstable();
            from = to;
        }
        squares
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
        let below = |piece: usize| self.is_same_as_before(piece).then(|| squares.pieces[piece - 1]);
        let others_are = (1..last_piece).all(|piece| below(piece).is_none_or(|below| squares.pieces[piece] >= below));
        match below(last_piece) {
            _ if !others_are => 0,
            Some(below) => u64::MAX << below,
            None => u64::MAX,
        }
    }

    /// Returns whether the piece with this index has a piece before it, and has its colour and role.
    pub fn is_same_as_before(&self, piece: usize) -> bool {
        piece > 0 && piece != self.white_count && self.roles[piece - 1] == self.roles[piece]
    }

    /// Whether the lane is identical to an outer piece, so that an image may swap them.
    fn lane_may_be_outer(&self) -> bool {
        self.outer_count > 0 && (self.outer_count..self.roles.len()).all(|piece| self.is_same_as_before(piece))
    }

    /// The white king and the outer pieces: of two images the one with the smaller squares is canonical.
    fn outer_squares(&self, squares: &PieceSquares) -> (u8, u8, u8) {
        let piece = |index: usize| if index < self.outer_count { squares.pieces[index] } else { 0 };
        (squares.white_king, piece(0), piece(1))
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
