//! Finds the games that a scan skips or leaves early, by the rules of [`fold`](plyfold_core::scan::fold).

use plyfold_core::irreversible::home_pawns::HomePawnConstraint;
use plyfold_core::matsig::MatSig;
use plyfold_core::matsig::target::{MaterialBounds, ReachabilityTarget};
use plyfold_core::scan::combine::Formula;
use plyfold_core::scan::plan::implied_bounds;
use plyfold_core::scan::predicate::PositionPredicate;
use plyfold_core::scan::{Occurrence, Query, ScanCondition};
use serde::Serialize;

use crate::diagram::squares;

/// The home ranks of the pawns, White's and Black's.
const HOME: [u64; 2] = [0xff << 8, 0xff << 48];

/// Games that a scan skips or leaves early.
#[derive(Serialize)]
pub(super) struct SkippedWork {
    /// Whether the query tests nothing but headers.
    pub headers_alone: bool,
    /// Why games are skipped, whatever the outputs are.
    #[serde(flatten)]
    pub always: SkipReasons,
    /// Why games are skipped if games alone are counted or listed, and no positions.
    pub for_games_alone: SkipReasons,
    /// The scan leaves a game as soon as one of these pawns has moved or been captured.
    pub home_pawns: HomePawnSquares,
}

/// What makes a scan skip a game.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct SkipReasons {
    /// By their headers.
    pub by_headers: bool,
    /// By their last signature.
    pub by_last_signature: bool,
    /// By their home-pawn signature.
    pub by_milestones: bool,
}

/// Squares by side.
#[derive(Serialize)]
pub(super) struct HomePawnSquares {
    pub white: Vec<String>,
    pub black: Vec<String>,
}

impl SkippedWork {
    pub fn of_query(query: &Query) -> SkippedWork {
        let bounds: Vec<Vec<MaterialBounds>> =
            query.conditions.iter().map(|one| implied_bounds(one, &query.predicates)).collect();
        let skips = |formula: &Formula, cuts: &dyn Fn(&MaterialBounds) -> bool| {
            let condition = |n: u16| {
                let cut = bounds.get(usize::from(n)).is_some_and(|ways| !ways.is_empty() && ways.iter().all(cuts));
                (0, if cut { 0 } else { u64::MAX })
            };
            formula.bounds(&condition).1 == 0
        };
        // A signature rejects games if a game that ends with the initial signature cannot have met the condition.
        let by_signature =
            |asked: &MaterialBounds| !ReachabilityTarget::from_bounds(asked).may_have_been_reached(&MatSig::INITIAL);
        let by_home =
            |asked: &MaterialBounds| HomePawnConstraint::new(asked.required_pawns, asked.allowed_pawns).departed != 0;
        let skipped = |formula: &Formula| SkipReasons {
            by_headers: headers_decide(query, formula, false),
            by_last_signature: skips(formula, &by_signature),
            by_milestones: skips(formula, &by_home),
        };
        let (games, positions) = (skipped(&query.verdict), skipped(&query.position_verdict));
        let home = match (&bounds[..], &query.verdict) {
            // With several conditions, another one may still hold. A change also depends on the ply before.
            ([ways], Formula::Bit(0)) if query.conditions[0].window.edge.is_none() => {
                let home = |asked: &MaterialBounds| [0, 1].map(|side| asked.required_pawns[side] & HOME[side]);
                let all = |one: [u64; 2], two: [u64; 2]| [one[0] & two[0], one[1] & two[1]];
                ways.iter().map(home).reduce(all).unwrap_or_default()
            }
            _ => [0; 2],
        };
        SkippedWork {
            headers_alone: !query.conditions.is_empty()
                && query.conditions.iter().all(|one| one.window.occurrence == Occurrence::Header),
            always: SkipReasons {
                by_headers: games.by_headers && positions.by_headers,
                by_last_signature: games.by_last_signature && positions.by_last_signature,
                by_milestones: games.by_milestones && positions.by_milestones,
            },
            for_games_alone: games,
            home_pawns: HomePawnSquares { white: squares(home[0]), black: squares(home[1]) },
        }
    }
}

/// Bounds of which one holds wherever the condition holds; empty if they exclude nothing.
fn implied_bounds(condition: &ScanCondition, predicates: &[PositionPredicate]) -> Vec<MaterialBounds> {
    let ways = implied_bounds::implied_alternatives(&condition.formula, predicates);
    let says = !condition.window.may_hold_only_at_start() && !ways.contains(&MaterialBounds::default());
    if says { ways } else { Vec::new() }
}

/// Whether the headers can make a formula over conditions true, or false, whatever the plies are.
fn headers_decide(query: &Query, formula: &Formula, to: bool) -> bool {
    can_decide(formula, to, &|n, to| {
        query.conditions.get(usize::from(n)).is_some_and(|condition| {
            // A header cannot decide that something holds at some ply, but it can decide that it never does.
            (!to || condition.window.occurrence == Occurrence::Header)
                && can_decide(&condition.formula, to, &|n, _| {
                    matches!(query.predicates.get(usize::from(n)), Some(PositionPredicate::Header(_)))
                })
        })
    })
}

/// Whether a formula can take the value `to`, given which of its bits can.
fn can_decide(formula: &Formula, to: bool, bit: &dyn Fn(u16, bool) -> bool) -> bool {
    match formula {
        Formula::True => to,
        Formula::Bit(n) => bit(*n, to),
        Formula::Not(inner) => can_decide(inner, !to, bit),
        Formula::And(parts) if to => parts.iter().all(|part| can_decide(part, to, bit)),
        Formula::Or(parts) if !to => parts.iter().all(|part| can_decide(part, to, bit)),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| can_decide(part, to, bit)),
        Formula::SomeOf(least, parts) => {
            let needed = if to { *least } else { Formula::failures_of_list(*least, parts.len()) };
            parts.iter().filter(|part| can_decide(part, to, bit)).count() >= needed
        }
    }
}
