//! Stage 5, reduce: the fold hands its matches to reducers, which collect the output.
//!
//! A reducer is a type parameter of the fold, so its code compiles into the loop; a tuple of two shares one pass. Concrete
//! reducers are in `reduce`, which the scan does not know.

use alloc::vec::Vec;

use plyfold_board::board::Board;
use plyfold_board::irreversible::EventStreams;

use super::plies;
use super::replay_needs::ReplayNeeds;
use crate::game::{Game, GameSpan, Ply};

/// The positions of a game that match.
#[derive(Clone, Copy, Debug)]
pub struct Matches<'a> {
    /// The set with one bit per ply, see [`plies`]; none if all positions match.
    words: Option<&'a [u64]>,
    /// The number of plies of the game.
    plies: usize,
    /// The number of positions that match.
    count: u32,
}

impl<'a> Matches<'a> {
    /// Makes the matches of a game of `plies` in which every position matches.
    pub fn every_position(plies: usize) -> Matches<'a> {
        Matches { words: None, plies, count: plies as u32 }
    }

    /// Makes the matches from a set of plies.
    pub fn from_words(set: &'a [u64], plies: usize) -> Matches<'a> {
        let number = set.iter().map(|word| word.count_ones()).sum();
        Matches { words: Some(set).filter(|_| number as usize != plies), plies, count: number }
    }

    /// Returns the number of positions that match.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns whether every position of the game matches.
    pub fn matches_all(&self) -> bool {
        self.words.is_none()
    }

    /// Returns the set with one bit per ply; none if all positions match.
    pub fn words(&self) -> Option<&'a [u64]> {
        self.words
    }

    /// Returns the number of matches after ply `from`, up to and including ply `to`.
    #[inline(always)]
    pub fn count_between(&self, from: usize, to: usize) -> u32 {
        match self.words {
            None => to.saturating_sub(from) as u32,
            Some(set) => plies::count_range(set, from, to),
        }
    }

    /// Returns the first and the last match after ply `from`, up to and including ply `to`.
    /// Both are [`Ply::START`] if there is none.
    pub fn first_and_last_between(&self, from: usize, to: usize) -> (Ply, Ply) {
        match self.words {
            _ if from >= to => (Ply::START, Ply::START),
            None => (Ply::after_moves(from + 1), Ply::after_moves(to)),
            Some(set) => match (plies::next_bit(set, from, true), plies::last_one_before(set, to)) {
                (first, Some(last)) if first <= last => (Ply::after_moves(first + 1), Ply::after_moves(last + 1)),
                _ => (Ply::START, Ply::START),
            },
        }
    }

    /// Returns the last ply whose position matches; [`Ply::START`] if none does.
    pub fn last(&self) -> Ply {
        Ply::after_moves(match self.words {
            None => self.plies,
            Some(set) => plies::last_one(set).map_or(0, |bit| bit + 1),
        })
    }

    /// Returns the first ply whose position matches; [`Ply::START`] if none does.
    pub fn first(&self) -> Ply {
        Ply::after_moves(match self.words {
            None => self.plies.min(1),
            Some(set) => plies::iter_ones(set).next().map_or(0, |bit| bit + 1),
        })
    }

    /// Returns the plies whose positions match, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Ply> + use<'a> {
        let (set, all) = match self.words {
            None => (&[][..], self.plies as u32),
            Some(set) => (set, 0),
        };
        (1..=all).map(Ply).chain(plies::iter_ones(set).map(|bit| Ply::after_moves(bit + 1)))
    }
}

/// A game that matches or has matching positions, with everything that is known of it.
pub struct ScanMatch<'a> {
    /// The games that contain it.
    pub span: &'a GameSpan<'a>,
    /// Its index among these games.
    pub game_in_span: u32,
    /// The game.
    pub game: &'a Game<'a>,
    /// The board before its first ply.
    pub start_board: &'a Board,
    /// Its captures, promotions and pawn changes.
    pub event_streams: EventStreams<'a>,
    /// The positions that match; reducers that keep [verdicts only](Reducer::VERDICT_ONLY) cannot rely on them.
    pub matches: Matches<'a>,
    /// Whether the game matches.
    pub verdict: bool,
}

/// A matching position during a replay.
pub struct MatchingPosition<'a> {
    /// The game.
    pub game: &'a Game<'a>,
    /// The board after the ply.
    pub board: &'a Board,
    /// The ply.
    pub ply: Ply,
}

/// Collects one kind of output from the matches.
///
/// For each game that matches or has matching positions, the scan calls `game`. If the reducer has any needs, the scan first
/// calls `position` for each matching position of the game, in order.
pub trait Reducer: Send + Sized {
    /// True if the reducer keeps only verdicts, so that the scan may leave a game as soon as its verdict is settled.
    const VERDICT_ONLY: bool = false;
    /// True if the reducer may have needs. If no reducer may, nothing is compiled for them.
    const NEEDS_BOARDS: bool = false;

    /// Returns what a replay must maintain for the reducer.
    /// If it needs nothing, there is no replay, and the scan never calls `position`.
    fn needs(&self) -> ReplayNeeds {
        ReplayNeeds::NONE
    }

    /// Takes a matching position.
    #[inline(always)]
    fn position(&mut self, position: &MatchingPosition<'_>) {
        let _ = position;
    }

