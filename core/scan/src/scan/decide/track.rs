//! Stage 3, track: a track applies windows and gates in one forward pass over the plies of a game.
//!
//! The trace of a condition is a set of plies, 64 to a word: the plies at which its formula holds. The track reads the trace word
//! by word and carries one [`CarriedState`] of fixed size from each word to the next, however long the game is. It tracks a gate
//! in the same way, over the plies at which the conditions that the gate waits for are fulfilled.
//!
//! A window changes only from *not yet* to *fulfilled*, and additional plies never make it less fulfilled. Therefore bounds of
//! the trace give bounds of the result ([`TruthBounds`](super::truth::TruthBounds)). Queries express `never`, `always` and
//! `at most` by negating windows.

use alloc::vec::Vec;

use super::runs::{count_reached, from_first_on, run_ends, within_limit_after};
use super::truth::{TruthBounds, TruthWord};
use crate::scan::combine::{BitSet, Formula, some_of};
use crate::scan::plies::valid_bits;
use crate::scan::{ConditionEdge, ConditionGate, Occurrence, Query, plies};

/// The state of a condition or a gate that the track carries from one word to the next.
#[derive(Clone, Copy)]
struct CarriedState<T> {
    /// For a change, whether its formula held at the last ply, or did not if it becomes true; for a gate, whether it was open.
    previous: T,
    /// For a run or a count of plies, the number reached so far; for a gate with a limit, the number of plies that it stays open.
    counters: [u32; 2],
    /// Whether the condition is fulfilled.
    fulfilled: T,
}

/// The carried state of a condition or a gate stays this small.
const _: () = assert!(size_of::<CarriedState<TruthBounds>>() <= 40 && size_of::<CarriedState<u64>>() <= 24);

/// What the track needs to know about a game before its first ply.
#[derive(Clone, Copy, Debug)]
pub(in crate::scan) struct TrackedGame<'a> {
    pub plies: usize,
    /// The half-move number of the first ply, see [`PlyFilter::holds`](crate::scan::ply_filter::PlyFilter::holds).
    pub first_half_move: u32,
    /// The predicates that hold before the first ply: on headers and, if a condition asks about it, on the start position.
    pub holding_at_start: &'a BitSet,
    /// The predicates of which it is not yet known whether they hold before the first ply.
    pub unknown_at_start: &'a BitSet,
}

impl TrackedGame<'_> {
    /// Returns whether a formula over predicates holds before the first ply.
    fn at_start<T: TruthWord>(&self, formula: &Formula) -> T {
        let (must, may) = formula.bounds(&|n| {
            let (holds, is_unknown) = (self.holding_at_start.contains(n), self.unknown_at_start.contains(n));
            (u64::from(holds && !is_unknown), u64::from(holds || is_unknown))
        });
        let all = |holds: u64| (holds & 1).wrapping_neg();
        T::new(all(must), all(may))
    }
}

/// The trace of a condition: two functions from the index of a word to its plies.
pub(in crate::scan) struct ConditionTrace<H, P> {
    /// Whether a gate waits for the condition.
    pub is_awaited: bool,
    /// Where the formula of the condition holds, and where it is known not to hold.
    pub holds: H,
    /// Where the phase of the window holds.
    pub phase: P,
}

/// Returns the plies at which a formula begins or ceases to hold, by the plies at which it holds and those at which it does not.
/// `previous` carries whether it was the other way round at the last ply to the next word.
#[inline(always)]
fn edge_hits<T: TruthWord>(edge: ConditionEdge, [holds, fails]: [T; 2], previous: &mut T) -> T {
    let (now, then) = match edge {
        ConditionEdge::Became => (holds, fails),
        ConditionEdge::Ceased => (fails, holds),
    };
    let earlier = then.map(|word| word << 1).or(previous.map(|before| before & 1));
    *previous = then.map(|word| word >> 63);
    now.and(earlier)
}

