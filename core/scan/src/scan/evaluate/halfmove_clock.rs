//! The halfmove clock counts the plies since the last capture or pawn move; the event streams say when these happened.
//!
//! The clock is below `k` at the ply of such a move and at the `k - 1` plies after it. So the set of plies with a clock below `k`
//! begins with the plies of these moves, and grows by being shifted and united with itself, which can double `k` each time. This
//! needs no board, and no loop over single plies.

use alloc::vec::Vec;

use plyfold_board::irreversible::{EventStreams, material, pawns};

use crate::scan::plies::{set_range, word_count};
use crate::scan::predicate::SingleComparison;

/// The highest value of [`Board::halfmoves`](plyfold_board::board::Board::halfmoves).
const MAX_HALFMOVES: i64 = u16::MAX as i64;

/// The values of the clock that fulfil a comparison, given as the results below, at and above a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::scan) struct ClockThreshold {
    /// The limit, from -1, which no clock shows, to one more than a clock can show.
    value: i64,
    /// Whether the comparison holds below, at and above the limit: all ones or none.
    holds_below_at_above: [u64; 3],
}

impl ClockThreshold {
    /// Makes the threshold of a comparison.
    /// The limit is the clock at which the weighted term equals the constant, rounded.
    pub fn new(comparison: SingleComparison) -> ClockThreshold {
        let at = comparison.constant.div_euclid(comparison.weight).clamp(-1, MAX_HALFMOVES + 1);
        ClockThreshold {
            value: at,
            holds_below_at_above: [at - 1, at, at + 1].map(|clock| if comparison.holds(clock) { u64::MAX } else { 0 }),
        }
    }
}

/// The plies at which a game resets the halfmove clock; the next game reuses the memory.
#[derive(Default)]
pub(in crate::scan) struct HalfmoveClock {
    /// The plies of captures, promotions and pawn moves.
    resets: Vec<u64>,
    below: Vec<u64>,
    at_most: Vec<u64>,
}

impl HalfmoveClock {
    /// Reads the event streams of a game with this number of plies.
    pub fn read_resets(&mut self, course: EventStreams<'_>, plies: usize) {
        self.resets.clear();
        self.resets.resize(word_count(plies), 0);
        mark_event_plies::<{ material::GAP_SHIFT }>(course.material, 0, &mut self.resets);
        mark_event_plies::<{ pawns::GAP_SHIFT }>(course.pawns, pawns::FILLER, &mut self.resets);
    }

    /// Adds to `set` the plies at which the clock fulfils `threshold`, in a game that starts with the clock at `start_value`.
    pub fn add_matching_plies(&mut self, threshold: ClockThreshold, start_value: u16, set: &mut [u64]) {
        plies_below(&self.resets, threshold.value, start_value, &mut self.below);
        plies_below(&self.resets, threshold.value + 1, start_value, &mut self.at_most);
        let [less, same, more] = threshold.holds_below_at_above;
        for ((set, &below), &up_to) in set.iter_mut().zip(&self.below).zip(&self.at_most) {
            *set |= less & below | same & up_to & !below | more & !up_to;
        }
    }

    /// Returns the plies that end at least `least` plies in a row without a capture or pawn move.
    /// The count begins at the start of the game.
    pub fn quiet_for(&mut self, least: usize) -> &[u64] {
        plies_below(&self.resets, least as i64, 0, &mut self.below);
        self.below.iter_mut().for_each(|word| *word = !*word);
        &self.below
    }
}

/// Adds the plies of these events, except fillers, which only extend a gap.
fn mark_event_plies<const WAIT: u32>(events: &[u16], filler: u16, set: &mut [u64]) {
    let mut ply = 0usize;
    for &event in events {
        ply += usize::from(event >> WAIT);
        let Some(word) = set.get_mut(ply.wrapping_sub(1) / 64) else { break };
        *word |= u64::from(event & ((1 << WAIT) - 1) != filler) << (ply.wrapping_sub(1) % 64);
    }
}

/// Finds the plies at which the clock is below `limit`, if `resets` set it to zero and it is `start_value` before the first ply.
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
            // Two shifts, because a single shift by 64 is not allowed.
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
    use crate::scan::predicate::{BoardQuantity, NumberComparison, SumComparison, WeightedTerm};

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
            for (comparison, _) in NumberComparison::NAMED {
                let sum = SumComparison { terms: vec![term.clone()], comparison, constant };
                let Some(compared) = SingleComparison::from_predicate(&sum.into()) else { continue };
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