    /// Takes a game that matches or has matching positions.
    fn game(&mut self, found_game: &ScanMatch<'_>);

    /// Returns whether the reducer takes games by [`game_batch`](Self::game_batch) where possible, instead of one by one.
    fn takes_game_batches(&self) -> bool {
        false
    }

    /// Takes the games of a span that match with all their positions, a bit each.
    fn game_batch(&mut self, span: &GameSpan<'_>, games: &[u64]) {
        let _ = (span, games);
    }

    /// Merges what another thread has collected.
    fn merge(&mut self, other: Self);
}

/// A reducer that keeps nothing.
impl Reducer for () {
    const VERDICT_ONLY: bool = true;

    fn game(&mut self, _: &ScanMatch<'_>) {}

    fn takes_game_batches(&self) -> bool {
        true
    }

    fn merge(&mut self, (): Self) {}
}

impl<A: Reducer, B: Reducer> Reducer for (A, B) {
    const VERDICT_ONLY: bool = A::VERDICT_ONLY && B::VERDICT_ONLY;
    const NEEDS_BOARDS: bool = A::NEEDS_BOARDS || B::NEEDS_BOARDS;

    fn needs(&self) -> ReplayNeeds {
        self.0.needs().union(self.1.needs())
    }

    #[inline(always)]
    fn position(&mut self, ply: &MatchingPosition<'_>) {
        self.0.position(ply);
        self.1.position(ply);
    }

    #[inline(always)]
    fn game(&mut self, found: &ScanMatch<'_>) {
        self.0.game(found);
        self.1.game(found);
    }

    fn takes_game_batches(&self) -> bool {
        self.0.takes_game_batches() && self.1.takes_game_batches()
    }

    fn game_batch(&mut self, span: &GameSpan<'_>, games: &[u64]) {
        self.0.game_batch(span, games);
        self.1.game_batch(span, games);
    }

    fn merge(&mut self, other: Self) {
        self.0.merge(other.0);
        self.1.merge(other.1);
    }
}

macro_rules! reducer_of_several {
    ($($meaning:literal: $several:ty;)*) => {$(
        #[doc = $meaning]
        impl<R: Reducer> Reducer for $several {
            const NEEDS_BOARDS: bool = R::NEEDS_BOARDS;

            fn needs(&self) -> ReplayNeeds {
                self.iter().fold(ReplayNeeds::NONE, |all, reducer| all.union(reducer.needs()))
            }

            #[inline(always)]
            fn position(&mut self, position: &MatchingPosition<'_>) {
                self.iter_mut().for_each(|reducer| reducer.position(position));
            }

            #[inline(always)]
            fn game(&mut self, found_game: &ScanMatch<'_>) {
                self.iter_mut().for_each(|reducer| reducer.game(found_game));
            }

            fn takes_game_batches(&self) -> bool {
                self.iter().all(Reducer::takes_game_batches)
            }

            fn game_batch(&mut self, span: &GameSpan<'_>, games: &[u64]) {
                self.iter_mut().for_each(|reducer| reducer.game_batch(span, games));
            }

            fn merge(&mut self, other: Self) {
                self.iter_mut().zip(other).for_each(|(reducer, other)| reducer.merge(other));
            }
        }
    )*};
}

reducer_of_several! {
    "A reducer that may be absent, for a scan that serves any combination.": Option<R>;
    "Any number of reducers of one type.": Vec<R>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::random_queries::{self, CaseRandom, LENGTHS};

    #[test]
    fn matches_are_plies() {
        let mut dice = CaseRandom(7);
        for _ in 0..2000 {
            let length = dice.of(&LENGTHS);
            let held = random_queries::plies(&mut dice, length);
            let mut set = alloc::vec![0u64; plies::word_count(length)];
            (0..length).for_each(|ply| set[ply / 64] |= u64::from(held[ply]) << (ply % 64));
            let expected: Vec<u32> = (1..=length as u32).filter(|&ply| held[ply as usize - 1]).collect();
            let matches = Matches::from_words(&set, length);
            assert_eq!(matches.iter().map(|ply| ply.0).collect::<Vec<_>>(), expected);
            assert_eq!(matches.count() as usize, expected.len());
            assert_eq!(matches.matches_all(), expected.len() == length);
            assert_eq!(matches.first(), Ply(expected.first().copied().unwrap_or(0)));
            assert_eq!(matches.last(), Ply(expected.last().copied().unwrap_or(0)));
            for _ in 0..20 {
                let (from, to) = (dice.below(length + 1), dice.below(length + 1));
                let inside = || expected.iter().copied().filter(|&ply| from < ply as usize && ply as usize <= to);
                assert_eq!(matches.count_between(from, to) as usize, inside().count());
                let ends = (Ply(inside().next().unwrap_or(0)), Ply(inside().next_back().unwrap_or(0)));
                assert_eq!(matches.first_and_last_between(from, to), ends, "after {from} to {to} of {expected:?}");
            }
        }
    }

    /// A reducer that takes batches, or does not.
    struct Batches(bool);

    impl Reducer for Batches {
        fn game(&mut self, _: &ScanMatch<'_>) {}

        fn takes_game_batches(&self) -> bool {
            self.0
        }

        fn merge(&mut self, _: Self) {}
    }

    #[test]
    fn reducers_together_take_batches_if_each_does() {
        for (one, other) in [(true, true), (true, false), (false, true), (false, false)] {
            let both = one && other;
            assert_eq!((Batches(one), Batches(other)).takes_game_batches(), both);
            assert_eq!(alloc::vec![Batches(one), Batches(other)].takes_game_batches(), both);
            assert_eq!((Some(Batches(one)), None::<Batches>).takes_game_batches(), one);
        }
        assert!(Vec::<Batches>::new().takes_game_batches());
        assert!(None::<Batches>.takes_game_batches());
    }
}
