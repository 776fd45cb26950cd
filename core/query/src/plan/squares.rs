//! Plans sets of squares for a side, the pieces that queries name, and moves.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::measure::FEATURES;
use plyfold_scan::scan::predicate::{
    AttackPredicate, AttackTarget, FeatureSquares, FollowedTest, NameDomain, NamedPiece, PieceName, PositionPredicate,
    SquareSet,
};
use plyfold_scan::scan::replay_needs::ReplayNeeds;
use shakmaty::{Color, Role};

use super::{QueryPlanner, flatten_and};
use crate::error::QueryError;
use crate::names::Introduction;
use crate::played::role_name;
use crate::relation::{RelatedSquares, RelationExpression};
use crate::squares::{SquareExpression, SquareTarget};

impl QueryPlanner<'_> {
    /// The formula of a set that is not empty: cheap conditions that follow first, then the exact one.
    pub(crate) fn any_square_of_set(&mut self, set: SquareSet) -> Result<Formula, QueryError> {
        if let Some(attacks) = attack_predicate(&set) {
            return self.intern_predicate(attacks);
        }
        let is_cheap = |squares: &FeatureSquares| {
            squares.feature.role().is_some() || squares.feature.needs == ReplayNeeds::PAWN_BITBOARDS
        };
        let mut implied = Vec::new();
        match set {
            SquareSet::Feature(squares) => return self.intern_predicate(PositionPredicate::FeatureInRegion(squares)),
            SquareSet::Any(parts) => {
                let parts = parts.into_iter().map(|part| self.any_square_of_set(part));
                return parts.collect::<Result<_, _>>().map(Formula::Or);
            }
            SquareSet::All(ref parts) => implied.extend(parts.iter()),
            SquareSet::Attacking { ref pieces, .. } | SquareSet::XRaying { ref pieces, .. } => implied.push(&**pieces),
            SquareSet::Named { .. } => implied.push(&set),
            SquareSet::Region(_)
            | SquareSet::Left { .. }
            | SquareSet::Not(_)
            | SquareSet::Related { .. }
            | SquareSet::Between(_) => {}
        }
        // Where nothing is, nothing lies beside it.
        for part in implied.clone() {
            match part {
                SquareSet::Related { to, .. } => implied.push(&**to),
                SquareSet::Between(ends) => implied.extend(ends.iter()),
                _ => {}
            }
        }
        let mut formulas = Vec::new();
        for part in implied {
            match part {
                SquareSet::Feature(squares) if is_cheap(squares) => {
                    formulas.push(self.intern_predicate(PositionPredicate::FeatureInRegion(*squares))?);
                }
                SquareSet::Named { piece, colour, region } => {
                    formulas.extend(self.implied_by_name(*piece, *colour, *region)?);
                }
                _ => {}
            }
        }
        let test = match set.names() {
            0 => PositionPredicate::SquareSet(Box::new(set)),
            _ => PositionPredicate::Followed(FollowedTest::Squares(Box::new(set))),
        };
        formulas.push(self.intern_predicate(test)?);
        Ok(flatten_and(formulas))
    }

    /// What holds without a choice of pieces where a followed piece of a side stands in a region; none if that is nothing.
    fn implied_by_name(
        &mut self,
        piece: NamedPiece,
        colour: Color,
        region: u64,
    ) -> Result<Option<Formula>, QueryError> {
        let Some(FollowedPiece { colours, role, .. }) = self.names.get(usize::from(piece.index)) else {
            return Ok(None);
        };
        if !colours.contains(&colour) {
            // Nothing fulfils this.
            return Ok(Some(Formula::Or(Vec::new())));
        }
        if region == u64::MAX {
            return Ok(None);
        }
        // A pawn may have become any piece, and any piece but a king may have been a pawn.
        let kinds = match role {
            Some(Role::Pawn) | None => ["piece", ""],
            Some(Role::King) => ["king", ""],
            Some(role) => [role_name(*role), "pawn"],
        };
        let features = FEATURES.iter().copied().filter(|feature| kinds.contains(&feature.name));
        let squares = features.map(|feature| FeatureSquares { feature, colour, region });
        self.intern_predicates(squares.map(PositionPredicate::FeatureInRegion)).map(|any| Some(Formula::Or(any)))
    }
}

/// The test of a set of pieces of one predicate that attack a region or squares of one predicate.
// PERF: it is decided for many plies at once, which sets of squares are not.
fn attack_predicate(set: &SquareSet) -> Option<PositionPredicate> {
    let SquareSet::Attacking { pieces, target, .. } = set else { return None };
    let SquareSet::Feature(attackers) = **pieces else { return None };
    let target = match **target {
        SquareSet::Region(region) => AttackTarget::Region(region),
        SquareSet::Feature(squares) => AttackTarget::Feature(squares),
        _ => return None,
    };
    Some(PositionPredicate::Attacks(Box::new(AttackPredicate { attackers, target })))
}

