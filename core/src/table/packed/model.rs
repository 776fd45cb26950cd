//! The questions about the level of a position, from the levels of its neighbours.
//!
//! Neighbours are the positions with the lane or the black king one square further, as far as they come before. Those with the same
//! [class](super::geometry::Row::class) say more than others. The first questions are whether the level is that of the nearest neighbours;
//! then comes the difference, by its sign and its steps.

use alloc::boxed::Box;

use super::coder::{RangeDecoder, RangeEncoder};
use super::geometry::{CLASSES, MAX_ROWS, Row};
use super::probabilities::{AnswerCounts, Context, Probabilities};

/// The level of a position that White does not win.
pub const NOT_WON: u16 = 0;
/// The highest level: mates in more moves than this need more men than any table has.
pub const MAX_LEVEL: u16 = 1023;
/// What stands for a place that is no position.
const NO_POSITION: u16 = u16::MAX;
const UNIT_PLACES: usize = 64 * MAX_ROWS;

/// Answers questions: with the true answer, which it writes or counts, or with one that it reads.
pub trait Answers {
    /// Answers a question in a context; `truth` is the answer where the level is known.
    fn answer(&mut self, context: Context, truth: bool) -> bool;
}

impl Answers for AnswerCounts {
    fn answer(&mut self, context: Context, truth: bool) -> bool {
        self.count(context, truth);
        truth
    }
}

/// Writes answers.
pub struct AnswerWriter<'a> {
    /// Their probabilities.
    pub probabilities: &'a Probabilities,
    /// Where they are written.
    pub coder: RangeEncoder<'a>,
}

impl Answers for AnswerWriter<'_> {
    fn answer(&mut self, context: Context, truth: bool) -> bool {
        self.coder.put(self.probabilities.of(context), truth);
        truth
    }
}

/// Reads answers.
pub struct AnswerReader<'a> {
    /// Their probabilities.
    pub probabilities: &'a Probabilities,
    /// Whence they are read.
    pub coder: RangeDecoder<'a>,
}

impl Answers for AnswerReader<'_> {
    #[inline(always)]
    fn answer(&mut self, context: Context, _: bool) -> bool {
        self.coder.take(self.probabilities.of(context))
    }
}

/// The levels of a unit, row by row, while they are coded.
pub struct Unit {
    /// The level of each place in the lower half, its class in the upper one, behind [`PADDING`] places that are no positions.
    places: Box<[u32; PADDING + UNIT_PLACES]>,
}

/// The farthest neighbour is two rows of the board away along the lane.
const PADDING: usize = 16 * 64;
/// A place without a position: no class is this one.
const NOTHING: u32 = u32::MAX;

impl Default for Unit {
    fn default() -> Unit {
        Unit { places: Box::new([NOTHING; PADDING + UNIT_PLACES]) }
    }
}

impl Unit {
    /// The level of a place that has been coded.
    #[inline]
    #[must_use]
    pub fn level(&self, place: usize) -> Option<u16> {
        let level = self.places[PADDING + place] as u16;
        (level != NO_POSITION).then_some(level)
    }

    /// Codes the levels of the positions in `rows`, at most [`MAX_ROWS`], up to the place `last`. `truth` has the level of a place where
    /// levels are written, and anything where they are read.
    pub fn code(&mut self, rows: &[Row], last: usize, truth: impl Fn(usize) -> u16, answers: &mut impl Answers) {
        for (lane, row) in rows.iter().enumerate().take(last / 64 + 1) {
            let places = &mut self.places[PADDING + lane * 64..][..64];
            places.fill(NOTHING);
            let mut kings = row.legal & if lane == last / 64 { u64::MAX >> (63 - last % 64) } else { u64::MAX };
            while kings != 0 {
                let king = kings.trailing_zeros() as usize;
                kings &= kings - 1;
                let class = row.class(king);
                let known = self.predictions(lane, king, class);
                let level = code_level(&known, truth(lane * 64 + king), answers);
                self.places[PADDING + lane * 64 + king] = u32::from(level) | u32::from(class) << 16;
            }
        }
    }

    #[inline(always)]
    fn predictions(&self, lane: usize, king: usize, class: u8) -> Predictions {
        let here = PADDING + lane * 64 + king;
        let near: &[u32; PADDING] = self.places[here - PADDING..here].as_array().unwrap_or(&[NOTHING; PADDING]);
        let before = |back: usize, is_there: bool| if is_there { near[PADDING - back] } else { NOTHING };
        let of_class = |place: u32| if place >> 16 == u32::from(class) { place as u16 } else { NO_POSITION };
        let (lane_file, file) = (lane & 7, king & 7);
        let (west, east, south) = (file > 0, file < 7, king > 7);
        let (one, below) = (before(64, lane_file > 0), before(512, true));
        let (beside, under) = (before(1, west), before(8, south));
        let (under_west, under_east) = (before(9, west && south), before(7, east && south));
        let first = |nearest: u32, others: &mut dyn Iterator<Item = u32>| -> u16 {
            if of_class(nearest) != NO_POSITION {
                return nearest as u16;
            }
            let mut other = nearest as u16;
            for place in others {
                if of_class(place) != NO_POSITION {
                    return place as u16;
                }
                other = if other == NO_POSITION { place as u16 } else { other };
            }
            other
        };
        let lanes = || [below, before(128, lane_file > 1), before(1024, true)].into_iter();
        let kings = || [under, under_west, under_east, before(2, file > 1), before(16, king > 15)].into_iter();
        let diagonal = of_class(under_west);
        Predictions {
            class,
            lane: first(one, &mut lanes()),
            king: first(beside, &mut kings()),
            lane_below: of_class(below),
            king_below: of_class(under),
            diagonal: if diagonal != NO_POSITION { diagonal } else { of_class(under_east) },
        }
    }
}

