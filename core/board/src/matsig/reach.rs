//! Decides which signatures can follow a signature: [`can_reach`] compares two of them.
//!
//! The result "no" is certain; "yes" means that none of the rules excludes it. The rules, cheapest first:
//!
//! 1. Captured *pieces* do not come back. The pawns of one side have captured at most what the other side has lost.
//! 2. *Counts* grow only by promotions, and each promotion takes a pawn.
//! 3. *Pawns* that stand later stood somewhere before: the later pawns can be matched with earlier ones, each of which is at
//!    least as many ranks behind as it is files aside. A file aside takes one capture, and all of them together are within
//!    what rule 1 allows. A bishop from a promotion takes another capture if no vanished pawn stood on a file that ends on
//!    its colour.
//! 4. *Steps*, if both signatures know them, add up: a promoted pawn has made six, a captured pawn at most five.
//! 5. *Files* on which no pawn captured and no pawn was captured keep the order of their pawns; a capture by a pawn
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

use super::pawn_matching::pawns_can_match;
use super::side_word::{FILE_A, pawn_count, pawns_per_rank, steps_by_rank, sum_nibbles, unpack_counts};
use super::vanished_pawns::VanishedPawns;
use super::{MatSig, PAWN_BITS, STEPS_SHIFT};

/// Returns whether a position with signature `b` might follow one with signature `a`. False is certain.
///
/// This holds for every game by the rules of chess from any board with two kings, whatever its material. It is not exact, because
/// a signature knows the squares of pawns only, and not which piece blocks which.
///
/// Steps are compared only if both are known. For the position of a query use [`MatSig::from_board`], never the signature of the
/// game in which the position was found.
///
/// ```
/// use plyfold_board::matsig::MatSig;
/// use plyfold_board::matsig::reach::can_reach;
/// let bare: MatSig = "0 0".parse()?;
/// assert!(can_reach(&MatSig::INITIAL, &bare));
/// assert!(!can_reach(&bare, &MatSig::INITIAL));
/// # Ok::<(), plyfold_board::matsig::MatSigParseError>(())
/// ```
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

/// The most pieces of a side that has "three or more" of a kind: what a board has room for and a word can count.
pub(super) const MAX_PIECES: i32 = 63;

/// Compares signatures as [`can_reach`] does, with other rules, which a test may make wrong.
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

/// The change of one side between two signatures.
struct SideChange {
    /// The side's words, before and after.
    before_word: u64,
    after_word: u64,
    /// The number of its pawns before.
    pawns_before: i32,
    /// The most of its pieces that can have been captured. Never negative, since promotions do not add pieces.
    max_losses: i32,
    /// The fewest promotions: of all kinds, to bishops on light squares, to bishops on dark squares.
    min_promotions: i32,
    min_light_bishop_promotions: i32,
    min_dark_bishop_promotions: i32,
}

impl SideChange {
    /// Applies rule 2 and finds the losses for rule 1; none if there are more promotions than vanished pawns.
    #[inline(always)]
    fn compare(a: u64, b: u64) -> Option<SideChange> {
        let (before, after) = (pawn_count(a & PAWN_BITS), pawn_count(b & PAWN_BITS));
        let (counts_before, counts_after) = (unpack_counts(a), unpack_counts(b));
        // Four bits each: 8 + after - before. The 8 remains if the count has not decreased.
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

    /// Applies rules 3 and 4, with `captures` pieces of the other side to capture. `as_white` mirrors the pawns of a word so that
    /// they go upwards.
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

    /// Returns for rule 4 the fewest and the most steps that the vanishing pawns make in all, counted from their home rank. None if
    /// the number is unknown.
    #[inline(always)]
    fn vanished_step_range(&self, a: u64, b: u64) -> Option<(i32, i32)> {
        // The steps of pawns that were gone already.
        let gone = |word: u64, pawns: u64| {
            let code = (word >> STEPS_SHIFT) as i32;
            let standing = steps_by_rank(pawns_per_rank(pawns));
            (1..=48).contains(&code).then(|| (code - 1 - standing, if code == 48 { 48 } else { code - 1 } - standing))
        };
        if self.after_word >> STEPS_SHIFT == 0 || self.pawns_before > 8 {
            return None;
        }
        // No game has fewer steps than its standing pawns have made.
        let (least, most) = gone(self.after_word, b).filter(|(least, _)| *least >= 0)?;
        let (gone_least, gone_most) =
            gone(self.before_word, a).filter(|(least, _)| *least >= 0).unwrap_or((0, 6 * (8 - self.pawns_before)));
        Some((least - gone_most, most - gone_least))
    }
}

/// Applies rule 5: returns whether enough files keep the order of their pawns.
#[inline(always)]
fn file_order_allows<R: ReachabilityRules>(a: &MatSig, b: &MatSig, lost: i32) -> bool {
    let max_changed_files = R::FILES_PER_CAPTURE * lost;
    if max_changed_files >= 8 {
        return true;
    }
    // The files on which pawns changed, in the lowest byte.
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

/// Whether the pawns of a file can all have stayed on it: they advanced, or promoted with no pawn ahead of them.
fn file_keeps_order(mut white: u64, mut black: u64, white_after: u64, black_after: u64) -> bool {
    // The foremost pawns of each side have promoted.
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
    // The others are in the same order, and none of them stands further back.
    let (mut before, mut after) = (white | black, white_after | black_after);
    while before != 0 && after != 0 {
        let (pawn, pawn_after) = (before & before.wrapping_neg(), after & after.wrapping_neg());
        let whites = white & pawn != 0;
        if whites != (white_after & pawn_after != 0) || (if whites { pawn > pawn_after } else { pawn < pawn_after }) {
            return false;
        }
        before ^= pawn;
        after ^= pawn_after;
    }
    before == after
}
