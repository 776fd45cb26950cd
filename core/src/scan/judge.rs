//! What is known of a game while only some predicates have been tested.
//!
//! For each predicate there is the set of plies at which it holds, or nothing yet. Combined, that gives for each condition a set
//! that must hold and a larger one that may (Kleene's logic, 64 plies at a time); where they differ, the answer is open.

use alloc::vec::Vec;

use super::combine::Formula;
use super::plies::{self, within};
use super::simple::{Simple, between};
use super::track::{Between, Game, Track, Truth};
use super::{Query, Times, Window};

/// The judgement of one game; its memory serves the next.
#[derive(Default)]
pub(super) struct Judge {
    /// While not all is known.
    between: Track<Between>,
    /// When all is.
    exact: Track<u64>,
    /// Plies that must match.
    matches: Vec<u64>,
    /// Plies that are to be tested further.
    open: Vec<u64>,
    verdict: bool,
    /// By condition: its formula, if it is a simple one.
    simple: Vec<Option<Simple>>,
    /// By gate: the conditions that it waits for.
    awaited: Vec<u64>,
    /// All predicates that are asked for.
    all: u64,
    /// Plies of one condition, while rows are looked for.
    rows: Vec<u64>,
    /// One condition decides all, games and positions, wherever it holds: once, or so many plies in a row.
    plain: Option<u32>,
}

/// What is known of a game.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    /// Predicate `n` has the words from `n` times those of a set on.
    pub sets: &'a [u64],
    /// Predicates whose sets are known.
    pub predicates: u64,
    /// The game.
    pub game: Game,
}

impl Judge {
    pub fn new(query: &Query) -> Judge {
        let simple = query.conditions.iter().map(|condition| Simple::of(&condition.formula)).collect();
        let awaited = query.gates.iter().map(|gate| gate.first.bits()).collect();
        let plain = match &query.conditions[..] {
            [one]
                if one.gate.is_none() && (&query.verdict, &query.matching) == (&Formula::Bit(0), &Formula::Bit(0)) =>
            {
                match one.window.times {
                    _ if (Window { times: Times::Once, ..one.window.clone() }) != Window::EVER => None,
                    Times::Once | Times::Count(1) => Some(1),
                    Times::Row(least) => Some(least.max(1)),
                    Times::Count(_) | Times::Fact => None,
                }
            }
            _ => None,
        };
        Judge { simple, awaited, plain, all: query.asked(), ..Judge::default() }
    }

    /// Judges a game by what is known. True if all that was asked is settled: the verdict, and with `positions` which of them match.
    #[inline(always)]
    pub fn judge(&mut self, query: &Query, known: &Known<'_>, positions: bool) -> bool {
        self.matches.clear();
        self.open.clear();
        if let (Some(least), [condition]) = (self.plain, &query.conditions[..]) {
            let simple = self.simple[0];
            let width = plies::words(known.game.plies);
            let between = |nth| between(simple, &condition.formula, known.sets, known.predicates, width, nth);
            let settled = self.judge_plain(known.game.plies, positions, between);
            if least == 1 {
                return settled;
            }
            if self.open.iter().all(|&word| word == 0) {
                self.verdict = plies::rows(&self.matches, least as usize).next().is_some();
                return true;
            }
            self.matches.clear();
            self.open.clear();
        }
        self.judge_any(query, known, positions)
    }

    /// The same for any query.
    #[inline(never)]
    fn judge_any(&mut self, query: &Query, known: &Known<'_>, positions: bool) -> bool {
        if known.predicates & self.all == self.all {
            let mut exact = core::mem::take(&mut self.exact);
            self.lead(query, known, &mut exact);
            let conditions = 0..query.conditions.len();
            let fired = conditions.fold(0, |all, n| all | (exact.fired(n) & 1) << n);
            self.verdict = query.verdict.holds(fired);
            if positions {
                for nth in 0..plies::words(known.game.plies) {
                    let held = |n: u8| (exact.held(n.into(), nth), exact.held(n.into(), nth));
                    self.matches.push(query.matching.between(&held).0 & within(known.game.plies, nth));
                }
            }
            self.exact = exact;
            return true;
        }
        let mut between = core::mem::take(&mut self.between);
        self.lead(query, known, &mut between);
        let settled = self.judge_between(query, known.game.plies, positions, &between);
        self.between = between;
        settled
    }

