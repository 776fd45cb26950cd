use super::played_move::{MoveInCourse, PlayedMove, attackers};
use super::{BASIS, MotifDefinition};
use plyfold_board::board::make::WithBitboards;

/// The other side has just taken something. The mover could take back with a piece, moves elsewhere first, and takes back with that
/// piece next. The reply did not go to that square.
pub(super) const MOTIF: MotifDefinition = MotifDefinition {
    names: &["plays_intermezzo", "intermezzo", "zwischenzug"],
    summary: "a move between a capture and its recapture",
    glance: |course, nth| course.may_capture(nth + 2),
    boards: (0, 1),
    may_hold,
    by_boards: Some(holds),
    ..BASIS
};

fn may_hold(played: &MoveInCourse<'_>) -> bool {
    played.earlier(1).zip(played.continuation()).is_some_and(|(taking, (reply, next))| {
        taking.captured.is_some()
            && next.captured.is_some()
            && next.to == taking.to
            && played.to != taking.to
            && reply.to != taking.to
    })
}

fn holds(played: &PlayedMove<'_>) -> bool {
    played.in_course().continuation().is_some_and(|(_, next)| {
        // The same move, before.
        let mut instead = played.before.clone();
        instead.make::<WithBitboards>(next.mv);
        attackers(played.before, next.to, played.mover()).contains(next.from) && !instead.is_in_check(played.mover())
    })
}
