//! A pattern says which pieces stand where: bounds for the numbers of pieces, pawns on squares, and pieces on squares.

use wide::u8x16;

use crate::board::{ByPiece, ChangeMask, PieceCode, count_change, placement_change};

/// How many men of each kind there may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceCountBounds {
    /// At least so many.
    pub min: ByPiece<u8>,
    /// At most so many.
    pub max: ByPiece<u8>,
}

impl PieceCountBounds {
    /// Any number of any man.
    pub const UNBOUNDED: PieceCountBounds = PieceCountBounds { min: ByPiece::splat(0), max: ByPiece::splat(u8::MAX) };

    /// Whether these numbers, as [`Board`](crate::board::Board) has them, lie within.
    #[inline(always)]
    pub fn contains(&self, number: &ByPiece<u8>) -> bool {
        let [number, least, most] = [number, &self.min, &self.max].map(|counts| u8x16::new(*counts.as_array()));
        (number.max(least).simd_eq(number) & number.min(most).simd_eq(number)).all()
    }

    /// The numbers on which it depends.
    pub(super) fn dependencies(&self) -> ChangeMask {
        let is_bounded = |code: &PieceCode| (self.min[*code], self.max[*code]) != (0, u8::MAX);
        PieceCode::all().filter(is_bounded).fold(0, |all, code| all | count_change(code))
    }
}

/// Some squares of a bitboard, and which of them are set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SquareMask {
    /// The squares that are looked at.
    pub mask: u64,
    /// Those of them that are set.
    pub value: u64,
}

impl SquareMask {
    /// Whether just these squares of `squares` are set.
    #[inline(always)]
    pub const fn holds(self, squares: u64) -> bool {
        squares & self.mask == self.value
    }
}

/// Where pawns stand and where they do not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PawnPattern {
    /// White's pawns.
    pub white: SquareMask,
    /// Black's pawns.
    pub black: SquareMask,
}

impl PawnPattern {
    /// The pawns on which it depends.
    pub(super) fn dependencies(&self) -> ChangeMask {
        let pawn_squares = |masked: SquareMask, code| if masked.mask == 0 { 0 } else { placement_change(code) };
        pawn_squares(self.white, PieceCode::WHITE_PAWN) | pawn_squares(self.black, PieceCode::BLACK_PAWN)
    }

    /// Whether White's pawns and Black's stand so.
    #[inline(always)]
    pub const fn holds(&self, [white, black]: [u64; 2]) -> bool {
        self.white.holds(white) && self.black.holds(black)
    }
}

/// Which men may stand on which squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    /// The squares that are looked at.
    pub squares: u64,
    /// For each of them, bit `m` says that a man with code `m` may stand there; bit 0, that it may be empty.
    pub allowed: [u16; 64],
}

impl Placement {
    /// What must have changed for its answer to change: of each square those who may stand there, or those who may not, whichever side
    /// has none for "nobody".
    pub(super) fn dependencies(&self) -> ChangeMask {
        const MEN: u16 = 0x7e7e;
        shakmaty::Bitboard(self.squares).into_iter().fold(0, |all, square| {
            let allowed = self.allowed[square as usize];
            let decisive = if allowed & 1 == 0 { allowed } else { !allowed };
            PieceCode::all()
                .filter(|man| decisive & MEN & man.bit() != 0)
                .fold(all, |all, man| all | placement_change(man))
        })
    }

    /// Whether the men on a mailbox stand so.
    #[inline]
    pub fn holds(&self, mailbox: &[PieceCode; 64]) -> bool {
        shakmaty::Bitboard(self.squares).into_iter().all(|square| {
            let square = square as usize;
            self.allowed[square] >> mailbox[square].index() & 1 != 0
        })
    }
}
