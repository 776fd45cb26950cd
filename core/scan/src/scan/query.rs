//! A query is what a scan looks for: predicates, conditions over them with windows, gates, and two verdicts.
//!
//! The crate of the language makes queries from text. The fold and its naive twin both read them.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use plyfold_board::board::Board;

use super::combine::{BitSet, Formula, bits_where};
use super::evidence::EvidenceTree;
use super::followed_game::{FollowedGame, PieceId, any_choice};
use super::plan::quantified::QuantifiedPart;
use super::ply_filter::PlyFilter;
use super::predicate::{GameInSpan, NameDomain, NamedPieces, PlayedPly, PositionPredicate, TestedPly};
use super::replay_needs::ReplayNeeds;
use super::tables::BoundTables;
use crate::game::GameSpan;
use crate::headers::{HeaderTest, NameField, NamePattern, TagTest};

/// A query that is ready for scanning.
///
/// The crate of the language makes queries. If you make one by hand, its formulas may name only bits that exist, and a
/// gate may wait only for conditions that come before those behind it, so that there is no cycle.
#[derive(Clone, PartialEq, Debug)]
pub struct Query {
    /// The names of followed pieces, at most eight. The query matches if it does for some choice of one piece for each name.
    pub names: Vec<NameDomain>,
    /// The predicates, each only once.
    pub predicates: Vec<PositionPredicate>,
    /// The conditions.
    pub conditions: Vec<ScanCondition>,
    /// The gates that conditions wait for.
    pub gates: Vec<ConditionGate>,
    /// The games that match: a formula over the conditions that a game fulfils.
    pub verdict: Formula,
    /// The positions that match: a formula over the conditions whose own formula holds at the position, whatever their windows.
    pub position_verdict: Formula,
    /// If set, positions match where the evidence lies, in games that match, and not by `position_verdict`.
    /// The start position of a game is never evidence.
    pub evidence: Option<EvidenceTree>,
}

/// A formula that must hold, and when in the game it must hold.
#[derive(Clone, PartialEq, Debug)]
pub struct ScanCondition {
    /// A formula over the predicates at one position.
    pub formula: Formula,
    /// For a change: where the formula is known not to hold. If there is none, that is wherever it does not hold.
    pub contrary: Option<Formula>,
    /// When it must hold, and how often.
    pub window: PlyWindow,
    /// The gate, if any: plies count only while it is open.
    pub gate: Option<u16>,
}

/// The plies at which a formula counts, and how often it must hold there.
#[derive(Clone, PartialEq, Debug)]
pub struct PlyWindow {
    /// If set, the plies at which the formula begins or ceases to hold count, instead of those at which it holds.
    pub edge: Option<ConditionEdge>,
    /// The plies of a game that can count.
    pub plies: PlyFilter,
    /// A formula over the predicates that must hold as well for a ply to count. Without an edge this is the same as an *and*.
    pub phase: Formula,
    /// How often the formula must hold.
    pub occurrence: Occurrence,
    /// Whether the start position counts as the position after ply 0; there is no such ply for a change, nor behind a gate.
    pub counts_start: bool,
}

impl ScanCondition {
    /// The condition that a formula holds at any single ply of the game.
    pub fn at_any_ply(formula: Formula) -> ScanCondition {
        ScanCondition { formula, contrary: None, window: PlyWindow::ANY_PLY, gate: None }
    }

    /// Returns the predicates that the condition uses.
    pub(crate) fn used_predicates(&self) -> BitSet {
        let mut used = self.formula.bits();
        for formula in self.contrary.iter().chain([&self.window.phase]) {
            used.insert_all(&formula.bits());
        }
        used
    }

    /// Returns whether the start position can count for the condition in a game whose first ply has this half-move number.
    #[inline(always)]
    pub(crate) fn may_hold_at_start(&self, first_half_move: u32) -> bool {
        let PlyWindow { edge, plies, counts_start, .. } = &self.window;
        *counts_start && edge.is_none() && self.gate.is_none() && plies.holds_at_start(first_half_move)
    }
}

impl PlyWindow {
    /// The window that any single ply of the game fulfils.
    pub const ANY_PLY: PlyWindow = PlyWindow {
        edge: None,
        plies: PlyFilter::EVERY_PLY,
        phase: Formula::True,
        occurrence: Occurrence::Once,
        counts_start: false,
    };

