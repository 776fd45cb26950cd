//! Stores the bounds of a game's annotations: its lowest and highest evaluation, its shortest clocks, and whether a move is a
//! blunder. A scan rejects games by them, without reading a list.

use bytemuck::{Pod, Zeroable};
use shakmaty::Color;

use super::columns::{AnnotatedGame, AnnotationColumns, AnnotationNumber, eval, seconds};
use super::judgement::Judgement;
use super::{Score, UNKNOWN_TIME};

/// The bounds of the annotations of one game, as a shard stores them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct AnnotationBounds {
    /// The lowest and the highest evaluation, with that before the first ply; if none is known, the lowest is above the highest.
    scores: [i16; 2],
    /// The shortest clock of White and of Black, [rounded down](rounded); [`NO_CLOCK`] if none is known.
    shortest_clocks: [u8; 2],
    /// The longest time spent on a move, rounded down; 0 if none is known.
    longest_time: u8,
    /// Bits 0, 1, 2: White makes an inaccuracy, a mistake, a blunder; bit 3: White is in time trouble. Bits 4 to 7: the same for Black.
    moments: u8,
}

/// The clock of a side is not known anywhere.
const NO_CLOCK: u8 = u8::MAX;
/// The longest times are rounded to this.
const LONGEST: u8 = NO_CLOCK - 1;
/// The bit of time trouble among those of a side.
const TIME_TROUBLE: u8 = 8;

impl AnnotationBounds {
    /// The bounds of a game of which nothing is known.
    pub(crate) const NOTHING: AnnotationBounds =
        AnnotationBounds { scores: [i16::MAX, i16::MIN], shortest_clocks: [NO_CLOCK; 2], longest_time: 0, moments: 0 };

    /// The bounds of a game. The columns of the game before are forgotten.
    #[inline(never)]
    pub fn of_game(columns: &mut AnnotationColumns, game: &AnnotatedGame<'_>) -> AnnotationBounds {
        let mut bounds = AnnotationBounds::NOTHING;
        if game.packed.is_empty() {
            return bounds;
        }
        columns.start_game();
        let scores = columns.scores(game);
        // The first move changes the evaluation before it, if there is one after it.
        let first = scores.first().filter(|score| score.is_known()).map(|_| game.score_at_start());
        for score in scores.iter().copied().chain(first).filter(|score| score.is_known()) {
            bounds.scores = [bounds.scores[0].min(score.0), bounds.scores[1].max(score.0)];
        }
        for (index, &clock) in columns.clocks(game).iter().enumerate().filter(|(_, clock)| **clock != UNKNOWN_TIME) {
            let shortest = &mut bounds.shortest_clocks[usize::from(game.is_blacks(index))];
            *shortest = rounded(seconds(clock)).min(*shortest);
        }
        let times = columns.column(AnnotationNumber::TimeSpent, game).iter();
        bounds.longest_time = rounded(times.fold(0, |longest, &time| longest.max(time)));
        let moments = &mut bounds.moments;
        for (index, &judgement) in columns.judgements(game).iter().enumerate().filter(|(_, judgement)| **judgement > 0)
        {
            *moments |= moment(1 << (judgement - 1), game.is_blacks(index));
        }
        game.for_each_in_time_trouble(columns, |index| *moments |= moment(TIME_TROUBLE, game.is_blacks(index)));
        bounds
    }

    /// Returns the bounds of a number wherever it is known in the game; none if it is known nowhere.
    pub fn range_of(&self, number: AnnotationNumber) -> Option<(i32, i32)> {
        let [lowest, highest] = self.scores.map(Score);
        Some(match number {
            AnnotationNumber::Eval => (lowest <= highest).then(|| (eval(lowest), eval(highest)))?,
            AnnotationNumber::MateIn => {
                let (white, black) = (soonest_mate(highest, true), soonest_mate(lowest, false));
                match (black, white) {
                    (None, None) => return None,
                    (None, Some(soonest)) => (soonest, Score::MAX_MATE),
                    (Some(soonest), None) => (-Score::MAX_MATE, -soonest),
                    (Some(_), Some(_)) => (-Score::MAX_MATE, Score::MAX_MATE),
                }
            }
            AnnotationNumber::EvalChange => {
                let most = (lowest <= highest).then(|| eval(highest) - eval(lowest))?;
                (-most, most)
            }
            AnnotationNumber::ClockTime(side) => {
                let shortest = self.shortest_clocks[usize::from(side.is_black())];
                (shortest != NO_CLOCK).then(|| (least_rounded_to(shortest), i32::MAX))?
            }
            AnnotationNumber::TimeSpent => match self.longest_time {
                LONGEST.. => (0, i32::MAX),
                longest => (0, least_rounded_to(longest + 1) - 1),
            },
        })
    }

    /// Returns whether a side makes a move with this judgement.
    pub fn has_judged(&self, judgement: Judgement, mover: Color) -> bool {
        self.moments & moment(1 << (judgement as u8 - 1), mover.is_black()) != 0
    }

