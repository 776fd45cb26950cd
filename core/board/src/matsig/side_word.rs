//! Reads the word of one side: its counts, its pawns on ranks and files, and their steps.

use super::COUNTS_SHIFT;

/// The a-file of a word.
pub(super) const FILE_A: u64 = 0x0101_0101_0101;
/// The h-file of a word.
pub(super) const FILE_H: u64 = FILE_A << 7;

/// The five counts of a word, four bits each, in the order knights, dark bishops, queens, light bishops, rooks.
#[inline(always)]
pub(super) const fn unpack_counts(word: u64) -> u32 {
    let counts = (word >> COUNTS_SHIFT) as u32;
    counts & 0x333 | (counts >> 2 & 0x033) << 12
}

/// The sum of five numbers of four bits, if it is below sixteen.
#[inline(always)]
pub(super) const fn sum_nibbles(nibbles: u32) -> i32 {
    (nibbles.wrapping_mul(0x11111) >> 16 & 15) as i32
}

/// The number of pawns on each rank, one byte for each rank.
#[inline(always)]
pub(super) const fn pawns_per_rank(pawns: u64) -> u64 {
    let pairs = pawns - (pawns >> 1 & 0x5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333);
    (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f
}

/// The steps of pawns that go upwards, from their numbers on each rank.
#[inline(always)]
pub(super) const fn steps_by_rank(ranks: u64) -> i32 {
    (ranks.wrapping_mul(0x01_0203_0405) >> 40 & 0xff) as i32
}

/// The number of pawns.
#[inline(always)]
pub(super) const fn pawn_count(pawns: u64) -> i32 {
    (pawns_per_rank(pawns).wrapping_mul(FILE_A) >> 40 & 0xff) as i32
}
