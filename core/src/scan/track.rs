//! Stage 3, track: windows and gates, one forward pass over the plies of a game.
//!
//! The trace of a game is bits: at which plies the formula of a condition holds, 64 to a word. A condition is led through its trace word by
//! word, and from one word to the next goes one [`State`], of a fixed size whatever the length of the game; a gate likewise, through
//! the plies at which the conditions that it waits for are fulfilled.
//!
//! While not all is tested, each step is taken for the plies at which something must be so, and once more for those at which it may be
//! ([`Between`]). All windows here only ever turn from *not yet* to *fulfilled*, and a larger set fulfils no less; so the two bound the
//! truth. `never`, `always` and `at most` are made from these by `not`.

use alloc::vec::Vec;

use super::combine::Formula;
use super::plies::{self, within};
use super::{Edge, Gate, Query, Times};

/// Plies of a word at which something is so.
pub(super) trait Truth: Copy + PartialEq {
    /// At none of them.
    const NOTHING: Self;
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
    fn each(self, numbers: &mut [u32; 2], of: impl Fn(u64, &mut u32) -> u64) -> Self;

    fn map(self, of: impl Fn(u64) -> u64) -> Self {
        self.each(&mut [0; 2], |word, _| of(word))
    }

    fn of(holds: bool) -> Self {
        if holds { Self::ALL } else { Self::NOTHING }
    }

    /// Where it is not known.
    fn open(self) -> u64 {
        self.may() & !self.must()
    }
}

/// It is known where.
impl Truth for u64 {
    const NOTHING: u64 = 0;
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

    fn each(self, numbers: &mut [u32; 2], of: impl Fn(u64, &mut u32) -> u64) -> u64 {
        of(self, &mut numbers[0])
    }
}

/// It is known where it must be, and where it may.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Between {
    must: u64,
    may: u64,
}

impl Truth for Between {
    const NOTHING: Between = Between { must: 0, may: 0 };
    const ALL: Between = Between { must: u64::MAX, may: u64::MAX };

    fn new(must: u64, may: u64) -> Between {
        Between { must, may }
    }

    fn must(self) -> u64 {
        self.must
    }

    fn may(self) -> u64 {
        self.may
    }

    fn and(self, other: Between) -> Between {
        Between { must: self.must & other.must, may: self.may & other.may }
    }

    fn or(self, other: Between) -> Between {
        Between { must: self.must | other.must, may: self.may | other.may }
    }

    fn not(self) -> Between {
        Between { must: !self.may, may: !self.must }
    }

    fn each(self, [must, may]: &mut [u32; 2], of: impl Fn(u64, &mut u32) -> u64) -> Between {
        Between { must: of(self.must, must), may: of(self.may, may) }
    }
}

/// What is carried of a condition or a gate from one word to the next.
#[derive(Clone, Copy)]
struct State<T> {
    /// The formula at the ply before; for a gate, whether it was open.
    before: T,
    /// Of a row of plies or a count, how far it has come; of a gate with a limit, for how many plies it stays open.
    number: [u32; 2],
    /// Whether the condition is fulfilled.
    fired: T,
}

/// No more than this goes from ply to ply, for each condition and each gate.
const _: () = assert!(size_of::<State<Between>>() <= 40 && size_of::<State<u64>>() <= 24);

/// What the track must know of a game before its first ply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Game {
    pub plies: usize,
    /// The half-move that its first ply is, see [`When::holds`](super::when::When::holds).
    pub first: u32,
    /// Predicates that hold before its first ply: those about headers, and where an edge asks for them those about its start position.
    pub at_start: u64,
}

/// The windows and gates of a query in one game; memory serves the next.
#[derive(Default)]
pub(super) struct Track<T> {
    /// Words of a trace.
    width: usize,
    /// By condition: where its formula holds, of plies that there are.
    held: Vec<T>,
    /// By condition: plies at which it is met.
    hits: Vec<T>,
    /// By condition: plies at which it is fulfilled; only of those that gates wait for.
    fires: Vec<T>,
    /// By condition: plies up to which it has been, and all after them; only of those.
    since: Vec<T>,
    /// By condition: whether it is.
    fired: Vec<T>,
    /// By condition: whether it was before the first ply, as headers are.
    facts: Vec<T>,
    /// By gate: the plies at which it is open, once a condition has asked.
    open: Vec<T>,
    opened: Vec<bool>,
}

