//! How many legal moves the side to move has.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::attacks::{king_attacks, pawn_attacks};
use super::legal::{answers_to, pawn_steps};
use super::{Board, NO_SQUARE};

/// Where pawns are promoted.
pub const LAST_RANKS: u64 = 0xff | 0xff << 56;

impl Board {
    /// The number of legal moves of those of its pieces that the side to move has on `from`; each promotion counts as four moves.
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
    use shakmaty::fen::Fen;
    use shakmaty::{CastlingMode, Chess, Position};

    use super::*;
    use crate::board::make::FullState;
    use crate::board::start::PackedStart;
    use crate::moves::Move;

    #[test]
    fn moves_are_counted_as_shakmaty_counts_them() {
        let mut state = 1u64;
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "1n2k3/P1P1P2p/8/1pPp4/2PpPp2/8/p1p3PP/1N2K2R b K - 3 20",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        ] {
            let start: Chess = fen.parse::<Fen>().expect(fen).into_position(CastlingMode::Chess960).expect(fen);
            for _ in 0..12 {
                let mut position = start.clone();
                let mut board = Board::from_start(&PackedStart::from_position(&position));
                for _ in 0..60 {
                    let legal = position.legal_moves();
                    assert_eq!(board.legal_move_count(u64::MAX), legal.len() as u32, "{}", board.fen());
                    for role in Role::ALL {
                        let of_role = legal.iter().filter(|mv| mv.role() == role).count() as u32;
                        assert_eq!(
                            board.legal_move_count(board.pieces(board.side_to_move(), role)),
                            of_role,
                            "{}",
                            board.fen()
                        );
                    }
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let Some(&mv) = legal.get((state >> 33) as usize % legal.len().max(1)) else { break };
                    board.make::<FullState>(Move::from(mv));
                    position.play_unchecked(mv);
                }
            }
        }
    }
}
