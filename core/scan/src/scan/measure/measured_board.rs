//! A board with what several features ask of it: the squares that pieces attack, each found once, where possible for eight boards
//! together.

use core::array;
use core::cell::Cell;
use core::ops::Deref;

use plyfold_board::board::Board;
use plyfold_board::board::eight::{EightBoards, EightSets};
use shakmaty::Color;

use super::{fork, skewer};

/// A board whose attacked squares are found when a feature first asks, and kept for the others.
///
/// What is kept is that of this board alone; a board after another move is measured anew.
#[derive(Debug)]
pub struct MeasuredBoard<'a> {
    board: &'a Board,
    /// The boards with which it is measured, and which of them it is.
    among: Option<(&'a MeasuredEight, usize)>,
    /// For each colour, a bit if its squares below are known.
    is_known: Cell<u8>,
    attacked: [Cell<u64>; 2],
}

impl<'a> MeasuredBoard<'a> {
    /// The board, of which nothing is known yet. Its bitboards must be up to date.
    #[inline(always)]
    pub fn new(board: &'a Board) -> MeasuredBoard<'a> {
        MeasuredBoard { board, among: None, is_known: Cell::new(0), attacked: [Cell::new(0), Cell::new(0)] }
    }

    /// One of eight boards that are measured together.
    #[inline(always)]
    pub(in crate::scan) fn among(eight: &'a MeasuredEight, nth: usize) -> MeasuredBoard<'a> {
        MeasuredBoard { among: Some((eight, nth)), ..MeasuredBoard::new(&eight.boards[nth]) }
    }

    /// Returns the squares that the side's pieces attack, as [`Board::attacked_by`] finds them.
    #[inline(always)]
    pub fn attacked_by(&self, colour: Color) -> u64 {
        if let Some(attacked) = self.shared(SharedMeasure::Attacked, colour) {
            return attacked;
        }
        let side = index(colour);
        if self.is_known.get() >> side & 1 == 0 {
            self.attacked[side].set(self.board.attacked_by(colour));
            self.is_known.set(self.is_known.get() | 1 << side);
        }
        self.attacked[side].get()
    }

    /// Returns a side's squares of a measure that is found for eight boards together, if the board is one of eight.
    #[inline(always)]
    pub(super) fn shared(&self, measure: SharedMeasure, colour: Color) -> Option<u64> {
        self.among.map(|(eight, nth)| eight.squares(measure, colour, nth))
    }
}

impl Deref for MeasuredBoard<'_> {
    type Target = Board;

    #[inline(always)]
    fn deref(&self) -> &Board {
        self.board
    }
}

/// Eight boards that are measured together, each measure when it is first asked for.
///
/// PERF: its memory is used again for the next boards. What was found for one colour is a set of its own, so that a board reads one
/// word of it.
#[derive(Debug)]
pub struct MeasuredEight {
    boards: [Board; 8],
    pieces: EightBoards,
    /// The measures that are known, a bit each.
    known: Cell<u32>,
    measures: [[KeptSets; 2]; MEASURES],
}

type KeptSets = [Cell<u64>; 8];

/// A measure that eight boards share.
#[derive(Clone, Copy, Debug)]
pub(super) enum SharedMeasure {
    /// The squares that the side's pieces attack.
    Attacked,
    /// The squares that two or more of them attack.
    AttackedTwice,
    /// What its rooks and queens attack along files and ranks.
    Straight,
    /// What its bishops and queens attack along diagonals.
    Diagonal,
    /// Its pieces that may fork.
    Forking,
    /// The pieces that one of them may skewer behind another.
    Skewered,
}
const MEASURES: usize = SharedMeasure::Skewered as usize + 1;

impl MeasuredEight {
    /// Room for eight boards.
    pub(in crate::scan) fn new(any: &Board) -> MeasuredEight {
        MeasuredEight {
            boards: array::from_fn(|_| any.clone()),
            pieces: EightBoards::default(),
            known: Cell::new(0),
            measures: array::from_fn(|_| array::from_fn(|_| array::from_fn(|_| Cell::new(0)))),
        }
    }

    /// Puts a position, whose bitboards are up to date, in the place of one of the boards; nothing is known of it yet.
    ///
    /// PERF: every field is copied by the same number of bytes as a move has written it. A vector of words that have just been written
    /// one by one cannot be loaded before they have reached the cache. The mailbox is such a vector, and few predicates look at it.
    #[inline(always)]
    pub(in crate::scan) fn set(&mut self, nth: usize, board: &Board, has_mailbox: bool) {
        self.known.set(0);
        self.pieces.set(nth, board);
        let kept = &mut self.boards[nth];
        kept.copy_state(board);
        if has_mailbox {
            kept.mailbox = board.mailbox;
        }
    }

