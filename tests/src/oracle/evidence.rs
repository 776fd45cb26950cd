//! Finds the plies that are the evidence of a query.

use plyfold_core::query::header::NumberRange;
use plyfold_core::query::tree::QueryTree;
use plyfold_core::query::window::{OccurrenceRule, WindowClause, WindowQuantifier};

use super::Trace;
use super::windows::{Before, counts_at, written_out};

/// Whether a query has conditions on headers alone, outside and inside braces.
fn is_of_headers(tree: &QueryTree) -> bool {
    match tree {
        QueryTree::Everything | QueryTree::Header(_) => true,
        QueryTree::And(parts) | QueryTree::Or(parts) | QueryTree::SomeOf { parts, .. } => {
            parts.iter().all(is_of_headers)
        }
        QueryTree::Not(inner) => is_of_headers(inner),
        QueryTree::Then { first, second, .. } => is_of_headers(first) && is_of_headers(second),
        QueryTree::Leaf(_) | QueryTree::Together(_) | QueryTree::Condition { .. } => false,
    }
}

/// Whether some condition of a query has evidence of its own.
fn has_place(tree: &QueryTree) -> bool {
    match tree {
        QueryTree::Everything | QueryTree::Header(_) | QueryTree::Not(_) => false,
        QueryTree::And(parts) | QueryTree::Or(parts) | QueryTree::SomeOf { parts, .. } => parts.iter().any(has_place),
        QueryTree::Then { first, second, .. } => has_place(first) || has_place(second),
        QueryTree::Condition { window, .. } => window.quantifier != WindowQuantifier::Never,
        QueryTree::Leaf(_) | QueryTree::Together(_) => true,
    }
}

impl Trace<'_> {
    pub(super) fn evidence_as_chosen(&self, tree: &QueryTree) -> Vec<u32> {
        if is_of_headers(tree) {
            return if self.matches_as_chosen(tree) { (1..=self.plies() as u32).collect() } else { Vec::new() };
        }
        if !self.matches_as_chosen(tree) {
            return Vec::new();
        }
        let evidence =
            if has_place(tree) { self.evidence(tree, Before::NOTHING, None) } else { vec![true; self.boards.len()] };
        (1..=self.plies()).filter(|&ply| evidence[ply]).map(|ply| ply as u32).collect()
    }

    /// By ply, the evidence of a part; with `uses`, as far as these of its fulfilments need.
    fn evidence(&self, tree: &QueryTree, before: Before<'_>, uses: Option<&dyn Fn(usize) -> bool>) -> Vec<bool> {
        let plies = self.boards.len();
        let none = vec![false; plies];
        let join =
            |parts: Vec<Vec<bool>>| (0..plies).map(|ply| parts.iter().any(|part| part[ply])).collect::<Vec<bool>>();
        let is_used = |ply: usize| uses.is_none_or(|uses| uses(ply));
        match tree {
            QueryTree::Everything | QueryTree::Not(_) | QueryTree::Header(_) => none,
            QueryTree::And(parts) => join(
                parts
                    .iter()
                    .map(|part| {
                        let mine = self.fulfilled(part, before).at;
                        // Where another part completes them all, the earlier fulfilments of this one are needed.
                        let completes = |ply: usize| (ply + 1..plies).any(|later| is_used(later) && !mine[later]);
                        let needed = |ply: usize| ply > 0 && mine[ply] && (is_used(ply) || completes(ply));
                        self.evidence(part, before, if uses.is_some() { Some(&needed) } else { None })
                    })
                    .collect(),
            ),
            QueryTree::Or(parts) => join(
                parts
                    .iter()
                    .filter(|part| self.fulfilled(part, before).verdict)
                    .map(|part| {
                        let mine = self.fulfilled(part, before).at;
                        let needed = |ply: usize| mine[ply] && is_used(ply);
                        self.evidence(part, before, if uses.is_some() { Some(&needed) } else { None })
                    })
                    .collect(),
            ),
            QueryTree::SomeOf { number: least, parts } => self.evidence(&written_out(*least, parts), before, uses),
            QueryTree::Then { first, within, second } => {
                let opened = self.fulfilled_first(first, before).at;
                let limit = within.map_or(usize::MAX, |plies| plies as usize);
                let after = |ply: usize| (0..ply).any(|earlier| opened[earlier] && ply - earlier <= limit);
                let later = self.evidence(second, Before { counts: &after, opened: Some(&opened) }, uses);
                let leads = |ply: usize| {
                    ply > 0 && opened[ply] && (ply + 1..plies).any(|next| later[next] && next - ply <= limit)
                };
                let needed: Option<&dyn Fn(usize) -> bool> = if later.contains(&true) { Some(&leads) } else { None };
                join(vec![self.evidence(first, before, needed), later])
            }
            QueryTree::Leaf(_) | QueryTree::Together(_) => {
                self.evidence_of_window(tree, &WindowClause::EVER, before.counts, &is_used)
            }
            QueryTree::Condition { inner, window } => self.evidence_of_window(inner, window, before.counts, &is_used),
        }
    }

    fn evidence_of_window(
        &self,
        what: &QueryTree,
        window: &WindowClause,
        counts: &dyn Fn(usize) -> bool,
        is_used: &dyn Fn(usize) -> bool,
    ) -> Vec<bool> {
        let plies = self.boards.len();
        let inside = |ply: usize| ply > 0 && counts(ply) && self.is_within(window, ply);
        if window.quantifier == WindowQuantifier::Never {
            return vec![false; plies];
        }
        if window.quantifier == WindowQuantifier::Always {
            return (0..plies).map(inside).collect();
        }
        let all = self.held(what);
        let hit = |ply: usize| inside(ply) && counts_at(&all, window.edge, ply);
        let at = self.windowed(what, window, counts).at;
        let ends = |ply: usize| at[ply] && is_used(ply);
        let shows = |ply: usize| match window.occurrence {
            // Once is what a condition without words means.
            OccurrenceRule::Once | OccurrenceRule::Times(NumberRange { min: 1, .. }) => ends(ply),
            OccurrenceRule::Consecutive(least) => (ply..plies).take(least.max(1) as usize).any(ends),
            OccurrenceRule::Times(NumberRange { min: 0, .. }) => hit(ply),
            OccurrenceRule::Times(_) => hit(ply) && (ply..plies).any(ends),
        };
        (0..plies).map(|ply| ply > 0 && shows(ply)).collect()
    }
}