    /// Leads all conditions through the game.
    fn lead<T: Truth>(&self, query: &Query, known: &Known<'_>, track: &mut Track<T>) {
        let &Known { sets, predicates, game } = known;
        let width = plies::words(game.plies);
        track.begin(query, game.plies);
        let awaited = self.awaited.iter().fold(0, |all, bits| all | bits);
        for (n, condition) in query.conditions.iter().enumerate() {
            let at = |simple, formula, nth| {
                let (must, may) = between(simple, formula, sets, predicates, width, nth);
                T::new(must, may)
            };
            let holds = |nth| at(self.simple[n], &condition.formula, nth);
            let phase = |nth| at(None, &condition.window.phase, nth);
            track.condition(query, &game, awaited >> n & 1 != 0, holds, phase);
        }
    }

    /// What is settled, and what is open.
    fn judge_between(&mut self, query: &Query, plies: usize, positions: bool, track: &Track<Between>) -> bool {
        let mut is_open = 0;
        for nth in 0..plies::words(plies) {
            let mut open = 0;
            if positions {
                let within = within(plies, nth);
                let (must, may) = query.matching.between(&|n| {
                    let held = track.held(n.into(), nth);
                    (held.must(), held.may())
                });
                self.matches.push(must & within);
                open = may & !must & within;
            }
            self.open.push(open);
            is_open |= open;
        }
        let fired = |n: u8| {
            let fired = track.fired(n.into());
            (fired.must(), fired.may())
        };
        let (must, may) = query.verdict.between(&fired);
        self.verdict = must & 1 != 0;
        if must == may {
            return is_open == 0;
        }
        let conditions = 0..query.conditions.len();
        let mut unsettled = conditions.filter(|&n| track.fired(n).open() != 0).fold(0u64, |all, n| all | 1 << n);
        for (n, condition) in query.conditions.iter().enumerate().rev() {
            if unsettled >> n & 1 != 0 {
                // When a gate opened depends on when the conditions before it were met, even if it is known that they were.
                unsettled |= condition.gate.map_or(0, |gate| self.awaited[usize::from(gate)]);
                self.open_condition(track.hits(n), condition.window.times, condition.window.edge.is_some());
            }
        }
        false
    }

    /// Opens the plies that may yet decide a condition that is met at these.
    fn open_condition(&mut self, hits: &[Between], times: Times, edge: bool) {
        if let Times::Row(least) = times
            && !edge
        {
            // Rows that are long enough.
            self.rows.clear();
            self.rows.extend(hits.iter().map(|hits| hits.may()));
            for (from, to) in plies::rows(&self.rows, least as usize) {
                let words = self.open.iter_mut().zip(hits).enumerate().take((to - 1) / 64 + 1).skip(from / 64);
                for (nth, (open, hits)) in words {
                    *open |= within(to, nth) & !within(from, nth) & !hits.must();
                }
            }
            return;
        }
        for (nth, hits) in hits.iter().enumerate() {
            let open = hits.open();
            self.open[nth] |= open;
            if edge {
                // Whether it turned there depends on the ply before, too.
                self.open[nth] |= open >> 1;
                if open & 1 != 0 && nth > 0 {
                    self.open[nth - 1] |= 1 << 63;
                }
            }
        }
    }

    /// The same where there is one condition, without a streak, and the verdict is that it ever holds.
    #[inline(always)]
    fn judge_plain(&mut self, plies: usize, positions: bool, between: impl Fn(usize) -> (u64, u64)) -> bool {
        let width = plies::words(plies);
        let (mut any, mut is_open) = (0, 0);
        for nth in 0..width {
            let (must, may) = between(nth);
            let within = within(plies, nth);
            let open = may & !must & within;
            self.matches.push(must & within);
            self.open.push(open);
            any |= must & within;
            is_open |= open;
        }
        self.verdict = any != 0;
        is_open == 0 || !positions && any != 0
    }

