//! Decides whether the side to move has a legal move, and finds the pieces that are pinned to their king.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::attacks::{diagonal_attacks, king_attacks, knight_attacks, orthogonal_attacks, pawn_attacks};
use super::make::castling_targets;
use super::{Board, NO_SQUARE};

/// Returns the squares to which pieces other than the king may go to meet the check by `checkers`: all squares without a check;
/// none if only the king can move.
#[inline(always)]
pub fn answers_to(king: Square, checkers: u64) -> Option<u64> {
    match Bitboard(checkers).first() {
        None => Some(u64::MAX),
        Some(_) if checkers & (checkers - 1) != 0 => None,
        Some(checker) => Some(checkers | attacks::between(king, checker).0),
    }
}

/// Returns the squares to which these pawns can step without a capture: one square, or two from their second rank.
#[inline(always)]
pub const fn pawn_steps(pawns: u64, us: Color, empty: u64) -> u64 {
    match us {
        Color::White => {
            let one = pawns << 8 & empty;
            one | one << 8 & empty & 0xff << 24
        }
        Color::Black => {
            let one = pawns >> 8 & empty;
            one | one >> 8 & empty & 0xff << 32
        }
    }
}

impl Board {
    /// Returns the square of the king of `colour`, if there is one.
    #[inline(always)]
    pub fn king(&self, colour: Color) -> Option<Square> {
        Bitboard(self.pieces(colour, Role::King)).first()
    }

    /// The side's pieces that stand alone between their king and an enemy rook, bishop or queen that moves along that line.
    ///
    /// ```
    /// use plyfold_board::board::Board;
    /// use plyfold_board::board::start::PackedStart;
    /// use shakmaty::{Bitboard, Color, fen::Fen};
    /// let fen: Fen = "4r2k/8/7b/4N3/5P2/4K3/8/8 w - - 0 1".parse()?;
    /// let board = Board::from_start(&PackedStart::from_setup(fen.as_setup()));
    /// // The rook on e8 pins the knight on e5, the bishop on h6 pins the pawn on f4.
    /// assert_eq!(format!("\n{:?}", Bitboard(board.pinned_pieces(Color::White))), "
    /// . . . . . . . .
    /// . . . . . . . .
    /// . . . . . . . .
    /// . . . . 1 . . .
    /// . . . . . 1 . .
    /// . . . . . . . .
    /// . . . . . . . .
    /// . . . . . . . .
    /// ");
    /// # Ok::<(), shakmaty::fen::ParseFenError>(())
    /// ```
    #[inline]
    pub fn pinned_pieces(&self, colour: Color) -> u64 {
        let Some(king) = self.king(colour) else { return 0 };
        let (straight, diagonal) = (self.orthogonal_sliders(!colour), self.diagonal_sliders(!colour));
        let no_blockers = Bitboard(0);
        let pinners = attacks::rook_attacks(king, no_blockers).0 & straight
            | attacks::bishop_attacks(king, no_blockers).0 & diagonal;
        if pinners == 0 {
            return 0;
        }
        let (occupied, own) = (self.occupied(), self.occupied_by(colour));
        Bitboard(pinners).into_iter().fold(0, |pinned, slider| {
            let between = attacks::between(king, slider).0 & occupied;
            let is_single = between & own != 0 && between & between.wrapping_sub(1) == 0;
            pinned | if is_single { between } else { 0 }
        })
    }

    /// Returns whether the side to move is in check and has no legal move. Requires rights (for en passant).
    pub fn is_checkmate(&self) -> bool {
        self.is_in_check(self.side_to_move()) && !self.has_legal_move()
    }

    /// Returns whether the side to move is not in check and has no legal move. Requires rights (for en passant and castling).
    ///
    /// PERF: a pawn off the lines of its king is not pinned. If it can step forward, then either the step is legal or the king is
    /// in check. That decides most positions.
    pub fn is_stalemate(&self) -> bool {
        let us = self.side_to_move();
        let Some(king) = self.king(us) else { return false };
        let no_blockers = Bitboard(0);
        let lines = attacks::rook_attacks(king, no_blockers).0 | attacks::bishop_attacks(king, no_blockers).0;
        let pawns = self.pieces(us, Role::Pawn) & !lines;
        let steps = if us == Color::White { pawns << 8 } else { pawns >> 8 };
        steps & !self.occupied() == 0 && !self.is_in_check(us) && !self.has_legal_move()
    }

