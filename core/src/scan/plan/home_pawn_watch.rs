//! The home-pawn watch follows, during a game, the pawns that leave their home squares, and ends the walk when no alternative of the query
//! remains possible.

use alloc::vec::Vec;

use shakmaty::Bitboard;

use super::implied_targets::ImpliedTargets;
use super::prepared_query::PreparedQuery;
use crate::irreversible::home_pawns;
use crate::irreversible::home_pawns::{HOME_SQUARES, HomePawnConstraint};
use crate::matsig::MatSig;
use crate::matsig::target::ReachabilityTarget;
use crate::scan::combine::Formula;

/// The ways in which the only condition of a query can hold, by the pawns that stand at home in each: where one of them has left, it never
/// holds so again.
pub(in crate::scan) struct HomePawnWatch {
    /// The ways that ask for each of these, a bit a way.
    targets_by_home: [u64; HOME_SQUARES],
    /// All that ask for some.
    targets_with_homes: u64,
    targets: Vec<ReachabilityTarget>,
}

impl HomePawnWatch {
    /// None if it asks for no pawn at home.
    pub fn for_query(query: &PreparedQuery<'_>) -> Option<HomePawnWatch> {
        let ([Some(ImpliedTargets { common: all, alternatives: ways })], [condition], Formula::Bit(0)) =
            (&query.targets[..], &query.query.conditions[..], &query.query.verdict)
        else {
            return None;
        };
        // A change asks for the ply before, too.
        if condition.window.edge.is_some() {
            return None;
        }
        let ways: Vec<&(HomePawnConstraint, ReachabilityTarget)> =
            if ways.is_empty() { all.iter().collect() } else { ways.iter().collect() };
        let mut asked = [0; HOME_SQUARES];
        for (nth, (homes, _)) in ways.iter().enumerate() {
            Bitboard(homes.at_home.into()).into_iter().for_each(|home| asked[home as usize] |= 1 << nth);
        }
        let asking = asked.iter().fold(0, |all, ways| all | ways);
        let is_selective = asking != 0 && ways.len() <= 64;
        is_selective.then(|| HomePawnWatch {
            targets_by_home: asked,
            targets_with_homes: asking,
            targets: ways.iter().map(|(_, goal)| goal.clone()).collect(),
        })
    }

    /// All the pawns, White's and Black's.
    pub fn watched_pawns(&self) -> [u64; 2] {
        let homes =
            self.targets_by_home.iter().enumerate().fold(0, |all, (home, ways)| all | u16::from(*ways != 0) << home);
        home_pawns::home_squares(homes)
    }

    /// The ways of a game with these pawns at its start, a bit each.
    #[inline(always)]
    pub fn initial_targets(&self, pawns: [u64; 2]) -> u64 {
        self.remaining(u64::MAX >> (64 - self.targets.len()), !home_pawns::home_bits(pawns))
    }

    /// Whether one of these ways asks for a pawn at home.
    #[inline(always)]
    fn depend_on_homes(&self, ways: u64) -> bool {
        ways & self.targets_with_homes != 0
    }

    /// Those of these ways that there may be in a game with this last signature and so many promotions at most.
    #[inline(never)]
    fn reachable(&self, ways: u64, last: &MatSig, promotions: [i32; 2]) -> u64 {
        let is_possible = |way: u32| self.targets[way as usize].may_have_been_reached_with(last, promotions);
        Bitboard(ways)
            .into_iter()
            .map(|way| way as u32)
            .filter(|&way| is_possible(way))
            .fold(0, |all, way| all | 1 << way)
    }

    /// Those of these targets that remain possible after pawns have changed, in a game with this last signature and so many promotions.
    #[inline(always)]
    pub fn still_possible(&self, targets: u64, changed: [u64; 2], last: Option<(&MatSig, u8)>) -> u64 {
        // No pawn comes to the home of its side, so what changes there leaves.
        let left = self.remaining(targets, home_pawns::home_bits(changed));
        // PERF: targets are tested once, when no more can be told by homes.
        match last {
            Some((last, promotions)) if left != 0 && self.depend_on_homes(targets) && !self.depend_on_homes(left) => {
                self.reachable(left, last, home_pawns::max_promotions(promotions))
            }
            _ => left,
        }
    }

    /// Those of these ways that are left when pawns have gone from these homes.
    #[inline(always)]
    fn remaining(&self, mut targets: u64, mut gone: u16) -> u64 {
        while gone != 0 {
            targets &= !self.targets_by_home[gone.trailing_zeros() as usize];
            gone &= gone - 1;
        }
        targets
    }
}
