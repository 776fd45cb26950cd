use super::played_move::{attacked_from, attackers, is_attacked_by_less, is_undefended, role_on, value};
use super::{BASIS, BoardTest, MotifDefinition};
use plyfold_board::board::Board;
use plyfold_board::moves::Move;
use shakmaty::{Bitboard, Color, Square, attacks};

/// A pin of an enemy piece to its king counts: the piece attacks another one off the line, which is worth more than it or
/// undefended, and cannot take it; or it is attacked by a piece worth less, or is undefended and can take no attacker. The side
/// moves again.
pub(super) const MOTIF: MotifDefinition = MotifDefinition {
    names: &["plays_pin"],
    summary: "a pinned enemy piece can now be taken with gain, or cannot take what it attacks",
    by_board: Some(BoardTest { holds: pins, side_moves_again: true }),
    ..BASIS
};

fn pins(_: Move, after: &Board) -> bool {
    let enemy = after.side_to_move();
    Bitboard(after.pinned_pieces(enemy)).into_iter().any(|square| counts(after, square, !enemy))
}

/// Whether the pin of the piece on a square counts for a side.
fn counts(board: &Board, square: Square, side: Color) -> bool {
    let (Some(king), Some(role)) = (board.king(!side), role_on(board, square)) else { return false };
    let (attacked, line) = (attacked_from(board, square), attacks::ray(king, square));
    let is_saved = |square: Square| {
        role_on(board, square).is_some_and(|saved| value(saved) > value(role)) || is_undefended(board, square, side)
    };
    if (attacked & Bitboard(board.occupied_by(side)) & !line).into_iter().any(is_saved) {
        return true;
    }
    let attackers = attackers(board, square, side);
    is_attacked_by_less(board, square, attackers)
        || attackers.any() && (attackers & attacked & line).is_empty() && is_undefended(board, square, !side)
}
