//! Stage 5, reduce: the door through which the fold hands out what it finds.
//!
//! A reducer is part of the type of the fold and compiles into its loop; two in a tuple ride on one pass. Concrete reducers
//! live in `reduce`, which the scan does not know.

use alloc::vec::Vec;

use super::needs::Needs;
use super::plies;
use crate::board::Board;
use crate::course::Course;
use crate::game::{Game, Span};

/// The positions of a game that match.
#[derive(Clone, Copy, Debug)]
pub struct Matches<'a> {
    /// A bit a ply, see [`plies`]; none where all match.
    set: Option<&'a [u64]>,
    /// Plies of the game.
    plies: usize,
    /// How many match.
    number: u32,
}

impl<'a> Matches<'a> {
    /// All `plies` of a game.
    pub fn all(plies: usize) -> Matches<'a> {
        Matches { set: None, plies, number: plies as u32 }
    }

    /// Those of a set.
    pub fn of(set: &'a [u64], plies: usize) -> Matches<'a> {
        let number = set.iter().map(|word| word.count_ones()).sum();
        Matches { set: Some(set).filter(|_| number as usize != plies), plies, number }
    }

    /// How many there are.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Whether every position of the game matches.
    pub fn are_all(&self) -> bool {
        self.set.is_none()
    }

    /// The set, a bit a ply; none where all match.
    pub fn set(&self) -> Option<&'a [u64]> {
        self.set
    }

    /// How many there are after the plies `from` (exclusive) to `to` (inclusive).
    #[inline(always)]
    pub fn between(&self, from: usize, to: usize) -> u32 {
        match self.set {
            None => to.saturating_sub(from) as u32,
            Some(set) => plies::count(set, from, to),
        }
    }

    /// Numbers of the first and of the last one after the plies `from` (exclusive) to `to` (inclusive); 0 if there is none.
    pub fn ends(&self, from: usize, to: usize) -> (u32, u32) {
        match self.set {
            _ if from >= to => (0, 0),
            None => (from as u32 + 1, to as u32),
            Some(set) => match (plies::next(set, from, true), plies::last_before(set, to)) {
                (first, Some(last)) if first <= last => (first as u32 + 1, last as u32 + 1),
                _ => (0, 0),
            },
        }
    }

    /// Number of the last ply whose position matches; 0 if none does.
    pub fn last(&self) -> usize {
        match self.set {
            None => self.plies,
            Some(set) => plies::last(set).map_or(0, |bit| bit + 1),
        }
    }

    /// Number of the first ply whose position matches; 0 if none does.
    pub fn first(&self) -> usize {
        match self.set {
            None => self.plies.min(1),
            Some(set) => plies::ones(set).next().map_or(0, |bit| bit + 1),
        }
    }

    /// Numbers of the plies whose positions match, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + use<'a> {
        let (set, all) = match self.set {
            None => (&[][..], self.plies as u32),
            Some(set) => (set, 0),
        };
        (1..=all).chain(plies::ones(set).map(|bit| bit as u32 + 1))
    }
}

/// What is known of a game that matches, or has positions that do.
pub struct Found<'a> {
    /// The games among which it is.
    pub span: &'a Span<'a>,
    /// Its index among these.
    pub nth: u32,
    /// The game.
    pub game: &'a Game<'a>,
    /// The board before its first ply.
    pub start: &'a Board,
    /// Its captures, promotions and changes of pawns.
    pub course: Course<'a>,
    /// The positions that match; not known to reducers that keep [verdicts only](Reducer::VERDICT_ONLY).
    pub matches: Matches<'a>,
    /// Whether the game matches.
    pub verdict: bool,
}

/// A matching position in replay.
pub struct Ply<'a> {
    /// The game.
    pub game: &'a Game<'a>,
    /// The board after the ply.
    pub board: &'a Board,
    /// Its number, from 1.
    pub number: u32,
}

/// What is kept of the matches.
///
/// For each game that matches, or has positions that do, comes `position` for each of these, in order, if the reducer has any
/// needs, and then `game`.
pub trait Reducer: Send + Sized {
    /// True if it keeps only verdicts: a game may be left as soon as its verdict is settled.
    const VERDICT_ONLY: bool = false;
    /// True if it may have needs; where none has, nothing is compiled for them.
    const WANTS_BOARDS: bool = false;

    /// What a replay must keep up for it; without any there is none, and no `position` comes.
    fn needs(&self) -> Needs {
        Needs::NOTHING
    }

    /// A position matches.
    #[inline(always)]
    fn position(&mut self, ply: &Ply<'_>) {
        let _ = ply;
    }

