//! Which signatures can follow which: [`can_reach`] compares two of them.
//!
//! The answer "no" is certain; "yes" means that none of the rules excludes it. The rules, cheapest first:
//!
//! 1. Captured *pieces* do not come back. The pawns of one side have captured at most what the other side has lost.
//! 2. *Counts* grow only by promotions, and each promotion takes a pawn.
//! 3. *Pawns* that stand later stood somewhere before: the later pawns can be matched with earlier ones, each of which is at
//!    least as many ranks behind as it is files aside. A file aside takes one capture, and all of them together are within
//!    what rule 1 allows. A bishop from a promotion takes another capture if no vanished pawn stood on a file that ends on
//!    its colour.
//! 4. *Steps*, if both signatures know them, add up: a promoted pawn has made six, a captured pawn at most five.
//! 5. *Files* on which nobody captured and nobody was captured keep the order of their pawns; a capture by a pawn
//!    touches two files.
//!
//! Rule 3 for a white pawn on d2: the captures that it takes to reach each square.
//!
//! ```text
//! . . . . . . . .
//! 3 2 1 0 1 2 3 4
//! 3 2 1 0 1 2 3 4
//! 3 2 1 0 1 2 3 .
//! . 2 1 0 1 2 . .
//! . . 1 0 1 . . .
//! . . . 0 . . . .
//! . . . . . . . .
//! ```
//!
//! Pawns that have not moved are matched with themselves, which excludes nothing: a pawn that went through their square could
//! as well have stopped there. Few pawns remain to be matched, and most cases are decided by where pawns can go with no
//! capture, with one, with two; the others are decided by sets of matched pawns, one bit for each set.

use super::{COUNTS_SHIFT, MatSig, PAWN_BITS, STEPS_SHIFT};

/// Whether a position with signature `b` might follow one with signature `a`. False is certain.
///
/// This holds for every game by the rules of chess from any board with two kings, whatever its material. It is not exact, because
/// a signature knows the squares of pawns only, and not which piece blocks which.
///
/// Steps are compared only if both are known. For the position of a query use [`MatSig::from_board`], never the signature of the
/// game in which the position was found.
///
/// ```
/// use plyfold_core::matsig::MatSig;
/// use plyfold_core::matsig::reach::can_reach;
/// let bare: MatSig = "0 0".parse()?;
/// assert!(can_reach(&MatSig::INITIAL, &bare));
/// assert!(!can_reach(&bare, &MatSig::INITIAL));
/// # Ok::<(), plyfold_core::matsig::MatSigParseError>(())
/// ```
#[must_use]
#[inline]
pub fn can_reach(a: &MatSig, b: &MatSig) -> bool {
    can_reach_with::<ChessRules>(a, b)
}

/// The numbers in the rules, so that tests can show that each of them matters.
#[doc(hidden)]
pub trait ReachabilityRules {
    /// Captures that are not allowed although a piece is missing.
    const CAPTURES_WITHHELD: i32 = 0;
    /// Most steps of a pawn that was captured.
    const MAX_STEPS_OF_CAPTURED: i32 = 5;
    /// Files on which White promotes on a light square.
    const LIGHT_FILES: u64 = 0x5555_5555_5555;
    /// Files that a capture touches.
    const FILES_PER_CAPTURE: i32 = 2;
}

/// The rules of chess.
#[doc(hidden)]
pub struct ChessRules;
impl ReachabilityRules for ChessRules {}

/// The most pieces of a side with "three or more" of a kind: as many as a board has room for and a word can count.
pub(super) const MAX_PIECES: i32 = 63;
/// The a-file of a word.
pub(super) const FILE_A: u64 = 0x0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// [`can_reach`] by rules that may be wrong.
#[doc(hidden)]
#[inline]
pub fn can_reach_with<R: ReachabilityRules>(a: &MatSig, b: &MatSig) -> bool {
    let (Some(white), Some(black)) = (SideChange::compare(a.white, b.white), SideChange::compare(a.black, b.black))
    else {
        return false;
    };
    white.pawns_can_reach::<R>(black.max_losses, R::LIGHT_FILES, |word| word)
        && black.pawns_can_reach::<R>(white.max_losses, !R::LIGHT_FILES, |word| word.swap_bytes() >> 16)
        && file_order_allows::<R>(a, b, white.max_losses + black.max_losses)
}