/// The levels that neighbours foretell; [`NO_POSITION`] where there is none.
struct Predictions {
    class: u8,
    /// From the lane and from the black king, of the same class if possible.
    lane: u16,
    king: u16,
    /// From a rank below, and on the diagonal, of the same class.
    lane_below: u16,
    king_below: u16,
    diagonal: u16,
}

impl Predictions {
    /// Everything that is known when a question is asked about a level, as one number; `near` compares another level with it.
    #[inline(always)]
    fn around(&self, question: u64, level: u16, near: u64, size: u64) -> u64 {
        mixed(&[
            question,
            self.class.into(),
            near,
            compared(self.lane_below, level, 2),
            compared(self.king_below, level, 2),
            compared(self.diagonal, level, 1),
            size + u64::from(level != NOT_WON),
        ])
    }
}

/// The coarse contexts of each question begin here.
mod first_context {
    use super::CLASSES;
    pub const FIRST: u16 = 0;
    pub const SECOND: u16 = FIRST + 8 * CLASSES as u16;
    pub const NOT_WON: u16 = SECOND + 8 * CLASSES as u16;
    pub const SIGN: u16 = NOT_WON + CLASSES as u16;
    pub const STEP: u16 = SIGN + 8 * CLASSES as u16;
    pub const ALONE: u16 = STEP + 2 * 8 * 16;
    pub const END: u16 = ALONE + 2048;
}

/// The number of coarse contexts.
pub const COARSE_CONTEXTS: usize = first_context::END as usize;

/// How two levels compare, below `2 * most + 4`.
#[inline(always)]
fn compared(level: u16, base: u16, most: i32) -> u64 {
    // PERF: four choices without a jump.
    let difference = (i32::from(level) - i32::from(base)).clamp(-most, most) + most + 3;
    let difference = if base == NOT_WON || base == NO_POSITION { 2 } else { difference };
    let difference = if level == NOT_WON { 1 } else { difference };
    (if level == NO_POSITION { 0 } else { difference }) as u64
}

/// The size of a level, below 48.
#[inline(always)]
fn size(level: u16) -> u64 {
    match level {
        NO_POSITION => 47,
        0..8 => level.into(),
        _ => u64::from(8 + (level.ilog2() - 3) * 4 + u32::from(level >> (level.ilog2() - 2) & 3)).min(46),
    }
}

/// Everything that is known, as one number.
#[inline(always)]
fn mixed(parts: &[u64]) -> u64 {
    parts.iter().fold(0, |all, part| all << 8 | part)
}

#[inline(always)]
fn code_level(known: &Predictions, level: u16, answers: &mut impl Answers) -> u16 {
    let class = u64::from(known.class);
    let first = if known.lane != NO_POSITION { known.lane } else { known.king };
    if first == NO_POSITION {
        return code_alone(known.class, false, level, answers);
    }
    let near = compared(known.king, first, 2);
    let fine = known.around(1, first, near, size(first) / 2);
    let coarse = first_context::FIRST + (class * 8 + near) as u16;
    if answers.answer(Context { coarse, fine }, level == first) {
        return first;
    }
    let second = [known.king, known.lane_below, known.king_below, known.diagonal]
        .into_iter()
        .find(|&other| other != NO_POSITION && other != first)
        .unwrap_or(NO_POSITION);
    if second != NO_POSITION {
        let near = compared(first, second, 2);
        let fine = known.around(2, second, compared(first, second, 3), size(second) / 4);
        let coarse = first_context::SECOND + (class * 8 + near) as u16;
        if answers.answer(Context { coarse, fine }, level == second) {
            return second;
        }
    }
    code_difference(known, (first, second), level, answers)
}

