use super::played_move::{MoveInCourse, PlayedMove, is_in_danger};
use super::{BASIS, MotifDefinition};
use shakmaty::Role;

/// The piece leaves a square that a line piece of its side passes, or goes to, with the next move, which takes nothing. The piece took
/// nothing, or is in danger where it went. The next move does not go where the piece went, answers no check, and does not check a king
/// that has just moved.
pub(super) const MOTIF: MotifDefinition = MotifDefinition {
    names: &["plays_clearance", "clearance"],
    summary: "the piece that has just moved makes way for a line piece, which comes with the next move",
    glance: |course, nth| !course.may_capture(nth + 2) && course.is_by_line_piece(nth + 2),
    may_hold,
    by_boards: Some(holds),
    ..BASIS
};

fn may_hold(played: &MoveInCourse<'_>) -> bool {
    played.continuation().is_some_and(|(_, next)| {
        next.captured.is_none()
            && next.is_by_line_piece()
            && (next.to == played.from || next.passes(played.from))
            && next.mv.promoted().is_none()
            && played.mv.promoted().is_none()
            && played.to != next.from
            && played.to != next.to
    })
}

fn holds(played: &PlayedMove<'_>) -> bool {
    let (side, enemy) = (played.mover(), played.other());
    (played.captured.is_none() || is_in_danger(played.after, played.to, side))
        && played.continuation().is_some_and(|(reply, next)| {
            let checks_king_that_moved = reply.role == Role::King && next.after.is_in_check(enemy);
            !checks_king_that_moved && !next.before.is_in_check(side)
        })
}
