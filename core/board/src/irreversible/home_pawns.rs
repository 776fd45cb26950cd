//! The home-pawn signature of a game, one byte each: when each pawn left its home square, and how many pawns promoted.
//!
//! Signatures are stored by column, so a scan tests a block of games at once for the home pawns that it looks for. A position
//! with pawns on a2, c2 and d2 but none on e2 can only stand between the ply at which the e-pawn left and the ply at which the
//! first of the others left.

use wide::u8x16;

use super::material::{self, PackedPieceCounts};
use super::{EventStreams, mover_at, pawns};
use crate::board::Board;

/// The number of columns: White's pawns from a2 to h2, Black's from a7 to h7, and the promotions.
pub const SIGNATURE_COLUMNS: usize = 17;
/// The number of columns of pawns.
pub const HOME_SQUARES: usize = 16;
/// The column of the promotions: White's number in the lower four bits, Black's in the upper ones. `MAX_PROMOTIONS` means that
/// number or more.
pub const PROMOTION_COLUMN: usize = 16;
/// The highest number of promotions of a side that a signature can hold.
pub(crate) const MAX_PROMOTIONS: u8 = 15;
/// A pawn that never left.
pub(crate) const NEVER_LEFT: u8 = 255;
/// A pawn that left after this ply or later.
pub(crate) const LEFT_LATE: u8 = 254;

/// The home-pawn signature of one game, by column. For a home square, the byte is the ply after which the square had no pawn of
/// its side, 0 if it had none from the beginning, `LEFT_LATE` or `NEVER_LEFT`. The last column has the promotions.
pub type HomePawnSignature = [u8; SIGNATURE_COLUMNS];

/// The home squares in a set of White's squares and in a set of Black's, one bit for each column.
#[inline(always)]
pub const fn home_bits([white, black]: [u64; 2]) -> u16 {
    (white >> 8 & 0xff) as u16 | (black >> 40 & 0xff00) as u16
}

/// The inverse of [`home_bits`]: the home squares of White and of Black.
pub const fn home_squares(homes: u16) -> [u64; 2] {
    [(homes as u64 & 0xff) << 8, (homes as u64 & 0xff00) << 40]
}

/// The totals of a game's events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventTotals {
    /// The home-pawn signature.
    pub home_pawns: HomePawnSignature,
    /// White's and Black's pawns after the last ply.
    pub pawns: [u64; 2],
    /// How many ranks the pawns of White and of Black have advanced, including those that are gone.
    pub steps: [u32; 2],
    /// The pieces after the last ply.
    pub piece_counts: PackedPieceCounts,
}

impl EventTotals {
    /// The totals of a game that starts on `start`, all fields of which are set.
    pub fn from_streams(start: &Board, course: EventStreams<'_>) -> EventTotals {
        let (mut pawns, mut steps) = (start.pawns(), [0; 2]);
        let initial_homes = home_bits(pawns);
        let mut milestones: HomePawnSignature = core::array::from_fn(|column| {
            if column < PROMOTION_COLUMN && initial_homes >> column & 1 != 0 { NEVER_LEFT } else { 0 }
        });
        let mut ply = 0;
        for &event in course.pawns {
            ply += pawns::gap(event);
            let mover = mover_at(start.turn, ply);
            let changed = pawns::changed_squares(event, mover);
            pawns = [pawns[0] ^ changed[0], pawns[1] ^ changed[1]];
            steps[mover.index()] += pawns::ranks_advanced(event);
            // No pawn ever arrives on a home square of its side, so a pawn that changes there has left.
            let mut departed = home_bits(changed);
            while departed != 0 {
                let departure_ply = &mut milestones[departed.trailing_zeros() as usize];
                *departure_ply = (*departure_ply).min(ply.min(LEFT_LATE.into()) as u8);
                departed &= departed - 1;
            }
        }
        let (mut numbers, mut promoted) = (PackedPieceCounts::from_board(start), [0u8; 2]);
        let mut ply = 0;
        for &event in course.material {
            ply += material::gap(event);
            let mover = mover_at(start.turn, ply);
            numbers.apply(event, mover);
            let promoted = &mut promoted[mover.index()];
            *promoted += u8::from(material::is_promotion(event) && *promoted < MAX_PROMOTIONS);
        }
        milestones[PROMOTION_COLUMN] = promoted[0] | promoted[1] << 4;
        EventTotals { home_pawns: milestones, pawns, steps, piece_counts: numbers }
    }
}

