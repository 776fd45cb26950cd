//! Ply filters select plies of a game: `before move 20`, `at ply 8`, `at end`.
//!
//! Plies count from 1 at the first move played. Moves have the numbers that a printed score gives them, so in a game from a
//! set-up position they begin with the number in its FEN.

/// A range of plies of a game: those that lie within all the bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlyFilter {
    /// The first and the last ply that pass.
    pub ply_bounds: (u32, u32),
    /// The first and the last move that pass.
    pub move_bounds: (u32, u32),
    /// Whether only the last ply of the game passes.
    pub at_end: bool,
}

impl PlyFilter {
    /// The filter that every ply passes, and the start position as ply 0.
    pub const EVERY_PLY: PlyFilter = PlyFilter { ply_bounds: (0, u32::MAX), move_bounds: (0, u32::MAX), at_end: false };

    /// Returns the plies that pass both filters.
    #[must_use]
    pub fn intersect(self, other: PlyFilter) -> PlyFilter {
        let both = |one: (u32, u32), two: (u32, u32)| (one.0.max(two.0), one.1.min(two.1));
        PlyFilter {
            ply_bounds: both(self.ply_bounds, other.ply_bounds),
            move_bounds: both(self.move_bounds, other.move_bounds),
            at_end: self.at_end || other.at_end,
        }
    }

    /// Returns whether no game can have such a ply.
    pub fn is_empty(self) -> bool {
        self.ply_bounds.0.max(1) > self.ply_bounds.1 || self.move_bounds.0 > self.move_bounds.1
    }

    /// Returns whether the start position passes, as the position after ply 0. Its move is that of a ply before the first.
    pub fn holds_at_start(self, first_half_move: u32) -> bool {
        let (first, last) = self.move_bounds;
        self.ply_bounds.0 == 0 && (first..=last).contains(&first_half_move.div_ceil(2)) && !self.at_end
    }

    /// Returns whether ply `ply` (from 1) passes in a game of `plies` plies.
    /// `first_half_move` is the half-move number of the first ply: 0 for White's first move, 1 for the reply to it, and so on.
    pub fn holds(self, ply: usize, plies: usize, first_half_move: u32) -> bool {
        let within = |number: u64, (least, most): (u32, u32)| u64::from(least) <= number && number <= u64::from(most);
        within(ply as u64, self.ply_bounds)
            && within((u64::from(first_half_move) + ply as u64 - 1) / 2 + 1, self.move_bounds)
            && (!self.at_end || ply == plies)
    }

    /// Returns the plies that pass as a range of plies from 0: the first, and one past the last.
    #[inline]
    pub(crate) fn ply_range(self, plies: usize, first_half_move: u32) -> (usize, usize) {
        if self == PlyFilter::EVERY_PLY {
            return (0, plies);
        }
        let first = u64::from(first_half_move);
        let from_move = (u64::from(self.move_bounds.0.max(1)) - 1) * 2;
        let from = u64::from(self.ply_bounds.0.max(1) - 1).max(from_move.saturating_sub(first));
        let to = u64::from(self.ply_bounds.1)
            .min((u64::from(self.move_bounds.1) * 2).saturating_sub(first))
            .min(plies as u64);
        let from = if self.at_end { from.max((plies as u64).saturating_sub(1)) } else { from };
        (from.min(to) as usize, to as usize)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_range_is_where_it_holds(
            plies in (0u32..20, 0u32..20), moves in (0u32..10, 0u32..10), at_end: bool, length in 0usize..20, first in 0u32..9,
            unbounded in 0u8..4,
        ) {
            let mut when = PlyFilter { ply_bounds: plies, move_bounds: moves, at_end };
            if unbounded & 1 != 0 {
                when.ply_bounds = PlyFilter::EVERY_PLY.ply_bounds;
            }
            if unbounded & 2 != 0 {
                when.move_bounds = PlyFilter::EVERY_PLY.move_bounds;
            }
            let (from, to) = when.ply_range(length, first);
            for ply in 1..=length {
                prop_assert_eq!(when.holds(ply, length, first), (from..to).contains(&(ply - 1)), "{:?} {}", when, ply);
            }
        }
    }
}
