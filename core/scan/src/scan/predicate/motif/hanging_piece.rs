use super::played_move::{MoveInCourse, PlayedMove, is_in_danger, is_undefended, value};
use super::{BASIS, MotifDefinition};
use plyfold_board::board::Board;
use shakmaty::{Bitboard, Color, Role};

/// The move takes an undefended piece other than a pawn, which the other side left there of its own accord. The side was not in
/// check, does not take back something worth as much, and loses nothing of what it won until after its next move. Its move before
/// gave no check, took nothing and left no piece of the other side in danger.
pub(super) const MOTIF: MotifDefinition = MotifDefinition {
    names: &["captures_hanging_piece", "takes_hanging_piece"],
    summary: "takes an undefended piece that nothing forced the other side to leave there",
    glance: |course, nth| course.may_capture(nth),
    boards: (2, 3),
    may_hold,
    by_boards: Some(holds),
    ..BASIS
};

fn may_hold(played: &MoveInCourse<'_>) -> bool {
    let takes_back = |left: MoveInCourse<'_>| left.to == played.to && left.gain() >= played.gain();
    let took = |own: MoveInCourse<'_>| own.captured.is_some();
    played.captured.is_some_and(|role| role != Role::Pawn)
        && !played.earlier(1).is_some_and(takes_back)
        && !played.earlier(2).is_some_and(took)
}

fn holds(played: &PlayedMove<'_>) -> bool {
    let (side, PlayedMove { before, after, .. }) = (played.mover(), *played);
    let was_free = |own: PlayedMove<'_>| !own.after.is_in_check(!side) && !leaves_in_danger(own.after, !side);
    let keeps_it = |(_, next): (PlayedMove<'_>, PlayedMove<'_>)| balance(next.after, side) >= balance(after, side);
    !before.is_in_check(side)
        && is_undefended(before, played.to, !side)
        && played.earlier(2).is_none_or(was_free)
        && played.continuation().is_none_or(keeps_it)
}

/// Whether a piece of the side is in danger, pawns aside.
fn leaves_in_danger(board: &Board, side: Color) -> bool {
    let pieces = board.occupied_by(side) & !board.pieces(side, Role::Pawn) & !board.pieces(side, Role::King);
    Bitboard(pieces).into_iter().any(|square| is_in_danger(board, square, side))
}

/// The points of the side, less those of the other one.
fn balance(board: &Board, side: Color) -> i64 {
    let points = |side: Color| -> i64 {
        let of = |role: Role| i64::from(board.pieces(side, role).count_ones() * value(role));
        [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen].map(of).into_iter().sum()
    };
    points(side) - points(!side)
}
