//! Implied bounds are what must be true of the pieces and pawns on the board wherever a condition holds.
//!
//! The number of pieces only falls and pawns only advance. So the last signature of a game can show that the game never fulfilled
//! the condition, and a position can show that the rest of the game will not.
//! [`ReachabilityTarget`](plyfold_board::matsig::target::ReachabilityTarget) has both tests.

use alloc::vec;
use alloc::vec::Vec;

use plyfold_board::board::{ByPiece, PieceCode};
use shakmaty::{Bitboard, Color, Role};

use crate::scan::combine::{Formula, some_of};
use crate::scan::measure::ImpliedPieces;
use crate::scan::predicate::{
    AttackTarget, BoardQuantity, FeatureSquares, NumberComparison, PawnPattern, Placement, PositionPredicate,
    WeightedTerm,
};
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
            Some(PositionPredicate::PawnPatternImages(patterns)) if holds => {
                simplify(patterns.iter().map(bounds_of_pawn_pattern).collect())
            }
            Some(PositionPredicate::PlacementImages(images)) if holds => {
                simplify(images.placements().iter().map(bounds_of_placement).collect())
            }
            Some(predicate) if holds => vec![bounds_where_true(predicate)],
            Some(predicate) => vec![bounds_where_false(predicate)],
            None => vec![MaterialBounds::default()],
        },
    }
}

/// The alternatives where one of each list holds.
fn intersect_alternatives(one: &[MaterialBounds], other: &[MaterialBounds]) -> Vec<MaterialBounds> {
    let pairs = one.iter().flat_map(|one| other.iter().map(|other| intersect_bounds(one.clone(), other.clone())));
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
        let asks_more =
            |one: &MaterialBounds, other: &MaterialBounds| intersect_bounds(one.clone(), other.clone()) == *one;
        if is_possible && !remaining.iter().any(|other| asks_more(alternative, other)) {
            remaining.retain(|other| !asks_more(other, alternative));
            remaining.push(alternative.clone());
        }
    }
    // If no alternative is possible, the formula never holds and any bounds are correct.
    if remaining.is_empty() || remaining.len() > MAX_ALTERNATIVES { union_of_all(&alternatives) } else { remaining }
}

fn intersect_bounds(left: MaterialBounds, right: MaterialBounds) -> MaterialBounds {
    MaterialBounds {
        required_pawns: [0, 1].map(|side| left.required_pawns[side] | right.required_pawns[side]),
        allowed_pawns: [0, 1].map(|side| left.allowed_pawns[side] & right.allowed_pawns[side]),
        min_pieces: ByPiece::from_fn(|code| left.min_pieces[code].max(right.min_pieces[code])),
        max_pieces: ByPiece::from_fn(|code| left.max_pieces[code].min(right.max_pieces[code])),
        max_total: left.max_total.min(right.max_total),
    }
}

fn union_bounds(left: MaterialBounds, right: MaterialBounds) -> MaterialBounds {
    MaterialBounds {
        required_pawns: [0, 1].map(|side| left.required_pawns[side] & right.required_pawns[side]),
        allowed_pawns: [0, 1].map(|side| left.allowed_pawns[side] | right.allowed_pawns[side]),
        min_pieces: ByPiece::from_fn(|code| left.min_pieces[code].min(right.min_pieces[code])),
        max_pieces: ByPiece::from_fn(|code| left.max_pieces[code].max(right.max_pieces[code])),
        max_total: left.max_total.max(right.max_total),
    }
}

