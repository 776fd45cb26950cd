//! Finds checks along the moves, from the lines to the kings.
//!
//! One replay of the occupied squares, the sliders and the kings serves all predicates on checks: whether a king is in check, by how many
//! pieces, and whether one of these did not move.

use alloc::vec::Vec;

use plyfold_board::board::ColorCode;
use plyfold_board::board::given_check::{Check, CheckReplay, discovered};
use plyfold_board::moves::Move;

use super::game_at_hand::GameAtHand;
use crate::scan::combine::Formula;
use crate::scan::measure::FeatureScope;
use crate::scan::plies::PredicateSets;
use crate::scan::predicate::PositionPredicate;

/// The tests of checks.
pub(in crate::scan) struct CheckTests {
    tests: Vec<CheckTest>,
    /// Whether any predicate is on checks to White's king, and to Black's.
    is_told: [bool; 2],
}

/// The test of one predicate.
struct CheckTest {
    /// The number of the predicate in the query.
    predicate_index: u8,
    /// The side that is in check.
    checked: ColorCode,
    kind: CheckKind,
}

#[derive(Clone, Copy)]
enum CheckKind {
    /// At least this many pieces give check to a king on one of these squares.
    ByPieces(u32, u64),
    /// A piece gives check that did not move.
    Discovered,
}

impl CheckTests {
    /// Makes the tests for the predicates with these numbers.
    pub fn new(indices: &[u8], predicates: &[PositionPredicate]) -> CheckTests {
        let test = |&predicate_index: &u8| {
            let (colour, kind) = match &predicates[usize::from(predicate_index)] {
                PositionPredicate::FeatureInRegion(squares) => {
                    let FeatureScope::Check { min_checkers } = squares.feature.scope else { return None };
                    (squares.colour, CheckKind::ByPieces(min_checkers, squares.region))
                }
                PositionPredicate::DiscoveredCheck(check) => (!check.0, CheckKind::Discovered),
                _ => return None,
            };
            Some(CheckTest { predicate_index, checked: ColorCode::new(colour), kind })
        };
        let tests: Vec<CheckTest> = indices.iter().filter_map(test).collect();
        let is_told = [ColorCode::WHITE, ColorCode::BLACK].map(|side| tests.iter().any(|test| test.checked == side));
        CheckTests { tests, is_told }
    }

    /// Tests the predicates at the plies up to `until`, or up to a ply with a check at which the formula holds, if there is one.
    /// Returns the number of plies played.
    pub fn test_plies(
        &self,
        at: &GameAtHand<'_>,
        (until, sufficient_formula): (usize, Option<&Formula>),
        replay: &mut CheckReplay,
        mut sets: PredicateSets<'_>,
    ) -> usize {
        replay.start_game(at.start, self.is_told);
        for (word, moves) in at.game.moves[..until].chunks(64).enumerate() {
            let number = replay.play(moves);
            for check in (0..number).filter_map(|number| replay.check(number)) {
                let ply = word * 64 + check.nth;
                self.add_check((ply, moves[check.nth]), at.start.turn.after_plies(ply + 1), &check, &mut sets);
                if sufficient_formula.is_some_and(|formula| formula.holds(&sets.holding_at(ply).into())) {
                    return word * 64 + moves.len();
                }
            }
        }
        until
    }

    /// Adds a ply with a check to the sets of the predicates that it fulfils.
    fn add_check(&self, (ply, mv): (usize, Move), checked: ColorCode, check: &Check, sets: &mut PredicateSets<'_>) {
        for test in self.tests.iter().filter(|test| test.checked == checked) {
            let holds = match test.kind {
                CheckKind::ByPieces(number, region) => {
                    region & check.king != 0 && check.checkers.count_ones() >= number
                }
                CheckKind::Discovered => discovered(check.checkers, mv) != 0,
            };
            *sets.word(test.predicate_index.into(), ply / 64) |= u64::from(holds) << (ply % 64);
        }
    }
}