    /// Returns whether a side is ever in time trouble.
    pub fn has_time_trouble(&self, mover: Color) -> bool {
        self.moments & moment(TIME_TROUBLE, mover.is_black()) != 0
    }
}

/// The moves to a mate by this side, if the score is one.
fn soonest_mate(score: Score, by_white: bool) -> Option<i32> {
    score.as_mate().filter(|&(_, white_mates)| white_mates == by_white).map(|(moves, _)| moves as i32)
}

/// Returns this bit for White, or the same bit for Black.
const fn moment(bit: u8, is_blacks: bool) -> u8 {
    if is_blacks { bit << 4 } else { bit }
}

/// Up to so many seconds are stored exactly.
const EXACT_SECONDS: i32 = 64;
/// Longer times have the five highest bits of their number of seconds.
const STEPS: i32 = 16;

/// A number of seconds in a byte, rounded down. Order is kept.
fn rounded(seconds: i32) -> u8 {
    if seconds < EXACT_SECONDS {
        return seconds.max(0) as u8;
    }
    let doublings = (seconds / EXACT_SECONDS).ilog2() as i32;
    let step = (seconds >> (doublings + 2)) - STEPS;
    (EXACT_SECONDS + doublings * STEPS + step).min(LONGEST.into()) as u8
}

/// The least number of seconds that is rounded to this.
fn least_rounded_to(byte: u8) -> i32 {
    match i32::from(byte) - EXACT_SECONDS {
        ..0 => byte.into(),
        longer => (STEPS + longer % STEPS) << (longer / STEPS + 2),
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;
    use crate::columns::UNKNOWN;
    use crate::{GameAnnotations, PackedAnnotations};

    proptest! {
        #[test]
        fn times_are_rounded_down_in_order(seconds in prop_oneof![0i32..200, 0i32..1_000_000, any::<i32>()], more in 0i32..100) {
            let byte = rounded(seconds);
            prop_assert!(least_rounded_to(byte) <= seconds.max(0) && byte < NO_CLOCK);
            prop_assert!(byte == LONGEST || seconds < least_rounded_to(byte + 1));
            prop_assert!(byte <= rounded(seconds.saturating_add(more)));
            prop_assert_eq!(rounded(least_rounded_to(byte)), byte);
        }

        #[test]
        fn every_number_lies_between_the_bounds(
            scores in prop::collection::vec((-700i32..700, any::<bool>()), 0..70),
            times in prop::collection::vec((0u32..90_000, 0u32..9_000), 0..70), is_black_first: bool, has_initial_start: bool,
        ) {
            let score = |(number, is_near): (i32, bool)| match number.abs() {
                690.. => Score::UNKNOWN,
                680.. => Score::mate(number.unsigned_abs(), number > 0),
                _ => Score::centipawns(if is_near { number / 8 } else { number }),
            };
            let known = |time: u32| if time % 10 == 9 { UNKNOWN_TIME } else { time };
            let annotations = GameAnnotations {
                scores: scores.into_iter().map(score).collect(),
                clocks: times.iter().map(|&(clock, _)| known(clock)).collect(),
                elapsed: times.iter().map(|&(_, spent)| known(spent)).take(20).collect(),
                ..GameAnnotations::default()
            };
            let mut bytes = Vec::new();
            annotations.pack(&mut bytes);
            let first_mover = if is_black_first { Color::Black } else { Color::White };
            let packed = PackedAnnotations::new(&bytes);
            let game = AnnotatedGame { number: 0, packed, plies: annotations.plies(), first_mover, has_initial_start };
            let mut columns = AnnotationColumns::default();
            let bounds = AnnotationBounds::of_game(&mut columns, &game);
            columns.start_game();
            use AnnotationNumber::{ClockTime, Eval, EvalChange, MateIn, TimeSpent};
            for number in [Eval, MateIn, EvalChange, ClockTime(Color::White), ClockTime(Color::Black), TimeSpent] {
                let known: Vec<i32> =
                    columns.column(number, &game).iter().copied().filter(|&one| one != UNKNOWN).collect();
                let range = bounds.range_of(number);
                let holds = |one: &i32| range.is_some_and(|(least, greatest)| (least..=greatest).contains(one));
                prop_assert!(known.iter().all(holds), "{:?}: {:?} beyond {:?}", number, known, range);
            }
            for side in Color::ALL {
                let of_side = |index: &usize| game.is_blacks(*index) == side.is_black();
                for judgement in [Judgement::Inaccuracy, Judgement::Mistake, Judgement::Blunder] {
                    let judged = columns.judgements(&game).iter().enumerate().filter(|(index, _)| of_side(index));
                    let is_made = judged.into_iter().any(|(_, &judged)| judged == judgement as u8);
                    prop_assert_eq!(bounds.has_judged(judgement, side), is_made);
                }
                let mut is_short = false;
                game.for_each_in_time_trouble(&mut columns, |index| is_short |= of_side(&index));
                prop_assert_eq!(bounds.has_time_trouble(side), is_short);
            }
        }
    }
}
