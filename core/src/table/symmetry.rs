//! The eight symmetries of the board, on squares and on sets of squares.

use shakmaty::{Bitboard, Square};

/// A symmetry: transpose (a1 to h8 stays) if bit 2 is set, then mirror the files if bit 0, then the ranks if bit 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetry(u8);

impl Symmetry {
    /// Nothing moves.
    pub const IDENTITY: Symmetry = Symmetry(0);
    /// The files a and h change places, and so on.
    pub const MIRROR: Symmetry = Symmetry(1);
    /// The diagonal from a1 to h8 stays.
    pub const TRANSPOSE: Symmetry = Symmetry(4);
    /// All eight.
    pub const ALL: [Symmetry; 8] =
        [Symmetry(0), Symmetry(1), Symmetry(2), Symmetry(3), Symmetry(4), Symmetry(5), Symmetry(6), Symmetry(7)];

    /// Where a square, 0 to 63, goes.
    #[must_use]
    pub const fn square(self, square: u8) -> u8 {
        let turned = if self.0 & 4 != 0 { square >> 3 | (square & 7) << 3 } else { square };
        turned ^ (if self.0 & 1 != 0 { 7 } else { 0 }) ^ (if self.0 & 2 != 0 { 56 } else { 0 })
    }

    /// Where a set of squares goes.
    #[inline(always)]
    #[must_use]
    pub const fn word(self, mut word: u64) -> u64 {
        if self.0 & 4 != 0 {
            let swap = (word ^ (word << 28)) & 0x0F0F_0F0F_0000_0000;
            word ^= swap ^ (swap >> 28);
            let swap = (word ^ (word << 14)) & 0x3333_0000_3333_0000;
            word ^= swap ^ (swap >> 14);
            let swap = (word ^ (word << 7)) & 0x5500_5500_5500_5500;
            word ^= swap ^ (swap >> 7);
        }
        if self.0 & 1 != 0 {
            word = (word >> 1) & 0x5555_5555_5555_5555 | (word & 0x5555_5555_5555_5555) << 1;
            word = (word >> 2) & 0x3333_3333_3333_3333 | (word & 0x3333_3333_3333_3333) << 2;
            word = (word >> 4) & 0x0F0F_0F0F_0F0F_0F0F | (word & 0x0F0F_0F0F_0F0F_0F0F) << 4;
        }
        if self.0 & 2 != 0 { word.swap_bytes() } else { word }
    }

    /// The symmetry that undoes this one.
    #[must_use]
    pub const fn inverse(self) -> Symmetry {
        // With a transposition, mirrored files and mirrored ranks change places on the way back.
        if self.0 & 4 != 0 { Symmetry(4 | (self.0 & 1) << 1 | (self.0 & 2) >> 1) } else { self }
    }

    /// [`square`](Self::square) on shakmaty's squares.
    #[must_use]
    pub fn of(self, square: Square) -> Square {
        Square::new(u32::from(self.square(square as u8)))
    }

    /// [`word`](Self::word) on shakmaty's bitboards.
    #[must_use]
    pub fn set(self, set: Bitboard) -> Bitboard {
        Bitboard(self.word(set.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_follow_squares_and_inverses_undo() {
        for symmetry in Symmetry::ALL {
            for square in 0..64 {
                let there = symmetry.square(square);
                assert_eq!(symmetry.word(1 << square), 1 << there, "{symmetry:?} on {square}");
                assert_eq!(symmetry.inverse().square(there), square, "{symmetry:?} and back from {square}");
            }
        }
    }
}