/// The bounds where a predicate holds. A set of images has none here, because each image is an alternative.
fn bounds_where_true(predicate: &PositionPredicate) -> MaterialBounds {
    let mut material = MaterialBounds::default();
    match predicate {
        PositionPredicate::FeatureInRegion(FeatureSquares { feature, colour, region }) => {
            match feature.implied_pieces {
                ImpliedPieces::Nothing => {}
                ImpliedPieces::AtLeast(role, number) => material.min_pieces[PieceCode::new(*colour, role)] = number,
                ImpliedPieces::Absent(role) => {
                    Color::ALL.iter().for_each(|&colour| material.max_pieces[PieceCode::new(colour, role)] = 0)
                }
            }
            if feature.role() == Some(Role::Pawn) && region.count_ones() == 1 {
                material.required_pawns[side_index(*colour)] = *region;
            }
        }
        PositionPredicate::Attacks(attacks) => {
            material = bounds_where_true(&PositionPredicate::FeatureInRegion(attacks.attackers));
            if let AttackTarget::Feature(target) = attacks.target {
                material = intersect_bounds(material, bounds_where_true(&PositionPredicate::FeatureInRegion(target)));
            }
        }
        PositionPredicate::Played(predicate) => {
            // After the move, the piece stands where it has arrived.
            if let Some(role) = predicate.only_arriving_role() {
                material.min_pieces[PieceCode::new(predicate.colour, role)] = 1;
                if role == Role::Pawn && predicate.to.count_ones() == 1 {
                    material.required_pawns[side_index(predicate.colour)] = predicate.to;
                }
            }
        }
        PositionPredicate::Empty(region) => material.allowed_pawns = [!region; 2],
        PositionPredicate::PieceCounts(bounds) => (material.min_pieces, material.max_pieces) = (bounds.min, bounds.max),
        PositionPredicate::PawnPattern(pattern) => material = bounds_of_pawn_pattern(pattern),
        PositionPredicate::Placement(placement) => material = bounds_of_placement(placement),
        PositionPredicate::Table(test) if test.needs_verdict() => {
            material.max_total = total_without_kings(test.tables.most_pieces().into())
        }
        PositionPredicate::Compare { terms, comparison, constant } => {
            material = bounds_of_comparison(terms, *comparison, *constant);
        }
        // Each image is an alternative.
        PositionPredicate::PawnPatternImages(_) | PositionPredicate::PlacementImages(_) => {}
        // The plan adds what a set implies as predicates of their own.
        PositionPredicate::SquareSet(_)
        | PositionPredicate::Followed(_)
        | PositionPredicate::SideToMove(_)
        | PositionPredicate::Ply(_)
        | PositionPredicate::FirstMoves(_)
        | PositionPredicate::DiscoveredCheck(_)
        | PositionPredicate::PerpetualCheck(_)
        | PositionPredicate::Motif(..)
        | PositionPredicate::Header(_)
        | PositionPredicate::Annotations(_)
        | PositionPredicate::Table(_)
        | PositionPredicate::Rights { .. } => {}
    }
    material
}

/// The bounds where a comparison of a sum with a constant holds. Only a single count and the number of all pieces have bounds; other
/// sums are too rare in queries.
fn bounds_of_comparison(terms: &[WeightedTerm], comparison: NumberComparison, constant: i64) -> MaterialBounds {
    let mut material = MaterialBounds::default();
    let (least, most) = comparison.range(constant).unwrap_or((0, i64::MAX));
    if counts_all_pieces(terms) {
        material.max_total = total_without_kings(most);
    } else if let [WeightedTerm { quantity: BoardQuantity::PieceCount(piece), weight: 1 }] = terms {
        material.min_pieces[*piece] = least.clamp(0, 64) as u8;
        material.max_pieces[*piece] = if most > 64 { u8::MAX } else { most.max(0) as u8 };
    }
    material
}

/// Whether a sum is the number of all pieces of both sides.
fn counts_all_pieces(terms: &[WeightedTerm]) -> bool {
    PieceCode::all()
        .filter(|code| code.role().is_some())
        .all(|code| terms.iter().any(|term| term.weight == 1 && term.quantity == BoardQuantity::PieceCount(code)))
        && terms.len() == 12
}

/// The number of pieces without the kings, given it with them.
fn total_without_kings(pieces: i64) -> u8 {
    pieces.saturating_sub(2).clamp(0, u8::MAX.into()) as u8
}

/// The bounds that all alternatives have in common; bounds that every board satisfies if there are no alternatives.
pub fn union_of(mut alternatives: impl Iterator<Item = MaterialBounds>) -> MaterialBounds {
    alternatives.next().map(|first| alternatives.fold(first, union_bounds)).unwrap_or_default()
}

