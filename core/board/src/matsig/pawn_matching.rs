//! Applies rule 3 of [`reach`](super::reach): it decides whether later pawns can be matched with earlier ones.
//!
//! Three tests follow each other, each more expensive than the one before: where pawns can go with no capture, with one, with
//! two; a matching of nearest pairs; and an exact decision, by sets of matched pawns or by the Hungarian method.

use super::PAWN_BITS;
use super::side_word::{FILE_A, FILE_H, pawn_count, pawns_per_rank};
use super::vanished_pawns::VanishedPawns;

/// The squares of pawns and all squares straight ahead of them.
#[inline(always)]
const fn front_fill(pawns: u64) -> u64 {
    let pawns = pawns | pawns << 8;
    let pawns = pawns | pawns << 16;
    (pawns | pawns << 32) & PAWN_BITS
}

/// Applies rule 3 to pawns that go upwards. No square has a pawn in both sets.
pub(super) fn pawns_can_match(from: u64, to: u64, captures: i32, vanished_pawns: &VanishedPawns) -> bool {
    // Every later pawn has advanced, so up to each rank there are at most as many pawns as there were below that rank before.
    const TOP: u64 = 0x8080_8080_8080;
    let below_before = (pawns_per_rank(from) << 8).wrapping_mul(FILE_A) & PAWN_BITS;
    let up_to_after = pawns_per_rank(to).wrapping_mul(FILE_A) & PAWN_BITS;
    if ((below_before | TOP) - up_to_after) & TOP != TOP {
        return false;
    }
    // The squares within reach with no capture, with one, with two: a pawn beyond them takes one capture more.
    let mut reached = front_fill(from);
    let mut slack = captures;
    loop {
        let missing = to & !reached;
        if missing == 0 {
            break;
        }
        slack -= pawn_count(missing);
        let further = front_fill(reached | reached << 9 & !FILE_A & PAWN_BITS | reached << 7 & !FILE_H & PAWN_BITS);
        if slack < 0 || further == reached {
            return false;
        }
        reached = further;
    }
    if greedy_matching_fits(from, to, captures, vanished_pawns) {
        return true;
    }
    // A set of pawns is a bit of the words: 2^6 sets are one word, 2^8 are four.
    match pawn_count(from) {
        0..=6 => subset_matching_fits::<1>(from, to, captures, vanished_pawns),
        7..=8 => subset_matching_fits::<4>(from, to, captures, vanished_pawns),
        _ => hungarian_matching_fits(from, to, captures, vanished_pawns),
    }
}

/// Returns whether a matching that is easily found is enough. The test takes nearest pairs on a file first, then on neighbouring
/// files, all pairs of a distance at once. On one file, no matching has more pairs, because no pawn stands between the nearest two.
///
/// PERF: `cargo run --release -p plyfold-bench --bin signatures` on 30,000 games on a busy machine, nanoseconds a pair, first
/// for sets of pawns alone, then with this test before them: two games 142 and 73, a query and a final position 354 and 160,
/// within a game 400 and 176. This test decides nine in ten of the pairs that come here.
#[inline(always)]
fn greedy_matching_fits(from: u64, to: u64, captures: i32, vanished_pawns: &VanishedPawns) -> bool {
    let (mut from, mut to, mut remaining_captures) = (from, to, captures);
    for ranks in 1..6 {
        let pairs = from << (8 * ranks) & to;
        (from, to) = (from ^ pairs >> (8 * ranks), to ^ pairs);
    }
    // The files that are at least `file_distance` from the right edge, and from the left edge.
    let (mut not_right, mut not_left) = (!FILE_H, !FILE_A);
    let mut file_distance = 1;
    while to != 0 && remaining_captures >= file_distance && file_distance < 6 {
        for ranks in file_distance..6 {
            let (right, leftwards) = (8 * ranks + file_distance, 8 * ranks - file_distance);
            let pairs = (from & not_right) << right & to;
            (from, to, remaining_captures) =
                (from ^ pairs >> right, to ^ pairs, remaining_captures - file_distance * pairs.count_ones() as i32);
            let pairs = (from & not_left) << leftwards & to;
            (from, to, remaining_captures) =
                (from ^ pairs >> leftwards, to ^ pairs, remaining_captures - file_distance * pairs.count_ones() as i32);
        }
        (not_right, not_left) = (not_right & not_right >> 1, not_left & not_left << 1);
        file_distance += 1;
    }
    to == 0 && vanished_pawns.is_consistent(from, remaining_captures)
}

