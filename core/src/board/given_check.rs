//! Whether a move gives check, told from the move and the lines to the king.

use shakmaty::{Role, Square, attacks};

use super::Board;
use crate::moves::Move;

/// A line of rooks, and a line of bishops.
const STRAIGHT: u8 = 1;
const DIAGONAL: u8 = 2;
/// The lines along which a piece of each role code moves.
const LINES: [u8; 8] = [0, 0, 0, DIAGONAL, STRAIGHT, STRAIGHT | DIAGONAL, 0, 0];

impl Board {
    /// Whether `mv`, the move that led to this position, may have given check; false only if the side to move is not in check.
    /// The side must not have been in check before the other side moved, as in any legal game.
    ///
    /// PERF: nine moves in ten are told here by two lines and without a branch, so the attackers of the king are rarely looked up.
    #[inline(always)]
    pub(crate) fn may_be_checked_by(&self, mv: Move) -> bool {
        let (us, mover) = (self.turn.color(), !self.turn.color());
        let Some(king) = self.king(us) else { return false };
        let (from, to, role) = (mv.origin(), mv.target(), usize::from(mv.role_code()));
        let lines_to = |square: usize| {
            let line = attacks::ray(king, Square::new(square as u32)).0;
            let apart = square ^ king as usize;
            let kind = if apart & 7 == 0 || apart & 56 == 0 { STRAIGHT } else { DIAGONAL };
            (line, if line == 0 { 0 } else { kind })
        };
        let leaps = [0, attacks::pawn_attacks(us, king).0, attacks::knight_attacks(king).0, 0, 0, 0, 0, 0][role];
        let is_direct = leaps >> to & 1 != 0 || lines_to(to).1 & LINES[role] != 0;
        let (line, kind) = lines_to(from);
        let sliders = if kind == STRAIGHT { Role::Rook } else { Role::Bishop };
        let opens = line & (self.pieces(mover, sliders) | self.pieces(mover, Role::Queen)) != 0;
        is_direct | opens | mv.is_special()
    }

    /// The pieces that give check to the side to move and did not move with `mv`, the move that led to this position.
    pub(crate) fn discovered_checkers(&self, mv: Move) -> u64 {
        let us = self.side_to_move();
        let Some(king) = self.king(us) else { return 0 };
        let moved = match mv {
            mv if mv.is_null() => 0,
            mv if mv.is_castling() => {
                let (king_to, rook_to) = super::make::castling_targets(mv.origin(), mv.target());
                1 << king_to | 1 << rook_to
            }
            mv => 1u64 << mv.target(),
        };
        self.attackers(king, !us, self.occupied()) & !moved
    }
}
