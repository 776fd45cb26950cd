//! A query is what a scan looks for: predicates, conditions over them with their windows, gates, and two verdicts.
//!
//! [`query::plan`](crate::query::plan) makes queries from text. The fold and its naive twin both read them.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::combine::Formula;
use super::ply_filter::PlyFilter;
use super::predicate::PositionPredicate;
use super::replay_needs::ReplayNeeds;
use crate::board::Board;
use crate::game::GameSpan;
use crate::headers::HeaderTest;

/// A query made ready for scanning.
///
/// Made by [`query::plan`](crate::query::plan). By hand: formulas name bits that are there, and a gate waits for conditions that come
/// before those that wait for it, so that there is no cycle.
#[derive(Clone, PartialEq, Debug)]
pub struct Query {
    /// Predicates, at most 64, each once.
    pub predicates: Vec<PositionPredicate>,
    /// Conditions, at most 64.
    pub conditions: Vec<ScanCondition>,
    /// What conditions wait for, at most 64.
    pub gates: Vec<ConditionGate>,
    /// Which games match: a formula over the bits of the conditions that are fulfilled.
    pub verdict: Formula,
    /// Which positions match: a formula over the bits of the conditions whose own formula holds there, whatever their windows.
    pub position_verdict: Formula,
}

/// What must hold at a position, and when in the game.
#[derive(Clone, PartialEq, Debug)]
pub struct ScanCondition {
    /// Over the bits of the predicates at one position.
    pub formula: Formula,
    /// When, and how often.
    pub window: PlyWindow,
    /// The gate that must be open: plies count only while it is.
    pub gate: Option<u8>,
}

/// At which plies a formula counts, and what they must come to.
#[derive(Clone, PartialEq, Debug)]
pub struct PlyWindow {
    /// Plies at which it begins to hold or has just ceased to, instead of those at which it holds.
    pub edge: Option<ConditionEdge>,
    /// The plies of a game that count.
    pub plies: PlyFilter,
    /// Over the bits of the predicates: plies count where this holds too. For a condition without an edge that is the same as an *and*.
    pub phase: Formula,
    /// What they must come to.
    pub occurrence: Occurrence,
}

impl PlyWindow {
    /// Some ply of the game.
    pub const ANY_PLY: PlyWindow =
        PlyWindow { edge: None, plies: PlyFilter::EVERY_PLY, phase: Formula::True, occurrence: Occurrence::Once };
}

/// What the plies of a condition must come to. Once fulfilled it stays so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Occurrence {
    /// Nothing: the formula speaks of headers, and holds for a game or not, whatever its plies.
    Header,
    /// One ply.
    Once,
    /// At least so many plies in a row, from 1.
    Consecutive(u32),
    /// At least so many plies, from 1.
    Total(u32),
}

/// A change from one position to the next. The first position of a game has the start position before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConditionEdge {
    /// It holds and did not hold before.
    Became,
    /// It does not hold and did before.
    Ceased,
}

/// What must have come before.
#[derive(Clone, PartialEq, Debug)]
pub struct ConditionGate {
    /// Over the bits of the conditions, without `not`: the gate opens when they are fulfilled, for the plies that follow.
    pub opens_after: Formula,
    /// For how many plies it stays open each time, from 1; without a limit it stays open.
    pub open_for: Option<u32>,
}

impl Query {
    /// The query that every game and position satisfies.
    pub fn match_all() -> Query {
        Query {
            predicates: Vec::new(),
            conditions: Vec::new(),
            gates: Vec::new(),
            verdict: Formula::True,
            position_verdict: Formula::True,
        }
    }

    /// What the replay must keep up.
    pub fn needs(&self) -> ReplayNeeds {
        self.predicates.iter().fold(ReplayNeeds::NONE, |all, predicate| all.union(predicate.needs()))
    }

    /// The sets that it names, each once, without the `@`.
    pub fn set_names(&self) -> impl Iterator<Item = &str> {
        self.predicates.iter().filter_map(|predicate| match predicate {
            PositionPredicate::Header(HeaderTest::Set(set)) => Some(&*set.name),
            _ => None,
        })
    }

    /// Says which games the sets stand for that the query names, before it is scanned: game `id` if bit `id % 64` of word `id / 64` is set.
    ///
    /// # Errors
    ///
    /// That of `games` for the first name that has none.
    pub fn bind_sets<E>(&mut self, mut games: impl FnMut(&str) -> Result<Arc<[u64]>, E>) -> Result<(), E> {
        for predicate in &mut self.predicates {
            if let PositionPredicate::Header(HeaderTest::Set(set)) = predicate {
                set.bind(games(&set.name)?);
            }
        }
        Ok(())
    }