impl<T: Truth> Track<T> {
    /// Begins a game.
    pub fn begin(&mut self, query: &Query, plies: usize) {
        self.width = plies::words(plies);
        let conditions = query.conditions.len();
        for list in [&mut self.held, &mut self.hits, &mut self.fires, &mut self.since] {
            list.resize(conditions * self.width, T::NOTHING);
        }
        self.fired.clear();
        self.facts.clear();
        self.open.resize(query.gates.len() * self.width, T::NOTHING);
        self.opened.clear();
        self.opened.resize(query.gates.len(), false);
    }

    /// Leads the next condition through its trace: `holds` and `phase` say of a word where its formula holds and where it is in the part of
    /// the game that is asked for. `awaited` says whether a gate waits for it.
    pub fn condition(
        &mut self,
        query: &Query,
        game: &Game,
        awaited: bool,
        holds: impl Fn(usize) -> T,
        phase: impl Fn(usize) -> T,
    ) {
        let n = self.fired.len();
        let condition = &query.conditions[n];
        // PERF: only an edge and a fact ask what was before the first ply.
        let asks = condition.window.edge.is_some() || condition.window.times == Times::Fact;
        let at_start = asks && condition.formula.holds(game.at_start);
        let mut state = State { before: T::of(at_start), number: [0; 2], fired: T::NOTHING };
        let times = condition.window.times;
        if times == Times::Fact {
            state.fired = T::of(at_start);
        }
        self.facts.push(state.fired);
        if let Some(gate) = condition.gate {
            self.open_gate(&query.gates[usize::from(gate)], gate.into());
        }
        let (from, to) = condition.window.when.range(game.plies, game.first);
        let (all_plies, whole) = (game.plies, (from, to) == (0, game.plies));
        for nth in 0..self.width {
            let of_game = within(all_plies, nth);
            let holds = holds(nth).map(|word| word & of_game);
            let place = n * self.width + nth;
            self.held[place] = holds;
            let mut region = if whole { of_game } else { within(to, nth) & !within(from, nth) };
            let mut hits = match condition.window.edge {
                None => holds,
                Some(edge) => {
                    let before = state.before;
                    let earlier = holds.map(|word| word << 1).or(before.map(|before| before & 1));
                    state.before = holds.map(|word| word >> 63);
                    match edge {
                        Edge::Became => holds.and(earlier.not()),
                        Edge::Ceased => earlier.and(holds.not()),
                    }
                }
            };
            if !matches!(condition.window.phase, Formula::True) {
                hits = hits.and(phase(nth));
            }
            if let Some(gate) = condition.gate {
                hits = hits.and(self.open[usize::from(gate) * self.width + nth]);
            }
            if times == Times::Fact {
                region = 0;
            }
            hits = hits.map(|word| word & region);
            self.hits[place] = hits;
            let fires = match times {
                Times::Fact | Times::Once => hits,
                Times::Row(least) => hits.each(&mut state.number, |word, run| row(word, run, least)),
                Times::Count(least) => hits.each(&mut state.number, |word, counted| count(word, counted, least)),
            };
            if awaited {
                self.fires[place] = fires;
                self.since[place] = fires.map(since).or(state.fired);
            }
            state.fired = state.fired.or(fires.map(|word| if word != 0 { u64::MAX } else { 0 }));
        }
        self.fired.push(state.fired);
    }

    /// Leads a gate through the plies at which the conditions that it waits for are fulfilled.
    fn open_gate(&mut self, gate: &Gate, n: usize) {
        if core::mem::replace(&mut self.opened[n], true) {
            return;
        }
        let at_first = self.together(&gate.first, &|n| (T::NOTHING, self.facts[n])).1;
        let mut state = State { before: at_first, number: [0; 2], fired: T::NOTHING };
        if let Some(limit) = gate.within {
            state.number = [at_first.must(), at_first.may()].map(|open| if open != 0 { limit } else { 0 });
        }
        for nth in 0..self.width {
            let at = |n: usize| (self.fires[n * self.width + nth], self.since[n * self.width + nth]);
            let (fires, by_then) = self.together(&gate.first, &at);
            self.open[n * self.width + nth] = match gate.within {
                None => {
                    let open = by_then.map(|word| word << 1).or(state.before.map(|before| before & 1));
                    state.before = by_then.map(|word| word >> 63);
                    open
                }
                Some(limit) => fires.each(&mut state.number, |word, left| shortly_after(word, left, limit)),
            };
        }
    }

