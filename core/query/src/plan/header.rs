//! Plans facts about the game as tests of its header.

use alloc::vec;
use alloc::vec::Vec;

use plyfold_scan::headers::{
    Date, Eco, EcoCodes, GameResult, HeaderTest, HeaderText, NameField, NamePattern, NamedSet, RatingField, TagTest,
};
use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::predicate::{NumberComparison, PositionPredicate};
use shakmaty::Color;

use super::{QueryPlanner, any_of};
use crate::error::QueryError;
use crate::header::{EloLead, EloSelector, HeaderCondition, NameSelector, PartialDate};
use crate::side::SideSelector;
use crate::span::TextSpan;

impl QueryPlanner<'_> {
    pub(super) fn lower_header(&mut self, header: &HeaderCondition) -> Result<Formula, QueryError> {
        let clamp = |number: u32| number.min(u32::from(u16::MAX)) as u16;
        let test = match header {
            HeaderCondition::Name { selector, pattern } => return self.lower_name(*selector, pattern),
            HeaderCondition::Elo { selector, range } => {
                return self.lower_elo(*selector, (clamp(range.min), clamp(range.max)));
            }
            HeaderCondition::Title { selector, titles } => {
                return self.for_side(&selector.side(), &mut |plan, colour| {
                    let field = NameField::Text(colour.fold_wb(HeaderText::WhiteTitle, HeaderText::BlackTitle));
                    plan.any_header(titles.iter().map(|title| name_test(field, title)))
                });
            }
            HeaderCondition::EloLead(lead) => {
                return self
                    .for_side(&lead.player.side(), &mut |plan, colour| plan.any_header(elo_lead_tests(lead, colour)));
            }
            HeaderCondition::Result(outcomes) => result_test(outcomes),
            HeaderCondition::Eco(ranges) => HeaderTest::Eco(codes_of(ranges)),
            HeaderCondition::EcoTag(ranges) => HeaderTest::EcoTag(codes_of(ranges)),
            HeaderCondition::Opening(name) => {
                let opening = (self.openings)(name).map_err(|error| match name.span {
                    Some(TextSpan { from, to }) => QueryError { from, to, ..error },
                    None => error,
                });
                HeaderTest::Opening(opening?)
            }
            HeaderCondition::Date { from, to } => date_test(*from, *to),
            HeaderCondition::Plies(range) => HeaderTest::Plies { least: clamp(range.min), most: clamp(range.max) },
            HeaderCondition::Set(name) => HeaderTest::Set(NamedSet::unbound(name)),
            HeaderCondition::Tag { name, pattern } => {
                HeaderTest::Tag(TagTest::unbound(name, NamePattern::new(pattern)))
            }
            HeaderCondition::Incomplete => HeaderTest::Incomplete,
            HeaderCondition::Ended(endings) => {
                HeaderTest::Ending(bit_mask(endings.iter().map(|&ending| ending as u16)))
            }
            HeaderCondition::TimeClass(classes) => {
                HeaderTest::TimeClass(bit_mask(classes.iter().map(|&class| class as u16)))
            }
        };
        self.any_header([test])
    }

    /// The formula of tests, of which at least one must hold.
    fn any_header(&mut self, tests: impl IntoIterator<Item = HeaderTest>) -> Result<Formula, QueryError> {
        self.intern_predicates(tests.into_iter().map(PositionPredicate::Header)).map(any_of)
    }

    fn lower_name(&mut self, selector: NameSelector, pattern: &str) -> Result<Formula, QueryError> {
        let side = match selector {
            NameSelector::Winner => SideSelector::Winner,
            NameSelector::Loser => SideSelector::Loser,
            _ => return self.any_header(selector.fields().iter().map(|&field| name_test(field, pattern))),
        };
        self.for_side(&side, &mut |plan, colour| {
            plan.any_header([name_test(colour.fold_wb(NameField::White, NameField::Black), pattern)])
        })
    }

    /// The formula of a rating within bounds, both included.
    fn lower_elo(&mut self, selector: EloSelector, (least, most): (u16, u16)) -> Result<Formula, QueryError> {
        let test = |which| [HeaderTest::Elo { which, least, most }];
        match selector {
            EloSelector::Of(players) => self.for_side(&players.side(), &mut |plan, colour| {
                plan.any_header(test(colour.fold_wb(RatingField::White, RatingField::Black)))
            }),
            EloSelector::Average => self.any_header(test(RatingField::Average)),
            EloSelector::Difference => self.any_header(test(RatingField::Difference)),
        }
    }
}

/// The tests whether the rating of a colour compares so with the other one; for "not equal", those of less and of more. A test is
/// about White's rating minus Black's: a lead of Black changes its sign.
fn elo_lead_tests(lead: &EloLead, colour: Color) -> Vec<HeaderTest> {
    let (comparison, margin) = match colour {
        Color::White => (lead.comparison, lead.margin),
        Color::Black => (lead.comparison.reversed(), -lead.margin),
    };
    let (before, after) = (margin - 1, margin + 1);
    let bounds = match comparison {
        NumberComparison::Equal => vec![(margin, margin)],
        NumberComparison::Unequal => vec![(i32::MIN, before), (after, i32::MAX)],
        NumberComparison::Less => vec![(i32::MIN, before)],
        NumberComparison::AtMost => vec![(i32::MIN, margin)],
        NumberComparison::More => vec![(after, i32::MAX)],
        NumberComparison::AtLeast => vec![(margin, i32::MAX)],
    };
    bounds.into_iter().map(|(least, most)| HeaderTest::EloLead { least, most }).collect()
}

/// The test of a range of dates. A part that a date leaves open means its first value in `from` and its last in `to`.
fn date_test(from: Option<PartialDate>, to: Option<PartialDate>) -> HeaderTest {
    let part = |part: u8, last: u8| u32::from(if part == 0 { last } else { part });
    let from = from.map_or(Date::default(), |day| Date::new(day.year.into(), day.month.into(), day.day.into()));
    let to =
        to.map_or(Date::new(9999, 12, 31), |day| Date::new(day.year.into(), part(day.month, 12), part(day.day, 31)));
    HeaderTest::Date { from, to }
}

fn codes_of(ranges: &[(Eco, Eco)]) -> EcoCodes {
    let mut codes = EcoCodes::default();
    ranges.iter().for_each(|&(from, to)| codes.insert_all(&EcoCodes::range(from, to)));
    codes
}

fn bit_mask(bits: impl Iterator<Item = u16>) -> u16 {
    bits.fold(0, |all, bit| all | 1 << bit)
}

pub(super) fn result_test(outcomes: &[GameResult]) -> HeaderTest {
    HeaderTest::Result(bit_mask(outcomes.iter().map(|&outcome| outcome as u16)))
}

pub(super) fn name_test(field: NameField, pattern: &str) -> HeaderTest {
    HeaderTest::Name { field, pattern: NamePattern::new(pattern) }
}
