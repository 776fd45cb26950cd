//! Tests what endgame tables say about a position, and what the last move gave away.
//!
//! A test is true, false or unknown. A predicate is true or false, so a query has a predicate for "known to hold" and another for
//! "known not to hold"; neither holds where the test is unknown.

use alloc::vec::Vec;
use core::fmt;

use plyfold_board::board::make::WithRights;
use plyfold_board::board::{ANY_CHANGE, Board, ChangeMask};
use plyfold_board::matsig::target::MaterialBounds;
use shakmaty::Color;

use super::quantity::total_without_kings;
use super::{NumberComparison, PlayedPly, Predicate, TestedPly};
use crate::game::Game;
use crate::scan::access_path::{AccessPath, PredicateAccess};
use crate::scan::measure::measured_board::MeasuredBoard;
use crate::scan::replay_needs::ReplayNeeds;
use crate::scan::tables::{BoundTables, TableNumber, TableOutcome, WinnerVerdict};

/// A test of tables, and which of its results is sought.
#[derive(Clone, PartialEq, Debug)]
pub struct TableTest {
    /// What is tested.
    pub question: TableQuestion,
    /// Whether the predicate holds where the test is known to fail, instead of where it is known to hold.
    pub is_negated: bool,
    /// The tables that are asked.
    pub tables: BoundTables,
}

/// What can be asked of tables.
#[derive(Clone, PartialEq, Debug)]
pub enum TableQuestion {
    /// The position is won, drawn or lost for a side.
    Outcome(Color, TableOutcome),
    /// The last move, by this side, gave something away.
    ThrewAway(Color, ThrownAway),
    /// This side is to move, and would do better if it could pass.
    Zugzwang(Color),
    /// A sum of numbers, compared with a constant.
    Compare {
        /// The numbers, each with its factor.
        terms: Vec<(i64, TableNumber)>,
        /// The comparison.
        comparison: NumberComparison,
        /// The constant on the right side of the comparison.
        constant: i64,
    },
}

/// What a move gave away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrownAway {
    /// A win: the position was won before the move and is not won after it.
    Win,
    /// A draw: the position was drawn before the move and is lost after it.
    Draw,
    /// One or the other.
    Anything,
}

impl ThrownAway {
    /// Names as written after `threw_away`, and what they mean.
    pub const NAMED: &[(&str, ThrownAway)] = &[("win", ThrownAway::Win), ("draw", ThrownAway::Draw)];
}

/// Writes the word after `threw_away`; nothing for anything.
impl fmt::Display for ThrownAway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::NAMED.iter().find(|(_, named)| named == self).map_or("", |(name, _)| name))
    }
}

impl TableOutcome {
    /// Names as written, and what they mean.
    pub const NAMED: &[(&str, TableOutcome)] =
        &[("win", TableOutcome::Win), ("draw", TableOutcome::Draw), ("loss", TableOutcome::Loss)];
}

/// Writes the outcome as in a query.
impl fmt::Display for TableOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::NAMED.iter().find(|(_, named)| named == self).map_or("", |(name, _)| name))
    }
}

/// What is known at a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct KnownVerdicts {
    /// The side that made the last move; none before the first move and after a null move.
    pub mover: Option<Color>,
    /// The verdict before the last move.
    pub before: Option<WinnerVerdict>,
    /// The verdict about the position.
    pub after: Option<WinnerVerdict>,
    /// What passing would bring, if a test asks it.
    pub pass: Option<PassVerdict>,
}

/// What a pass of the side to move would bring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PassVerdict {
    /// The side to move.
    pub turn: Color,
    /// Whether it is in check, and so could not pass even if that were a move.
    pub is_check: bool,
    /// The verdict if the other side were to move.
    pub verdict: Option<WinnerVerdict>,
}

impl KnownVerdicts {
    /// A number, if it is known; `Some(None)` if it is known not to exist, because the position is not won.
    fn number(&self, number: TableNumber) -> Option<Option<i64>> {
        let side = match number {
            TableNumber::HalfPointsLost(side) => return self.half_points_lost(side).map(Some),
            TableNumber::MovesToMate => None,
            TableNumber::MovesToMateBy(side) => Some(side),
        };
        match self.after? {
            WinnerVerdict { winner: Some(winner), moves_to_mate } if side.is_none_or(|side| side == winner) => {
                moves_to_mate.map(|moves| Some(moves.into()))
            }
            _ => Some(None),
        }
    }

    /// Whether a side is to move and would do better if it could pass, if that is known.
    fn is_zugzwang(&self, side: Color) -> Option<bool> {
        let (after, pass) = (self.after?, self.pass?);
        if pass.turn != side || pass.is_check {
            return Some(false);
        }
        Some(after.half_points(side) < pass.verdict?.half_points(side))
    }

