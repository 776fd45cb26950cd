//! Sets of positions by rows of at most 64 words: as an array with marks of what may be set, to be filled in any order, and as a list of the words
//! that are not zero. Work on either is in proportion to what is set.

pub mod position_list;

use std::ops::Range;

/// A row with at least this many words that are not zero is handled as a whole, by vectors; the words of others one by one.
pub const DENSE_WORDS: u32 = 6;

/// A row of a list with at least this many words that are not zero has all its words, so that they need not be put together.
const WHOLE_WORDS: u32 = 40;

/// An array of rows with marks for the words that may not be zero. All others are zero.
#[derive(Clone, Debug, Default)]
pub struct MarkedRows {
    /// The words of a row: 64, or 1 if only kings have dimensions.
    width: usize,
    words: Vec<u64>,
    /// By row: the words that may not be zero.
    lanes: Vec<u64>,
    /// One bit for each row: whether a word of it may not be zero.
    live: Vec<u64>,
}

impl MarkedRows {
    /// This many empty rows of `width` words.
    #[must_use]
    pub fn new(rows: usize, width: usize) -> MarkedRows {
        MarkedRows { width, words: vec![0; rows * width], lanes: vec![0; rows], live: vec![0; rows.div_ceil(64)] }
    }

    /// Bytes of a set with this many words.
    #[must_use]
    pub fn bytes(words: usize, width: usize) -> u64 {
        (8 * (words + words / width) + words / width / 8) as u64
    }

    /// Number of rows.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.lanes.len()
    }

    /// All words, marked or not.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The words of a row.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.width..(row + 1) * self.width]
    }

    /// The words of a row, marked as those that may not be zero by the mask `lanes`.
    #[inline(always)]
    pub fn row_mut(&mut self, row: usize, lanes: u64) -> &mut [u64] {
        self.lanes[row] |= lanes;
        self.live[row / 64] |= 1 << (row % 64);
        &mut self.words[row * self.width..(row + 1) * self.width]
    }

    /// Adds positions to a word.
    #[inline(always)]
    pub fn add(&mut self, row: usize, lane: usize, bits: u64) {
        self.row_mut(row, 1 << lane)[lane] |= bits;
    }

    /// Returns whether a row may have positions.
    #[inline(always)]
    #[must_use]
    pub fn is_live(&self, row: usize) -> bool {
        self.live.get(row / 64).is_some_and(|live| live >> (row % 64) & 1 != 0)
    }

    /// The marks of a row's words.
    #[inline(always)]
    #[must_use]
    pub fn lanes(&self, row: usize) -> u64 {
        self.lanes[row]
    }

    /// The first row at or after `from` and before `end` that may have positions.
    #[inline(always)]
    #[must_use]
    pub fn next_live(&self, from: usize, end: usize) -> Option<usize> {
        let mut from = from;
        while from < end {
            let rest = self.live[from / 64] >> (from % 64);
            if rest != 0 {
                let row = from + rest.trailing_zeros() as usize;
                return (row < end).then_some(row);
            }
            from = (from / 64 + 1) * 64;
        }
        None
    }

    /// Returns how many words may not be zero.
    #[must_use]
    pub fn marked_words(&self) -> usize {
        let mut marked = 0;
        let mut next = self.next_live(0, self.row_count());
        while let Some(row) = next {
            marked += self.lanes[row].count_ones() as usize;
            next = self.next_live(row + 1, self.row_count());
        }
        marked
    }

    /// Returns whether any row may have positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live.iter().all(|&live| live == 0)
    }

    /// Takes from `open` what a row has, and keeps only that in the row. Tells whether anything is left.
    #[inline(always)]
    pub fn take_from(&mut self, row: usize, open: &mut [u64]) -> bool {
        let kept = self.keep_common(row, open);
        let words = self.row(row);
        if self.lanes[row].count_ones() < DENSE_WORDS {
            lanes(self.lanes[row]).for_each(|lane| open[lane] &= !words[lane]);
        } else {
            open.iter_mut().zip(words).for_each(|(open, word)| *open &= !word);
        }
        kept
    }

    /// Keeps in a row only what `open` has, too. Tells whether anything is left.
    #[inline(always)]
    pub fn keep_common(&mut self, row: usize, open: &[u64]) -> bool {
        let words = &mut self.words[row * self.width..(row + 1) * self.width];
        let mut kept = 0;
        if self.lanes[row].count_ones() < DENSE_WORDS {
            for lane in lanes(self.lanes[row]) {
                words[lane] &= open[lane];
                kept |= u64::from(words[lane] != 0) << lane;
            }
        } else {
            words.iter_mut().zip(open).for_each(|(word, open)| *word &= open);
            kept = nonzero_lanes(words);
        }
        self.lanes[row] = kept;
        if kept == 0 {
            self.live[row / 64] &= !(1 << (row % 64));
        }
        kept != 0
    }

    /// Empties the rows of a range.
    #[inline(always)]
    pub fn clear(&mut self, range: Range<usize>) {
        let mut from = range.start;
        while let Some(row) = self.next_live(from, range.end) {
            let words = &mut self.words[row * self.width..(row + 1) * self.width];
            let marked = std::mem::take(&mut self.lanes[row]);
            if marked.count_ones() < DENSE_WORDS {
                lanes(marked).for_each(|lane| words[lane] = 0);
            } else {
                // PERF: a few vectors, in place of a call for any number of words.
                *<&mut [u64; 64]>::try_from(words).expect("a row of many words has 64") = [0; 64];
            }
            self.live[row / 64] &= !(1 << (row % 64));
            from = row + 1;
        }
    }

    /// The marked words of a row.
    #[inline(always)]
    #[must_use]
    pub fn row_words(&self, row: usize) -> RowWords<'_> {
        RowWords::of_row(self.lanes[row], self.row(row))
    }
}

