//! Turns annotations into columns of numbers: each list of a game is read once, and gives one number a ply.
//!
//! A number is unknown wherever the PGN does not say it. GRAMMAR.md defines the numbers.

use alloc::vec::Vec;

use shakmaty::Color;

use super::packed::Parts;
use super::{PackedAnnotations, Score, UNKNOWN_TIME};

/// A number that annotations give of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnnotationNumber {
    /// Centipawns from White's side, [`MATE_VALUE`] for a mate.
    Eval,
    /// Moves to mate, negative if Black mates.
    MateIn,
    /// What the move changed of [`Eval`](AnnotationNumber::Eval), from the side of the player who made it.
    EvalChange,
    /// The clock of a side after its last move, in seconds.
    ClockTime(Color),
    /// The seconds that the move took.
    TimeSpent,
}

impl AnnotationNumber {
    const COUNT: usize = 6;

    const fn slot(self) -> usize {
        match self {
            AnnotationNumber::Eval => 0,
            AnnotationNumber::MateIn => 1,
            AnnotationNumber::EvalChange => 2,
            AnnotationNumber::ClockTime(Color::White) => 3,
            AnnotationNumber::ClockTime(Color::Black) => 4,
            AnnotationNumber::TimeSpent => 5,
        }
    }
}

/// The evaluation of a mate for White in centipawns, more than any other.
pub const MATE_VALUE: i32 = 100_000;
/// The evaluation of the initial position, as Lichess assumes it.
const INITIAL_SCORE: i32 = 15;
/// A number that is not known.
pub const UNKNOWN: i32 = i32::MIN;

/// A game whose annotations are read.
#[derive(Clone, Copy, Debug)]
pub struct AnnotatedGame<'a> {
    /// Its number in the corpus, from 0.
    pub number: u32,
    /// Its annotations.
    pub packed: PackedAnnotations<'a>,
    /// Its length.
    pub plies: usize,
    /// Who makes the first move.
    pub first_mover: Color,
    /// Whether it begins with the initial position.
    pub has_initial_start: bool,
}

impl AnnotatedGame<'_> {
    /// The evaluation before the first ply, if it counts as known.
    pub(super) fn score_at_start(&self) -> Score {
        if self.has_initial_start { Score::centipawns(INITIAL_SCORE) } else { Score::UNKNOWN }
    }

    /// Returns whether Black makes the ply with this index.
    #[inline(always)]
    pub fn is_blacks(&self, index: usize) -> bool {
        (index % 2 == 1) != self.first_mover.is_black()
    }
}

/// The columns of one game, each made when it is first asked for; the next game reuses the memory.
#[derive(Default)]
pub struct AnnotationColumns {
    pub(super) scores: Vec<Score>,
    clocks: Vec<u32>,
    elapsed: Vec<u32>,
    columns: [Vec<i32>; AnnotationNumber::COUNT],
    /// The columns that are made, a bit each.
    made: u32,
    /// Whether the scores are read.
    has_scores: bool,
    /// The judgement of each move; empty if they have not been asked for.
    pub(super) judgements: Vec<u8>,
}

impl AnnotationColumns {
    /// Forgets the game before.
    #[inline]
    pub fn start_game(&mut self) {
        (self.made, self.has_scores) = (0, false);
        self.judgements.clear();
    }

    /// The numbers after each ply of the game, [`UNKNOWN`] where they are not known.
    pub fn column(&mut self, number: AnnotationNumber, game: &AnnotatedGame<'_>) -> &[i32] {
        let slot = number.slot();
        if self.made >> slot & 1 == 0 {
            self.made |= 1 << slot;
            let mut column = core::mem::take(&mut self.columns[slot]);
            column.clear();
            self.fill_column(number, game, &mut column);
            column.resize(game.plies, UNKNOWN);
            self.columns[slot] = column;
        }
        &self.columns[slot]
    }

    fn fill_column(&mut self, number: AnnotationNumber, game: &AnnotatedGame<'_>, column: &mut Vec<i32>) {
        match number {
            AnnotationNumber::Eval => column.extend(self.scores(game).iter().map(|&score| eval(score))),
            AnnotationNumber::MateIn => column.extend(self.scores(game).iter().map(|score| match score.as_mate() {
                None => UNKNOWN,
                Some((moves, true)) => moves as i32,
                Some((moves, false)) => -(moves as i32),
            })),
            AnnotationNumber::EvalChange => {
                let mut before = eval(game.score_at_start());
                for (index, &now) in self.column(AnnotationNumber::Eval, game).iter().enumerate() {
                    let change =
                        if game.is_blacks(index) { before.wrapping_sub(now) } else { now.wrapping_sub(before) };
                    column.push(if before == UNKNOWN || now == UNKNOWN { UNKNOWN } else { change });
                    before = now;
                }
            }
            AnnotationNumber::ClockTime(side) => {
                self.read_times(game);
                let mut clock = UNKNOWN;
                for index in 0..game.plies {
                    if game.is_blacks(index) == side.is_black() {
                        clock = seconds(self.clocks.get(index).copied().unwrap_or(UNKNOWN_TIME));
                    }
                    column.push(clock);
                }
            }
            AnnotationNumber::TimeSpent => {
                let increment = self.read_times(game);
                self.add_times_spent(increment, game.plies, column);
            }
        }
    }

    /// The evaluations after each ply, fewer if the last ones are unknown.
    pub fn scores(&mut self, game: &AnnotatedGame<'_>) -> &[Score] {
        if !core::mem::replace(&mut self.has_scores, true) {
            game.packed.parts().unwrap_or_default().read_scores(game.plies, &mut self.scores);
        }
        &self.scores
    }

