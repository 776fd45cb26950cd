//! The twin of the fold: obviously right, and slow.
//!
//! Keeps everything up, tests everything afresh after every ply, stores the whole trace of a game and reads the windows and gates off
//! it by their definitions; it exits nowhere, and has no sources but the board. Tests compare the two on random queries and games;
//! nothing else uses it.

use alloc::vec;
use alloc::vec::Vec;

use super::combine::Formula;
use super::reducer::{Found, Matches, Ply, Reducer};
use super::{Condition, Edge, Query, Times, first_half_move};
use crate::board::history::History;
use crate::board::make::Whole;
use crate::course::Courses;
use crate::game::Span;

/// What [`fold::scan`](super::fold::scan) should return.
pub fn scan<R: Reducer>(spans: &[Span<'_>], query: &Query, mut reducer: R) -> R {
    for (span, nth, game) in
        spans.iter().flat_map(|span| (0..).zip(span.games()).map(move |(nth, game)| (span, nth, game)))
    {
        let of = (span, nth);
        let start = game.start();
        let first = first_half_move(&start);
        let mut board = start.clone();
        let mut history = History::on(&mut board);
        let mut matches = vec![0u64; game.moves.len().div_ceil(64)];
        let mut trace = vec![query.tested(&board, of, 0, first)];
        for (ply, &mv) in (1..).zip(game.moves) {
            board.make::<Whole>(mv);
            history.push(&mut board);
            let bits = query.tested(&board, of, ply, first);
            trace.push(bits);
            let conditions = query.conditions.iter().enumerate();
            let holding = conditions.fold(0, |all, (n, one)| all | u64::from(one.formula.holds(bits)) << n);
            if query.matching.holds(holding) {
                matches[(ply - 1) / 64] |= 1 << ((ply - 1) % 64);
                reducer.position(&Ply { game: &game, board: &board, number: ply as u32 });
            }
        }
        let mut courses = Courses::default();
        courses.push(&start, game.moves);
        let matches = Matches::of(&matches, game.moves.len());
        let verdict = query.verdict.holds(fulfilled(query, &trace, first));
        if verdict || matches.number() > 0 {
            let course = courses.as_course();
            reducer.game(&Found { span, nth, game: &game, start: &start, course, matches, verdict });
        }
    }
    reducer
}

/// Conditions that a game fulfils. `trace` has the predicates that hold before the first ply and after each.
pub(super) fn fulfilled(query: &Query, trace: &[u64], first: u32) -> u64 {
    // Ply 0 is before the first: a header is fulfilled there.
    let mut fired: Vec<Vec<bool>> = Vec::new();
    for condition in &query.conditions {
        let open = |ply: usize| match condition.gate {
            None => true,
            Some(gate) => {
                let gate = &query.gates[usize::from(gate)];
                let earliest = gate.within.map_or(0, |limit| ply.saturating_sub(limit as usize));
                (earliest..ply).any(|before| opens(&gate.first, &fired, before))
            }
        };
        let fires = fires(condition, trace, first, open);
        fired.push(fires);
    }
    fired.iter().enumerate().fold(0, |all, (n, fires)| all | u64::from(fires.contains(&true)) << n)
}

/// By ply from 0, whether `condition` is fulfilled at it.
fn fires(condition: &Condition, trace: &[u64], first: u32, open: impl Fn(usize) -> bool) -> Vec<bool> {
    let plies = trace.len() - 1;
    let window = &condition.window;
    let holds = |ply: usize| condition.formula.holds(trace[ply]);
    let counts = |ply: usize| {
        window.when.holds(ply, plies, first)
            && window.phase.holds(trace[ply])
            && open(ply)
            && match window.edge {
                None => holds(ply),
                Some(Edge::Became) => holds(ply) && !holds(ply - 1),
                Some(Edge::Ceased) => !holds(ply) && holds(ply - 1),
            }
    };
    let at = |ply: usize| match window.times {
        Times::Fact => ply == 0 && holds(0),
        _ if ply == 0 => false,
        Times::Once => counts(ply),
        Times::Row(least) => ply >= least as usize && (ply + 1 - least as usize..=ply).all(counts),
        Times::Count(least) => counts(ply) && (1..=ply).filter(|&ply| counts(ply)).count() >= least as usize,
    };
    (0..=plies).map(at).collect()
}

/// Whether what a gate waits for is fulfilled at `ply`, the last of it at this very ply.
fn opens(first: &Formula, fired: &[Vec<bool>], ply: usize) -> bool {
    now(first, fired, ply) && (by(first, fired, ply))
}

/// Whether a part of it is fulfilled at `ply`.
fn now(first: &Formula, fired: &[Vec<bool>], ply: usize) -> bool {
    match first {
        Formula::Bit(n) => fired[usize::from(*n)][ply],
        Formula::And(parts) => parts.iter().any(|part| now(part, fired, ply)) && by(first, fired, ply),
        Formula::Or(parts) => parts.iter().any(|part| now(part, fired, ply)),
        Formula::True => ply == 0,
        Formula::Not(_) => false,
    }
}

/// Whether all of it has been fulfilled by `ply`.
fn by(first: &Formula, fired: &[Vec<bool>], ply: usize) -> bool {
    match first {
        Formula::Bit(n) => fired[usize::from(*n)][..=ply].contains(&true),
        Formula::And(parts) => parts.iter().all(|part| by(part, fired, ply)),
        Formula::Or(parts) => parts.iter().any(|part| by(part, fired, ply)),
        Formula::True => true,
        Formula::Not(_) => false,
    }
}
