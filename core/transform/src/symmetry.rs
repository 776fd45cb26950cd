//! The eight symmetries of the board, on squares and on sets of squares.
//!
//! The names are those of the Chess Programming Wiki, as python-chess has them too; rotations are counter-clockwise, as in Popeye.
//! With files and ranks `(f, r)` from 0 to 7:
//!
//! | | goes to | a1 goes to |
//! |---|---|---|
//! | `flipH` | (7 - f, r) | h1 |
//! | `flipV` | (f, 7 - r) | a8 |
//! | `flipD` | (r, f) | a1 |
//! | `flipAD` | (7 - r, 7 - f) | h8 |
//! | `rot90` | (7 - r, f) | h1 |
//! | `rot180` | (7 - f, 7 - r) | h8 |
//! | `rot270` | (r, 7 - f) | a8 |
//!
//! ```text
//! identity          flipH             flipV             rot180
//! . . . . . . . .   . . . . . . . .   . . . . . . . .   . . . . . . . .
//! . . . . . . . .   . . . . . . . .   . 1 . . . . . .   . . . . . . 1 .
//! . . . . . . . .   . . . . . . . .   . 1 1 . . . . .   . . . . . 1 1 .
//! . 1 1 1 . . . .   . . . . 1 1 1 .   . 1 . . . . . .   . . . . . . 1 .
//! . 1 . . . . . .   . . . . . . 1 .   . 1 1 1 . . . .   . . . . 1 1 1 .
//! . 1 1 . . . . .   . . . . . 1 1 .   . . . . . . . .   . . . . . . . .
//! . 1 . . . . . .   . . . . . . 1 .   . . . . . . . .   . . . . . . . .
//! . . . . . . . .   . . . . . . . .   . . . . . . . .   . . . . . . . .
//!
//! flipD             flipAD            rot90             rot270
//! . . . . . . . .   . . . . . . . .   . . . . . . . .   . . . . . . . .
//! . . . . . . . .   . . . 1 1 1 1 .   . . . . . . . .   . 1 1 1 1 . . .
//! . . . . . . . .   . . . 1 . 1 . .   . . . . . . . .   . . 1 . 1 . . .
//! . . . . . . . .   . . . 1 . . . .   . . . . . . . .   . . . . 1 . . .
//! . . . . 1 . . .   . . . . . . . .   . . . 1 . . . .   . . . . . . . .
//! . . 1 . 1 . . .   . . . . . . . .   . . . 1 . 1 . .   . . . . . . . .
//! . 1 1 1 1 . . .   . . . . . . . .   . . . 1 1 1 1 .   . . . . . . . .
//! . . . . . . . .   . . . . . . . .   . . . . . . . .   . . . . . . . .
//! ```

use shakmaty::Square;

