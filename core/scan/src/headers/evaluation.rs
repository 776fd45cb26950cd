//! Evaluates header tests of many games at once, column by column.

use alloc::vec;
use alloc::vec::Vec;

use plyfold_corpus::names::ShardNames;
use plyfold_corpus::record::{HeaderRecord, INCOMPLETE};
use plyfold_corpus::{GameOpening, GameTextColumn, HeaderColumns, StringTable, build_columns};
use wide::{i16x16, i32x8, u8x16};

use super::codes::EcoCodes;
use super::game_mask::{GameMask, first_games};
use super::header_test::{HeaderTest, NameField, RatingField};
use super::name_finder::{NameFinder, load_values};
use super::openings::ResolvedOpening;
use super::pattern::NamePattern;
use crate::game::GameSpan;

/// Up to so many ranges of names or codes are compared one by one.
const MAX_RANGES: usize = 4;

/// Header tests, prepared for a scan: the names are looked up once per shard.
#[derive(Clone, Debug)]
pub struct CompiledHeaderTests {
    tests: Vec<HeaderTest>,
    /// For each test of a name or an opening the number of its search; both players are searched in the same table.
    search_of_test: Vec<Option<usize>>,
    /// For each search and each shard the names that match.
    matched_names: Vec<Vec<MatchedNames>>,
    /// For each test of opening codes its ranges, if there are at most [`MAX_RANGES`].
    eco_ranges: Vec<Option<Vec<(u16, u16)>>>,
}

/// Names of a shard that match.
#[derive(Clone, Debug, Default)]
struct MatchedNames {
    /// Their numbers as ranges, both ends included, ascending; neighbouring numbers share a range.
    ranges: Vec<(u32, u32)>,
    /// For every name 255 if it matches and 0 if not, if there are more ranges than [`MAX_RANGES`].
    name_bytes: Vec<u8>,
    /// Every name matches.
    is_everything: bool,
}

impl MatchedNames {
    /// The names of a table that `finder` finds, for a test of `field`.
    fn find_in(finder: &NameFinder<'_>, table: &StringTable<'_>, field: NameField) -> MatchedNames {
        let may_be_unknown = field.may_be_unknown();
        let is_everything = finder.matches_everything() && !table.is_empty() && !may_be_unknown;
        if is_everything {
            return MatchedNames { ranges: vec![(0, table.len() - 1)], is_everything, ..MatchedNames::default() };
        }
        let mut matched = MatchedNames::default();
        finder.find(table, |name| {
            if !(may_be_unknown && field.is_unknown(table.get(name))) {
                matched.add(name);
            }
        });
        matched.finish(table)
    }

    /// The openings of a shard that pass.
    fn openings_in(names: &ShardNames<'_>, passes: &dyn Fn(GameOpening<'_>) -> bool) -> MatchedNames {
        let table = names.openings.column().names;
        let mut matched = MatchedNames::default();
        for (index, text) in (0..).zip(table.iter()) {
            if GameOpening::read(text).is_some_and(passes) {
                matched.add(index);
            }
        }
        matched.finish(&table)
    }

    /// Adds a name; they come in ascending order.
    fn add(&mut self, name: u32) {
        match self.ranges.last_mut() {
            Some((_, to)) if *to + 1 == name => *to = name,
            _ => self.ranges.push((name, name)),
        }
    }

    fn finish(mut self, table: &StringTable<'_>) -> MatchedNames {
        if self.ranges.len() > MAX_RANGES {
            self.name_bytes = vec![0; table.len() as usize];
            self.ranges.iter().for_each(|&(from, to)| self.name_bytes[from as usize..=to as usize].fill(u8::MAX));
        }
        self
    }

    fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    fn contains(&self, name: u32) -> bool {
        let at = self.ranges.partition_point(|&(_, to)| to < name);
        self.ranges.get(at).is_some_and(|&(from, _)| from <= name)
    }
}

