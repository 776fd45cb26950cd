//! Plays many moves when no position in between is needed, and computes from the mailbox what a board keeps beside it.

use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{Bitboard, CastlingSide, Color, Role};

use super::make::{
    ANY_COUNT_CHANGE, FILE_A, MailboxOnly, MakePolicy, MakeState, back_rank, en_passant_zobrist_key, zobrist_key,
};
use super::{Board, ByPiece, NO_SQUARE, PieceCode, placement_change};
use crate::moves::Move;

impl Board {
    /// Plays all `moves` and then sets what the policy keeps up to date. This is cheaper than [`make`](Board::make) if no
    /// position in between is needed.
    pub fn fast_forward<P: MakePolicy>(&mut self, moves: &[Move]) {
        let Some(&last) = moves.last() else { return };
        let (mut state, mut vacated_or_reached) = (MakeState::for_board(self), 0u64);
        let by_black = (moves.len() + usize::from(state.mover.is_black())) / 2;
        let mut reversible = usize::from(self.halfmoves);
        for &mv in moves {
            if P::RIGHTS {
                // Any move of a king ends both rights. PERF: no branch, because moves of kings are unpredictable.
                let king = u64::from(mv.arrives_as(Role::King)).wrapping_neg() & back_rank(state.mover);
                let is_move = u64::from(!mv.is_null()).wrapping_neg();
                vacated_or_reached |= (1 << mv.origin() | 1 << mv.target() | king) & is_move;
            }
            let change = self.make_with::<MailboxOnly>(mv, &mut state);
            let pawns = placement_change(PieceCode::WHITE_PAWN) | placement_change(PieceCode::BLACK_PAWN);
            reversible = if change & (ANY_COUNT_CHANGE | pawns) == 0 { reversible + 1 } else { 0 };
        }
        if P::CLOCKS {
            self.halfmoves = u16::try_from(reversible).unwrap_or(u16::MAX);
            self.fullmoves = self.fullmoves.saturating_add(u16::try_from(by_black).unwrap_or(u16::MAX));
        }
        self.castling_rooks &= !vacated_or_reached;
        if P::BITBOARDS {
            self.bitboards = self.compute_bitboards();
        }
        if P::PIECE_COUNTS {
            self.piece_counts = self.bitboards.map(|squares| squares.count_ones() as u8);
        }
        self.en_passant = NO_SQUARE;
        if P::RIGHTS {
            self.set_en_passant::<P>(state.mover.opponent(), last);
        }
        if P::HASH {
            self.hash = self.compute_hash();
        }
    }

    /// The occupied squares, computed from the mailbox.
    fn occupied_in_mailbox(&self) -> u64 {
        let (ranks, _) = self.mailbox.as_chunks::<8>();
        ranks.iter().enumerate().fold(0, |all, (nth, rank)| {
            // The code of a piece is 1 to 15, so adding 127 sets the highest bit of its byte without a carry to the next byte. The
            // multiplication collects these highest bits.
            let occupied = (u64::from_le_bytes(rank.map(PieceCode::bits)) + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & FILE_A;
            all | (occupied.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * nth)
        })
    }

    /// The bitboards, computed from the mailbox.
    pub(super) fn compute_bitboards(&self) -> ByPiece<u64> {
        let mut of = ByPiece::splat(0);
        for square in Bitboard(self.occupied_in_mailbox()) {
            of[self.mailbox[square as usize]] |= 1 << square as u32;
        }
        of
    }

    /// Returns the keys of the castling rights of the rooks on `rooks`.
    pub(super) fn castling_keys(&self, rooks: u64) -> u64 {
        Bitboard(rooks).into_iter().fold(0, |keys, rook| {
            let colour = Color::from_white((rook as u8) < 32);
            let king = self.mailbox.iter().rposition(|&code| code == PieceCode::new(colour, Role::King));
            let side = CastlingSide::from_king_side(king.is_none_or(|king| rook as usize > king));
            keys ^ Zobrist64::zobrist_for_castling_right(colour, side).0
        })
    }

    /// The hash of the position as it stands, which a policy with a hash keeps up to date.
    pub fn compute_hash(&self) -> u64 {
        let squares = Bitboard(self.occupied_in_mailbox()).into_iter().map(|square| square as usize);
        let pieces = squares.fold(0, |hash, square| hash ^ zobrist_key(self.mailbox[square], square));
        let turn = if !self.turn.is_black() { Zobrist64::zobrist_for_white_turn().0 } else { 0 };
        let en_passant = if self.en_passant == NO_SQUARE { 0 } else { en_passant_zobrist_key(self.en_passant) };
        pieces ^ turn ^ en_passant ^ self.castling_keys(self.castling_rooks)
    }
}
