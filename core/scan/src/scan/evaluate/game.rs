//! The game evaluator tests predicates along one access path after the other, the cheapest first, until nothing is undecided.
//!
//! ```text
//! for each access path, the cheapest first        events of the game, moves that touch squares, the board
//!     test its predicates                         at which plies does each hold? a set of plies
//!     combine the sets                            what must match, what may match
//!     stop if nothing is undecided                most games never need a board
//! ```
//!
//! A predicate that is not tested yet may be true or false. The evaluation allows for both, so it tests an expensive predicate
//! only at plies where the cheap ones leave the result undecided.

use alloc::vec::Vec;

use plyfold_annotations::columns::AnnotationColumns;
use plyfold_board::board::given_check::CheckReplay;
use plyfold_board::board::{Board, ColorCode, PieceCode};
use shakmaty::Bitboard;

use super::checks_given::ChecksGiven;
use super::events::{EventTests, PawnCountCaches, PawnFileTests};
use super::game_at_hand::GameAtHand;
use super::halfmove_clock::{ClockThreshold, HalfmoveClock};
use super::motifs::MotifMemory;
use super::piece_choices::{PartEvaluator, PieceChoices};
use super::prepared::{BoardlessTests, PlyNumberTest, PredicateWord, PreparedBatch, RepetitionTest};
use super::repetition::RepetitionFinder;
use super::replay::{BoardTests, Replay, ReplayQuery};
use super::replay_choice::ReplayChoice;
use super::replay_for_several::KeptBoards;
use super::table_tests::TableTests;
use super::{events, repetition, touched_squares};
use crate::headers::game_mask::GameMask;
use crate::scan::combine::{BitSet, Formula};
use crate::scan::decide::KnownPredicates;
use crate::scan::decide::early_rejection::EarlyRejection;
use crate::scan::decide::query_evaluator::QueryEvaluator;
use crate::scan::decide::track::TrackedGame;
use crate::scan::followed_game::FollowedGame;
use crate::scan::plan::AccessPath;
use crate::scan::plan::prepared_query::PreparedQuery;
use crate::scan::plan::quantified::QuantifiedQuery;
use crate::scan::plies::PredicateSets;
use crate::scan::predicate::AnnotationTest;
use crate::scan::tuning::MAX_USELESS_TRIES;
use crate::scan::verdict_reader::VerdictReader;
use crate::scan::{ScanStatistics, first_half_move, plies};

/// The state with which one thread evaluates games; it knows nothing of reducers.
pub(in crate::scan) struct GameEvaluator<'p> {
    pub prepared: &'p PreparedBatch<'p>,
    pub statistics: ScanStatistics,
    /// The state of each query.
    pub query_states: Vec<QueryState>,
    /// The plies of the current game at which each predicate holds.
    sets: Vec<u64>,
    pub board: Board,
    /// The boards of a replay for several queries.
    kept_boards: KeptBoards,
    replay_choice: ReplayChoice,
    pub motif_memory: MotifMemory,
    /// The events of the current game that can change the result of some test.
    selected_events: Vec<u32>,
    /// For each entry of the tests without a board that is on pawns on files.
    pawn_count_caches: Vec<(PredicateWord, PawnCountCaches)>,
    clock: HalfmoveClock,
    checks: CheckReplay,
    annotations: AnnotationColumns,
    repetition: RepetitionFinder,
    verdicts: VerdictReader,
    /// The plies at which a test of tables is needed.
    plies_to_probe: Vec<u64>,
    /// For each test of headers, the games of the batch that pass it.
    pub header_masks: Vec<GameMask>,
    /// For each test of annotations, the games of the batch that it may hold in.
    pub annotation_masks: Vec<GameMask>,
}

