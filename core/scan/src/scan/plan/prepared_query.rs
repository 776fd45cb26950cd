//! A prepared query is one query of a batch with everything that the scan needs before the first game. It knows the predicates
//! that it uses, and what rejects a game early.

use alloc::vec::Vec;

use super::header_filter::HeaderFilter;
use super::implied_bounds;
use super::implied_targets::ImpliedTargets;
use super::planned_predicate::PlannedPredicate;
use super::quantified::QuantifiedQuery;
use super::query_batch::ScanRequest;
use crate::game::GameSpan;
use crate::headers::HeaderTest;
use crate::headers::game_mask::{GameMask, first_games, mask_of_set};
use crate::scan::access_path::AccessPath;
use crate::scan::combine::{BitSet, Formula, bits_where};
use crate::scan::ply_filter::PlyFilter;
use crate::scan::tuning::MAX_EAGER_CONDITIONS;
use crate::scan::{Occurrence, Query};

/// A query of a batch, prepared for the scan.
pub(in crate::scan) struct PreparedQuery<'q> {
    /// The index of the query among the requests.
    pub request: usize,
    pub query: &'q Query,
    /// The games to search, a bit each; all games if there is no subset.
    subset: Option<&'q [u64]>,
    /// Whether the reducer needs positions and not only verdicts.
    pub wants_positions: bool,
    /// The parts of the query with a choice of pieces each, if it has names.
    pub quantified: Option<QuantifiedQuery>,
    /// The predicates that the query uses.
    pub used_predicates: BitSet,
    /// For each condition, its formula if that uses a test that a whole game can pass or fail: of headers, or by bounds.
    pub game_formulas: Vec<Option<&'q Formula>>,
    /// The filter that decides the query, if it uses headers alone.
    pub header_filter: Option<HeaderFilter>,
    /// Whether headers and ply numbers may decide the query: it uses a header test, a gate or a window that excludes plies.
    pub restricts_plies: bool,
    /// Whether the query is evaluated after each access path.
    // PERF: evaluating many conditions costs more than walking the event streams.
    pub is_evaluated_eagerly: bool,
    /// What each condition implies of the pieces on the board, if anything.
    pub targets: Vec<Option<ImpliedTargets>>,
    /// The conditions on the last ply alone that the piece counts there decide.
    pub final_material_conditions: BitSet,
}

/// What the queries of a batch share when they are prepared.
pub(in crate::scan) struct PlanningContext<'a> {
    pub predicates: &'a [PlannedPredicate],
    /// In the order of their numbers.
    pub header_predicates: &'a [u16],
    pub header_tests: &'a [HeaderTest],
    /// The predicates on headers, and those that the bounds of a game's annotations can rule out.
    pub decided_by_game: BitSet,
}

impl<'q> PreparedQuery<'q> {
    pub fn new(
        (nth, request, query): &'q (usize, ScanRequest<'_>, Query),
        shares: &PlanningContext<'_>,
    ) -> PreparedQuery<'q> {
        let PlanningContext { predicates, header_predicates, header_tests, decided_by_game } = shares;
        let ScanRequest { subset, wants_positions, .. } = *request;
        // Evidence lies in games that match.
        let positions = wants_positions && query.evidence.is_none();
        let game_formulas = query
            .conditions
            .iter()
            .map(|one| Some(&one.formula).filter(|formula| formula.bits().intersects(decided_by_game)));
        // A condition that appears only negated cannot reject a game.
        let mut required_conditions = query.verdict.positive_bits();
        if positions {
            required_conditions.insert_all(&query.position_verdict.positive_bits());
        }
        let targets = (0..).zip(&query.conditions).map(|(n, condition)| {
            if condition.window.may_hold_only_at_start() || !required_conditions.contains(n) {
                return None;
            }
            ImpliedTargets::from_bounds(&implied_bounds::implied_alternatives(&condition.formula, &query.predicates))
        });
        let material_predicates = bits_where(predicates, |planned| planned.access_path == AccessPath::MaterialEvents);
        let final_material_conditions = (0..).zip(&query.conditions).filter(|&(n, condition)| {
            let window = &condition.window;
            // Positions match regardless of the window.
            !positions
                && required_conditions.contains(n)
                && condition.formula.bits().is_subset(&material_predicates)
                && window.plies.at_end
                && window.edge.is_none()
                && window.occurrence != Occurrence::Header
        });
        let used_predicates = query.used_predicates();
        PreparedQuery {
            request: *nth,
            subset,
            wants_positions,
            quantified: QuantifiedQuery::new(query, wants_positions),
            game_formulas: game_formulas.collect(),
            header_filter: HeaderFilter::from_query(query, header_predicates, header_tests),
            restricts_plies: header_predicates.iter().any(|&n| used_predicates.contains(n))
                || query.conditions.iter().any(|one| one.gate.is_some() || one.window.plies != PlyFilter::EVERY_PLY),
            is_evaluated_eagerly: query.conditions.len() <= MAX_EAGER_CONDITIONS,
            targets: targets.collect(),
            final_material_conditions: final_material_conditions.map(|(n, _)| n).collect(),
            used_predicates,
            query,
        }
    }

    /// The most alternatives of any condition, at least one.
    pub fn alternative_count(&self) -> u32 {
        let ways = self.targets.iter().flatten().map(|goals| goals.alternatives.len() as u32);
        ways.max().unwrap_or(0).max(1)
    }

    /// The games of a span that the query searches, one bit each.
    pub fn candidate_games(&self, span: &GameSpan<'_>) -> GameMask {
        let all = first_games(span.len());
        self.subset.map_or(all, |within| {
            let games = mask_of_set(within, span);
            core::array::from_fn(|nth| games[nth] & all[nth])
        })
    }
}
