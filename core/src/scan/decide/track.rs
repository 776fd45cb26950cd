//! Stage 3, track: a track applies windows and gates in one forward pass over the plies of a game.
//!
//! The trace of a condition is bits, 64 to a word: the plies at which its formula holds. The track goes through the trace word by word and
//! carries one [`CarriedState`] from each word to the next, of a fixed size whatever the length of the game. A gate is tracked likewise,
//! through the plies at which the conditions that it waits for are fulfilled.
//!
//! Windows only ever turn from *not yet* to *fulfilled*, and a larger set of plies fulfils no less; so bounds of the trace give bounds of
//! the result ([`TruthBounds`](super::truth::TruthBounds)). `never`, `always` and `at most` are made from windows by `not`.

use alloc::vec::Vec;

use super::runs::{count_reached, from_first_on, run_ends, within_limit_after};
use super::truth::{TruthBounds, TruthWord};
use crate::scan::combine::Formula;
use crate::scan::plies::valid_bits;
use crate::scan::{ConditionEdge, ConditionGate, Occurrence, Query, plies};

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
pub(in crate::scan) struct TrackedGame {
    pub plies: usize,
    /// The half-move that its first ply is, see [`PlyFilter::holds`](crate::scan::ply_filter::PlyFilter::holds).
    pub first_half_move: u32,
    /// Predicates that hold before its first ply: those about headers, and where an edge asks for them those about its start position.
    pub holding_at_start: u64,
}

/// The trace of a condition, word by word.
pub(in crate::scan) struct ConditionTrace<H, P> {
    /// Whether a gate waits for the condition.
    pub is_awaited: bool,
    /// Where its formula holds.
    pub holds: H,
    /// Where the game is in the phase that is asked for.
    pub phase: P,
}

/// The plies at which a formula begins or ceases to hold; `previous` goes on to the next word.
#[inline(always)]
fn edge_hits<T: TruthWord>(edge: ConditionEdge, holds: T, previous: &mut T) -> T {
    let before = *previous;
    let earlier = holds.map(|word| word << 1).or(before.map(|before| before & 1));
    *previous = holds.map(|word| word >> 63);
    match edge {
        ConditionEdge::Became => holds.and(earlier.not()),
        ConditionEdge::Ceased => earlier.and(holds.not()),
    }
}

/// The plies at which hits fulfil a condition; `counters` go on to the next word.
#[inline(always)]
fn fulfilling_plies<T: TruthWord>(occurrence: Occurrence, hits: T, counters: &mut [u32; 2]) -> T {
    match occurrence {
        Occurrence::Header | Occurrence::Once => hits,
        Occurrence::Consecutive(least) => hits.map_with_carry(counters, |word, run| run_ends(word, run, least)),
        Occurrence::Total(least) => hits.map_with_carry(counters, |word, counted| count_reached(word, counted, least)),
    }
}

/// The windows and gates of a query in one game; memory serves the next.
#[derive(Default)]
pub(in crate::scan) struct ConditionTrack<T> {
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

    /// Leads the next condition through its trace.
    pub fn track_condition(
        &mut self,
        query: &Query,
        game: &TrackedGame,
        ConditionTrace { is_awaited, holds, phase }: ConditionTrace<impl Fn(usize) -> T, impl Fn(usize) -> T>,
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
                Some(edge) => edge_hits(edge, holds, &mut state.previous),
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
            let fires = fulfilling_plies(times, hits, &mut state.counters);
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
