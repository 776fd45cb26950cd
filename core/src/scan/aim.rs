//! What a condition implies of the men on the board: what must be there wherever it holds.
//!
//! Material only dwindles and pawns only advance, so what is implied says of a game, by its last signature, that it never can have
//! fulfilled the condition, and of a position that it never will. [`Goal`](crate::matsig::goal::Goal) has the tests.

use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{Bitboard, Color, Role};

use super::combine::Formula;
use super::measure::Implied;
use super::predicate::{Comparison, PawnPattern, Placement, Predicate, Size, Squares, Target};
use crate::board::{Man, man};
pub use crate::matsig::goal::Asked;

/// What is implied where a formula over predicates holds, in any of its [`ways`].
pub fn asked(formula: &Formula, predicates: &[Predicate]) -> Asked {
    one_of(ways(formula, predicates).into_iter())
}

/// The same in several ways, one of which is implied: what holds only as one of some alternatives asks for more in each of them than in all.
/// Never empty, and never long.
pub fn ways(formula: &Formula, predicates: &[Predicate]) -> Vec<Asked> {
    ways_of(formula, predicates, true)
}

/// More ways than these are taken together.
const MOST_WAYS: usize = 16;

/// The same where it holds (`holds`), or where it does not.
fn ways_of(formula: &Formula, predicates: &[Predicate], holds: bool) -> Vec<Asked> {
    let each = |parts: &[Formula], together: bool| {
        let parts = parts.iter().map(|part| ways_of(part, predicates, holds));
        match together {
            true => parts.fold(vec![Asked::default()], |all, part| {
                let pairs = all.iter().flat_map(|one| part.iter().map(|two| both(one.clone(), two.clone())));
                few(pairs.collect())
            }),
            false => few(parts.flatten().collect()),
        }
    };
    match formula {
        Formula::Not(inner) => ways_of(inner, predicates, !holds),
        Formula::And(parts) => each(parts, holds),
        Formula::Or(parts) => each(parts, !holds),
        Formula::True => vec![Asked::default()],
        Formula::Bit(n) => match predicates.get(usize::from(*n)) {
            Some(Predicate::PawnImages(patterns)) if holds => few(patterns.iter().map(of_pawns).collect()),
            Some(Predicate::Images(images)) if holds => few(images.placements().iter().map(of_placement).collect()),
            Some(predicate) if holds => vec![implied(predicate)],
            Some(predicate) => vec![implied_without(predicate)],
            None => vec![Asked::default()],
        },
    }
}

/// Without those that nothing fulfils, and those that ask for all that another does and more; all in one if there are too many.
fn few(ways: Vec<Asked>) -> Vec<Asked> {
    let all = |ways: &[Asked]| vec![one_of(ways.iter().cloned())];
    if ways.len() > MOST_WAYS * MOST_WAYS {
        return all(&ways);
    }
    let mut kept: Vec<Asked> = Vec::new();
    for way in &ways {
        let is_possible = (0..2).all(|side| way.required[side] & !way.allowed[side] == 0)
            && (0..16).all(|man| way.least[man] <= way.most[man]);
        let asks_more = |one: &Asked, other: &Asked| both(one.clone(), other.clone()) == *one;
        if is_possible && !kept.iter().any(|other| asks_more(way, other)) {
            kept.retain(|other| !asks_more(other, way));
            kept.push(way.clone());
        }
    }
    // What nothing fulfils is asked for as well as anything.
    if kept.is_empty() || kept.len() > MOST_WAYS { all(&ways) } else { kept }
}

fn both(one: Asked, two: Asked) -> Asked {
    Asked {
        required: [0, 1].map(|side| one.required[side] | two.required[side]),
        allowed: [0, 1].map(|side| one.allowed[side] & two.allowed[side]),
        least: core::array::from_fn(|code| one.least[code].max(two.least[code])),
        most: core::array::from_fn(|code| one.most[code].min(two.most[code])),
    }
}

fn either(one: Asked, two: Asked) -> Asked {
    Asked {
        required: [0, 1].map(|side| one.required[side] & two.required[side]),
        allowed: [0, 1].map(|side| one.allowed[side] | two.allowed[side]),
        least: core::array::from_fn(|code| one.least[code].min(two.least[code])),
        most: core::array::from_fn(|code| one.most[code].max(two.most[code])),
    }
}

