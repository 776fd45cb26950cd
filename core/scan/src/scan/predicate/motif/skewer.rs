use super::played_move::{MoveInCourse, PlayedMove, is_in_danger, value};
use super::{BASIS, MotifDefinition};

/// The reply moves a piece off a line, and the next move of the side takes along that line a piece behind it, which is worth less
/// than the piece that moved away, and was in danger. It does not mate.
pub(super) const MOTIF: MotifDefinition = MotifDefinition {
    names: &["plays_skewer"],
    summary: "a piece moves out of a line, and the one behind it, worth less, is taken",
    glance: |course, nth| course.may_capture(nth + 2),
    may_hold,
    by_boards: Some(holds),
    ..BASIS
};

fn may_hold(played: &MoveInCourse<'_>) -> bool {
    played.continuation().is_some_and(|(reply, next)| {
        next.captured.is_some()
            && next.is_by_line_piece()
            && next.passes(reply.from)
            && reply.to != next.to
            && value(reply.role) > next.gain()
    })
}

fn holds(played: &PlayedMove<'_>) -> bool {
    let is_taken = |(_, next): (PlayedMove<'_>, PlayedMove<'_>)| {
        is_in_danger(next.before, next.to, next.other()) && !next.after.is_checkmate()
    };
    played.continuation().is_some_and(is_taken)
}
