//! Header tests of many games at once, column by column.

use alloc::vec;
use alloc::vec::Vec;

use wide::{i16x16, i32x8, u8x16};

use super::codes::Codes;
use super::find::Finder;
use super::pattern::NamePattern;
use super::test::{Elo, Field, HeaderTest};
use crate::corpus::columns::{Columns, Half, Small, Wide, columns};
use crate::corpus::strings::StringTable;
use crate::game::Span;

/// Games of a span that match, a bit each.
pub type Mask = [u64; 8];

/// So many ranges of names are compared one by one, and so many of codes.
const FEW: usize = 4;

/// Header tests with what a scan wants at hand: names are looked up once, shard by shard.
#[derive(Clone, Debug)]
pub struct Headers {
    tests: Vec<HeaderTest>,
    /// Of each test of a name the number of its search; the players of both sides have one table.
    searches: Vec<Option<usize>>,
    /// Of each search and each shard the names that are asked for.
    names: Vec<Vec<Asked>>,
    /// Of each test of opening codes their ranges, if they are [`FEW`]; none if they are more.
    ranges: Vec<Option<Vec<(u16, u16)>>>,
}

/// Names of a shard that are asked for.
#[derive(Clone, Debug, Default)]
struct Asked {
    /// Their numbers as ranges, both ends included, ascending; those that are side by side are one.
    ranges: Vec<(u32, u32)>,
    /// Of every name 255 or 0, if there are more ranges than [`FEW`].
    by_name: Vec<u8>,
    /// Every name is.
    all: bool,
}

impl Asked {
    /// The names of a table of `names` that `finder` finds.
    fn of(finder: &Finder<'_>, table: &StringTable<'_>) -> Asked {
        let mut asked = Asked { all: finder.is_everything() && !table.is_empty(), ..Asked::default() };
        if asked.all {
            asked.ranges.push((0, table.len() - 1));
            return asked;
        }
        finder.find(table, |name| match asked.ranges.last_mut() {
            Some((_, to)) if *to + 1 == name => *to = name,
            _ => asked.ranges.push((name, name)),
        });
        if asked.ranges.len() > FEW {
            asked.by_name = vec![0; table.len() as usize];
            asked.ranges.iter().for_each(|&(from, to)| asked.by_name[from as usize..=to as usize].fill(u8::MAX));
        }
        asked
    }

    fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    fn has(&self, name: u32) -> bool {
        let at = self.ranges.partition_point(|&(_, to)| to < name);
        self.ranges.get(at).is_some_and(|&(from, _)| from <= name)
    }
}

impl Headers {
    /// The most games of which a mask tells.
    pub const MOST_GAMES: u32 = 512;

    /// Looks up the names in the shards of `spans`, on all threads of the current rayon pool (feature `rayon`). Cost: about a nanosecond
    /// a name.
    pub fn new(tests: &[HeaderTest], spans: &[Span<'_>]) -> Headers {
        // One span of each shard is enough.
        let shards = spans.iter().map(|span| span.shard as usize + 1).max().unwrap_or(0);
        let mut of_shard = vec![None; shards];
        spans.iter().for_each(|span| of_shard[span.shard as usize] = Some(span));
        let mut asked: Vec<(Field, &NamePattern)> = Vec::new();
        let searches = tests.iter().map(|test| match test {
            HeaderTest::Name { field, pattern } => {
                let field = if *field == Field::Black { Field::White } else { *field };
                Some(asked.iter().position(|other| *other == (field, pattern)).unwrap_or_else(|| {
                    asked.push((field, pattern));
                    asked.len() - 1
                }))
            }
            _ => None,
        });
        let searches = searches.collect();
        let search = |&(field, pattern): &(Field, &NamePattern)| -> Vec<Asked> {
            let finder = Finder::new(pattern);
            let of_span = |span: &Option<&Span<'_>>| {
                span.map_or(Asked::default(), |span| Asked::of(&finder, &field.table(&span.names())))
            };
            #[cfg(feature = "rayon")]
            {
                use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
                of_shard.par_iter().map(of_span).collect()
            }
            #[cfg(not(feature = "rayon"))]
            of_shard.iter().map(of_span).collect()
        };
        let ranges = |test: &HeaderTest| match test {
            HeaderTest::Eco(codes) => {
                let ranges: Vec<_> = codes.ranges().map(|(from, to)| (from.number(), to.number())).collect();
                (ranges.len() <= FEW).then_some(ranges)
            }
            _ => None,
        };
        let (names, ranges) = (asked.iter().map(search).collect(), tests.iter().map(ranges).collect());
        Headers { tests: tests.to_vec(), searches, names, ranges }
    }

