//! Stores the header records again, column by column: a test of one field reads only that field of all games.
//!
//! Bytes: the columns follow one another, each with the values of all games of the shard: u32 white player, black player, event, site,
//! date; u16 white Elo, black Elo, opening code, plies; u8 result, ending, time class.

use alloc::vec;
use alloc::vec::Vec;

use wide::{i16x16, i32x8};

use super::record::{Date, Eco, HeaderRecord};

/// Bytes per game.
const WIDTH: usize = 5 * 4 + 4 * 2 + 3;

/// The columns of consecutive games of a shard. Cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct HeaderColumns<'a> {
    /// Of all games of the shard.
    bytes: &'a [u8],
    from: usize,
    to: usize,
}

impl<'a> HeaderColumns<'a> {
    /// The columns in these bytes, aligned to 4, of all games of a shard; none if the length is not a multiple of the bytes per game.
    pub(super) fn read(bytes: &'a [u8]) -> Option<HeaderColumns<'a>> {
        bytes.len().is_multiple_of(WIDTH).then_some(HeaderColumns { bytes, from: 0, to: bytes.len() / WIDTH })
    }

    /// The columns that were made of records by [`build_columns`].
    pub fn from_words(words: &'a [u32], games: usize) -> Option<HeaderColumns<'a>> {
        HeaderColumns::read(bytemuck::cast_slice(words).get(..games * WIDTH)?)
    }

    /// The number of games.
    pub(super) fn games(&self) -> usize {
        self.to - self.from
    }

    /// Whether these are the columns of the records. Cost: one pass.
    pub(super) fn matches_records(&self, records: &[HeaderRecord]) -> bool {
        const STEP: usize = 256;
        self.to == records.len()
            && records
                .chunks(STEP)
                .zip((0..).step_by(STEP))
                .all(|(records, from)| self.slice(from, from + records.len()).matches_few_records(records))
    }

    /// PERF: column after column of records that stay in the first cache, without branches.
    fn matches_few_records(&self, records: &[HeaderRecord]) -> bool {
        fn same<T: Copy + PartialEq>(column: &[T], records: &[HeaderRecord], value: fn(&HeaderRecord) -> T) -> bool {
            column.len() == records.len()
                && column.iter().zip(records).fold(true, |same, (&number, record)| same & (number == value(record)))
        }
        same(self.white_names(), records, |record| record.white)
            && same(self.black_names(), records, |record| record.black)
            && same(self.event_names(), records, |record| record.event)
            && same(self.site_names(), records, |record| record.site)
            && same(self.dates(), records, |record| record.date)
            && same(self.white_elos(), records, |record| record.white_elo)
            && same(self.black_elos(), records, |record| record.black_elo)
            && same(self.ecos(), records, |record| record.eco)
            && same(self.plies(), records, |record| record.plies)
            && same(self.results(), records, |record| record.result() as u8)
            && same(self.endings(), records, |record| record.ending() as u8)
            && same(self.time_classes(), records, |record| record.time_class() as u8)
    }

    /// The columns of the games from `from` up to, but not including, `to`.
    #[must_use]
    pub fn slice(self, from: usize, to: usize) -> HeaderColumns<'a> {
        HeaderColumns { bytes: self.bytes, from: self.from + from, to: self.from + to }
    }

    /// The column behind those that have `offset` bytes for each game.
    fn column<T: bytemuck::Pod>(&self, offset: usize) -> &'a [T] {
        let games = self.bytes.len() / WIDTH;
        let begin = games * offset;
        let column = self.bytes.get(begin..begin + games * size_of::<T>()).unwrap_or(&[]);
        bytemuck::try_cast_slice(column).unwrap_or(&[]).get(self.from..self.to).unwrap_or(&[])
    }

    /// White's names, as indices into the names of players.
    pub fn white_names(&self) -> &'a [u32] {
        self.column(0)
    }

    /// Black's names, as indices into the names of players.
    pub fn black_names(&self) -> &'a [u32] {
        self.column(4)
    }

    /// The events, as indices into their names.
    pub fn event_names(&self) -> &'a [u32] {
        self.column(8)
    }

    /// The sites, as indices into their names.
    pub fn site_names(&self) -> &'a [u32] {
        self.column(12)
    }

    /// The dates of the games.
    pub fn dates(&self) -> &'a [Date] {
        self.column(16)
    }

    /// White's ratings, 0 if unknown.
    pub fn white_elos(&self) -> &'a [u16] {
        self.column(20)
    }

    /// Black's ratings, 0 if unknown.
    pub fn black_elos(&self) -> &'a [u16] {
        self.column(22)
    }

    /// The opening codes.
    pub fn ecos(&self) -> &'a [Eco] {
        self.column(24)
    }

    /// The lengths in plies.
    pub fn plies(&self) -> &'a [u16] {
        self.column(26)
    }

    /// The results, as indices into [`GameResult::ALL`](super::record::GameResult::ALL).
    pub fn results(&self) -> &'a [u8] {
        self.column(28)
    }

    /// Returns how the games ended, as indices into [`Ending::ALL`](super::record::Ending::ALL).
    pub fn endings(&self) -> &'a [u8] {
        self.column(29)
    }

    /// Returns how fast the games were, as indices into [`TimeClass::ALL`](super::record::TimeClass::ALL).
    pub fn time_classes(&self) -> &'a [u8] {
        self.column(30)
    }
}