/// A name, and what is known of its piece before the first game.
pub(crate) struct FollowedPiece {
    pub domain: NameDomain,
    colours: Vec<Color>,
    /// The role that the piece has when it is introduced, if it is one.
    role: Option<Role>,
}

impl FollowedPiece {
    pub fn new(introduction: Introduction) -> FollowedPiece {
        let Introduction { name, colours, place } = introduction;
        let role = match &place {
            SquareExpression::Feature { feature, .. } => feature.role(),
            _ => None,
        };
        let places = colours.iter().map(|&colour| squares_for_side(&place, colour, u64::MAX, &[])).collect();
        FollowedPiece { domain: NameDomain { name, places }, colours, role }
    }
}

/// The index of a name, which is one of the query's.
pub(crate) fn named_piece(names: &[FollowedPiece], name: PieceName) -> NamedPiece {
    let index = names.iter().position(|piece| piece.domain.name == name).unwrap_or(0);
    NamedPiece { index: index as u8, name }
}

/// The squares of an expression for a colour, within a region.
pub(crate) fn squares_for_side(
    squares: &SquareExpression,
    colour: Color,
    within: u64,
    names: &[FollowedPiece],
) -> SquareSet {
    let each =
        |parts: &[SquareExpression]| parts.iter().map(|part| squares_for_side(part, colour, within, names)).collect();
    let end = |end: &RelatedSquares| union_for_side(end, colour, names, &|squares, _| squares);
    let named = |name: PieceName, region: u64| SquareSet::Named { piece: named_piece(names, name), colour, region };
    match squares {
        SquareExpression::Feature { feature, region } => {
            let colour = if feature.has_sides { colour } else { Color::White };
            SquareSet::Feature(FeatureSquares { feature, colour, region: region.for_side(colour) & within })
        }
        SquareExpression::Named { name, region } => named(*name, region.for_side(colour) & within),
        SquareExpression::Left { name, which } => {
            SquareSet::Left { piece: named_piece(names, *name), which: *which, region: within }
        }
        SquareExpression::Introduced { place, name } => {
            SquareSet::All(vec![squares_for_side(place, colour, within, names), named(*name, u64::MAX)])
        }
        SquareExpression::All(parts) => SquareSet::All(each(parts)),
        SquareExpression::Any(parts) => SquareSet::Any(each(parts)),
        SquareExpression::Not(part) => SquareSet::Not(Box::new(squares_for_side(part, colour, u64::MAX, names))),
        SquareExpression::On(part, region) => squares_for_side(part, colour, region.for_side(colour) & within, names),
        SquareExpression::Related(relation) => match &**relation {
            RelationExpression::To(relation, to) => union_for_side(to, colour, names, &|squares, colour| {
                SquareSet::Related { relation: *relation, colour, to: Box::new(squares) }
            }),
            RelationExpression::Between(one, other) => SquareSet::Between(Box::new([one, other].map(end))),
        },
        SquareExpression::XRaying { pieces, ray } => SquareSet::XRaying {
            colour,
            pieces: Box::new(squares_for_side(pieces, colour, within, names)),
            line: Box::new([end(&ray.target), ray.through.as_ref().map_or(SquareSet::Region(u64::MAX), end)]),
        },
        SquareExpression::Attacking { pieces, defends, target } => SquareSet::Attacking {
            colour,
            pieces: Box::new(squares_for_side(pieces, colour, within, names)),
            target: Box::new(match &**target {
                SquareTarget::Region(region) => SquareSet::Region(region.for_side(colour)),
                SquareTarget::Squares(squares) => {
                    squares_for_side(squares, if *defends { colour } else { !colour }, u64::MAX, names)
                }
            }),
        },
    }
}

/// What `of` makes of the squares of each of their owners; a region is that of the side in question.
fn union_for_side(
    squares: &RelatedSquares,
    side: Color,
    names: &[FollowedPiece],
    of: &dyn Fn(SquareSet, Color) -> SquareSet,
) -> SquareSet {
    match &squares.squares {
        SquareTarget::Region(region) => of(SquareSet::Region(region.for_side(side)), side),
        SquareTarget::Squares(expression) => {
            let colours = squares.owner.colours(side).iter();
            let mut sets: Vec<SquareSet> =
                colours.map(|&colour| of(squares_for_side(expression, colour, u64::MAX, names), colour)).collect();
            if sets.len() == 1 { sets.swap_remove(0) } else { SquareSet::Any(sets) }
        }
    }
}
