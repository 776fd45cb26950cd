//! Tests predicates about the clock: plies since the last capture or move of a pawn.
//!
//! The streams of events say at which plies that was. The clock is below `k` there and at the `k - 1` plies after, so that is the set
//! of these plies joined with itself moved on, which doubles `k` at a time. There is no board, and no ply is looked at by itself.

use alloc::vec::Vec;

use super::plies::{fill, words};
use super::predicate::{Comparison, Predicate, Size, Term};
use crate::course::{Course, men, pawns};

/// A number of the position, times a weight, is compared with a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Compared {
    weight: i64,
    comparison: Comparison,
    constant: i64,
}

impl Compared {
    /// The comparison of one number and nothing else.
    pub fn of(predicate: &Predicate) -> Option<Compared> {
        match predicate {
            Predicate::Compare { terms, comparison, constant } => Compared::of_terms(terms, *comparison, *constant),
            _ => None,
        }
    }

    /// The same, where weight and constant are such that nothing overflows.
    pub fn of_terms(terms: &[Term], comparison: Comparison, constant: i64) -> Option<Compared> {
        const FAR: u64 = 1 << 40;
        let [Term { weight, size: Size::Measure(_) }] = *terms else { return None };
        let sensible = weight != 0 && weight.unsigned_abs() < FAR >> 16 && constant.unsigned_abs() < FAR;
        sensible.then_some(Compared { weight, comparison, constant })
    }

    /// Whether it holds where the number is this.
    #[inline]
    pub fn holds(self, number: i64) -> bool {
        self.comparison.holds(self.weight.saturating_mul(number), self.constant)
    }
}

/// What [`Board::halfmoves`](crate::board::Board::halfmoves) can be at most.
const MOST: i64 = u16::MAX as i64;

/// Which values of the clock fulfil a comparison: all below a limit or none, the limit itself, all above it or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Limit {
    /// From -1, which no clock shows, to one more than it can show.
    at: i64,
    /// Below, at and above the limit, all ones or none.
    holds: [u64; 3],
}

impl Limit {
    /// The limit is where weight and clock make the constant, rounded.
    pub fn new(compared: Compared) -> Limit {
        let at = compared.constant.div_euclid(compared.weight).clamp(-1, MOST + 1);
        Limit { at, holds: [at - 1, at, at + 1].map(|clock| if compared.holds(clock) { u64::MAX } else { 0 }) }
    }
}

/// When a game did something that cannot be taken back; its memory serves the next.
#[derive(Default)]
pub(super) struct Clock {
    /// Plies of captures, promotions and moves of pawns.
    zero: Vec<u64>,
    below: Vec<u64>,
    up_to: Vec<u64>,
}

impl Clock {
    /// Reads the course of a game of so many plies.
    pub fn read(&mut self, course: Course<'_>, plies: usize) {
        self.zero.clear();
        self.zero.resize(words(plies), 0);
        mark::<{ men::WAIT }>(course.men, 0, &mut self.zero);
        mark::<{ pawns::WAIT }>(course.pawns, pawns::FILLER, &mut self.zero);
    }

    /// Adds to `set` the plies at which the clock is as `limit` asks, in a game that starts with it at `start`.
    pub fn find(&mut self, limit: Limit, start: u16, set: &mut [u64]) {
        below(&self.zero, limit.at, start, &mut self.below);
        below(&self.zero, limit.at + 1, start, &mut self.up_to);
        let [less, same, more] = limit.holds;
        for ((set, &below), &up_to) in set.iter_mut().zip(&self.below).zip(&self.up_to) {
            *set |= less & below | same & up_to & !below | more & !up_to;
        }
    }

    /// Plies since which nothing that cannot be taken back was done for at least so many plies, from the start of the game on.
    pub fn at_least(&mut self, least: usize) -> &[u64] {
        below(&self.zero, least as i64, 0, &mut self.below);
        self.below.iter_mut().for_each(|word| *word = !*word);
        &self.below
    }
}

/// Adds the plies of these events, but those that only fill a longer wait.
fn mark<const WAIT: u32>(events: &[u16], filler: u16, set: &mut [u64]) {
    let mut ply = 0usize;
    for &event in events {
        ply += usize::from(event >> WAIT);
        let Some(word) = set.get_mut(ply.wrapping_sub(1) / 64) else { break };
        *word |= u64::from(event & ((1 << WAIT) - 1) != filler) << (ply.wrapping_sub(1) % 64);
    }
}

/// The plies at which the clock is below `limit`, if it is zero at those of `zero` and `start` before the first ply.
fn below(zero: &[u64], limit: i64, start: u16, found: &mut Vec<u64>) {
    found.clear();
    let end = zero.len() * 64;
    let limit = match limit {
        ..=0 => return found.resize(zero.len(), 0),
        _ if limit > MOST => return found.resize(zero.len(), u64::MAX),
        limit => limit as usize,
    };
    found.extend_from_slice(zero);
    let mut known = 1;
    while known < limit.min(end) {
        let step = known.min(limit - known);
        let (words, bits) = (step / 64, step % 64);
        for nth in (words..found.len()).rev() {
            // Two shifts, because one by 64 is none.
            let lower = nth.checked_sub(words + 1).map_or(0, |nth| found[nth] >> 1 >> (63 - bits));
            found[nth] |= found[nth - words] << bits | lower;
        }
        known += step;
    }
    fill(found, 0, (limit - 1).saturating_sub(start.into()).min(end));
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use proptest::prelude::*;

    use super::*;
    use crate::scan::measure::numbers::NUMBERS;

    const COMPARISONS: [Comparison; 6] = [
        Comparison::Equal,
        Comparison::Unequal,
        Comparison::Less,
        Comparison::AtMost,
        Comparison::More,
        Comparison::AtLeast,
    ];

    proptest! {
        #[test]
        fn clocks_run_from_capture_to_capture(
            zero in prop::collection::vec(0usize..700, 0..12), plies in 1usize..600, near in -3i64..9, far in any::<i64>(),
            is_near in any::<bool>(), weight in -4i64..5, start in prop_oneof![Just(0u16), 0u16..200, 65_400u16..],
        ) {
            let constant = if is_near { near * 11 } else { far };
            let term = Term { weight, size: Size::Measure(NUMBERS[1]) };
            let mut clock = Clock { zero: vec![0; words(plies)], ..Clock::default() };
            for ply in zero.iter().filter(|&&ply| ply < plies) {
                clock.zero[ply / 64] |= 1 << (ply % 64);
            }
            for comparison in COMPARISONS {
                let Some(compared) = Compared::of_terms(core::slice::from_ref(&term), comparison, constant) else { continue };
                let mut set = vec![0; words(plies)];
                clock.find(Limit::new(compared), start, &mut set);
                let mut now = start;
                for ply in 0..plies {
                    now = if zero.contains(&ply) { 0 } else { now.saturating_add(1) };
                    prop_assert_eq!(set[ply / 64] >> (ply % 64) & 1 != 0, compared.holds(now.into()), "{} at {}", now, ply);
                }
            }
        }
    }
}
