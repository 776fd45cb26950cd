//! Predicts the level of a position from the levels of its neighbours, by a sequence of questions.
//!
//! Neighbours are the positions with the lane or the black king one square further, as far as they come before. Those with the same
//! [class](super::geometry::Row::class) say more than others. The first questions are whether the level is that of the nearest neighbours;
//! then comes the difference, by its sign and its steps.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::hint::select_unpredictable;

use shakmaty::Bitboard;
use wide::i16x8;

use super::ans::{Decoder, Share, WHOLE};
use super::distributions::{Context, Distributions, ESCAPE, SymbolCounts};
use super::geometry::{CLASSES, MAX_ROWS, Row};

/// The level of a position that White does not win.
const NOT_WON: i16 = 0;
/// The highest level: mates in more moves than this need more men than any table has.
pub const MAX_LEVEL: u16 = 1023;
/// What stands for a place that is no position.
const NO_POSITION: i16 = -1;
const UNIT_PLACES: usize = 64 * MAX_ROWS;
/// The farthest neighbour is two rows of the board away along the lane.
const PADDING: usize = 16 * 64;

/// Codes symbols: with the true symbol, which it writes or counts, or with one that it reads.
pub trait Symbols {
    /// The symbol in a context; `truth` is the symbol where the level is known.
    fn symbol(&mut self, context: Context, truth: usize) -> usize;

    /// A number of so many bits, all numbers alike probable.
    fn number(&mut self, bits: u32, truth: u16) -> u16;
}

impl Symbols for SymbolCounts {
    fn symbol(&mut self, context: Context, truth: usize) -> usize {
        self.count(context, truth);
        truth
    }

    fn number(&mut self, _: u32, truth: u16) -> u16 {
        truth
    }
}

/// Collects symbols, which rANS then encodes.
pub struct SymbolWriter<'a> {
    /// Their distributions.
    pub distributions: &'a Distributions,
    /// Their shares, so far.
    pub shares: Vec<Share>,
}

impl Symbols for SymbolWriter<'_> {
    fn symbol(&mut self, context: Context, truth: usize) -> usize {
        let distribution = self.distributions.of(context);
        let symbol = if distribution.share(truth).size == 0 { ESCAPE } else { truth };
        self.shares.push(distribution.share(symbol));
        symbol
    }

    fn number(&mut self, bits: u32, truth: u16) -> u16 {
        let size = WHOLE >> bits;
        self.shares.push(Share { start: truth * size, size });
        truth
    }
}

/// Reads symbols.
pub struct SymbolReader<'a> {
    /// Their distributions.
    pub distributions: &'a Distributions,
    /// The decoder from which they are read.
    pub decoder: Decoder<'a>,
}

impl Symbols for SymbolReader<'_> {
    #[inline(always)]
    fn symbol(&mut self, context: Context, _: usize) -> usize {
        let distribution = self.distributions.of(context);
        let symbol = distribution.symbol_at(self.decoder.place());
        self.decoder.advance(distribution.share(symbol));
        symbol
    }

    fn number(&mut self, bits: u32, _: u16) -> u16 {
        let size = WHOLE >> bits;
        let number = self.decoder.place() / size;
        self.decoder.advance(Share { start: number * size, size });
        number
    }
}

/// The levels of a unit, row by row, while they are coded.
pub struct Unit {
    /// The level of each place, [`NO_POSITION`] where there is none, behind [`PADDING`] places that are no positions.
    levels: Box<[i16; PADDING + UNIT_PLACES]>,
}

impl Default for Unit {
    fn default() -> Unit {
        Unit { levels: Box::new([NO_POSITION; PADDING + UNIT_PLACES]) }
    }
}

impl Unit {
    /// The level of a place that has been coded.
    #[inline]
    pub fn level(&self, place: usize) -> Option<u16> {
        u16::try_from(self.levels[PADDING + place]).ok()
    }

