//! Sets of games, one bit per game, and the algebra of such sets.
//!
//! The words are the same as in the file of a set (`core/pmote/src/FORMAT.md`), so a set is written and read without conversion.

use alloc::vec;
use alloc::vec::Vec;

use plyfold_scan::game::{GameId, GameSpan};
use plyfold_scan::scan::reducer::{Reducer, ScanMatch};

/// A set of games, one bit each: bit `id % 64` of word `id / 64`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameSet {
    words: Vec<u64>,
    games: u32,
}

impl GameSet {
    /// The empty set for a corpus of `games` games.
    pub fn empty(games: u32) -> GameSet {
        GameSet { words: vec![0; games.div_ceil(64) as usize], games }
    }

    /// The same games in a set for a corpus of `games` games.
    #[must_use]
    pub fn extended_to(mut self, games: u32) -> GameSet {
        self.words.resize(games.div_ceil(64) as usize, 0);
        self.games = games;
        if let Some(last) = self.words.last_mut() {
            *last &= last_word_mask(games);
        }
        self
    }

    /// The set of all games of a corpus of `games` games.
    pub fn all(games: u32) -> GameSet {
        let mut set = GameSet::empty(games);
        set.not();
        set
    }

    /// The set with these words; none if there are not `games` / 64 of them, rounded up, or if bits are set beyond the last game.
    pub fn from_words(games: u32, words: Vec<u64>) -> Option<GameSet> {
        let is_valid = words.len() == games.div_ceil(64) as usize
            && words.last().is_none_or(|&last| last & !last_word_mask(games) == 0);
        is_valid.then_some(GameSet { words, games })
    }

    /// The words of the set: game `id` is bit `id % 64` of word `id / 64`, and bits beyond the last game are 0.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// How many games the corpus has.
    pub fn games(&self) -> u32 {
        self.games
    }

    /// Keeps the games that are also in `other`.
    ///
    /// Both sets must be for the same number of games, here and below; debug builds panic if they are not.
    pub fn and(&mut self, other: &GameSet) {
        self.combine(other, |one, other| one & other);
    }

    /// Adds the games of `other`.
    pub fn or(&mut self, other: &GameSet) {
        self.combine(other, |one, other| one | other);
    }

    /// Keeps the games that are in exactly one of the two sets.
    pub fn xor(&mut self, other: &GameSet) {
        self.combine(other, |one, other| one ^ other);
    }

    /// Removes the games of `other`.
    pub fn sub(&mut self, other: &GameSet) {
        self.combine(other, |one, other| one & !other);
    }

    /// Replaces the games of the set by all other games of the corpus.
    pub fn not(&mut self) {
        self.words.iter_mut().for_each(|word| *word = !*word);
        if let Some(last) = self.words.last_mut() {
            *last &= last_word_mask(self.games);
        }
    }

    #[inline(always)]
    fn combine(&mut self, other: &GameSet, operation: impl Fn(u64, u64) -> u64) {
        debug_assert_eq!(self.games, other.games, "sets of different corpora");
        self.words.iter_mut().zip(&other.words).for_each(|(one, &other)| *one = operation(*one, other));
    }

    /// Adds a game; a number outside the corpus is ignored.
    pub fn insert(&mut self, game: GameId) {
        if game.0 < self.games {
            self.words[game.index() / 64] |= 1 << (game.0 % 64);
        }
    }

    /// Whether a game is in the set.
    pub fn contains(&self, game: GameId) -> bool {
        self.words.get(game.index() / 64).is_some_and(|word| word >> (game.0 % 64) & 1 != 0)
    }

    /// The number of games in the set.
    pub fn count(&self) -> u64 {
        count_ones(&self.words)
    }

    /// The games of the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = GameId> + '_ {
        self.words.iter().enumerate().flat_map(|(word_index, &word)| {
            let mut rest = word;
            core::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                rest &= rest.wrapping_sub(1);
                (bit < 64).then(|| GameId(word_index as u32 * 64 + bit))
            })
        })
    }
}

/// Words that are added up side by side.
const LANES: usize = 8;

