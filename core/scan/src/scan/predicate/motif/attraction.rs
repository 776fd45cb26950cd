use super::played_move::{MoveInCourse, PlayedMove, attackers};
use super::{BASIS, MotifDefinition};
use shakmaty::Role;

/// A king, queen or rook takes the piece that moved, and the piece of the next move attacks its square. A king is then in check;
/// another piece is taken with the move after that.
pub(super) const MOTIF: MotifDefinition = MotifDefinition {
    names: &["plays_attraction", "attraction", "attracts"],
    summary: "a king, queen or rook takes the piece that has just moved, and is attacked where it took",
    glance: |course, nth| course.may_capture(nth + 1),
    may_hold,
    by_boards: Some(holds),
    ..BASIS
};

fn may_hold(played: &MoveInCourse<'_>) -> bool {
    played.continuation().is_some_and(|(reply, next)| {
        let is_taken = || next.continuation().is_some_and(|(_, third)| third.to == played.to);
        reply.to == played.to
            && match reply.role {
                Role::King => true,
                Role::Queen | Role::Rook => is_taken(),
                _ => false,
            }
    })
}

fn holds(played: &PlayedMove<'_>) -> bool {
    let is_attacked = |(_, next): (PlayedMove<'_>, PlayedMove<'_>)| {
        attackers(next.after, played.to, played.mover()).contains(next.to)
    };
    played.continuation().is_some_and(is_attacked)
}