    /// Makes no position of `rows` won.
    pub fn clear(&mut self, rows: &[Row]) {
        for (lane, row) in rows.iter().enumerate() {
            self.clear_row(lane, row.legal);
        }
    }

    fn clear_row(&mut self, lane: usize, legal: u64) {
        let places = &mut self.levels[PADDING + lane * 64..][..64];
        places.fill(NO_POSITION);
        Bitboard(legal).into_iter().for_each(|king| places[king as usize] = NOT_WON);
    }

    /// Codes the levels of the positions in `rows`, at most [`MAX_ROWS`], up to the place `last`. `truth` has the level of a place where
    /// levels are written, and anything where they are read.
    #[inline]
    pub fn code(
        &mut self,
        (rows, neighborhood): (&[Row], Neighborhood),
        last: usize,
        truth: impl Fn(usize) -> u16,
        symbols: &mut impl Symbols,
    ) {
        let mut won_rows = 0;
        for lane in 0..rows.len().min(last / 64 + 1) {
            let legal = rows[lane].legal;
            self.levels[PADDING + lane * 64..][..64].fill(NO_POSITION);
            if legal == 0 {
                continue;
            }
            let is_won = Bitboard(legal).into_iter().any(|king| truth(lane * 64 + king as usize) != 0);
            if symbols.symbol(row_context(rows, lane, won_rows), usize::from(is_won)) != 0 {
                won_rows |= 1 << lane;
                let kings = if lane == last / 64 { legal & u64::MAX >> (63 - last % 64) } else { legal };
                self.code_row(
                    &RowNeighbors::new(rows, lane, neighborhood),
                    kings,
                    |king| truth(lane * 64 + king) as i16,
                    symbols,
                );
            } else {
                self.clear_row(lane, legal);
            }
        }
    }

    #[inline(always)]
    fn code_row(&mut self, row: &RowNeighbors, kings: u64, truth: impl Fn(usize) -> i16, symbols: &mut impl Symbols) {
        for rank in (0..64).step_by(8) {
            let mut files = kings >> rank & 0xff;
            if files == 0 {
                continue;
            }
            let first = PADDING + row.lane * 64 + rank;
            let around =
                row.around(rank, self.levels[first - PADDING..first].as_array().unwrap_or(&[NO_POSITION; PADDING]));
            let beside = (row.beside >> rank) as u8;
            while files != 0 {
                let file = files.trailing_zeros() as usize;
                files &= files - 1;
                let before = self.levels[first + file - 1];
                let king = select_unpredictable(beside >> file & 1 != 0, before, around.king[file]);
                self.levels[first + file] = code_level(&around, file, king, truth(rank + file), symbols);
            }
        }
    }
}

/// Whether a row has won positions, from the rows beside and below it.
fn row_context(rows: &[Row], lane: usize, won_rows: u64) -> Context {
    let state = |back: usize, is_there: bool| match is_there && rows[lane - back].legal != 0 {
        true => 1 + (won_rows >> (lane - back) & 1),
        false => 0,
    };
    let row = &rows[lane];
    let near = [state(1, lane & 7 > 0), state(8, lane > 7), state(2, lane & 7 > 1), state(7, lane > 7 && lane & 7 < 7)];
    let near = near.into_iter().fold(0, |all, state| all * 3 + state as usize);
    let hanging =
        usize::from(row.black_hangs & row.legal != 0) * 2 + usize::from(row.white_hangs & row.legal == row.legal);
    let known = ((near * 8 + usize::from(row.flags())) * 4 + hanging) * 8 + row.legal.count_ones() as usize / 8;
    Context::new(first_context::ROW + near / 3 * 8 + usize::from(row.flags()), (1 << 24) + known as u32)
}