/// The most promotions of White and of Black, from the byte of their column.
#[inline(always)]
pub const fn max_promotions(promotions: u8) -> [i32; 2] {
    const fn side(number: u8) -> i32 {
        if number == MAX_PROMOTIONS { i32::MAX } else { number as i32 }
    }
    [side(promotions & MAX_PROMOTIONS), side(promotions >> 4)]
}

/// The home squares on which a pattern has pawns, and those on which it has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HomePawnConstraint {
    /// One bit for each column: pawns that must be at home.
    pub at_home: u16,
    /// One bit for each column: home squares that must have no pawn of their side.
    pub departed: u16,
}

impl HomePawnConstraint {
    /// The constraint of the squares where White's and Black's pawns must stand, and of those where they may stand.
    pub fn new(required: [u64; 2], allowed: [u64; 2]) -> HomePawnConstraint {
        HomePawnConstraint { at_home: home_bits(required), departed: home_bits(allowed.map(|squares| !squares)) }
    }

    /// Returns which of up to 64 games may have had a position with these home pawns, one bit each. Bits beyond the last game mean
    /// nothing. `column` returns the bytes of these games.
    ///
    /// PERF: the compiler vectorises the loops; two operations a column serve sixteen games.
    #[inline(never)]
    pub fn possible_games<'a>(&self, column: &dyn Fn(usize) -> &'a [u8]) -> u64 {
        if self.departed == 0 {
            return u64::MAX;
        }
        let (mut latest_departure, mut first_departure) = ([0u8; 64], [NEVER_LEFT; 64]);
        for home in shakmaty::Bitboard(self.departed.into()) {
            combine_column(&mut latest_departure, column(home as usize), u8::max);
        }
        for home in shakmaty::Bitboard(self.at_home.into()) {
            combine_column(&mut first_departure, column(home as usize), u8::min);
        }
        // Late departures may have any order; otherwise no two pawns leave after the same ply.
        let mut possible = 0;
        let (latest, first) = (latest_departure.as_chunks::<16>().0, first_departure.as_chunks::<16>().0);
        for (nth, (&latest, &first)) in latest.iter().zip(first).enumerate() {
            let (latest, first) = (u8x16::new(latest), u8x16::new(first));
            let refused = latest.simd_eq(u8x16::splat(NEVER_LEFT)) | !latest.max(first).simd_eq(first);
            possible |= u64::from(!refused.to_bitmask() & 0xffff) << (nth * 16);
        }
        possible
    }
}

/// Combines each byte of a block with the byte of the column by `of`; the column may be shorter.
#[inline(always)]
fn combine_column(block: &mut [u8; 64], column: &[u8], of: fn(u8, u8) -> u8) {
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
            let homes = HomePawnConstraint { at_home: kept & few, departed: left & !kept & few };
            let columns: alloc::vec::Vec<alloc::vec::Vec<u8>> =
                (0..SIGNATURE_COLUMNS).map(|column| games.iter().map(|game| game[column]).collect()).collect();
            let found = homes.possible_games(&|column| &columns[column]);
            for (nth, game) in games.iter().enumerate() {
                let of = |homes: u16| (0..PROMOTION_COLUMN).filter(move |column| homes >> column & 1 != 0).map(|column| game[column]);
                let latest = of(homes.departed).max();
                let first = of(homes.at_home).min().unwrap_or(NEVER_LEFT);
                let may = latest.is_none_or(|latest| latest != NEVER_LEFT && latest <= first);
                prop_assert_eq!(found >> nth & 1 != 0, may);
            }
        }
    }
}
