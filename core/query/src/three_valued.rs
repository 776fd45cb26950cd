//! Conditions on endgame tables are true, false or unknown, while a scan knows only true and false. So a plan has a formula for
//! where a condition is known to hold, and derives from it another for where it is known not to hold.
//!
//! Kleene's logic allows this part by part: `A and B` is known to fail where one of them is known to fail, `A or B` where both
//! are. A test of tables has a predicate for each; any other predicate fails wherever it does not hold.

use alloc::boxed::Box;
use alloc::vec::Vec;

use plyfold_board::board::PieceCode;
use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::predicate::{BoardQuantity, NumberComparison, PositionPredicate, TableTest, WeightedTerm};
use plyfold_scan::scan::tables::MAX_TABLE_PIECES;
use plyfold_scan::scan::{Query, ScanCondition};

use super::error::{QueryError, error_of_query};

/// Whether a formula over predicates has a test of tables.
pub(super) fn asks_tables(formula: &Formula, predicates: &[PositionPredicate]) -> bool {
    let is_table = |n: u8| matches!(predicates.get(usize::from(n)), Some(PositionPredicate::Table(_)));
    (0..64).any(|n| formula.bits() >> n & 1 != 0 && is_table(n))
}

/// The formula that holds where `formula` is known not to hold.
///
/// # Errors
///
/// Too many predicates.
pub(super) fn contrary(formula: Formula, predicates: &mut Vec<PositionPredicate>) -> Result<Formula, QueryError> {
    if !asks_tables(&formula, predicates) {
        return Ok(negate(formula));
    }
    let mut each = |parts: Vec<Formula>| -> Result<Vec<Formula>, QueryError> {
        parts.into_iter().map(|part| contrary(part, predicates)).collect()
    };
    Ok(match formula {
        Formula::And(parts) => Formula::Or(each(parts)?),
        Formula::Or(parts) => Formula::And(each(parts)?),
        Formula::Bit(n) => match predicates.get(usize::from(n)) {
            Some(PositionPredicate::Table(test)) => {
                let other = TableTest { is_negated: !test.is_negated, ..(**test).clone() };
                Formula::Bit(intern(predicates, PositionPredicate::Table(Box::new(other)), "predicates")?)
            }
            _ => negate(formula),
        },
        // No test of tables stands under `not`: its own contrary does.
        formula => negate(formula),
    })
}

/// The formula over conditions that holds at positions that are known not to match.
///
/// # Errors
///
/// Too many predicates or conditions.
pub(super) fn contrary_of_conditions(formula: Formula, query: &mut Query) -> Result<Formula, QueryError> {
    let asks = |n: u8, query: &Query| {
        query.conditions.get(usize::from(n)).is_some_and(|one| asks_tables(&one.formula, &query.predicates))
    };
    if !(0..64).any(|n| formula.bits() >> n & 1 != 0 && asks(n, query)) {
        return Ok(negate(formula));
    }
    let mut each = |parts: Vec<Formula>| -> Result<Vec<Formula>, QueryError> {
        parts.into_iter().map(|part| contrary_of_conditions(part, query)).collect()
    };
    Ok(match formula {
        Formula::And(parts) => Formula::Or(each(parts)?),
        Formula::Or(parts) => Formula::And(each(parts)?),
        Formula::Bit(n) if asks(n, query) => {
            let fails = contrary(query.conditions[usize::from(n)].formula.clone(), &mut query.predicates)?;
            Formula::Bit(intern(&mut query.conditions, ScanCondition::at_any_ply(fails), "conditions")?)
        }
        formula => negate(formula),
    })
}

/// The query of the positions that a query leaves open: they match or not, depending on what tables would say. It counts
/// positions for which a table can exist, whatever windows say. None if the query asks no tables.
///
/// # Errors
///
/// Too many predicates.
pub fn unknown_positions(query: &Query) -> Result<Option<Query>, QueryError> {
    let mut predicates = query.predicates.clone();
    let matches = at_one_position(&query.position_verdict, &query.conditions);
    if !asks_tables(&matches, &predicates) {
        return Ok(None);
    }
    let fails = contrary(matches.clone(), &mut predicates)?;
    let few_pieces = PositionPredicate::Compare {
        terms: PieceCode::all()
            .filter(|code| code.role().is_some())
            .map(|code| WeightedTerm { weight: 1, quantity: BoardQuantity::PieceCount(code) })
            .collect(),
        comparison: NumberComparison::AtMost,
        constant: MAX_TABLE_PIECES.into(),
    };
    let few_pieces = Formula::Bit(intern(&mut predicates, few_pieces, "predicates")?);
    let formula = Formula::And([few_pieces, negate(matches), negate(fails)].into());
    Ok(Some(Query {
        names: query.names.clone(),
        predicates,
        conditions: [ScanCondition::at_any_ply(formula)].into(),
        gates: Vec::new(),
        verdict: Formula::Bit(0),
        position_verdict: Formula::Bit(0),
        evidence: None,
    }))
}

/// A formula over conditions as one over predicates at the same position.
fn at_one_position(formula: &Formula, conditions: &[ScanCondition]) -> Formula {
    let all = |parts: &[Formula]| parts.iter().map(|part| at_one_position(part, conditions)).collect();
    match formula {
        Formula::True => Formula::True,
        Formula::Bit(n) => conditions.get(usize::from(*n)).map_or(Formula::True, |one| one.formula.clone()),
        Formula::Not(inner) => negate(at_one_position(inner, conditions)),
        Formula::And(parts) => Formula::And(all(parts)),
        Formula::Or(parts) => Formula::Or(all(parts)),
    }
}

pub(super) fn negate(formula: Formula) -> Formula {
    match formula {
        Formula::Not(inner) => *inner,
        formula => Formula::Not(Box::new(formula)),
    }
}

/// The index of `item` in `list`, to which it is added if it is new.
pub(super) fn intern<T: PartialEq>(list: &mut Vec<T>, item: T, what: &str) -> Result<u8, QueryError> {
    let at = list.iter().position(|known| *known == item).unwrap_or(list.len());
    if at == 64 {
        let message = alloc::format!("a query has at most 64 different {what}");
        return Err(error_of_query(&message));
    }
    if at == list.len() {
        list.push(item);
    }
    Ok(at as u8)
}