    /// A game is known.
    fn game(&mut self, found: &Found<'_>);

    /// Whether it takes [`whole_games`](Self::whole_games) instead of each by itself.
    fn takes_whole_games(&self) -> bool {
        false
    }

    /// Games of a span that match with all their positions, a bit each.
    fn whole_games(&mut self, span: &Span<'_>, games: &[u64]) {
        let _ = (span, games);
    }

    /// Takes in what another thread found.
    fn merge(&mut self, other: Self);
}

impl<A: Reducer, B: Reducer> Reducer for (A, B) {
    const VERDICT_ONLY: bool = A::VERDICT_ONLY && B::VERDICT_ONLY;
    const WANTS_BOARDS: bool = A::WANTS_BOARDS || B::WANTS_BOARDS;

    fn needs(&self) -> Needs {
        self.0.needs().and(self.1.needs())
    }

    #[inline(always)]
    fn position(&mut self, ply: &Ply<'_>) {
        self.0.position(ply);
        self.1.position(ply);
    }

    #[inline(always)]
    fn game(&mut self, found: &Found<'_>) {
        self.0.game(found);
        self.1.game(found);
    }

    fn takes_whole_games(&self) -> bool {
        self.0.takes_whole_games() && self.1.takes_whole_games()
    }

    fn whole_games(&mut self, span: &Span<'_>, games: &[u64]) {
        self.0.whole_games(span, games);
        self.1.whole_games(span, games);
    }

    fn merge(&mut self, other: Self) {
        self.0.merge(other.0);
        self.1.merge(other.1);
    }
}

/// A reducer that may be absent: for the scan that serves any combination.
impl<R: Reducer> Reducer for Option<R> {
    const WANTS_BOARDS: bool = R::WANTS_BOARDS;

    fn needs(&self) -> Needs {
        self.as_ref().map_or(Needs::NOTHING, Reducer::needs)
    }

    #[inline(always)]
    fn position(&mut self, ply: &Ply<'_>) {
        if let Some(reducer) = self {
            reducer.position(ply);
        }
    }

    #[inline(always)]
    fn game(&mut self, found: &Found<'_>) {
        if let Some(reducer) = self {
            reducer.game(found);
        }
    }

    fn takes_whole_games(&self) -> bool {
        self.as_ref().is_none_or(Reducer::takes_whole_games)
    }

    fn whole_games(&mut self, span: &Span<'_>, games: &[u64]) {
        if let Some(reducer) = self {
            reducer.whole_games(span, games);
        }
    }

    fn merge(&mut self, other: Self) {
        if let (Some(reducer), Some(other)) = (self, other) {
            reducer.merge(other);
        }
    }
}

/// Any number of the same kind.
impl<R: Reducer> Reducer for Vec<R> {
    const WANTS_BOARDS: bool = R::WANTS_BOARDS;

    fn needs(&self) -> Needs {
        self.iter().fold(Needs::NOTHING, |all, reducer| all.and(reducer.needs()))
    }

    fn position(&mut self, ply: &Ply<'_>) {
        self.iter_mut().for_each(|reducer| reducer.position(ply));
    }

    fn game(&mut self, found: &Found<'_>) {
        self.iter_mut().for_each(|reducer| reducer.game(found));
    }

    fn takes_whole_games(&self) -> bool {
        self.iter().all(Reducer::takes_whole_games)
    }

    fn whole_games(&mut self, span: &Span<'_>, games: &[u64]) {
        self.iter_mut().for_each(|reducer| reducer.whole_games(span, games));
    }

    fn merge(&mut self, other: Self) {
        self.iter_mut().zip(other).for_each(|(reducer, other)| reducer.merge(other));
    }
}

#[cfg(test)]
mod tests {
    use super::super::cases::{self, Dice, LENGTHS};
    use super::*;

    #[test]
    fn matches_are_plies() {
        let mut dice = Dice::new(7);
        for _ in 0..2000 {
            let length = dice.of(&LENGTHS);
            let held = cases::plies(&mut dice, length);
            let mut set = alloc::vec![0u64; plies::words(length)];
            (0..length).for_each(|ply| set[ply / 64] |= u64::from(held[ply]) << (ply % 64));
            let expected: Vec<u32> = (1..=length as u32).filter(|&ply| held[ply as usize - 1]).collect();
            let matches = Matches::of(&set, length);
            assert_eq!(matches.iter().collect::<Vec<_>>(), expected);
            assert_eq!(matches.number() as usize, expected.len());
            assert_eq!(matches.are_all(), expected.len() == length);
            assert_eq!(matches.first(), expected.first().copied().unwrap_or(0) as usize);
            assert_eq!(matches.last(), expected.last().copied().unwrap_or(0) as usize);
            for _ in 0..20 {
                let (from, to) = (dice.below(length + 1), dice.below(length + 1));
                let inside = || expected.iter().copied().filter(|&ply| from < ply as usize && ply as usize <= to);
                assert_eq!(matches.between(from, to) as usize, inside().count());
                let ends = (inside().next().unwrap_or(0), inside().next_back().unwrap_or(0));
                assert_eq!(matches.ends(from, to), ends, "after {from} to {to} of {expected:?}");
            }
        }
    }
}
