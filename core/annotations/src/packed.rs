//! Packs the annotations of a game into bytes, which FORMAT.md of the corpus describes.
//!
//! A game without annotations has no bytes. Lists are stored one after another, each as the differences between neighbours, so
//! that most plies take a byte for each.

use alloc::vec::Vec;

use super::eight::{EightDifferences, MAX_CHANGE};
use super::varint::{push, take, unzigzag, zigzag};
use super::{COMMENT_MARK, GameAnnotations, Score, TimeControl, UNKNOWN_TIME};

const SCORES: u8 = 1;
const CLOCKS: u8 = 2;
const ELAPSED: u8 = 4;
const MARKS: u8 = 8;
const CONTROL: u8 = 16;
/// Times are tenths of a second; without this flag they are seconds.
const TENTHS: u8 = 32;
const ALL_FLAGS: u8 = 63;

/// The annotations of one game, as stored. Cheap to copy; bytes that are damaged read as unknown.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PackedAnnotations<'a> {
    bytes: &'a [u8],
}

/// Memory for the lists of one game after another.
#[derive(Default)]
pub struct Scratch {
    scores: Vec<Score>,
    times: Vec<u32>,
}

/// The parts of the bytes of a game.
#[derive(Default)]
pub(super) struct Parts<'a> {
    /// Tenths of a second in a unit of time.
    pub unit: u32,
    pub control: TimeControl,
    pub scores: &'a [u8],
    pub clocks: &'a [u8],
    pub elapsed: &'a [u8],
    pub marks: &'a [u8],
}

impl GameAnnotations {
    /// Appends the bytes of these annotations, none if there are none.
    pub fn pack(&self, out: &mut Vec<u8>) {
        if self.is_empty() {
            return;
        }
        let has_times = !self.clocks.is_empty() || !self.elapsed.is_empty();
        let is_whole = |&time: &u32| time == UNKNOWN_TIME || time.is_multiple_of(10);
        let TimeControl { base, increment } = self.time_control;
        let whole = [base, increment].iter().chain(&self.clocks).chain(&self.elapsed).all(is_whole);
        let unit = if whole { 10 } else { 1 };
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        out.push(
            flag(!self.scores.is_empty(), SCORES)
                | flag(!self.clocks.is_empty(), CLOCKS)
                | flag(!self.elapsed.is_empty(), ELAPSED)
                | flag(!self.marks.is_empty(), MARKS)
                | flag(has_times && self.time_control != TimeControl::default(), CONTROL)
                | flag(has_times && !whole, TENTHS),
        );
        if has_times && self.time_control != TimeControl::default() {
            push(out, base / unit);
            push(out, increment / unit);
        }
        let mut list = Vec::new();
        for pack in [GameAnnotations::pack_scores, GameAnnotations::pack_clocks, GameAnnotations::pack_elapsed] {
            pack(self, unit, &mut list);
            push_list(out, &mut list);
        }
        let mut before = 0;
        for &(ply, mark) in &self.marks {
            push(&mut list, u32::from(ply - before));
            list.push(mark);
            before = ply;
        }
        push_list(out, &mut list);
    }

    fn pack_scores(&self, _: u32, list: &mut Vec<u8>) {
        let mut before = 0;
        for &score in &self.scores {
            let number = if score.is_known() { 1 + zigzag(i32::from(score.0) - before) } else { 0 };
            before = if score.is_known() { score.0.into() } else { before };
            push(list, number);
        }
    }

    /// Packs clocks as differences to the previous clock of the same side.
    fn pack_clocks(&self, unit: u32, list: &mut Vec<u8>) {
        let mut before = [0; 2];
        for (nth, &clock) in self.clocks.iter().enumerate() {
            if clock == UNKNOWN_TIME {
                list.push(0);
                continue;
            }
            let clock = (clock / unit).min(MAX_TIME) as i32;
            let before = core::mem::replace(&mut before[nth % 2], clock);
            push(list, 1 + zigzag(before - clock));
        }
    }

    fn pack_elapsed(&self, unit: u32, list: &mut Vec<u8>) {
        for &time in &self.elapsed {
            push(list, if time == UNKNOWN_TIME { 0 } else { 1 + (time / unit).min(MAX_TIME) });
        }
    }
}

/// The longest time in units; longer ones count as this. It takes a year of tenths of a second to get there.
const MAX_TIME: u32 = 1 << 28;

/// Appends a list with its length, unless it is empty.
fn push_list(out: &mut Vec<u8>, list: &mut Vec<u8>) {
    if !list.is_empty() {
        push(out, list.len() as u32);
        out.append(list);
    }
}