    /// Whether one condition, fulfilled by one ply, decides all.
    pub fn is_plain(&self) -> bool {
        self.plain == Some(1)
    }

    /// Whether the game matches, once that is settled.
    pub fn verdict(&self) -> bool {
        self.verdict
    }

    /// The plies that match, once that is settled; whoever takes them gives their memory back.
    pub fn matches(&mut self) -> &mut Vec<u64> {
        &mut self.matches
    }

    /// Settles that the game does not match, whatever else would become known of it.
    pub fn give_up(&mut self) {
        self.verdict = false;
        self.matches.clear();
    }

    /// Opens all plies of a game that was not judged.
    pub fn open_all(&mut self, plies: usize) {
        self.open.clear();
        self.open.extend((0..plies::words(plies)).map(|nth| within(plies, nth)));
    }

    /// How many plies are open.
    pub fn open_plies(&self) -> usize {
        self.open.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The plies that are open.
    pub fn open_set(&self) -> &[u64] {
        &self.open
    }

    /// How many plies there are up to the last open one.
    pub fn last_open(&self) -> usize {
        plies::last(&self.open).map_or(0, |bit| bit + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::cases::{Case, Dice, PREDICATES};
    use super::*;

    /// What the judge says of a case is what the definitions say.
    fn compare(judge: &mut Judge, case: &Case, positions: bool, number: u64) {
        assert_eq!(judge.verdict(), case.verdict(), "case {number}: {:?} at {:x?}", case.query, case.trace);
        if positions {
            assert_eq!(*judge.matches(), case.matches(), "case {number}: {:?} at {:x?}", case.query, case.trace);
        }
    }

    #[test]
    fn what_is_known_of_a_game_is_judged_by_the_definitions() {
        let mut dice = Dice::new(1);
        for number in 0..15_000 {
            let case = Case::random(&mut dice);
            let sets = case.sets(|n, ply| case.holds(n, ply));
            let known = Known { sets: &sets, predicates: (1 << PREDICATES) - 1, game: case.game };
            let mut judge = Judge::new(&case.query);
            for positions in [false, true] {
                assert!(judge.judge(&case.query, &known, positions));
                compare(&mut judge, &case, positions, number);
            }
        }
    }

    /// As a scan does it: predicates become known one after the other, each at the plies that are open, or at all plies up to the
    /// last of these. What a predicate is elsewhere has no say, so there it is anything.
    #[test]
    fn plies_that_are_not_open_have_no_say() {
        let mut dice = Dice::new(2);
        for number in 0..60_000 {
            let case = Case::random(&mut dice);
            let (positions, is_anything, by_ply) = (dice.one_in(2), dice.one_in(2), dice.one_in(2));
            // Headers are known from the first.
            let mut rest: Vec<usize> = (1..PREDICATES).collect();
            let (mut predicates, mut sets) = (1, case.sets(|n, ply| n == 0 && case.holds(n, ply)));
            let mut judge = Judge::new(&case.query);
            while !judge.judge(&case.query, &Known { sets: &sets, predicates, game: case.game }, positions) {
                let (open, last) = (judge.open_set().to_vec(), judge.last_open());
                let n = rest.swap_remove(dice.below(rest.len()));
                for ply in 0..case.game.plies {
                    let told = if by_ply { open[ply / 64] >> (ply % 64) & 1 != 0 } else { ply < last };
                    let holds = if told { case.holds(n, ply) } else { is_anything && dice.one_in(2) };
                    sets[n * plies::words(case.game.plies) + ply / 64] |= u64::from(holds) << (ply % 64);
                }
                predicates |= 1 << n;
            }
            compare(&mut judge, &case, positions, number);
        }
    }
}