    /// The half points that the last move of a side gave away, if they are known.
    pub fn half_points_lost(&self, side: Color) -> Option<i64> {
        if self.mover != Some(side) {
            return Some(0);
        }
        let [before, after] = [self.before, self.after].map(|verdict| verdict.map(|verdict| verdict.half_points(side)));
        match (before, after) {
            // Nothing was there to lose, or nothing is lost.
            (Some(0), _) | (_, Some(2)) => Some(0),
            (Some(before), Some(after)) => Some((before - after).max(0)),
            _ => None,
        }
    }

    /// The side that made the last move, and what it gave away; none if that is nothing, or not known.
    pub fn thrown_away(&self) -> Option<(Color, ThrownAway)> {
        let mover = self.mover?;
        let given = |thrown: &ThrownAway| self.threw_away(mover, *thrown) == Some(true);
        [ThrownAway::Win, ThrownAway::Draw].into_iter().find(given).map(|thrown| (mover, thrown))
    }

    /// Whether the last move of a side gave this away, if it is known.
    fn threw_away(&self, side: Color, thrown: ThrownAway) -> Option<bool> {
        if self.mover != Some(side) {
            return Some(false);
        }
        let had = |points: i64| self.before.map(|before| before.half_points(side) == points);
        let has = |points: i64| self.after.map(|after| after.half_points(side) == points);
        match thrown {
            ThrownAway::Win => and(had(2), has(2).map(|has| !has)),
            ThrownAway::Draw => and(had(1), has(0)),
            ThrownAway::Anything => self.half_points_lost(side).map(|lost| lost > 0),
        }
    }
}

/// Whether both hold, if that is known.
fn and(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

impl TableQuestion {
    /// The answer, if it is known.
    fn answer(&self, known: &KnownVerdicts) -> Option<bool> {
        match self {
            TableQuestion::Outcome(side, outcome) => known.after.map(|verdict| {
                verdict.half_points(*side)
                    == match outcome {
                        TableOutcome::Win => 2,
                        TableOutcome::Draw => 1,
                        TableOutcome::Loss => 0,
                    }
            }),
            TableQuestion::ThrewAway(side, thrown) => known.threw_away(*side, *thrown),
            TableQuestion::Zugzwang(side) => known.is_zugzwang(*side),
            TableQuestion::Compare { terms, comparison, constant } => {
                let (mut sum, mut is_known) = (0i64, true);
                for &(weight, number) in terms {
                    match known.number(number) {
                        Some(Some(number)) => sum = sum.saturating_add(weight.saturating_mul(number)),
                        Some(None) => return Some(false),
                        None => is_known = false,
                    }
                }
                is_known.then(|| comparison.holds(sum, *constant))
            }
        }
    }

    /// Whether the answer depends on the last move.
    pub(in crate::scan) fn looks_back(&self) -> bool {
        match self {
            TableQuestion::Outcome(..) | TableQuestion::Zugzwang(_) => false,
            TableQuestion::ThrewAway(..) => true,
            TableQuestion::Compare { terms, .. } => {
                terms.iter().any(|(_, number)| matches!(number, TableNumber::HalfPointsLost(_)))
            }
        }
    }
}

/// Needs the last move and the board before it, too.
impl Predicate for TableTest {
    fn test(&self, board: &MeasuredBoard<'_>) -> bool {
        self.holds_on(board)
    }

    fn reads_mailbox(&self) -> bool {
        true
    }

    fn test_after(&self, at: &mut TestedPly<'_, '_>) -> bool {
        self.holds_after(&at.game.game, at.board, (at.played, at.ply))
    }

    fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
        (ANY_CHANGE, ReplayNeeds::RIGHTS)
    }

    fn access(&self, _: bool) -> PredicateAccess {
        PredicateAccess::by(AccessPath::Tables)
    }

    fn implied(&self) -> MaterialBounds {
        let mut bounds = MaterialBounds::default();
        if self.needs_verdict() {
            bounds.max_total = total_without_kings(self.tables.most_pieces().into());
        }
        bounds
    }
}

impl TableTest {
    /// What passing on a board would bring, if the test asks it. The bitboards and rights of the board are up to date.
    pub(in crate::scan) fn pass_on(&self, board: &Board) -> Option<PassVerdict> {
        let asks = matches!(self.question, TableQuestion::Zugzwang(_));
        asks.then(|| PassVerdict {
            turn: board.side_to_move(),
            is_check: board.is_in_check(board.side_to_move()),
            verdict: self.tables.verdict_after_pass(board),
        })
    }

    /// Whether the predicate holds.
    pub(crate) fn holds(&self, known: &KnownVerdicts) -> bool {
        self.question.answer(known) == Some(!self.is_negated)
    }

    /// Whether the predicate holds on a board to which no move has led. The bitboards and rights of the board are up to date.
    fn holds_on(&self, board: &Board) -> bool {
        let (after, pass) = (self.tables.verdict(board), self.pass_on(board));
        self.holds(&KnownVerdicts { mover: None, before: None, after, pass })
    }

    /// Whether the predicate can hold only where some table has a verdict.
    pub(in crate::scan) fn needs_verdict(&self) -> bool {
        [None, Some(Color::White), Some(Color::Black)]
            .iter()
            .all(|&mover| !self.holds(&KnownVerdicts { mover, before: None, after: None, pass: None }))
    }

