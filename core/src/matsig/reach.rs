//! What can be reached from where: [`can_reach`] of two signatures.
//!
//! "No" is certain; "yes" means that nothing here speaks against it. The rules, cheapest first:
//!
//! 1. *Men* do not come back. What one side has lost is what the other side's pawns may have captured.
//! 2. *Numbers* grow by promotions alone, and each takes a pawn.
//! 3. *Pawns* that stand later have stood before: there is a matching of the later pawns with earlier ones, each at
//!    least as far behind as it is aside, and all steps aside together, one capture each, are within what rule 1
//!    allows. Bishops of promotions cost another capture where no vanished pawn stood on a file that ends on their
//!    colour.
//! 4. *Steps*, where both are known, add up: a promoted pawn has made six, a captured one at most five.
//! 5. *Files* on which nobody captured and nobody was captured keep the order of their pawns; a capture by a pawn
//!    touches two.
//!
//! Pawns that have not moved are matched with themselves, and nothing is lost by it: what went through their square
//! could as well have stopped there. What is left to match is small, and most of it is settled by where the pawns could
//! go with no capture, with one, with two; the rest is decided by sets of matched pawns, a bit a set.

use super::{COUNTS, MatSig, PAWNS, STEPS};

/// Whether a position with signature `b` might come of one with signature `a`. False is definite.
///
/// Sound for all that the rules of chess can lead to from any board with two kings, whatever its material. Not exact:
/// squares other than those of pawns are unknown, and so is what blocks whom.
///
/// Steps are compared only where they are known: of a query take [`MatSig::of`], never those of the game it was found
/// in.
///
/// ```
/// use plyfold_core::matsig::MatSig;
/// use plyfold_core::matsig::reach::can_reach;
/// let bare: MatSig = "0 0".parse()?;
/// assert!(can_reach(&MatSig::INITIAL, &bare));
/// assert!(!can_reach(&bare, &MatSig::INITIAL));
/// # Ok::<(), plyfold_core::matsig::ParseError>(())
/// ```
#[must_use]
#[inline]
pub fn can_reach(a: &MatSig, b: &MatSig) -> bool {
    can_reach_by::<Chess>(a, b)
}

/// The numbers in the rules, so that tests can see each of them fail.
#[doc(hidden)]
pub trait Rules {
    /// Captures that are not allowed though a man is missing.
    const CAPTURES_WITHHELD: i32 = 0;
    /// Most steps of a pawn that was captured.
    const STEPS_OF_CAPTURED: i32 = 5;
    /// Files on which White promotes on a light square.
    const LIGHT_FILES: u64 = 0x5555_5555_5555;
    /// Files that a capture touches.
    const FILES_OF_A_CAPTURE: i32 = 2;
}

/// The rules of chess.
#[doc(hidden)]
pub struct Chess;
impl Rules for Chess {}

/// What "three or more" of a kind may bring a side to: as many men as a board has room for, and as a word can count.
pub(super) const ROOM: i32 = 63;
/// The a-file of a word.
pub(super) const FILE_A: u64 = 0x0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// [`can_reach`] by rules that may be wrong.
#[doc(hidden)]
#[inline]
pub fn can_reach_by<R: Rules>(a: &MatSig, b: &MatSig) -> bool {
    let (Some(white), Some(black)) = (Side::between(a.white, b.white), Side::between(a.black, b.black)) else {
        return false;
    };
    white.can::<R>(black.lost, R::LIGHT_FILES, |word| word)
        && black.can::<R>(white.lost, !R::LIGHT_FILES, |word| word.swap_bytes() >> 16)
        && files_can::<R>(a, b, white.lost + black.lost)
}

/// What becomes of one side between two signatures.
struct Side {
    /// Its words.
    a: u64,
    b: u64,
    /// Pawns in `a`.
    before: i32,
    /// Men that can have been captured at most. Never negative: no side has more men where only pawns became some.
    lost: i32,
    /// Promotions at least: all, of bishops on light squares, on dark ones.
    promotions: i32,
    light: i32,
    dark: i32,
}

/// The five counts of a word, four bits each, in the order knights, dark bishops, queens, light bishops, rooks.
#[inline(always)]
pub(super) const fn counts(word: u64) -> u32 {
    let counts = (word >> COUNTS) as u32;
    counts & 0x333 | (counts >> 2 & 0x033) << 12
}

