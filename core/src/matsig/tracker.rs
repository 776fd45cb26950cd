//! The signature of a game as it goes on: steps are counted as they are made.
//!
//! Most moves change nothing here, and one look at the square of arrival says so. Numbers are kept in full, because
//! from a signature that says "three or more" nobody can take one away.

use shakmaty::{Color, Role};

use super::{Kind, MatSig, PAWNS, census, steps_without_history, word};
use crate::board::make::en_passant_victim;
use crate::board::{Board, Man, side};
use crate::moves::Move;

/// Follows the moves of one game.
///
/// ```
/// use plyfold_core::board::{Board, make::Mailbox};
/// use plyfold_core::matsig::tracker::Tracker;
/// use plyfold_core::moves::Move;
/// use shakmaty::{Color, Role, Square};
/// let mut board = Board::initial();
/// let mut tracker = Tracker::new(&board);
/// for mv in [
///     Move::normal(Role::Pawn, Square::E2, Square::E4),
///     Move::normal(Role::Pawn, Square::D7, Square::D5),
///     Move::normal(Role::Pawn, Square::E4, Square::D5),
/// ] {
///     tracker.make(&board, mv);
///     board.make::<Mailbox>(mv);
/// }
/// assert_eq!(tracker.signature().steps(Color::White), Some(3..=3));
/// // The pawn that is gone has made two steps; the position alone no longer tells.
/// assert_eq!(tracker.signature().steps(Color::Black), Some(2..=2));
/// assert_eq!(tracker.signature().without_history().steps(Color::Black), None);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tracker {
    sides: [Side; 2],
}

/// What is known of one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Side {
    /// Its pawns, a bitboard.
    pawns: u64,
    /// Its men by [`Kind`], all of them.
    counts: [u8; 5],
    /// Steps so far; none from the start where eight pawns did not stand, and for ever.
    steps: Option<u8>,
}

impl Tracker {
    /// Ready for the first move on `start`, of which only the men on their squares are looked at.
    pub fn new(start: &Board) -> Tracker {
        let (pawns, counts) = census(&start.men);
        let side = |colour: Color| {
            let index = index(colour);
            Side { pawns: pawns[index], counts: counts[index], steps: steps_without_history(pawns[index], colour) }
        };
        Tracker { sides: [side(Color::White), side(Color::Black)] }
    }

    /// Follows `mv`, which is about to be played on `before`, a board that keeps its mailbox.
    ///
    /// Total: bits that are no sensible move give some signature.
    #[inline]
    pub fn make(&mut self, before: &Board, mv: Move) {
        let quiet = before.men[mv.target()] == 0 && mv.role_code() != Role::Pawn as u8;
        if !quiet || mv.is_special() {
            self.make_noisy(before, mv);
        }
    }

    fn make_noisy(&mut self, before: &Board, mv: Move) {
        let (from, to) = (mv.origin(), mv.target());
        let Some(arriving) = mv.arriving().filter(|_| !mv.is_castling()) else {
            return;
        };
        let colour = before.turn();
        let taken_on = if mv.is_en_passant() { en_passant_victim(from, to) } else { to };
        self.remove(before.men[taken_on], taken_on);
        let own = &mut self.sides[index(colour)];
        if arriving == Role::Pawn || mv.is_special() {
            own.pawns &= !(1 << from);
            let ranks = (to / 8).abs_diff(from / 8) as u8;
            own.steps = own.steps.map(|steps| steps.saturating_add(ranks));
            match Kind::of(arriving, to) {
                Some(kind) => own.counts[kind as usize] = own.counts[kind as usize].saturating_add(1),
                None => own.pawns |= 1 << to & PAWNS << 8,
            }
        }
    }

    /// Takes `man` off `square`; nobody for no man.
    fn remove(&mut self, man: Man, square: usize) {
        let Some(&role) = Role::ALL.get(usize::from(man & 7).wrapping_sub(1)) else {
            return;
        };
        let side = &mut self.sides[usize::from(man >> 3 & 1)];
        match Kind::of(role, square) {
            Some(kind) => side.counts[kind as usize] = side.counts[kind as usize].saturating_sub(1),
            None => side.pawns &= !(1 << square),
        }
    }

    /// The signature of the position reached, with the steps of the whole game where its start allows to know them.
    pub fn signature(&self) -> MatSig {
        let [white, black] = self.sides.map(|side| word(side.pawns, side.counts, side.steps));
        MatSig { white, black }
    }
}

/// 0 for White, 1 for Black.
const fn index(colour: Color) -> usize {
    side(colour) as usize / 8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::board::make::Mailbox;

    #[test]
    fn passing_the_turn_and_castling_change_nothing() {
        let board = Board::initial();
        let mut tracker = Tracker::new(&board);
        tracker.make(&board, Move::NULL);
        tracker.make(&board, Move::castle(shakmaty::Square::E1, shakmaty::Square::H1));
        assert_eq!(tracker.signature(), MatSig::INITIAL);
    }

    #[test]
    fn three_and_more_are_counted_in_full() {
        let mut board = Board::initial();
        board.men = [0; 64];
        // Four white knights and a black rook that takes two of them.
        for square in [8, 16, 24, 32] {
            board.men[square] = Role::Knight as u8;
        }
        board.men[40] = side(Color::Black) | Role::Rook as u8;
        board.turn = 8;
        let mut tracker = Tracker::new(&board);
        for (from, to, left) in [(40, 32, 3), (32, 24, 2)] {
            let mv = Move::normal(Role::Rook, shakmaty::Square::new(from), shakmaty::Square::new(to));
            tracker.make(&board, mv);
            board.make::<Mailbox>(mv);
            board.turn = 8;
            assert_eq!(tracker.signature().count(Color::White, Kind::Knight), left);
            assert_eq!(tracker.signature(), MatSig::of(&board));
        }
    }

    proptest! {
        #[test]
        fn any_bits_are_followed_without_panic(moves in prop::collection::vec(any::<u16>(), 0..400)) {
            let mut board = Board::initial();
            let mut tracker = Tracker::new(&board);
            for mv in moves.into_iter().map(Move::from_bits) {
                tracker.make(&board, mv);
                board.make::<Mailbox>(mv);
                tracker.signature();
            }
        }
    }
}
