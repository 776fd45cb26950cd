use super::played_move::{attacked_from, is_in_danger, is_undefended, role_on, value};
use super::{BASIS, BoardTest, MotifDefinition};
use plyfold_board::board::attacks::pawn_attacks;
use plyfold_board::board::given_check::reach;
use plyfold_board::board::{Board, PieceCode};
use plyfold_board::moves::Move;
use shakmaty::{Bitboard, Color, Role, Square};

/// The piece that moved attacks at least two enemy pieces other than pawns. Each is worth more than it, or is undefended and does
/// not attack it. It is no king, is not in danger, and its side moves again.
pub(super) const MOTIF: MotifDefinition = MotifDefinition {
    names: &["plays_fork"],
    summary: "the piece that has just moved attacks two pieces, each worth more than it or undefended",
    by_board: Some(BoardTest { holds: forks, side_moves_again: true }),
    ..BASIS
};

fn forks(mv: Move, after: &Board) -> bool {
    let (enemy, to) = (after.side_to_move(), Square::new(mv.target() as u32));
    let Some(role) = mv.arriving().filter(|role| *role != Role::King) else { return false };
    let targets = possible_targets(after, enemy, role);
    // PERF: most moves end here, before the squares between are looked at.
    if !Bitboard(targets & reach(to, PieceCode::new(!enemy, role))).more_than_one() {
        return false;
    }
    let is_target = |&target: &Square| {
        role_on(after, target).is_some_and(|of_target| value(of_target) > value(role))
            || is_undefended(after, target, enemy) && !attacked_from(after, target).contains(to)
    };
    let attacked = attacked_from(after, to) & Bitboard(targets);
    attacked.more_than_one() && attacked.into_iter().filter(is_target).count() > 1 && !is_in_danger(after, to, !enemy)
}

/// The enemy pieces other than pawns that are worth more than a piece of this role, or that no pawn defends.
fn possible_targets(board: &Board, enemy: Color, role: Role) -> u64 {
    let of = |role| board.pieces(enemy, role);
    let (minors, rooks, queens) = (of(Role::Knight) | of(Role::Bishop), of(Role::Rook), of(Role::Queen));
    let worth_more = match role {
        Role::Pawn => minors | rooks | queens,
        Role::Knight | Role::Bishop => rooks | queens,
        Role::Rook => queens,
        Role::Queen | Role::King => 0,
    };
    let pieces = minors | rooks | queens;
    of(Role::King) | worth_more | pieces & !pawn_attacks(of(Role::Pawn), enemy)
}