/// Returns the plies at which the hits fulfil a condition; `counters` carry its state to the next word.
#[inline(always)]
pub(super) fn fulfilling_plies<T: TruthWord>(occurrence: Occurrence, hits: T, counters: &mut [u32; 2]) -> T {
    match occurrence {
        Occurrence::Header | Occurrence::Once => hits,
        Occurrence::Consecutive(least) => hits.map_with_carry(counters, |word, run| run_ends(word, run, least)),
        Occurrence::Total(least) => hits.map_with_carry(counters, |word, counted| count_reached(word, counted, least)),
    }
}

/// Tracks the windows and gates of a query through one game; the next game reuses the memory.
#[derive(Default)]
pub(in crate::scan) struct ConditionTrack<T> {
    /// The number of words in a trace.
    words_per_trace: usize,
    /// By condition: the plies that count for it, because it is met there and its window and gate allow the ply.
    hits: Vec<T>,
    /// By condition: the plies at which it is fulfilled; set only for conditions that gates wait for.
    fulfilled_at: Vec<T>,
    /// By condition: the first ply at which it is fulfilled and all later plies; set only for conditions that gates wait for.
    fulfilled_since: Vec<T>,
    /// By condition: whether the game fulfils it.
    fulfilled: Vec<T>,
    /// By condition: whether the position before the first ply counts for it, as it does for a condition on headers.
    hits_at_start: Vec<T>,
    /// By condition: whether it is fulfilled before the first ply.
    fulfilled_at_start: Vec<T>,
    /// By gate: the plies at which it is open; set once the first condition behind the gate has been tracked.
    gate_open: Vec<T>,
    /// By gate: whether it may be open at some ply, once that is known.
    gate_opens: Vec<Option<bool>>,
}

impl<T: TruthWord> ConditionTrack<T> {
    /// Prepares the track for a game.
    pub fn start_game(&mut self, query: &Query, plies: usize) {
        self.words_per_trace = plies::word_count(plies);
        let conditions = query.conditions.len();
        for list in [&mut self.hits, &mut self.fulfilled_at, &mut self.fulfilled_since] {
            list.resize(conditions * self.words_per_trace, T::NONE);
        }
        self.fulfilled.clear();
        self.hits_at_start.clear();
        self.fulfilled_at_start.clear();
        self.gate_open.resize(query.gates.len() * self.words_per_trace, T::NONE);
        self.gate_opens.clear();
        self.gate_opens.resize(query.gates.len(), None);
    }

    /// Tracks the next condition through its trace.
    // PERF: called, a query with `then` takes 4 % more instructions.
    #[inline(always)]
    pub fn track_condition(
        &mut self,
        query: &Query,
        game: &TrackedGame<'_>,
        ConditionTrace { is_awaited, holds, phase }: ConditionTrace<impl Fn(usize) -> [T; 2], impl Fn(usize) -> T>,
    ) {
        let condition_index = self.fulfilled.len();
        let condition = &query.conditions[condition_index];
        let mut state = CarriedState { previous: T::NONE, counters: [0; 2], fulfilled: T::NONE };
        // PERF: only an edge, a condition on headers and one that counts the start position need the state before the first ply.
        match (condition.window.edge, &condition.contrary) {
            (None, _) => {}
            (Some(ConditionEdge::Became), Some(contrary)) => state.previous = game.at_start(contrary),
            (Some(ConditionEdge::Became), None) => state.previous = game.at_start::<T>(&condition.formula).not(),
            (Some(ConditionEdge::Ceased), _) => state.previous = game.at_start(&condition.formula),
        }
        let times = condition.window.occurrence;
        let mut hit_at_start = T::NONE;
        if times == Occurrence::Header || condition.may_hold_at_start(game.first_half_move) {
            hit_at_start = game.at_start::<T>(&condition.formula).and(game.at_start(&condition.window.phase));
            state.counters = [hit_at_start.must(), hit_at_start.may()].map(|hit| (hit & 1) as u32);
            state.fulfilled = if times.needs_only_one() { hit_at_start } else { T::NONE };
        }
        self.hits_at_start.push(hit_at_start);
        self.fulfilled_at_start.push(state.fulfilled);
        let gate_opens =
            condition.gate.is_none_or(|gate| self.track_gate(&query.gates[usize::from(gate)], gate.into()));
        if times == Occurrence::Header || !gate_opens {
            self.skip_condition(is_awaited, state.fulfilled);
            return;
        }
        let (from, to) = condition.window.plies.ply_range(game.plies, game.first_half_move);
        let whole = (from, to) == (0, game.plies);
        let has_phase = !matches!(condition.window.phase, Formula::True);
        for index in 0..self.words_per_trace {
            let slot = condition_index * self.words_per_trace + index;
            let in_range = valid_bits(to, index);
            let region = if whole { in_range } else { in_range & !valid_bits(from, index) };
            let holds = holds(index);
            let mut hits = match condition.window.edge {
                None => holds[0],
                Some(edge) => edge_hits(edge, holds, &mut state.previous),
            };
            if has_phase {
                hits = hits.and(phase(index));
            }
            if let Some(gate) = condition.gate {
                hits = hits.and(self.gate_open[usize::from(gate) * self.words_per_trace + index]);
            }
            hits = hits.map(|word| word & region);
            self.hits[slot] = hits;
            let fires = fulfilling_plies(times, hits, &mut state.counters);
            if is_awaited {
                self.fulfilled_at[slot] = fires;
                self.fulfilled_since[slot] = fires.map(from_first_on).or(state.fulfilled);
            }
            state.fulfilled = state.fulfilled.or(fires.map(|word| if word != 0 { u64::MAX } else { 0 }));
        }
        self.fulfilled.push(state.fulfilled);
    }

