//! Men on squares in one of several ways: what is asked for under flips, rotations and shifts.

use alloc::vec;
use alloc::vec::Vec;

use shakmaty::Bitboard;

use super::predicate::Placement;
use crate::board::{Board, Man};
use crate::moves::Move;

/// Codes of men by how well they tell one way from another: the fewer there are of them, the better.
const TELLING: [Man; 12] = [6, 14, 5, 13, 3, 11, 2, 10, 4, 12, 1, 9];
/// Entries of a table over men and squares.
const PLACES: usize = 16 * 64;

/// Several placements, and where to begin with them.
///
/// A placement that wants a certain man on a certain square is looked at only where he stands there, so that thousands cost hardly more
/// than a few.
#[derive(Clone, PartialEq, Debug)]
pub struct Images {
    placements: Vec<Placement>,
    /// Codes of the men by which placements are found.
    men: Vec<Man>,
    /// The placements that want a man on a square, one after the other, by `man * 64 + square`: where they begin in `found`.
    begin: Vec<u16>,
    found: Vec<u16>,
    /// Those that want no certain man anywhere.
    others: Vec<u16>,
    /// Who makes one of them hold by coming to a square, and code 0 for whoever leaves it; none if there are too many ways.
    comers: Option<Comers>,
}

/// The men that may come to squares or leave them.
#[derive(Clone, PartialEq, Debug)]
struct Comers {
    /// By man: the squares to which he may come.
    squares: [u64; 16],
    /// By `man * 64 + square`: the placements that allow him there.
    placements: Vec<u64>,
}

/// So many ways are looked at move by move.
const MOST_FOLLOWED: usize = 64;

impl Comers {
    fn of(placements: &[Placement]) -> Option<Comers> {
        let mut comers = Comers { squares: [0; 16], placements: vec![0; PLACES] };
        if placements.len() > MOST_FOLLOWED {
            return None;
        }
        for (nth, placement) in placements.iter().enumerate() {
            for square in Bitboard(placement.squares) {
                for man in Bitboard(placement.allowed[square as usize].into()) {
                    comers.squares[man as usize & 15] |= 1 << square as u32;
                    comers.placements[man as usize * 64 + square as usize] |= 1 << nth;
                }
            }
        }
        Some(comers)
    }
}

impl Images {
    /// At most 65,535 ways; what comes after them is left out.
    pub fn new(mut placements: Vec<Placement>) -> Images {
        placements.truncate(usize::from(u16::MAX));
        let mut by_place: Vec<(usize, u16)> = Vec::new();
        let mut others = Vec::new();
        for (nth, placement) in placements.iter().enumerate() {
            let surely = |man: &Man| {
                let wanted = |square: &shakmaty::Square| placement.allowed[*square as usize] == 1 << man;
                Bitboard(placement.squares).into_iter().find(wanted).map(|square| (*man, square))
            };
            match TELLING.iter().find_map(surely) {
                Some((man, square)) => by_place.push((usize::from(man) * 64 + square as usize, nth as u16)),
                None => others.push(nth as u16),
            }
        }
        let mut begin = vec![0; PLACES + 1];
        by_place.iter().for_each(|(place, _)| begin[place + 1] += 1);
        (0..PLACES).for_each(|place| begin[place + 1] += begin[place]);
        let (mut next, mut found) = (begin.clone(), vec![0; by_place.len()]);
        for (place, nth) in &by_place {
            found[usize::from(next[*place])] = *nth;
            next[*place] += 1;
        }
        let is_there = |man: &Man| by_place.iter().any(|(place, _)| place / 64 == usize::from(*man));
        let men = TELLING.into_iter().filter(is_there).collect();
        let comers = Comers::of(&placements);
        Images { placements, men, begin, found, others, comers }
    }

    /// The ways, in the order in which they were given.
    pub fn placements(&self) -> &[Placement] {
        &self.placements
    }

    /// The way in which men stand on a mailbox before any move is followed, and how to go on from it; none if there are too many ways.
    pub(super) fn followed(&self, men: &[Man; 64]) -> Option<Followed<'_>> {
        let mut followed = Followed { placements: &self.placements, comers: self.comers.as_ref()?, at: None };
        followed.at = followed.one_of(u64::MAX, men);
        Some(followed)
    }

    /// Whether the men of a board stand in one of these ways. It must keep up bitboards and mailbox.
    #[inline]
    pub fn hold(&self, board: &Board) -> bool {
        let holds = |nth: &u16| self.placements[usize::from(*nth)].holds(&board.men);
        for man in &self.men {
            for square in Bitboard(board.of[usize::from(*man) & 15]) {
                let place = usize::from(*man) * 64 + square as usize;
                let (from, to) = (usize::from(self.begin[place]), usize::from(self.begin[place + 1]));
                if self.found[from..to].iter().any(holds) {
                    return true;
                }
            }
        }
        self.others.iter().any(holds)
    }
}

/// Images along the moves of a game.
///
/// PERF: no bitboards; and as long as none holds, only moves are looked at that bring a man to a square where an image wants him, or take
/// one from a square that an image wants empty.
pub(super) struct Followed<'a> {
    placements: &'a [Placement],
    comers: &'a Comers,
    /// The image that holds.
    at: Option<u8>,
}

impl Followed<'_> {
    /// Whether one holds.
    #[inline(always)]
    pub fn holds(&self) -> bool {
        self.at.is_some()
    }

    /// A move has been made by `mover`, and `men` stand so now.
    #[inline(always)]
    pub fn after(&mut self, mv: Move, mover: Man, men: &[Man; 64]) {
        let (man, from, to) = (usize::from(mover | mv.role_code()) & 15, mv.origin(), mv.target());
        let is_near = (self.comers.squares[man] >> to | self.comers.squares[0] >> from) & 1 != 0;
        if is_near || self.at.is_some() || mv.is_special() {
            self.look((man, from, to), mv.is_special(), men);
        }
    }

    #[inline(never)]
    fn look(&mut self, (man, from, to): (usize, usize, usize), is_special: bool, men: &[Man; 64]) {
        if self.at.is_some_and(|nth| self.placements[usize::from(nth)].holds(men)) {
            return;
        }
        let near = self.comers.placements[man * 64 + to] | self.comers.placements[from];
        // What one has lost, another may have had all the time; special moves touch other squares as well.
        let asked = if is_special || self.at.is_some() { u64::MAX } else { near };
        self.at = self.one_of(asked, men);
    }

    /// The first of some placements, a bit each, that holds.
    fn one_of(&self, asked: u64, men: &[Man; 64]) -> Option<u8> {
        let all = u64::MAX >> (MOST_FOLLOWED - self.placements.len().min(MOST_FOLLOWED)).min(63);
        let mut asked = Bitboard(asked & all).into_iter().map(|nth| nth as u8);
        asked.find(|nth| self.placements.get(usize::from(*nth)).is_some_and(|placement| placement.holds(men)))
    }
}
