//! Counts the legal moves of the side to move.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::attacks::{king_attacks, pawn_attacks};
use super::legal::{answers_to, pawn_steps};
use super::{Board, NO_SQUARE};

/// Where pawns are promoted.
pub const LAST_RANKS: u64 = 0xff | 0xff << 56;

impl Board {
    /// Returns the number of legal moves that the side to move has with its pieces on `from`; each promotion counts as four moves.
    /// Requires rights. 0 without a king.
    pub fn legal_move_count(&self, from: u64) -> u32 {
        let us = self.side_to_move();
        let Some(king) = self.king(us) else { return 0 };
        let (occupied, own) = (self.occupied(), self.occupied_by(us));
        let checkers = self.attackers(king, !us, occupied);
        let mut count = if from >> king as u32 & 1 != 0 { self.king_move_count(us, king, checkers != 0) } else { 0 };
        let Some(answers) = answers_to(king, checkers) else { return count };
        let targets = !own & answers;
        let pinned = self.pinned_pieces(us);
        for piece in Bitboard(own & from & !(1 << king as u32)) {
            let square = 1u64 << piece as u32;
            let line = if pinned & square != 0 { attacks::ray(king, piece).0 } else { u64::MAX };
            let to = targets & line;
            count += if self.pieces(us, Role::Pawn) & square == 0 {
                (self.attacked_from(us, square) & to).count_ones()
            } else {
                self.pawn_move_count(us, square, to)
            };
        }
        count + self.en_passant_count(us, king, from)
    }

    fn king_move_count(&self, us: Color, king: Square, is_in_check: bool) -> u32 {
        let own = self.occupied_by(us);
        let without_king = self.occupied() & !(1 << king as u32);
        let is_safe = |square: &Square| {
            let there = 1u64 << *square as u32;
            self.attackers(*square, !us, without_king | there) & !there == 0
        };
        let steps = Bitboard(king_attacks(1 << king as u32) & !own).into_iter().filter(is_safe).count();
        let rooks = if is_in_check { 0 } else { self.castling_rooks & own };
        let castlings = Bitboard(rooks).into_iter().filter(|&rook| self.can_castle(us, king, rook)).count();
        (steps + castlings) as u32
    }

    /// Moves of a pawn to one of the squares `to`, without en passant.
    fn pawn_move_count(&self, us: Color, pawn: u64, to: u64) -> u32 {
        let captures = pawn_attacks(pawn, us) & self.occupied_by(!us);
        let moves = (pawn_steps(pawn, us, !self.occupied()) | captures) & to;
        moves.count_ones() + 3 * (moves & LAST_RANKS).count_ones()
    }

    fn en_passant_count(&self, us: Color, king: Square, from: u64) -> u32 {
        if self.en_passant == NO_SQUARE {
            return 0;
        }
        let target = 1u64 << (self.en_passant & 63);
        let captured = us.fold_wb(target >> 8, target << 8);
        let takers = pawn_attacks(target, !us) & self.pieces(us, Role::Pawn) & from;
        let is_legal = |taker: &Square| {
            let occupied = self.occupied() & !(1 << *taker as u32) & !captured | target;
            self.attackers(king, !us, occupied) & !captured == 0
        };
        Bitboard(takers).into_iter().filter(is_legal).count() as u32
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Chess, Position};

    use super::*;
    use crate::board::make::FullState;
    use crate::board::start::PackedStart;
    use crate::random_games;

    fn compare(board: &Board, position: &Chess) {
        let legal = position.legal_moves();
        assert_eq!(board.legal_move_count(u64::MAX), legal.len() as u32, "{}", board.fen());
        for role in Role::ALL {
            let of_role = legal.iter().filter(|mv| mv.role() == role).count() as u32;
            let pieces = board.pieces(board.side_to_move(), role);
            assert_eq!(board.legal_move_count(pieces), of_role, "{}", board.fen());
        }
    }

    #[test]
    fn moves_are_counted_as_shakmaty_counts_them() {
        for (fen, game) in random_games::STARTS.into_iter().flat_map(|fen| (0..12).map(move |game| (fen, game))) {
            let start = random_games::position(fen);
            let mut board = Board::from_start(&PackedStart::from_position(&start));
            compare(&board, &start);
            random_games::play(&start, random_games::choices(game).take(60), true, |mv, position| {
                board.make::<FullState>(mv);
                compare(&board, position);
            });
        }
    }
}
