//! Stage 3, track: what a condition says of a game, once it is known at which plies its formula holds.
//!
//! A window turns a set of plies into yes or no: `ever` wants one of them, a streak so many in a row. What is not known yet is
//! a set that must hold and a larger one that may; the same window on both says what is certain.

use super::plies;

/// Whether a set of plies has `streak` in a row.
#[inline(always)]
pub fn fulfilled(set: &[u64], streak: u32) -> bool {
    match streak {
        0 | 1 => set.iter().any(|&word| word != 0),
        streak => plies::rows(set, streak as usize).next().is_some(),
    }
}

/// Adds to `open` the plies at which a condition that is not settled may still be fulfilled: what may hold, in rows that are long
/// enough, and is not known to hold.
pub fn open_plies(must: &[u64], may: &[u64], streak: u32, open: &mut [u64]) {
    if streak <= 1 {
        for ((open, must), may) in open.iter_mut().zip(must).zip(may) {
            *open |= may & !must;
        }
        return;
    }
    for (from, to) in plies::rows(may, streak as usize) {
        for nth in from / 64..=(to - 1) / 64 {
            let row = plies::within(to, nth) & !plies::within(from, nth);
            open[nth] |= row & !must[nth];
        }
    }
}