/// The neighbours that predict the levels of a row, for all squares of the black king at once.
struct RowNeighbors {
    lane: usize,
    /// How many places before a position its neighbours along the lane stand.
    lane_steps: [usize; 4],
    flags: u8,
    black_hangs: u64,
    white_hangs: u64,
    /// Where the neighbour along the lane is the one with this number.
    along_lane: [u64; 4],
    /// Where the neighbour along the king's row is the one just before.
    beside: u64,
    /// Where it is the one with this number of [`KING_STEPS`].
    along_king: [u64; 4],
    /// Where the one a rank below has the same class.
    lane_below: u64,
    king_below: u64,
    /// Where the neighbour on the diagonal has the same class.
    diagonal: [u64; 2],
}

/// The squares of the lane that predict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighborhood {
    /// Those beside each other, as a rook goes.
    Straight,
    /// Those on a diagonal, which a bishop reaches and at which a knight arrives after as many moves.
    Diagonal,
}

impl Neighborhood {
    /// Both.
    pub const BOTH: [Neighborhood; 2] = [Neighborhood::Straight, Neighborhood::Diagonal];

    /// How many files and ranks before the lane its neighbours stand, the best first.
    const fn steps(self) -> [(i8, i8); 4] {
        match self {
            Neighborhood::Straight => [(0, 1), (1, 0), (0, 2), (2, 0)],
            Neighborhood::Diagonal => [(1, 1), (-1, 1), (0, 2), (2, 0)],
        }
    }
}

const KING_STEPS: [usize; 4] = [8, 9, 7, 16];
const NOT_FILE_A: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_FILE_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// Chooses for each square the first neighbour of the same class, or else the first; each is a pair of these sets.
fn chosen<const N: usize>(neighbors: [[u64; 2]; N]) -> [u64; N] {
    let (mut chosen, mut open) = ([0; N], u64::MAX);
    for quality in 0..2 {
        for (squares, neighbor) in chosen.iter_mut().zip(neighbors) {
            *squares |= open & neighbor[quality];
            open &= !neighbor[quality];
        }
    }
    chosen
}

impl RowNeighbors {
    fn new(rows: &[Row], lane: usize, neighborhood: Neighborhood) -> RowNeighbors {
        let steps = neighborhood.steps();
        let row = &rows[lane];
        let king = |step: u32, squares: u64| row.neighbors(&row.moved(step)).map(|found| found & squares);
        let along = |(files, ranks): (i8, i8)| {
            let (file, rank) = ((lane & 7) as i8 - files, (lane >> 3) as i8 - ranks);
            let is_there = (0..8).contains(&file) && rank >= 0;
            if is_there { row.neighbors(&rows[(8 * rank + file) as usize]) } else { [0; 2] }
        };
        let lanes = steps.map(along);
        let kings =
            [king(1, NOT_FILE_A), king(8, u64::MAX), king(9, NOT_FILE_A), king(7, NOT_FILE_H), king(16, u64::MAX)];
        let [beside, below, west, east, second] = chosen(kings);
        RowNeighbors {
            lane,
            lane_steps: steps.map(|(files, ranks)| (512 * i32::from(ranks) + 64 * i32::from(files)) as usize),
            flags: row.flags(),
            black_hangs: row.black_hangs,
            white_hangs: row.white_hangs,
            along_lane: chosen(lanes),
            beside,
            along_king: [below, west, east, second],
            lane_below: lanes[1][0],
            king_below: kings[1][0],
            diagonal: [kings[2][0], kings[3][0] & !kings[2][0]],
        }
    }