    /// The clocks after each ply of the side that moved, in tenths of a second or [`UNKNOWN_TIME`]; fewer if the last ones are unknown.
    pub fn clocks(&mut self, game: &AnnotatedGame<'_>) -> &[u32] {
        game.packed.parts().unwrap_or_default().read_clocks(game.plies, &mut self.clocks);
        &self.clocks
    }

    /// Reads the clocks and times, and returns the increment in tenths of a second.
    fn read_times(&mut self, game: &AnnotatedGame<'_>) -> u32 {
        let parts: Parts<'_> = game.packed.parts().unwrap_or_default();
        parts.read_clocks(game.plies, &mut self.clocks);
        parts.read_elapsed(game.plies, &mut self.elapsed);
        parts.control.increment
    }

    /// Adds the seconds that each move took: as written, or else by the clocks after it and after the move before of its side.
    fn add_times_spent(&self, increment: u32, plies: usize, column: &mut Vec<i32>) {
        // PERF: clocks are subtracted many at once; only times that are written are looked at one by one.
        let by_clocks = self.clocks.iter().zip(self.clocks.iter().skip(2)).map(|(&before, &now)| {
            let is_known = (before != UNKNOWN_TIME) & (now != UNKNOWN_TIME);
            let available = before.saturating_add(increment);
            let spent = (available.wrapping_sub(now) / 10) as i32;
            if is_known & (available >= now) { spent } else { UNKNOWN }
        });
        column.extend([UNKNOWN; 2].into_iter().take(plies));
        column.extend(by_clocks);
        column.resize(plies, UNKNOWN);
        for (spent, &written) in column.iter_mut().zip(&self.elapsed).filter(|(_, written)| **written != UNKNOWN_TIME) {
            *spent = seconds(written);
        }
    }
}

impl AnnotatedGame<'_> {
    /// Calls `visit` with the index of each ply with this mark.
    pub fn for_each_marked(&self, mark: u8, mut visit: impl FnMut(usize)) {
        let visit_equal = |ply: u16, other: u8| {
            if other == mark {
                visit(usize::from(ply) - 1);
            }
        };
        self.packed.parts().unwrap_or_default().for_each_mark(visit_equal);
    }

    /// Calls `visit` with the index of each ply after which the side that moved is in time trouble.
    pub fn for_each_in_time_trouble(&self, columns: &mut AnnotationColumns, mut visit: impl FnMut(usize)) {
        let parts = self.packed.parts().unwrap_or_default();
        let limit = match parts.control.base {
            0 => TIME_TROUBLE_WITHOUT_BASE,
            base => (base / 10).min(MAX_TIME_TROUBLE),
        };
        parts.read_clocks(self.plies, &mut columns.clocks);
        let is_short = |clock: u32| clock < limit;
        columns.clocks.iter().enumerate().filter(|(_, clock)| is_short(**clock)).for_each(|(index, _)| visit(index));
    }
}

/// Less than this is time trouble if nothing is known of the base time: thirty seconds, in tenths.
const TIME_TROUBLE_WITHOUT_BASE: u32 = 300;
/// Less than this can be time trouble: five minutes, in tenths of a second.
const MAX_TIME_TROUBLE: u32 = 3000;

/// An evaluation as a number.
#[inline(always)]
pub(super) fn eval(score: Score) -> i32 {
    match score.as_centipawns() {
        Some(number) => number,
        None if !score.is_known() => UNKNOWN,
        None if score > Score::centipawns(0) => MATE_VALUE,
        None => -MATE_VALUE,
    }
}

/// The first and the last score whose [`Eval`](AnnotationNumber::Eval) is at least `least` and at most `most`; the last is below the first
/// if there are none.
pub fn scores_between(least: i32, most: i32) -> (Score, Score) {
    const LONGEST_MATE: u32 = Score::MAX_MATE as u32;
    let first = if least <= LEAST_EVAL {
        Some(Score::mate(0, false))
    } else if least <= Score::MAX_CENTIPAWNS {
        Some(Score::centipawns(least))
    } else {
        (least <= MATE_VALUE).then(|| Score::mate(LONGEST_MATE, true))
    };
    let last = if most >= MATE_VALUE {
        Some(Score::mate(0, true))
    } else if most >= -Score::MAX_CENTIPAWNS {
        Some(Score::centipawns(most))
    } else {
        (most >= LEAST_EVAL).then(|| Score::mate(LONGEST_MATE, false))
    };
    first.zip(last).unwrap_or((Score::mate(0, true), Score::UNKNOWN))
}

const LEAST_EVAL: i32 = -MATE_VALUE;

/// Whole seconds, or [`UNKNOWN`].
#[inline(always)]
pub fn seconds(tenths: u32) -> i32 {
    if tenths == UNKNOWN_TIME { UNKNOWN } else { (tenths / 10) as i32 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number() -> impl Strategy<Value = i32> {
        prop_oneof![
            -300i32..300,
            -20_010i32..-19_990,
            19_990i32..20_010,
            Just(MATE_VALUE),
            Just(LEAST_EVAL),
            any::<i32>()
        ]
    }

    proptest! {
        #[test]
        fn scores_lie_between_as_their_evaluations_do(least in number(), most in number()) {
            let (first, last) = scores_between(least, most);
            let centipawns = (-Score::MAX_CENTIPAWNS..=Score::MAX_CENTIPAWNS).map(Score::centipawns);
            let mates = [0, 1, 70, Score::MAX_MATE as u32].into_iter().flat_map(|moves| [true, false].map(|white| Score::mate(moves, white)));
            for score in centipawns.chain(mates) {
                prop_assert_eq!((first..=last).contains(&score), (least..=most).contains(&eval(score)), "{:?}", score);
            }
        }
    }
}