    /// Returns whether the side to move has a legal move; true if it has no king. Requires rights.
    #[inline(never)]
    pub fn has_legal_move(&self) -> bool {
        let us = self.side_to_move();
        let Some(king) = self.king(us) else { return true };
        let (occupied, own) = (self.occupied(), self.occupied_by(us));
        let without_king = occupied & !(1 << king as u32);
        let is_safe = |square: Square, occupied: u64| {
            let there = 1u64 << square as u32;
            self.attackers(square, !us, occupied | there) & !there == 0
        };
        let steps = king_attacks(1 << king as u32) & !own;
        if Bitboard(steps).into_iter().any(|square| is_safe(square, without_king)) {
            return true;
        }
        // The board has an en passant square only if such a capture is legal.
        if self.en_passant != NO_SQUARE {
            return true;
        }
        let checkers = self.attackers(king, !us, occupied);
        let Some(answers) = answers_to(king, checkers) else { return false };
        let targets = !own & answers;
        let pinned = self.pinned_pieces(us);
        if self.has_move_to(us, !pinned, targets) {
            return true;
        }
        if checkers != 0 {
            // A pinned piece cannot help: if it leaves its line, its king is in check from there, and on its line it does not
            // meet the check.
            return false;
        }
        let along_its_line = Bitboard(pinned).into_iter().any(|piece| {
            let line = attacks::ray(king, piece).0;
            self.has_move_to(us, 1 << piece as u32, line & !own)
        });
        along_its_line || Bitboard(self.castling_rooks & own).into_iter().any(|rook| self.can_castle(us, king, rook))
    }

    /// Whether one of the side's pieces on `from`, other than the king, can go to one of the squares `to`. No square of `to` may
    /// hold a piece of the side. Pins and en passant are not considered.
    fn has_move_to(&self, us: Color, from: u64, to: u64) -> bool {
        let empty = !self.occupied();
        let pawns = self.pieces(us, Role::Pawn) & from;
        let captures = pawn_attacks(pawns, us) & self.occupied_by(!us);
        let steps = pawn_steps(pawns, us, empty);
        let knights = knight_attacks(self.pieces(us, Role::Knight) & from);
        (captures | steps | knights) & to != 0
            || orthogonal_attacks(self.orthogonal_sliders(us) & from, empty) & to != 0
            || diagonal_attacks(self.diagonal_sliders(us) & from, empty) & to != 0
    }

    /// Whether the king, which is not in check, may castle with the rook on `rook`, which has the right to castle.
    ///
    /// In Chess960, castling can be the only legal move, because the king may stay on its square.
    #[cold]
    pub(super) fn can_castle(&self, us: Color, king: Square, rook: Square) -> bool {
        let (king_to, rook_to) = castling_targets(king as usize, rook as usize);
        let (king_to, rook_to) = (Square::new(king_to as u32), Square::new(rook_to as u32));
        let both = 1u64 << king as u32 | 1 << rook as u32;
        let others = self.occupied() & !both;
        let king_path = attacks::between(king, king_to).0 | 1 << king_to as u32;
        let rook_path = attacks::between(rook, rook_to).0 | 1 << rook_to as u32;
        let is_unattacked = |square: Square, occupied: u64| self.attackers(square, !us, occupied) == 0;
        let without_king = self.occupied() & !(1 << king as u32);
        (king_path | rook_path) & others == 0
            && is_unattacked(king_to, others | 1 << rook_to as u32)
            && Bitboard(king_path).into_iter().all(|square| square == king_to || is_unattacked(square, without_king))
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Position;

    use super::*;
    use crate::board::start::PackedStart;

    /// Position, whether it is stalemate, whether it is checkmate.
    const CASES: &[(&str, bool, bool)] = &[
        // Castling with the king in place is the only legal move; without the right there is none.
        ("k4r2/8/8/8/8/7p/7P/6KR w H - 0 1", false, false),
        ("k4r2/8/8/8/8/7p/7P/6KR w - - 0 1", true, false),
        // Only an en passant capture meets the check of the pawn, and only directly after its double step.
        ("2R5/8/7Q/1k6/2Pp4/8/8/R3B2K b - c3 0 1", false, false),
        ("2R5/8/7Q/1k6/2Pp4/8/8/R3B2K b - - 0 1", false, true),
        ("7k/8/8/8/8/1q6/8/K7 w - - 0 1", true, false),
        ("7k/8/8/8/8/1q6/1r6/K7 w - - 0 1", true, false),
        ("7k/8/8/8/r7/1q6/8/K7 w - - 0 1", false, true),
        // A pinned rook may move along its line, a pinned knight may not.
        ("7k/8/8/8/r7/1q6/R7/K7 w - - 0 1", false, false),
        ("7k/8/8/8/r7/1q6/N7/K7 w - - 0 1", true, false),
    ];

    #[test]
    fn the_last_move_is_found() {
        for &(fen, stalemate, checkmate) in CASES {
            let position = crate::random_games::position(fen);
            assert_eq!((position.is_stalemate(), position.is_checkmate()), (stalemate, checkmate), "{fen}");
            let board = Board::from_start(&PackedStart::from_position(&position));
            assert_eq!((board.is_stalemate(), board.is_checkmate()), (stalemate, checkmate), "{fen}");
        }
    }
}