    /// What is known of a rank before its first position; `near` ends before it.
    #[inline(always)]
    fn around(&self, rank: usize, near: &[i16; PADDING]) -> RankNeighbors {
        let none = i16x8::splat(NO_POSITION);
        let at = |step: usize| i16x8::new(*near[PADDING - step..].first_chunk().unwrap_or(&[NO_POSITION; 8]));
        let mask = |squares: u64| i16x8::new(FILE_MASKS[usize::from((squares >> rank) as u8)]);
        let choose = |squares: &[u64], steps: &[usize]| {
            let level = |all: i16x8, (squares, step): (&u64, &usize)| mask(*squares).select(at(*step), all);
            squares.iter().zip(steps).fold(none, level)
        };
        let lane = choose(&self.along_lane, &self.lane_steps);
        let lane_below = mask(self.lane_below).select(at(self.lane_steps[1]), none);
        let king_below = mask(self.king_below).select(at(8), none);
        let diagonal = choose(&self.diagonal, &[9, 7]);
        let known: i16x8 = compared(lane_below, lane, 2) << 6_i32
            | compared(king_below, lane, 2) << 3_i32
            | compared(diagonal, lane, 1)
            | mask(self.black_hangs) & i16x8::splat(1 << 9)
            | mask(self.white_hangs) & i16x8::splat(1 << 10);
        RankNeighbors {
            flags: self.flags.into(),
            lane: lane.to_array(),
            king: choose(&self.along_king, &KING_STEPS).to_array(),
            lane_below: lane_below.to_array(),
            king_below: king_below.to_array(),
            diagonal: diagonal.to_array(),
            known: known.to_array(),
        }
    }
}

/// All bits of the files in a byte.
const FILE_MASKS: [[i16; 8]; 256] = {
    let mut masks = [[0; 8]; 256];
    let mut at = 0;
    while at < 8 * 256 {
        masks[at / 8][at % 8] = if (at / 8) >> (at % 8) & 1 != 0 { -1 } else { 0 };
        at += 1;
    }
    masks
};

/// The levels that neighbours foretell for eight positions; [`NO_POSITION`] where there is none.
struct RankNeighbors {
    flags: u32,
    /// From the lane, and from the king without the square just before; of the same class if possible.
    lane: [i16; 8],
    king: [i16; 8],
    /// From a rank below, and on the diagonal, of the same class.
    lane_below: [i16; 8],
    king_below: [i16; 8],
    diagonal: [i16; 8],
    /// How they compare with that of the lane, and what hangs.
    known: [i16; 8],
}

/// The coarse contexts of each kind of symbol begin here.
mod first_context {
    use super::CLASSES;
    pub const LEVEL: usize = 0;
    pub const NO_LANE: usize = LEVEL + 8 * CLASSES;
    pub const ALONE: usize = NO_LANE + 8 * CLASSES;
    pub const ROW: usize = ALONE + 2 * CLASSES;
    pub const END: usize = ROW + 27 * 8;
}

/// The number of coarse contexts.
pub const COARSE_CONTEXTS: usize = first_context::END;

/// Returns how two levels compare, below `2 * most + 4`: 0 without a level, 1 if it is not won, 2 if the base is not won or
/// missing.
#[inline(always)]
fn compared(level: i16x8, base: i16x8, most: i16) -> i16x8 {
    let difference = (level - base).max(i16x8::splat(-most)).min(i16x8::splat(most)) + i16x8::splat(most + 3);
    let difference = base.simd_gt(i16x8::splat(NOT_WON)).select(difference, i16x8::splat(2));
    let difference = level.simd_eq(i16x8::splat(NOT_WON)).select(i16x8::splat(1), difference);
    difference & level.simd_gt(i16x8::splat(NO_POSITION))
}

/// The same for one level, and differences of up to two.
#[inline(always)]
fn compared_one(level: i16, base: i16) -> u32 {
    // PERF: four choices without a jump.
    let difference = (level - base).clamp(-2, 2) + 5;
    let difference = select_unpredictable(base > NOT_WON, difference, 2);
    let difference = select_unpredictable(level == NOT_WON, 1, difference);
    select_unpredictable(level == NO_POSITION, 0, difference) as u32
}

/// The size of a level, below 32.
const SIZES: [u8; 256] = {
    let mut sizes = [31; 256];
    let mut level = 0;
    while level < 255 {
        sizes[level] = if level < 8 {
            level as u8
        } else {
            let half = (level.ilog2() - 3) as u8 * 4 + (level >> (level.ilog2() - 2) & 3) as u8;
            8 + half
        };
        level += 1;
    }
    sizes
};