impl<'a> PackedAnnotations<'a> {
    /// The annotations in these bytes of a shard.
    pub fn new(bytes: &'a [u8]) -> PackedAnnotations<'a> {
        PackedAnnotations { bytes }
    }

    /// The bytes.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns whether some move has a comment with words.
    pub fn has_comment(&self) -> bool {
        let mut has_comment = false;
        self.parts().unwrap_or_default().for_each_mark(|_, mark| has_comment |= mark == COMMENT_MARK);
        has_comment
    }

    /// The annotations as lists.
    pub fn unpack(&self) -> GameAnnotations {
        let mut all = GameAnnotations::default();
        let Some(parts) = self.parts() else { return all };
        let plies = usize::from(u16::MAX);
        parts.read_scores(plies, &mut all.scores);
        parts.read_clocks(plies, &mut all.clocks);
        parts.read_elapsed(plies, &mut all.elapsed);
        parts.for_each_mark(|ply, mark| all.marks.push((ply, mark)));
        all.time_control = parts.control;
        all
    }

    /// Returns whether the bytes are annotations of a game of so many plies, and nothing else.
    pub fn is_sound(&self, plies: u16, scratch: &mut Scratch) -> bool {
        let Some(parts) = self.parts() else { return self.is_empty() };
        let limit = usize::from(plies);
        let mut last_mark = 0;
        parts.read_scores(limit, &mut scratch.scores)
            && parts.read_clocks(limit, &mut scratch.times)
            && parts.read_elapsed(limit, &mut scratch.times)
            && parts.for_each_mark(|ply, _| last_mark = ply)
            && last_mark <= plies
    }

    /// The lists; none if there are no annotations or the bytes are damaged.
    pub(super) fn parts(&self) -> Option<Parts<'a>> {
        let (&flags, mut rest) = self.bytes.split_first()?;
        let mut parts = Parts { unit: if flags & TENTHS != 0 { 1 } else { 10 }, ..Parts::default() };
        if flags & !ALL_FLAGS != 0 {
            return None;
        }
        if flags & CONTROL != 0 {
            let mut time = || Some(take(&mut rest)?.min(MAX_TIME) * parts.unit);
            parts.control = TimeControl { base: time()?, increment: time()? };
        }
        let mut list = |flag: u8| -> Option<&'a [u8]> {
            if flags & flag == 0 {
                return Some(&[]);
            }
            let length = take(&mut rest)? as usize;
            let (list, after) = rest.split_at_checked(length)?;
            rest = after;
            Some(list)
        };
        parts.scores = list(SCORES)?;
        parts.clocks = list(CLOCKS)?;
        parts.elapsed = list(ELAPSED)?;
        parts.marks = list(MARKS)?;
        rest.is_empty().then_some(parts)
    }
}

