//! A pattern says which pieces stand where: bounds for the numbers of pieces, pawns on squares, and pieces on squares.

use plyfold_board::board::{ByPiece, ChangeMask, PieceCode, count_change, placement_change};
use plyfold_board::matsig::target::MaterialBounds;
use shakmaty::{Bitboard, Color, Role};
use wide::u8x16;

use super::{Predicate, side_index};
use crate::scan::access_path::{AccessPath, PredicateAccess};
use crate::scan::measure::measured_board::MeasuredBoard;
use crate::scan::replay_needs::ReplayNeeds;

/// How many pieces of each code there may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceCountBounds {
    /// The fewest pieces of each code.
    pub min: ByPiece<u8>,
    /// The most pieces of each code.
    pub max: ByPiece<u8>,
}

impl PieceCountBounds {
    /// Any number of any piece.
    pub const UNBOUNDED: PieceCountBounds = PieceCountBounds { min: ByPiece::splat(0), max: ByPiece::splat(u8::MAX) };

    /// Returns whether these piece counts, as [`Board`](plyfold_board::board::Board) has them, lie within the bounds.
    #[inline(always)]
    pub fn contains(&self, number: &ByPiece<u8>) -> bool {
        let [number, least, most] = [number, &self.min, &self.max].map(|counts| u8x16::new(*counts.as_array()));
        (number.max(least).simd_eq(number) & number.min(most).simd_eq(number)).all()
    }

    /// The number of pieces that a board within the bounds has at least.
    pub(in crate::scan) fn fewest_pieces(&self) -> u32 {
        let of_pieces = PieceCode::all().filter(|code| code.role().is_some());
        of_pieces.map(|code| u32::from(self.min[code])).sum()
    }
}

impl Predicate for PieceCountBounds {
    fn test(&self, board: &MeasuredBoard<'_>) -> bool {
        self.contains(&board.piece_counts)
    }

    /// Depends on the counts that the bounds restrict.
    fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
        let is_bounded = |code: &PieceCode| (self.min[*code], self.max[*code]) != (0, u8::MAX);
        let dependencies = PieceCode::all().filter(is_bounded).fold(0, |all, code| all | count_change(code));
        (dependencies, ReplayNeeds::PIECE_COUNTS)
    }

    fn access(&self, _: bool) -> PredicateAccess {
        PredicateAccess::by(AccessPath::MaterialEvents)
    }

    fn implied(&self) -> MaterialBounds {
        MaterialBounds { min_pieces: self.min, max_pieces: self.max, ..MaterialBounds::default() }
    }
}

/// Some squares of a bitboard, and which of them must be set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SquareMask {
    /// The squares that are compared.
    pub mask: u64,
    /// The squares of `mask` that must be set; the others must be clear.
    pub value: u64,
}

impl SquareMask {
    /// Returns whether `squares` has, of the squares in `mask`, exactly those in `value`.
    #[inline(always)]
    pub const fn holds(self, squares: u64) -> bool {
        squares & self.mask == self.value
    }
}

/// The squares where pawns must stand, and where they must not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PawnPattern {
    /// White's pawns.
    pub white: SquareMask,
    /// Black's pawns.
    pub black: SquareMask,
}

impl PawnPattern {
    /// Returns whether White's and Black's pawns match the pattern.
    #[inline(always)]
    pub const fn holds(&self, [white, black]: [u64; 2]) -> bool {
        self.white.holds(white) && self.black.holds(black)
    }
}

impl Predicate for PawnPattern {
    fn test(&self, board: &MeasuredBoard<'_>) -> bool {
        self.holds(board.pawns())
    }

    /// Depends on the pawns that the pattern compares.
    fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
        let pawn_squares = |masked: SquareMask, code| if masked.mask == 0 { 0 } else { placement_change(code) };
        let pawns = pawn_squares(self.white, PieceCode::WHITE_PAWN) | pawn_squares(self.black, PieceCode::BLACK_PAWN);
        (pawns, ReplayNeeds::PAWN_BITBOARDS)
    }

    fn access(&self, _: bool) -> PredicateAccess {
        PredicateAccess::of_pawns([self.white.mask, self.black.mask])
    }

    fn implied(&self) -> MaterialBounds {
        let sides = [self.white, self.black];
        MaterialBounds {
            required_pawns: sides.map(|masked| masked.mask & masked.value),
            allowed_pawns: sides.map(|masked| !masked.mask | masked.value),
            ..MaterialBounds::default()
        }
    }
}