fn bounds_of_pawn_pattern(pattern: &PawnPattern) -> MaterialBounds {
    let mut bounds = MaterialBounds::default();
    for (side, masked) in [pattern.white, pattern.black].into_iter().enumerate() {
        bounds.required_pawns[side] = masked.mask & masked.value;
        bounds.allowed_pawns[side] = !masked.mask | masked.value;
    }
    bounds
}

fn bounds_of_placement(placement: &Placement) -> MaterialBounds {
    let mut bounds = MaterialBounds::default();
    for square in Bitboard(placement.squares) {
        let (allowed, square) = (placement.allowed[square as usize], 1u64 << square as u32);
        for side in [0, 1] {
            let pawn = PieceCode::new(Color::from_white(side == 0), Role::Pawn).bit();
            if allowed & pawn == 0 {
                bounds.allowed_pawns[side] &= !square;
            } else if allowed == pawn {
                bounds.required_pawns[side] |= square;
            }
        }
        if allowed.count_ones() == 1 && allowed != 1 {
            let least = &mut bounds.min_pieces[PieceCode::from_bits(allowed.trailing_zeros() as u8)];
            *least = least.saturating_add(1);
        }
    }
    bounds
}

/// The bounds where a predicate does not hold.
fn bounds_where_false(predicate: &PositionPredicate) -> MaterialBounds {
    let mut bounds = MaterialBounds::default();
    match predicate {
        PositionPredicate::FeatureInRegion(FeatureSquares { feature, colour, region }) => {
            if let Some(role) = feature.role() {
                if *region == u64::MAX {
                    bounds.max_pieces[PieceCode::new(*colour, role)] = 0;
                } else if role == Role::Pawn {
                    bounds.allowed_pawns[side_index(*colour)] = !region;
                }
            }
        }
        PositionPredicate::Compare { terms, comparison, constant } => {
            let comparison = match comparison {
                NumberComparison::Equal => NumberComparison::Unequal,
                NumberComparison::Unequal => NumberComparison::Equal,
                NumberComparison::Less => NumberComparison::AtLeast,
                NumberComparison::AtLeast => NumberComparison::Less,
                NumberComparison::More => NumberComparison::AtMost,
                NumberComparison::AtMost => NumberComparison::More,
            };
            return bounds_where_true(&PositionPredicate::Compare {
                terms: terms.clone(),
                comparison,
                constant: *constant,
            });
        }
        _ => {}
    }
    bounds
}

fn side_index(colour: Color) -> usize {
    usize::from(colour == Color::Black)
}

#[cfg(test)]
mod tests {
    use super::*;

    const D5: u64 = 1 << 35;

    #[test]
    fn a_placement_asks_for_the_pieces_that_it_names() {
        let mut placement = Placement { squares: 0, allowed: [0; 64] };
        let mut allow = |square: u32, pieces: u16| {
            placement.squares |= 1 << square;
            placement.allowed[square as usize] = pieces;
        };
        let piece = |colour, role| PieceCode::new(colour, role).bit();
        let (pawn, rook) = (piece(Color::White, Role::Pawn), piece(Color::Black, Role::Rook));
        // On these squares: two rooks, a pawn, a pawn or nothing, a rook or a pawn, and two empty squares.
        for (square, pieces) in [(0, rook), (9, rook), (35, pawn), (36, pawn | 1), (37, pawn | rook), (3, 1), (28, 1)] {
            allow(square, pieces);
        }
        let mut expected = MaterialBounds::default();
        expected.min_pieces[PieceCode::BLACK_ROOK] = 2;
        expected.min_pieces[PieceCode::WHITE_PAWN] = 1;
        expected.required_pawns = [D5, 0];
        let without = |squares: &[u32]| squares.iter().fold(u64::MAX, |all, square| all & !(1 << square));
        expected.allowed_pawns = [without(&[0, 9, 3, 28]), without(&[0, 9, 35, 36, 37, 3, 28])];
        assert_eq!(bounds_of_placement(&placement), expected);
    }
}