/// The state of one query on one thread.
pub(in crate::scan) struct QueryState {
    pub evaluator: QueryEvaluator,
    early_rejection: EarlyRejection,
    /// The evaluators of its parts with a choice of pieces each, if it has names.
    parts: Vec<PartEvaluator>,
    /// The games of the batch that must be evaluated for the query.
    pub candidates: GameMask,
    /// The number of batches until the targets are tested again.
    pub batches_to_skip: u32,
    /// The number of games in a row in which evaluating the query before the replay was useless.
    useless_evaluations: usize,
}

impl QueryState {
    /// Returns whether the query is evaluated before the replay.
    ///
    /// PERF: a query that needs the board at half of the plies, game after game, is tried in one of [`MAX_USELESS_TRIES`] games.
    fn is_worth_a_try(&self) -> bool {
        self.useless_evaluations < MAX_USELESS_TRIES || self.useless_evaluations.is_multiple_of(MAX_USELESS_TRIES)
    }

    /// Returns the formula that decides the query as soon as it holds at one ply, if there is one. `untested` are the predicates
    /// that remain unknown there. A query with more than 64 predicates is decided later.
    fn sufficient_formula<'q>(&self, one: &PreparedQuery<'q>, untested: u64) -> Option<&'q Formula> {
        let suffices = one.quantified.is_none()
            && one.used_predicates.only_word().is_some_and(|used| used & untested == 0)
            && !one.wants_positions
            && self.evaluator.is_decided_by_one_ply();
        suffices.then(|| &one.query.conditions[0].formula)
    }
}

/// The progress of the evaluation of a game.
struct Progress<'p> {
    /// The predicates whose sets are known.
    known: BitSet,
    /// The queries that are still undecided.
    undecided: u64,
    /// The queries that have been evaluated, so that their undecided plies are known.
    evaluated: u64,
    plies: usize,
    first_half_move: u32,
    /// The predicates that hold before the first ply.
    holding_at_start: BitSet,
    /// Those of followed pieces, of which that is unknown.
    unknown_at_start: &'p BitSet,
}

impl Progress<'_> {
    #[inline(always)]
    fn game(&self) -> TrackedGame<'_> {
        let Progress { plies, first_half_move, ref holding_at_start, unknown_at_start, .. } = *self;
        TrackedGame { plies, first_half_move, holding_at_start, unknown_at_start }
    }
}

/// The sets of the predicates of a test, which numbers them from 0.
#[inline(always)]
fn sets_from(words: &mut [u64], predicates: PredicateWord, width: usize) -> PredicateSets<'_> {
    PredicateSets { words: &mut words[predicates.first() * width..], width }
}

