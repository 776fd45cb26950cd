//! Tests what the text of a game says about its plies besides the moves. These tests need no board.
//!
//! A number that is not known makes a comparison false, whatever the comparison is.

use alloc::vec::Vec;

use plyfold_annotations::bounds::AnnotationBounds;
use plyfold_annotations::columns::{
    AnnotatedGame, AnnotationColumns, AnnotationNumber, UNKNOWN, scores_between, seconds,
};
use plyfold_annotations::judgement::Judgement;
use shakmaty::Color;

use super::{CommentTest, GameInSpan, LinesTest, NumberComparison, PlyMark, Predicate, TestedPly};
use crate::scan::access_path::{AccessPath, PredicateAccess};
use crate::scan::plies;

/// A test of the annotations of a ply.
#[derive(Clone, PartialEq, Debug)]
pub enum AnnotationTest {
    /// A sum of numbers, compared with a constant.
    Compare {
        /// The numbers, each with its factor.
        terms: Vec<(i64, AnnotationNumber)>,
        /// The comparison.
        comparison: NumberComparison,
        /// The constant on the right side of the comparison.
        constant: i64,
    },
    /// A mark of a move by this side.
    Mark {
        /// The mark.
        mark: PlyMark,
        /// The side that made the move.
        mover: Color,
    },
    /// A comment on a move.
    Comment(CommentTest),
    /// Whether a position is in lines, or a move left them. No text says so; the plies are found as those of comments are.
    Lines(LinesTest),
}

/// Needs no board.
impl Predicate for AnnotationTest {
    fn test_after(&self, at: &mut TestedPly<'_, '_>) -> bool {
        let first_mover = Color::from_white(at.first_half_move.is_multiple_of(2));
        let GameInSpan { game, columns, .. } = at.game;
        at.ply > 0 && self.holds(columns, &game.annotated(first_mover), at.ply)
    }

    fn access(&self, _: bool) -> PredicateAccess {
        PredicateAccess::by(AccessPath::Annotations)
    }
}

impl AnnotationTest {
    /// Whether the test holds after ply `ply` of a game, from 1. `columns` are those of the game.
    pub(in crate::scan) fn holds(&self, columns: &mut AnnotationColumns, game: &AnnotatedGame<'_>, ply: usize) -> bool {
        match self {
            AnnotationTest::Compare { terms, comparison, constant } => {
                let sum = terms.iter().try_fold(0i64, |sum, &(weight, number)| {
                    let number = columns.column(number, game)[ply - 1];
                    (number != UNKNOWN).then(|| sum.saturating_add(weight.saturating_mul(number.into())))
                });
                sum.is_some_and(|sum| comparison.holds(sum, *constant))
            }
            AnnotationTest::Mark { mark, mover } => {
                let mut holds = false;
                for_each_with_mark(*mark, columns, game, |index| holds |= index + 1 == ply);
                holds && game.is_blacks(ply - 1) == mover.is_black()
            }
            AnnotationTest::Comment(test) => {
                let is_movers = game.is_blacks(ply - 1) == test.mover.is_black();
                is_movers && test.plies_of_game(game.number).any(|commented| commented == ply)
            }
            AnnotationTest::Lines(test) => {
                let is_movers = test.left_by.is_none_or(|mover| game.is_blacks(ply - 1) == mover.is_black());
                is_movers && test.plies_of_game(game.number).any(|found| found == ply)
            }
        }
    }

    /// The test of bounds that rules out games in which this test holds nowhere; none if bounds cannot.
    pub(in crate::scan) fn bound_test(&self) -> Option<AnnotationBoundTest> {
        match self {
            AnnotationTest::Compare { terms, comparison, constant } => match terms[..] {
                [(weight, number)] if weight != 0 => {
                    Some(AnnotationBoundTest::Range(number, MatchingRange::new(weight, *comparison, *constant)))
                }
                _ => None,
            },
            AnnotationTest::Mark { mark: PlyMark::Judged(judgement), mover } => {
                Some(AnnotationBoundTest::Judged(*judgement, *mover))
            }
            AnnotationTest::Mark { mark: PlyMark::TimeTrouble, mover } => {
                Some(AnnotationBoundTest::TimeTrouble(*mover))
            }
            AnnotationTest::Mark { .. } | AnnotationTest::Comment(_) | AnnotationTest::Lines(_) => None,
        }
    }