    /// Returns whether the formula of a condition that a game fulfils may have held in the start position alone: it counts that, or
    /// the formula has ceased to hold.
    pub fn may_hold_only_at_start(&self) -> bool {
        self.counts_start || self.edge == Some(ConditionEdge::Ceased)
    }
}

/// How often a condition must be met. Once it is fulfilled, it stays so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Occurrence {
    /// The formula is about headers only, so it holds for a whole game or not at all, whatever the plies.
    Header,
    /// At one ply.
    Once,
    /// At this many plies in a row or more, from 1.
    Consecutive(u32),
    /// At this many plies or more, from 1.
    Total(u32),
}

impl Occurrence {
    /// Returns whether the first ply that counts fulfils a condition.
    pub(crate) fn needs_only_one(self) -> bool {
        !matches!(self, Occurrence::Consecutive(2..) | Occurrence::Total(2..))
    }
}

/// A change from one position to the next. For the first ply, the previous position is the start position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConditionEdge {
    /// The formula holds and did not hold before.
    Became,
    /// The formula does not hold and did hold before.
    Ceased,
}

/// What must have happened before plies count for a condition.
#[derive(Clone, PartialEq, Debug)]
pub struct ConditionGate {
    /// A formula over the conditions, without `not`. When it is fulfilled, the gate opens for the plies that follow.
    pub opens_after: Formula,
    /// The number of plies that the gate stays open each time, from 1; without a limit it stays open.
    pub open_for: Option<u32>,
}

impl Query {
    /// Makes the query that every game and position matches.
    pub fn match_all() -> Query {
        Query {
            names: Vec::new(),
            predicates: Vec::new(),
            conditions: Vec::new(),
            gates: Vec::new(),
            verdict: Formula::True,
            position_verdict: Formula::True,
            evidence: None,
        }
    }

    /// Returns what the replay must maintain.
    pub fn needs(&self) -> ReplayNeeds {
        self.predicates.iter().fold(ReplayNeeds::NONE, |all, predicate| all.union(predicate.needs()))
    }

    /// Returns the names of the sets in the query, each once, without the `@`.
    pub fn set_names(&self) -> impl Iterator<Item = &str> {
        self.predicates.iter().filter_map(|predicate| match predicate {
            PositionPredicate::Header(HeaderTest::Set(set)) => Some(&*set.name),
            _ => None,
        })
    }

    /// Binds each set that the query names to its games; this must happen before a scan.
    /// Game `id` is in a set if bit `id % 64` of word `id / 64` is set.
    ///
    /// # Errors
    ///
    /// The error of `games` for the first name that has no games.
    pub fn bind_sets<E>(&mut self, mut games: impl FnMut(&str) -> Result<Arc<[u64]>, E>) -> Result<(), E> {
        for predicate in &mut self.predicates {
            if let PositionPredicate::Header(HeaderTest::Set(set)) = predicate {
                set.bind(games(&set.name)?);
            }
        }
        Ok(())
    }

    /// The tests of tags in the query.
    pub fn tag_tests(&self) -> impl Iterator<Item = &TagTest> {
        self.predicates.iter().filter_map(|predicate| match predicate {
            PositionPredicate::Header(HeaderTest::Tag(test)) => Some(test),
            _ => None,
        })
    }

    /// Binds each test of a tag to the games that have it, as [`TagTest::bind`] takes them; this must happen before a scan.
    pub fn bind_tags(&mut self, mut games: impl FnMut(&TagTest) -> Arc<[u64]>) {
        for predicate in &mut self.predicates {
            if let PositionPredicate::Header(HeaderTest::Tag(test)) = predicate {
                let found = games(test);
                test.bind(found);
            }
        }
    }

    /// Lets each condition on a name hold for other names, too, which `others` has for its field and pattern.
    pub fn bind_names(&mut self, others: &dyn Fn(NameField, &NamePattern) -> Vec<String>) {
        for predicate in &mut self.predicates {
            if let PositionPredicate::Header(HeaderTest::Name { field, pattern }) = predicate {
                let names = others(*field, pattern);
                *pattern = pattern.clone().or_names(names.iter().map(String::as_str));
            }
        }
    }

