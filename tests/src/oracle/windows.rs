//! Decides whether a game fulfils a query, and at which plies, window by window.

use plyfold_core::query::header::NumberRange;
use plyfold_core::query::tree::QueryTree;
use plyfold_core::query::window::{GamePhase, OccurrenceRule, WindowClause, WindowQuantifier};
use plyfold_core::scan::ConditionEdge;
use shakmaty::Color::{Black, White};
use shakmaty::{Color, Role};

use super::Trace;
use super::truth::Truth;
use crate::followed::is_place_of_named_pieces;

/// Every choice of so many parts, as GRAMMAR.md defines a list.
pub(super) fn written_out(least: usize, parts: &[QueryTree]) -> QueryTree {
    let choices = (0..1u32 << parts.len()).filter(|choice| choice.count_ones() as usize == least);
    let all = |choice: u32| {
        let chosen = parts.iter().enumerate().filter(|(nth, _)| choice >> nth & 1 != 0);
        QueryTree::And(chosen.map(|(_, part)| part.clone()).collect())
    };
    QueryTree::Or(choices.map(all).collect())
}

/// Whether a condition counts at a ply: it is known to hold there, or to have changed.
pub(super) fn counts_at(held: &[Truth], edge: Option<ConditionEdge>, ply: usize) -> bool {
    match edge {
        None => held[ply] == Some(true),
        Some(ConditionEdge::Became) => held[ply] == Some(true) && held[ply - 1] == Some(false),
        Some(ConditionEdge::Ceased) => held[ply] == Some(false) && held[ply - 1] == Some(true),
    }
}

/// What stands before a part of a query.
#[derive(Clone, Copy)]
pub(super) struct Before<'b> {
    /// The plies that count for the part.
    pub counts: &'b dyn Fn(usize) -> bool,
    /// After a `then`: by ply, where what stands before it is fulfilled. Headers alone are fulfilled there.
    pub opened: Option<&'b [bool]>,
}

impl Before<'_> {
    /// Nothing.
    pub const NOTHING: Before<'static> = Before { counts: &|_| true, opened: None };
}

/// Headers hold from the start, but what they fulfil alone is fulfilled where `opened` says.
fn fulfil_headers(at: &mut [bool], opened: &[bool]) {
    if std::mem::take(&mut at[0]) {
        at.iter_mut().zip(opened).for_each(|(at, &opened)| *at |= opened);
    }
}

/// Whether a condition is fulfilled, and at which plies. Index 0 stands for the position before the first ply.
pub(super) struct Fulfilled {
    pub verdict: bool,
    pub at: Vec<bool>,
}

