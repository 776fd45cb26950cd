use super::played_move::{MoveInCourse, attackers};
use super::{BoardTest, MotifDefinition};
use plyfold_board::board::Board;
use plyfold_board::moves::Move;
use shakmaty::Square;

/// The move opens a line: for a check by pieces that did not move, or for a capture with the next move, which passes the square that
/// the piece left. The capture is no recapture of what the reply took, and is not on the square to which the piece went.
pub(super) const MOTIF: MotifDefinition = MotifDefinition {
    names: &["plays_discovered_attack", "discovered_attack"],
    summary: "the piece that has just moved opened a line for a check, or for the capture that follows",
    by_board: Some(BoardTest { holds: uncovers_check, side_moves_again: false }),
    glance: |course, nth| course.may_capture(nth + 2),
    boards: (0, 1),
    may_hold: opens_line,
    by_boards: Some(|_| true),
};

fn uncovers_check(mv: Move, after: &Board) -> bool {
    let enemy = after.side_to_move();
    let is_uncovered = |king| {
        let checkers = attackers(after, king, !enemy);
        checkers.any() && !checkers.contains(Square::new(mv.target() as u32))
    };
    after.may_be_checked_by(mv) && after.king(enemy).is_some_and(is_uncovered)
}

fn opens_line(played: &MoveInCourse<'_>) -> bool {
    played.continuation().is_some_and(|(reply, next)| {
        next.captured.is_some()
            && next.passes(played.from)
            && next.from != played.to
            && next.to != played.to
            && next.to != reply.to
    })
}
