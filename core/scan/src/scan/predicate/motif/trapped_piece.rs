use super::played_move::{MoveInCourse, PlayedMove, has_way_out, is_in_danger, role_on};
use super::{BASIS, MotifDefinition};
use shakmaty::{Role, Square};

/// The move leaves an enemy piece in danger that has no way out, and the next move takes it, also where it went meanwhile. The piece
/// is no pawn and no king, is not pinned, and its side is not in check. On each square to which it can go it is in danger as well,
/// and takes nothing worth as much as it.
pub(super) const MOTIF: MotifDefinition = MotifDefinition {
    names: &["traps_piece", "trapped_piece"],
    summary: "an attacked piece has no safe square, and is taken",
    glance: |course, nth| course.may_capture(nth + 2),
    boards: (0, 1),
    may_hold,
    by_boards: Some(holds),
    ..BASIS
};

fn may_hold(played: &MoveInCourse<'_>) -> bool {
    let is_piece = |role| role != Role::Pawn;
    played.continuation().is_some_and(|(_, next)| next.captured.is_some_and(is_piece))
}

fn holds(played: &PlayedMove<'_>) -> bool {
    played
        .in_course()
        .continuation()
        .is_some_and(|(reply, next)| is_trapped(played, if reply.to == next.to { reply.from } else { next.to }))
}

fn is_trapped(played: &PlayedMove<'_>, square: Square) -> bool {
    let (board, side) = (played.after, played.other());
    let Some(role) = role_on(board, square).filter(|role| !matches!(role, Role::Pawn | Role::King)) else {
        return false;
    };
    is_in_danger(board, square, side)
        && !board.is_in_check(side)
        && !played.pins(square)
        && !has_way_out(board, square, role, side)
}
