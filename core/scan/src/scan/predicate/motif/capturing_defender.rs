use super::played_move::{MoveInCourse, PlayedMove, attackers, is_undefended, value};
use super::{BASIS, MotifDefinition};
use shakmaty::Role;

/// The move takes a piece that defended a square. Another piece takes there with the next move: a piece that is now undefended and
/// worth at most as much as its own, or with mate. Neither side was in check: not the mover before, nor the other side after.
pub(super) const MOTIF: MotifDefinition = MotifDefinition {
    names: &["captures_defender", "capturing_defender"],
    summary: "takes a piece that defends another one, which is taken next",
    glance: |course, nth| course.may_capture(nth),
    may_hold,
    by_boards: Some(holds),
    ..BASIS
};

fn may_hold(played: &MoveInCourse<'_>) -> bool {
    played.captured.is_some()
        && played
            .continuation()
            .is_some_and(|(_, next)| next.from != played.to && (is_good_capture(&next) || next.is_last()))
}

fn holds(played: &PlayedMove<'_>) -> bool {
    let enemy = played.other();
    played.continuation().is_some_and(|(_, next)| {
        attackers(played.before, next.to, enemy).contains(played.to)
            && !played.before.is_in_check(played.mover())
            && !played.after.is_in_check(enemy)
            && (is_good_capture(&next) && is_undefended(next.before, next.to, enemy) || next.after.is_checkmate())
    })
}

/// Whether the move takes a piece worth at most as much as its own, which is no king.
fn is_good_capture(next: &MoveInCourse<'_>) -> bool {
    next.captured.is_some() && next.role != Role::King && next.gain() <= value(next.role)
}
