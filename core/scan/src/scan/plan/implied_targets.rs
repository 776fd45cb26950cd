//! Implied targets are what a condition requires of the pieces and pawns of a game. They are prepared so that a scan can reject
//! games without reading their moves.

use alloc::vec::Vec;

use plyfold_board::irreversible::home_pawns::HomePawnConstraint;
use plyfold_board::matsig::target::ReachabilityTarget;

use super::implied_bounds;
use super::implied_bounds::MaterialBounds;

/// What a condition implies of the pieces on the board.
pub(in crate::scan) struct ImpliedTargets {
    /// What all alternatives have in common, if that is anything.
    pub common: Option<(HomePawnConstraint, ReachabilityTarget)>,
    /// What each alternative requires: none, or at least two.
    pub alternatives: Vec<(HomePawnConstraint, ReachabilityTarget)>,
}

impl ImpliedTargets {
    pub fn from_bounds(alternatives: &[MaterialBounds]) -> Option<ImpliedTargets> {
        let goal = |asked: &MaterialBounds| {
            (HomePawnConstraint::new(asked.required_pawns, asked.allowed_pawns), ReachabilityTarget::from_bounds(asked))
        };
        let asked = implied_bounds::union_of(alternatives.iter().cloned());
        let is_selective = alternatives.len() > 1 && !alternatives.contains(&MaterialBounds::default());
        let goals = ImpliedTargets {
            common: (asked != MaterialBounds::default()).then(|| goal(&asked)),
            alternatives: if is_selective { alternatives.iter().map(goal).collect() } else { Vec::new() },
        };
        (is_selective || goals.common.is_some()).then_some(goals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_way_alone_is_no_alternative() {
        let bounds = |pawn: u64| MaterialBounds { required_pawns: [pawn, 0], ..MaterialBounds::default() };
        let of = |alternatives: &[MaterialBounds]| {
            let targets = ImpliedTargets::from_bounds(alternatives);
            targets.map(|targets| (targets.common.is_some(), targets.alternatives.len()))
        };
        let anything = MaterialBounds::default();
        assert_eq!(of(&[bounds(1 << 35)]), Some((true, 0)));
        assert_eq!(of(&[bounds(1 << 35), bounds(1 << 36)]), Some((false, 2)));
        assert_eq!(of(&[bounds(1 << 35), bounds(3 << 35), bounds(5 << 35)]), Some((true, 3)));
        assert_eq!(of(core::slice::from_ref(&anything)), None);
        assert_eq!(of(&[bounds(1 << 35), anything]), None);
    }
}
