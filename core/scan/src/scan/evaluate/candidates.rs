//! Candidates are the games of a batch that must be evaluated: neither their headers nor their signatures reject them.

use plyfold_annotations::bounds::AnnotationBounds;
use plyfold_board::irreversible::home_pawns;
use plyfold_board::irreversible::home_pawns::PROMOTION_COLUMN;
use plyfold_board::matsig::MatSig;
use plyfold_board::matsig::target::ReachabilityTarget;
use shakmaty::Bitboard;

use super::game::GameEvaluator;
use super::prepared::PreparedBatch;
use crate::game::GameSpan;
use crate::headers::game_mask::GameMask;
use crate::scan::combine::{BitSet, Formula};
use crate::scan::plan::implied_targets::ImpliedTargets;
use crate::scan::plan::prepared_query::PreparedQuery;
use crate::scan::plies::iter_ones;
use crate::scan::predicate::AnnotationBoundTest;
use crate::scan::tuning::{MAX_GAMES_READ_AHEAD, MIN_REJECTED_SHARE, PAUSED_BATCHES};
use crate::scan::{Occurrence, plies};

/// The number of games that one thread takes at a time.
pub(in crate::scan) const BATCH_GAMES: u32 = 512;

/// Counts the games of a mask.
fn count_games(games: &GameMask) -> u32 {
    games.iter().map(|mask| mask.count_ones()).sum()
}

