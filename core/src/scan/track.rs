//! Stage 3, track: windows and gates, one forward pass over the plies of a game.
//!
//! The trace of a game is bits: at which plies the formula of a condition holds, 64 to a word. A condition is led through its trace word by
//! word, and from one word to the next goes one [`CarriedState`], of a fixed size whatever the length of the game; a gate likewise, through
//! the plies at which the conditions that it waits for are fulfilled.
//!
//! While not all is tested, each step is taken for the plies at which something must be so, and once more for those at which it may be
//! ([`TruthBounds`]). All windows here only ever turn from *not yet* to *fulfilled*, and a larger set fulfils no less; so the two bound the
//! truth. `never`, `always` and `at most` are made from these by `not`.

use alloc::vec::Vec;

use super::combine::Formula;
use super::plies::{self, valid_bits};
use super::{ConditionEdge, ConditionGate, Occurrence, Query};

/// Plies of a word at which something is so.
pub(super) trait TruthWord: Copy + PartialEq {
    /// At none of them.
    const NONE: Self;
    /// At all of them.
    const ALL: Self;
    /// Where it must be, and where it may.
    fn new(must: u64, may: u64) -> Self;
    /// Where it must be.
    fn must(self) -> u64;
    /// Where it may be.
    fn may(self) -> u64;
    /// Where both are.
    fn and(self, other: Self) -> Self;
    /// Where one of them is.
    fn or(self, other: Self) -> Self;
    /// Where it is not.
    fn not(self) -> Self;
    /// Each of the words that it has, by a function that carries a number of its own.
    fn map_with_carry(self, numbers: &mut [u32; 2], step: impl Fn(u64, &mut u32) -> u64) -> Self;

    fn map(self, of: impl Fn(u64) -> u64) -> Self {
        self.map_with_carry(&mut [0; 2], |word, _| of(word))
    }

    fn from_bool(holds: bool) -> Self {
        if holds { Self::ALL } else { Self::NONE }
    }

    /// Where it is not known.
    fn undecided(self) -> u64 {
        self.may() & !self.must()
    }
}

/// It is known where.
impl TruthWord for u64 {
    const NONE: u64 = 0;
    const ALL: u64 = u64::MAX;

    fn new(must: u64, _: u64) -> u64 {
        must
    }

    fn must(self) -> u64 {
        self
    }

    fn may(self) -> u64 {
        self
    }

    fn and(self, other: u64) -> u64 {
        self & other
    }

    fn or(self, other: u64) -> u64 {
        self | other
    }

    fn not(self) -> u64 {
        !self
    }

    fn map_with_carry(self, numbers: &mut [u32; 2], of: impl Fn(u64, &mut u32) -> u64) -> u64 {
        of(self, &mut numbers[0])
    }
}

/// It is known where it must be, and where it may.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct TruthBounds {
    must: u64,
    may: u64,
}

impl TruthWord for TruthBounds {
    const NONE: TruthBounds = TruthBounds { must: 0, may: 0 };
    const ALL: TruthBounds = TruthBounds { must: u64::MAX, may: u64::MAX };

    fn new(must: u64, may: u64) -> TruthBounds {
        TruthBounds { must, may }
    }

    fn must(self) -> u64 {
        self.must
    }

    fn may(self) -> u64 {
        self.may
    }

    fn and(self, other: TruthBounds) -> TruthBounds {
        TruthBounds { must: self.must & other.must, may: self.may & other.may }
    }

    fn or(self, other: TruthBounds) -> TruthBounds {
        TruthBounds { must: self.must | other.must, may: self.may | other.may }
    }

    fn not(self) -> TruthBounds {
        TruthBounds { must: !self.may, may: !self.must }
    }

    fn map_with_carry(self, [must, may]: &mut [u32; 2], of: impl Fn(u64, &mut u32) -> u64) -> TruthBounds {
        TruthBounds { must: of(self.must, must), may: of(self.may, may) }
    }
}

/// What is carried of a condition or a gate from one word to the next.
#[derive(Clone, Copy)]
struct CarriedState<T> {
    /// The formula at the ply before; for a gate, whether it was open.
    previous: T,
    /// Of a row of plies or a count, how far it has come; of a gate with a limit, for how many plies it stays open.
    counters: [u32; 2],
    /// Whether the condition is fulfilled.
    fulfilled: T,
}

/// No more than this goes from ply to ply, for each condition and each gate.
const _: () = assert!(size_of::<CarriedState<TruthBounds>>() <= 40 && size_of::<CarriedState<u64>>() <= 24);

/// What the track must know of a game before its first ply.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrackedGame {
    pub plies: usize,
    /// The half-move that its first ply is, see [`PlyFilter::holds`](super::when::PlyFilter::holds).
    pub first_half_move: u32,
    /// Predicates that hold before its first ply: those about headers, and where an edge asks for them those about its start position.
    pub holding_at_start: u64,
}