    /// Adds to `set` the plies after which the test holds.
    pub(in crate::scan) fn add_matching_plies(
        &self,
        columns: &mut AnnotationColumns,
        game: &AnnotatedGame<'_>,
        set: &mut [u64],
    ) {
        match self {
            AnnotationTest::Compare { terms, comparison, constant } => match terms[..] {
                [(weight, number)] if weight != 0 => {
                    add_in_range(MatchingRange::new(weight, *comparison, *constant), number, (columns, game), set);
                }
                _ => (1..=game.plies).filter(|&ply| self.holds(columns, game, ply)).for_each(|ply| {
                    set[(ply - 1) / 64] |= 1 << ((ply - 1) % 64);
                }),
            },
            AnnotationTest::Mark { mark: PlyMark::Judged(judgement), mover } => {
                let moves = plies::every_second_from(usize::from(game.is_blacks(0) != mover.is_black()));
                for (word, judged) in set.iter_mut().zip(columns.judgements(game).chunks(64)) {
                    *word |= plies::pack_bits(judged.iter().map(|&found| found == *judgement as u8)) & moves;
                }
            }
            AnnotationTest::Mark { mark, mover } => for_each_with_mark(*mark, columns, game, |index| {
                let is_movers = game.is_blacks(index) == mover.is_black();
                set[index / 64] |= u64::from(is_movers) << (index % 64);
            }),
            AnnotationTest::Comment(test) => {
                // The comments may be those of another corpus, whose games are longer.
                let plies = test.plies_of_game(game.number).filter(|&ply| (1..=game.plies).contains(&ply));
                for index in plies.map(|ply| ply - 1) {
                    let is_movers = game.is_blacks(index) == test.mover.is_black();
                    set[index / 64] |= u64::from(is_movers) << (index % 64);
                }
            }
            AnnotationTest::Lines(test) => {
                let plies = test.plies_of_game(game.number).filter(|&ply| (1..=game.plies).contains(&ply));
                for index in plies.map(|ply| ply - 1) {
                    let is_movers = test.left_by.is_none_or(|mover| game.is_blacks(index) == mover.is_black());
                    set[index / 64] |= u64::from(is_movers) << (index % 64);
                }
            }
        }
    }
}

/// A test of the bounds of a game's annotations.
#[derive(Clone, Copy)]
pub(in crate::scan) enum AnnotationBoundTest {
    /// A number may lie in a range.
    Range(AnnotationNumber, MatchingRange),
    /// A side makes a move with this judgement.
    Judged(Judgement, Color),
    /// A side is in time trouble.
    TimeTrouble(Color),
}

impl AnnotationBoundTest {
    /// Returns whether the test of annotations may hold after some ply of a game with these bounds.
    pub fn may_hold(self, bounds: &AnnotationBounds) -> bool {
        match self {
            AnnotationBoundTest::Range(number, range) => {
                bounds.range_of(number).is_some_and(|bounds| range.meets(bounds))
            }
            AnnotationBoundTest::Judged(judgement, mover) => bounds.has_judged(judgement, mover),
            AnnotationBoundTest::TimeTrouble(mover) => bounds.has_time_trouble(mover),
        }
    }
}

/// Calls `visit` with the index of each ply with this mark, by either side.
fn for_each_with_mark(
    mark: PlyMark,
    columns: &mut AnnotationColumns,
    game: &AnnotatedGame<'_>,
    mut visit: impl FnMut(usize),
) {
    match (mark, mark.stored()) {
        (PlyMark::Judged(judgement), _) => {
            let judged = columns.judgements(game).iter().enumerate();
            judged.filter(|(_, found)| **found == judgement as u8).for_each(|(index, _)| visit(index));
        }
        (PlyMark::TimeTrouble, _) => game.for_each_in_time_trouble(columns, visit),
        (_, Some(stored)) => game.for_each_marked(stored, visit),
        (_, None) => {}
    }
}

