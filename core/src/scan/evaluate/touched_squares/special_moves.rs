//! Special moves do to squares what their origin, target and role do not say: castling, en passant, promotion, the null move.

use shakmaty::Role;

use super::WatchedSquare;
use crate::board::make::{castling_targets, en_passant_capture_square};
use crate::board::{ColorCode, PieceCode};
use crate::irreversible::mover_at;
use crate::moves::Move;

/// The plies that make and unmake that a square is as asked for, where these special ones among them were taken for others.
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
        if let Some(man) = occupant_after(moves[at], mover_at(first_mover, at + 1), watched.square) {
            *(if watched.allows_piece(man) { &mut on } else { &mut off }) |= 1 << at;
        }
    }
    (on, off)
}

/// What stands on a square after a special move, if that touches it.
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
