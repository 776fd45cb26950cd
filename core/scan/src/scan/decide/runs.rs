//! Windows count plies word by word: the ends of runs, the plies counted so far, and the plies that follow others within a limit.
//!
//! Each function takes the 64 plies of a word and a number that it carries to the next word.

use crate::scan::plies::valid_bits;

/// Returns all plies from the first of `plies` on.
pub(super) fn from_first_on(plies: u64) -> u64 {
    plies | plies.wrapping_neg()
}

/// Returns the plies that end a run of at least `least`; `run_length` is the length of the run at the end of the word before.
pub(super) fn run_ends(plies: u64, run_length: &mut u32, least: u32) -> u64 {
    // Runs within the word: `ends` has the plies that end a run of `reach`, and `reach` doubles until it is `least`.
    let (mut ends, mut reach) = (plies, 1);
    while reach < least && ends != 0 {
        let step = reach.min(least - reach);
        ends &= ends.checked_shl(step).unwrap_or(0);
        reach += step;
    }
    // The run that continues from the word before.
    let continuation = plies.trailing_ones();
    let (from, to) = (least.saturating_sub(*run_length).max(1) - 1, continuation);
    if from < to {
        ends |= valid_bits(to as usize, 0) & !valid_bits(from as usize, 0);
    }
    *run_length = if continuation == 64 { run_length.saturating_add(64) } else { plies.leading_ones() };
    ends
}

/// Returns the plies at which at least `least` plies have been counted; `total` is the number counted before this word.
pub(super) fn count_reached(plies: u64, total: &mut u32, least: u32) -> u64 {
    let missing = least.saturating_sub(*total);
    *total = total.saturating_add(plies.count_ones());
    if missing > plies.count_ones() {
        return 0;
    }
    (1..missing).fold(plies, |rest, _| rest & rest.wrapping_sub(1))
}

/// Returns the plies that follow one of `plies` by at most `limit`.
/// `remaining` is the number of plies from the start of this word that still follow one of an earlier word.
pub(super) fn within_limit_after(plies: u64, remaining: &mut u32, limit: u32) -> u64 {
    let carried = if *remaining >= 64 { u64::MAX } else { (1 << *remaining) - 1 };
    let mut follow = plies;
    let mut reach = 1;
    // Each step doubles the reach, up to the limit or the whole word.
    while reach < limit.min(64) {
        let step = reach.min(limit.min(64) - reach);
        follow |= follow << step;
        reach += step;
    }
    *remaining = remaining.saturating_sub(64);
    if plies != 0 {
        // Bit 63 is the last ply of the word. The rest of the limit after the last ply that is set lies in the next word.
        *remaining = (*remaining).max(limit.saturating_sub(plies.leading_zeros()));
    }
    carried | follow << 1
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;
    use crate::scan::random_queries::{self, CaseRandom, LENGTHS, NUMBERS};

    /// Packs plies into words.
    fn packed(plies: &[bool]) -> Vec<u64> {
        let mut words = vec![0; plies.len().div_ceil(64)];
        (0..plies.len()).for_each(|ply| words[ply / 64] |= u64::from(plies[ply]) << (ply % 64));
        words
    }

    /// Applies a function word by word, with the number that it carries, and returns the plies.
    fn led(plies: &[bool], mut number: u32, of: impl Fn(u64, &mut u32) -> u64) -> Vec<bool> {
        let words: Vec<u64> = packed(plies).into_iter().map(|word| of(word, &mut number)).collect();
        (0..plies.len()).map(|ply| words[ply / 64] >> (ply % 64) & 1 != 0).collect()
    }

    /// Returns the plies that end a run of at least `least`.
    fn rows(plies: &[bool], least: u32) -> Vec<bool> {
        let mut run = 0;
        let ends = plies.iter().map(|&holds| {
            run = if holds { run + 1 } else { 0 };
            run >= least
        });
        ends.collect()
    }

    /// Returns the plies at which at least `least` plies have been counted.
    fn counts(plies: &[bool], least: u32) -> Vec<bool> {
        let mut counted = 0;
        let reached = plies.iter().map(|&holds| {
            counted += u32::from(holds);
            holds && counted >= least
        });
        reached.collect()
    }

    /// Returns the plies that follow one of `plies` by at most `limit`.
    /// `before_first` says whether there is such a ply before the first.
    fn follow(plies: &[bool], before_first: bool, limit: u32) -> Vec<bool> {
        let mut left = if before_first { limit } else { 0 };
        let open = plies.iter().map(|&fires| {
            let is_open = left > 0;
            left = if fires { limit } else { left.saturating_sub(1) };
            is_open
        });
        open.collect()
    }

    fn agree(plies: &[bool], numbers: &[u32]) {
        for &least in numbers {
            assert_eq!(
                led(plies, 0, |word, run| run_ends(word, run, least)),
                rows(plies, least),
                "{least} in a row: {plies:?}"
            );
            assert_eq!(
                led(plies, 0, |word, counted| count_reached(word, counted, least)),
                counts(plies, least),
                "{least} of {plies:?}"
            );
            for before_first in [false, true] {
                let left = if before_first { least } else { 0 };
                let found = led(plies, left, |word, left| within_limit_after(word, left, least));
                assert_eq!(found, follow(plies, before_first, least), "within {least} of {plies:?}");
            }
        }
    }

    #[test]
    fn words_around_a_border_are_led_as_plies() {
        // Every pattern of twelve plies around a border between words; the plies before them all hold, or none does.
        for (bits, border) in (0..1u32 << 12).flat_map(|bits| [(bits, 64), (bits, 128)]) {
            let fill = bits % 3 == 0;
            let mut plies: Vec<bool> = vec![fill; border + 70];
            (0..12).for_each(|nth| plies[border - 6 + nth] = bits >> nth & 1 != 0);
            plies[border + 6..].fill(bits % 5 == 0);
            agree(&plies, &[1, 2, 3, 5, 6, 7, 59, 60, 65, 71]);
        }
    }

    #[test]
    fn rows_from_border_to_border_are_led_as_plies() {
        let borders = [0, 1, 62, 63, 64, 65, 66, 126, 127, 128, 129, 190, 191, 192, 193, 194, 255, 256, 257, 300];
        for (from, to) in borders.iter().flat_map(|&from| borders.iter().map(move |&to| (from, to))) {
            if from < to {
                let mut plies = vec![false; 300];
                plies[from..to].fill(true);
                agree(&plies, &NUMBERS);
                // The same run with one ply missing, and the complement.
                plies[from + (to - from) / 2] = false;
                agree(&plies, &NUMBERS);
                plies.iter_mut().for_each(|ply| *ply = !*ply);
                agree(&plies, &NUMBERS);
            }
        }
    }

    #[test]
    fn words_are_led_as_plies() {
        let mut dice = CaseRandom(4);
        for _ in 0..4000 {
            let length = dice.of(&LENGTHS);
            agree(&random_queries::plies(&mut dice, length), &NUMBERS);
        }
    }

    #[test]
    fn all_plies_from_the_first_on() {
        for first in 0..64 {
            for more in [0, 1 << first, u64::MAX] {
                let plies = (1 << first | more) & u64::MAX << first;
                assert_eq!(from_first_on(plies), u64::MAX << first);
            }
        }
        assert_eq!(from_first_on(0), 0);
    }
}
