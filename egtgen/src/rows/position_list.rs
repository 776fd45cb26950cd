//! A list of positions of a pawn slice, by chunks.

use std::ops::Range;

use super::{PackedRows, RowWords, lanes};

/// Rows of a part that belong to a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Run {
    part: u32,
    first: u32,
    end: u32,
}

/// The positions of a pawn slice on a list. A traversal begins a list and the next one completes it, so each chunk has up
/// to two runs of rows. The rows of a group of chunks can be dropped by themselves.
#[derive(Debug, Default)]
pub struct PositionList {
    /// By the number of the group.
    parts: Vec<Vec<PackedRows>>,
    runs: Vec<[Run; 2]>,
    chunks_per_group: usize,
    rows_per_chunk: usize,
}

impl PositionList {
    /// An empty list for `chunks` chunks, each with this many rows, in groups of the same number of chunks.
    #[must_use]
    pub fn new(chunks: usize, groups: usize, rows_per_chunk: usize) -> PositionList {
        PositionList {
            parts: vec![Vec::new(); groups],
            runs: vec![[Run::default(); 2]; chunks],
            chunks_per_group: chunks / groups,
            rows_per_chunk,
        }
    }

    /// Bytes of an empty list for this many chunks.
    #[must_use]
    pub fn empty_bytes(chunks: usize) -> u64 {
        (chunks * size_of::<[Run; 2]>()) as u64
    }

    /// Bytes that its rows take in memory.
    #[must_use]
    pub fn row_bytes(&self) -> u64 {
        self.parts.iter().flatten().map(PackedRows::bytes).sum()
    }

    /// Empties it.
    pub fn clear(&mut self) {
        (0..self.parts.len()).for_each(|group| self.clear_group(group));
    }

    /// Removes all rows of the chunks of a group.
    pub fn clear_group(&mut self, group: usize) {
        if !self.parts[group].is_empty() {
            self.parts[group] = Vec::new();
            self.runs[group * self.chunks_per_group..(group + 1) * self.chunks_per_group].fill([Run::default(); 2]);
        }
    }

    /// Adds rows of chunks: for each chunk its number and the range of its rows. All belong to the same group.
    /// A chunk gets at most two ranges before it is emptied.
    pub fn add(&mut self, rows: PackedRows, chunks: impl Iterator<Item = (usize, Range<usize>)>) {
        let mut group = None;
        for (chunk, rows) in chunks.filter(|(_, rows)| !rows.is_empty()) {
            let group = *group.get_or_insert(chunk / self.chunks_per_group);
            let part = self.parts[group].len() as u32;
            let run = Run { part, first: rows.start as u32, end: rows.end as u32 };
            let [first, second] = &mut self.runs[chunk];
            let free = if first.first == first.end { first } else { second };
            debug_assert_eq!(free.first, free.end, "a chunk has at most two runs");
            *free = run;
        }
        if let Some(group) = group {
            self.parts[group].push(rows);
        }
    }

    /// Returns whether a chunk has any row.
    #[inline(always)]
    #[must_use]
    pub fn has(&self, chunk: usize) -> bool {
        self.runs[chunk][0].first != self.runs[chunk][0].end
    }

    /// The rows of a chunk, each with its number in the chunk. A row can occur twice.
    #[inline(always)]
    pub fn rows(&self, chunk: usize) -> impl Iterator<Item = (usize, RowWords<'_>)> {
        let [first, second] = self.runs[chunk];
        self.run_rows(chunk, first).chain(self.run_rows(chunk, second))
    }

    #[inline(always)]
    fn run_rows(&self, chunk: usize, run: Run) -> impl Iterator<Item = (usize, RowWords<'_>)> {
        const NOTHING: &PackedRows = &PackedRows::EMPTY;
        let part =
            if run.first == run.end { NOTHING } else { &self.parts[chunk / self.chunks_per_group][run.part as usize] };
        // Rows of a tile are numbered through the tile.
        let rows = part.rows(run.first as usize..run.end as usize);
        rows.map(|(row, words)| (row & (self.rows_per_chunk - 1), words))
    }

    /// The rows of a chunk in order, each once.
    #[inline(always)]
    pub fn for_each_row(&self, chunk: usize, mut take: impl FnMut(usize, RowWords)) {
        let [first, second] = self.runs[chunk];
        let mut second = self.run_rows(chunk, second).peekable();
        for (row, words) in self.run_rows(chunk, first) {
            while let Some((before, words)) = second.next_if(|(before, _)| *before < row) {
                take(before, words);
            }
            let Some((_, more)) = second.next_if(|(same, _)| *same == row) else {
                take(row, words);
                continue;
            };
            let (mut row_words, mut both, all) = ([0; 64], [0; 64], words.lanes | more.lanes);
            words.iter().for_each(|(lane, word)| row_words[lane] = word);
            more.iter().for_each(|(lane, word)| row_words[lane] |= word);
            for (both, lane) in both.iter_mut().zip(lanes(all)) {
                *both = row_words[lane];
            }
            take(row, RowWords::packed(all, &both[..all.count_ones() as usize]));
        }
        second.for_each(|(row, words)| take(row, words));
    }

    /// The rows of some chunks, one after the other, each row once and numbered through all of them.
    pub fn merged(&self, chunks: impl Iterator<Item = usize>) -> PackedRows {
        let mut merged = PackedRows::default();
        for (at, chunk) in chunks.enumerate() {
            self.for_each_row(chunk, |row, words| merged.push_packed(at * self.rows_per_chunk + row, words));
        }
        merged
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use plyfold_tables::index::TableIndex;
    use proptest::prelude::*;

    use super::*;
    use crate::leapfrog::chunks::ChunkNumbers;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

        #[test]
        fn two_runs_are_one_list(
            runs in proptest::collection::vec((0..64usize, proptest::collection::vec((0..64usize, any::<u64>()), 1..70)), 1..20),
        ) {
            // A chunk of this table is one row.
            let index = TableIndex::new("KRvKR".parse().expect("a material"));
            let chunks = ChunkNumbers::new(&index);
            let mut list = PositionList::new(chunks.count(), chunks.king_count(), 1);
            let mut slow: BTreeMap<usize, BTreeMap<usize, u64>> = BTreeMap::new();
            let mut times = BTreeMap::new();
            for (chunk, words) in runs {
                let times = times.entry(chunk).or_insert(0);
                *times += 1;
                if *times > 2 {
                    continue;
                }
                let mut run: BTreeMap<usize, u64> = BTreeMap::new();
                for (lane, word) in words {
                    *run.entry(lane).or_insert(0) |= word | 1;
                    *slow.entry(chunk).or_default().entry(lane).or_insert(0) |= word | 1;
                }
                let rows = PackedRows::from_words(run.into_iter(), 64);
                let all = 0..rows.len();
                list.add(rows, std::iter::once((chunk, all)));
            }
            for chunk in 0..chunks.count() {
                let expected = slow.get(&chunk).cloned().unwrap_or_default();
                prop_assert_eq!(list.has(chunk), !expected.is_empty());
                let mut found = Vec::new();
                list.for_each_row(chunk, |row, words| found.extend(words.iter().map(|(lane, word)| (64 * row + lane, word))));
                prop_assert!(found.is_sorted());
                prop_assert_eq!(found.clone().into_iter().collect::<BTreeMap<_, _>>(), expected);
                prop_assert_eq!(list.merged([chunk, chunk].into_iter()).words(64).count(), 2 * found.len());
            }
            list.clear_group(0);
            prop_assert!((0..64).all(|chunk| !list.has(chunk)));
            prop_assert_eq!(list.row_bytes(), 0);
        }
    }
}