/// Adds the plies whose number lies in a range.
///
/// PERF: evaluations and clocks are tested as they are stored, many at once.
fn add_in_range(
    range: MatchingRange,
    number: AnnotationNumber,
    (columns, game): (&mut AnnotationColumns, &AnnotatedGame<'_>),
    set: &mut [u64],
) {
    match number {
        AnnotationNumber::Eval => {
            let (first, last) = scores_between(range.least, range.most);
            add_plies(columns.scores(game), set, |score| {
                let is_inside = (first <= score) & (score <= last);
                (is_inside != range.is_outside) & score.is_known()
            });
        }
        AnnotationNumber::ClockTime(side) => {
            let moves = plies::every_second_from(usize::from(game.is_blacks(0) != side.is_black()));
            let mut before = 0;
            let words = set.iter_mut().enumerate().zip(columns.clocks(game).chunks(64).chain([&[][..]]));
            for ((nth, word), clocks) in words {
                let found = plies::pack_bits(clocks.iter().map(|&clock| range.contains(seconds(clock)))) & moves;
                // Until its next move, a side has the clock of its last one.
                *word |= (found | found << 1 | before) & plies::valid_bits(game.plies, nth);
                before = found >> 63;
            }
        }
        _ => add_plies(columns.column(number, game), set, |number| range.contains(number)),
    }
}

/// Adds the plies whose entry passes a test.
#[inline(always)]
fn add_plies<T: Copy>(column: &[T], set: &mut [u64], passes: impl Fn(T) -> bool) {
    for (word, entries) in set.iter_mut().zip(column.chunks(64)) {
        *word |= plies::pack_bits(entries.iter().map(|&entry| passes(entry)));
    }
}

/// The numbers that a comparison accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::scan) struct MatchingRange {
    least: i32,
    most: i32,
    /// The numbers outside are accepted instead.
    is_outside: bool,
}

impl MatchingRange {
    /// The numbers whose product with `weight`, which is not 0, compares to the constant.
    fn new(weight: i64, comparison: NumberComparison, constant: i64) -> MatchingRange {
        use NumberComparison::{AtLeast, AtMost, Equal, Less, More, Unequal};
        let (constant, comparison) = match weight < 0 {
            false => (constant, comparison),
            true => (constant.saturating_neg(), comparison.reversed()),
        };
        let weight = weight.saturating_abs();
        let below = constant.div_euclid(weight);
        let is_exact = constant.rem_euclid(weight) == 0;
        let above = if is_exact { below } else { below.saturating_add(1) };
        let (least, most) = match comparison {
            // An empty range, if no number is equal.
            Equal | Unequal => (above, below),
            AtLeast => (above, i64::MAX),
            More => (below.saturating_add(1), i64::MAX),
            AtMost => (i64::MIN, below),
            Less => (i64::MIN, above.saturating_sub(1)),
        };
        let known = |number: i64| number.clamp(i64::from(UNKNOWN) + 1, i32::MAX.into()) as i32;
        MatchingRange { least: known(least), most: known(most), is_outside: comparison == Unequal }
    }

    /// Whether some number from `from` to `to` is accepted.
    fn meets(self, (from, to): (i32, i32)) -> bool {
        if self.is_outside { from < self.least || to > self.most } else { from.max(self.least) <= to.min(self.most) }
    }

    #[inline(always)]
    fn contains(self, number: i32) -> bool {
        let is_inside = (self.least <= number) & (number <= self.most);
        (is_inside != self.is_outside) & (number != UNKNOWN)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranges_contain_what_compares(
            weight in prop_oneof![-5i64..0, 1i64..6, Just(1_000_000_000)],
            constant in prop_oneof![-30i64..30, -3_000_000_000i64..3_000_000_000],
            number in prop_oneof![-30i32..30, any::<i32>()],
            more in 0i32..20,
        ) {
            for (comparison, _) in NumberComparison::NAMED {
                let expected = number != UNKNOWN && comparison.holds(weight * i64::from(number), constant);
                let range = MatchingRange::new(weight, comparison, constant);
                prop_assert_eq!(range.contains(number), expected, "{} * {} {:?} {}", weight, number, comparison, constant);
                let numbers = number.max(UNKNOWN + 1)..=number.saturating_add(more);
                let some = numbers.clone().any(|number| range.contains(number));
                prop_assert_eq!(range.meets((*numbers.start(), *numbers.end())), some, "{:?} of {:?}", range, numbers);
            }
        }
    }
}