impl Parts<'_> {
    /// Reads the evaluations of at most `plies` plies. Returns whether the bytes are sound.
    pub fn read_scores(&self, plies: usize, scores: &mut Vec<Score>) -> bool {
        // PERF: eight are written at once, so there is room for those behind the last one.
        scores.resize(plies.min(self.scores.len()) + 8, Score::UNKNOWN);
        let (mut bytes, mut value, mut read, mut is_sound) = (self.scores, 0i32, 0, true);
        while is_sound && !bytes.is_empty() && read < plies {
            // PERF: most differences are small, and most evaluations far from the largest one.
            if value.abs() <= Score::MAX_CENTIPAWNS - i32::from(MAX_CHANGE) {
                let whole = EightDifferences::read_whole(bytes);
                let (eight, count) = whole.map_or_else(|| EightDifferences::read(bytes), |eight| (eight, 8));
                let sums = eight.running_sums();
                scores[read..read + 8].copy_from_slice(&sums.map(|sum| Score(value as i16 + sum)));
                value += i32::from(sums[7]);
                if count == 8 {
                    (bytes, read) = (&bytes[8..], read + 8);
                    continue;
                }
                (bytes, read) = (&bytes[count..], read + count);
                if bytes.is_empty() || read >= plies {
                    continue;
                }
            }
            let score = Self::next_score(&mut bytes, &mut value);
            is_sound = score.is_some();
            scores[read] = score.unwrap_or(Score::UNKNOWN);
            read += usize::from(is_sound);
        }
        scores.truncate(read.min(plies));
        is_sound && bytes.is_empty() && read <= plies
    }

    /// Reads one evaluation; `value` is the number stored of the one before. None if the bytes are not sound.
    #[inline(always)]
    fn next_score(bytes: &mut &[u8], value: &mut i32) -> Option<Score> {
        let Some(difference) = take(bytes)?.checked_sub(1) else { return Some(Score::UNKNOWN) };
        *value = value.wrapping_add(unzigzag(difference));
        Score::from_stored(*value)
    }

    /// Reads the clocks of at most `plies` plies, in tenths of a second. Returns whether the bytes are sound.
    pub fn read_clocks(&self, plies: usize, clocks: &mut Vec<u32>) -> bool {
        clocks.resize(plies.min(self.clocks.len()) + 8, UNKNOWN_TIME);
        // The clocks before of the side whose clock comes next, and of the other one.
        let (mut bytes, mut before, mut read, mut is_sound) = (self.clocks, [0i32; 2], 0, true);
        while is_sound && !bytes.is_empty() && read < plies {
            let whole = EightDifferences::read_whole(bytes);
            let (eight, count) = whole.map_or_else(|| EightDifferences::read(bytes), |eight| (eight, 8));
            let spent = eight.running_sums_of_sides();
            let next: [i32; 8] = core::array::from_fn(|nth| before[nth % 2].wrapping_sub(spent[nth].into()));
            // PERF: one test for all eight; the rare times that fail it are tested one by one.
            if next.iter().fold(0, |all, &clock| all | clock as u32) < MAX_TIME {
                clocks[read..read + 8].copy_from_slice(&next.map(|clock| clock as u32 * self.unit));
                if count == 8 {
                    (before, bytes, read) = ([next[6], next[7]], &bytes[8..], read + 8);
                    continue;
                }
                before = [next[6 + count % 2], next[7 - count % 2]];
                (bytes, read) = (&bytes[count..], read + count);
                if bytes.is_empty() || read >= plies {
                    continue;
                }
            }
            let clock = self.next_clock(&mut bytes, &mut before[0]);
            is_sound = clock.is_some();
            clocks[read] = clock.unwrap_or(UNKNOWN_TIME);
            read += usize::from(is_sound);
            before.swap(0, 1);
        }
        clocks.truncate(read.min(plies));
        is_sound && bytes.is_empty() && read <= plies
    }

    /// Reads one clock, in tenths of a second; `before` is the one before of the same side. None if the bytes are not sound.
    #[inline(always)]
    fn next_clock(&self, bytes: &mut &[u8], before: &mut i32) -> Option<u32> {
        let Some(difference) = take(bytes)?.checked_sub(1) else { return Some(UNKNOWN_TIME) };
        let clock = before.wrapping_sub(unzigzag(difference));
        if !(0..=MAX_TIME as i32).contains(&clock) {
            return None;
        }
        *before = clock;
        Some(clock as u32 * self.unit)
    }

    /// Reads the times that were spent on at most `plies` plies, in tenths of a second. Returns whether the bytes are sound.
    pub fn read_elapsed(&self, plies: usize, elapsed: &mut Vec<u32>) -> bool {
        elapsed.clear();
        let mut bytes = self.elapsed;
        while elapsed.len() < plies
            && let Some(number) = take(&mut bytes)
        {
            match number.checked_sub(1) {
                None => elapsed.push(UNKNOWN_TIME),
                Some(time) if time <= MAX_TIME => elapsed.push(time * self.unit),
                Some(_) => return false,
            }
        }
        bytes.is_empty()
    }

    /// Calls `mark` with the ply, from 1, and the mark of each. Returns whether the bytes are sound.
    pub fn for_each_mark(&self, mut mark: impl FnMut(u16, u8)) -> bool {
        let (mut bytes, mut ply) = (self.marks, 0u16);
        while let Some(gap) = take(&mut bytes) {
            let next = u16::try_from(gap).ok().and_then(|gap| ply.checked_add(gap));
            let Some((next, (&number, rest))) = next.filter(|&next| next > 0).zip(bytes.split_first()) else {
                return false;
            };
            (ply, bytes) = (next, rest);
            mark(ply, number);
        }
        bytes.is_empty()
    }
}

