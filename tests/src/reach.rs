//! The rules of reachability, written one by one and slowly: the twin of `plyfold_core::matsig::reach`. Its numbers also show
//! what each rule contributes.
//!
//! Each pawn that stands later also stood before: follow it back, and each later pawn has an earlier pawn of its own. That is
//! a matching of the later pawns with the earlier ones. A pawn changes its file only by captures, one file each, and each
//! capture removes a piece of the other side for good. Earlier pawns without a match have promoted or have been captured.

use std::collections::BTreeMap;

use plyfold_core::matsig::{MatSig, SignaturePiece};
use shakmaty::Color;

/// The rules to apply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReachabilityQuestion {
    /// The later pawns can be matched with earlier pawns.
    pub matching: bool,
    /// The numbers of pawn steps add up.
    pub steps: bool,
    /// Pawns keep their order on files without captures.
    pub files: bool,
}

/// Every rule.
pub const ALL: ReachabilityQuestion = ReachabilityQuestion { matching: true, steps: true, files: true };

/// The most pieces of a side that fit on a board.
const ROOM: i32 = 63;

/// One side of a signature, unpacked.
struct Side {
    /// Advance (0–5) and file of each pawn.
    pawns: Vec<(i32, i32)>,
    counts: [i32; 5],
    steps: Option<(i32, i32)>,
}

impl Side {
    fn of(signature: &MatSig, colour: Color) -> Side {
        let squares = (0..64).filter(|square| signature.pawns(colour) >> square & 1 != 0);
        let advance = |square: i32| if colour.is_white() { square / 8 - 1 } else { 6 - square / 8 };
        Side {
            pawns: squares.map(|square| (advance(square), square % 8)).collect(),
            counts: SignaturePiece::ALL.map(|kind| i32::from(signature.count(colour, kind))),
            steps: signature.steps(colour).map(|steps| (i32::from(*steps.start()), i32::from(*steps.end()))),
        }
    }

    fn least_pieces(&self) -> i32 {
        self.pawns.len() as i32 + self.counts.iter().sum::<i32>()
    }

    fn most_pieces(&self) -> i32 {
        if self.counts.contains(&3) { ROOM } else { self.least_pieces() }
    }

    /// The fewest and most steps that the missing pawns made; `None` if unknown.
    fn steps_of_the_gone(&self) -> Option<(i32, i32)> {
        let standing: i32 = self.pawns.iter().map(|(advance, _)| advance).sum();
        let (least, most) = self.steps?;
        // A number below the steps of the standing pawns carries no information.
        (least >= standing).then_some((least - standing, most - standing))
    }
}

/// Whether a position with signature `b` might arise from one with signature `a`, by the given rules.
pub fn can_reach(a: &MatSig, b: &MatSig, asked: ReachabilityQuestion) -> bool {
    let lost = |colour| Side::of(a, colour).most_pieces() - Side::of(b, colour).least_pieces();
    Color::ALL.into_iter().all(|colour| {
        let (before, after) = (Side::of(a, colour), Side::of(b, colour));
        let gone = before.pawns.len() as i32 - after.pawns.len() as i32;
        lost(colour) >= 0 && gone >= 0 && promotions(&before, &after).iter().sum::<i32>() <= gone
    }) && Color::ALL.into_iter().all(|colour| !asked.matching || pawns_can(a, b, colour, lost(!colour), asked.steps))
        && (!asked.files || 2 * (lost(Color::White) + lost(Color::Black)) >= dirty_files(a, b))
}

/// How many pieces of each kind must have been pawns.
fn promotions(before: &Side, after: &Side) -> [i32; 5] {
    std::array::from_fn(|kind| (after.counts[kind] - before.counts[kind]).max(0))
}

