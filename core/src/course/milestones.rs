//! Milestones of a game, a byte each: when each pawn left its home, and how many pawns became something else.
//!
//! They are kept column by column, so that a scan asks all games of a block at once whether they ever can have had the pawns at home
//! that it looks for: a position with pawns still on a2, c2 and d2 but none on e2 stood, if ever, from the ply at which the
//! e-pawn left to that at which the first of the others did.

use wide::u8x16;

use super::men::{self, Numbers};
use super::{Course, mover, pawns};
use crate::board::Board;

/// Columns: White's pawns from a2 to h2, Black's from a7 to h7, and the promotions.
pub const COLUMNS: usize = 17;
/// Columns of pawns.
pub const HOMES: usize = 16;
/// The column of the promotions: White's number in the lower four bits, Black's in the upper ones; [`MANY`] is that or more.
pub const PROMOTIONS: usize = 16;
/// The highest number of promotions that is told.
pub const MANY: u8 = 15;
/// A pawn that never left.
pub const NEVER: u8 = 255;
/// A pawn that left after so many plies or more.
pub const LATE: u8 = 254;

/// The milestones of one game, by column: the ply after which a home had no pawn of its side any more, 0 where it had none from the
/// beginning, [`LATE`], [`NEVER`]; and the promotions.
pub type Milestones = [u8; COLUMNS];

/// The homes among squares of White, and of Black, a bit a column.
#[inline(always)]
pub const fn homes([white, black]: [u64; 2]) -> u16 {
    (white >> 8 & 0xff) as u16 | (black >> 40 & 0xff00) as u16
}

/// The squares of these homes, White's and Black's.
pub const fn at_home(homes: u16) -> [u64; 2] {
    [(homes as u64 & 0xff) << 8, (homes as u64 & 0xff00) << 40]
}

/// What the events of a game come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sum {
    /// The milestones.
    pub milestones: Milestones,
    /// White's and Black's pawns after the last ply.
    pub pawns: [u64; 2],
    /// How many ranks the pawns of White and of Black have gone, those included that are gone.
    pub steps: [u32; 2],
    /// The men after the last ply.
    pub numbers: Numbers,
}

impl Sum {
    /// Of a game that starts on `start`, which has all numbers set.
    pub fn of(start: &Board, course: Course<'_>) -> Sum {
        let (mut pawns, mut steps) = ([start.of[1], start.of[9]], [0; 2]);
        let at_start = homes(pawns);
        let mut milestones: Milestones =
            core::array::from_fn(|column| if column < PROMOTIONS && at_start >> column & 1 != 0 { NEVER } else { 0 });
        let mut ply = 0;
        for &event in course.pawns {
            ply += pawns::gap(event);
            let mover = mover(start.turn, ply);
            let changed = pawns::change(event, mover);
            pawns = [pawns[0] ^ changed[0], pawns[1] ^ changed[1]];
            steps[usize::from(mover >> 3)] += pawns::steps(event);
            // No pawn comes to the home of its side, so what changes there leaves.
            let mut left = homes(changed);
            while left != 0 {
                let left_at = &mut milestones[left.trailing_zeros() as usize];
                *left_at = (*left_at).min(ply.min(LATE.into()) as u8);
                left &= left - 1;
            }
        }
        let (mut numbers, mut promoted) = (Numbers::of(start), [0u8; 2]);
        let mut ply = 0;
        for &event in course.men {
            ply += men::gap(event);
            let mover = mover(start.turn, ply);
            numbers.apply(event, mover);
            let promoted = &mut promoted[usize::from(mover >> 3)];
            *promoted += u8::from(men::becomes(event) && *promoted < MANY);
        }
        milestones[PROMOTIONS] = promoted[0] | promoted[1] << 4;
        Sum { milestones, pawns, steps, numbers }
    }
}

/// Promotions of White and of Black at most, out of the byte of their column.
#[inline(always)]
pub const fn at_most(promotions: u8) -> [i32; 2] {
    const fn side(number: u8) -> i32 {
        if number == MANY { i32::MAX } else { number as i32 }
    }
    [side(promotions & MANY), side(promotions >> 4)]
}

/// Pawns at home that something looked for has, and has not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Homes {
    /// A bit a column: pawns that must be there.
    pub kept: u16,
    /// Pawns that must have left.
    pub left: u16,
}

impl Homes {
    /// Where pawns of White, and of Black, must stand, and where they may.
    pub fn new(required: [u64; 2], allowed: [u64; 2]) -> Homes {
        Homes { kept: homes(required), left: homes(allowed.map(|squares| !squares)) }
    }

    /// Of up to 64 games, those that may have had the pawns at home so, a bit each; bits beyond the last game say nothing. `column` has
    /// the bytes of these games.
    ///
    /// PERF: the compiler makes vectors of the loops; two operations a column serve sixteen games.
    #[inline(never)]
    pub fn may_stand<'a>(&self, column: &dyn Fn(usize) -> &'a [u8]) -> u64 {
        if self.left == 0 {
            return u64::MAX;
        }
        let (mut from, mut until) = ([0u8; 64], [NEVER; 64]);
        for home in shakmaty::Bitboard(self.left.into()) {
            each(&mut from, column(home as usize), u8::max);
        }
        for home in shakmaty::Bitboard(self.kept.into()) {
            each(&mut until, column(home as usize), u8::min);
        }
        // Those that left late may have left in any order; otherwise no two leave by the same ply.
        let mut stood = 0;
        for (nth, (from, until)) in from.chunks_exact(16).zip(until.chunks_exact(16)).enumerate() {
            let (mut latest, mut first) = ([0; 16], [0; 16]);
            latest.copy_from_slice(from);
            first.copy_from_slice(until);
            let (latest, first) = (u8x16::new(latest), u8x16::new(first));
            let refused = latest.simd_eq(u8x16::splat(NEVER)) | !latest.max(first).simd_eq(first);
            stood |= u64::from(!refused.to_bitmask() & 0xffff) << (nth * 16);
        }
        stood
    }
}

/// Each byte of a block becomes what `of` makes of it and of that in the column, which may be shorter.
#[inline(always)]
fn each(block: &mut [u8; 64], column: &[u8], of: fn(u8, u8) -> u8) {
    match column.first_chunk::<64>() {
        Some(column) => (0..64).for_each(|nth| block[nth] = of(block[nth], column[nth])),
        None => block.iter_mut().zip(column).for_each(|(byte, &other)| *byte = of(*byte, other)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn homes_of_many_games_are_those_of_each(
            games in prop::collection::vec(prop::array::uniform17(prop_oneof![0u8..9, 250u8..=255]), 0..65),
            kept in any::<u16>(), left in any::<u16>(), few in any::<u16>(),
        ) {
            let homes = Homes { kept: kept & few, left: left & !kept & few };
            let columns: alloc::vec::Vec<alloc::vec::Vec<u8>> =
                (0..COLUMNS).map(|column| games.iter().map(|game| game[column]).collect()).collect();
            let found = homes.may_stand(&|column| &columns[column]);
            for (nth, game) in games.iter().enumerate() {
                let of = |homes: u16| (0..PROMOTIONS).filter(move |column| homes >> column & 1 != 0).map(|column| game[column]);
                let latest = of(homes.left).max();
                let first = of(homes.kept).min().unwrap_or(NEVER);
                let may = latest.is_none_or(|latest| latest != NEVER && latest <= first);
                prop_assert_eq!(found >> nth & 1 != 0, may);
            }
        }
    }
}