    /// The tests, as given.
    pub fn tests(&self) -> &[HeaderTest] {
        &self.tests
    }

    /// Whether test `test` is about a name that the shards do not have at all, so that no game can pass it.
    ///
    /// # Panics
    ///
    /// If there is no such test.
    pub fn is_unknown(&self, test: usize) -> bool {
        self.searches[test].is_some_and(|search| self.names[search].iter().all(Asked::is_empty))
    }

    /// Which of the first 512 games of `span` pass test `test`. The span is one of the shards that were given.
    ///
    /// Cost: less than a nanosecond a game; several in a shard of an older version, whose facts are not stored by column.
    ///
    /// # Panics
    ///
    /// If there is no such test.
    pub fn masks(&self, span: &Span<'_>, test: usize) -> Mask {
        let games = span.len().min(Headers::MOST_GAMES) as usize;
        let mut mask = match &self.tests[test] {
            HeaderTest::Name { field, .. } => {
                let shards = self.searches[test].map_or(&[][..], |search| &self.names[search]);
                match shards.get(span.shard as usize) {
                    Some(asked) if !asked.is_empty() => named(span, *field, asked, games),
                    _ => Mask::default(),
                }
            }
            HeaderTest::Eco(codes) => with_columns(span, games, |columns| {
                of_codes(columns.half(Half::Eco), codes, self.ranges[test].as_deref())
            }),
            HeaderTest::Set(set) => set.games(span),
            test => with_columns(span, games, |columns| tested(test, &columns)),
        };
        // A column is filled up with nothing, which may pass too.
        for (nth, word) in mask.iter_mut().enumerate() {
            let rest = games.saturating_sub(nth * 64);
            *word &= if rest >= 64 { u64::MAX } else { (1 << rest) - 1 };
        }
        mask
    }
}

/// Calls `test` with the columns of the first games of a span, made on the spot if the shard has none.
fn with_columns(span: &Span<'_>, games: usize, test: impl FnOnce(Columns<'_>) -> Mask) -> Mask {
    match span.columns() {
        Some(all) => test(all.part(0, games)),
        None => {
            let words = columns(&span.records()[..games]);
            Columns::made(&words, games).map_or(Mask::default(), test)
        }
    }
}

/// Games that pass a test that is about neither a name nor a code; what is beyond the columns is of no account.
fn tested(test: &HeaderTest, columns: &Columns<'_>) -> Mask {
    match *test {
        HeaderTest::Result(values) => among(columns.small(Small::Result), values),
        HeaderTest::Ending(values) => among(columns.small(Small::Ending), values),
        HeaderTest::TimeClass(values) => among(columns.small(Small::TimeClass), values),
        HeaderTest::Plies { least, most } => within(columns.half(Half::Plies), least, most),
        HeaderTest::Date { from, to } => {
            // Before all these the year is unknown.
            let least = bytemuck::cast::<_, u32>(from).max(1 << 9);
            numbers_within(columns.wide(Wide::Date), least, bytemuck::cast(to))
        }
        HeaderTest::Elo { which: Elo::White, least, most } => within(columns.half(Half::WhiteElo), least.max(1), most),
        HeaderTest::Elo { which: Elo::Black, least, most } => within(columns.half(Half::BlackElo), least.max(1), most),
        HeaderTest::Elo { which, least, most } => {
            let (white, black) = (columns.half(Half::WhiteElo), columns.half(Half::BlackElo));
            let (least, most) = (i32::from(least), i32::from(most));
            match which {
                // Half the sum, rounded down.
                Elo::Average => both(white, black, 2 * least, 2 * most + 1, |white, black| white + black),
                _ => both(white, black, least, most, |white, black| (white - black).abs()),
            }
        }
        HeaderTest::Name { .. } | HeaderTest::Eco(_) | HeaderTest::Set(_) => Mask::default(),
    }
}