/// The positions of the bits of a mask, ascending.
#[inline(always)]
pub fn lanes(mut mask: u64) -> impl Iterator<Item = usize> + Clone {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let lane = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            lane
        })
    })
}

/// A bit for each word of a row that is not zero.
#[inline(always)]
#[must_use]
pub fn nonzero_lanes(words: &[u64]) -> u64 {
    words.iter().enumerate().fold(0, |found, (lane, word)| found | u64::from(*word != 0) << lane)
}

/// Some words of a row: those in the mask `lanes`.
#[derive(Clone, Copy, Debug)]
pub struct RowWords<'a> {
    /// Which words of the row they are.
    pub lanes: u64,
    /// The words of the whole row, or one for each bit of `lanes`, in their order.
    words: &'a [u64],
    is_whole: bool,
}

impl<'a> RowWords<'a> {
    /// One word for each bit of `lanes`.
    #[inline(always)]
    #[must_use]
    pub fn packed(lanes: u64, words: &'a [u64]) -> RowWords<'a> {
        RowWords { lanes, words, is_whole: false }
    }

    /// The words of a whole row in the mask `lanes`.
    #[inline(always)]
    #[must_use]
    pub fn of_row(lanes: u64, row: &'a [u64]) -> RowWords<'a> {
        RowWords { lanes, words: row, is_whole: true }
    }

    /// The words that have a bit.
    #[inline(always)]
    #[must_use]
    pub fn lanes_with(&self, bit: u8) -> u64 {
        if self.is_whole && self.is_dense() {
            let has_bit = |(lane, word): (usize, &u64)| (word >> bit & 1) << lane;
            return self.lanes & self.words.iter().enumerate().map(has_bit).fold(0, |found, lane| found | lane);
        }
        self.iter().fold(0, |found, (lane, word)| found | (word >> bit & 1) << lane)
    }

    /// Returns whether the row is to be handled as a whole.
    #[inline(always)]
    #[must_use]
    pub fn is_dense(&self) -> bool {
        self.lanes.count_ones() >= DENSE_WORDS
    }

    /// The words with their numbers in the row.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        lanes(self.lanes).enumerate().map(|(at, lane)| (lane, self.words[if self.is_whole { lane } else { at }]))
    }

    /// Adds the words to those of a row, in which they are marked.
    #[inline(always)]
    pub fn add_to(&self, row: &mut [u64]) {
        if self.is_whole && self.is_dense() {
            row.iter_mut().zip(self.words).for_each(|(row, word)| *row |= word);
        } else {
            self.iter().for_each(|(lane, word)| row[lane] |= word);
        }
    }

    /// The whole row, in `memory` if it has to be put together.
    #[inline(always)]
    #[must_use]
    pub fn whole<'b>(&'b self, memory: &'b mut [u64; 64]) -> &'b [u64; 64] {
        if self.is_whole
            && let Ok(row) = self.words.try_into()
        {
            return row;
        }
        self.iter().for_each(|(lane, word)| memory[lane] = word);
        memory
    }
}

/// A row of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PackedRow {
    row: u32,
    /// Its first word in the list.
    first: u32,
    /// Which words of the row are not zero.
    lanes: u64,
}

