//! Castling, en passant, promotions and null moves change squares in ways that their origin, target and role do not show.

use plyfold_board::board::make::{castling_targets, en_passant_capture_square};
use plyfold_board::board::{ColorCode, PieceCode};
use plyfold_board::irreversible::mover_at;
use plyfold_board::moves::Move;
use shakmaty::Role;

use super::WatchedSquare;

/// Corrects the plies `on` and `off` of a watched square where special moves were treated as ordinary ones.
#[cold]
#[inline(never)]
pub(super) fn apply_special_moves(
    mut specials: u64,
    moves: &[Move],
    first_mover: ColorCode,
    watched: &WatchedSquare,
    (mut on, mut off): (u64, u64),
) -> (u64, u64) {
    (on, off) = (on & !specials, off & !specials);
    while specials != 0 {
        let at = specials.trailing_zeros() as usize;
        specials &= specials - 1;
        if let Some(piece) = occupant_after(moves[at], mover_at(first_mover, at + 1), watched.square) {
            *(if watched.allows_piece(piece) { &mut on } else { &mut off }) |= 1 << at;
        }
    }
    (on, off)
}

/// Returns the occupant of a square after a special move, or none if the move does not touch the square.
fn occupant_after(mv: Move, mover: ColorCode, square: usize) -> Option<PieceCode> {
    let (from, to) = (mv.origin(), mv.target());
    let leaves = (square == from || square == to).then_some(PieceCode::NONE);
    if mv.is_null() {
        return None;
    }
    if mv.is_castling() {
        let (king, rook) = castling_targets(from, to);
        return if square == king {
            Some(mover.piece(Role::King))
        } else if square == rook {
            Some(mover.piece(Role::Rook))
        } else {
            leaves
        };
    }
    if square == to {
        return Some(mover.arriving(mv));
    }
    leaves.or((mv.is_en_passant() && square == en_passant_capture_square(from, to)).then_some(PieceCode::NONE))
}
