//! A pattern says which pieces stand where: bounds for the numbers of pieces, pawns on squares, and pieces on squares.

use wide::u8x16;

use plyfold_board::board::{ByPiece, ChangeMask, PieceCode, count_change, placement_change};

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

    /// The change bits of the counts that the bounds restrict.
    pub(super) fn dependencies(&self) -> ChangeMask {
        let is_bounded = |code: &PieceCode| (self.min[*code], self.max[*code]) != (0, u8::MAX);
        PieceCode::all().filter(is_bounded).fold(0, |all, code| all | count_change(code))
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
    /// The change bits of the pawns that the pattern compares.
    pub(super) fn dependencies(&self) -> ChangeMask {
        let pawn_squares = |masked: SquareMask, code| if masked.mask == 0 { 0 } else { placement_change(code) };
        pawn_squares(self.white, PieceCode::WHITE_PAWN) | pawn_squares(self.black, PieceCode::BLACK_PAWN)
    }

    /// Returns whether White's and Black's pawns match the pattern.
    #[inline(always)]
    pub const fn holds(&self, [white, black]: [u64; 2]) -> bool {
        self.white.holds(white) && self.black.holds(black)
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
    /// The changes after which the placement must be tested again. For each square these are the allowed pieces if the square
    /// must not be empty, and the forbidden pieces if it may be empty.
    pub(super) fn dependencies(&self) -> ChangeMask {
        const PIECE_CODES: u16 = 0x7e7e;
        shakmaty::Bitboard(self.squares).into_iter().fold(0, |all, square| {
            let allowed = self.allowed[square as usize];
            let decisive = if allowed & 1 == 0 { allowed } else { !allowed };
            PieceCode::all()
                .filter(|piece| decisive & PIECE_CODES & piece.bit() != 0)
                .fold(all, |all, piece| all | placement_change(piece))
        })
    }

    /// Returns whether the pieces on a mailbox match the placement.
    #[inline]
    pub fn holds(&self, mailbox: &[PieceCode; 64]) -> bool {
        shakmaty::Bitboard(self.squares).into_iter().all(|square| {
            let square = square as usize;
            self.allowed[square] >> mailbox[square].index() & 1 != 0
        })
    }
}
