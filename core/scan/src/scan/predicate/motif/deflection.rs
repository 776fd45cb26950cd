use super::played_move::{MoveInCourse, PlayedMove, attacked_from, value};
use super::{BASIS, MotifDefinition};
use shakmaty::Square;

/// The reply takes the piece that moved, or answers its check, with a piece that guarded a square and no longer guards it. The next move
/// takes a piece there that is not worth more than its own, or promotes there. The first move took nothing worth as much as its
/// own piece. In front of a pawn that promotes, a piece guards also the square beyond the pawn.
pub(super) const MOTIF: MotifDefinition = MotifDefinition {
    names: &["plays_deflection", "deflection", "deflects"],
    summary: "a piece is drawn away from a square, where a capture or a promotion follows",
    glance: |course, nth| course.may_capture(nth + 2),
    may_hold,
    by_boards: Some(holds),
    ..BASIS
};

fn may_hold(played: &MoveInCourse<'_>) -> bool {
    played.continuation().is_some_and(|(reply, next)| {
        (next.captured.is_some() || next.mv.promoted().is_some())
            && next.gain() <= value(next.role)
            && played.gain() < value(played.role)
            && next.to != reply.to
            && next.to != played.to
    })
}

fn holds(played: &PlayedMove<'_>) -> bool {
    let is_drawn_away = |(reply, next): (PlayedMove<'_>, PlayedMove<'_>)| {
        (reply.to == played.to || played.after.is_in_check(played.other()))
            && guarded(played, &next, reply.from)
            && !attacked_from(reply.after, reply.to).contains(next.to)
    };
    played.continuation().is_some_and(is_drawn_away)
}

/// Whether the piece on a square guarded, after the first move, the square to which the next one goes.
fn guarded(played: &PlayedMove<'_>, next: &MoveInCourse<'_>, square: Square) -> bool {
    let guarded = attacked_from(played.after, square);
    let guards_beyond = next.mv.promoted().is_some() && next.to.file() == square.file();
    guarded.contains(next.to) || guards_beyond && guarded.contains(next.from)
}
