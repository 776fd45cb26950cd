//! Mates and stalemates stand where no legal move follows: at the last ply of a game, or before a null move.
//!
//! The board jumps to that ply. For a mate, the last move must also reach the king or leave one of its lines, which the moves
//! tell without a board, so most games are not replayed at all.

use alloc::vec::Vec;

use plyfold_board::board::Board;
use plyfold_board::board::given_check::may_check;
use plyfold_board::board::make::{WithRights, castling_targets};
use shakmaty::{Role, Square};

use super::game_at_hand::GameAtHand;
use crate::scan::measure::FeatureScope;
use crate::scan::plan::PlannedPredicate;
use crate::scan::plies::PredicateSets;
use crate::scan::predicate::PositionPredicate;

/// The tests of mates and stalemates.
pub(in crate::scan) struct GameEndTests {
    indices: Vec<u8>,
    /// Whether all predicates hold only in check.
    needs_check: bool,
}

impl GameEndTests {
    /// Makes the tests for the predicates with these numbers.
    pub fn new(indices: &[u8], predicates: &[PositionPredicate]) -> GameEndTests {
        let needs_check = |&n: &u8| match &predicates[usize::from(n)] {
            PositionPredicate::FeatureInRegion(squares) => {
                squares.feature.scope == FeatureScope::NoMoves { in_check: true }
            }
            _ => false,
        };
        GameEndTests { indices: indices.to_vec(), needs_check: indices.iter().all(needs_check) }
    }

    /// Tests the predicates at the plies up to `until`. `board` is overwritten. Returns the number of plies played.
    #[inline(never)]
    pub fn test_plies(
        &self,
        at: &GameAtHand<'_>,
        (until, planned): (usize, &[PlannedPredicate]),
        board: &mut Board,
        mut sets: PredicateSets<'_>,
    ) -> usize {
        let moves = at.game.moves;
        // PERF: no early exit, so that the compiler can use vectors.
        let has_null_moves = moves.iter().fold(false, |any, mv| any | mv.is_null());
        let first = if has_null_moves { 0 } else { moves.len().saturating_sub(1) };
        if first >= until || !has_null_moves && self.needs_check && !may_end_in_check(at) {
            return 0;
        }
        board.clone_from(at.start);
        let mut played = 0;
        for ply in first..until {
            if moves.get(ply + 1).is_none_or(|next| next.is_null()) {
                board.fast_forward::<WithRights>(&moves[played..=ply]);
                played = ply + 1;
                for &n in &self.indices {
                    let holds = planned[usize::from(n)].test(board);
                    *sets.word(n.into(), ply / 64) |= u64::from(holds) << (ply % 64);
                }
            }
        }
        played
    }
}

/// Whether the last move of a game may give check, whatever stands on the board.
fn may_end_in_check(at: &GameAtHand<'_>) -> bool {
    let Some((&last, earlier)) = at.game.moves.split_last() else { return false };
    let mover = at.start.turn.after_plies(earlier.len());
    let king = match earlier.iter().rev().step_by(2).find(|mv| mv.arrives_as(Role::King)) {
        Some(mv) if mv.is_castling() => Some(castling_targets(mv.origin(), mv.target()).0),
        Some(mv) => Some(mv.target()),
        None => at.start.king(mover.opponent().color()).map(usize::from),
    };
    king.is_some_and(|king| may_check(Square::new(king as u32), last, mover))
}