impl<'p> GameEvaluator<'p> {
    pub fn new(prepared: &'p PreparedBatch<'p>) -> GameEvaluator<'p> {
        let new_state = |one: &PreparedQuery<'_>| QueryState {
            evaluator: QueryEvaluator::new(one.query),
            early_rejection: EarlyRejection::new(one.query),
            parts: one
                .quantified
                .as_ref()
                .map(QuantifiedQuery::evaluated_queries)
                .unwrap_or_default()
                .into_iter()
                .map(PartEvaluator::new)
                .collect(),
            candidates: GameMask::default(),
            batches_to_skip: 0,
            useless_evaluations: 0,
        };
        GameEvaluator {
            statistics: ScanStatistics::default(),
            query_states: prepared.queries.iter().map(new_state).collect(),
            sets: Vec::new(),
            selected_events: Vec::new(),
            pawn_count_caches: prepared
                .boardless_tests
                .iter()
                .filter(|(_, tests)| matches!(tests, BoardlessTests::PawnFileEvents(_)))
                .map(|(predicates, _)| (*predicates, PawnCountCaches::new()))
                .collect(),
            clock: HalfmoveClock::default(),
            checks: CheckReplay::default(),
            annotations: AnnotationColumns::default(),
            repetition: RepetitionFinder::new(),
            verdicts: VerdictReader::default(),
            plies_to_probe: Vec::new(),
            header_masks: Vec::new(),
            annotation_masks: Vec::new(),
            board: prepared.initial.clone(),
            kept_boards: KeptBoards::new(&prepared.initial),
            replay_choice: ReplayChoice::new(),
            motif_memory: MotifMemory::default(),
            prepared,
        }
    }

    /// Tests predicates, path by path, until nothing is undecided for any of these queries.
    /// Afterwards the evaluators of the queries have the verdicts and the matching positions.
    #[inline(never)]
    pub fn evaluate_game(&mut self, at: &GameAtHand<'_>, candidate_queries: u64) {
        let prepared = self.prepared;
        let mut progress = self.start_game(at, candidate_queries);
        self.evaluate_by_ply_numbers(&mut progress);
        for (predicates, tests) in &prepared.boardless_tests {
            if progress.undecided == 0 {
                return;
            }
            self.run_boardless_tests((*predicates, tests), at, &mut progress);
        }
        self.evaluate_before_replay(&mut progress);
        for (nth, (predicates, tests)) in prepared.board_tests.iter().enumerate() {
            let queries = prepared.interested_queries(progress.undecided, *predicates);
            if queries != 0 {
                let later = prepared.board_tests[nth + 1..].iter().fold(0, |all, (later, _)| all | later.bits);
                self.statistics.games_replayed += u64::from(nth == 0);
                self.replay_undecided((*predicates, tests), (queries, later), at, &mut progress);
            }
        }
        for q in Bitboard(progress.undecided) {
            self.choose_pieces(q as usize, at, &progress);
        }
    }

    /// Tries the choices of pieces for the names of a query; all its other predicates are known at all plies.
    fn choose_pieces(&mut self, query_index: usize, at: &GameAtHand<'_>, progress: &Progress<'_>) {
        let PreparedQuery { query, quantified, .. } = &self.prepared.queries[query_index];
        let Some(quantified) = quantified else { return };
        let QueryState { evaluator, parts, .. } = &mut self.query_states[query_index];
        let sets = PredicateSets { words: &mut self.sets, width: plies::word_count(progress.plies) };
        let game = FollowedGame::new(at.start, at.game.moves);
        let mut choices = PieceChoices::new(game, query, sets, (progress.known.clone(), progress.game()));
        let found = choices.evaluate(quantified, parts);
        evaluator.settle(found.verdict, &found.matches);
    }

    /// Clears the sets and tests the predicates that need no move: those on headers and on the number of the ply.
    #[inline(always)]
    fn start_game(&mut self, at: &GameAtHand<'_>, candidate_queries: u64) -> Progress<'p> {
        let prepared = self.prepared;
        let plies = at.game.moves.len();
        for q in Bitboard(candidate_queries) {
            self.query_states[q as usize].evaluator.start_game();
        }
        self.sets.clear();
        self.sets.resize(plies::word_count(plies) * prepared.predicates.len(), 0);
        let first_half_move = first_half_move(at.start);
        let mut holding_at_start = match &prepared.holding_initially {
            None => BitSet::default(),
            Some(usually) if at.has_initial_start => usually.clone(),
            Some(_) => {
                prepared.queries.first().map_or(BitSet::default(), |one| one.query.predicates_on_start(at.start))
            }
        };
        self.set_header_predicates(at, &mut holding_at_start);
        let known = prepared.known_at_start.clone();
        let progress = Progress {
            known,
            undecided: candidate_queries,
            evaluated: 0,
            plies,
            first_half_move,
            holding_at_start,
            unknown_at_start: &prepared.followed_predicates,
        };
        self.set_ply_number_predicates(at.start.turn, &progress.game());
        progress
    }

    /// Fills the sets of header predicates, with all plies or none. Adds those that hold to `holding`.
    #[inline(always)]
    fn set_header_predicates(&mut self, at: &GameAtHand<'_>, holding: &mut BitSet) {
        let mut sets = PredicateSets { words: &mut self.sets, width: plies::word_count(at.game.moves.len()) };
        for (&n, passed) in self.prepared.header_predicates.iter().zip(&self.header_masks) {
            let holds = passed[at.game_in_span / 64] >> (at.game_in_span % 64) & 1;
            sets.of(n.into()).fill(holds.wrapping_neg());
            holding.insert_word(n / 64, holds << (n % 64));
        }
    }

    /// Fills the sets of predicates on the number of the ply.
    #[inline(always)]
    fn set_ply_number_predicates(&mut self, first_mover: ColorCode, context: &TrackedGame<'_>) {
        let mut sets = PredicateSets { words: &mut self.sets, width: plies::word_count(context.plies) };
        for &(n, test) in &self.prepared.ply_number_tests {
            let set = sets.of(n.into());
            match test {
                PlyNumberTest::SideToMove(black) => {
                    // After an odd ply, the player who moved second is to move.
                    let odd = black != first_mover.is_black();
                    set.fill(if odd { 0x5555_5555_5555_5555 } else { 0xaaaa_aaaa_aaaa_aaaa });
                }
                PlyNumberTest::Ply(when) => {
                    let (from, to) = when.ply_range(context.plies, context.first_half_move);
                    plies::set_range(set, from, to);
                }
            }
        }
    }

    /// Evaluates the queries that numbers of plies may decide, before any access path is read.
    #[inline(always)]
    fn evaluate_by_ply_numbers(&mut self, progress: &mut Progress<'_>) {
        for q in Bitboard(progress.undecided) {
            let one = &self.prepared.queries[q as usize];
            if one.is_evaluated_eagerly && one.restricts_plies {
                progress.evaluated |= u64::from(one.quantified.is_none()) << q as u32;
                progress.undecided &= !(u64::from(self.evaluate_query(q as usize, progress)) << q as u32);
            }
        }
    }

    /// Tests the predicates of one access path, up to the last ply that is undecided for a query that uses them.
    #[inline(always)]
    fn run_boardless_tests(
        &mut self,
        (predicates, tests): (PredicateWord, &BoardlessTests),
        at: &GameAtHand<'_>,
        progress: &mut Progress<'_>,
    ) {
        let queries = self.prepared.interested_queries(progress.undecided, predicates);
        if queries == 0 {
            return;
        }
        let until = self.last_undecided(queries, progress);
        let width = plies::word_count(progress.plies);
        let sets = sets_from(&mut self.sets, predicates, width);
        match tests {
            BoardlessTests::TouchedSquares(tests) => {
                touched_squares::test_squares(tests, &at.game.moves[..until], at.start, sets);
                self.statistics.plies_read_without_board += until as u64;
            }
            BoardlessTests::Moves(tests) => {
                tests.test_plies(at, until, sets);
                self.statistics.plies_read_without_board += until as u64;
            }
            BoardlessTests::GameEnds(tests) => {
                let played = tests.test_plies(
                    at,
                    (until, &self.prepared.predicates[predicates.first()..]),
                    &mut self.board,
                    sets,
                );
                self.statistics.plies_read_without_board += played as u64;
            }
            BoardlessTests::Checks(tests) => {
                let unknown = !(progress.known.word(0) | predicates.bits);
                let formula = queries.is_power_of_two().then(|| {
                    let q = queries.trailing_zeros() as usize;
                    self.query_states[q].sufficient_formula(&self.prepared.queries[q], unknown)
                });
                let played = tests.test_plies(at, (until, formula.flatten()), &mut self.checks, sets);
                self.statistics.plies_read_without_board += played as u64;
            }
            BoardlessTests::Motifs(tests) => {
                let memory = (&mut self.board, &mut self.motif_memory);
                self.statistics.plies_replayed += tests.test_plies((at, until), memory, sets) as u64;
            }
            BoardlessTests::Tables(tests) => self.test_tables((predicates, tests), queries, at, progress),
            BoardlessTests::HalfmoveClock(thresholds) => self.test_clock((predicates, thresholds), at),
            BoardlessTests::Annotations(tests) => self.test_annotations((predicates, tests), at),
            BoardlessTests::Repetitions(tests) => self.test_repetitions((predicates, tests), at, until),
            BoardlessTests::Events(path, tests) => {
                self.statistics.events_read += self.test_events(*path, (predicates, tests), (at, until)) as u64;
            }
            BoardlessTests::PawnFileEvents(tests) => {
                self.statistics.events_read += self.test_pawn_files((predicates, tests), at, until) as u64;
            }
        }
        progress.known.insert_word(predicates.nth, predicates.bits);
        self.update_queries(queries, predicates, progress);
    }

    /// Evaluates queries after some predicates have become known, or rejects the game for them.
    #[inline(always)]
    fn update_queries(&mut self, queries: u64, new_predicates: PredicateWord, progress: &mut Progress<'_>) {
        for q in Bitboard(queries) {
            let (one, bit) = (&self.prepared.queries[q as usize], 1 << q as u32);
            if one.is_evaluated_eagerly {
                // The choice of pieces needs all other predicates at all plies.
                progress.evaluated |= if one.quantified.is_none() { bit } else { 0 };
                if self.evaluate_query(q as usize, progress) {
                    progress.undecided &= !bit;
                }
            } else if (!one.wants_positions || one.query.evidence.is_some()) && one.quantified.is_none() {
                let known = KnownPredicates { sets: &self.sets, known: &progress.known, game: progress.game() };
                let QueryState { early_rejection, evaluator, .. } = &mut self.query_states[q as usize];
                if !early_rejection.may_match(&known, new_predicates.nth, new_predicates.bits) {
                    evaluator.reject();
                    progress.undecided &= !bit;
                }
            }
        }
    }

    /// Evaluates the queries that have not been evaluated yet, so that the plies at which they need the board are known.
    #[inline(always)]
    fn evaluate_before_replay(&mut self, progress: &mut Progress<'_>) {
        let plies = progress.plies;
        for q in Bitboard(progress.undecided & !progress.evaluated) {
            let needs_board =
                self.prepared.queries[q as usize].used_predicates.intersects(&self.prepared.board_predicates);
            let is_quantified = self.prepared.queries[q as usize].quantified.is_some();
            let tries = !needs_board || is_quantified || self.query_states[q as usize].is_worth_a_try();
            let settled = tries && self.evaluate_query(q as usize, progress);
            if settled {
                progress.undecided &= !(1 << q as u32);
            }
            let QueryState { evaluator, useless_evaluations, .. } = &mut self.query_states[q as usize];
            let is_useful = settled || tries && evaluator.undecided_count() * 2 < plies;
            *useless_evaluations = if is_useful { 0 } else { *useless_evaluations + 1 };
            if !tries {
                evaluator.mark_all_undecided(plies);
            }
        }
    }

    /// Replays the game for some queries, as far as they are undecided, and evaluates them.
    /// `later` are the predicates that later replays test.
    #[inline(always)]
    fn replay_undecided(
        &mut self,
        (of_tests, tests): (PredicateWord, &BoardTests),
        (queries, later): (u64, u64),
        at: &GameAtHand<'_>,
        progress: &mut Progress<'_>,
    ) {
        let PreparedBatch { predicates, queries: prepared, .. } = self.prepared;
        let width = plies::word_count(progress.plies);
        let GameEvaluator { board, sets, query_states, kept_boards, replay_choice, .. } = self;
        board.clone_from(at.start);
        let replay_query = |q: usize| ReplayQuery {
            used_predicates: prepared[q].used_predicates.word(of_tests.nth),
            undecided: query_states[q].evaluator.undecided(),
            sufficient_formula: query_states[q].sufficient_formula(&prepared[q], later),
        };
        let (sets, planned) = (sets_from(sets, of_tests, width), &predicates[of_tests.first()..]);
        let replay = Replay { tests, planned, moves: at.game.moves, board, sets };
        let played = if queries.is_power_of_two() {
            replay.for_query_alone(&replay_query(queries.trailing_zeros() as usize), kept_boards)
        } else {
            let several: Vec<ReplayQuery<'_>> =
                Bitboard(queries).into_iter().map(|q| replay_query(q as usize)).collect();
            replay_choice.replay(replay, at.start, &several, kept_boards)
        };
        self.statistics.plies_replayed += played as u64;
        progress.known.insert_word(of_tests.nth, of_tests.bits);
        for q in Bitboard(queries) {
            progress.undecided &= !(u64::from(self.evaluate_query(q as usize, progress)) << q as u32);
        }
    }

    /// Returns the number of plies up to the last one that is undecided for any of these queries.
    #[inline(always)]
    fn last_undecided(&self, queries: u64, progress: &Progress<'_>) -> usize {
        if queries & !progress.evaluated != 0 {
            return progress.plies;
        }
        Bitboard(queries)
            .into_iter()
            .map(|q| self.query_states[q as usize].evaluator.last_undecided())
            .max()
            .unwrap_or(0)
    }

    /// Tests predicates along a stream of events up to a ply. Returns the number of events read.
    #[inline(always)]
    fn test_events(
        &mut self,
        path: AccessPath,
        (predicates, tests): (PredicateWord, &EventTests),
        (at, until): (&GameAtHand<'_>, usize),
    ) -> usize {
        let GameEvaluator { board, selected_events: selected, .. } = self;
        let start = at.start;
        board.piece_counts = start.piece_counts;
        [board.bitboards[PieceCode::WHITE_PAWN], board.bitboards[PieceCode::BLACK_PAWN]] = start.pawns();
        let sets = sets_from(&mut self.sets, predicates, plies::word_count(at.game.moves.len()));
        match path {
            AccessPath::MaterialEvents => events::walk_material_events(tests, (at, until), board, sets, selected),
            AccessPath::PawnEvents => match &self.prepared.home_pawn_watch {
                None => events::walk_pawn_events(tests, (at, until), (board, selected), sets, |_| true),
                Some(watch) => {
                    let mut targets = watch.initial_targets(start.pawns());
                    let last = at.last_signature();
                    events::walk_pawn_events(tests, (at, until), (board, selected), sets, |changed| {
                        targets = watch.still_possible(targets, changed, last);
                        targets != 0
                    })
                }
            },
            _ => events::walk_all_events(tests, (at, until), board, sets),
        }
    }

    /// Tests predicates along the changes of pawns on files up to a ply. Returns the number of events read.
    #[inline(always)]
    fn test_pawn_files(
        &mut self,
        (predicates, tests): (PredicateWord, &PawnFileTests),
        at: &GameAtHand<'_>,
        until: usize,
    ) -> usize {
        let GameEvaluator { board, selected_events: selected, pawn_count_caches, .. } = self;
        let Some((_, caches)) = pawn_count_caches.iter_mut().find(|(of, _)| of.nth == predicates.nth) else { return 0 };
        let sets = sets_from(&mut self.sets, predicates, plies::word_count(at.game.moves.len()));
        events::walk_pawn_file_events(tests, (at, until), board, sets, (selected, caches))
    }

    /// Tests predicates about the halfmove clock.
    #[inline(always)]
    fn test_clock(&mut self, (predicates, thresholds): (PredicateWord, &[(u8, ClockThreshold)]), at: &GameAtHand<'_>) {
        let plies = at.game.moves.len();
        let mut sets = sets_from(&mut self.sets, predicates, plies::word_count(plies));
        self.clock.read_resets(at.event_streams, plies);
        for &(n, threshold) in thresholds {
            self.clock.add_matching_plies(threshold, at.start.halfmoves, sets.of(n.into()));
        }
    }

    /// Tests predicates about annotations.
    fn test_annotations(&mut self, (predicates, tests): (PredicateWord, &[(u8, AnnotationTest)]), at: &GameAtHand<'_>) {
        let game = at.game.annotated(at.start.side_to_move());
        self.annotations.start_game();
        for (n, test) in tests {
            // Nothing is known of the plies of a game without annotations; comments and lines are found before the scan.
            let is_found = matches!(test, AnnotationTest::Comment(_) | AnnotationTest::Lines(_));
            let is_known = !game.packed.is_empty() || is_found;
            let may_hold = |games: &GameMask| games[at.game_in_span / 64] >> (at.game_in_span % 64) & 1 != 0;
            if is_known && self.annotation_mask(predicates.nth * 64 + u16::from(*n)).is_none_or(may_hold) {
                let mut sets = sets_from(&mut self.sets, predicates, plies::word_count(game.plies));
                test.add_matching_plies(&mut self.annotations, &game, sets.of((*n).into()));
            }
        }
    }

    /// Tests predicates about endgame tables, at the plies that are undecided for these queries.
    fn test_tables(
        &mut self,
        (predicates, tests): (PredicateWord, &TableTests),
        queries: u64,
        at: &GameAtHand<'_>,
        progress: &Progress<'_>,
    ) {
        let width = plies::word_count(progress.plies);
        self.plies_to_probe.clear();
        self.plies_to_probe.resize(width, if queries & !progress.evaluated != 0 { u64::MAX } else { 0 });
        for q in Bitboard(queries & progress.evaluated) {
            let undecided = self.query_states[q as usize].evaluator.undecided();
            self.plies_to_probe.iter_mut().zip(undecided).for_each(|(all, plies)| *all |= plies);
        }
        let sets = sets_from(&mut self.sets, predicates, width);
        let played = tests.test_plies(at, &self.plies_to_probe, (&mut self.board, &mut self.verdicts), sets);
        self.statistics.plies_replayed += played as u64;
        (self.statistics.table_positions, self.statistics.table_probes) =
            (self.verdicts.positions, self.verdicts.probes);
    }

    /// Tests predicates about repetitions up to a ply.
    fn test_repetitions(
        &mut self,
        (predicates, tests): (PredicateWord, &[(u8, RepetitionTest)]),
        at: &GameAtHand<'_>,
        until: usize,
    ) {
        let (moves, plies) = (&at.game.moves[..until], at.game.moves.len());
        self.clock.read_resets(at.event_streams, plies);
        let min_cycle = repetition::min_cycle(moves);
        let quiet_plies = self.clock.quiet_for(min_cycle);
        let mut sets = sets_from(&mut self.sets, predicates, plies::word_count(plies));
        for &(n, test) in tests {
            if let RepetitionTest::Times(compared) = test {
                sets.of(n.into()).fill(if compared.holds(1) { u64::MAX } else { 0 });
            }
        }
        let mut checks: Option<ChecksGiven<'_>> = None;
        self.repetition.find_repetitions(at.start, moves, (quiet_plies, min_cycle), |ply, repeated| {
            for &(n, test) in tests {
                let holds = match test {
                    RepetitionTest::Times(compared) => compared.holds(repeated.times),
                    RepetitionTest::PerpetualCheck(side) => {
                        let checks = checks.get_or_insert_with(|| ChecksGiven::new(at.start, moves));
                        checks.fill(side, ply, repeated.cycle)
                    }
                };
                let (word, bit) = (&mut sets.of(n.into())[ply / 64], 1 << (ply % 64));
                *word = *word & !bit | if holds { bit } else { 0 };
            }
        });
    }

    /// Evaluates a query by the predicates that are known. Returns true if nothing is undecided.
    #[inline(always)]
    fn evaluate_query(&mut self, query_index: usize, progress: &Progress<'_>) -> bool {
        let known = KnownPredicates { sets: &self.sets, known: &progress.known, game: progress.game() };
        let PreparedQuery { query, wants_positions: positions, quantified, .. } = &self.prepared.queries[query_index];
        let evaluator = &mut self.query_states[query_index].evaluator;
        let is_settled = evaluator.evaluate(query, &known, *positions);
        // The evaluation knows nothing of the pieces that names mean, which may match at any ply.
        if !is_settled && quantified.is_some() {
            evaluator.mark_all_undecided(progress.plies);
        }
        is_settled
    }
}