    /// Whether the predicate holds after ply `ply` of a game, or on its start board if that is 0.
    ///
    /// Cost: one replay of the game up to the ply, if the test looks back.
    pub(in crate::scan) fn holds_after(
        &self,
        game: &Game<'_>,
        board: &Board,
        (played, ply): (&[PlayedPly], usize),
    ) -> bool {
        let Some(last) = ply.checked_sub(1).and_then(|index| played.get(index)) else { return self.holds_on(board) };
        let before = self.question.looks_back().then(|| {
            let mut board = game.start_board();
            game.moves[..ply - 1].iter().for_each(|&mv| {
                board.make::<WithRights>(mv);
            });
            self.tables.verdict(&board)
        });
        let mover = (!last.mv.is_null()).then_some(last.mover);
        let (after, pass) = (self.tables.verdict(board), self.pass_on(board));
        self.holds(&KnownVerdicts { mover, before: before.flatten(), after, pass })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHITE_WINS: Option<WinnerVerdict> =
        Some(WinnerVerdict { winner: Some(Color::White), moves_to_mate: Some(7) });
    const DRAW: Option<WinnerVerdict> = Some(WinnerVerdict { winner: None, moves_to_mate: None });
    const BLACK_WINS: Option<WinnerVerdict> = Some(WinnerVerdict { winner: Some(Color::Black), moves_to_mate: None });

    fn answers(question: &TableQuestion, before: Option<WinnerVerdict>, after: Option<WinnerVerdict>) -> Option<bool> {
        question.answer(&KnownVerdicts { mover: Some(Color::White), before, after, pass: None })
    }

    #[test]
    fn what_is_thrown_away_follows_from_two_verdicts() {
        let thrown = |thrown| TableQuestion::ThrewAway(Color::White, thrown);
        let (win, draw, any) = (thrown(ThrownAway::Win), thrown(ThrownAway::Draw), thrown(ThrownAway::Anything));
        for (before, after, expected) in [
            (WHITE_WINS, WHITE_WINS, [Some(false), Some(false), Some(false)]),
            (WHITE_WINS, DRAW, [Some(true), Some(false), Some(true)]),
            (WHITE_WINS, BLACK_WINS, [Some(true), Some(false), Some(true)]),
            (DRAW, BLACK_WINS, [Some(false), Some(true), Some(true)]),
            (DRAW, DRAW, [Some(false), Some(false), Some(false)]),
            (BLACK_WINS, None, [Some(false), Some(false), Some(false)]),
            (WHITE_WINS, None, [None, Some(false), None]),
            (DRAW, None, [Some(false), None, None]),
            (None, WHITE_WINS, [Some(false), Some(false), Some(false)]),
            (None, DRAW, [None, Some(false), None]),
            (None, None, [None, None, None]),
        ] {
            let found = [&win, &draw, &any].map(|question| answers(question, before, after));
            assert_eq!(found, expected, "{before:?} {after:?}");
        }
        let of_black = TableQuestion::ThrewAway(Color::Black, ThrownAway::Win);
        assert_eq!(answers(&of_black, None, None), Some(false));
    }

    #[test]
    fn who_would_rather_pass_is_in_zugzwang() {
        for (turn, after, pass, expected) in [
            (Color::White, DRAW, WHITE_WINS, Some(true)),
            (Color::White, BLACK_WINS, DRAW, Some(true)),
            (Color::White, DRAW, DRAW, Some(false)),
            (Color::White, DRAW, BLACK_WINS, Some(false)),
            (Color::Black, DRAW, WHITE_WINS, Some(false)),
            (Color::White, DRAW, None, None),
            (Color::White, None, WHITE_WINS, None),
        ] {
            let known = |is_check| KnownVerdicts {
                mover: Some(!turn),
                before: None,
                after,
                pass: Some(PassVerdict { turn, is_check, verdict: pass }),
            };
            let question = TableQuestion::Zugzwang(Color::White);
            assert_eq!(question.answer(&known(false)), expected, "{turn:?} {after:?} {pass:?}");
            assert_eq!(question.answer(&known(true)), after.map(|_| false));
        }
    }

    #[test]
    fn a_number_that_does_not_exist_makes_a_comparison_false() {
        let compare = |number| TableQuestion::Compare {
            terms: [(1, number)].into(),
            comparison: NumberComparison::AtMost,
            constant: 10,
        };
        for (number, verdict, expected) in [
            (TableNumber::MovesToMate, WHITE_WINS, Some(true)),
            (TableNumber::MovesToMateBy(Color::Black), WHITE_WINS, Some(false)),
            (TableNumber::MovesToMate, DRAW, Some(false)),
            // This table does not know distances.
            (TableNumber::MovesToMate, BLACK_WINS, None),
            (TableNumber::MovesToMateBy(Color::White), BLACK_WINS, Some(false)),
            (TableNumber::MovesToMate, None, None),
        ] {
            assert_eq!(answers(&compare(number), None, verdict), expected, "{number:?} {verdict:?}");
        }
    }
}