/// Which pieces may stand on which squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    /// The squares that are compared.
    pub squares: u64,
    /// For each of these squares, bit `m` allows a piece with code `m`; bit 0 allows the square to be empty.
    pub allowed: [u16; 64],
}

impl Placement {
    /// Returns whether the pieces on a mailbox match the placement.
    #[inline]
    pub fn holds(&self, mailbox: &[PieceCode; 64]) -> bool {
        Bitboard(self.squares).into_iter().all(|square| {
            let square = square as usize;
            self.allowed[square] >> mailbox[square].index() & 1 != 0
        })
    }
}

impl Predicate for Placement {
    fn test(&self, board: &MeasuredBoard<'_>) -> bool {
        self.holds(&board.mailbox)
    }

    fn reads_mailbox(&self) -> bool {
        true
    }

    /// Depends, for each square, on the allowed pieces if the square must not be empty, and on the forbidden ones if it may be.
    fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
        const PIECE_CODES: u16 = 0x7e7e;
        let dependencies = Bitboard(self.squares).into_iter().fold(0, |all, square| {
            let allowed = self.allowed[square as usize];
            let decisive = if allowed & 1 == 0 { allowed } else { !allowed };
            PieceCode::all()
                .filter(|piece| decisive & PIECE_CODES & piece.bit() != 0)
                .fold(all, |all, piece| all | placement_change(piece))
        });
        (dependencies, ReplayNeeds::MAILBOX)
    }

    fn access(&self, _: bool) -> PredicateAccess {
        PredicateAccess::of_squares(self.squares)
    }

    fn implied(&self) -> MaterialBounds {
        let mut bounds = MaterialBounds::default();
        for square in Bitboard(self.squares) {
            let (allowed, square) = (self.allowed[square as usize], 1u64 << square as u32);
            for colour in Color::ALL {
                let (pawn, side) = (PieceCode::new(colour, Role::Pawn).bit(), side_index(colour));
                if allowed & pawn == 0 {
                    bounds.allowed_pawns[side] &= !square;
                } else if allowed == pawn {
                    bounds.required_pawns[side] |= square;
                }
            }
            if allowed.count_ones() == 1 && allowed != 1 {
                let least = &mut bounds.min_pieces[PieceCode::from_bits(allowed.trailing_zeros() as u8)];
                *least = least.saturating_add(1);
            }
        }
        bounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const D5: u64 = 1 << 35;

    #[test]
    fn a_placement_asks_for_the_pieces_that_it_names() {
        let mut placement = Placement { squares: 0, allowed: [0; 64] };
        let mut allow = |square: u32, pieces: u16| {
            placement.squares |= 1 << square;
            placement.allowed[square as usize] = pieces;
        };
        let piece = |colour, role| PieceCode::new(colour, role).bit();
        let (pawn, rook) = (piece(Color::White, Role::Pawn), piece(Color::Black, Role::Rook));
        // On these squares: two rooks, a pawn, a pawn or nothing, a rook or a pawn, and two empty squares.
        for (square, pieces) in [(0, rook), (9, rook), (35, pawn), (36, pawn | 1), (37, pawn | rook), (3, 1), (28, 1)] {
            allow(square, pieces);
        }
        let mut expected = MaterialBounds::default();
        expected.min_pieces[PieceCode::BLACK_ROOK] = 2;
        expected.min_pieces[PieceCode::WHITE_PAWN] = 1;
        expected.required_pawns = [D5, 0];
        let without = |squares: &[u32]| squares.iter().fold(u64::MAX, |all, square| all & !(1 << square));
        expected.allowed_pawns = [without(&[0, 9, 3, 28]), without(&[0, 9, 35, 36, 37, 3, 28])];
        assert_eq!(placement.implied(), expected);
    }
}
