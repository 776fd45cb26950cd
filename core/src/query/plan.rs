//! From a tree to what the scan runs: predicates, each once; conditions over them; the verdict over the conditions.

use alloc::boxed::Box;
use alloc::vec::Vec;

use shakmaty::{Color, Role};

use super::diagram::Diagram;
use super::error::{QueryError, wrong};
use super::fen::Fen;
use super::tree::{Counted, Leaf, Side, Sum, Tree};
use crate::board::man;
use crate::scan::combine::Formula;
use crate::scan::predicate::{Bounds, Comparison, Placement, Predicate, Size, Squares, Term};
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
        Tree::Together(_) | Tree::Leaf(_) => condition(tree, 1, query),
        Tree::Streak { condition: tree, plies } => condition(tree, *plies, query),
    }
}

fn condition(tree: &Tree, streak: u32, query: &mut Query) -> Result<Formula, QueryError> {
    let formula = position(tree, query)?;
    intern(&mut query.conditions, Condition { formula, streak }, "conditions")
}

/// Inside braces: everything holds at the same position.
fn position(tree: &Tree, query: &mut Query) -> Result<Formula, QueryError> {
    match tree {
        Tree::Everything => Ok(Formula::True),
        Tree::And(parts) => Ok(all(each(parts, query, position)?)),
        Tree::Or(parts) => Ok(Formula::Or(each(parts, query, position)?)),
        Tree::Not(inner) => Ok(Formula::Not(Box::new(position(inner, query)?))),
        Tree::Together(inner) => position(inner, query),
        Tree::Leaf(leaf) => self::leaf(leaf, query),
        // No text reads as such a tree.
        Tree::Streak { .. } => Err(wrong("`for` cannot stand inside braces, which are one position", 0, 0, &[])),
    }
}

fn each(
    parts: &[Tree],
    query: &mut Query,
    plan: fn(&Tree, &mut Query) -> Result<Formula, QueryError>,
) -> Result<Vec<Formula>, QueryError> {
    parts.iter().map(|part| plan(part, query)).collect()
}

/// All of them, those of an `and` within each by itself: so the scan sees what it can begin with.
fn all(parts: Vec<Formula>) -> Formula {
    let flat = parts.into_iter().flat_map(|part| match part {
        Formula::And(inner) => inner,
        part => alloc::vec![part],
    });
    Formula::And(flat.collect())
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
        Leaf::Fen(ref fen) => together(position_of(fen), query),
        Leaf::Board(ref diagram) => together(pattern(diagram, diagram.rest()), query),
        Leaf::Structure { white, black } => {
            let pawns = Diagram::of_pawns(white, black).pawns().map(Predicate::Pawns);
            together(pawns.into_iter().collect(), query)
        }
        Leaf::Material(material) => one_of(material.bounds(), query),
        Leaf::Endgame(endgame) => one_of(endgame.bounds(), query),
    }
}

/// All of `predicates` at one position.
fn together(predicates: Vec<Predicate>, query: &mut Query) -> Result<Formula, QueryError> {
    let mut formulas = interned(predicates.into_iter(), query)?;
    match formulas.len() {
        0 => Ok(Formula::True),
        1 => Ok(formulas.swap_remove(0)),
        _ => Ok(Formula::And(formulas)),
    }
}

/// Numbers of men within one of `bounds`, of which there are some.
fn one_of(bounds: impl Iterator<Item = Bounds>, query: &mut Query) -> Result<Formula, QueryError> {
    let mut formulas = interned(bounds.map(|bounds| Predicate::Numbers(Box::new(bounds))), query)?;
    Ok(if formulas.len() == 1 { formulas.swap_remove(0) } else { Formula::Or(formulas) })
}

fn interned(predicates: impl Iterator<Item = Predicate>, query: &mut Query) -> Result<Vec<Formula>, QueryError> {
    predicates.map(|predicate| intern(&mut query.predicates, predicate, "predicates")).collect()
}

/// A placement and what else a FEN asks for: what is cheap to test, and what is exact.
fn position_of(fen: &Fen) -> Vec<Predicate> {
    let mut predicates: Vec<Predicate> = fen.turn.map(Predicate::Turn).into_iter().collect();
    predicates.extend(pattern(&fen.placement, Some(fen.placement.whole())));
    if fen.castling.is_some() || fen.en_passant.is_some() {
        predicates.push(Predicate::Rights { castling: fen.castling, en_passant: fen.en_passant });
    }
    predicates
}

/// What a diagram says of numbers and of pawns, and `placement`, which makes it exact.
fn pattern(diagram: &Diagram, placement: Option<Placement>) -> Vec<Predicate> {
    let numbers = diagram.numbers().map(|bounds| Predicate::Numbers(Box::new(bounds)));
    let pawns = diagram.pawns().map(Predicate::Pawns);
    let placement = placement.map(|placement| Predicate::Placement(Box::new(placement)));
    [numbers, pawns, placement].into_iter().flatten().collect()
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
        return Err(wrong(&message, 0, 0, &[]));
    }
    if at == list.len() {
        list.push(item);
    }
    Ok(Formula::Bit(at as u8))
}