/// A symmetry, as three bits: transpose (the diagonal from a1 to h8 stays) if bit 2 is set, then mirror the files if bit 0 is
/// set, then mirror the ranks if bit 1 is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// Nothing moves.
    pub const IDENTITY: Symmetry = Symmetry(0);
    /// Left and right change places: the a-file becomes the h-file.
    pub const FLIP_H: Symmetry = Symmetry(1);
    /// Top and bottom change places: the first rank becomes the eighth.
    pub const FLIP_V: Symmetry = Symmetry(2);
    /// The diagonal from a1 to h8 stays.
    pub const FLIP_D: Symmetry = Symmetry(4);
    /// The diagonal from h1 to a8 stays.
    pub const FLIP_AD: Symmetry = Symmetry(7);
    /// A quarter turn to the left.
    pub const ROT90: Symmetry = Symmetry(5);
    /// A half turn.
    pub const ROT180: Symmetry = Symmetry(3);
    /// A quarter turn to the right.
    pub const ROT270: Symmetry = Symmetry(6);
    /// All eight, in the order of their bits.
    pub const ALL: [Symmetry; 8] =
        [Symmetry(0), Symmetry(1), Symmetry(2), Symmetry(3), Symmetry(4), Symmetry(5), Symmetry(6), Symmetry(7)];
    /// All eight with their names: the identity, the flips, the rotations.
    pub const NAMED: [(&str, Symmetry); 8] = [
        ("identity", Symmetry::IDENTITY),
        ("flipH", Symmetry::FLIP_H),
        ("flipV", Symmetry::FLIP_V),
        ("flipD", Symmetry::FLIP_D),
        ("flipAD", Symmetry::FLIP_AD),
        ("rot90", Symmetry::ROT90),
        ("rot180", Symmetry::ROT180),
        ("rot270", Symmetry::ROT270),
    ];

    /// Its name, as in [`NAMED`](Self::NAMED).
    pub fn name(self) -> &'static str {
        Symmetry::NAMED.iter().find(|(_, one)| *one == self).map_or("", |(name, _)| name)
    }

    /// Returns whether it is one of the four flips: those that change left and right.
    #[must_use]
    pub const fn is_flip(self) -> bool {
        self.0.count_ones() & 1 == 1
    }

    /// Returns whether it is one of the three rotations.
    #[must_use]
    pub const fn is_rotation(self) -> bool {
        !self.is_flip() && self.0 != 0
    }

    /// Returns where a square, 0 to 63, goes.
    #[must_use]
    pub const fn square(self, square: u8) -> u8 {
        let transposed = if self.0 & 4 != 0 { square >> 3 | (square & 7) << 3 } else { square };
        transposed ^ (if self.0 & 1 != 0 { 7 } else { 0 }) ^ (if self.0 & 2 != 0 { 56 } else { 0 })
    }

    /// Returns where a set of squares goes.
    ///
    /// ```
    /// use plyfold_transform::symmetry::Symmetry;
    /// use shakmaty::Bitboard;
    /// let corner = 0x0000_0000_080c_0e0f;
    /// assert_eq!(format!("\n{:?}", Bitboard(corner)), "
    /// . . . . . . . .
    /// . . . . . . . .
    /// . . . . . . . .
    /// . . . . . . . .
    /// . . . 1 . . . .
    /// . . 1 1 . . . .
    /// . 1 1 1 . . . .
    /// 1 1 1 1 . . . .
    /// ");
    /// assert_eq!(format!("\n{:?}", Bitboard(Symmetry::ROT90.bitboard(corner))), "
    /// . . . . . . . .
    /// . . . . . . . .
    /// . . . . . . . .
    /// . . . . . . . .
    /// . . . . 1 1 1 1
    /// . . . . . 1 1 1
    /// . . . . . . 1 1
    /// . . . . . . . 1
    /// ");
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn bitboard(self, mut word: u64) -> u64 {
        if self.0 & 4 != 0 {
            // PERF: mirroring the ranks before the transposition is mirroring the files after it, and takes one instruction.
            if self.0 & 1 != 0 {
                word = word.swap_bytes();
            }
            let swap = (word ^ (word << 28)) & 0x0F0F_0F0F_0000_0000;
            word ^= swap ^ (swap >> 28);
            let swap = (word ^ (word << 14)) & 0x3333_0000_3333_0000;
            word ^= swap ^ (swap >> 14);
            let swap = (word ^ (word << 7)) & 0x5500_5500_5500_5500;
            word ^= swap ^ (swap >> 7);
        } else if self.0 & 1 != 0 {
            word = (word >> 1) & 0x5555_5555_5555_5555 | (word & 0x5555_5555_5555_5555) << 1;
            word = (word >> 2) & 0x3333_3333_3333_3333 | (word & 0x3333_3333_3333_3333) << 2;
            word = (word >> 4) & 0x0F0F_0F0F_0F0F_0F0F | (word & 0x0F0F_0F0F_0F0F_0F0F) << 4;
        }
        if self.0 & 2 != 0 { word.swap_bytes() } else { word }
    }

    /// The symmetry that undoes this symmetry.
    #[must_use]
    pub const fn inverse(self) -> Symmetry {
        if self.0 & 4 != 0 { Symmetry(4 | Symmetry::swap_mirrors(self.0)) } else { self }
    }

    /// The symmetry that is this one and then `next`.
    #[must_use]
    pub const fn then(self, next: Symmetry) -> Symmetry {
        let mirrors = if next.0 & 4 != 0 { Symmetry::swap_mirrors(self.0) } else { self.0 & 3 };
        Symmetry((self.0 ^ next.0) & 4 | mirrors ^ next.0 & 3)
    }

    /// The mirrors that do after a transposition what `mirrors` do before it: files and ranks change places.
    const fn swap_mirrors(mirrors: u8) -> u8 {
        (mirrors & 1) << 1 | (mirrors & 2) >> 1
    }

    /// [`square`](Self::square) on shakmaty's squares.
    #[must_use]
    pub fn map_square(self, square: Square) -> Square {
        Square::new(u32::from(self.square(square as u8)))
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Board;

    use super::*;

    #[test]
    fn words_follow_squares_and_inverses_undo() {
        for symmetry in Symmetry::ALL {
            for square in 0..64 {
                let there = symmetry.square(square);
                assert_eq!(symmetry.bitboard(1 << square), 1 << there, "{symmetry:?} on {square}");
                assert_eq!(symmetry.inverse().square(there), square, "{symmetry:?} and back from {square}");
            }
        }
    }

    #[test]
    fn they_are_a_group() {
        for one in Symmetry::ALL {
            assert_eq!(one.then(one.inverse()), Symmetry::IDENTITY);
            assert_eq!(one.then(Symmetry::IDENTITY), one);
            for two in Symmetry::ALL {
                assert!((0..64).all(|square| two.square(one.square(square)) == one.then(two).square(square)));
                assert_eq!(one.then(two).is_flip(), one.is_flip() != two.is_flip(), "a flip changes left and right");
                for three in Symmetry::ALL {
                    assert_eq!(one.then(two).then(three), one.then(two.then(three)));
                }
            }
        }
        // Order matters: one way round it is to the left, the other to the right.
        assert_eq!(Symmetry::FLIP_V.then(Symmetry::FLIP_D), Symmetry::ROT90);
        assert_eq!(Symmetry::FLIP_D.then(Symmetry::FLIP_V), Symmetry::ROT270);
    }

    #[test]
    fn shakmaty_turns_its_boards_alike() {
        // Its rotations are clockwise.
        type Turn = fn(&mut Board);
        let turns: [(Symmetry, Turn); 7] = [
            (Symmetry::FLIP_H, Board::flip_horizontal),
            (Symmetry::FLIP_V, Board::flip_vertical),
            (Symmetry::FLIP_D, Board::flip_diagonal),
            (Symmetry::FLIP_AD, Board::flip_anti_diagonal),
            (Symmetry::ROT90, Board::rotate_270),
            (Symmetry::ROT180, Board::rotate_180),
            (Symmetry::ROT270, Board::rotate_90),
        ];
        for (symmetry, turn) in turns {
            let mut board = Board::new();
            turn(&mut board);
            for (square, piece) in Board::new() {
                assert_eq!(board.piece_at(symmetry.map_square(square)), Some(piece), "{} of {square}", symmetry.name());
            }
        }
    }
}