/// An earlier pawn that may be a certain later pawn, and the captures that this takes beyond the fewest for that later pawn.
#[derive(Clone, Copy, Default)]
struct PawnMatch {
    index: u8,
    extra_captures: u8,
}

/// For each of at most eight later pawns, the earlier pawns that it may be.
struct PawnMatches {
    /// The matches of each later pawn; `numbers` says how many there are.
    matches: [[PawnMatch; 8]; 8],
    numbers: [usize; 8],
    /// How many later pawns there are.
    targets: usize,
    /// Captures if each later pawn is matched as cheaply as possible.
    fewest_captures: i32,
    /// Captures above those if each is matched as expensively as possible.
    most_excess: i32,
}

impl PawnMatches {
    /// Compares all pawns; none if a later pawn matches no earlier one.
    #[inline(always)]
    fn between(from: u64, to: u64) -> Option<PawnMatches> {
        let mut matches = [[PawnMatch::default(); 8]; 8];
        let mut numbers = [0; 8];
        let (mut fewest_captures, mut most_excess) = (0, 0);
        let (mut rest, mut targets) = (to, 0);
        while rest != 0 {
            let square = rest.trailing_zeros() as i32;
            rest &= rest - 1;
            let (mut sources, mut index, mut found) = (from, 0, 0);
            let (mut fewest, mut most) = (8, 0);
            while sources != 0 {
                let source = sources.trailing_zeros() as i32;
                sources &= sources - 1;
                let aside = (square % 8 - source % 8).abs();
                if square / 8 - source / 8 >= aside {
                    matches[targets][found] = PawnMatch { index, extra_captures: aside as u8 };
                    found += 1;
                    (fewest, most) = (fewest.min(aside), most.max(aside));
                }
                index += 1;
            }
            if found == 0 {
                return None;
            }
            for pair in &mut matches[targets][..found] {
                pair.extra_captures -= fewest as u8;
            }
            numbers[targets] = found;
            fewest_captures += fewest;
            most_excess += most - fewest;
            targets += 1;
        }
        Some(PawnMatches { matches, numbers, targets, fewest_captures, most_excess })
    }
}

/// The most rows of sets of matched pawns: each of eight pawns takes at most five captures beyond the fewest.
const MATCHING_ROWS: usize = 41;

/// Decides the matching of at most eight pawns by the sets of earlier pawns that are matched. A set is a number with one bit for
/// each pawn, and the sets are the bits of `WORDS` words: bit `set % 64` of word `set / 64`. There is a row of words for each
/// number of captures beyond the fewest.
fn subset_matching_fits<const WORDS: usize>(from: u64, to: u64, captures: i32, vanished_pawns: &VanishedPawns) -> bool {
    let Some(pairs) = PawnMatches::between(from, to) else {
        return false;
    };
    let extra_captures = captures - pairs.fewest_captures;
    if extra_captures < 0 {
        return false;
    }
    // If there are enough captures for any matching, one row is enough.
    let captures_suffice =
        extra_captures >= pairs.most_excess + vanished_pawns.min_light_bishops + vanished_pawns.min_dark_bishops;
    let rows = if captures_suffice { 1 } else { (extra_captures.min(pairs.most_excess) + 1) as usize };
    let mut matched_subsets = [[0u64; WORDS]; MATCHING_ROWS];
    if !match_subsets(&pairs, &mut matched_subsets[..rows], captures_suffice) {
        return false;
    }
    if vanished_pawns.steps.is_none()
        && (captures_suffice || vanished_pawns.min_light_bishops | vanished_pawns.min_dark_bishops == 0)
    {
        return true;
    }
    matched_subsets[..rows].iter().enumerate().any(|(row, sets)| {
        let spent = if captures_suffice { pairs.most_excess } else { row as i32 };
        some_subset_is_consistent(sets, from, extra_captures - spent, vanished_pawns)
    })
}