    /// Returns whether the query asks endgame tables.
    pub fn asks_tables(&self) -> bool {
        self.predicates.iter().any(|predicate| matches!(predicate, PositionPredicate::Table(_)))
    }

    /// Binds the tables that the query asks; without tables, nothing is known of any position.
    pub fn bind_tables(&mut self, tables: &BoundTables) {
        for predicate in &mut self.predicates {
            if let PositionPredicate::Table(test) = predicate {
                test.tables = tables.clone();
            }
        }
    }

    /// Returns the predicates that some condition uses.
    pub(crate) fn used_predicates(&self) -> BitSet {
        let mut used = BitSet::default();
        self.conditions.iter().for_each(|one| used.insert_all(&one.used_predicates()));
        used
    }

    /// Returns whether the start position matters to a condition: it has an edge, or counts the start position.
    pub(crate) fn asks_about_start(&self) -> bool {
        self.conditions.iter().any(|condition| condition.window.edge.is_some() || condition.window.counts_start)
    }

    /// Returns the predicates that hold on a start position.
    pub(crate) fn predicates_on_start(&self, board: &Board) -> BitSet {
        bits_where(&self.predicates, |predicate| predicate.test(board))
    }

    /// Returns whether a start position must match and whether it may match, as long as the header of the game is unknown.
    pub fn start_match_bounds(&self, board: &Board) -> (bool, bool) {
        if self.evidence.is_some() {
            return (false, false);
        }
        let predicate = |n: u16| match &self.predicates[usize::from(n)] {
            PositionPredicate::Header(_) | PositionPredicate::Followed(_) => (0, 1),
            // No ply has been played, so no ply filter passes.
            predicate => [u64::from(predicate.test(board)); 2].into(),
        };
        let condition = |n: u16| self.conditions[usize::from(n)].formula.bounds(&predicate);
        let (must, may) = self.position_verdict.bounds(&condition);
        (must & 1 != 0, may & 1 != 0)
    }

    /// Returns whether the start position of a game of a span matches.
    pub fn start_matches(&self, board: &Board, span: &GameSpan<'_>, game: u32) -> bool {
        if self.evidence.is_some() {
            return false;
        }
        let mut start = GameInSpan::new(span, game);
        let mut holds = |formula: &Formula, named: NamedPieces| {
            start.named = named;
            let tested = self.evaluate_predicates(board, &mut start, (&[], 0), first_half_move(board));
            formula.holds(&bits_where(&self.conditions, |condition| condition.formula.holds(&tested)))
        };
        if self.names.is_empty() {
            return holds(&self.position_verdict, NamedPieces::default());
        }
        let moves = span.game(game).moves;
        // No piece has left a square before the first ply.
        let mut game = FollowedGame::new(board, moves);
        let domains: Vec<Vec<PieceId>> = self.names.iter().map(|domain| game.pieces_of(domain)).collect();
        QuantifiedPart::of_positions(self).holds_for_some(&mut |query, names| {
            any_choice(&domains, names, &mut |choice| holds(&query.position_verdict, game.named_pieces(choice, 0)))
        })
    }

    /// Whether a predicate asks which squares a followed piece has left.
    pub(in crate::scan) fn asks_what_is_left(&self) -> bool {
        let asks =
            |one: &PositionPredicate| matches!(one, PositionPredicate::Followed(test) if test.asks_what_is_left());
        self.predicates.iter().any(asks)
    }

    /// Returns the predicates that hold after a ply of a game of a span, or before the first ply if it is 0. `played` has the plies
    /// of the game. All predicates are tested anew.
    pub(crate) fn evaluate_predicates(
        &self,
        board: &Board,
        game: &mut GameInSpan<'_>,
        (played, ply): (&[PlayedPly], usize),
        first_half_move: u32,
    ) -> BitSet {
        let mut at = TestedPly { board, game, played, ply, first_half_move };
        let holds = |(n, predicate): (u16, &PositionPredicate)| predicate.test_after(&mut at).then_some(n);
        (0..).zip(&self.predicates).filter_map(holds).collect()
    }
}

/// Returns the half-move number of the first ply on `board`: 0 for White's first move, 1 for the reply to it, and so on.
pub fn first_half_move(board: &Board) -> u32 {
    u32::from(board.fullmoves.max(1) - 1) * 2 + u32::from(board.turn.is_black())
}
