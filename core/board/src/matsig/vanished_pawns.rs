//! The pawns that vanish between two signatures. This file decides whether they can have promoted or been captured as rules 3 and
//! 4 of [`reach`](super::reach) require.

use super::side_word::{pawn_count, pawns_per_rank, steps_by_rank};

/// The conditions on the pawns that vanish.
pub(super) struct VanishedPawns {
    /// The fewest promotions: of all kinds, to bishops on light squares, to bishops on dark squares.
    pub(super) min_promotions: i32,
    pub(super) min_light_bishops: i32,
    pub(super) min_dark_bishops: i32,
    /// The files on which a pawn promotes on a light square.
    pub(super) light_files: u64,
    /// The fewest and the most steps of the vanishing pawns, counted from their home rank; none if they are unknown.
    pub(super) steps: Option<(i32, i32)>,
    pub(super) max_steps_of_captured: i32,
}

impl VanishedPawns {
    /// Whether the pawns `vanished` can have vanished with this number of captures.
    #[inline(always)]
    pub(super) fn is_consistent(&self, vanished: u64, captures: i32) -> bool {
        match self.steps {
            None if self.min_light_bishops | self.min_dark_bishops == 0 => captures >= 0,
            None => self.bishop_color_captures(vanished) <= captures,
            Some(_) if vanished == 0 => captures >= 0 && self.steps_are_consistent(0, 0),
            Some(_) => self.some_split_is_consistent(vanished, captures),
        }
    }

    /// Whether some of `vanished` can have promoted while the others were captured.
    fn some_split_is_consistent(&self, vanished: u64, captures: i32) -> bool {
        if self.min_light_bishops | self.min_dark_bishops == 0 {
            return captures >= 0 && self.promoting_foremost_is_consistent(vanished);
        }
        let mut promoted = vanished;
        loop {
            if pawn_count(promoted) >= self.min_promotions
                && self.steps_are_consistent(promoted, vanished & !promoted)
                && self.bishop_color_captures(promoted) <= captures
            {
                return true;
            }
            if promoted == 0 {
                return false;
            }
            promoted = promoted.wrapping_sub(1) & vanished;
        }
    }

    /// Whether the pawns `vanished` can have vanished if any pawn may promote. Promoting the foremost pawns is best, because it
    /// leaves the most room for the steps of the others.
    fn promoting_foremost_is_consistent(&self, vanished: u64) -> bool {
        let (mut captured, mut promoted) = (0, vanished);
        loop {
            if self.steps_are_consistent(promoted, captured) {
                return true;
            }
            let rearmost = promoted & promoted.wrapping_neg();
            (captured, promoted) = (captured | rearmost, promoted ^ rearmost);
            if rearmost == 0 || pawn_count(promoted) < self.min_promotions {
                return false;
            }
        }
    }

    #[inline(always)]
    fn steps_are_consistent(&self, promoted: u64, captured: u64) -> bool {
        self.steps.is_none_or(|(least, most)| {
            let promoted = 6 * pawn_count(promoted);
            (promoted + steps_by_rank(pawns_per_rank(captured))).max(least)
                <= (promoted + self.max_steps_of_captured * pawn_count(captured)).min(most)
        })
    }

    /// The captures that bring promoted bishops to squares of their colour.
    #[inline(always)]
    fn bishop_color_captures(&self, promoted: u64) -> i32 {
        let (light, dark) = (pawn_count(promoted & self.light_files), pawn_count(promoted & !self.light_files));
        (self.min_light_bishops - light).max(0) + (self.min_dark_bishops - dark).max(0)
    }
}