/// Fills the rows with the sets of earlier pawns that can be matched with all later pawns. Row `n` has those that take `n`
/// captures beyond the fewest; if captures suffice, one row has all of them. Returns false if there are no such sets.
#[inline(always)]
fn match_subsets<const WORDS: usize>(
    pairs: &PawnMatches,
    matched_subsets: &mut [[u64; WORDS]],
    captures_suffice: bool,
) -> bool {
    matched_subsets[0][0] = 1;
    for target in 0..pairs.targets {
        let matches = &pairs.matches[target][..pairs.numbers[target]];
        let mut any = 0;
        for row in (0..matched_subsets.len()).rev() {
            let mut matched = [0; WORDS];
            for pair in matches {
                let excess = if captures_suffice { 0 } else { usize::from(pair.extra_captures) };
                if excess <= row {
                    extend_subsets::<WORDS>(&mut matched, &matched_subsets[row - excess], pair.index);
                }
            }
            matched_subsets[row] = matched;
            any |= matched.iter().fold(0, |any, word| any | word);
        }
        if any == 0 {
            return false;
        }
    }
    true
}

/// Whether for one of the sets, the pawns outside it can have vanished with this number of captures.
#[inline(always)]
fn some_subset_is_consistent<const WORDS: usize>(
    sets: &[u64; WORDS],
    from: u64,
    captures: i32,
    vanished_pawns: &VanishedPawns,
) -> bool {
    for (nth, &word) in sets.iter().enumerate() {
        let mut word = word;
        while word != 0 {
            let mut matched = nth as u32 * 64 + word.trailing_zeros();
            word &= word - 1;
            let (mut vanished, mut sources) = (0, from);
            while sources != 0 {
                let lowest = sources & sources.wrapping_neg();
                sources ^= lowest;
                if matched & 1 == 0 {
                    vanished |= lowest;
                }
                matched >>= 1;
            }
            if vanished_pawns.is_consistent(vanished, captures) {
                return true;
            }
        }
    }
    false
}

/// Takes those of `sets` that do not have pawn `index`, adds the pawn to each, and adds them to `matched`.
#[inline(always)]
fn extend_subsets<const WORDS: usize>(matched: &mut [u64; WORDS], sets: &[u64; WORDS], index: u8) {
    /// The bits of a word that stand for sets without pawn 0, without pawn 1, … without pawn 5.
    const WITHOUT: [u64; 6] = [
        0x5555_5555_5555_5555,
        0x3333_3333_3333_3333,
        0x0f0f_0f0f_0f0f_0f0f,
        0x00ff_00ff_00ff_00ff,
        0x0000_ffff_0000_ffff,
        0x0000_0000_ffff_ffff,
    ];
    match WITHOUT.get(usize::from(index)) {
        Some(without) => {
            for (matched, sets) in matched.iter_mut().zip(sets) {
                *matched |= (sets & without) << (1u32 << index);
            }
        }
        None => {
            let distance = 1 << (index - 6);
            for word in 0..WORDS {
                if word & distance == 0 && word + distance < WORDS {
                    matched[word + distance] |= sets[word];
                }
            }
        }
    }
}

/// Decides the matching of more than eight pawns, which only a FEN can have, by augmenting paths. Bishops from promotions are
/// matched with vanished pawns in the same way, since they cost one capture or none. With more than eight pawns the steps are
/// unknown.
#[cold]
#[inline(never)]
fn hungarian_matching_fits(from: u64, to: u64, captures: i32, vanished_pawns: &VanishedPawns) -> bool {
    let squares = |mut pawns: u64| {
        core::iter::from_fn(move || {
            let square = (pawns != 0).then(|| pawns.trailing_zeros() as i32);
            pawns &= pawns.wrapping_sub(1);
            square
        })
    };
    let mut assignment = PawnAssignment::new(vanished_pawns.light_files);
    for source in squares(from) {
        assignment.sources[assignment.columns] = source;
        assignment.columns += 1;
    }
    let light_bishops = (0..vanished_pawns.min_light_bishops).map(|_| PawnAssignment::LIGHT_BISHOP);
    let dark_bishops = (0..vanished_pawns.min_dark_bishops).map(|_| PawnAssignment::DARK_BISHOP);
    squares(to).chain(light_bishops).chain(dark_bishops).all(|demand| assignment.assign(demand))
        && assignment.captures() <= captures
}

