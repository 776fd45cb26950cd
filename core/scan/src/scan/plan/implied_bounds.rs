//! Implied bounds are what must be true of the pieces and pawns on the board wherever a condition holds.
//!
//! The number of pieces only falls and pawns only advance. So the last signature of a game can show that the game never fulfilled
//! the condition, and a position can show that the rest of the game will not.
//! [`ReachabilityTarget`](plyfold_board::matsig::target::ReachabilityTarget) has both tests.

use alloc::vec;
use alloc::vec::Vec;

use plyfold_board::board::PieceCode;

use crate::scan::combine::{Formula, some_of};
use crate::scan::predicate::PositionPredicate;
use crate::scan::tuning::{MAX_ALTERNATIVES, MAX_COUNTED_PARTS};
pub use plyfold_board::matsig::target::MaterialBounds;

/// The bounds that hold wherever a formula over predicates holds, in any of its [`implied_alternatives`].
pub fn implied_bounds(formula: &Formula, predicates: &[PositionPredicate]) -> MaterialBounds {
    union_of(implied_alternatives(formula, predicates).into_iter())
}

/// The implied bounds as 1 to 16 alternatives, at least one of which is satisfied wherever the formula holds. Each alternative is
/// at least as strict as what all of them have in common.
pub fn implied_alternatives(formula: &Formula, predicates: &[PositionPredicate]) -> Vec<MaterialBounds> {
    let alternatives = alternatives_where(formula, predicates, true);
    if alternatives.is_empty() { vec![MaterialBounds::default()] } else { alternatives }
}

/// The alternatives where the formula holds, or, without `holds`, where it does not; none if its form alone rules that out.
fn alternatives_where(formula: &Formula, predicates: &[PositionPredicate], holds: bool) -> Vec<MaterialBounds> {
    // The alternatives where at least so many parts hold, or fail.
    let combine_parts = |parts: &[Formula], least: usize| {
        let number = parts.len();
        let parts = parts.iter().map(|part| alternatives_where(part, predicates, holds));
        let anything = vec![MaterialBounds::default()];
        match least {
            0 => anything,
            _ if least == number => parts.fold(anything, |all, part| intersect_alternatives(&all, &part)),
            2.. if number <= MAX_COUNTED_PARTS => {
                let join = |one: &Vec<_>, other: Vec<_>| simplify(one.iter().cloned().chain(other).collect());
                some_of(least, parts, [vec![], anything], |one, other| intersect_alternatives(one, other), join)
            }
            _ => simplify(parts.flatten().collect()),
        }
    };
    match formula {
        Formula::Not(inner) => alternatives_where(inner, predicates, !holds),
        Formula::And(parts) => combine_parts(parts, if holds { parts.len() } else { 1 }),
        Formula::Or(parts) => combine_parts(parts, if holds { 1 } else { parts.len() }),
        Formula::SomeOf(least, parts) if holds => combine_parts(parts, *least),
        Formula::SomeOf(least, parts) => combine_parts(parts, Formula::failures_of_list(*least, parts.len())),
        Formula::True => vec![MaterialBounds::default()],
        Formula::Bit(n) => match predicates.get(usize::from(*n)) {
            Some(predicate) => simplify(predicate.implied(holds)),
            None => vec![MaterialBounds::default()],
        },
    }
}

/// The alternatives where one of each list holds.
fn intersect_alternatives(one: &[MaterialBounds], other: &[MaterialBounds]) -> Vec<MaterialBounds> {
    let pairs = one.iter().flat_map(|one| other.iter().map(|other| one.clone().and(other)));
    simplify(pairs.collect())
}

/// Removes alternatives that no position satisfies, and alternatives that a weaker one covers. If more than [`MAX_ALTERNATIVES`]
/// remain, or none, their union replaces them.
fn simplify(alternatives: Vec<MaterialBounds>) -> Vec<MaterialBounds> {
    let union_of_all = |ways: &[MaterialBounds]| vec![union_of(ways.iter().cloned())];
    if alternatives.is_empty() {
        return alternatives;
    }
    if alternatives.len() > MAX_ALTERNATIVES * MAX_ALTERNATIVES {
        return union_of_all(&alternatives);
    }
    let mut remaining: Vec<MaterialBounds> = Vec::new();
    for alternative in &alternatives {
        let is_possible = (0..2).all(|side| alternative.required_pawns[side] & !alternative.allowed_pawns[side] == 0)
            && PieceCode::all().all(|piece| alternative.min_pieces[piece] <= alternative.max_pieces[piece]);
        let asks_more = |one: &MaterialBounds, other: &MaterialBounds| one.clone().and(other) == *one;
        if is_possible && !remaining.iter().any(|other| asks_more(alternative, other)) {
            remaining.retain(|other| !asks_more(other, alternative));
            remaining.push(alternative.clone());
        }
    }
    // If no alternative is possible, the formula never holds and any bounds are correct.
    if remaining.is_empty() || remaining.len() > MAX_ALTERNATIVES { union_of_all(&alternatives) } else { remaining }
}

/// The bounds that all alternatives have in common; bounds that every board satisfies if there are no alternatives.
pub fn union_of(mut alternatives: impl Iterator<Item = MaterialBounds>) -> MaterialBounds {
    alternatives.next().map(|first| alternatives.fold(first, |all, other| all.or(&other))).unwrap_or_default()
}