/// How many bits are set.
///
/// Without a special instruction, counting the bits of a word takes many steps. So eight words are first added up with carries
/// (Harley and Seal), and only one word in eight is counted.
pub(super) fn count_ones(words: &[u64]) -> u64 {
    let count = |words: &[u64]| words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
    let (mut one, mut two, mut four) = ([0; LANES], [0; LANES], [0; LANES]);
    let (blocks, rest) = words.as_chunks::<{ 8 * LANES }>();
    let mut eights = 0;
    for block in blocks {
        let mut eight = [0; LANES];
        for lane in 0..LANES {
            let word = |index: usize| block[index * LANES + lane];
            let add = |sum: u64, a: u64, b: u64| (sum ^ a ^ b, sum & a | (sum ^ a) & b);
            let (sum, two_a) = add(one[lane], word(0), word(1));
            let (sum, two_b) = add(sum, word(2), word(3));
            let (sum, two_c) = add(sum, word(4), word(5));
            let (sum, two_d) = add(sum, word(6), word(7));
            let (twos, four_a) = add(two[lane], two_a, two_b);
            let (twos, four_b) = add(twos, two_c, two_d);
            let (fours, carry) = add(four[lane], four_a, four_b);
            (one[lane], two[lane], four[lane], eight[lane]) = (sum, twos, fours, carry);
        }
        eights += count(&eight);
    }
    8 * eights + 4 * count(&four) + 2 * count(&two) + count(&one) + count(rest)
}

/// The bits of the last word that stand for games, if there is a last word.
pub fn last_word_mask(games: u32) -> u64 {
    u64::MAX >> (games.wrapping_neg() % 64)
}

impl Reducer for GameSet {
    const VERDICT_ONLY: bool = true;

    #[inline(always)]
    fn game(&mut self, found_game: &ScanMatch<'_>) {
        if found_game.verdict {
            self.insert(found_game.game.id);
        }
    }

    fn takes_game_batches(&self) -> bool {
        true
    }

    fn game_batch(&mut self, span: &GameSpan<'_>, games: &[u64]) {
        let (first, shift) = (span.first_game.index() / 64, span.first_game.0 % 64);
        for (word_index, &word) in games.iter().enumerate().filter(|(_, word)| **word != 0) {
            let parts = [word << shift, if shift == 0 { 0 } else { word >> (64 - shift) }];
            for (to, part) in self.words.iter_mut().skip(first + word_index).zip(parts) {
                *to |= part;
            }
        }
    }

    fn merge(&mut self, other: Self) {
        self.words.iter_mut().zip(other.words).for_each(|(word, other)| *word |= other);
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn set(games: u32, of: &BTreeSet<u32>) -> GameSet {
        let mut set = GameSet::empty(games);
        of.iter().for_each(|&id| set.insert(GameId(id)));
        set
    }

    proptest! {
        #[test]
        fn the_algebra_is_that_of_sets(
            games in 0u32..300,
            one in prop::collection::btree_set(0u32..300, 0..200),
            two in prop::collection::btree_set(0u32..300, 0..200),
        ) {
            let inside = |of: BTreeSet<u32>| of.into_iter().filter(|&id| id < games).collect::<BTreeSet<u32>>();
            let (one, two) = (inside(one), inside(two));
            let combined = |by: fn(&mut GameSet, &GameSet)| {
                let mut left = set(games, &one);
                by(&mut left, &set(games, &two));
                left
            };
            prop_assert_eq!(combined(GameSet::and), set(games, &(&one & &two)));
            prop_assert_eq!(combined(GameSet::or), set(games, &(&one | &two)));
            prop_assert_eq!(combined(GameSet::xor), set(games, &(&one ^ &two)));
            prop_assert_eq!(combined(GameSet::sub), set(games, &(&one - &two)));
            let mut contrary = set(games, &one);
            contrary.not();
            prop_assert_eq!(&contrary, &set(games, &(0..games).filter(|id| !one.contains(id)).collect()));
            prop_assert_eq!(contrary.count() + one.len() as u64, u64::from(games));
            prop_assert_eq!(contrary.iter().collect::<Vec<GameId>>().len() as u64, contrary.count());
            prop_assert_eq!(GameSet::from_words(games, contrary.words().to_vec()), Some(contrary));
        }
    }

    proptest! {
        #[test]
        fn bits_are_counted(words in prop::collection::vec(any::<u64>(), 0..300)) {
            prop_assert_eq!(count_ones(&words), words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>());
        }
    }

    #[test]
    fn words_that_are_no_set_are_refused() {
        assert_eq!(GameSet::from_words(65, vec![u64::MAX]), None);
        assert_eq!(GameSet::from_words(64, vec![u64::MAX, 0]), None);
        assert_eq!(GameSet::from_words(65, vec![u64::MAX, 2]), None);
        assert_eq!(GameSet::from_words(65, vec![u64::MAX, 1]), Some(GameSet::all(65)));
        assert_eq!(GameSet::from_words(0, vec![]), Some(GameSet::all(0)));
    }
}