    /// Tracks a condition for which no ply can count.
    fn skip_condition(&mut self, is_awaited: bool, fulfilled: T) {
        let first = self.fulfilled.len() * self.words_per_trace;
        let slots = first..first + self.words_per_trace;
        self.hits[slots.clone()].fill(T::NONE);
        if is_awaited {
            self.fulfilled_at[slots.clone()].fill(T::NONE);
            self.fulfilled_since[slots].fill(fulfilled);
        }
        self.fulfilled.push(fulfilled);
    }

    /// Tracks a gate through the plies at which the conditions that it waits for are fulfilled.
    /// Returns whether it may be open at some ply.
    fn track_gate(&mut self, gate: &ConditionGate, n: usize) -> bool {
        if let Some(opens) = self.gate_opens[n] {
            return opens;
        }
        let mut may_open = 0;
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
            let open = match gate.open_for {
                None => {
                    let open = by_then.map(|word| word << 1).or(state.previous.map(|before| before & 1));
                    state.previous = by_then.map(|word| word >> 63);
                    open
                }
                Some(limit) => {
                    fires.map_with_carry(&mut state.counters, |word, left| within_limit_after(word, left, limit))
                }
            };
            self.gate_open[n * self.words_per_trace + nth] = open;
            may_open |= open.may();
        }
        self.gate_opens[n] = Some(may_open != 0);
        may_open != 0
    }

    /// Combines the conditions that a gate waits for; `at` gives the same two results for a single condition.
    /// Returns the plies at which one of the conditions fulfils the formula anew, and the plies by which the formula has been
    /// fulfilled.
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
            Formula::SomeOf(least, parts) => {
                let parts: Vec<(T, T)> = parts.iter().map(|part| self.combine_gate(part, at)).collect();
                let fires = parts.iter().fold(T::NONE, |fires, (more, _)| fires.or(*more));
                let since = parts.iter().map(|(_, since)| *since);
                let bounds = [T::NONE, T::ALL];
                let since = some_of(*least, since, bounds, |one, other| one.and(*other), |one, other| one.or(other));
                (fires.and(since), since)
            }
            Formula::True => (T::NONE, T::ALL),
            // A gate never waits for a negated condition.
            Formula::Not(_) => (T::NONE, T::NONE),
        }
    }

    /// Returns the plies that count for condition `n`, as bounds.
    pub fn hits(&self, n: usize) -> &[T] {
        &self.hits[n * self.words_per_trace..(n + 1) * self.words_per_trace]
    }

    /// Returns whether the position before the first ply counts for condition `n`: all bits set, or none.
    pub fn hit_at_start(&self, n: usize) -> T {
        self.hits_at_start[n]
    }

    /// Returns whether the game fulfils condition `n`: all bits set, or none.
    pub fn fulfilled(&self, n: usize) -> T {
        self.fulfilled[n]
    }
}