/// The sum of five numbers of four bits, if it is below sixteen.
#[inline(always)]
pub(super) const fn sum(nibbles: u32) -> i32 {
    (nibbles.wrapping_mul(0x11111) >> 16 & 15) as i32
}

/// How many pawns on each rank, a byte each.
#[inline(always)]
const fn ranks(pawns: u64) -> u64 {
    let pairs = pawns - (pawns >> 1 & 0x5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333);
    (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f
}

/// The steps of pawns that go upwards, by their numbers on each rank.
#[inline(always)]
const fn steps_of(ranks: u64) -> i32 {
    (ranks.wrapping_mul(0x01_0203_0405) >> 40 & 0xff) as i32
}

/// How many pawns.
#[inline(always)]
pub(super) const fn number(pawns: u64) -> i32 {
    (ranks(pawns).wrapping_mul(FILE_A) >> 40 & 0xff) as i32
}

impl Side {
    /// Rule 2, and what rule 1 counts; none if there are promotions without pawns.
    #[inline(always)]
    fn between(a: u64, b: u64) -> Option<Side> {
        let (before, after) = (number(a & PAWNS), number(b & PAWNS));
        let (counts_before, counts_after) = (counts(a), counts(b));
        // Four bits each: 8 + after - before, and the eight stays where nothing was borrowed.
        let difference = (counts_after | 0x88888) - counts_before;
        let grown = difference & 0x88888;
        let growth = difference & (grown - (grown >> 3));
        let promotions = sum(growth);
        if promotions > before - after {
            return None;
        }
        let many = counts_before & counts_before >> 1 & 0x11111 != 0;
        let most = if many { ROOM } else { before + sum(counts_before) };
        Some(Side {
            a,
            b,
            before,
            lost: most - (after + sum(counts_after)),
            promotions,
            light: (growth >> 12 & 3) as i32,
            dark: (growth >> 4 & 3) as i32,
        })
    }

    /// Rules 3 and 4, with so many men of the other side to capture. `turned` makes a word of pawns one of pawns that
    /// go upwards.
    #[inline(always)]
    fn can<R: Rules>(&self, captures: i32, light_files: u64, turned: impl Fn(u64) -> u64) -> bool {
        let (a, b) = (turned(self.a & PAWNS), turned(self.b & PAWNS));
        let leftover = Leftover {
            promotions: self.promotions,
            light: self.light,
            dark: self.dark,
            light_files,
            steps: self.steps(a, b),
            captured_most: R::STEPS_OF_CAPTURED,
        };
        let captures = captures - R::CAPTURES_WITHHELD;
        let (from, to) = (a & !b, b & !a);
        if to == 0 {
            return leftover.fits(from, captures);
        }
        matching(from, to, captures, &leftover)
    }

    /// Rule 4: least and most steps that the pawns that vanish between the signatures make on their last way, counted
    /// from the home rank. None where that may be anything.
    #[inline(always)]
    fn steps(&self, a: u64, b: u64) -> Option<(i32, i32)> {
        // Steps made by pawns that were gone already.
        let gone = |word: u64, pawns: u64| {
            let code = (word >> STEPS) as i32;
            let standing = steps_of(ranks(pawns));
            (1..=48).contains(&code).then(|| (code - 1 - standing, if code == 48 { 48 } else { code - 1 } - standing))
        };
        if self.b >> STEPS == 0 || self.before > 8 {
            return None;
        }
        // Fewer steps than stand on the board are those of no game.
        let (least, most) = gone(self.b, b).filter(|(least, _)| *least >= 0)?;
        let (gone_least, gone_most) =
            gone(self.a, a).filter(|(least, _)| *least >= 0).unwrap_or((0, 6 * (8 - self.before)));
        Some((least - gone_most, most - gone_least))
    }
}

/// What is asked of the pawns that vanish.
struct Leftover {
    /// Promotions at least: all, of bishops on light squares, on dark ones.
    promotions: i32,
    light: i32,
    dark: i32,
    /// Where a pawn promotes on a light square.
    light_files: u64,
    /// Steps that they make, those that are behind them included.
    steps: Option<(i32, i32)>,
    captured_most: i32,
}

impl Leftover {
    /// Whether `vanished` fits with so many captures left.
    #[inline(always)]
    fn fits(&self, vanished: u64, captures: i32) -> bool {
        match self.steps {
            None if self.light | self.dark == 0 => captures >= 0,
            None => self.aside(vanished) <= captures,
            Some(_) if vanished == 0 => captures >= 0 && self.steps_fit(0, 0),
            Some(_) => self.some_fit(vanished, captures),
        }
    }

    /// Whether some of `vanished` can have promoted and the others been captured.
    fn some_fit(&self, vanished: u64, captures: i32) -> bool {
        if self.light | self.dark == 0 {
            return captures >= 0 && self.foremost_fit(vanished);
        }
        let mut promoted = vanished;
        loop {
            if number(promoted) >= self.promotions
                && self.steps_fit(promoted, vanished & !promoted)
                && self.aside(promoted) <= captures
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
    fn foremost_fit(&self, vanished: u64) -> bool {
        let (mut captured, mut promoted) = (0, vanished);
        loop {
            if self.steps_fit(promoted, captured) {
                return true;
            }
            let hindmost = promoted & promoted.wrapping_neg();
            (captured, promoted) = (captured | hindmost, promoted ^ hindmost);
            if hindmost == 0 || number(promoted) < self.promotions {
                return false;
            }
        }
    }

    #[inline(always)]
    fn steps_fit(&self, promoted: u64, captured: u64) -> bool {
        self.steps.is_none_or(|(least, most)| {
            let promoted = 6 * number(promoted);
            (promoted + steps_of(ranks(captured))).max(least)
                <= (promoted + self.captured_most * number(captured)).min(most)
        })
    }

    /// Captures that bring promoted bishops to their colour.
    #[inline(always)]
    fn aside(&self, promoted: u64) -> i32 {
        let (light, dark) = (number(promoted & self.light_files), number(promoted & !self.light_files));
        (self.light - light).max(0) + (self.dark - dark).max(0)
    }
}

/// Squares that pawns go to straight ahead, their own included.
#[inline(always)]
const fn ahead(pawns: u64) -> u64 {
    let pawns = pawns | pawns << 8;
    let pawns = pawns | pawns << 16;
    (pawns | pawns << 32) & PAWNS
}

/// Rule 3 for pawns that go upwards, none of which stands on both sides.
fn matching(from: u64, to: u64, captures: i32, leftover: &Leftover) -> bool {
    // All have gone on, so on each rank and below there are no more afterwards than there were below it.
    const TOP: u64 = 0x8080_8080_8080;
    let below_before = (ranks(from) << 8).wrapping_mul(FILE_A) & PAWNS;
    let up_to_after = ranks(to).wrapping_mul(FILE_A) & PAWNS;
    if ((below_before | TOP) - up_to_after) & TOP != TOP {
        return false;
    }
    // What can be reached with no capture, with one, with two: each pawn pays at least for those that do not suffice.
    let mut reached = ahead(from);
    let mut slack = captures;
    loop {
        let missing = to & !reached;
        if missing == 0 {
            break;
        }
        slack -= number(missing);
        let further = ahead(reached | reached << 9 & !FILE_A & PAWNS | reached << 7 & !FILE_H & PAWNS);
        if slack < 0 || further == reached {
            return false;
        }
        reached = further;
    }
    if likely(from, to, captures, leftover) {
        return true;
    }
    match number(from) {
        0..=6 => cover::<1>(from, to, captures, leftover),
        7..=8 => cover::<4>(from, to, captures, leftover),
        _ => crowd(from, to, captures, leftover),
    }
}

/// Whether a matching that is easily found will do: nearest pairs on a file first, then on files beside, all at once
/// for each distance. On a file alone none has more pairs: what stands between the nearest two is nobody.
///
/// PERF: `cargo run --release -p plyfold-tests --bin signatures` on 30,000 games, nanoseconds a pair, all by sets
/// against this first: two games 142 and 73, a query and a final position 354 and 160, within a game 400 and 176, on a
/// busy machine. It settles all but one pair in ten of those that come here.
#[inline(always)]
fn likely(from: u64, to: u64, captures: i32, leftover: &Leftover) -> bool {
    let (mut from, mut to, mut left) = (from, to, captures);
    for ranks in 1..6 {
        let pairs = from << (8 * ranks) & to;
        (from, to) = (from ^ pairs >> (8 * ranks), to ^ pairs);
    }
    // The files that are so many from the edge.
    let (mut not_right, mut not_left) = (!FILE_H, !FILE_A);
    let mut aside = 1;
    while to != 0 && left >= aside && aside < 6 {
        for ranks in aside..6 {
            let (right, leftwards) = (8 * ranks + aside, 8 * ranks - aside);
            let pairs = (from & not_right) << right & to;
            (from, to, left) = (from ^ pairs >> right, to ^ pairs, left - aside * pairs.count_ones() as i32);
            let pairs = (from & not_left) << leftwards & to;
            (from, to, left) = (from ^ pairs >> leftwards, to ^ pairs, left - aside * pairs.count_ones() as i32);
        }
        (not_right, not_left) = (not_right & not_right >> 1, not_left & not_left << 1);
        aside += 1;
    }
    to == 0 && leftover.fits(from, left)
}

/// A pawn of `from` that may be one of `to`, and captures that this takes beyond the fewest for that one.
#[derive(Clone, Copy, Default)]
struct Pair {
    index: u8,
    excess: u8,
}

/// Decides the matching of at most eight pawns by sets of those that are matched: bit `set % 64` of word `set / 64`, a
/// row for each number of captures above the fewest thinkable.
fn cover<const WORDS: usize>(from: u64, to: u64, captures: i32, leftover: &Leftover) -> bool {
    const ROWS: usize = 41;
    let mut pairs = [[Pair::default(); 8]; 8];
    let mut numbers = [0; 8];
    let (mut slack, mut most_excess) = (captures, 0);
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
                pairs[targets][found] = Pair { index, excess: aside as u8 };
                found += 1;
                (fewest, most) = (fewest.min(aside), most.max(aside));
            }
            index += 1;
        }
        if found == 0 {
            return false;
        }
        for pair in &mut pairs[targets][..found] {
            pair.excess -= fewest as u8;
        }
        numbers[targets] = found;
        slack -= fewest;
        most_excess += most - fewest;
        targets += 1;
    }
    if slack < 0 {
        return false;
    }
    // Where everything can be paid, no row is needed.
    let free = slack >= most_excess + leftover.light + leftover.dark;
    let rows = if free { 1 } else { (slack.min(most_excess) + 1) as usize };
    let mut sets = [[0u64; WORDS]; ROWS];
    sets[0][0] = 1;
    for target in 0..targets {
        let pairs = &pairs[target][..numbers[target]];
        let mut any = 0;
        for row in (0..rows).rev() {
            let mut matched = [0; WORDS];
            for pair in pairs {
                let excess = if free { 0 } else { usize::from(pair.excess) };
                if excess <= row {
                    add::<WORDS>(&mut matched, &sets[row - excess], pair.index);
                }
            }
            sets[row] = matched;
            any |= matched.iter().fold(0, |any, word| any | word);
        }
        if any == 0 {
            return false;
        }
    }
    if leftover.steps.is_none() && (free || leftover.light | leftover.dark == 0) {
        return true;
    }
    for (row, sets) in sets[..rows].iter().enumerate() {
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
                let left = if free { slack - most_excess } else { slack - row as i32 };
                if leftover.fits(vanished, left) {
                    return true;
                }
            }
        }
    }
    false
}