    /// The predicates that some condition asks for, a bit each.
    pub(crate) fn used_predicates(&self) -> u64 {
        self.conditions.iter().fold(0, |all, one| all | one.formula.bits() | one.window.phase.bits())
    }

    /// Whether a condition asks for a change, so that the start position is looked at too.
    pub(crate) fn has_edges(&self) -> bool {
        self.conditions.iter().any(|condition| condition.window.edge.is_some())
    }

    /// Predicates that hold on a start position.
    pub(crate) fn predicates_on_start(&self, board: &Board) -> u64 {
        let predicates = self.predicates.iter().enumerate();
        predicates.fold(0, |all, (n, predicate)| all | u64::from(predicate.test(board)) << n)
    }

    /// Whether a start position surely matches, and whether it may, as long as nothing is known of the header.
    pub(crate) fn start_match_bounds(&self, board: &Board) -> (bool, bool) {
        let (mut must, mut may) = (self.predicates_on_start(board), 0);
        for (n, predicate) in self.predicates.iter().enumerate() {
            match predicate {
                PositionPredicate::Header(_) => (must, may) = (must & !(1 << n), may | 1 << n),
                // No ply has been played.
                PositionPredicate::Ply(_) => must &= !(1 << n),
                _ => {}
            }
        }
        may |= must;
        let predicate = |n: u8| (must >> n & 1, may >> n & 1);
        let condition = |n: u8| self.conditions[usize::from(n)].formula.bounds(&predicate);
        let (must, may) = self.position_verdict.bounds(&condition);
        (must & 1 != 0, may & 1 != 0)
    }

    /// Whether the start position of game `nth` of a span matches.
    pub(crate) fn start_matches(&self, board: &Board, span: &GameSpan<'_>, game: u32) -> bool {
        let tested = self.evaluate_predicates(board, (span, game), 0, first_half_move(board));
        let condition = |n: u8| {
            let holds = u64::from(self.conditions[usize::from(n)].formula.holds(tested));
            (holds, holds)
        };
        self.position_verdict.bounds(&condition).0 & 1 != 0
    }

    /// Predicates that hold after ply `ply` of game `nth` of a span, or before its first for 0, all tested afresh.
    pub(crate) fn evaluate_predicates(
        &self,
        board: &Board,
        game: (&GameSpan<'_>, u32),
        ply: usize,
        first_half_move: u32,
    ) -> u64 {
        let (span, nth) = game;
        let plies = usize::from(span.record(nth).plies);
        let predicates = self.predicates.iter().enumerate();
        predicates.fold(0, |all, (n, predicate)| {
            let holds = match predicate {
                PositionPredicate::Ply(when) => ply > 0 && when.holds(ply, plies, first_half_move),
                PositionPredicate::Header(test) => test.matches(span, nth),
                predicate => predicate.test(board),
            };
            all | u64::from(holds) << n
        })
    }
}

/// The half-move that the first ply on `board` is: 0 for White's first move, 1 for the reply to it, and so on.
pub(crate) fn first_half_move(board: &Board) -> u32 {
    u32::from(board.fullmoves.max(1) - 1) * 2 + u32::from(board.turn.is_black())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::compile;

    #[test]
    fn start_positions_match_surely_or_perhaps_or_never() {
        for (text, expected) in [
            ("", (true, true)),
            ("white pawn on e2", (true, true)),
            ("white pawn on e4", (false, false)),
            ("result 1-0", (false, true)),
            ("not result 1-0", (false, true)),
            ("{ result 1-0 and white pawn on e2 }", (false, true)),
            ("{ result 1-0 and white pawn on e4 }", (false, false)),
            ("{ result 1-0 or white pawn on e2 }", (true, true)),
            ("{ result 1-0 or white pawn on e4 }", (false, true)),
            ("white pawn on e4 or white pawn on e2", (true, true)),
            ("white pawn on e4 and white pawn on e2", (false, false)),
            // No ply has been played.
            ("{ ply < 5 and white pawn on e2 }", (false, false)),
        ] {
            let query = compile(text).expect("a query");
            assert_eq!(query.start_match_bounds(&Board::initial()), expected, "{text}");
        }
    }
}
