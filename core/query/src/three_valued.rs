//! Conditions on endgame tables are true, false or unknown, while a scan knows only true and false. So a plan has a formula for
//! where a condition is known to hold, and derives from it another for where it is known not to hold.
//!
//! Kleene's logic allows this part by part: `A and B` is known to fail where one of them is known to fail, `A or B` where both
//! are. A test of tables has a predicate for each; any other predicate fails wherever it does not hold.

use alloc::boxed::Box;
use alloc::vec::Vec;

use plyfold_board::board::PieceCode;
use plyfold_scan::scan::combine::{BitSet, Formula};
use plyfold_scan::scan::predicate::{BoardQuantity, NumberComparison, PositionPredicate, SumComparison, WeightedTerm};
use plyfold_scan::scan::tables::MAX_TABLE_PIECES;
use plyfold_scan::scan::{Query, ScanCondition};

use super::error::{QueryError, error_of_query};

/// The predicates of a formula that are tests of tables.
fn table_bits(formula: &Formula, predicates: &[PositionPredicate]) -> BitSet {
    formula.bits().iter().filter(|&n| matches!(predicates[usize::from(n)], PositionPredicate::Table(_))).collect()
}

/// Whether a formula over predicates has a test of tables.
pub(super) fn asks_tables(formula: &Formula, predicates: &[PositionPredicate]) -> bool {
    !table_bits(formula, predicates).is_empty()
}

/// The formula that holds where `formula` is known not to hold. Its bits `asking` may be unknown, and `contrary` has their
/// contraries.
fn contrary_by(
    formula: Formula,
    asking: &BitSet,
    contrary: &mut dyn FnMut(u16) -> Result<u16, QueryError>,
) -> Result<Formula, QueryError> {
    if !formula.bits().intersects(asking) {
        return Ok(negate(formula));
    }
    let mut each = |parts: Vec<Formula>| -> Result<Vec<Formula>, QueryError> {
        parts.into_iter().map(|part| contrary_by(part, asking, contrary)).collect()
    };
    Ok(match formula {
        Formula::And(parts) => Formula::Or(each(parts)?),
        Formula::Or(parts) => Formula::And(each(parts)?),
        Formula::SomeOf(least, parts) => Formula::SomeOf(Formula::failures_of_list(least, parts.len()), each(parts)?),
        Formula::Bit(n) => Formula::Bit(contrary(n)?),
        // No test of tables stands under `not`: its own contrary does.
        formula => negate(formula),
    })
}

/// The formula that holds where `formula` is known not to hold.
///
/// # Errors
///
/// Too many predicates.
pub(super) fn contrary(formula: Formula, predicates: &mut Vec<PositionPredicate>) -> Result<Formula, QueryError> {
    let asking = table_bits(&formula, predicates);
    contrary_by(formula, &asking, &mut |n| {
        let mut other = predicates[usize::from(n)].clone();
        if let PositionPredicate::Table(test) = &mut other {
            test.is_negated = !test.is_negated;
        }
        intern(predicates, other, "predicates")
    })
}

/// The formula over conditions that holds at positions that are known not to match.
///
/// # Errors
///
/// Too many predicates or conditions.
pub(super) fn contrary_of_conditions(formula: Formula, query: &mut Query) -> Result<Formula, QueryError> {
    let asks = |n: &u16| asks_tables(&query.conditions[usize::from(*n)].formula, &query.predicates);
    let asking: BitSet = formula.bits().iter().filter(asks).collect();
    contrary_by(formula, &asking, &mut |n| {
        let fails = contrary(query.conditions[usize::from(n)].formula.clone(), &mut query.predicates)?;
        intern(&mut query.conditions, ScanCondition::at_any_ply(fails), "conditions")
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
    let few_pieces = SumComparison {
        terms: PieceCode::all()
            .filter(|code| code.role().is_some())
            .map(|code| WeightedTerm { weight: 1, quantity: BoardQuantity::PieceCount(code) })
            .collect(),
        comparison: NumberComparison::AtMost,
        constant: MAX_TABLE_PIECES.into(),
    };
    let few_pieces = Formula::Bit(intern(&mut predicates, few_pieces.into(), "predicates")?);
    let formula = Formula::And([few_pieces, negate(matches), negate(fails)].into());
    Ok(Some(Query {
        names: query.names.clone(),
        predicates,
        conditions: [ScanCondition::at_any_ply(formula)].into(),
        verdict: Formula::Bit(0),
        position_verdict: Formula::Bit(0),
        ..Query::match_all()
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
        Formula::SomeOf(least, parts) => Formula::SomeOf(*least, all(parts)),
    }
}

pub(super) fn negate(formula: Formula) -> Formula {
    match formula {
        Formula::Not(inner) => *inner,
        formula => Formula::Not(Box::new(formula)),
    }
}

/// The index of `item` in `list`, to which it is added if it is new.
pub(super) fn intern<T: PartialEq>(list: &mut Vec<T>, item: T, what: &str) -> Result<u16, QueryError> {
    let at = list.iter().position(|known| *known == item).unwrap_or(list.len());
    let Ok(n) = u16::try_from(at) else {
        let message = alloc::format!("a query has at most 65536 different {what}: ask it in parts");
        return Err(error_of_query(&message));
    };
    if at == list.len() {
        list.push(item);
    }
    Ok(n)
}