/// The windows and gates of a query in one game; memory serves the next.
#[derive(Default)]
pub(super) struct ConditionTrack<T> {
    /// Words of a trace.
    words_per_trace: usize,
    /// By condition: where its formula holds, of plies that there are.
    holding: Vec<T>,
    /// By condition: plies at which it is met.
    hits: Vec<T>,
    /// By condition: plies at which it is fulfilled; only of those that gates wait for.
    fulfilled_at: Vec<T>,
    /// By condition: plies up to which it has been, and all after them; only of those.
    fulfilled_since: Vec<T>,
    /// By condition: whether it is.
    fulfilled: Vec<T>,
    /// By condition: whether it was before the first ply, as headers are.
    fulfilled_at_start: Vec<T>,
    /// By gate: the plies at which it is open, once a condition has asked.
    gate_open: Vec<T>,
    gate_tracked: Vec<bool>,
}

impl<T: TruthWord> ConditionTrack<T> {
    /// Begins a game.
    pub fn start_game(&mut self, query: &Query, plies: usize) {
        self.words_per_trace = plies::word_count(plies);
        let conditions = query.conditions.len();
        for list in [&mut self.holding, &mut self.hits, &mut self.fulfilled_at, &mut self.fulfilled_since] {
            list.resize(conditions * self.words_per_trace, T::NONE);
        }
        self.fulfilled.clear();
        self.fulfilled_at_start.clear();
        self.gate_open.resize(query.gates.len() * self.words_per_trace, T::NONE);
        self.gate_tracked.clear();
        self.gate_tracked.resize(query.gates.len(), false);
    }

    /// Leads the next condition through its trace: `holds` and `phase` say of a word where its formula holds and where it is in the part of
    /// the game that is asked for. `awaited` says whether a gate waits for it.
    pub fn track_condition(
        &mut self,
        query: &Query,
        game: &TrackedGame,
        is_awaited: bool,
        holds: impl Fn(usize) -> T,
        phase: impl Fn(usize) -> T,
    ) {
        let condition_index = self.fulfilled.len();
        let condition = &query.conditions[condition_index];
        // PERF: only an edge and a fact ask what was before the first ply.
        let asks = condition.window.edge.is_some() || condition.window.occurrence == Occurrence::Header;
        let at_start = asks && condition.formula.holds(game.holding_at_start);
        let mut state = CarriedState { previous: T::from_bool(at_start), counters: [0; 2], fulfilled: T::NONE };
        let times = condition.window.occurrence;
        if times == Occurrence::Header {
            state.fulfilled = T::from_bool(at_start);
        }
        self.fulfilled_at_start.push(state.fulfilled);
        if let Some(gate) = condition.gate {
            self.track_gate(&query.gates[usize::from(gate)], gate.into());
        }
        let (from, to) = condition.window.plies.ply_range(game.plies, game.first_half_move);
        let (all_plies, whole) = (game.plies, (from, to) == (0, game.plies));
        for index in 0..self.words_per_trace {
            let of_game = valid_bits(all_plies, index);
            let holds = holds(index).map(|word| word & of_game);
            let slot = condition_index * self.words_per_trace + index;
            self.holding[slot] = holds;
            let mut region = if whole { of_game } else { valid_bits(to, index) & !valid_bits(from, index) };
            let mut hits = match condition.window.edge {
                None => holds,
                Some(edge) => {
                    let before = state.previous;
                    let earlier = holds.map(|word| word << 1).or(before.map(|before| before & 1));
                    state.previous = holds.map(|word| word >> 63);
                    match edge {
                        ConditionEdge::Became => holds.and(earlier.not()),
                        ConditionEdge::Ceased => earlier.and(holds.not()),
                    }
                }
            };
            if !matches!(condition.window.phase, Formula::True) {
                hits = hits.and(phase(index));
            }
            if let Some(gate) = condition.gate {
                hits = hits.and(self.gate_open[usize::from(gate) * self.words_per_trace + index]);
            }
            if times == Occurrence::Header {
                region = 0;
            }
            hits = hits.map(|word| word & region);
            self.hits[slot] = hits;
            let fires = match times {
                Occurrence::Header | Occurrence::Once => hits,
                Occurrence::Consecutive(least) => {
                    hits.map_with_carry(&mut state.counters, |word, run| run_ends(word, run, least))
                }
                Occurrence::Total(least) => {
                    hits.map_with_carry(&mut state.counters, |word, counted| count_reached(word, counted, least))
                }
            };
            if is_awaited {
                self.fulfilled_at[slot] = fires;
                self.fulfilled_since[slot] = fires.map(from_first_on).or(state.fulfilled);
            }
            state.fulfilled = state.fulfilled.or(fires.map(|word| if word != 0 { u64::MAX } else { 0 }));
        }
        self.fulfilled.push(state.fulfilled);
    }