/// Adds to `matched` the sets without pawn `index`, with it.
#[inline(always)]
fn add<const WORDS: usize>(matched: &mut [u64; WORDS], sets: &[u64; WORDS], index: u8) {
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

/// Decides the matching of more pawns than eight, of positions that only a FEN can give: by augmenting paths. Bishops
/// of promotions are matched with vanishing pawns in the same way, for they cost one capture or none. Steps are unknown
/// of so many.
#[cold]
#[inline(never)]
fn crowd(from: u64, to: u64, captures: i32, leftover: &Leftover) -> bool {
    const MOST: usize = 64;
    const NEVER: i32 = 1 << 16;
    let squares = |mut pawns: u64| {
        core::iter::from_fn(move || {
            let square = (pawns != 0).then(|| pawns.trailing_zeros() as i32);
            pawns &= pawns.wrapping_sub(1);
            square
        })
    };
    let mut sources = [0; MOST];
    let mut columns = 0;
    for source in squares(from) {
        sources[columns] = source;
        columns += 1;
    }
    // What a row asks for: a pawn on a square, or a bishop of a colour.
    let bishops = (0..leftover.light).map(|_| -1).chain((0..leftover.dark).map(|_| -2));
    let cost = |wanted: i32, source: i32| match wanted {
        -1 | -2 => i32::from((leftover.light_files >> source & 1 != 0) != (wanted == -1)),
        square => {
            let aside = (square % 8 - source % 8).abs();
            if square / 8 - source / 8 >= aside { aside } else { NEVER }
        }
    };
    // The Hungarian method with potentials; row and column 0 stand for nobody.
    let (mut of_row, mut of_column) = ([0; MOST + 1], [0; MOST + 1]);
    let mut wants = [0; MOST + 1];
    let mut matched = [0usize; MOST + 1];
    let mut rows = 0;
    for wanted in squares(to).chain(bishops) {
        if rows == columns {
            return false;
        }
        rows += 1;
        wants[rows] = wanted;
        matched[0] = rows;
        let mut least = [i32::MAX; MOST + 1];
        let mut seen = [false; MOST + 1];
        let mut way = [0usize; MOST + 1];
        let mut column = 0;
        while matched[column] != 0 {
            seen[column] = true;
            let row = matched[column];
            let (mut smallest, mut next) = (i32::MAX, 0);
            for other in 1..=columns {
                if !seen[other] {
                    let reduced = cost(wants[row], sources[other - 1]) - of_row[row] - of_column[other];
                    if reduced < least[other] {
                        (least[other], way[other]) = (reduced, column);
                    }
                    if least[other] < smallest {
                        (smallest, next) = (least[other], other);
                    }
                }
            }
            for other in 0..=columns {
                if seen[other] {
                    of_row[matched[other]] += smallest;
                    of_column[other] -= smallest;
                } else {
                    least[other] -= smallest;
                }
            }
            column = next;
        }
        while column != 0 {
            matched[column] = matched[way[column]];
            column = way[column];
        }
    }
    let paid: i32 =
        (1..=columns).filter(|&column| matched[column] != 0).map(|c| cost(wants[matched[c]], sources[c - 1])).sum();
    paid <= captures
}

/// Rule 5.
#[inline(always)]
fn files_can<R: Rules>(a: &MatSig, b: &MatSig, lost: i32) -> bool {
    let allowed = R::FILES_OF_A_CAPTURE * lost;
    if allowed >= 8 {
        return true;
    }
    // Files on which anything changed, in the lowest byte.
    let changed = ((a.white ^ b.white) | (a.black ^ b.black)) & PAWNS;
    let changed = changed | changed >> 24;
    let changed = (changed | changed >> 8 | changed >> 16) & 0xff;
    if (changed.count_ones() as i32) <= allowed {
        return true;
    }
    let (mut dirty, mut rest) = (0, changed);
    while rest != 0 {
        let file = FILE_A << rest.trailing_zeros();
        rest &= rest - 1;
        dirty += i32::from(!clean(a.white & file, a.black & file, b.white & file, b.black & file));
    }
    dirty <= allowed
}

/// Whether the pawns of a file have gone straight on at most, or promoted with nobody before them.
fn clean(mut white: u64, mut black: u64, white_after: u64, black_after: u64) -> bool {
    // White's foremost pawns are gone, and Black's.
    let mut gone = white.count_ones() as i32 - white_after.count_ones() as i32;
    if gone < 0 {
        return false;
    }
    while gone > 0 {
        let foremost = 1 << (63 - white.leading_zeros());
        if foremost <= black {
            return false;
        }
        white ^= foremost;
        gone -= 1;
    }
    gone = black.count_ones() as i32 - black_after.count_ones() as i32;
    if gone < 0 {
        return false;
    }
    while gone > 0 {
        let foremost = black & black.wrapping_neg();
        if white & (foremost - 1) != 0 {
            return false;
        }
        black ^= foremost;
        gone -= 1;
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
