//! From a tree to what the scan runs: predicates, each once; conditions over them; the verdict over the conditions.

use alloc::boxed::Box;
use alloc::vec::Vec;

use shakmaty::{Color, Role};

use super::error::QueryError;
use super::tree::{Counted, Leaf, Side, Sum, Tree};
use crate::board::man;
use crate::scan::combine::Formula;
use crate::scan::predicate::{Comparison, Predicate, Size, Squares, Term};
use crate::scan::{Condition, Query};

/// Points of the men that `points` counts.
pub const POINTS: [(Role, i64); 5] =
    [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];

/// Turns a tree into what the scan runs.
///
/// # Errors
///
/// More than 64 different predicates or conditions.
pub fn plan(tree: &Tree) -> Result<Query, QueryError> {
    let mut query = Query::everything();
    query.verdict = verdict(tree, &mut query)?;
    Ok(query)
}

/// Outside braces: every part is a condition of its own.
fn verdict(tree: &Tree, query: &mut Query) -> Result<Formula, QueryError> {
    match tree {
        Tree::Everything => Ok(Formula::True),
        Tree::And(parts) => Ok(Formula::And(each(parts, query, verdict)?)),
        Tree::Or(parts) => Ok(Formula::Or(each(parts, query, verdict)?)),
        Tree::Not(inner) => Ok(Formula::Not(Box::new(verdict(inner, query)?))),
        Tree::Together(_) | Tree::Leaf(_) => {
            let condition = Condition { formula: position(tree, query)?, streak: 1 };
            intern(&mut query.conditions, condition, "conditions")
        }
    }
}

/// Inside braces: everything holds at the same position.
fn position(tree: &Tree, query: &mut Query) -> Result<Formula, QueryError> {
    match tree {
        Tree::Everything => Ok(Formula::True),
        Tree::And(parts) => Ok(Formula::And(each(parts, query, position)?)),
        Tree::Or(parts) => Ok(Formula::Or(each(parts, query, position)?)),
        Tree::Not(inner) => Ok(Formula::Not(Box::new(position(inner, query)?))),
        Tree::Together(inner) => position(inner, query),
        Tree::Leaf(leaf) => self::leaf(leaf, query),
    }
}

fn each(
    parts: &[Tree],
    query: &mut Query,
    plan: fn(&Tree, &mut Query) -> Result<Formula, QueryError>,
) -> Result<Vec<Formula>, QueryError> {
    parts.iter().map(|part| plan(part, query)).collect()
}

fn leaf(leaf: &Leaf, query: &mut Query) -> Result<Formula, QueryError> {
    let mut somewhere = |colour, feature, region| {
        intern(&mut query.predicates, Predicate::Somewhere(Squares { feature, colour, region }), "predicates")
    };
    match *leaf {
        Leaf::Feature { side, feature, region } => match side {
            _ if !feature.sided => somewhere(Color::White, feature, region),
            Side::White => somewhere(Color::White, feature, region),
            Side::Black => somewhere(Color::Black, feature, region),
            Side::Either | Side::Both | Side::Neither => {
                let sides =
                    alloc::vec![somewhere(Color::White, feature, region)?, somewhere(Color::Black, feature, region)?];
                Ok(match side {
                    Side::Both => Formula::And(sides),
                    Side::Neither => Formula::Not(Box::new(Formula::Or(sides))),
                    _ => Formula::Or(sides),
                })
            }
        },
        Leaf::Absent { side, feature, region } => {
            let side = if side == Side::Neither { Side::Either } else { side };
            let present = self::leaf(&Leaf::Feature { side, feature, region }, query)?;
            Ok(Formula::Not(Box::new(present)))
        }
        Leaf::Empty(region) => intern(&mut query.predicates, Predicate::Empty(region), "predicates"),
        Leaf::Compare(ref left, comparison, ref right) => {
            intern(&mut query.predicates, compare(left, comparison, right), "predicates")
        }
    }
}

/// All counts to the left, all constants to the right.
fn compare(left: &Sum, comparison: Comparison, right: &Sum) -> Predicate {
    let mut terms: Vec<Term> = Vec::new();
    let mut add = |weight: i64, size: Size| match terms.iter_mut().find(|term| term.size == size) {
        Some(term) => term.weight = term.weight.saturating_add(weight),
        None => terms.push(Term { weight, size }),
    };
    for (sum, sign) in [(left, 1), (right, -1)] {
        for (factor, counted) in &sum.terms {
            let weight = sign * factor;
            let colours = |side: Side| {
                Color::ALL.into_iter().filter(move |&colour| side.colour().is_none_or(|one| one == colour))
            };
            match *counted {
                Counted::Squares { side, feature, region } => {
                    colours(side).for_each(|colour| add(weight, Squares { feature, colour, region }.counted()));
                }
                Counted::Points(side) => {
                    for colour in colours(side) {
                        for (role, points) in POINTS {
                            add(weight.saturating_mul(points), Size::Number(man(colour, role)));
                        }
                    }
                }
            }
        }
    }
    terms.retain(|term| term.weight != 0);
    Predicate::Compare { terms, comparison, constant: right.constant - left.constant }
}

/// The bit of `item` in `list`, which it joins if it is new.
fn intern<T: PartialEq>(list: &mut Vec<T>, item: T, what: &str) -> Result<Formula, QueryError> {
    let at = list.iter().position(|known| *known == item).unwrap_or(list.len());
    if at == 64 {
        let message = alloc::format!("a query has at most 64 different {what}");
        return Err(QueryError { message, from: 0, to: 0, expected: Vec::new(), nearest: None });
    }
    if at == list.len() {
        list.push(item);
    }
    Ok(Formula::Bit(at as u8))
}