/// Games with one of the names that are asked for.
fn named(span: &Span<'_>, field: Field, asked: &Asked, games: usize) -> Mask {
    let column = match field {
        Field::White => Wide::White,
        Field::Black => Wide::Black,
        Field::Event => Wide::Event,
        Field::Site => Wide::Site,
        Field::Source => return from_sources(span, asked, games),
    };
    if asked.all {
        return [u64::MAX; 8];
    }
    with_columns(span, games, |columns| {
        let numbers = columns.wide(column);
        if !asked.by_name.is_empty() {
            return looked_up(numbers, &asked.by_name);
        }
        let mut mask = Mask::default();
        for &(from, to) in &asked.ranges {
            add(&mut mask, &if from == to { equal(numbers, from) } else { numbers_within(numbers, from, to) });
        }
        mask
    })
}

/// Games whose files are asked for, a bit each.
fn from_sources(span: &Span<'_>, asked: &Asked, games: usize) -> Mask {
    let mut mask = Mask::default();
    let (begin, end) = (span.offset, span.offset + games as u32);
    for (from, to, name) in span.names().sources.runs(u32::MAX) {
        if asked.has(name) {
            // Games of the run that are of the span.
            let (from, to) = (from.max(begin) - begin, to.min(end).saturating_sub(begin));
            for (nth, word) in (0..).step_by(64).zip(&mut mask) {
                let below = |game: u32| match game.saturating_sub(nth) {
                    rest @ 0..64 => (1 << rest) - 1,
                    _ => u64::MAX,
                };
                *word |= below(to) & !below(from);
            }
        }
    }
    mask
}

fn add(to: &mut Mask, other: &Mask) {
    to.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
}

/// Values that pass, a bit each, looked at one by one.
#[inline(always)]
fn one_by_one<T>(column: &[T], test: impl Fn(&T) -> bool) -> Mask {
    let mut mask = Mask::default();
    for (word, values) in mask.iter_mut().zip(column.chunks(64)) {
        *word = values.iter().rfold(0, |bits, value| bits << 1 | u64::from(test(value)));
    }
    mask
}

// PERF: vectors of the library `wide`, since no loop becomes a mask of bits by itself.

/// So many values of a column from `at` on, nothing beyond its end.
#[inline(always)]
fn some_of<T: Copy + Default, const N: usize>(column: &[T], at: usize) -> [T; N] {
    match column.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(values) => *values,
        None => {
            let mut values = [T::default(); N];
            let rest = column.get(at..).unwrap_or(&[]);
            values[..rest.len()].copy_from_slice(rest);
            values
        }
    }
}

/// Bits of so many values at a time.
#[inline(always)]
fn by<const N: usize>(length: usize, bits: impl Fn(usize) -> u64) -> Mask {
    let mut mask = Mask::default();
    for at in (0..length.min(512)).step_by(N) {
        mask[at / 64] |= bits(at) << (at % 64);
    }
    mask
}

#[inline(always)]
fn eights(column: &[u32], test: impl Fn(i32x8) -> i32x8) -> Mask {
    by::<8>(column.len(), |at| {
        let values = some_of::<u32, 8>(column, at).map(|value| value as i32);
        u64::from(test(i32x8::new(values)).to_bitmask() & 0xff)
    })
}

