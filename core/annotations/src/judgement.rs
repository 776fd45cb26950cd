//! Judges moves by the evaluations before and after them, with the rule of Lichess (lila, `Advice.scala`).
//!
//! An evaluation in centipawns gives a chance to win from -1 to 1: `2 / (1 + exp(-0.00368208 * centipawns)) - 1`.
//! A move that loses 0.3 of it is a blunder, 0.2 a mistake, 0.1 an inaccuracy. Mates have rules of their own.
//!
//! # Source
//!
//! The rule is that of `modules/tree/src/main/Advice.scala` in lichess-org/lila (commit b97af46) with `WinPercent.winningChances` of
//! `core/src/main/scala/eval.scala` in lichess-org/scalachess (commit 37b6e72). Older versions bounded an evaluation to ±1000
//! centipawns first, as the graphs of Lichess still do. Lichess judges only moves that differ from the best one of its engine,
//! which evaluations do not tell.

use alloc::vec::Vec;

use super::Score;
use super::columns::{AnnotatedGame, AnnotationColumns};

/// The fault of a move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Judgement {
    /// It loses a little.
    Inaccuracy = 1,
    /// It loses much.
    Mistake = 2,
    /// It loses most.
    Blunder = 3,
}

/// Larger evaluations are rare, so their chances are in no table.
const LARGEST_IN_TABLE: i32 = 1000;

/// By centipawns from 0: the chance to win, where 2³⁰ stands for certainty.
static CHANCES: [i32; LARGEST_IN_TABLE as usize + 1] = {
    let mut chances = [0; LARGEST_IN_TABLE as usize + 1];
    let mut centipawns = 0;
    while centipawns < chances.len() {
        chances[centipawns] = chance_of(centipawns as u32);
        centipawns += 1;
    }
    chances
};

/// Computes a chance with whole numbers, so that every machine finds the same one.
const fn chance_of(centipawns: u32) -> i32 {
    /// `exp(-0.00368208)`, times 2⁶⁴.
    const FACTOR: u128 = 18_378_946_580_785_229_882;
    let (mut power, mut square, mut exponent) = (1u128 << 64, FACTOR, centipawns);
    while exponent > 0 {
        if exponent % 2 == 1 {
            power = (power * square) >> 64;
        }
        square = (square * square) >> 64;
        exponent /= 2;
    }
    ((((1 << 64) - power) << 31) / ((1 << 64) + power)).div_ceil(2) as i32
}

fn chance(centipawns: i32) -> i32 {
    let size = centipawns.unsigned_abs();
    let chance = CHANCES.get(size as usize).copied().unwrap_or_else(|| chance_of(size));
    if centipawns < 0 { -chance } else { chance }
}

/// The judgement of a move by the evaluations before and after it; `is_blacks` tells who made it. None if it is fine or if an
/// evaluation is unknown.
pub fn judge(before: Score, after: Score, is_blacks: bool) -> Option<Judgement> {
    if !before.is_known() || !after.is_known() {
        return None;
    }
    // From the side of the player who made the move.
    let own = |score: Score| score.as_centipawns().map(|number| if is_blacks { -number } else { number });
    let mates = |score: Score| score.as_mate().map(|(_, white_mates)| white_mates != is_blacks);
    let by_distance = |centipawns: i32| match centipawns {
        1000.. => Judgement::Inaccuracy,
        701.. => Judgement::Mistake,
        _ => Judgement::Blunder,
    };
    match (own(before), own(after)) {
        // PERF: two evaluations beyond the table, for the same side, differ by less than a tenth.
        (Some(before), Some(after))
            if before.min(after) >= LARGEST_IN_TABLE || before.max(after) <= -LARGEST_IN_TABLE =>
        {
            None
        }
        (Some(before), Some(after)) => {
            let tenths = ((i64::from(chance(before)) - i64::from(chance(after))) * 10) >> 30;
            match tenths {
                3.. => Some(Judgement::Blunder),
                2 => Some(Judgement::Mistake),
                1 => Some(Judgement::Inaccuracy),
                _ => None,
            }
        }
        // The move lets the other side mate.
        (Some(before), None) => (mates(after) == Some(false)).then(|| by_distance(-before)),
        // The move lets a mate go.
        (None, Some(after)) => (mates(before) == Some(true)).then(|| by_distance(after)),
        (None, None) => {
            let turns_round = mates(before) == Some(true) && mates(after) == Some(false);
            turns_round.then_some(Judgement::Blunder)
        }
    }
}

impl AnnotationColumns {
    /// The judgement of each move, 0 if there is none.
    pub fn judgements(&mut self, game: &AnnotatedGame<'_>) -> &[u8] {
        let mut judgements = core::mem::take(&mut self.judgements);
        if judgements.is_empty() {
            self.judge_moves(game, &mut judgements);
        }
        self.judgements = judgements;
        &self.judgements
    }

    fn judge_moves(&mut self, game: &AnnotatedGame<'_>, judgements: &mut Vec<u8>) {
        judgements.resize(game.plies, 0);
        let scores = self.scores(game);
        let Some((&first, after)) = scores.split_first() else { return };
        let judged =
            |before, after, index| judge(before, after, game.is_blacks(index)).map_or(0, |judgement| judgement as u8);
        judgements[0] = judged(game.score_at_start(), first, 0);
        for (nth, (before, after)) in scores.chunks(8).zip(after.chunks(8)).enumerate() {
            // PERF: most moves lose too little to be looked at one by one.
            let is_first_blacks = game.is_blacks(1);
            let loss = |at: usize| {
                let is_blacks = at.is_multiple_of(2) == is_first_blacks;
                if is_blacks { after[at].above(before[at]) } else { before[at].above(after[at]) }
            };
            if (0..after.len()).map(loss).fold(0, i16::max) >= LEAST_LOSS {
                for at in (0..after.len()).filter(|&at| loss(at) >= LEAST_LOSS) {
                    let index = nth * 8 + at + 1;
                    judgements[index] = judged(before[at], after[at], index);
                }
            }
        }
    }
}