    /// Leads a gate through the plies at which the conditions that it waits for are fulfilled.
    fn track_gate(&mut self, gate: &ConditionGate, n: usize) {
        if core::mem::replace(&mut self.gate_tracked[n], true) {
            return;
        }
        let at_first = self.combine_gate(&gate.opens_after, &|n| (T::NONE, self.fulfilled_at_start[n])).1;
        let mut state = CarriedState { previous: at_first, counters: [0; 2], fulfilled: T::NONE };
        if let Some(limit) = gate.open_for {
            state.counters = [at_first.must(), at_first.may()].map(|open| if open != 0 { limit } else { 0 });
        }
        for nth in 0..self.words_per_trace {
            let at = |n: usize| {
                (
                    self.fulfilled_at[n * self.words_per_trace + nth],
                    self.fulfilled_since[n * self.words_per_trace + nth],
                )
            };
            let (fires, by_then) = self.combine_gate(&gate.opens_after, &at);
            self.gate_open[n * self.words_per_trace + nth] = match gate.open_for {
                None => {
                    let open = by_then.map(|word| word << 1).or(state.previous.map(|before| before & 1));
                    state.previous = by_then.map(|word| word >> 63);
                    open
                }
                Some(limit) => {
                    fires.map_with_carry(&mut state.counters, |word, left| within_limit_after(word, left, limit))
                }
            };
        }
    }

    /// At which plies conditions are fulfilled together, and since when they are, given the same of each.
    fn combine_gate(&self, first: &Formula, at: &dyn Fn(usize) -> (T, T)) -> (T, T) {
        match first {
            Formula::Bit(n) => at(usize::from(*n)),
            Formula::And(parts) => {
                let all = parts.iter().map(|part| self.combine_gate(part, at));
                let (fires, since) = all.fold((T::NONE, T::ALL), |(fires, since), (more, since_more)| {
                    (fires.or(more), since.and(since_more))
                });
                (fires.and(since), since)
            }
            Formula::Or(parts) => {
                let any = parts.iter().map(|part| self.combine_gate(part, at));
                any.fold((T::NONE, T::NONE), |(fires, since), (more, since_more)| {
                    (fires.or(more), since.or(since_more))
                })
            }
            Formula::True => (T::NONE, T::ALL),
            // No gate waits for something not to be.
            Formula::Not(_) => (T::NONE, T::NONE),
        }
    }

    /// Where the formula of condition `n` holds, at the plies of word `nth`.
    pub fn holding(&self, n: usize, nth: usize) -> T {
        self.holding[n * self.words_per_trace + nth]
    }

    /// The plies at which condition `n` is met, for certain and perhaps.
    pub fn hits(&self, n: usize) -> &[T] {
        &self.hits[n * self.words_per_trace..(n + 1) * self.words_per_trace]
    }

    /// Whether condition `n` is fulfilled: all ones or none.
    pub fn fulfilled(&self, n: usize) -> T {
        self.fulfilled[n]
    }
}

/// All plies from the first on.
fn from_first_on(plies: u64) -> u64 {
    plies | plies.wrapping_neg()
}

/// Plies that end a row of at least `least`; `run` is the length of the row that the word before ended with.
fn run_ends(plies: u64, run_length: &mut u32, least: u32) -> u64 {
    // Rows within the word: what is looked back on doubles until it is all that is wanted.
    let (mut ends, mut reach) = (plies, 1);
    while reach < least && ends != 0 {
        let step = reach.min(least - reach);
        ends &= ends.checked_shl(step).unwrap_or(0);
        reach += step;
    }
    // The row that goes on from the word before.
    let continuation = plies.trailing_ones();
    let (from, to) = (least.saturating_sub(*run_length).max(1) - 1, continuation);
    if from < to {
        ends |= valid_bits(to as usize, 0) & !valid_bits(from as usize, 0);
    }
    *run_length = if continuation == 64 { run_length.saturating_add(64) } else { plies.leading_ones() };
    ends
}

/// Plies by which `least` have been counted, of those that count; `counted` were there before.
fn count_reached(plies: u64, total: &mut u32, least: u32) -> u64 {
    let missing = least.saturating_sub(*total);
    *total = total.saturating_add(plies.count_ones());
    if missing > plies.count_ones() {
        return 0;
    }
    (1..missing).fold(plies, |rest, _| rest & rest.wrapping_sub(1))
}