    /// Brings the bitboards of the boards up to date, which [`set`](Self::set) leaves out.
    #[inline(always)]
    pub(in crate::scan) fn complete(&mut self) {
        for (nth, board) in self.boards.iter_mut().enumerate() {
            self.pieces.copy_to(nth, board);
        }
    }

    /// Returns a side's squares of a measure on one of the boards.
    #[inline(always)]
    pub(super) fn squares(&self, measure: SharedMeasure, colour: Color, nth: usize) -> u64 {
        self.kept(measure, colour)[nth].get()
    }

    /// Returns a side's squares of a measure on all boards.
    #[inline(always)]
    pub(super) fn all_squares(&self, measure: SharedMeasure, colour: Color) -> EightSets {
        let kept = self.kept(measure, colour);
        let mut all = EightSets::default();
        let mut nth = 0;
        // PERF: an iterator is not inlined everywhere.
        while nth < 8 {
            all.0[nth] = kept[nth].get();
            nth += 1;
        }
        all
    }

    /// The sets of a measure, which is found if it is not known yet.
    #[inline(always)]
    fn kept(&self, measure: SharedMeasure, colour: Color) -> &KeptSets {
        if self.known.get() >> bit(measure, colour) & 1 == 0 {
            self.find(measure, colour);
        }
        &self.measures[measure as usize][index(colour)]
    }

    /// The pieces of the boards.
    #[inline(always)]
    pub(super) fn pieces(&self) -> &EightBoards {
        &self.pieces
    }

    /// Finds a measure that is not known yet, and those that are found with it.
    #[inline(never)]
    fn find(&self, measure: SharedMeasure, colour: Color) {
        let pieces = self.pieces();
        match measure {
            SharedMeasure::Forking => self.keep(measure, colour, fork::attackers_in_eight(self, pieces, colour)),
            SharedMeasure::Skewered => {
                self.keep(measure, colour, skewer::targets_behind_in_eight(self, pieces, colour))
            }
            _ => {
                let found = pieces.attacks_of(colour);
                self.keep(SharedMeasure::Attacked, colour, found.all);
                self.keep(SharedMeasure::AttackedTwice, colour, found.twice);
                self.keep(SharedMeasure::Straight, colour, found.straight);
                self.keep(SharedMeasure::Diagonal, colour, found.diagonal);
            }
        }
    }

    fn keep(&self, measure: SharedMeasure, colour: Color, found: EightSets) {
        let kept = &self.measures[measure as usize][index(colour)];
        kept.iter().zip(found.0).for_each(|(kept, found)| kept.set(found));
        self.known.set(self.known.get() | 1 << bit(measure, colour));
    }
}

#[inline(always)]
fn bit(measure: SharedMeasure, colour: Color) -> usize {
    measure as usize * 2 + index(colour)
}

#[inline(always)]
fn index(colour: Color) -> usize {
    usize::from(colour == Color::Black)
}

#[cfg(test)]
mod tests {
    use plyfold_board::board::PieceCode;
    use proptest::prelude::*;
    use shakmaty::Role;

    use super::*;
    use crate::scan::measure::{EightMeasure, FEATURES};

    /// A board with pieces on some squares.
    fn board(of_role: [u64; 6], (white, few, fewer): (u64, u64, u64)) -> Board {
        let mut board = Board::initial();
        let mut free = few & fewer;
        for (role, squares) in Role::ALL.into_iter().zip(of_role) {
            for (colour, of_side) in [(Color::White, white), (Color::Black, !white)] {
                board.bitboards[PieceCode::new(colour, role)] = squares & of_side & free;
            }
            free &= !squares;
        }
        board
    }

    proptest! {
        #[test]
        fn features_of_eight_boards_are_those_of_each(
            of_roles in any::<[[u64; 6]; 8]>(),
            sides in any::<[(u64, u64, u64); 8]>(),
        ) {
            let boards: [Board; 8] = array::from_fn(|nth| board(of_roles[nth], sides[nth]));
            let mut eight = MeasuredEight::new(&boards[0]);
            boards.iter().enumerate().for_each(|(nth, board)| eight.set(nth, board, false));
            eight.complete();
            for (feature, colour) in FEATURES.iter().flat_map(|feature| Color::ALL.map(|colour| (feature, colour))) {
                for (nth, board) in boards.iter().enumerate() {
                    let alone = (feature.squares)(&MeasuredBoard::new(board), colour);
                    prop_assert_eq!((feature.squares)(&MeasuredBoard::among(&eight, nth), colour), alone, "{}", feature.name);
                    match feature.of_eight {
                        None => {}
                        Some(EightMeasure::Squares(measure)) => {
                            prop_assert_eq!(measure(&eight, colour).0[nth], alone, "{}", feature.name);
                        }
                        Some(EightMeasure::Necessary(measure)) => {
                            prop_assert!(alone == 0 || measure(&eight, colour).0[nth] != 0, "{}", feature.name);
                        }
                    }
                }
            }
        }
    }
}