    /// At which plies conditions are fulfilled together, and since when they are, given the same of each.
    fn together(&self, first: &Formula, at: &dyn Fn(usize) -> (T, T)) -> (T, T) {
        match first {
            Formula::Bit(n) => at(usize::from(*n)),
            Formula::And(parts) => {
                let all = parts.iter().map(|part| self.together(part, at));
                let (fires, since) = all.fold((T::NOTHING, T::ALL), |(fires, since), (more, since_more)| {
                    (fires.or(more), since.and(since_more))
                });
                (fires.and(since), since)
            }
            Formula::Or(parts) => {
                let any = parts.iter().map(|part| self.together(part, at));
                any.fold((T::NOTHING, T::NOTHING), |(fires, since), (more, since_more)| {
                    (fires.or(more), since.or(since_more))
                })
            }
            Formula::True => (T::NOTHING, T::ALL),
            // No gate waits for something not to be.
            Formula::Not(_) => (T::NOTHING, T::NOTHING),
        }
    }

    /// Where the formula of condition `n` holds, at the plies of word `nth`.
    pub fn held(&self, n: usize, nth: usize) -> T {
        self.held[n * self.width + nth]
    }

    /// The plies at which condition `n` is met, for certain and perhaps.
    pub fn hits(&self, n: usize) -> &[T] {
        &self.hits[n * self.width..(n + 1) * self.width]
    }

    /// Whether condition `n` is fulfilled: all ones or none.
    pub fn fired(&self, n: usize) -> T {
        self.fired[n]
    }
}

/// All plies from the first on.
fn since(plies: u64) -> u64 {
    plies | plies.wrapping_neg()
}

/// Plies that end a row of at least `least`; `run` is the length of the row that the word before ended with.
fn row(plies: u64, run: &mut u32, least: u32) -> u64 {
    // Rows within the word: what is looked back on doubles until it is all that is wanted.
    let (mut found, mut reach) = (plies, 1);
    while reach < least && found != 0 {
        let step = reach.min(least - reach);
        found &= found.checked_shl(step).unwrap_or(0);
        reach += step;
    }
    // The row that goes on from the word before.
    let goes_on = plies.trailing_ones();
    let (from, to) = (least.saturating_sub(*run).max(1) - 1, goes_on);
    if from < to {
        found |= within(to as usize, 0) & !within(from as usize, 0);
    }
    *run = if goes_on == 64 { run.saturating_add(64) } else { plies.leading_ones() };
    found
}

/// Plies by which `least` have been counted, of those that count; `counted` were there before.
fn count(plies: u64, counted: &mut u32, least: u32) -> u64 {
    let missing = least.saturating_sub(*counted);
    *counted = counted.saturating_add(plies.count_ones());
    if missing > plies.count_ones() {
        return 0;
    }
    (1..missing).fold(plies, |rest, _| rest & rest.wrapping_sub(1))
}

/// Plies that follow one of `plies` by at most `limit`; `left` is for how many plies that goes on from the word before.
fn shortly_after(plies: u64, left: &mut u32, limit: u32) -> u64 {
    let carried = if *left >= 64 { u64::MAX } else { (1 << *left) - 1 };
    let mut found = plies;
    let mut reach = 1;
    // The reach doubles until it is the limit, or the whole word.
    while reach < limit.min(64) {
        let step = reach.min(limit.min(64) - reach);
        found |= found << step;
        reach += step;
    }
    *left = left.saturating_sub(64);
    if plies != 0 {
        // The last ply of the word is 63; so many of the plies that follow the last one lie in the next.
        *left = (*left).max(limit.saturating_sub(plies.leading_zeros()));
    }
    carried | found << 1
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::super::cases::{self, Dice, LENGTHS, NUMBERS};
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
                led(plies, 0, |word, run| row(word, run, least)),
                rows(plies, least),
                "{least} in a row: {plies:?}"
            );
            assert_eq!(
                led(plies, 0, |word, counted| count(word, counted, least)),
                counts(plies, least),
                "{least} of {plies:?}"
            );
            for before_first in [false, true] {
                let left = if before_first { least } else { 0 };
                let found = led(plies, left, |word, left| shortly_after(word, left, least));
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
                    led(&plies, 0, |word, run| row(word, run, least)),
                    rows(&plies, least),
                    "{least}: {bits:b} at {border}"
                );
                let counted = led(&plies, 0, |word, counted| count(word, counted, least));
                assert_eq!(counted, counts(&plies, least), "{least}: {bits:b} at {border}");
                let found = led(&plies, 0, |word, left| shortly_after(word, left, least));
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
        let mut dice = Dice::new(4);
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
                assert_eq!(since(plies), u64::MAX << first);
            }
        }
        assert_eq!(since(0), 0);
    }
}