/// Where a predicate holds that is no set of images.
fn implied(predicate: &Predicate) -> Asked {
    let mut asked = Asked::default();
    match predicate {
        Predicate::Somewhere(Squares { feature, colour, region }) => {
            match feature.implies {
                Implied::Nothing => {}
                Implied::Men(role, number) => asked.least[code(*colour, role)] = number,
                Implied::None(role) => Color::ALL.iter().for_each(|&colour| asked.most[code(colour, role)] = 0),
            }
            if feature.role() == Some(Role::Pawn) && region.count_ones() == 1 {
                asked.required[side(*colour)] = *region;
            }
        }
        Predicate::Attacks(attacks) => {
            asked = implied(&Predicate::Somewhere(attacks.by));
            if let Target::Feature(target) = attacks.target {
                asked = both(asked, implied(&Predicate::Somewhere(target)));
            }
        }
        Predicate::Empty(region) => asked.allowed = [!region; 2],
        Predicate::Numbers(bounds) => (asked.least, asked.most) = (bounds.least, bounds.most),
        Predicate::Pawns(pattern) => asked = of_pawns(pattern),
        Predicate::Placement(placement) => asked = of_placement(placement),
        Predicate::Compare { terms, comparison, constant } => {
            // Sums are left alone: nobody asks for them often enough.
            if let [term] = &terms[..]
                && let (Size::Number(man), 1) = (&term.size, term.weight)
            {
                let (least, most) = match comparison {
                    Comparison::Equal => (*constant, *constant),
                    Comparison::AtLeast => (*constant, i64::MAX),
                    Comparison::More => (constant.saturating_add(1), i64::MAX),
                    Comparison::AtMost => (0, *constant),
                    Comparison::Less => (0, constant.saturating_sub(1)),
                    Comparison::Unequal => (0, i64::MAX),
                };
                asked.least[usize::from(*man) & 15] = least.clamp(0, 64) as u8;
                asked.most[usize::from(*man) & 15] = if most > 64 { u8::MAX } else { most.max(0) as u8 };
            }
        }
        // Each of their images is a way of its own.
        Predicate::PawnImages(_) | Predicate::Images(_) => {}
        Predicate::Turn(_) | Predicate::When(_) | Predicate::Header(_) | Predicate::Rights { .. } => {}
    }
    asked
}

/// What all of several have in common. Of none nothing need be known, for that never holds.
pub fn one_of(mut each: impl Iterator<Item = Asked>) -> Asked {
    each.next().map(|first| each.fold(first, either)).unwrap_or_default()
}

fn of_pawns(pattern: &PawnPattern) -> Asked {
    let mut asked = Asked::default();
    for (side, masked) in [pattern.white, pattern.black].into_iter().enumerate() {
        asked.required[side] = masked.mask & masked.value;
        asked.allowed[side] = !masked.mask | masked.value;
    }
    asked
}

fn of_placement(placement: &Placement) -> Asked {
    let mut asked = Asked::default();
    for square in Bitboard(placement.squares) {
        let (allowed, square) = (placement.allowed[square as usize], 1u64 << square as u32);
        for side in [0, 1] {
            let pawn = 1u16 << code(Color::from_white(side == 0), Role::Pawn);
            if allowed & pawn == 0 {
                asked.allowed[side] &= !square;
            } else if allowed == pawn {
                asked.required[side] |= square;
            }
        }
        if allowed.count_ones() == 1 && allowed != 1 {
            let least = &mut asked.least[allowed.trailing_zeros() as usize];
            *least = least.saturating_add(1);
        }
    }
    asked
}

/// Where it does not hold.
fn implied_without(predicate: &Predicate) -> Asked {
    let mut asked = Asked::default();
    match predicate {
        Predicate::Somewhere(Squares { feature, colour, region }) => {
            if let Some(role) = feature.role() {
                if *region == u64::MAX {
                    asked.most[code(*colour, role)] = 0;
                } else if role == Role::Pawn {
                    asked.allowed[side(*colour)] = !region;
                }
            }
        }
        Predicate::Compare { terms, comparison, constant } => {
            let comparison = match comparison {
                Comparison::Equal => Comparison::Unequal,
                Comparison::Unequal => Comparison::Equal,
                Comparison::Less => Comparison::AtLeast,
                Comparison::AtLeast => Comparison::Less,
                Comparison::More => Comparison::AtMost,
                Comparison::AtMost => Comparison::More,
            };
            return implied(&Predicate::Compare { terms: terms.clone(), comparison, constant: *constant });
        }
        _ => {}
    }
    asked
}

fn code(colour: Color, role: Role) -> usize {
    let man: Man = man(colour, role);
    man.into()
}

fn side(colour: Color) -> usize {
    usize::from(colour == Color::Black)
}