/// What is looked up among the names of a shard.
#[derive(Clone, Copy, PartialEq)]
enum NameSearch<'t> {
    Name(NameField, &'t NamePattern),
    Eco(&'t EcoCodes),
    Opening(&'t ResolvedOpening),
}

impl<'t> NameSearch<'t> {
    fn of_test(test: &'t HeaderTest) -> Option<NameSearch<'t>> {
        match test {
            HeaderTest::Name { field: NameField::Black, pattern } => Some(NameSearch::Name(NameField::White, pattern)),
            HeaderTest::Name { field, pattern } => Some(NameSearch::Name(*field, pattern)),
            HeaderTest::Eco(codes) => Some(NameSearch::Eco(codes)),
            HeaderTest::Opening(opening) => Some(NameSearch::Opening(opening)),
            _ => None,
        }
    }

    /// The names that match in each of these shards; none of a shard that is not there.
    fn find_in(&self, shards: &[Option<&GameSpan<'_>>]) -> Vec<MatchedNames> {
        match *self {
            NameSearch::Name(field, pattern) => {
                let finder = NameFinder::new(pattern);
                by_shard(shards, &|names| MatchedNames::find_in(&finder, &field.string_table(names), field))
            }
            NameSearch::Eco(codes) => {
                by_shard(shards, &|names| MatchedNames::openings_in(names, &|one| codes.contains(one.code)))
            }
            NameSearch::Opening(opening) => {
                by_shard(shards, &|names| MatchedNames::openings_in(names, &|one| opening.has_name(one.name)))
            }
        }
    }
}

/// Searches the names of each shard, on all threads of the current rayon pool (feature `rayon`).
fn by_shard(
    shards: &[Option<&GameSpan<'_>>],
    find: &(dyn Fn(&ShardNames<'_>) -> MatchedNames + Sync),
) -> Vec<MatchedNames> {
    let of_span = |span: &Option<&GameSpan<'_>>| span.map_or(MatchedNames::default(), |span| find(&span.names()));
    #[cfg(feature = "rayon")]
    {
        use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
        shards.par_iter().map(of_span).collect()
    }
    #[cfg(not(feature = "rayon"))]
    shards.iter().map(of_span).collect()
}

impl CompiledHeaderTests {
    /// The number of games of a mask.
    pub const MAX_GAMES: u32 = 512;

    /// Looks up the names in the shards of `spans`, on all threads of the current rayon pool (feature `rayon`). Cost: about a nanosecond
    /// a name.
    pub fn new(tests: &[HeaderTest], spans: &[GameSpan<'_>]) -> CompiledHeaderTests {
        // One span of each shard is enough.
        let shards = spans.iter().map(|span| span.shard as usize + 1).max().unwrap_or(0);
        let mut span_of_shard = vec![None; shards];
        spans.iter().for_each(|span| span_of_shard[span.shard as usize] = Some(span));
        let mut searches: Vec<NameSearch<'_>> = Vec::new();
        let search_of_test = tests.iter().map(|test| {
            let search = NameSearch::of_test(test)?;
            Some(searches.iter().position(|other| *other == search).unwrap_or_else(|| {
                searches.push(search);
                searches.len() - 1
            }))
        });
        let search_of_test = search_of_test.collect();
        let ranges = |test: &HeaderTest| match test {
            HeaderTest::Eco(codes) | HeaderTest::EcoTag(codes) => {
                let ranges: Vec<_> = codes.ranges().map(|(from, to)| (from.number(), to.number())).collect();
                (ranges.len() <= MAX_RANGES).then_some(ranges)
            }
            _ => None,
        };
        let (matched_names, eco_ranges) = (
            searches.iter().map(|search| search.find_in(&span_of_shard)).collect(),
            tests.iter().map(ranges).collect(),
        );
        CompiledHeaderTests { tests: tests.to_vec(), search_of_test, matched_names, eco_ranges }
    }

    /// The tests, as given.
    pub fn tests(&self) -> &[HeaderTest] {
        &self.tests
    }

    /// Returns whether test `test` is about a name that the shards do not have at all, so that no game can pass it.
    ///
    /// # Panics
    ///
    /// If there is no such test.
    pub fn matches_no_name(&self, test: usize) -> bool {
        let is_name = matches!(self.tests[test], HeaderTest::Name { .. });
        is_name
            && self.search_of_test[test]
                .is_some_and(|search| self.matched_names[search].iter().all(MatchedNames::is_empty))
    }

    /// Returns which of the first 512 games of `span` pass test `test`. The span is one of the shards that were given.
    ///
    /// Cost: less than a nanosecond a game; several in a shard of an older version, whose facts are not stored by column.
    ///
    /// # Panics
    ///
    /// If there is no such test.
    pub fn evaluate(&self, span: &GameSpan<'_>, test: usize) -> GameMask {
        let games = span.len().min(CompiledHeaderTests::MAX_GAMES) as usize;
        let mut mask = match &self.tests[test] {
            HeaderTest::Name { field, .. } => {
                let shards = self.search_of_test[test].map_or(&[][..], |search| &self.matched_names[search]);
                match shards.get(span.shard as usize) {
                    Some(asked) if !asked.is_empty() => games_with_name(span, *field, asked, games),
                    _ => GameMask::default(),
                }
            }
            HeaderTest::Eco(_) | HeaderTest::Opening(_) if span.names().openings.is_stored() => {
                let names =
                    self.search_of_test[test].and_then(|search| self.matched_names[search].get(span.shard as usize));
                match names {
                    Some(names) if !names.is_empty() => {
                        games_with_text(span, &span.names().openings.column(), names, games)
                    }
                    _ => GameMask::default(),
                }
            }
            HeaderTest::Eco(codes) | HeaderTest::EcoTag(codes) | HeaderTest::Opening(ResolvedOpening { codes, .. }) => {
                with_header_columns(span, games, |columns| {
                    mask_of_codes(bytemuck::cast_slice(columns.ecos()), codes, self.eco_ranges[test].as_deref())
                })
            }
            HeaderTest::Set(set) => set.game_mask(span),
            HeaderTest::Tag(tag) => tag.game_mask(span),
            HeaderTest::Incomplete => mask_of_incomplete(&span.records()[..games]),
            test => with_header_columns(span, games, |columns| evaluate_column_test(test, &columns)),
        };
        // A column is filled up with zeros, which may pass too.
        mask.iter_mut().zip(first_games(span.len())).for_each(|(word, games)| *word &= games);
        mask
    }
}

/// The games of which only the first moves are kept. No column has this.
fn mask_of_incomplete(records: &[HeaderRecord]) -> GameMask {
    let mut mask = GameMask::default();
    for (game, record) in records.iter().enumerate() {
        mask[game / 64] |= u64::from(record.flags() & INCOMPLETE != 0) << (game % 64);
    }
    mask
}

/// Calls `test` with the columns of the first games of a span, made on the spot if the shard has none.
fn with_header_columns(
    span: &GameSpan<'_>,
    games: usize,
    test: impl FnOnce(HeaderColumns<'_>) -> GameMask,
) -> GameMask {
    match span.columns() {
        Some(all) => test(all.slice(0, games)),
        None => {
            let words = build_columns(&span.records()[..games]);
            HeaderColumns::from_words(&words, games).map_or(GameMask::default(), test)
        }
    }
}

/// Games that pass a test that is about neither a name nor a code. Bits beyond the end of the columns have no meaning.
fn evaluate_column_test(test: &HeaderTest, columns: &HeaderColumns<'_>) -> GameMask {
    let elos = || [columns.white_elos(), columns.black_elos()];
    match *test {
        HeaderTest::Result(values) => mask_among(columns.results(), values),
        HeaderTest::Ending(values) => mask_among(columns.endings(), values),
        HeaderTest::TimeClass(values) => mask_among(columns.time_classes(), values),
        HeaderTest::Plies { least, most } => mask_in_range(columns.plies(), least, most),
        HeaderTest::Date { from, to } => {
            // Dates of unknown years come before all others.
            let least = bytemuck::cast::<_, u32>(from).max(1 << 9);
            mask_u32_in_range(bytemuck::cast_slice(columns.dates()), least, bytemuck::cast(to))
        }
        HeaderTest::Elo { which, least, most } => {
            let (from, to) = (i32::from(least), i32::from(most));
            match which {
                RatingField::White => mask_in_range(elos()[0], least.max(1), most),
                RatingField::Black => mask_in_range(elos()[1], least.max(1), most),
                // Half the sum, rounded down.
                RatingField::Average => mask_of_both_elos(elos(), 2 * from, 2 * to + 1, |white, black| white + black),
                RatingField::Difference => mask_of_both_elos(elos(), from, to, |white, black| (white - black).abs()),
            }
        }
        HeaderTest::EloLead { least, most } => mask_of_both_elos(elos(), least, most, |white, black| white - black),
        HeaderTest::Name { .. }
        | HeaderTest::Eco(_)
        | HeaderTest::EcoTag(_)
        | HeaderTest::Opening(_)
        | HeaderTest::Set(_)
        | HeaderTest::Tag(_)
        | HeaderTest::Incomplete => GameMask::default(),
    }
}

/// Games with a name that matches.
fn games_with_name(span: &GameSpan<'_>, field: NameField, names: &MatchedNames, games: usize) -> GameMask {
    match field {
        NameField::Source => return games_from_sources(span, names, games),
        NameField::Text(text) => return games_with_text(span, &span.names().texts.column(text), names, games),
        _ if names.is_everything => return [u64::MAX; 8],
        _ => {}
    }
    with_header_columns(span, games, |columns| {
        let numbers = match field {
            NameField::White => columns.white_names(),
            NameField::Black => columns.black_names(),
            NameField::Event => columns.event_names(),
            _ => columns.site_names(),
        };
        mask_of_names(numbers, names)
    })
}

/// Games whose text in a column matches.
fn games_with_text(span: &GameSpan<'_>, column: &GameTextColumn<'_>, names: &MatchedNames, games: usize) -> GameMask {
    let mut numbers = [0; CompiledHeaderTests::MAX_GAMES as usize];
    let in_shard = span.first_in_shard..;
    numbers[..games].iter_mut().zip(in_shard).for_each(|(to, game)| *to = column.index_of_game(game));
    mask_of_names(&numbers[..games], names)
}

/// Numbers of names that match.
fn mask_of_names(numbers: &[u32], names: &MatchedNames) -> GameMask {
    if !names.name_bytes.is_empty() {
        return mask_by_lookup(numbers, &names.name_bytes);
    }
    let mut mask = GameMask::default();
    for &(from, to) in &names.ranges {
        let in_range = if from == to { mask_equal(numbers, from) } else { mask_u32_in_range(numbers, from, to) };
        union_into(&mut mask, &in_range);
    }
    mask
}

/// Games whose source file matches, a bit each.
fn games_from_sources(span: &GameSpan<'_>, names: &MatchedNames, games: usize) -> GameMask {
    let mut mask = GameMask::default();
    let (begin, end) = (span.first_in_shard, span.first_in_shard + games as u32);
    for (from, to, name) in span.names().sources.runs(u32::MAX) {
        if names.contains(name) {
            // The games of the run that belong to the span.
            let (from, to) = (from.max(begin) - begin, to.min(end).saturating_sub(begin));
            let (before, until) = (first_games(from), first_games(to));
            (0..mask.len()).for_each(|nth| mask[nth] |= until[nth] & !before[nth]);
        }
    }
    mask
}

fn union_into(to: &mut GameMask, other: &GameMask) {
    to.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
}

/// Values that pass, a bit each, tested one by one.
#[inline(always)]
fn test_each<T>(column: &[T], test: impl Fn(&T) -> bool) -> GameMask {
    let mut mask = GameMask::default();
    for (word, values) in mask.iter_mut().zip(column.chunks(64)) {
        *word = values.iter().rfold(0, |bits, value| bits << 1 | u64::from(test(value)));
    }
    mask
}

// PERF: vectors of the library `wide`, since the compiler turns no loop into a bit mask.

/// Bits of so many values at a time.
#[inline(always)]
fn mask_by_chunks<const N: usize>(length: usize, bits: impl Fn(usize) -> u64) -> GameMask {
    let mut mask = GameMask::default();
    for at in (0..length.min(512)).step_by(N) {
        mask[at / 64] |= bits(at) << (at % 64);
    }
    mask
}

#[inline(always)]
fn mask_u32_by_eights(column: &[u32], test: impl Fn(i32x8) -> i32x8) -> GameMask {
    mask_by_chunks::<8>(column.len(), |at| {
        let values = load_values::<u32, 8>(column, at).map(|value| value as i32);
        u64::from(test(i32x8::new(values)).to_bitmask() & 0xff)
    })
}

/// Numbers that are this one, which is rare.
fn mask_equal(column: &[u32], number: u32) -> GameMask {
    let number = i32x8::splat(number as i32);
    let mut mask = GameMask::default();
    for (word, values) in mask.iter_mut().zip(column.chunks(64)) {
        let equal: [i32x8; 8] = core::array::from_fn(|nth| {
            i32x8::new(load_values::<u32, 8>(values, nth * 8).map(|value| value as i32)).simd_eq(number)
        });
        if equal.into_iter().fold(i32x8::splat(0), |any, equal| any | equal).any() {
            let bits = equal.into_iter().rev().map(|equal| u64::from(equal.to_bitmask() & 0xff));
            *word = bits.fold(0, |word, bits| word << 8 | bits);
        }
    }
    mask
}

/// Numbers for which there is a byte that is not zero, but 255.
fn mask_by_lookup(column: &[u32], bytes: &[u8]) -> GameMask {
    mask_by_chunks::<8>(column.len(), |at| {
        let numbers = load_values::<u32, 8>(column, at);
        let found = |nth: usize| bytes.get(numbers[nth] as usize).copied().unwrap_or(0) & 1 << nth;
        let found = [found(0), found(1), found(2), found(3), found(4), found(5), found(6), found(7)];
        u64::from(found.into_iter().fold(0, |all, one| all | one))
    })
}

/// Bytes whose number is a bit of `values`.
fn mask_among(column: &[u8], values: u16) -> GameMask {
    mask_by_chunks::<16>(column.len(), |at| {
        let bytes = u8x16::new(load_values(column, at));
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
fn mask_in_range(column: &[u16], least: u16, most: u16) -> GameMask {
    // Vector comparison is signed, so all numbers are moved down by half of their range.
    let signed = |number: u16| (number ^ 0x8000) as i16;
    let (least, most) = (i16x16::splat(signed(least)), i16x16::splat(signed(most)));
    mask_by_chunks::<16>(column.len(), |at| {
        let values = i16x16::new(load_values::<u16, 16>(column, at).map(signed));
        u64::from(!(least.simd_gt(values) | values.simd_gt(most)).to_bitmask() & 0xffff)
    })
}

/// The same for 32-bit numbers.
fn mask_u32_in_range(column: &[u32], least: u32, most: u32) -> GameMask {
    let signed = |number: u32| (number ^ 1 << 31) as i32;
    let (least, most, half) = (i32x8::splat(signed(least)), i32x8::splat(signed(most)), i32x8::splat(i32::MIN));
    mask_u32_by_eights(column, |values| {
        let values = values ^ half;
        !(least.simd_gt(values) | values.simd_gt(most))
    })
}

/// Codes of the set, which are those of the ranges, where there are any.
fn mask_of_codes(column: &[u16], codes: &EcoCodes, ranges: Option<&[(u16, u16)]>) -> GameMask {
    let Some(ranges) = ranges else {
        return test_each(column, |&code| codes.contains_number(code));
    };
    let mut mask = GameMask::default();
    for &(from, to) in ranges {
        union_into(&mut mask, &mask_in_range(column, from, to));
    }
    mask
}

/// Games whose Elos are both known, and for which `of` makes a number from `least` to `most` of them.
#[inline(always)]
fn mask_of_both_elos(
    [white, black]: [&[u16]; 2],
    least: i32,
    most: i32,
    of: impl Fn(i32x8, i32x8) -> i32x8,
) -> GameMask {
    let (least, most, none) = (i32x8::splat(least), i32x8::splat(most), i32x8::splat(0));
    mask_by_chunks::<8>(white.len(), |at| {
        let load = |column| i32x8::new(load_values::<u16, 8>(column, at).map(i32::from));
        let (white, black) = (load(white), load(black));
        let value = of(white, black);
        let known = white.simd_gt(none) & black.simd_gt(none);
        let outside = least.simd_gt(value) | value.simd_gt(most);
        u64::from((known & !outside).to_bitmask() & 0xff)
    })
}