impl Trace<'_> {
    /// Evaluates what stands before a `then`.
    pub(super) fn fulfilled_first(&self, tree: &QueryTree, before: Before<'_>) -> Fulfilled {
        let mut first = self.fulfilled(tree, before);
        before.opened.iter().for_each(|opened| fulfil_headers(&mut first.at, opened));
        first
    }

    /// Evaluates a part of a query.
    pub(super) fn fulfilled(&self, tree: &QueryTree, before: Before<'_>) -> Fulfilled {
        let each = |parts: &[QueryTree]| parts.iter().map(|part| self.fulfilled(part, before)).collect::<Vec<_>>();
        let by = |part: &Fulfilled, ply: usize| part.at[..=ply].contains(&true);
        let at = |holds: &dyn Fn(usize) -> bool| (0..=self.plies()).map(holds).collect::<Vec<_>>();
        match tree {
            QueryTree::Everything => Fulfilled { verdict: true, at: at(&|ply| ply == 0) },
            QueryTree::And(parts) => {
                let parts = each(parts);
                // By this ply all parts are fulfilled, the last of them at this very ply.
                let now = |ply: usize| parts.iter().any(|part| part.at[ply]) && parts.iter().all(|part| by(part, ply));
                Fulfilled { verdict: parts.iter().all(|part| part.verdict), at: at(&now) }
            }
            QueryTree::Or(parts) => {
                let parts = each(parts);
                let now = |ply: usize| parts.iter().any(|part| part.at[ply]);
                Fulfilled { verdict: parts.iter().any(|part| part.verdict), at: at(&now) }
            }
            QueryTree::SomeOf { number: least, parts } => self.fulfilled(&written_out(*least, parts), before),
            QueryTree::Not(inner) => Fulfilled { verdict: !self.fulfilled(inner, before).verdict, at: at(&|_| false) },
            QueryTree::Header(_) => {
                let holds = self.holds(tree, 0) == Some(true);
                Fulfilled { verdict: holds, at: at(&|ply| ply == 0 && holds) }
            }
            QueryTree::Leaf(_) | QueryTree::Together(_) => self.windowed(tree, &WindowClause::EVER, before.counts),
            QueryTree::Condition { inner: what, window } => self.windowed(what, window, before.counts),
            QueryTree::Then { first, within, second } => {
                let first = self.fulfilled_first(first, before);
                let after = |ply: usize| {
                    let limit = within.map_or(usize::MAX, |plies| plies as usize);
                    (0..ply).any(|earlier| first.at[earlier] && ply - earlier <= limit)
                };
                let mut second = self.fulfilled(second, Before { counts: &after, opened: Some(&first.at) });
                fulfil_headers(&mut second.at, &first.at);
                Fulfilled { verdict: first.verdict && second.verdict, at: second.at }
            }
        }
    }

    pub(super) fn windowed(
        &self,
        what: &QueryTree,
        window: &WindowClause,
        counts: &dyn Fn(usize) -> bool,
    ) -> Fulfilled {
        let plies = self.plies();
        let all = self.held(what);
        // For places of named pieces, the start position is that after ply 0.
        let first = usize::from(window.edge.is_some() || !is_place_of_named_pieces(what));
        let is_within = |ply: usize| ply >= first && counts(ply) && self.is_within(window, ply);
        let within: Vec<bool> = (0..=plies).map(is_within).collect();
        let hit = |ply: usize| within[ply] && counts_at(&all, window.edge, ply);
        if window.quantifier == WindowQuantifier::Always {
            let verdict = (0..=plies).all(|ply| !within[ply] || all[ply] == Some(true));
            return Fulfilled { verdict, at: vec![false; plies + 1] };
        }
        let hits: Vec<bool> = (0..=plies).map(hit).collect();
        let times = |ply: usize| hits[..=ply].iter().filter(|&&hit| hit).count() as u64;
        let (at, verdict): (Vec<bool>, bool) = match window.occurrence {
            OccurrenceRule::Once => (hits.clone(), hits.contains(&true)),
            OccurrenceRule::Consecutive(least) => {
                let ends = |ply: usize| {
                    ply + 1 >= least as usize && hits[ply + 1 - least as usize..=ply].iter().all(|&hit| hit)
                };
                let at: Vec<bool> = (0..=plies).map(ends).collect();
                let verdict = at.contains(&true);
                (at, verdict)
            }
            OccurrenceRule::Times(NumberRange { min: least, max: most }) => {
                let at = (0..=plies).map(|ply| hits[ply] && times(ply) >= u64::from(least)).collect();
                (at, (u64::from(least)..=u64::from(most)).contains(&times(plies)))
            }
        };
        match window.quantifier {
            WindowQuantifier::Never => Fulfilled { verdict: !verdict, at: vec![false; plies + 1] },
            _ => Fulfilled { verdict, at },
        }
    }

    /// Whether a window contains a ply, whatever holds there.
    pub(super) fn is_within(&self, window: &WindowClause, ply: usize) -> bool {
        let within = |number: usize, (first, last): (u32, u32)| first as usize <= number && number <= last as usize;
        within(ply, window.when.ply_bounds)
            && within(self.number_of_move(ply), window.when.move_bounds)
            && (!window.when.at_end || ply > 0 && ply == self.plies())
            && window.phase.is_none_or(|phase| self.phase(ply) == phase)
    }

    /// The move number as printed in the score: it starts at that of the start position and increases after each move of
    /// Black. Before the first ply, it is that of the move before.
    pub(super) fn number_of_move(&self, ply: usize) -> usize {
        let start = &self.boards[0];
        if ply == 0 {
            return usize::from(start.fullmoves.max(1)) - usize::from(start.side_to_move() == White);
        }
        let blacks = (1..ply).filter(|&played| (played % 2 == 1) == (start.side_to_move() == Black)).count();
        usize::from(start.fullmoves.max(1)) + blacks
    }

    fn phase(&self, ply: usize) -> GamePhase {
        let board = &self.boards[ply];
        let pieces: u32 = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
            .into_iter()
            .map(|role| (board.pieces(White, role) | board.pieces(Black, role)).count_ones())
            .sum();
        let at_home = |colour: Color| (board.occupied_by(colour) & colour.fold_wb(0xff, 0xff << 56)).count_ones();
        if pieces <= 6 {
            GamePhase::Endgame
        } else if pieces <= 10 || at_home(White) < 4 || at_home(Black) < 4 {
            GamePhase::Middlegame
        } else {
            GamePhase::Opening
        }
    }
}