/// The Hungarian method: demands (rows) are assigned to earlier pawns (columns), with the fewest captures in all.
///
/// Row and column 0 stand for no pawn.
struct PawnAssignment {
    /// The files on which a pawn promotes on a light square.
    light_files: u64,
    /// The square of the pawn of column `n + 1`.
    sources: [i32; PawnAssignment::MOST],
    columns: usize,
    /// What each row demands: the square of a later pawn, or a bishop.
    demands: [i32; PawnAssignment::MOST + 1],
    rows: usize,
    /// The row that is assigned to each column.
    row_of_column: [usize; PawnAssignment::MOST + 1],
    row_potential: [i32; PawnAssignment::MOST + 1],
    column_potential: [i32; PawnAssignment::MOST + 1],
}

impl PawnAssignment {
    const MOST: usize = 64;
    /// Demands of a promotion to a bishop, on light or on dark squares.
    const LIGHT_BISHOP: i32 = -1;
    const DARK_BISHOP: i32 = -2;
    /// The cost of an assignment that is impossible.
    const NEVER: i32 = 1 << 16;

    fn new(light_files: u64) -> PawnAssignment {
        PawnAssignment {
            light_files,
            sources: [0; Self::MOST],
            columns: 0,
            demands: [0; Self::MOST + 1],
            rows: 0,
            row_of_column: [0; Self::MOST + 1],
            row_potential: [0; Self::MOST + 1],
            column_potential: [0; Self::MOST + 1],
        }
    }

    /// The captures that it takes if the pawn of `column` meets the demand of `row`.
    fn cost(&self, row: usize, column: usize) -> i32 {
        let (demand, source) = (self.demands[row], self.sources[column - 1]);
        if let Self::LIGHT_BISHOP | Self::DARK_BISHOP = demand {
            let promotes_on_light = self.light_files >> source & 1 != 0;
            return i32::from(promotes_on_light != (demand == Self::LIGHT_BISHOP));
        }
        let aside = (demand % 8 - source % 8).abs();
        if demand / 8 - source / 8 >= aside { aside } else { Self::NEVER }
    }

    /// Assigns one more demand to a pawn, and reassigns others if that is cheaper. False if no pawn is free.
    fn assign(&mut self, demand: i32) -> bool {
        if self.rows == self.columns {
            return false;
        }
        self.rows += 1;
        self.demands[self.rows] = demand;
        self.row_of_column[0] = self.rows;
        let (mut column, predecessor) = self.cheapest_path();
        while column != 0 {
            self.row_of_column[column] = self.row_of_column[predecessor[column]];
            column = predecessor[column];
        }
        true
    }

    /// The end of the cheapest augmenting path from column 0, and the column before each on its path.
    fn cheapest_path(&mut self) -> (usize, [usize; PawnAssignment::MOST + 1]) {
        let mut least = [i32::MAX; Self::MOST + 1];
        let mut seen = [false; Self::MOST + 1];
        let mut predecessor = [0usize; Self::MOST + 1];
        let mut column = 0;
        while self.row_of_column[column] != 0 {
            seen[column] = true;
            let row = self.row_of_column[column];
            let (mut smallest, mut next) = (i32::MAX, 0);
            for other in 1..=self.columns {
                if !seen[other] {
                    let reduced = self.cost(row, other) - self.row_potential[row] - self.column_potential[other];
                    if reduced < least[other] {
                        (least[other], predecessor[other]) = (reduced, column);
                    }
                    if least[other] < smallest {
                        (smallest, next) = (least[other], other);
                    }
                }
            }
            for other in 0..=self.columns {
                if seen[other] {
                    self.row_potential[self.row_of_column[other]] += smallest;
                    self.column_potential[other] -= smallest;
                } else {
                    least[other] -= smallest;
                }
            }
            column = next;
        }
        (column, predecessor)
    }

    /// The captures of the whole assignment.
    fn captures(&self) -> i32 {
        let assigned = (1..=self.columns).filter(|&column| self.row_of_column[column] != 0);
        assigned.map(|column| self.cost(self.row_of_column[column], column)).sum()
    }
}
