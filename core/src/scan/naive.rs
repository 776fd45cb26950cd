//! The naive scan is the slow twin of the fold, simple enough to be obviously right.
//!
//! It maintains the whole board, tests every predicate anew after every ply and stores the trace of a game. Then it reads windows
//! and gates off the trace by their definitions. It never stops early and has no access path but the board. Tests compare the two
//! scans on random queries and games; nothing else uses the naive one.

use alloc::vec;
use alloc::vec::Vec;

use super::combine::Formula;
use super::predicate::PlayedPly;
use super::reducer::{Matches, MatchingPosition, Reducer, ScanMatch};
use super::{ConditionEdge, GameInSpan, Occurrence, Query, ScanCondition, first_half_move};
use shakmaty::Role;

use crate::board::Board;
use crate::board::history::PositionHistory;
use crate::board::make::FullState;
use crate::game::{GameSpan, Ply};
use crate::irreversible::EventStreamBuffer;
use crate::moves::Move;

/// Scans all games and returns what [`fold::scan`](super::fold::scan) must return.
pub fn scan<R: Reducer>(spans: &[GameSpan<'_>], query: &Query, mut reducer: R) -> R {
    for (span, nth, game) in
        spans.iter().flat_map(|span| (0..).zip(span.games()).map(move |(nth, game)| (span, nth, game)))
    {
        let mut in_span = GameInSpan::new(span, nth);
        let start = game.start_board();
        let first = first_half_move(&start);
        let mut board = start.clone();
        let mut history = PositionHistory::starting_at(&mut board);
        let mut matches = vec![0u64; game.moves.len().div_ceil(64)];
        let played = played_plies(&start, game.moves);
        let mut trace = vec![query.evaluate_predicates(&board, &mut in_span, (&played, 0), first)];
        for (ply, &mv) in (1..).zip(game.moves) {
            board.make::<FullState>(mv);
            history.push(&mut board);
            let bits = query.evaluate_predicates(&board, &mut in_span, (&played, ply), first);
            trace.push(bits);
            let conditions = query.conditions.iter().enumerate();
            let holding = conditions.fold(0, |all, (n, one)| all | u64::from(one.formula.holds(bits)) << n);
            if query.position_verdict.holds(holding) {
                matches[(ply - 1) / 64] |= 1 << ((ply - 1) % 64);
                reducer.position(&MatchingPosition { game: &game, board: &board, ply: Ply::after_moves(ply) });
            }
        }
        let mut courses = EventStreamBuffer::default();
        courses.push_game(&start, game.moves);
        let matches = Matches::from_words(&matches, game.moves.len());
        let verdict = query.verdict.holds(fulfilled_conditions(query, &trace, first));
        if verdict || matches.count() > 0 {
            let course = courses.as_streams();
            reducer.game(&ScanMatch {
                span,
                game_in_span: nth,
                game: &game,
                start_board: &start,
                event_streams: course,
                matches,
                verdict,
            });
        }
    }
    reducer
}

/// Returns the plies of a game with what each captures, as the board before it shows.
fn played_plies(start: &Board, moves: &[Move]) -> Vec<PlayedPly> {
    let mut board = start.clone();
    let played = moves.iter().map(|&mv| {
        let mover = board.side_to_move();
        let captured = match () {
            () if mv.is_en_passant() => Some(Role::Pawn),
            () if mv.is_castling() || mv.is_null() => None,
            () => board.mailbox[mv.target()].role(),
        };
        board.make::<FullState>(mv);
        PlayedPly { mv, mover, captured }
    });
    played.collect()
}

/// Returns the conditions that a game fulfils. `trace` has the predicates that hold before the first ply and after each.
pub(super) fn fulfilled_conditions(query: &Query, trace: &[u64], first_half_move: u32) -> u64 {
    // Ply 0 is before the first move: conditions on headers are fulfilled there.
    let mut fulfilled_at: Vec<Vec<bool>> = Vec::new();
    for condition in &query.conditions {
        let open = |ply: usize| match condition.gate {
            None => true,
            Some(gate) => {
                let gate = &query.gates[usize::from(gate)];
                let earliest = gate.open_for.map_or(0, |limit| ply.saturating_sub(limit as usize));
                (earliest..ply).any(|before| gate_opens_at(&gate.opens_after, &fulfilled_at, before))
            }
        };
        let fulfilled = fulfilled_plies(condition, trace, first_half_move, open);
        fulfilled_at.push(fulfilled);
    }
    fulfilled_at.iter().enumerate().fold(0, |all, (n, fires)| all | u64::from(fires.contains(&true)) << n)
}

/// Returns, by ply from 0, whether `condition` is fulfilled there.
fn fulfilled_plies(
    condition: &ScanCondition,
    trace: &[u64],
    first_half_move: u32,
    gate_is_open: impl Fn(usize) -> bool,
) -> Vec<bool> {
    let plies = trace.len() - 1;
    let window = &condition.window;
    let holds = |ply: usize| condition.formula.holds(trace[ply]);
    let is_hit = |ply: usize| {
        window.plies.holds(ply, plies, first_half_move)
            && window.phase.holds(trace[ply])
            && gate_is_open(ply)
            && match window.edge {
                None => holds(ply),
                Some(ConditionEdge::Became) => holds(ply) && !holds(ply - 1),
                Some(ConditionEdge::Ceased) => !holds(ply) && holds(ply - 1),
            }
    };
    let is_fulfilled_at = |ply: usize| match window.occurrence {
        Occurrence::Header => ply == 0 && holds(0),
        _ if ply == 0 => false,
        Occurrence::Once => is_hit(ply),
        Occurrence::Consecutive(least) => ply >= least as usize && (ply + 1 - least as usize..=ply).all(is_hit),
        Occurrence::Total(least) => is_hit(ply) && (1..=ply).filter(|&ply| is_hit(ply)).count() >= least as usize,
    };
    (0..=plies).map(is_fulfilled_at).collect()
}

/// Returns whether a gate opens after `ply`: its formula is fulfilled by then, and its last part exactly then.
fn gate_opens_at(opens_after: &Formula, fulfilled_at: &[Vec<bool>], ply: usize) -> bool {
    fulfilled_now(opens_after, fulfilled_at, ply) && (fulfilled_by(opens_after, fulfilled_at, ply))
}

/// Returns whether the formula is fulfilled anew at `ply`, by at least one of its conditions.
fn fulfilled_now(opens_after: &Formula, fulfilled_at: &[Vec<bool>], ply: usize) -> bool {
    match opens_after {
        Formula::Bit(n) => fulfilled_at[usize::from(*n)][ply],
        Formula::And(parts) => {
            parts.iter().any(|part| fulfilled_now(part, fulfilled_at, ply))
                && fulfilled_by(opens_after, fulfilled_at, ply)
        }
        Formula::Or(parts) => parts.iter().any(|part| fulfilled_now(part, fulfilled_at, ply)),
        Formula::True => ply == 0,
        Formula::Not(_) => false,
    }
}

/// Returns whether the formula has been fulfilled by `ply`.
fn fulfilled_by(opens_after: &Formula, fulfilled_at: &[Vec<bool>], ply: usize) -> bool {
    match opens_after {
        Formula::Bit(n) => fulfilled_at[usize::from(*n)][..=ply].contains(&true),
        Formula::And(parts) => parts.iter().all(|part| fulfilled_by(part, fulfilled_at, ply)),
        Formula::Or(parts) => parts.iter().any(|part| fulfilled_by(part, fulfilled_at, ply)),
        Formula::True => true,
        Formula::Not(_) => false,
    }
}