/// The level is neither of these two.
#[inline(never)]
fn code_difference(known: &Predictions, (first, second): (u16, u16), level: u16, answers: &mut impl Answers) -> u16 {
    let class = u64::from(known.class);
    if first != NOT_WON && second != NOT_WON {
        let parts = [3, class, size(first), compared(second, first, 3)];
        let coarse = first_context::NOT_WON + class as u16;
        if answers.answer(Context { coarse, fine: mixed(&parts) }, level == NOT_WON) {
            return NOT_WON;
        }
    }
    let candidates = [first, second, known.lane_below, known.king_below, known.diagonal];
    let Some(base) = candidates.into_iter().find(|&other| other != NO_POSITION && other != NOT_WON) else {
        return code_alone(known.class, true, level, answers);
    };
    let near = compared(second, base, 2);
    let parts = [4, class, compared(second, base, 3), compared(first, base, 3), size(base)];
    let coarse = first_context::SIGN + (class * 8 + near) as u16;
    let is_above = answers.answer(Context { coarse, fine: mixed(&parts) }, level > base);
    let (truth, mut difference) = (level.abs_diff(base), 1);
    loop {
        let step = u64::from(difference).min(15);
        let size_of_base = size(base);
        let parts = [5, class, step + u64::from(difference.min(60)), u64::from(is_above), size_of_base, near];
        let coarse = first_context::STEP + (u64::from(is_above) * 128 + (size_of_base / 6).min(7) * 16 + step) as u16;
        let goes_on = answers.answer(Context { coarse, fine: mixed(&parts) }, truth > difference);
        // Damaged bytes would go on for ever.
        if !goes_on || difference == MAX_LEVEL {
            break;
        }
        difference += 1;
    }
    if is_above { base.saturating_add(difference).min(MAX_LEVEL) } else { base.saturating_sub(difference) }
}

/// A level of which the neighbours say nothing, by its ten bits.
#[inline(never)]
fn code_alone(class: u8, is_won: bool, level: u16, answers: &mut impl Answers) -> u16 {
    let mut node = 1u16;
    for bit in (0..10).rev() {
        let coarse = first_context::ALONE + u16::from(is_won) * 1024 + node;
        let fine = mixed(&[6, class.into(), node.into(), is_won.into()]);
        node = node << 1 | u16::from(answers.answer(Context { coarse, fine }, level >> bit & 1 != 0));
    }
    node & MAX_LEVEL
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    /// Rows, and levels like those of a table: most are near those before.
    fn unit() -> impl Strategy<Value = (Vec<Row>, Vec<u16>)> {
        let row = (any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>(), any::<[bool; 3]>());
        let row = row.prop_map(|(legal, more, black_hangs, white_hangs, [in_check, attacks, loose])| Row {
            legal: legal | more,
            in_check,
            attacks: [attacks, loose],
            black_hangs,
            white_hangs,
        });
        let change = prop_oneof![6 => Just(0i32), 3 => -3i32..4, 1 => -1100i32..1100];
        (prop::collection::vec(row, 1..=64), prop::collection::vec(change, UNIT_PLACES)).prop_map(|(rows, changes)| {
            let mut level = 20;
            let levels = changes.into_iter().map(|change| {
                level = (level + change).clamp(0, MAX_LEVEL.into());
                level as u16
            });
            (rows, levels.collect())
        })
    }

    fn probabilities(units: &[(Vec<Row>, Vec<u16>)]) -> Probabilities {
        let (mut unit, mut bytes) = (Unit::default(), Vec::new());
        let counted = Probabilities::counted(COARSE_CONTEXTS, |counts| {
            for (rows, levels) in units {
                unit.code(rows, UNIT_PLACES - 1, |place| levels[place], counts);
            }
        });
        counted.write(&mut bytes);
        Probabilities::read(&bytes, COARSE_CONTEXTS)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

        #[test]
        fn levels_are_read_as_written(units in prop::collection::vec(unit(), 1..3), last in 0..UNIT_PLACES) {
            let probabilities = &probabilities(&units);
            let mut unit = Unit::default();
            for (rows, levels) in &units {
                let mut bytes = Vec::new();
                let mut writer = AnswerWriter { probabilities, coder: RangeEncoder::new(&mut bytes) };
                unit.code(rows, UNIT_PLACES - 1, |place| levels[place], &mut writer);
                writer.coder.finish();
                let mut reader = AnswerReader { probabilities, coder: RangeDecoder::new(&bytes) };
                unit.code(rows, last, |_| 0, &mut reader);
                for place in 0..=last.min(64 * rows.len() - 1) {
                    let is_legal = rows[place / 64].legal >> (place % 64) & 1 != 0;
                    prop_assert_eq!(unit.level(place), is_legal.then_some(levels[place]), "{}", place);
                }
            }
        }

        #[test]
        fn damaged_bytes_are_some_levels((rows, _) in unit(), bytes in prop::collection::vec(any::<u8>(), 0..90), model in prop::collection::vec(any::<u8>(), 0..90)) {
            let probabilities = &Probabilities::read(&model, COARSE_CONTEXTS);
            let (mut unit, mut reader) = (Unit::default(), AnswerReader { probabilities, coder: RangeDecoder::new(&bytes) });
            unit.code(&rows, UNIT_PLACES - 1, |_| 0, &mut reader);
            for (place, row) in (0..).step_by(64).zip(&rows) {
                for king in 0..64 {
                    let level = unit.level(place + king);
                    prop_assert_eq!(level.is_some(), row.legal >> king & 1 != 0);
                    prop_assert!(level.is_none_or(|level| level <= MAX_LEVEL));
                }
            }
        }
    }
}