#[inline(always)]
fn size(level: i16) -> u32 {
    SIZES[usize::from(level as u16).min(255)].into()
}

#[inline(always)]
fn code_level(around: &RankNeighbors, file: usize, king: i16, level: i16, symbols: &mut impl Symbols) -> i16 {
    let first = around.lane[file];
    if first == NO_POSITION {
        return code_without_lane(around, file, king, level, symbols);
    }
    let near = compared_one(king, first);
    let known = around.known[file] as u32;
    let class = around.flags << 2 | known >> 9;
    let all = (known | around.flags << 11 | near << 14) << 5 | size(first);
    let context = Context::new(first_context::LEVEL + (class * 8 + near) as usize, all);
    let symbol = symbols.symbol(context, symbol_of(around, file, (first, king), level));
    if symbol == FIRST { first } else { level_of((around, file), (first, king), symbol, level, symbols) }
}

/// The level of a position without a neighbour along the lane.
#[inline(never)]
fn code_without_lane(around: &RankNeighbors, file: usize, king: i16, level: i16, symbols: &mut impl Symbols) -> i16 {
    let known = around.known[file] as u32;
    let class = around.flags << 2 | known >> 9;
    if king == NO_POSITION {
        return code_alone(class as usize, level, symbols);
    }
    let near = compared_one(around.king_below[file], king);
    let all = ((known >> 9 | around.flags << 2) << 3 | near) << 3 | compared_one(around.diagonal[file], king);
    let context =
        Context::new(first_context::NO_LANE + (class * 8 + near) as usize, (3 << 24) + (all << 5 | size(king)));
    let symbol = symbols.symbol(context, symbol_of(around, file, (king, king), level));
    if symbol == FIRST { king } else { level_of((around, file), (king, king), symbol, level, symbols) }
}

/// The level of the first neighbour, of the second that differs from it, and not won.
const FIRST: usize = 0;
const SECOND: usize = 1;
const LOST: usize = 2;
/// The differences from the base up to this one, and those of up to eight more, have symbols.
const NEAR: i16 = 9;
const ABOVE: usize = 3;
const FAR_ABOVE: usize = ABOVE + 2 * NEAR as usize;

/// The second neighbour, and the level from which differences count.
#[inline(always)]
fn second_and_base(around: &RankNeighbors, file: usize, (first, king): (i16, i16)) -> (i16, i16) {
    let others = [king, around.lane_below[file], around.king_below[file], around.diagonal[file]];
    let second = others.into_iter().find(|&other| other != NO_POSITION && other != first).unwrap_or(NO_POSITION);
    (second, if first != NOT_WON { first } else { second.max(NOT_WON) })
}

fn symbol_of(around: &RankNeighbors, file: usize, nearest: (i16, i16), level: i16) -> usize {
    if level == nearest.0 {
        return FIRST;
    }
    let (second, base) = second_and_base(around, file, nearest);
    if level == second {
        return SECOND;
    }
    if level == NOT_WON {
        return LOST;
    }
    let (is_below, difference) = (usize::from(level < base), level.abs_diff(base) as i16);
    match difference {
        ..=NEAR => ABOVE + 2 * (difference as usize - 1) + is_below,
        difference if difference <= NEAR + 8 => FAR_ABOVE + is_below,
        _ => ESCAPE,
    }
}