/// A move that loses fewer centipawns is fine.
const LEAST_LOSS: i16 = 54;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::Color;

    use super::*;
    use crate::{GameAnnotations, PackedAnnotations};

    proptest! {
        #[test]
        fn moves_of_a_game_are_judged_one_by_one(
            numbers in prop::collection::vec(-700i32..700, 0..150), missing in 0usize..3, is_black_first: bool, has_initial_start: bool,
        ) {
            let scores: Vec<Score> = numbers.into_iter().map(|number| match number.abs() {
                690.. => Score::UNKNOWN,
                680.. => Score::mate(number.unsigned_abs(), number > 0),
                _ => Score::centipawns(number / 2),
            }).collect();
            let plies = scores.len() + missing;
            let mut bytes = Vec::new();
            GameAnnotations { scores: scores.clone(), ..GameAnnotations::default() }.pack(&mut bytes);
            let first_mover = if is_black_first { Color::Black } else { Color::White };
            let game = AnnotatedGame { number: 0, packed: PackedAnnotations::new(&bytes), plies, first_mover, has_initial_start };
            let mut before = game.score_at_start();
            let expected: Vec<u8> = (0..plies).map(|index| {
                let after = scores.get(index).copied().unwrap_or(Score::UNKNOWN);
                let judged = judge(core::mem::replace(&mut before, after), after, game.is_blacks(index));
                judged.map_or(0, |judgement| judgement as u8)
            }).collect();
            let mut columns = AnnotationColumns::default();
            prop_assert_eq!(columns.judgements(&game), &expected[..]);
        }
    }

    #[test]
    fn centipawns_are_judged_as_by_the_formula() {
        let chance = |centipawns: i32| 2.0 / (1.0 + (-0.003_682_08 * f64::from(centipawns)).exp()) - 1.0;
        // All up to a little beyond the table, and some of the others.
        let some = (1020..=20_000).step_by(97).flat_map(|size| [-size, size]);
        let all: Vec<(i32, f64)> = (-1010..=1010).chain(some).map(|number| (number, chance(number))).collect();
        for &(before, chance_before) in &all {
            for &(after, chance_after) in &all {
                let expected = match chance_before - chance_after {
                    0.3.. => Some(Judgement::Blunder),
                    0.2.. => Some(Judgement::Mistake),
                    0.1.. => Some(Judgement::Inaccuracy),
                    _ => None,
                };
                let [white, black] = [1, -1].map(|sign| [before, after].map(|number| Score::centipawns(sign * number)));
                assert_eq!(judge(white[0], white[1], false), expected, "{before} to {after}");
                assert_eq!(judge(black[0], black[1], true), expected, "{before} to {after} by Black");
            }
        }
    }

    #[test]
    fn a_move_that_loses_little_is_fine() {
        for before in -1100..=1100 {
            for after in before - i32::from(LEAST_LOSS) + 1..before {
                assert_eq!(
                    judge(Score::centipawns(before), Score::centipawns(after), false),
                    None,
                    "{before} to {after}"
                );
            }
        }
        let mates =
            [0, 1, 2, 50, Score::MAX_MATE as u32].map(|moves| [Score::mate(moves, true), Score::mate(moves, false)]);
        let others = [0, 700, 20_000].map(|number| [Score::centipawns(number), Score::centipawns(-number)]);
        let all: Vec<Score> = mates.into_iter().chain(others).flatten().chain([Score::UNKNOWN]).collect();
        for (&before, &after) in all.iter().flat_map(|before| all.iter().map(move |after| (before, after))) {
            assert!(
                judge(before, after, false).is_none() || before.above(after) >= LEAST_LOSS,
                "{before:?} to {after:?}"
            );
            assert!(
                judge(before, after, true).is_none() || after.above(before) >= LEAST_LOSS,
                "{before:?} to {after:?}"
            );
        }
    }

    #[test]
    fn mates_are_judged_as_by_lichess() {
        let (number, mate) = (Score::centipawns, |moves, white| Score::mate(moves, white));
        for (before, after, expected) in [
            (number(0), mate(3, false), Some(Judgement::Blunder)),
            (number(-700), mate(3, false), Some(Judgement::Blunder)),
            (number(-701), mate(3, false), Some(Judgement::Mistake)),
            (number(-999), mate(3, false), Some(Judgement::Mistake)),
            (number(-1000), mate(3, false), Some(Judgement::Inaccuracy)),
            (number(0), mate(3, true), None),
            (mate(3, true), number(700), Some(Judgement::Blunder)),
            (mate(3, true), number(701), Some(Judgement::Mistake)),
            (mate(3, true), number(1000), Some(Judgement::Inaccuracy)),
            (mate(3, false), number(-300), None),
            (mate(3, true), mate(2, false), Some(Judgement::Blunder)),
            (mate(3, true), mate(9, true), None),
            (mate(3, false), mate(2, false), None),
            (mate(3, true), Score::UNKNOWN, None),
            (Score::UNKNOWN, mate(3, false), None),
        ] {
            assert_eq!(judge(before, after, false), expected, "{before:?} to {after:?}");
        }
    }
}