/// What becomes of one side between two signatures.
struct SideChange {
    /// Its words.
    before_word: u64,
    after_word: u64,
    /// Pawns in `a`.
    pawns_before: i32,
    /// Men that can have been captured at most. Never negative: no side has more men where only pawns became some.
    max_losses: i32,
    /// Promotions at least: all, of bishops on light squares, on dark ones.
    min_promotions: i32,
    min_light_bishop_promotions: i32,
    min_dark_bishop_promotions: i32,
}

/// The five counts of a word, four bits each, in the order knights, dark bishops, queens, light bishops, rooks.
#[inline(always)]
pub(super) const fn unpack_counts(word: u64) -> u32 {
    let counts = (word >> COUNTS_SHIFT) as u32;
    counts & 0x333 | (counts >> 2 & 0x033) << 12
}

/// The sum of five numbers of four bits, if it is below sixteen.
#[inline(always)]
pub(super) const fn sum_nibbles(nibbles: u32) -> i32 {
    (nibbles.wrapping_mul(0x11111) >> 16 & 15) as i32
}

/// How many pawns on each rank, a byte each.
#[inline(always)]
const fn pawns_per_rank(pawns: u64) -> u64 {
    let pairs = pawns - (pawns >> 1 & 0x5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333);
    (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f
}

/// The steps of pawns that go upwards, by their numbers on each rank.
#[inline(always)]
const fn steps_by_rank(ranks: u64) -> i32 {
    (ranks.wrapping_mul(0x01_0203_0405) >> 40 & 0xff) as i32
}

/// How many pawns.
#[inline(always)]
pub(super) const fn pawn_count(pawns: u64) -> i32 {
    (pawns_per_rank(pawns).wrapping_mul(FILE_A) >> 40 & 0xff) as i32
}

impl SideChange {
    /// Rule 2, and what rule 1 counts; none if there are promotions without pawns.
    #[inline(always)]
    fn compare(a: u64, b: u64) -> Option<SideChange> {
        let (before, after) = (pawn_count(a & PAWN_BITS), pawn_count(b & PAWN_BITS));
        let (counts_before, counts_after) = (unpack_counts(a), unpack_counts(b));
        // Four bits each: 8 + after - before, and the eight stays where nothing was borrowed.
        let difference = (counts_after | 0x88888) - counts_before;
        let grown_counts = difference & 0x88888;
        let growth = difference & (grown_counts - (grown_counts >> 3));
        let promotions = sum_nibbles(growth);
        if promotions > before - after {
            return None;
        }
        let many = counts_before & counts_before >> 1 & 0x11111 != 0;
        let most = if many { MAX_PIECES } else { before + sum_nibbles(counts_before) };
        Some(SideChange {
            before_word: a,
            after_word: b,
            pawns_before: before,
            max_losses: most - (after + sum_nibbles(counts_after)),
            min_promotions: promotions,
            min_light_bishop_promotions: (growth >> 12 & 3) as i32,
            min_dark_bishop_promotions: (growth >> 4 & 3) as i32,
        })
    }

    /// Rules 3 and 4, with so many men of the other side to capture. `turned` makes a word of pawns one of pawns that
    /// go upwards.
    #[inline(always)]
    fn pawns_can_reach<R: ReachabilityRules>(
        &self,
        captures: i32,
        light_files: u64,
        as_white: impl Fn(u64) -> u64,
    ) -> bool {
        let (a, b) = (as_white(self.before_word & PAWN_BITS), as_white(self.after_word & PAWN_BITS));
        let leftover = VanishedPawns {
            min_promotions: self.min_promotions,
            min_light_bishops: self.min_light_bishop_promotions,
            min_dark_bishops: self.min_dark_bishop_promotions,
            light_files,
            steps: self.vanished_step_range(a, b),
            max_steps_of_captured: R::MAX_STEPS_OF_CAPTURED,
        };
        let captures = captures - R::CAPTURES_WITHHELD;
        let (from, to) = (a & !b, b & !a);
        if to == 0 {
            return leftover.is_consistent(from, captures);
        }
        pawns_can_match(from, to, captures, &leftover)
    }

    /// Rule 4: least and most steps that the pawns that vanish between the signatures make on their last way, counted
    /// from the home rank. None where that may be anything.
    #[inline(always)]
    fn vanished_step_range(&self, a: u64, b: u64) -> Option<(i32, i32)> {
        // Steps made by pawns that were gone already.
        let gone = |word: u64, pawns: u64| {
            let code = (word >> STEPS_SHIFT) as i32;
            let standing = steps_by_rank(pawns_per_rank(pawns));
            (1..=48).contains(&code).then(|| (code - 1 - standing, if code == 48 { 48 } else { code - 1 } - standing))
        };
        if self.after_word >> STEPS_SHIFT == 0 || self.pawns_before > 8 {
            return None;
        }
        // Fewer steps than stand on the board are those of no game.
        let (least, most) = gone(self.after_word, b).filter(|(least, _)| *least >= 0)?;
        let (gone_least, gone_most) =
            gone(self.before_word, a).filter(|(least, _)| *least >= 0).unwrap_or((0, 6 * (8 - self.pawns_before)));
        Some((least - gone_most, most - gone_least))
    }
}

/// What is asked of the pawns that vanish.
struct VanishedPawns {
    /// Promotions at least: all, of bishops on light squares, on dark ones.
    min_promotions: i32,
    min_light_bishops: i32,
    min_dark_bishops: i32,
    /// Where a pawn promotes on a light square.
    light_files: u64,
    /// Steps that they make, those that are behind them included.
    steps: Option<(i32, i32)>,
    max_steps_of_captured: i32,
}

impl VanishedPawns {
    /// Whether `vanished` fits with so many captures left.
    #[inline(always)]
    fn is_consistent(&self, vanished: u64, captures: i32) -> bool {
        match self.steps {
            None if self.min_light_bishops | self.min_dark_bishops == 0 => captures >= 0,
            None => self.bishop_color_captures(vanished) <= captures,
            Some(_) if vanished == 0 => captures >= 0 && self.steps_are_consistent(0, 0),
            Some(_) => self.some_split_is_consistent(vanished, captures),
        }
    }

    /// Whether some of `vanished` can have promoted and the others been captured.
    fn some_split_is_consistent(&self, vanished: u64, captures: i32) -> bool {
        if self.min_light_bishops | self.min_dark_bishops == 0 {
            return captures >= 0 && self.promoting_foremost_is_consistent(vanished);
        }
        let mut promoted = vanished;
        loop {
            if pawn_count(promoted) >= self.min_promotions
                && self.steps_are_consistent(promoted, vanished & !promoted)
                && self.bishop_color_captures(promoted) <= captures
            {
                return true;
            }
            if promoted == 0 {
                return false;
            }
            promoted = promoted.wrapping_sub(1) & vanished;
        }
    }

    /// The same where any pawn may promote: the foremost are best, for they leave most room to the steps of the others.
    fn promoting_foremost_is_consistent(&self, vanished: u64) -> bool {
        let (mut captured, mut promoted) = (0, vanished);
        loop {
            if self.steps_are_consistent(promoted, captured) {
                return true;
            }
            let rearmost = promoted & promoted.wrapping_neg();
            (captured, promoted) = (captured | rearmost, promoted ^ rearmost);
            if rearmost == 0 || pawn_count(promoted) < self.min_promotions {
                return false;
            }
        }
    }

    #[inline(always)]
    fn steps_are_consistent(&self, promoted: u64, captured: u64) -> bool {
        self.steps.is_none_or(|(least, most)| {
            let promoted = 6 * pawn_count(promoted);
            (promoted + steps_by_rank(pawns_per_rank(captured))).max(least)
                <= (promoted + self.max_steps_of_captured * pawn_count(captured)).min(most)
        })
    }

    /// Captures that bring promoted bishops to their colour.
    #[inline(always)]
    fn bishop_color_captures(&self, promoted: u64) -> i32 {
        let (light, dark) = (pawn_count(promoted & self.light_files), pawn_count(promoted & !self.light_files));
        (self.min_light_bishops - light).max(0) + (self.min_dark_bishops - dark).max(0)
    }
}

/// Squares that pawns go to straight ahead, their own included.
#[inline(always)]
const fn front_fill(pawns: u64) -> u64 {
    let pawns = pawns | pawns << 8;
    let pawns = pawns | pawns << 16;
    (pawns | pawns << 32) & PAWN_BITS
}

/// Rule 3 for pawns that go upwards, none of which stands on both sides.
fn pawns_can_match(from: u64, to: u64, captures: i32, vanished_pawns: &VanishedPawns) -> bool {
    // All have gone on, so on each rank and below there are no more afterwards than there were below it.
    const TOP: u64 = 0x8080_8080_8080;
    let below_before = (pawns_per_rank(from) << 8).wrapping_mul(FILE_A) & PAWN_BITS;
    let up_to_after = pawns_per_rank(to).wrapping_mul(FILE_A) & PAWN_BITS;
    if ((below_before | TOP) - up_to_after) & TOP != TOP {
        return false;
    }
    // What can be reached with no capture, with one, with two: each pawn pays at least for those that do not suffice.
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
    match pawn_count(from) {
        0..=6 => subset_matching_fits::<1>(from, to, captures, vanished_pawns),
        7..=8 => subset_matching_fits::<4>(from, to, captures, vanished_pawns),
        _ => hungarian_matching_fits(from, to, captures, vanished_pawns),
    }
}

/// Whether a matching that is easily found will do: nearest pairs on a file first, then on files beside, all at once
/// for each distance. On a file alone none has more pairs: what stands between the nearest two is nobody.
///
/// PERF: `cargo run --release -p plyfold-tests --bin signatures` on 30,000 games, nanoseconds a pair, all by sets
/// against this first: two games 142 and 73, a query and a final position 354 and 160, within a game 400 and 176, on a
/// busy machine. It settles all but one pair in ten of those that come here.
#[inline(always)]
fn greedy_matching_fits(from: u64, to: u64, captures: i32, vanished_pawns: &VanishedPawns) -> bool {
    let (mut from, mut to, mut remaining_captures) = (from, to, captures);
    for ranks in 1..6 {
        let pairs = from << (8 * ranks) & to;
        (from, to) = (from ^ pairs >> (8 * ranks), to ^ pairs);
    }
    // The files that are so many from the edge.
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

/// An earlier pawn that may be a certain later one, and the captures that this takes beyond the fewest for that one.
#[derive(Clone, Copy, Default)]
struct PawnMatch {
    index: u8,
    extra_captures: u8,
}

/// For each of at most eight later pawns, the earlier ones that it may be.
struct PawnMatches {
    /// The matches of each later pawn; `numbers` says how many there are.
    matches: [[PawnMatch; 8]; 8],
    numbers: [usize; 8],
    /// How many later pawns there are.
    targets: usize,
    /// Captures if each later pawn is matched as cheaply as possible.
    fewest_captures: i32,
    /// Captures above those if each is matched as dearly as possible.
    most_excess: i32,
}

impl PawnMatches {
    /// Compares all pawns; none if a later pawn can be none of the earlier ones.
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

/// Rows of sets of matched pawns at most: each of eight pawns goes at most five files aside.
const MATCHING_ROWS: usize = 41;

/// Decides the matching of at most eight pawns by sets of those that are matched: bit `set % 64` of word `set / 64`, a
/// row for each number of captures above the fewest thinkable.
fn subset_matching_fits<const WORDS: usize>(from: u64, to: u64, captures: i32, vanished_pawns: &VanishedPawns) -> bool {
    let Some(pairs) = PawnMatches::between(from, to) else {
        return false;
    };
    let extra_captures = captures - pairs.fewest_captures;
    if extra_captures < 0 {
        return false;
    }
    // Where everything can be paid, no row is needed.
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

/// Fills the rows with the sets of earlier pawns that can be matched with all later ones, row `n` with those that take
/// `n` captures beyond the fewest; all in one row if captures need not be counted. False if there are no such sets.
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

/// Whether one of the sets leaves pawns that can have vanished with so many captures.
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

/// Adds to `matched` the sets without pawn `index`, with it.
#[inline(always)]
fn extend_subsets<const WORDS: usize>(matched: &mut [u64; WORDS], sets: &[u64; WORDS], index: u8) {
    /// Sets without pawn 0, 1, … 5, within a word.
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

/// Decides the matching of more than eight pawns, which only a FEN can have, by augmenting paths. Bishops from promotions
/// are matched with vanished pawns in the same way, since they cost one capture or none. The steps of so many pawns are
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
/// Row and column 0 stand for nobody.
struct PawnAssignment {
    /// Where a pawn promotes on a light square.
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

    /// Captures that it takes if the pawn of `column` meets the demand of `row`.
    fn cost(&self, row: usize, column: usize) -> i32 {
        let (demand, source) = (self.demands[row], self.sources[column - 1]);
        if let Self::LIGHT_BISHOP | Self::DARK_BISHOP = demand {
            let promotes_on_light = self.light_files >> source & 1 != 0;
            return i32::from(promotes_on_light != (demand == Self::LIGHT_BISHOP));
        }
        let aside = (demand % 8 - source % 8).abs();
        if demand / 8 - source / 8 >= aside { aside } else { Self::NEVER }
    }

    /// Assigns one more demand to a pawn, and others anew where that is cheaper. False if all pawns are assigned.
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

    /// Captures of the whole assignment.
    fn captures(&self) -> i32 {
        let assigned = (1..=self.columns).filter(|&column| self.row_of_column[column] != 0);
        assigned.map(|column| self.cost(self.row_of_column[column], column)).sum()
    }
}

/// Rule 5.
#[inline(always)]
fn file_order_allows<R: ReachabilityRules>(a: &MatSig, b: &MatSig, lost: i32) -> bool {
    let max_changed_files = R::FILES_PER_CAPTURE * lost;
    if max_changed_files >= 8 {
        return true;
    }
    // Files on which anything changed, in the lowest byte.
    let changed = ((a.white ^ b.white) | (a.black ^ b.black)) & PAWN_BITS;
    let changed = changed | changed >> 24;
    let changed = (changed | changed >> 8 | changed >> 16) & 0xff;
    if (changed.count_ones() as i32) <= max_changed_files {
        return true;
    }
    let (mut disordered_files, mut rest) = (0, changed);
    while rest != 0 {
        let file = FILE_A << rest.trailing_zeros();
        rest &= rest - 1;
        disordered_files +=
            i32::from(!file_keeps_order(a.white & file, a.black & file, b.white & file, b.black & file));
    }
    disordered_files <= max_changed_files
}

/// Whether the pawns of a file have gone straight on at most, or promoted with nobody before them.
fn file_keeps_order(mut white: u64, mut black: u64, white_after: u64, black_after: u64) -> bool {
    // White's foremost pawns are gone, and Black's.
    let mut vanished = white.count_ones() as i32 - white_after.count_ones() as i32;
    if vanished < 0 {
        return false;
    }
    while vanished > 0 {
        let front_pawn = 1 << (63 - white.leading_zeros());
        if front_pawn <= black {
            return false;
        }
        white ^= front_pawn;
        vanished -= 1;
    }
    vanished = black.count_ones() as i32 - black_after.count_ones() as i32;
    if vanished < 0 {
        return false;
    }
    while vanished > 0 {
        let foremost = black & black.wrapping_neg();
        if white & (foremost - 1) != 0 {
            return false;
        }
        black ^= foremost;
        vanished -= 1;
    }
    // The others stand in the same order, and none further back.
    let (mut before, mut after) = (white | black, white_after | black_after);
    while before != 0 && after != 0 {
        let (man, man_after) = (before & before.wrapping_neg(), after & after.wrapping_neg());
        let whites = white & man != 0;
        if whites != (white_after & man_after != 0) || (if whites { man > man_after } else { man < man_after }) {
            return false;
        }
        before ^= man;
        after ^= man_after;
    }
    before == after
}
