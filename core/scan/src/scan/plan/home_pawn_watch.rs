//! The home-pawn watch follows the pawns that leave their home squares during a game. It ends the walk through the game when no
//! alternative of the query remains possible.

use alloc::vec::Vec;

use plyfold_board::irreversible::home_pawns;
use plyfold_board::irreversible::home_pawns::{HOME_SQUARES, HomePawnConstraint};
use plyfold_board::matsig::MatSig;
use plyfold_board::matsig::target::ReachabilityTarget;
use shakmaty::{Bitboard, Square};

use super::implied_targets::ImpliedTargets;
use super::prepared_query::PreparedQuery;
use crate::scan::combine::Formula;

/// The alternatives of a query's only condition, indexed by the home pawns that each requires. Once such a pawn has left its home
/// square, the alternative cannot hold again.
pub(in crate::scan) struct HomePawnWatch {
    /// For each home square, the alternatives that require its pawn, one bit each.
    targets_by_home: [u64; HOME_SQUARES],
    /// The alternatives that require at least one home pawn.
    targets_with_homes: u64,
    targets: Vec<ReachabilityTarget>,
}

impl HomePawnWatch {
    /// The watch for a query; none unless the query has a single condition with alternatives that require home pawns.
    pub fn for_query(query: &PreparedQuery<'_>) -> Option<HomePawnWatch> {
        let ([Some(ImpliedTargets { common: all, alternatives: ways })], [condition], Formula::Bit(0)) =
            (&query.targets[..], &query.query.conditions[..], &query.query.verdict)
        else {
            return None;
        };
        // An edge also depends on the ply before.
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

    /// The home squares of all required home pawns, White's and Black's.
    pub fn watched_pawns(&self) -> [u64; 2] {
        let homes =
            self.targets_by_home.iter().enumerate().fold(0, |all, (home, ways)| all | u16::from(*ways != 0) << home);
        home_pawns::home_squares(homes)
    }

    /// The alternatives that are possible in a game with these pawns at its start, one bit each.
    #[inline(always)]
    pub fn initial_targets(&self, pawns: [u64; 2]) -> u64 {
        self.remaining(u64::MAX >> (64 - self.targets.len()), !home_pawns::home_bits(pawns))
    }

    /// The alternatives that a game with this last signature and at most this many promotions can have reached.
    #[inline(never)]
    fn reachable(&self, ways: u64, last: &MatSig, promotions: [i32; 2]) -> u64 {
        let is_possible = |&way: &Square| self.targets[way as usize].may_have_been_reached_with(last, promotions);
        Bitboard(ways).into_iter().filter(is_possible).fold(0, |all, way| all | 1 << way as u32)
    }

    /// The targets that remain possible after pawns have changed on the squares `changed`. `last` is the game's last signature
    /// and its byte of promotions.
    #[inline(always)]
    pub fn still_possible(&self, targets: u64, changed: [u64; 2], last: Option<(&MatSig, u8)>) -> u64 {
        // No pawn returns to a home square of its side, so a change there means that the pawn has left.
        let left = self.remaining(targets, home_pawns::home_bits(changed));
        let depend_on_homes = |targets: u64| targets & self.targets_with_homes != 0;
        // PERF: the last signature is tested once, as soon as no remaining target requires a home pawn.
        match last {
            Some((last, promotions)) if left != 0 && depend_on_homes(targets) && !depend_on_homes(left) => {
                self.reachable(left, last, home_pawns::max_promotions(promotions))
            }
            _ => left,
        }
    }

    /// The targets that remain possible when pawns have left these home squares.
    #[inline(always)]
    fn remaining(&self, mut targets: u64, mut gone: u16) -> u64 {
        while gone != 0 {
            targets &= !self.targets_by_home[gone.trailing_zeros() as usize];
            gone &= gone - 1;
        }
        targets
    }
}
