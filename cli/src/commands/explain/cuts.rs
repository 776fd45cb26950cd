//! Games that a scan need not look at, or not to their end, as [`fold`](plyfold_core::scan::fold) decides it.

use plyfold_core::course::milestones::Homes;
use plyfold_core::matsig::MatSig;
use plyfold_core::matsig::goal::{Asked, Goal};
use plyfold_core::scan::combine::Formula;
use plyfold_core::scan::predicate::Predicate;
use plyfold_core::scan::{Condition, Edge, Query, Times, aim};
use serde::Serialize;

use crate::draw::squares;

/// Home ranks of the pawns of White, and of Black.
const HOME: [u64; 2] = [0xff << 8, 0xff << 48];

/// Games that need not be looked at, or not to their end.
#[derive(Serialize)]
pub(super) struct CutOffs {
    /// Whether nothing but headers is asked for.
    pub headers_alone: bool,
    /// Which games are skipped, whatever is kept of the others.
    #[serde(flatten)]
    pub always: Skipped,
    /// Which games are skipped where games alone are counted or listed, and no positions.
    pub for_games_alone: Skipped,
    /// Where the walk through a game ends as soon as one of these pawns is gone.
    pub home_pawns: Pawns,
}

/// By what games are skipped.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Skipped {
    /// By their headers.
    pub by_headers: bool,
    /// By their last signature.
    pub by_last_signature: bool,
    /// By when their pawns left home.
    pub by_milestones: bool,
}

/// Squares by side.
#[derive(Serialize)]
pub(super) struct Pawns {
    pub white: Vec<String>,
    pub black: Vec<String>,
}

impl CutOffs {
    pub fn of(query: &Query) -> CutOffs {
        let asked: Vec<Vec<Asked>> = query.conditions.iter().map(|one| reached(one, &query.predicates)).collect();
        let skips = |formula: &Formula, cuts: &dyn Fn(&Asked) -> bool| {
            let condition = |n: u8| {
                let cut = asked.get(usize::from(n)).is_some_and(|ways| !ways.is_empty() && ways.iter().all(cuts));
                (0, if cut { 0 } else { u64::MAX })
            };
            formula.between(&condition).1 == 0
        };
        // Whoever began with the usual array and changed nothing is out of reach, or nobody is.
        let by_signature = |asked: &Asked| !Goal::bounds(asked).survives_early(&MatSig::INITIAL);
        let by_home = |asked: &Asked| Homes::new(asked.required, asked.allowed).left != 0;
        let skipped = |formula: &Formula| Skipped {
            by_headers: headers_decide(query, formula, false),
            by_last_signature: skips(formula, &by_signature),
            by_milestones: skips(formula, &by_home),
        };
        let (games, positions) = (skipped(&query.verdict), skipped(&query.matching));
        let home = match (&asked[..], &query.verdict) {
            // With several conditions, others may hold still; a change asks for the ply before, too.
            ([ways], Formula::Bit(0)) if query.conditions[0].window.edge.is_none() => {
                let home = |asked: &Asked| [0, 1].map(|side| asked.required[side] & HOME[side]);
                let all = |one: [u64; 2], two: [u64; 2]| [one[0] & two[0], one[1] & two[1]];
                ways.iter().map(home).reduce(all).unwrap_or_default()
            }
            _ => [0; 2],
        };
        CutOffs {
            headers_alone: !query.conditions.is_empty()
                && query.conditions.iter().all(|one| one.window.times == Times::Fact),
            always: Skipped {
                by_headers: games.by_headers && positions.by_headers,
                by_last_signature: games.by_last_signature && positions.by_last_signature,
                by_milestones: games.by_milestones && positions.by_milestones,
            },
            for_games_alone: games,
            home_pawns: Pawns { white: squares(home[0]), black: squares(home[1]) },
        }
    }
}

/// What the men must be wherever a condition is met, in one way or another; none if that says nothing.
fn reached(condition: &Condition, predicates: &[Predicate]) -> Vec<Asked> {
    let ways = aim::ways(&condition.formula, predicates);
    // What has ceased may have held on the start position alone.
    let says = condition.window.edge != Some(Edge::Ceased) && !ways.contains(&Asked::default());
    if says { ways } else { Vec::new() }
}

/// Whether some header makes a formula over conditions true, or false, whatever the plies.
fn headers_decide(query: &Query, formula: &Formula, to: bool) -> bool {
    decides(formula, to, &|n, to| {
        query.conditions.get(usize::from(n)).is_some_and(|condition| {
            // That something is ever so is not known by a header, but that it never is may be.
            (!to || condition.window.times == Times::Fact)
                && decides(&condition.formula, to, &|n, _| {
                    matches!(query.predicates.get(usize::from(n)), Some(Predicate::Header(_)))
                })
        })
    })
}

/// Whether a formula can be made `to`, given which of its bits can.
fn decides(formula: &Formula, to: bool, bit: &dyn Fn(u8, bool) -> bool) -> bool {
    match formula {
        Formula::True => to,
        Formula::Bit(n) => bit(*n, to),
        Formula::Not(inner) => decides(inner, !to, bit),
        Formula::And(parts) if to => parts.iter().all(|part| decides(part, to, bit)),
        Formula::Or(parts) if !to => parts.iter().all(|part| decides(part, to, bit)),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| decides(part, to, bit)),
    }
}