#[inline(never)]
fn level_of(
    (around, file): (&RankNeighbors, usize),
    nearest: (i16, i16),
    symbol: usize,
    level: i16,
    symbols: &mut impl Symbols,
) -> i16 {
    let (second, base) = second_and_base(around, file, nearest);
    let difference = match symbol {
        SECOND if second != NO_POSITION => return second,
        SECOND | LOST => return NOT_WON,
        ABOVE..FAR_ABOVE => (symbol - ABOVE) as i16 / 2 + 1,
        FAR_ABOVE..ESCAPE => {
            NEAR + 1 + symbols.number(3, (level.abs_diff(base).wrapping_sub(NEAR as u16 + 1)) & 7) as i16
        }
        _ => {
            let class = around.flags << 2 | around.known[file] as u32 >> 9;
            return code_alone(CLASSES + class as usize, level, symbols);
        }
    };
    match (symbol - ABOVE) % 2 {
        0 => (base + difference).min(MAX_LEVEL as i16),
        _ => (base - difference).max(NOT_WON),
    }
}

/// A level of which the neighbours say nothing: not won, or a number of four levels and two bits.
#[inline(never)]
fn code_alone(context: usize, level: i16, symbols: &mut impl Symbols) -> i16 {
    let truth = if level == NOT_WON { 0 } else { (1 + (level as usize - 1) / 4).min(ESCAPE) };
    let context = Context::new(first_context::ALONE + context, (2 << 24) + context as u32);
    match symbols.symbol(context, truth) {
        0 => NOT_WON,
        ESCAPE => symbols.number(10, level as u16) as i16,
        symbol => (symbol as i16 - 1) * 4 + 1 + symbols.number(2, (level as u16).wrapping_sub(1) & 3) as i16,
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::super::ans::encode;
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

    fn distributions(units: &[(Vec<Row>, Vec<u16>)]) -> Distributions {
        let (mut unit, mut counts, mut bytes) = (Unit::default(), SymbolCounts::new(COARSE_CONTEXTS), Vec::new());
        for (rows, levels) in units {
            unit.code((rows, Neighborhood::Straight), UNIT_PLACES - 1, |place| levels[place], &mut counts);
        }
        counts.distributions().0.write(&mut bytes);
        Distributions::read(&bytes, COARSE_CONTEXTS)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

        #[test]
        fn levels_are_read_as_written(units in prop::collection::vec(unit(), 1..3), last in 0..UNIT_PLACES, is_straight: bool, counted in 0usize..3) {
            // Some of the units are not counted, so they have symbols that the distributions do not expect.
            let distributions = &distributions(&units[..counted.min(units.len())]);
            let neighborhood = Neighborhood::BOTH[usize::from(is_straight)];
            let mut unit = Unit::default();
            for (rows, levels) in &units {
                let mut writer = SymbolWriter { distributions, shares: Vec::new() };
                unit.code((rows, neighborhood), UNIT_PLACES - 1, |place| levels[place], &mut writer);
                let mut bytes = Vec::new();
                encode(&writer.shares, &mut bytes);
                let mut reader = SymbolReader { distributions, decoder: Decoder::new(&bytes) };
                unit.code((rows, neighborhood), last, |_| 0, &mut reader);
                for place in 0..=last.min(64 * rows.len() - 1) {
                    let is_legal = rows[place / 64].legal >> (place % 64) & 1 != 0;
                    prop_assert_eq!(unit.level(place), is_legal.then_some(levels[place]), "{}", place);
                }
                unit.code((rows, neighborhood), UNIT_PLACES - 1, |_| 0, &mut SymbolReader { distributions, decoder: Decoder::new(&bytes) });
                prop_assert_eq!(unit.level(0), (rows[0].legal & 1 != 0).then_some(levels[0]));
            }
        }

        #[test]
        fn damaged_bytes_are_some_levels((rows, _) in unit(), bytes in prop::collection::vec(any::<u8>(), 0..90), model in prop::collection::vec(any::<u8>(), 0..90)) {
            let distributions = &Distributions::read(&model, COARSE_CONTEXTS);
            let (mut unit, mut reader) = (Unit::default(), SymbolReader { distributions, decoder: Decoder::new(&bytes) });
            unit.code((&rows, Neighborhood::Diagonal), UNIT_PLACES - 1, |_| 0, &mut reader);
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