/// Plies that follow one of `plies` by at most `limit`; `left` is for how many plies that goes on from the word before.
fn within_limit_after(plies: u64, remaining: &mut u32, limit: u32) -> u64 {
    let carried = if *remaining >= 64 { u64::MAX } else { (1 << *remaining) - 1 };
    let mut follow = plies;
    let mut reach = 1;
    // The reach doubles until it is the limit, or the whole word.
    while reach < limit.min(64) {
        let step = reach.min(limit.min(64) - reach);
        follow |= follow << step;
        reach += step;
    }
    *remaining = remaining.saturating_sub(64);
    if plies != 0 {
        // The last ply of the word is 63; so many of the plies that follow the last one lie in the next.
        *remaining = (*remaining).max(limit.saturating_sub(plies.leading_zeros()));
    }
    carried | follow << 1
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::super::cases::{self, CaseRandom, LENGTHS, NUMBERS};
    use super::*;

    /// The words of these plies.
    fn packed(plies: &[bool]) -> Vec<u64> {
        let mut words = vec![0; plies.len().div_ceil(64)];
        (0..plies.len()).for_each(|ply| words[ply / 64] |= u64::from(plies[ply]) << (ply % 64));
        words
    }

    /// The plies of a function that goes from word to word with a number.
    fn led(plies: &[bool], mut number: u32, of: impl Fn(u64, &mut u32) -> u64) -> Vec<bool> {
        let words: Vec<u64> = packed(plies).into_iter().map(|word| of(word, &mut number)).collect();
        (0..plies.len()).map(|ply| words[ply / 64] >> (ply % 64) & 1 != 0).collect()
    }

    /// Plies that end a row of at least `least`.
    fn rows(plies: &[bool], least: u32) -> Vec<bool> {
        let mut run = 0;
        let ends = plies.iter().map(|&holds| {
            run = if holds { run + 1 } else { 0 };
            run >= least
        });
        ends.collect()
    }

    /// Plies at which `least` have been counted.
    fn counts(plies: &[bool], least: u32) -> Vec<bool> {
        let mut counted = 0;
        let reached = plies.iter().map(|&holds| {
            counted += u32::from(holds);
            holds && counted >= least
        });
        reached.collect()
    }

    /// Plies that follow one of `plies` by at most `limit`, where a ply before the first is one too, or is not.
    fn follow(plies: &[bool], before_first: bool, limit: u32) -> Vec<bool> {
        let mut left = if before_first { limit } else { 0 };
        let open = plies.iter().map(|&fires| {
            let is_open = left > 0;
            left = if fires { limit } else { left.saturating_sub(1) };
            is_open
        });
        open.collect()
    }

    fn agree(plies: &[bool]) {
        for least in NUMBERS {
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
        // All plies that hold are among twelve around a border, in every way; those before them all hold, or none.
        for (bits, border) in (0..1u32 << 12).flat_map(|bits| [(bits, 64), (bits, 128)]) {
            let fill = bits % 3 == 0;
            let mut plies: Vec<bool> = vec![fill; border + 70];
            (0..12).for_each(|nth| plies[border - 6 + nth] = bits >> nth & 1 != 0);
            plies[border + 6..].fill(bits % 5 == 0);
            for least in [1, 2, 3, 5, 6, 7, 59, 60, 65, 71] {
                assert_eq!(
                    led(&plies, 0, |word, run| run_ends(word, run, least)),
                    rows(&plies, least),
                    "{least}: {bits:b} at {border}"
                );
                let counted = led(&plies, 0, |word, counted| count_reached(word, counted, least));
                assert_eq!(counted, counts(&plies, least), "{least}: {bits:b} at {border}");
                let found = led(&plies, 0, |word, left| within_limit_after(word, left, least));
                assert_eq!(found, follow(&plies, false, least), "{least}: {bits:b} at {border}");
            }
        }
    }

    #[test]
    fn rows_from_border_to_border_are_led_as_plies() {
        let borders = [0, 1, 62, 63, 64, 65, 66, 126, 127, 128, 129, 190, 191, 192, 193, 194, 255, 256, 257, 300];
        for (from, to) in borders.iter().flat_map(|&from| borders.iter().map(move |&to| (from, to))) {
            if from < to {
                let mut plies = vec![false; 300];
                plies[from..to].fill(true);
                agree(&plies);
                // The same with one ply left out, and the contrary.
                plies[from + (to - from) / 2] = false;
                agree(&plies);
                plies.iter_mut().for_each(|ply| *ply = !*ply);
                agree(&plies);
            }
        }
    }

    #[test]
    fn words_are_led_as_plies() {
        let mut dice = CaseRandom::new(4);
        for _ in 0..4000 {
            let length = dice.of(&LENGTHS);
            agree(&cases::plies(&mut dice, length));
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