impl GameEvaluator<'_> {
    /// Selects the games of a batch that must be evaluated, query by query.
    #[inline(never)]
    pub fn select_candidates(&mut self, span: &GameSpan<'_>) {
        self.test_headers(span);
        let prepared = self.prepared;
        self.annotation_masks.clear();
        if !span.annotation_bounds().is_empty() {
            let tests = prepared.annotation_predicates.iter();
            self.annotation_masks.extend(tests.map(|&(_, test)| games_that_may_pass(test, span.annotation_bounds())));
        }
        let mut candidates = GameMask::default();
        for q in 0..self.query_states.len() {
            let games = self.select_candidates_for(q, span);
            self.query_states[q].candidates = games;
            candidates.iter_mut().zip(games).for_each(|(all, games)| *all |= games);
        }
        self.statistics.games_rejected_early += u64::from(span.len() - count_games(&candidates));
    }

    /// Tests the headers of the games of a batch, for the queries that are not on headers alone.
    fn test_headers(&mut self, span: &GameSpan<'_>) {
        self.header_masks.clear();
        let prepared = self.prepared;
        let queries = prepared.queries.iter().filter(|one| one.header_filter.is_none());
        let mut used_predicates = BitSet::default();
        queries.for_each(|one| used_predicates.insert_all(&one.used_predicates));
        let test = |(test, &n): (usize, &u16)| {
            if used_predicates.contains(n) { prepared.headers.evaluate(span, test) } else { GameMask::default() }
        };
        self.header_masks.extend(prepared.header_predicates.iter().enumerate().map(test));
    }

    /// Returns whether some query may match a game of the batch, judged by the headers alone.
    pub fn headers_leave_games(&mut self, span: &GameSpan<'_>) -> bool {
        self.test_headers(span);
        self.annotation_masks.clear();
        let may_match = |query: &PreparedQuery<'_>| {
            let games = match &query.header_filter {
                Some(filter) => filter.matching_games(&self.prepared.headers, span),
                None => core::array::from_fn(|word| self.possible_games(query, word, |_, _| u64::MAX)),
            };
            query.candidate_games(span).iter().zip(games).any(|(candidates, games)| candidates & games != 0)
        };
        self.prepared.queries.iter().any(may_match)
    }

    /// Selects the games of a batch that must be evaluated for one query, a bit each.
    fn select_candidates_for(&mut self, query_index: usize, span: &GameSpan<'_>) -> GameMask {
        let query = &self.prepared.queries[query_index];
        let mut masks = query.candidate_games(span);
        let candidates = count_games(&masks);
        if candidates == 0 {
            return masks;
        }
        if let Some(facts) = &query.header_filter {
            let mut games = facts.matching_games(&self.prepared.headers, span);
            games.iter_mut().zip(masks).for_each(|(game, candidate)| *game &= candidate);
            return games;
        }
        let word_count = span.len().div_ceil(64) as usize;
        if !self.header_masks.is_empty() || !self.annotation_masks.is_empty() {
            for (nth, mask) in masks.iter_mut().enumerate().take(word_count) {
                *mask &= self.possible_games(query, nth, |_, _| u64::MAX);
            }
        }
        let has_conditions = !query.final_material_conditions.is_empty() || query.targets.iter().any(Option::is_some);
        let has_signatures = !span.signatures().is_empty() && has_conditions;
        let batches_to_skip = self.query_states[query_index].batches_to_skip.saturating_sub(1);
        self.query_states[query_index].batches_to_skip = batches_to_skip;
        if !has_signatures || batches_to_skip > 0 {
            return masks;
        }
        for (nth, mask) in masks.iter_mut().enumerate().take(word_count).filter(|(_, mask)| **mask != 0) {
            *mask &= self.home_pawns_possible(query, span, nth);
        }
        // PERF: the data of a game lies in several places. If few games are left and they are far apart, their data is read
        // ahead, so that the memory accesses overlap.
        if count_games(&masks) <= MAX_GAMES_READ_AHEAD {
            core::hint::black_box(iter_ones(&masks).fold(0, |all, nth| all ^ span.signatures()[nth].white));
        }
        for (nth, mask) in masks.iter_mut().enumerate().take(word_count) {
            *mask = self.targets_reachable(query, span, nth, *mask);
        }
        let number = count_games(&masks);
        if number <= MAX_GAMES_READ_AHEAD {
            core::hint::black_box(iter_ones(&masks).fold(0, |all, nth| all ^ span.prefetch(nth as u32)));
        }
        // With several alternatives, a game costs several tests.
        let is_worthwhile = (candidates - number) * MIN_REJECTED_SHARE >= number * query.alternative_count();
        self.query_states[query_index].batches_to_skip = if is_worthwhile { 0 } else { PAUSED_BATCHES };
        masks
    }

    /// Returns the games of a word of `span` that their home-pawn signatures do not rule out, a bit each.
    fn home_pawns_possible(&self, query: &PreparedQuery<'_>, span: &GameSpan<'_>, word: usize) -> u64 {
        let games = (span.len() as usize - word * 64).min(64);
        let column = |column: usize| milestone_column(span, word, column);
        self.possible_games(query, word, |_, goals| {
            let Some(ImpliedTargets { common: all, alternatives: ways }) = goals else { return u64::MAX };
            let all = all.as_ref().map_or(u64::MAX, |(homes, _)| homes.possible_games(&column));
            match &ways[..] {
                [] => all,
                ways => all & ways.iter().fold(0, |may, (homes, _)| may | homes.possible_games(&column)),
            }
        }) & plies::valid_bits(games, 0)
    }

    /// Returns those of `games` that the material signatures of their last positions do not rule out.
    fn targets_reachable(&self, query: &PreparedQuery<'_>, span: &GameSpan<'_>, word: usize, games: u64) -> u64 {
        let (signatures, promotions) = (span.signatures(), span.home_pawn_column(PROMOTION_COLUMN));
        let signatures = &signatures[word * 64..];
        let column = |column: usize| milestone_column(span, word, column);
        let at_last = &query.final_material_conditions;
        let final_material_fits = if at_last.is_empty() {
            games
        } else {
            games
                & self.possible_games(query, word, |n, _| {
                    if at_last.contains(n) {
                        self.final_material_possible(query, n, signatures, games)
                    } else {
                        u64::MAX
                    }
                })
        };
        final_material_fits
            & self.possible_games(query, word, |_, goals| {
                let Some(ImpliedTargets { common: all, alternatives: ways }) = goals else { return u64::MAX };
                let of = |goal: &ReachabilityTarget, games: u64| {
                    Bitboard(games).into_iter().fold(0, |may, game| {
                        let promotions = home_pawns::max_promotions(promotions[word * 64 + game as usize]);
                        may | u64::from(goal.may_have_been_reached_with(&signatures[game as usize], promotions))
                            << game as u32
                    })
                };
                // What all alternatives have in common is tested first.
                let all = all.as_ref().map_or(final_material_fits, |(_, goal)| of(goal, final_material_fits));
                match &ways[..] {
                    [] => all,
                    // The home pawns are tested again, because a game must pass both tests of the same alternative.
                    ways => ways.iter().fold(0, |may, (homes, goal)| match all & !may {
                        0 => may,
                        asked => may | of(goal, asked & homes.possible_games(&column)),
                    }),
                }
            })
    }

    /// Returns those of `games` in which a condition on piece counts may hold at the end, judged by their signatures.
    fn final_material_possible(
        &self,
        query: &PreparedQuery<'_>,
        condition_index: u16,
        signatures: &[MatSig],
        mut games: u64,
    ) -> u64 {
        let PreparedBatch { predicates: sorted, initial, .. } = self.prepared;
        let formula = &query.query.conditions[usize::from(condition_index)].formula;
        let mut board = initial.clone();
        for game in Bitboard(games) {
            let Some(number) = signatures[game as usize].piece_counts() else { continue };
            board.piece_counts = number;
            let holds = |n: u16| if sorted[usize::from(n)].test(&board) { (1, 1) } else { (0, 0) };
            games &= !((formula.bounds(&holds).1 & 1 ^ 1) << game as u32);
        }
        games
    }

    /// Returns the games of a word of the batch in which the verdict may hold or some position may match.
    /// `possible_by_target` gives, for each condition, the games that can reach its targets.
    #[inline(always)]
    fn possible_games(
        &self,
        prepared_query: &PreparedQuery<'_>,
        word: usize,
        possible_by_target: impl Fn(u16, Option<&ImpliedTargets>) -> u64,
    ) -> u64 {
        let PreparedQuery { targets: goals, query, wants_positions: positions, game_formulas, .. } = prepared_query;
        match (&goals[..], &query.verdict) {
            ([Some(only)], Formula::Bit(0))
                if matches!(query.position_verdict, Formula::Bit(0)) && game_formulas[0].is_none() =>
            {
                possible_by_target(0, Some(only))
            }
            (goals, verdict) => {
                let condition = |n: u16| {
                    let most = possible_by_target(n, goals[usize::from(n)].as_ref());
                    let n = usize::from(n);
                    match game_formulas[n] {
                        None => (0, most),
                        Some(formula) => {
                            let (must, may) = self.game_bounds(formula, word);
                            // Whether the condition is ever met depends on the plies, unless it is a condition on headers alone.
                            if query.conditions[n].window.occurrence == Occurrence::Header {
                                (must, may)
                            } else {
                                (0, may & most)
                            }
                        }
                    }
                };
                let games = verdict.bounds(&condition).1;
                if *positions && query.evidence.is_none() {
                    games | query.position_verdict.bounds(&condition).1
                } else {
                    games
                }
            }
        }
    }

    /// Returns, for the games of a word of the batch, the bounds of a formula that their headers and the bounds of their annotations give.
    #[inline(never)]
    fn game_bounds(&self, formula: &Formula, word: usize) -> (u64, u64) {
        let PreparedBatch { header_predicates, .. } = self.prepared;
        formula.bounds(&|n| {
            if let Ok(test) = header_predicates.binary_search(&n) {
                return (self.header_masks[test][word], self.header_masks[test][word]);
            }
            (0, self.annotation_mask(n).map_or(u64::MAX, |games| games[word]))
        })
    }

    /// Returns the games of the batch in which a predicate on annotations may hold; none if all of them may be such games.
    pub(super) fn annotation_mask(&self, predicate: u16) -> Option<&GameMask> {
        let test = self.prepared.annotation_predicates.binary_search_by_key(&predicate, |&(bounded, _)| bounded);
        self.annotation_masks.get(test.ok()?)
    }
}

/// Returns the games in which a test of annotations may hold, a bit each.
fn games_that_may_pass(test: AnnotationBoundTest, bounds: &[AnnotationBounds]) -> GameMask {
    let mut games = GameMask::default();
    for (word, bounds) in games.iter_mut().zip(bounds.chunks(64)) {
        *word = bounds.iter().rev().fold(0, |word, bounds| word << 1 | u64::from(test.may_hold(bounds)));
    }
    games
}

/// Returns a column of the home-pawn signatures of the games of a word.
fn milestone_column<'a>(span: &GameSpan<'a>, word: usize, column: usize) -> &'a [u8] {
    let column = span.home_pawn_column(column);
    column.get(word * 64..(word * 64 + 64).min(column.len())).unwrap_or(&[])
}
