use super::played_move::{MoveInCourse, PlayedMove, attackers, is_undefended, moves_along_lines, role_on};
use super::{BASIS, MotifDefinition};
use shakmaty::{Color, Square, attacks};

/// The next move takes an undefended piece, which a line piece defended until the move, or the reply to it, stepped between them.
pub(super) const MOTIF: MotifDefinition = MotifDefinition {
    names: &["plays_interference", "interference"],
    summary: "a defender is cut off from a piece, which is taken",
    glance: |course, nth| course.may_capture(nth + 2),
    may_hold,
    by_boards: Some(holds),
    ..BASIS
};

fn may_hold(played: &MoveInCourse<'_>) -> bool {
    played.continuation().is_some_and(|(reply, next)| {
        let on_a_line = |step: Square| attacks::ray(next.to, step).any();
        next.captured.is_some() && (on_a_line(reply.to) || next.to != reply.to && on_a_line(played.to))
    })
}

fn holds(played: &PlayedMove<'_>) -> bool {
    let enemy = played.other();
    played.continuation().is_some_and(|(reply, next)| {
        (cuts_off(&reply, (next.to, enemy)) || next.to != reply.to && cuts_off(played, (next.to, enemy)))
            && is_undefended(next.before, next.to, enemy)
    })
}

/// Whether a move steps between the piece on a square and a line piece of the side that defends it.
fn cuts_off(step: &PlayedMove<'_>, (square, side): (Square, Color)) -> bool {
    let board = step.before;
    let is_cut_off = |defender| {
        attacks::between(square, defender).contains(step.to) && role_on(board, defender).is_some_and(moves_along_lines)
    };
    role_on(board, square).is_some() && attackers(board, square, side).into_iter().any(is_cut_off)
}
