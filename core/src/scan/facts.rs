//! Queries of headers alone: which games match, 512 at a time, without a look at any ply.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::combine::Formula;
use super::plies::within;
use super::{Query, Times};
use crate::game::Span;
use crate::headers::masks::Mask;
use crate::headers::{HeaderTest, Headers};

/// A query that asks for nothing but headers: games match with all their positions, or with none.
pub(super) struct Facts {
    /// Over the numbers of the header tests.
    formula: Formula,
}

impl Facts {
    /// The verdict of `query` with its conditions put in their places; none if it asks for more than headers. `of_header` are the
    /// predicates that are header tests, in the order of the tests.
    pub fn of(query: &Query, of_header: &[u8], tests: &[HeaderTest]) -> Option<Facts> {
        if query.verdict != query.matching || query.conditions.iter().any(|one| one.window.times != Times::Fact) {
            return None;
        }
        let formulas = query.conditions.iter().map(|condition| {
            let of_test = |n: u8| of_header.iter().position(|&of_header| of_header == n);
            put(&condition.formula, &|n| of_test(n).map(|test| Formula::Bit(test as u8)))
        });
        let formulas = formulas.collect::<Option<Vec<Formula>>>()?;
        let mut formula = put(&query.verdict, &|n| formulas.get(usize::from(n)).cloned())?;
        names_first(&mut formula, tests);
        Some(Facts { formula })
    }

    /// Which of the first 512 games of `span` match.
    #[inline(always)]
    pub fn games(&self, headers: &Headers, span: &Span<'_>) -> Mask {
        let all = core::array::from_fn(|nth| within(span.len() as usize, nth));
        match self.formula {
            Formula::Bit(test) => headers.masks(span, usize::from(test)),
            ref formula => among(formula, headers, span, &all),
        }
    }
}

/// The formula with another one in the place of each bit, if there is one for each.
fn put(formula: &Formula, of_bit: &impl Fn(u8) -> Option<Formula>) -> Option<Formula> {
    let all = |parts: &[Formula]| parts.iter().map(|part| put(part, of_bit)).collect::<Option<Vec<_>>>();
    Some(match formula {
        Formula::True => Formula::True,
        Formula::Bit(n) => of_bit(*n)?,
        Formula::Not(inner) => Formula::Not(Box::new(put(inner, of_bit)?)),
        Formula::And(parts) => Formula::And(all(parts)?),
        Formula::Or(parts) => Formula::Or(all(parts)?),
    })
}

/// Moves tests of names to the front of every *and*: most shards do not have the name, and there the rest is not asked.
fn names_first(formula: &mut Formula, tests: &[HeaderTest]) {
    let is_name = |part: &Formula| match part {
        Formula::Bit(test) => matches!(tests[usize::from(*test)], HeaderTest::Name { .. }),
        _ => false,
    };
    match formula {
        Formula::True | Formula::Bit(_) => {}
        Formula::Not(inner) => names_first(inner, tests),
        Formula::And(parts) | Formula::Or(parts) => parts.iter_mut().for_each(|part| names_first(part, tests)),
    }
    if let Formula::And(parts) = formula {
        parts.sort_by_key(|part| !is_name(part));
    }
}

/// Those of `games` for which the formula holds. What cannot change that is not asked.
fn among(formula: &Formula, headers: &Headers, span: &Span<'_>, games: &Mask) -> Mask {
    let none = |mask: &Mask| mask.iter().all(|&word| word == 0);
    let without = |games: &Mask, others: &Mask| core::array::from_fn(|nth| games[nth] & !others[nth]);
    match formula {
        Formula::True => *games,
        Formula::Bit(test) => {
            let passed = headers.masks(span, usize::from(*test));
            core::array::from_fn(|nth| games[nth] & passed[nth])
        }
        Formula::Not(inner) => without(games, &among(inner, headers, span, games)),
        Formula::And(parts) => parts.iter().fold(*games, |left, part| match none(&left) {
            true => left,
            false => among(part, headers, span, &left),
        }),
        Formula::Or(parts) => {
            let left = parts.iter().fold(*games, |left, part| match none(&left) {
                true => left,
                false => without(&left, &among(part, headers, span, &left)),
            });
            without(games, &left)
        }
    }
}