/// Numbers that are this one, which is rare.
fn equal(column: &[u32], number: u32) -> Mask {
    let number = i32x8::splat(number as i32);
    let mut mask = Mask::default();
    for (word, values) in mask.iter_mut().zip(column.chunks(64)) {
        let equal: [i32x8; 8] = core::array::from_fn(|nth| {
            i32x8::new(some_of::<u32, 8>(values, nth * 8).map(|value| value as i32)).simd_eq(number)
        });
        if equal.into_iter().fold(i32x8::splat(0), |any, equal| any | equal).any() {
            let bits = equal.into_iter().rev().map(|equal| u64::from(equal.to_bitmask() & 0xff));
            *word = bits.fold(0, |word, bits| word << 8 | bits);
        }
    }
    mask
}

/// Numbers for which there is a byte that is not zero, but 255.
fn looked_up(column: &[u32], bytes: &[u8]) -> Mask {
    by::<8>(column.len(), |at| {
        let numbers = some_of::<u32, 8>(column, at);
        let found = |nth: usize| bytes.get(numbers[nth] as usize).copied().unwrap_or(0) & 1 << nth;
        let found = [found(0), found(1), found(2), found(3), found(4), found(5), found(6), found(7)];
        u64::from(found.into_iter().fold(0, |all, one| all | one))
    })
}

/// Bytes whose number is a bit of `values`.
fn among(column: &[u8], values: u16) -> Mask {
    by::<16>(column.len(), |at| {
        let bytes = u8x16::new(some_of(column, at));
        let mut rest = values;
        let mut found = u8x16::splat(0);
        while rest != 0 {
            found |= bytes.simd_eq(u8x16::splat(rest.trailing_zeros() as u8));
            rest &= rest - 1;
        }
        u64::from(found.to_bitmask() & 0xffff)
    })
}

/// Numbers from `least` to `most`.
fn within(column: &[u16], least: u16, most: u16) -> Mask {
    // Vectors compare with a sign: all numbers are moved down by half of them.
    let signed = |number: u16| (number ^ 0x8000) as i16;
    let (least, most) = (i16x16::splat(signed(least)), i16x16::splat(signed(most)));
    by::<16>(column.len(), |at| {
        let values = i16x16::new(some_of::<u16, 16>(column, at).map(signed));
        u64::from(!(least.simd_gt(values) | values.simd_gt(most)).to_bitmask() & 0xffff)
    })
}

/// The same of 32 bits.
fn numbers_within(column: &[u32], least: u32, most: u32) -> Mask {
    let signed = |number: u32| (number ^ 1 << 31) as i32;
    let (least, most, half) = (i32x8::splat(signed(least)), i32x8::splat(signed(most)), i32x8::splat(i32::MIN));
    eights(column, |values| {
        let values = values ^ half;
        !(least.simd_gt(values) | values.simd_gt(most))
    })
}

/// Codes of the set, which are those of the ranges, where there are any.
fn of_codes(column: &[u16], codes: &Codes, ranges: Option<&[(u16, u16)]>) -> Mask {
    let Some(ranges) = ranges else {
        return one_by_one(column, |&code| codes.contains_number(code));
    };
    let mut mask = Mask::default();
    for &(from, to) in ranges {
        add(&mut mask, &within(column, from, to));
    }
    mask
}

/// Games whose Elos are both known, and for which `of` makes a number from `least` to `most` of them.
#[inline(always)]
fn both(white: &[u16], black: &[u16], least: i32, most: i32, of: impl Fn(i32x8, i32x8) -> i32x8) -> Mask {
    let (least, most, none) = (i32x8::splat(least), i32x8::splat(most), i32x8::splat(0));
    by::<8>(white.len(), |at| {
        let load = |column| i32x8::new(some_of::<u16, 8>(column, at).map(i32::from));
        let (white, black) = (load(white), load(black));
        let value = of(white, black);
        let known = white.simd_gt(none) & black.simd_gt(none);
        let outside = least.simd_gt(value) | value.simd_gt(most);
        u64::from((known & !outside).to_bitmask() & 0xff)
    })
}
