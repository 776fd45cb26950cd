//! The halfmove clock counts the plies since the last capture or pawn move; the event streams say when these were.
//!
//! The clock is below `k` at such a ply and at the `k - 1` plies after, so the plies with a smaller clock are the set of these plies joined
//! with itself moved on, which doubles `k` at a time. There is no board, and no ply is looked at by itself.

use alloc::vec::Vec;

use crate::irreversible::{EventStreams, material, pawns};
use crate::scan::plies::{set_range, word_count};
use crate::scan::predicate::SingleComparison;

/// What [`Board::halfmoves`](crate::board::Board::halfmoves) can be at most.
const MAX_HALFMOVES: i64 = u16::MAX as i64;

/// Which values of the clock fulfil a comparison: all below a limit or none, the limit itself, all above it or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::scan) struct ClockThreshold {
    /// From -1, which no clock shows, to one more than it can show.
    value: i64,
    /// Below, at and above the limit, all ones or none.
    holds_below_at_above: [u64; 3],
}

impl ClockThreshold {
    /// The limit is where weight and clock make the constant, rounded.
    pub fn new(comparison: SingleComparison) -> ClockThreshold {
        let at = comparison.constant.div_euclid(comparison.weight).clamp(-1, MAX_HALFMOVES + 1);
        ClockThreshold {
            value: at,
            holds_below_at_above: [at - 1, at, at + 1].map(|clock| if comparison.holds(clock) { u64::MAX } else { 0 }),
        }
    }
}

/// When a game did something that cannot be taken back; its memory serves the next.
#[derive(Default)]
pub(in crate::scan) struct HalfmoveClock {
    /// Plies of captures, promotions and moves of pawns.
    resets: Vec<u64>,
    below: Vec<u64>,
    at_most: Vec<u64>,
}

impl HalfmoveClock {
    /// Reads the course of a game of so many plies.
    pub fn read_resets(&mut self, course: EventStreams<'_>, plies: usize) {
        self.resets.clear();
        self.resets.resize(word_count(plies), 0);
        mark_event_plies::<{ material::GAP_SHIFT }>(course.material, 0, &mut self.resets);
        mark_event_plies::<{ pawns::GAP_SHIFT }>(course.pawns, pawns::FILLER, &mut self.resets);
    }

    /// Adds to `set` the plies at which the clock is as `limit` asks, in a game that starts with it at `start`.
    pub fn add_matching_plies(&mut self, threshold: ClockThreshold, start_value: u16, set: &mut [u64]) {
        plies_below(&self.resets, threshold.value, start_value, &mut self.below);
        plies_below(&self.resets, threshold.value + 1, start_value, &mut self.at_most);
        let [less, same, more] = threshold.holds_below_at_above;
        for ((set, &below), &up_to) in set.iter_mut().zip(&self.below).zip(&self.at_most) {
            *set |= less & below | same & up_to & !below | more & !up_to;
        }
    }

    /// Plies since which nothing that cannot be taken back was done for at least so many plies, from the start of the game on.
    pub fn quiet_for(&mut self, least: usize) -> &[u64] {
        plies_below(&self.resets, least as i64, 0, &mut self.below);
        self.below.iter_mut().for_each(|word| *word = !*word);
        &self.below
    }
}

/// Adds the plies of these events, but those that only fill a longer wait.
fn mark_event_plies<const WAIT: u32>(events: &[u16], filler: u16, set: &mut [u64]) {
    let mut ply = 0usize;
    for &event in events {
        ply += usize::from(event >> WAIT);
        let Some(word) = set.get_mut(ply.wrapping_sub(1) / 64) else { break };
        *word |= u64::from(event & ((1 << WAIT) - 1) != filler) << (ply.wrapping_sub(1) % 64);
    }
}

/// The plies at which the clock is below `limit`, if it is zero at those of `zero` and `start` before the first ply.
fn plies_below(resets: &[u64], limit: i64, start_value: u16, found: &mut Vec<u64>) {
    found.clear();
    let end = resets.len() * 64;
    let limit = match limit {
        ..=0 => return found.resize(resets.len(), 0),
        _ if limit > MAX_HALFMOVES => return found.resize(resets.len(), u64::MAX),
        limit => limit as usize,
    };
    found.extend_from_slice(resets);
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
    set_range(found, 0, (limit - 1).saturating_sub(start_value.into()).min(end));
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use proptest::prelude::*;

    use super::*;
    use crate::scan::measure::numbers::NUMBERS;
    use crate::scan::predicate::{BoardQuantity, NumberComparison, WeightedTerm};

    const COMPARISONS: [NumberComparison; 6] = [
        NumberComparison::Equal,
        NumberComparison::Unequal,
        NumberComparison::Less,
        NumberComparison::AtMost,
        NumberComparison::More,
        NumberComparison::AtLeast,
    ];

    proptest! {
        #[test]
        fn clocks_run_from_capture_to_capture(
            zero in prop::collection::vec(0usize..700, 0..12), plies in 1usize..600, near in -3i64..9, far in any::<i64>(),
            is_near in any::<bool>(), weight in -4i64..5, start in prop_oneof![Just(0u16), 0u16..200, 65_400u16..],
        ) {
            let constant = if is_near { near * 11 } else { far };
            let term = WeightedTerm { weight, quantity: BoardQuantity::Number(NUMBERS[1]) };
            let mut clock = HalfmoveClock { resets: vec![0; word_count(plies)], ..HalfmoveClock::default() };
            for ply in zero.iter().filter(|&&ply| ply < plies) {
                clock.resets[ply / 64] |= 1 << (ply % 64);
            }
            for comparison in COMPARISONS {
                let Some(compared) = SingleComparison::from_terms(core::slice::from_ref(&term), comparison, constant) else { continue };
                let mut set = vec![0; word_count(plies)];
                clock.add_matching_plies(ClockThreshold::new(compared), start, &mut set);
                let mut now = start;
                for ply in 0..plies {
                    now = if zero.contains(&ply) { 0 } else { now.saturating_add(1) };
                    prop_assert_eq!(set[ply / 64] >> (ply % 64) & 1 != 0, compared.holds(now.into()), "{} at {}", now, ply);
                }
            }
        }
    }
}
