//! Shifts: all pieces move by the same number of files and ranks.

use shakmaty::Square;

/// The most files and ranks of a shift, each way. Nothing would stay on the board after a longer one.
const MAX_DISTANCE: i8 = 7;
/// For each file, the squares from it to the h-file.
const FILES_UP_TO_H: [u64; 8] = [
    u64::MAX,
    0xfefe_fefe_fefe_fefe,
    0xfcfc_fcfc_fcfc_fcfc,
    0xf8f8_f8f8_f8f8_f8f8,
    0xf0f0_f0f0_f0f0_f0f0,
    0xe0e0_e0e0_e0e0_e0e0,
    0xc0c0_c0c0_c0c0_c0c0,
    0x8080_8080_8080_8080,
];

/// A number of files to the right and of ranks up; negative numbers mean left and down.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Shift {
    files: i8,
    ranks: i8,
}

impl Shift {
    /// The shift that moves nothing.
    pub const NONE: Shift = Shift { files: 0, ranks: 0 };

    /// A shift of -7 to 7 files and ranks; none if it is farther.
    #[must_use]
    pub const fn new(files: i8, ranks: i8) -> Option<Shift> {
        let is_near =
            -MAX_DISTANCE <= files && files <= MAX_DISTANCE && -MAX_DISTANCE <= ranks && ranks <= MAX_DISTANCE;
        if is_near { Some(Shift { files, ranks }) } else { None }
    }

    /// The shift that takes one square to another.
    #[must_use]
    pub fn between(from: Square, to: Square) -> Shift {
        let files = to.file() as i8 - from.file() as i8;
        Shift { files, ranks: to.rank() as i8 - from.rank() as i8 }
    }

    /// All 225 shifts, including the one that moves nothing.
    pub fn all() -> impl Iterator<Item = Shift> {
        (-MAX_DISTANCE..=MAX_DISTANCE)
            .flat_map(|ranks| (-MAX_DISTANCE..=MAX_DISTANCE).map(move |files| Shift { files, ranks }))
    }

    /// Files to the right.
    #[must_use]
    pub const fn files(self) -> i8 {
        self.files
    }

    /// Ranks up.
    #[must_use]
    pub const fn ranks(self) -> i8 {
        self.ranks
    }

    /// Returns where a square, 0 to 63, goes; none if it leaves the board.
    #[must_use]
    pub const fn square(self, square: u8) -> Option<u8> {
        let (file, rank) = ((square & 7) as i8 + self.files, (square >> 3) as i8 + self.ranks);
        let is_on_board = 0 <= file && file < 8 && 0 <= rank && rank < 8;
        if is_on_board { Some((rank * 8 + file) as u8) } else { None }
    }

    /// Returns where a set of squares goes, without those that leave the board.
    ///
    /// ```
    /// use plyfold_transform::shift::Shift;
    /// use shakmaty::Bitboard;
    /// let long_diagonal = 0x8040_2010_0804_0201;
    /// let shift = Shift::new(2, -1).expect("at most seven files and ranks");
    /// assert_eq!(format!("\n{:?}", Bitboard(shift.bitboard(long_diagonal))), "
    /// . . . . . . . .
    /// . . . . . . . .
    /// . . . . . . . .
    /// . . . . . . . 1
    /// . . . . . . 1 .
    /// . . . . . 1 . .
    /// . . . . 1 . . .
    /// . . . 1 . . . .
    /// ");
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn bitboard(self, word: u64) -> u64 {
        let stays = word & self.squares_that_stay();
        // What stays does not wrap around an edge, so one bit shift moves files and ranks.
        let by = self.ranks as i32 * 8 + self.files as i32;
        match by {
            ..0 => stays >> (-by & 63),
            _ => stays << (by & 63),
        }
    }

    /// Returns where a set of squares goes; none if some of them leave the board.
    #[inline]
    #[must_use]
    pub const fn bitboard_if_inside(self, word: u64) -> Option<u64> {
        if word & !self.squares_that_stay() == 0 { Some(self.bitboard(word)) } else { None }
    }

    /// The squares that do not leave the board.
    #[inline(always)]
    #[must_use]
    pub(crate) const fn squares_that_stay(self) -> u64 {
        let files = match self.files {
            ..0 => FILES_UP_TO_H[(-self.files) as usize & 7],
            0 => u64::MAX,
            _ => !FILES_UP_TO_H[(8 - self.files) as usize & 7],
        };
        let ranks = match self.ranks {
            ..0 => u64::MAX << (-self.ranks as u32 * 8),
            _ => u64::MAX >> (self.ranks as u32 * 8),
        };
        files & ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_follow_squares() {
        assert_eq!(Shift::all().count(), 225);
        for shift in Shift::all() {
            let mut staying = 0;
            for square in 0..64 {
                let there = shift.square(square).map_or(0, |there| 1u64 << there);
                assert_eq!(shift.bitboard(1 << square), there, "{shift:?} of {square}");
                assert_eq!(shift.bitboard_if_inside(1 << square), (there != 0).then_some(there));
                staying |= u64::from(there != 0) << square;
            }
            assert_eq!(shift.squares_that_stay(), staying, "{shift:?}");
        }
        assert_eq!(Shift::new(8, 0), None);
        assert_eq!(Shift::new(0, -8), None);
    }
}
