//! The header filter decides queries on headers alone, 512 games at a time, without reading any ply.

use alloc::vec::Vec;
use core::mem::take;

use crate::game::GameSpan;
use crate::headers::game_mask::{GameMask, first_games};
use crate::headers::{CompiledHeaderTests, HeaderTest};
use crate::scan::combine::{BitSet, Formula, some_of};
use crate::scan::{Occurrence, Query, ScanCondition};

/// A query on headers alone. A game matches with all its positions, or with none.
pub(in crate::scan) struct HeaderFilter {
    /// A formula over the indices of the header tests.
    formula: Formula,
}

impl HeaderFilter {
    /// Makes the filter of `query`; none if the query uses more than headers. In its verdict, formulas replace conditions.
    /// `header_predicates` are the predicates that are header tests, in the order of `tests`.
    pub fn from_query(query: &Query, header_predicates: &[u16], tests: &[HeaderTest]) -> Option<HeaderFilter> {
        let header_bits: BitSet = header_predicates.iter().copied().collect();
        let is_of_headers = |condition: &ScanCondition| {
            condition.window.occurrence == Occurrence::Header && condition.formula.bits().is_subset(&header_bits)
        };
        if query.evidence.is_some()
            || query.verdict != query.position_verdict
            || !query.conditions.iter().all(is_of_headers)
        {
            return None;
        }
        let test_index = |n: u16| header_predicates.partition_point(|&of_header| of_header < n) as u16;
        let mut formula = query.verdict.replace_bits(&|n, _| {
            query.conditions[usize::from(n)].formula.replace_bits(&|n, _| Formula::Bit(test_index(n)))
        });
        order_names_first(&mut formula, tests);
        Some(HeaderFilter { formula })
    }

    /// Returns which of the first 512 games of `span` match.
    #[inline(always)]
    pub fn matching_games(&self, headers: &CompiledHeaderTests, span: &GameSpan<'_>) -> GameMask {
        match self.formula {
            Formula::Bit(test) => headers.evaluate(span, usize::from(test)),
            ref formula => filter_games(formula, headers, span, &first_games(span.len())),
        }
    }
}

/// Moves tests of names to the front of every *and*. Most shards do not have the name, and there the other tests are skipped.
fn order_names_first(formula: &mut Formula, tests: &[HeaderTest]) {
    let is_name = |part: &Formula| match part {
        Formula::Bit(test) => matches!(tests[usize::from(*test)], HeaderTest::Name { .. }),
        _ => false,
    };
    match formula {
        Formula::True | Formula::Bit(_) => {}
        Formula::Not(inner) => order_names_first(inner, tests),
        Formula::And(parts) | Formula::Or(parts) | Formula::SomeOf(_, parts) => {
            parts.iter_mut().for_each(|part| order_names_first(part, tests));
        }
    }
    if let Formula::And(parts) = formula {
        let (names, others): (Vec<Formula>, Vec<Formula>) = take(parts).into_iter().partition(is_name);
        parts.extend(names.into_iter().chain(others));
    }
}

/// The games among `games` for which the formula holds. Tests that cannot change the result are skipped.
fn filter_games(formula: &Formula, headers: &CompiledHeaderTests, span: &GameSpan<'_>, games: &GameMask) -> GameMask {
    if games.iter().all(|&word| word == 0) {
        return *games;
    }
    let without = |games: &GameMask, others: &GameMask| core::array::from_fn(|nth| games[nth] & !others[nth]);
    match formula {
        Formula::True => *games,
        Formula::Bit(test) => {
            let passed = headers.evaluate(span, usize::from(*test));
            core::array::from_fn(|nth| games[nth] & passed[nth])
        }
        Formula::Not(inner) => without(games, &filter_games(inner, headers, span, games)),
        Formula::And(parts) => parts.iter().fold(*games, |left, part| filter_games(part, headers, span, &left)),
        Formula::Or(parts) => {
            let fails = |left, part| without(&left, &filter_games(part, headers, span, &left));
            without(games, &parts.iter().fold(*games, fails))
        }
        Formula::SomeOf(least, parts) => some_of(
            *least,
            parts.iter().map(|part| filter_games(part, headers, span, games)),
            [GameMask::default(), *games],
            |one, other| core::array::from_fn(|nth| one[nth] & other[nth]),
            |one, other| core::array::from_fn(|nth| one[nth] | other[nth]),
        ),
    }
}