impl Score {
    /// The score that is stored as this number, if it is one.
    #[inline(always)]
    fn from_stored(value: i32) -> Option<Score> {
        const LEAST_MATE: i32 = i16::MAX as i32 - Score::MAX_MATE;
        let size = value.unsigned_abs() as i32;
        (size <= Score::MAX_CENTIPAWNS || (LEAST_MATE..=i16::MAX as i32).contains(&size)).then_some(Score(value as i16))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn annotations() -> impl Strategy<Value = GameAnnotations> {
        let score = prop_oneof![
            1 => Just(Score::UNKNOWN),
            6 => (-300..300).prop_map(Score::centipawns),
            2 => any::<i32>().prop_map(Score::centipawns),
            1 => (0u32..12_000, any::<bool>()).prop_map(|(moves, white)| Score::mate(moves, white)),
        ];
        let time = |unit: u32| prop_oneof![1 => Just(UNKNOWN_TIME), 6 => (0u32..70_000).prop_map(move |time| time * unit), 1 => Just(MAX_TIME * unit)];
        (prop_oneof![Just(1u32), Just(10)]).prop_flat_map(move |unit| {
            let times = move || prop::collection::vec(time(unit), 0..90);
            let marks = prop::collection::vec((1u16..400, any::<u8>()), 0..9);
            let control = (0u32..9000, 0u32..60).prop_map(move |(base, increment)| (base * unit, increment * unit));
            // Small steps take the way of eight at once.
            let walk = prop::collection::vec(-115i32..115, 0..90).prop_map(|steps| {
                let mut at = 0;
                steps
                    .into_iter()
                    .map(|step| {
                        at += step;
                        Score::centipawns(at)
                    })
                    .collect::<Vec<_>>()
            });
            let scores = prop_oneof![prop::collection::vec(score.clone(), 0..90), walk];
            let clocks =
                prop_oneof![times(), prop::collection::vec((900u32..1000).prop_map(move |time| time * unit), 0..90)];
            (scores, clocks, times(), marks, control).prop_map(
                |(scores, clocks, elapsed, mut marks, (base, increment))| {
                    marks.sort_unstable();
                    marks.dedup();
                    let has_times = !clocks.is_empty() || !elapsed.is_empty();
                    let time_control = if has_times { TimeControl { base, increment } } else { TimeControl::default() };
                    GameAnnotations { scores, clocks, elapsed, marks, time_control }
                },
            )
        })
    }

    proptest! {
        #[test]
        fn annotations_are_read_as_written(all in annotations()) {
            let mut bytes = Vec::new();
            all.pack(&mut bytes);
            let packed = PackedAnnotations::new(&bytes);
            prop_assert_eq!(packed.unpack(), all.clone());
            prop_assert!(packed.is_sound(500, &mut Scratch::default()));
            let longest = all.scores.len().max(all.clocks.len()).max(all.elapsed.len());
            let longest = longest.max(all.marks.last().map_or(0, |&(ply, _)| ply.into()));
            prop_assert!(packed.is_sound(longest as u16, &mut Scratch::default()));
            prop_assert!(longest == 0 || !packed.is_sound(longest as u16 - 1, &mut Scratch::default()));
        }

        #[test]
        fn damaged_bytes_are_noticed_or_read_as_something(bytes in prop::collection::vec(any::<u8>(), 0..60), plies in 0u16..80) {
            let packed = PackedAnnotations::new(&bytes);
            let _ = (packed.unpack(), packed.is_sound(plies, &mut Scratch::default()));
        }

        #[test]
        fn cut_bytes_are_not_sound(all in annotations(), cut in 1usize..40) {
            let mut bytes = Vec::new();
            all.pack(&mut bytes);
            if cut < bytes.len() {
                prop_assert!(!PackedAnnotations::new(&bytes[..bytes.len() - cut]).is_sound(500, &mut Scratch::default()));
            }
        }
    }

    #[test]
    fn a_last_number_that_is_none_is_not_sound() {
        // 21,000 is neither centipawns nor a mate, and no clock lies below zero.
        for (flag, number) in [(SCORES, zigzag(21_000)), (CLOCKS, zigzag(1))] {
            let mut list = Vec::new();
            push(&mut list, 1 + number);
            let mut bytes = [flag, list.len() as u8].to_vec();
            bytes.extend(list);
            assert!(!PackedAnnotations::new(&bytes).is_sound(9, &mut Scratch::default()), "{bytes:?}");
        }
    }

    #[test]
    fn most_plies_take_two_bytes() {
        let mut all = GameAnnotations::default();
        for ply in 1..=100u16 {
            all.set_score(ply, Score::centipawns(i32::from(ply) * 7 % 90 - 30));
            all.set_clock(ply, 36_000 - u32::from(ply) * 130);
        }
        let mut bytes = Vec::new();
        all.pack(&mut bytes);
        assert!(bytes.len() < 2 * 100 + 20, "{}", bytes.len());
    }
}
