//! Maps the words of a chunk to memory: all of them, or those with two identical innermost pieces in one order only.

use super::shape::ArrayShape;
use crate::rows::MarkedRows;

/// The words of a chunk in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkLayout {
    /// All words, row by row.
    Whole {
        /// The words of a row.
        width: usize,
    },
    /// The two innermost pieces are identical black ones, and the last one never stands on a lower square than the other: of a
    /// row with the other one on square `s`, the words from number `s` on.
    Folded,
}

/// Words of 64 folded rows.
const FOLDED_WORDS: usize = 64 * 65 / 2;

impl ChunkLayout {
    /// The layout that takes least memory for these pieces, of which `outer_count` are outer pieces.
    #[must_use]
    pub fn smallest(shape: &ArrayShape, outer_count: usize) -> ChunkLayout {
        match shape.pieces[outer_count..] {
            [.., one, other] if one == other && !one.is_white => ChunkLayout::Folded,
            _ => ChunkLayout::whole(shape),
        }
    }

    /// The layout with all words.
    #[must_use]
    pub fn whole(shape: &ArrayShape) -> ChunkLayout {
        ChunkLayout::Whole { width: shape.row_words() }
    }

    /// The words of a chunk that has this many words in all.
    #[must_use]
    pub fn stored_words(self, all: usize) -> usize {
        match self {
            ChunkLayout::Whole { .. } => all,
            ChunkLayout::Folded => all / 4096 * FOLDED_WORDS,
        }
    }

    /// Returns how many positions a stored position stands for.
    #[must_use]
    pub fn orders(self) -> u64 {
        if self == ChunkLayout::Folded { 2 } else { 1 }
    }

    /// The number of a row's word 0, which a folded row may not have.
    #[inline(always)]
    #[must_use]
    pub fn row_start(self, row: usize) -> usize {
        match self {
            ChunkLayout::Whole { width } => row * width,
            ChunkLayout::Folded => {
                let square = row % 64;
                row / 64 * FOLDED_WORDS + 64 * square - square * (square + 1) / 2
            }
        }
    }

    /// The words of a row that are stored.
    #[inline(always)]
    #[must_use]
    pub fn stored_lanes(self, row: usize) -> u64 {
        match self {
            ChunkLayout::Whole { width } => u64::MAX >> (64 - width),
            ChunkLayout::Folded => u64::MAX << (row % 64),
        }
    }

    /// The row and the word that a word is stored as.
    #[inline(always)]
    #[must_use]
    pub fn stored_as(self, row: usize, lane: usize) -> (usize, usize) {
        let other = row % 64;
        if self == ChunkLayout::Folded && lane < other { (row - other + lane, other) } else { (row, lane) }
    }

    /// The number of a stored word.
    #[inline(always)]
    #[must_use]
    pub fn word(self, row: usize, lane: usize) -> usize {
        let (row, lane) = self.stored_as(row, lane);
        self.row_start(row) + lane
    }

    /// Puts all words of a chunk into `whole`, of which `stored` has those of this layout.
    #[inline(always)]
    pub fn unfold(self, stored: &[u64], whole: &mut [u64]) {
        if self != ChunkLayout::Folded {
            whole.copy_from_slice(stored);
            return;
        }
        for (stored, whole) in stored.chunks_exact(FOLDED_WORDS).zip(whole.chunks_exact_mut(4096)) {
            for square in 0..64 {
                let row = &stored[self.row_start(square) + square..][..64 - square];
                whole[65 * square..64 * (square + 1)].copy_from_slice(row);
                for (lane, word) in (square + 1..64).zip(&row[1..]) {
                    whole[64 * lane + square] = *word;
                }
            }
        }
    }

    /// Puts the stored words of a chunk into `stored`.
    pub fn fold(self, whole: &[u64], stored: &mut [u64]) {
        if self != ChunkLayout::Folded {
            stored.copy_from_slice(whole);
            return;
        }
        for (row, words) in whole.chunks_exact(64).enumerate() {
            let from = row % 64;
            let start = self.row_start(row);
            stored[start + from..start + 64].copy_from_slice(&words[from..]);
        }
    }

    /// Adds stored rows of a chunk, which begin at `base`, in both orders of the pieces to `all`.
    #[inline(always)]
    pub fn add_both_orders(self, stored: &MarkedRows, base: usize, all: &mut MarkedRows) {
        let rows = all.row_count();
        let mut next = stored.next_live(base, base + rows);
        while let Some(at) = next {
            let row = at - base;
            let words = stored.row_words(at);
            let out = all.row_mut(row, words.lanes);
            words.iter().for_each(|(lane, word)| out[lane] |= word);
            let other = row % 64;
            words.iter().for_each(|(lane, word)| all.add(row - other + lane, other, word));
            next = stored.next_live(at + 1, base + rows);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

        #[test]
        fn folded_words_are_those_of_both_orders(seed in any::<u64>(), blocks in 1..4usize) {
            let layout = ChunkLayout::Folded;
            let word = |block: usize, one: usize, other: usize| {
                seed.wrapping_mul((block * 4096 + one.min(other) * 64 + one.max(other)) as u64 | 1)
            };
            let whole: Vec<u64> = (0..blocks * 4096).map(|at| word(at / 4096, at / 64 % 64, at % 64)).collect();
            let mut stored = vec![0; layout.stored_words(whole.len())];
            layout.fold(&whole, &mut stored);
            let mut unfolded = vec![0; whole.len()];
            layout.unfold(&stored, &mut unfolded);
            prop_assert!(unfolded == whole);
            let (base, rows) = (5, 64 * blocks);
            let (mut folded, mut both) = (MarkedRows::new(base + rows, 64), MarkedRows::new(rows, 64));
            let mut numbers = vec![false; stored.len()];
            for (at, word) in whole.iter().enumerate() {
                let (row, lane) = (at / 64, at % 64);
                prop_assert_eq!(stored[layout.word(row, lane)], *word);
                if layout.stored_lanes(row) >> lane & 1 != 0 {
                    prop_assert_eq!(layout.stored_as(row, lane), (row, lane));
                    prop_assert!(!std::mem::replace(&mut numbers[layout.word(row, lane)], true));
                    folded.add(base + row, lane, *word);
                }
            }
            prop_assert!(numbers.iter().all(|&is_used| is_used));
            layout.add_both_orders(&folded, base, &mut both);
            prop_assert!(both.words() == whole);
        }
    }
}
