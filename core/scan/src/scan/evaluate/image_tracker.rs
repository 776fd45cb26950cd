//! The image tracker follows images along the moves of a game and knows after each move whether one of them holds.

use plyfold_board::board::{ColorCode, PieceCode};
use plyfold_board::moves::Move;
use shakmaty::Bitboard;

use crate::scan::predicate::{ArrivalTable, MAX_TRACKED, Placement, PlacementImages};

/// Follows placement images along the moves of a game.
///
/// PERF: the tracker needs no bitboards. While no image holds, it checks only moves that bring a piece to a square where an image
/// wants it, or take a piece from a square that an image wants empty.
pub(in crate::scan) struct ImageTracker<'a> {
    placements: &'a [Placement],
    arrivals: &'a ArrivalTable,
    /// The image that holds, if any.
    current: Option<u8>,
}

impl<'a> ImageTracker<'a> {
    /// Starts with the pieces on a mailbox, before the first move. Returns none if there are too many placements.
    pub fn start(images: &'a PlacementImages, mailbox: &[PieceCode; 64]) -> Option<ImageTracker<'a>> {
        let mut tracker = ImageTracker { placements: images.placements(), arrivals: images.arrivals()?, current: None };
        tracker.current = tracker.first_holding(u64::MAX, mailbox);
        Some(tracker)
    }

    /// Returns whether one of the images holds.
    #[inline(always)]
    pub fn holds(&self) -> bool {
        self.current.is_some()
    }

    /// Follows a move of `mover`; `mailbox` has the pieces after it.
    #[inline(always)]
    pub fn after_move(&mut self, mv: Move, mover: ColorCode, mailbox: &[PieceCode; 64]) {
        let (piece, from, to) = (mover.arriving(mv), mv.origin(), mv.target());
        let is_near = (self.arrivals.squares[piece] >> to | self.arrivals.squares[PieceCode::NONE] >> from) & 1 != 0;
        if is_near || self.current.is_some() || mv.is_special() {
            self.update((piece, from, to), mv.is_special(), mailbox);
        }
    }

    #[inline(never)]
    fn update(&mut self, (piece, from, to): (PieceCode, usize, usize), is_special: bool, mailbox: &[PieceCode; 64]) {
        if self.current.is_some_and(|nth| self.placements[usize::from(nth)].holds(mailbox)) {
            return;
        }
        let near = self.arrivals.placements[piece.index() * 64 + to] | self.arrivals.placements[from];
        // When one image ceases to hold, another may have held all the time. Special moves touch further squares.
        let candidates = if is_special || self.current.is_some() { u64::MAX } else { near };
        self.current = self.first_holding(candidates, mailbox);
    }

    /// Returns the first of `candidates`, a bit for each placement, that holds.
    fn first_holding(&self, candidates: u64, mailbox: &[PieceCode; 64]) -> Option<u8> {
        let all = u64::MAX >> (MAX_TRACKED - self.placements.len().min(MAX_TRACKED)).min(63);
        let mut asked = Bitboard(candidates & all).into_iter().map(|nth| nth as u8);
        asked.find(|nth| self.placements.get(usize::from(*nth)).is_some_and(|placement| placement.holds(mailbox)))
    }
}
