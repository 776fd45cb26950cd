use super::played_move::MoveInCourse;
use super::{BASIS, MotifDefinition};

/// The reply takes the piece that moved, and the next move of the side takes back past the square that the reply left: its piece
/// attacked through the one that took.
pub(super) const MOTIF: MotifDefinition = MotifDefinition {
    names: &["plays_x_ray", "plays_xray", "x_ray", "x_ray_attack"],
    summary: "a piece is defended through the one that takes it",
    glance: |course, nth| course.may_capture(nth + 2),
    boards: (0, 1),
    may_hold: holds,
    by_boards: Some(|_| true),
    ..BASIS
};

fn holds(played: &MoveInCourse<'_>) -> bool {
    played.continuation().is_some_and(|(reply, next)| {
        reply.to == played.to && next.to == played.to && next.captured.is_some() && next.passes(reply.from)
    })
}
