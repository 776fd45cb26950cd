//! Men on squares in one of several ways: what is asked for under flips, rotations and shifts.

use alloc::vec;
use alloc::vec::Vec;

use shakmaty::Bitboard;

use super::predicate::Placement;
use crate::board::{Board, PieceCode};
use crate::moves::Move;

/// Codes of men by how well they tell one way from another: the fewer there are of them, the better.
const PIECES_BY_SELECTIVITY: [PieceCode; 12] = [6, 14, 5, 13, 3, 11, 2, 10, 4, 12, 1, 9];
/// Entries of a table over men and squares.
const PIECE_SQUARES: usize = 16 * 64;

/// Several placements, and where to begin with them.
///
/// A placement that wants a certain man on a certain square is looked at only where he stands there, so that thousands cost hardly more
/// than a few.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacementImages {
    placements: Vec<Placement>,
    /// Codes of the men by which placements are found.
    anchor_pieces: Vec<PieceCode>,
    /// The placements that want a man on a square, one after the other, by `man * 64 + square`: where they begin in `found`.
    offsets: Vec<u16>,
    anchored: Vec<u16>,
    /// Those that want no certain man anywhere.
    unanchored: Vec<u16>,
    /// Who makes one of them hold by coming to a square, and code 0 for whoever leaves it; none if there are too many ways.
    arrivals: Option<ArrivalTable>,
}

/// The men that may come to squares or leave them.
#[derive(Clone, PartialEq, Debug)]
struct ArrivalTable {
    /// By man: the squares to which he may come.
    squares: [u64; 16],
    /// By `man * 64 + square`: the placements that allow him there.
    placements: Vec<u64>,
}

/// So many ways are looked at move by move.
const MAX_TRACKED: usize = 64;

impl ArrivalTable {
    fn from_placements(placements: &[Placement]) -> Option<ArrivalTable> {
        let mut arrivals = ArrivalTable { squares: [0; 16], placements: vec![0; PIECE_SQUARES] };
        if placements.len() > MAX_TRACKED {
            return None;
        }
        for (nth, placement) in placements.iter().enumerate() {
            for square in Bitboard(placement.squares) {
                for man in Bitboard(placement.allowed[square as usize].into()) {
                    arrivals.squares[man as usize & 15] |= 1 << square as u32;
                    arrivals.placements[man as usize * 64 + square as usize] |= 1 << nth;
                }
            }
        }
        Some(arrivals)
    }
}

impl PlacementImages {
    /// At most 65,535 ways; what comes after them is left out.
    pub fn new(mut placements: Vec<Placement>) -> PlacementImages {
        placements.truncate(usize::from(u16::MAX));
        let mut anchors: Vec<(usize, u16)> = Vec::new();
        let mut others = Vec::new();
        for (nth, placement) in placements.iter().enumerate() {
            let anchor_square = |man: &PieceCode| {
                let wanted = |square: &shakmaty::Square| placement.allowed[*square as usize] == 1 << man;
                Bitboard(placement.squares).into_iter().find(wanted).map(|square| (*man, square))
            };
            match PIECES_BY_SELECTIVITY.iter().find_map(anchor_square) {
                Some((man, square)) => anchors.push((usize::from(man) * 64 + square as usize, nth as u16)),
                None => others.push(nth as u16),
            }
        }
        let mut begin = vec![0; PIECE_SQUARES + 1];
        anchors.iter().for_each(|(place, _)| begin[place + 1] += 1);
        (0..PIECE_SQUARES).for_each(|place| begin[place + 1] += begin[place]);
        let (mut next, mut found) = (begin.clone(), vec![0; anchors.len()]);
        for (place, nth) in &anchors {
            found[usize::from(next[*place])] = *nth;
            next[*place] += 1;
        }
        let is_there = |man: &PieceCode| anchors.iter().any(|(place, _)| place / 64 == usize::from(*man));
        let men = PIECES_BY_SELECTIVITY.into_iter().filter(is_there).collect();
        let comers = ArrivalTable::from_placements(&placements);
        PlacementImages {
            placements,
            anchor_pieces: men,
            offsets: begin,
            anchored: found,
            unanchored: others,
            arrivals: comers,
        }
    }

    /// The ways, in the order in which they were given.
    pub fn placements(&self) -> &[Placement] {
        &self.placements
    }

    /// The way in which men stand on a mailbox before any move is followed, and how to go on from it; none if there are too many ways.
    pub(super) fn start_tracking(&self, mailbox: &[PieceCode; 64]) -> Option<ImageTracker<'_>> {
        let mut followed =
            ImageTracker { placements: &self.placements, arrivals: self.arrivals.as_ref()?, current: None };
        followed.current = followed.first_holding(u64::MAX, mailbox);
        Some(followed)
    }

    /// Whether the men of a board stand in one of these ways. It must keep up bitboards and mailbox.
    #[inline]
    pub fn matches(&self, board: &Board) -> bool {
        let holds = |nth: &u16| self.placements[usize::from(*nth)].holds(&board.mailbox);
        for man in &self.anchor_pieces {
            for square in Bitboard(board.bitboards[usize::from(*man) & 15]) {
                let place = usize::from(*man) * 64 + square as usize;
                let (from, to) = (usize::from(self.offsets[place]), usize::from(self.offsets[place + 1]));
                if self.anchored[from..to].iter().any(holds) {
                    return true;
                }
            }
        }
        self.unanchored.iter().any(holds)
    }
}

/// Images along the moves of a game.
///
/// PERF: no bitboards; and as long as none holds, only moves are looked at that bring a man to a square where an image wants him, or take
/// one from a square that an image wants empty.
pub(super) struct ImageTracker<'a> {
    placements: &'a [Placement],
    arrivals: &'a ArrivalTable,
    /// The image that holds.
    current: Option<u8>,
}

impl ImageTracker<'_> {
    /// Whether one holds.
    #[inline(always)]
    pub fn holds(&self) -> bool {
        self.current.is_some()
    }

    /// A move has been made by `mover`, and `men` stand so now.
    #[inline(always)]
    pub fn after_move(&mut self, mv: Move, mover: PieceCode, mailbox: &[PieceCode; 64]) {
        let (man, from, to) = (usize::from(mover | mv.role_code()) & 15, mv.origin(), mv.target());
        let is_near = (self.arrivals.squares[man] >> to | self.arrivals.squares[0] >> from) & 1 != 0;
        if is_near || self.current.is_some() || mv.is_special() {
            self.update((man, from, to), mv.is_special(), mailbox);
        }
    }

    #[inline(never)]
    fn update(&mut self, (man, from, to): (usize, usize, usize), is_special: bool, mailbox: &[PieceCode; 64]) {
        if self.current.is_some_and(|nth| self.placements[usize::from(nth)].holds(mailbox)) {
            return;
        }
        let near = self.arrivals.placements[man * 64 + to] | self.arrivals.placements[from];
        // What one has lost, another may have had all the time; special moves touch other squares as well.
        let candidates = if is_special || self.current.is_some() { u64::MAX } else { near };
        self.current = self.first_holding(candidates, mailbox);
    }

    /// The first of some placements, a bit each, that holds.
    fn first_holding(&self, candidates: u64, mailbox: &[PieceCode; 64]) -> Option<u8> {
        let all = u64::MAX >> (MAX_TRACKED - self.placements.len().min(MAX_TRACKED)).min(63);
        let mut asked = Bitboard(candidates & all).into_iter().map(|nth| nth as u8);
        asked.find(|nth| self.placements.get(usize::from(*nth)).is_some_and(|placement| placement.holds(mailbox)))
    }
}