/// Whether the pawns of `colour` can get to their squares in `b` with this many captures, and the new pieces can come from
/// promotions.
fn pawns_can(a: &MatSig, b: &MatSig, colour: Color, captures: i32, steps: bool) -> bool {
    let (before, after) = (Side::of(a, colour), Side::of(b, colour));
    // The sets of pawns of `before` that have a match, with the fewest captures that each set takes.
    let mut paired = BTreeMap::from([(0u64, 0)]);
    for &(to_advance, to_file) in &after.pawns {
        let mut more = BTreeMap::new();
        for (&used, &cost) in &paired {
            for (nth, &(advance, file)) in before.pawns.iter().enumerate() {
                let aside = (to_file - file).abs();
                if used >> nth & 1 == 0 && to_advance - advance >= aside && cost + aside <= captures {
                    let fewest = more.entry(used | 1 << nth).or_insert(i32::MAX);
                    *fewest = (*fewest).min(cost + aside);
                }
            }
        }
        paired = more;
    }
    // The steps that the vanishing pawns still have to make.
    let steps_to_make = match after.steps_of_the_gone() {
        Some((least, most)) if steps && before.pawns.len() <= 8 => {
            let (gone_least, gone_most) =
                before.steps_of_the_gone().unwrap_or((0, 6 * (8 - before.pawns.len() as i32)));
            Some((least - gone_most, most - gone_least))
        }
        _ => None,
    };
    let needed = promotions(&before, &after);
    let vanished_pawns = VanishedPawns { before: &before, colour, needed, steps_to_make };
    let all = if before.pawns.len() == 64 { u64::MAX } else { (1 << before.pawns.len()) - 1 };
    paired.into_iter().any(|(used, cost)| {
        let vanished = all & !used;
        // Without a comparison of steps, it is best to promote all of them.
        let mut promoted = vanished;
        loop {
            if vanished_pawns.account_for(vanished, promoted, captures - cost) {
                return true;
            }
            if promoted == 0 || steps_to_make.is_none() {
                return false;
            }
            promoted = (promoted - 1) & vanished;
        }
    })
}

/// What the vanished pawns of one side must account for.
struct VanishedPawns<'a> {
    before: &'a Side,
    colour: Color,
    /// How many pieces of each kind they must have become.
    needed: [i32; 5],
    /// How many steps they must make from now on, at least and at most; none if steps are not compared.
    steps_to_make: Option<(i32, i32)>,
}

impl VanishedPawns<'_> {
    /// Whether the pawns `promoted`, a subset of `vanished`, can have become the needed pieces, while the other vanished
    /// pawns were captured and `captures` captures remain for changes of files.
    fn account_for(&self, vanished: u64, promoted: u64, captures: i32) -> bool {
        let pawns = |set: u64| self.before.pawns.iter().enumerate().filter(move |(nth, _)| set >> nth & 1 != 0);
        let number = promoted.count_ones() as i32;
        // a8 is light, a1 is dark.
        let parity = i32::from(self.colour.is_black());
        let light = pawns(promoted).filter(|(_, (_, file))| file % 2 == parity).count() as i32;
        let [_, needs_light, needs_dark, ..] = self.needed;
        let aside = (needs_light - light).max(0) + (needs_dark - (number - light)).max(0);
        let steps_fit = self.steps_to_make.is_none_or(|(least, most)| {
            let made: i32 = pawns(vanished & !promoted).map(|(_, (advance, _))| advance).sum();
            let captured = vanished.count_ones() as i32 - number;
            (6 * number + made).max(least) <= (6 * number + 5 * captured).min(most)
        });
        self.needed.iter().sum::<i32>() <= number && aside <= captures && steps_fit
    }
}

/// The number of files whose pawns cannot become those of `b` by moving straight ahead and promoting where nothing stands
/// before them.
fn dirty_files(a: &MatSig, b: &MatSig) -> i32 {
    let column = |signature: &MatSig, file: i32| -> Vec<(Color, i32)> {
        let on = |colour: Color, rank: i32| signature.pawns(colour) >> (8 * rank + file) & 1 != 0;
        (1..7)
            .flat_map(|rank| Color::ALL.into_iter().filter(move |&colour| on(colour, rank)).map(move |c| (c, rank)))
            .collect()
    };
    let clean = |file| {
        let (mut before, after) = (column(a, file), column(b, file));
        let number = |column: &[(Color, i32)], colour| column.iter().filter(|(c, _)| *c == colour).count();
        while number(&before, Color::White) > number(&after, Color::White) {
            if before.pop().is_none_or(|(colour, _)| colour.is_black()) {
                return false;
            }
        }
        while number(&before, Color::Black) > number(&after, Color::Black) {
            if before.is_empty() || before.remove(0).0.is_white() {
                return false;
            }
        }
        before.len() == after.len()
            && before.iter().zip(&after).all(|((colour, rank), (colour_after, rank_after))| {
                colour == colour_after && if colour.is_white() { rank <= rank_after } else { rank >= rank_after }
            })
    };
    (0..8).filter(|&file| !clean(file)).count() as i32
}
