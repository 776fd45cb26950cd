//! The signature of a game during its moves: steps are counted as they are made.
//!
//! Most moves do not change a signature, and the square of arrival shows this. The tracker has full counts, because a signature
//! cannot tell what remains of "three or more" after a capture.

use shakmaty::{Color, Role};

use super::{MatSig, PAWN_BITS, SignaturePiece, count_pieces, pack_side, steps_without_history};
use crate::board::make::en_passant_capture_square;
use crate::board::{Board, ColorCode, PieceCode};
use crate::moves::Move;

/// Follows the moves of one game.
///
/// ```
/// use plyfold_board::board::{Board, make::MailboxOnly};
/// use plyfold_board::matsig::tracker::SignatureTracker;
/// use plyfold_board::moves::Move;
/// use shakmaty::{Color, Role, Square};
/// let mut board = Board::initial();
/// let mut tracker = SignatureTracker::new(&board);
/// for mv in [
///     Move::normal(Role::Pawn, Square::E2, Square::E4),
///     Move::normal(Role::Pawn, Square::D7, Square::D5),
///     Move::normal(Role::Pawn, Square::E4, Square::D5),
/// ] {
///     tracker.follow(&board, mv);
///     board.make::<MailboxOnly>(mv);
/// }
/// assert_eq!(tracker.signature().steps(Color::White), Some(3..=3));
/// // The captured pawn made two steps, which the position alone does not show.
/// assert_eq!(tracker.signature().steps(Color::Black), Some(2..=2));
/// assert_eq!(tracker.signature().without_history().steps(Color::Black), None);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignatureTracker {
    sides: [SideState; 2],
}

/// What is known of one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct SideState {
    /// Its pawns, a bitboard.
    pawns: u64,
    /// Its full counts by [`SignaturePiece`].
    counts: [u8; 5],
    /// The steps so far; none for the whole game if it did not begin with eight pawns.
    steps: Option<u8>,
}

impl SignatureTracker {
    /// A tracker before the first move on `start`, of which only the mailbox is used.
    pub fn new(start: &Board) -> SignatureTracker {
        let (pawns, counts) = count_pieces(&start.mailbox);
        let side = |colour: Color| {
            let index = side_index(colour);
            SideState { pawns: pawns[index], counts: counts[index], steps: steps_without_history(pawns[index], colour) }
        };
        SignatureTracker { sides: [side(Color::White), side(Color::Black)] }
    }

    /// Follows `mv`, which is about to be played on `before`, a board that keeps its mailbox up to date.
    ///
    /// It never panics: bits that are no sensible move give some signature.
    #[inline]
    pub fn follow(&mut self, before: &Board, mv: Move) {
        let is_quiet = before.mailbox[mv.target()].is_none() && !mv.arrives_as(Role::Pawn);
        if !is_quiet || mv.is_special() {
            self.follow_irreversible(before, mv);
        }
    }

    fn follow_irreversible(&mut self, before: &Board, mv: Move) {
        let (from, to) = (mv.origin(), mv.target());
        let Some(arriving) = mv.arriving().filter(|_| !mv.is_castling()) else {
            return;
        };
        let colour = before.side_to_move();
        let capture_square = if mv.is_en_passant() { en_passant_capture_square(from, to) } else { to };
        self.remove_piece(before.mailbox[capture_square], capture_square);
        let own = &mut self.sides[side_index(colour)];
        if arriving == Role::Pawn || mv.is_special() {
            own.pawns &= !(1 << from);
            let ranks = (to / 8).abs_diff(from / 8) as u8;
            own.steps = own.steps.map(|steps| steps.saturating_add(ranks));
            match SignaturePiece::from_role(arriving, to) {
                Some(kind) => own.counts[kind as usize] = own.counts[kind as usize].saturating_add(1),
                None => own.pawns |= 1 << to & PAWN_BITS << 8,
            }
        }
    }

    /// Removes the piece `man` from `square`; the code of no piece changes nothing.
    fn remove_piece(&mut self, man: PieceCode, square: usize) {
        let Some(role) = man.role() else {
            return;
        };
        let side = &mut self.sides[man.side().index()];
        match SignaturePiece::from_role(role, square) {
            Some(kind) => side.counts[kind as usize] = side.counts[kind as usize].saturating_sub(1),
            None => side.pawns &= !(1 << square),
        }
    }

    /// The signature of the current position, with the steps of the whole game if it began with eight pawns.
    pub fn signature(&self) -> MatSig {
        let [white, black] = self.sides.map(|side| pack_side(side.pawns, side.counts, side.steps));
        MatSig { white, black }
    }
}

/// 0 for White, 1 for Black.
const fn side_index(colour: Color) -> usize {
    ColorCode::new(colour).index()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::board::make::MailboxOnly;

    #[test]
    fn passing_the_turn_and_castling_change_nothing() {
        let board = Board::initial();
        let mut tracker = SignatureTracker::new(&board);
        tracker.follow(&board, Move::NULL);
        tracker.follow(&board, Move::castle(shakmaty::Square::E1, shakmaty::Square::H1));
        assert_eq!(tracker.signature(), MatSig::INITIAL);
    }

    #[test]
    fn three_and_more_are_counted_in_full() {
        let mut board = Board::initial();
        board.mailbox = [PieceCode::NONE; 64];
        // Four white knights and a black rook that takes two of them.
        for square in [8, 16, 24, 32] {
            board.mailbox[square] = PieceCode::WHITE_KNIGHT;
        }
        board.mailbox[40] = PieceCode::BLACK_ROOK;
        board.turn = ColorCode::BLACK;
        let mut tracker = SignatureTracker::new(&board);
        for (from, to, left) in [(40, 32, 3), (32, 24, 2)] {
            let mv = Move::normal(Role::Rook, shakmaty::Square::new(from), shakmaty::Square::new(to));
            tracker.follow(&board, mv);
            board.make::<MailboxOnly>(mv);
            board.turn = ColorCode::BLACK;
            assert_eq!(tracker.signature().count(Color::White, SignaturePiece::Knight), left);
            assert_eq!(tracker.signature(), MatSig::from_board(&board));
        }
    }

    proptest! {
        #[test]
        fn any_bits_are_followed_without_panic(moves in prop::collection::vec(any::<u16>(), 0..400)) {
            let mut board = Board::initial();
            let mut tracker = SignatureTracker::new(&board);
            for mv in moves.into_iter().map(Move::from_bits) {
                tracker.follow(&board, mv);
                board.make::<MailboxOnly>(mv);
                tracker.signature();
            }
        }
    }
}
