//! Which games: one bit a game.

use alloc::vec;
use alloc::vec::Vec;

use crate::game::Span;
use crate::scan::reducer::{Found, Reducer};

/// A set of games, one bit each: bit `id % 64` of word `id / 64`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameSet {
    words: Vec<u64>,
    games: u32,
}

impl GameSet {
    /// The empty set over a corpus of `games`.
    pub fn empty(games: u32) -> GameSet {
        GameSet { words: vec![0; games.div_ceil(64) as usize], games }
    }

    /// Adds a game. One outside the corpus is left out.
    pub fn insert(&mut self, id: u32) {
        if id < self.games {
            self.words[id as usize / 64] |= 1 << (id % 64);
        }
    }

    /// Whether a game is in it.
    pub fn contains(&self, id: u32) -> bool {
        self.words.get(id as usize / 64).is_some_and(|word| word >> (id % 64) & 1 != 0)
    }

    /// How many games are in it.
    pub fn count(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Its games, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(nth, &word)| {
            let mut rest = word;
            core::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                rest &= rest.wrapping_sub(1);
                (bit < 64).then(|| nth as u32 * 64 + bit)
            })
        })
    }
}

impl Reducer for GameSet {
    const VERDICT_ONLY: bool = true;

    #[inline(always)]
    fn game(&mut self, found: &Found<'_>) {
        if found.verdict {
            self.insert(found.game.id);
        }
    }

    fn takes_whole_games(&self) -> bool {
        true
    }

    fn whole_games(&mut self, span: &Span<'_>, games: &[u64]) {
        let (first, shift) = (span.first as usize / 64, span.first % 64);
        for (nth, &word) in games.iter().enumerate().filter(|(_, word)| **word != 0) {
            let parts = [word << shift, if shift == 0 { 0 } else { word >> (64 - shift) }];
            for (to, part) in self.words.iter_mut().skip(first + nth).zip(parts) {
                *to |= part;
            }
        }
    }

    fn merge(&mut self, other: Self) {
        self.words.iter_mut().zip(other.words).for_each(|(word, other)| *word |= other);
    }
}