/// A list of rows with the words that are not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackedRows {
    rows: Vec<PackedRow>,
    words: Vec<u64>,
}

impl PackedRows {
    /// No rows.
    pub const EMPTY: PackedRows = PackedRows { rows: Vec::new(), words: Vec::new() };

    /// A copy that takes no more memory than it needs.
    #[must_use]
    pub fn to_exact(&self) -> PackedRows {
        PackedRows { rows: self.rows.to_vec(), words: self.words.to_vec() }
    }

    /// Empties it and keeps its memory.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.words.clear();
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Number of words that it keeps.
    #[must_use]
    pub fn word_count(&self) -> usize {
        self.words.len()
    }

    /// Returns whether it has no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Bytes that it takes in memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        PackedRows::bytes_of(self.rows.capacity(), self.words.capacity())
    }

    /// Bytes of so many rows with so many words.
    #[must_use]
    pub fn bytes_of(rows: usize, words: usize) -> u64 {
        (size_of::<PackedRow>() * rows + 8 * words) as u64
    }

    /// Adds a row: those of its words in `lanes` that are not zero.
    #[inline(always)]
    pub fn push(&mut self, row: usize, lanes_of: u64, words: &[u64]) {
        let kept = lanes(lanes_of).fold(0, |kept, lane| kept | u64::from(words[lane] != 0) << lane);
        if kept != 0 {
            self.push_packed(row, RowWords::of_row(kept, words));
        }
    }

    /// Adds a row whose words are not zero.
    #[inline(always)]
    pub fn push_packed(&mut self, row: usize, words: RowWords) {
        let first = self.words.len();
        if words.lanes.count_ones() < WHOLE_WORDS {
            // PERF: adding them one by one would ask for room each time.
            let mut packed = [0; WHOLE_WORDS as usize];
            packed.iter_mut().zip(words.iter()).for_each(|(packed, (_, word))| *packed = word);
            self.words.extend_from_slice(&packed[..words.lanes.count_ones() as usize]);
        } else if words.is_whole && words.lanes == u64::MAX {
            self.words.extend_from_slice(words.words);
        } else {
            self.words.resize(first + 64, 0);
            words.iter().for_each(|(lane, word)| self.words[first + lane] = word);
        }
        self.rows.push(PackedRow { row: row as u32, first: first as u32, lanes: words.lanes });
    }

    /// The rows with these words, ascending, each with its number in rows of `width` words.
    #[must_use]
    pub fn from_words(words: impl Iterator<Item = (usize, u64)>, width: usize) -> PackedRows {
        let mut rows = PackedRows::default();
        let (mut row, mut lanes, mut row_words) = (0, 0, [0; 64]);
        for (at, word) in words {
            if at / width != row && lanes != 0 {
                rows.push(row, std::mem::take(&mut lanes), &row_words);
            }
            row = at / width;
            lanes |= 1 << (at % width);
            row_words[at % width] = word;
        }
        rows.push(row, lanes, &row_words);
        rows
    }

    /// The chunks with rows, for chunks of `rows_per_chunk` rows: the number of each and the range of its rows.
    #[must_use]
    pub fn chunk_ranges(&self, rows_per_chunk: usize) -> Vec<(usize, Range<usize>)> {
        let mut first = 0;
        let of_chunk = |rows: &[PackedRow]| {
            let range = first..first + rows.len();
            first = range.end;
            (rows[0].row as usize / rows_per_chunk, range)
        };
        let same = |one: &PackedRow, other: &PackedRow| {
            one.row as usize / rows_per_chunk == other.row as usize / rows_per_chunk
        };
        self.rows.chunk_by(same).map(of_chunk).collect()
    }

    /// All words that are not zero, ascending, with their numbers in rows of `width` words.
    pub fn words(&self, width: usize) -> impl Iterator<Item = (usize, u64)> + Clone {
        self.rows(0..self.len()).flat_map(move |(row, words)| {
            let word = move |(at, lane): (usize, usize)| words.words[if words.is_whole { lane } else { at }];
            lanes(words.lanes).enumerate().map(move |(at, lane)| (row * width + lane, word((at, lane))))
        })
    }

    /// The rows of a range of the list, each with its number.
    #[inline(always)]
    pub fn rows(&self, range: Range<usize>) -> impl Iterator<Item = (usize, RowWords<'_>)> + Clone {
        self.rows[range].iter().map(|row| {
            let first = row.first as usize;
            let words = row.lanes.count_ones();
            let is_whole = words >= WHOLE_WORDS;
            let words = &self.words[first..first + if is_whole { 64 } else { words as usize }];
            (row.row as usize, RowWords { lanes: row.lanes, words, is_whole })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn rows_are_their_words(
            is_wide: bool,
            // The first two rows have many words.
            put in proptest::collection::vec(
                (prop_oneof![0..150usize, 0..2usize], 0..64usize, prop_oneof![any::<u64>(), (0..64).prop_map(|bit| 1u64 << bit)]),
                0..240,
            ),
            open: [u64; 64],
            bit in 0..64u8,
            cleared in (0..150usize, 0..150usize),
        ) {
            let width = if is_wide { 64 } else { 1 };
            let mut rows = MarkedRows::new(150, width);
            let mut slow: BTreeMap<(usize, usize), u64> = BTreeMap::new();
            for (row, lane, bits) in put {
                rows.add(row, lane % width, bits);
                *slow.entry((row, lane % width)).or_default() |= bits;
            }
            let mut live: Vec<usize> = slow.keys().map(|(row, _)| *row).collect();
            live.dedup();
            let all = |rows: &MarkedRows| -> Vec<usize> {
                let next = |from: &usize| rows.next_live(*from, 150);
                std::iter::successors(next(&0), |row| next(&(row + 1))).collect()
            };
            prop_assert_eq!(all(&rows), live);
            let mut list = PackedRows::default();
            let mut row = rows.next_live(0, 150);
            while let Some(at) = row {
                let mut left = open;
                let mut common = rows.clone();
                prop_assert_eq!(common.keep_common(at, &open[..width]), rows.take_from(at, &mut left[..width]));
                let any = rows.is_live(at);
                prop_assert_eq!((common.row(at), common.lanes(at)), (rows.row(at), rows.lanes(at)));
                prop_assert_eq!(common.is_live(at), any);
                for lane in 0..width {
                    let word = slow.get(&(at, lane)).copied().unwrap_or(0) & open[lane];
                    prop_assert_eq!(rows.row(at)[lane], word);
                    prop_assert_eq!(left[lane], open[lane] & !word);
                    prop_assert_eq!(rows.lanes(at) >> lane & 1 != 0, word != 0);
                }
                prop_assert_eq!(any, rows.row(at).iter().any(|word| *word != 0));
                list.push(at, rows.lanes(at), rows.row(at));
                prop_assert_eq!(nonzero_lanes(rows.row(at)), rows.lanes(at));
                let listed = list.rows(list.len() - usize::from(any)..list.len());
                for words in std::iter::once(rows.row_words(at)).chain(listed.map(|(_, words)| words)) {
                    let (mut sum, mut expected) = (open, open);
                    words.add_to(&mut sum[..width]);
                    let has_bit = |lane: &usize| rows.row(at)[*lane] >> bit & 1 != 0;
                    prop_assert_eq!(words.lanes_with(bit), (0..width).filter(has_bit).fold(0, |all, lane| all | 1 << lane));
                    expected.iter_mut().zip(rows.row(at)).for_each(|(sum, word)| *sum |= word);
                    prop_assert_eq!(sum, expected);
                }
                let whole = *rows.row_words(at).whole(&mut [0; 64]);
                prop_assert!(whole[..width] == *rows.row(at) && whole[width..].iter().all(|&word| word == 0));
                row = rows.next_live(at + 1, 150);
            }
            slow.iter_mut().for_each(|((_, lane), bits)| *bits &= open[*lane]);
            slow.retain(|_, bits| *bits != 0);
            let listed = list.rows(0..list.len()).flat_map(|(row, words)| {
                words.iter().map(|(lane, bits)| ((row, lane), bits)).collect::<Vec<_>>()
            });
            prop_assert_eq!(listed.collect::<BTreeMap<_, _>>(), slow.clone());
            let (from, to) = cleared;
            rows.clear(from..to.max(from));
            slow.retain(|(row, _), _| !(from..to.max(from)).contains(row));
            let (sum, words) = (slow.values().fold(0u64, |sum, bits| sum.wrapping_add(*bits)), rows.words());
            prop_assert_eq!(words.iter().fold(0u64, |sum, bits| sum.wrapping_add(*bits)), sum);
            prop_assert_eq!(rows.is_empty(), slow.is_empty());
        }
    }
}