/// The sum of the numbers of a column that are selected by set bits, 64 to a word.
pub fn sum_of_selected(column: &[u16], games: &[u64]) -> u64 {
    // Each lane tests its own bit.
    let bits = i16x16::new(core::array::from_fn(|lane| (1u16 << lane) as i16));
    let (half, one) = (i16x16::splat(i16::MIN), i16x16::splat(1));
    let mut sum = 0;
    for (numbers, &word) in column.chunks(64).zip(games).filter(|(_, word)| **word != 0) {
        let (sixteens, rest) = numbers.as_chunks::<16>();
        let mut sums = i32x8::splat(0);
        for (nth, &numbers) in sixteens.iter().enumerate() {
            let selected = (i16x16::splat((word >> (nth * 16)) as i16) & bits).simd_eq(bits);
            // Vector multiplication is signed, so all numbers are moved down by half of their range.
            let numbers = i16x16::new(numbers.map(|number| number as i16)) & selected;
            sums += (numbers ^ half).dot(one);
        }
        let moved = sums.to_array().into_iter().map(i64::from).sum::<i64>();
        sum += (moved + 16 * 0x8000 * sixteens.len() as i64) as u64;
        let summed = sixteens.len() * 16;
        let rest = rest.iter().enumerate().filter(|(nth, _)| word >> (summed + nth) & 1 != 0);
        sum += rest.map(|(_, &number)| u64::from(number)).sum::<u64>();
    }
    sum
}

/// The columns of all games of a shard, in words so that they are aligned; the last word is filled up with zeros.
pub fn build_columns(records: &[HeaderRecord]) -> Vec<u32> {
    let games = records.len();
    let mut words = vec![0u32; (games * WIDTH).div_ceil(4)];
    let (wide, rest) = words.split_at_mut(games * 5);
    let (halves, small) = bytemuck::cast_slice_mut::<u32, u16>(rest).split_at_mut(games * 4);
    let small: &mut [u8] = bytemuck::cast_slice_mut(small);
    for (nth, record) in records.iter().enumerate() {
        let date: u32 = bytemuck::cast(record.date);
        for (column, value) in [record.white, record.black, record.event, record.site, date].into_iter().enumerate() {
            wide[games * column + nth] = value;
        }
        let numbers = [record.white_elo, record.black_elo, record.eco.number(), record.plies];
        for (column, value) in numbers.into_iter().enumerate() {
            halves[games * column + nth] = value;
        }
        let facts = [record.result() as u8, record.ending() as u8, record.time_class() as u8];
        for (column, value) in facts.into_iter().enumerate() {
            small[games * column + nth] = value;
        }
    }
    words
}

/// The columns as they are stored.
pub(super) fn column_bytes(records: &[HeaderRecord]) -> Vec<u8> {
    bytemuck::cast_slice(&build_columns(records))[..records.len() * WIDTH].to_vec()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_columns_of_records_are_those_that_are_built(
            bytes in prop::collection::vec(any::<u8>(), size_of::<HeaderRecord>() * 600),
            games in 0..600usize,
            damage in any::<prop::sample::Index>(),
        ) {
            let all = bytes.chunks_exact(size_of::<HeaderRecord>()).take(games);
            let records: Vec<HeaderRecord> = all.map(bytemuck::pod_read_unaligned).collect();
            let mut built = build_columns(&records);
            let columns = HeaderColumns::from_words(&built, games).expect("columns");
            prop_assert!(columns.matches_records(&records));
            if games > 0 {
                prop_assert!(!columns.matches_records(&records[1..]));
                let place = damage.index(games * WIDTH);
                bytemuck::cast_slice_mut::<u32, u8>(&mut built)[place] ^= 1;
                let columns = HeaderColumns::from_words(&built, games).expect("columns");
                prop_assert!(!columns.matches_records(&records));
            }
        }

        #[test]
        fn sums_are_those_of_each_number(
            numbers in prop::collection::vec(prop_oneof![0..300u16, Just(0x7fff), Just(0x8000), Just(u16::MAX), any::<u16>()], 0..300),
            games in prop::collection::vec(prop_oneof![Just(0), Just(u64::MAX), any::<u64>()], 5),
        ) {
            let chosen = numbers.iter().enumerate().filter(|(nth, _)| games[nth / 64] >> (nth % 64) & 1 != 0);
            prop_assert_eq!(sum_of_selected(&numbers, &games), chosen.map(|(_, &number)| u64::from(number)).sum::<u64>());
        }
    }
}
