//! Collects the evidence of a game that matches, from the plies that count for its conditions.
//!
//! A part of a query is *fulfilled* at some plies, as `then` needs it; its evidence may have more plies, such as those of a run.

use alloc::vec;
use alloc::vec::Vec;

use super::track::fulfilling_plies;
use crate::scan::combine::Formula;
use crate::scan::evidence::EvidenceTree;
use crate::scan::plies::{iter_ones, last_one, next_bit, set_range, valid_bits};
use crate::scan::{Occurrence, Query};

/// What is known of a game that matches.
pub(super) struct FulfilledGame<'a> {
    pub query: &'a Query,
    pub plies: usize,
    /// The number of words in a set of plies.
    pub width: usize,
    /// The plies that count for a condition, by word.
    pub hits: &'a dyn Fn(usize, usize) -> u64,
    /// Whether the position before the first ply counts for a condition.
    pub hit_at_start: &'a dyn Fn(usize) -> bool,
    /// Whether the game fulfils a condition.
    pub fulfilled: &'a dyn Fn(u16) -> bool,
}

/// The plies at which a part is fulfilled anew, and the first ply (from 0) by which it has been fulfilled.
/// A part that is not fulfilled has a `since` behind the game; headers, for example, are fulfilled before the first ply.
struct Fulfilment {
    at: Vec<u64>,
    since: usize,
}

impl FulfilledGame<'_> {
    /// Returns the plies that are evidence.
    pub fn evidence(&self, tree: &EvidenceTree) -> Vec<u64> {
        let mut plies = vec![0; self.width];
        self.add(tree, None, &mut plies);
        plies
    }

    /// Adds the evidence of a part to `plies`; with `among`, only as far as it belongs to these plies of its fulfilment.
    fn add(&self, tree: &EvidenceTree, among: Option<&[u64]>, plies: &mut [u64]) {
        match tree {
            EvidenceTree::Nowhere => {}
            EvidenceTree::EveryPly => set_range(plies, 0, self.plies),
            EvidenceTree::Condition(n) => self.add_condition(usize::from(*n), among, plies),
            EvidenceTree::Counted(n) => {
                (0..self.width).for_each(|word| plies[word] |= (self.hits)(usize::from(*n), word));
            }
            EvidenceTree::All(parts) => {
                for part in parts {
                    let among = among.map(|among| latest_before(&self.fulfilment(part).at, among));
                    self.add(part, among.as_deref(), plies);
                }
            }
            EvidenceTree::SomeOf(least, parts) => {
                let chosen: Vec<&EvidenceTree> = self.chosen(parts).collect();
                if chosen.len() < *least {
                    return;
                }
                // Several parts are fulfilled where the last of them is, and the others belong to it.
                let among = among.map(|among| common(&self.fulfilment(tree).at, among));
                for part in chosen {
                    let before = if *least > 1 { latest_before } else { common };
                    let among = among.as_ref().map(|among| before(&self.fulfilment(part).at, among));
                    self.add(part, among.as_deref(), plies);
                }
            }
            EvidenceTree::Then { first, within, second } => {
                let mut later = vec![0; self.width];
                self.add(second, among, &mut later);
                // A second part without a place, such as `never`, leaves the first part whole.
                let leading = later
                    .iter()
                    .any(|&word| word != 0)
                    .then(|| followed(&self.fulfilment(first).at, &later, within.map_or(usize::MAX, |n| n as usize)));
                self.add(first, leading.as_deref(), plies);
                plies.iter_mut().zip(later).for_each(|(all, word)| *all |= word);
            }
        }
    }

    fn add_condition(&self, n: usize, among: Option<&[u64]>, plies: &mut [u64]) {
        let fulfilled_at = self.fulfilled_at(n);
        let used = among.map_or_else(|| fulfilled_at.clone(), |among| common(&fulfilled_at, among));
        match self.query.conditions[n].window.occurrence {
            Occurrence::Header => {}
            Occurrence::Once => plies.iter_mut().zip(used).for_each(|(all, word)| *all |= word),
            Occurrence::Consecutive(least) => {
                iter_ones(&used).for_each(|ply| set_range(plies, (ply + 1).saturating_sub(least as usize), ply + 1));
            }
            Occurrence::Total(_) => {
                let to = last_one(&used).map_or(0, |ply| ply + 1);
                (0..self.width).for_each(|word| plies[word] |= (self.hits)(n, word) & valid_bits(to, word));
            }
        }
    }

    /// The plies at which a condition is fulfilled.
    fn fulfilled_at(&self, n: usize) -> Vec<u64> {
        let mut counters = [u32::from((self.hit_at_start)(n)); 2];
        let occurrence = self.query.conditions[n].window.occurrence;
        (0..self.width).map(|word| fulfilling_plies(occurrence, (self.hits)(n, word), &mut counters)).collect()
    }

    fn fulfilment(&self, tree: &EvidenceTree) -> Fulfilment {
        match tree {
            EvidenceTree::Nowhere | EvidenceTree::EveryPly => Fulfilment { at: vec![0; self.width], since: 0 },
            EvidenceTree::Condition(n) => {
                let at = self.fulfilled_at(usize::from(*n));
                let occurrence = self.query.conditions[usize::from(*n)].window.occurrence;
                let before_first_ply = occurrence.needs_only_one() && (self.hit_at_start)(usize::from(*n));
                Fulfilment { since: if before_first_ply { 0 } else { next_bit(&at, 0, true) }, at }
            }
            EvidenceTree::Counted(_) => Fulfilment { at: vec![0; self.width], since: usize::MAX },
            EvidenceTree::All(parts) => {
                let parts: Vec<Fulfilment> = parts.iter().map(|part| self.fulfilment(part)).collect();
                self.together(&parts, parts.len())
            }
            EvidenceTree::SomeOf(least, parts) => {
                let parts: Vec<Fulfilment> = self.chosen(parts).map(|part| self.fulfilment(part)).collect();
                self.together(&parts, *least)
            }
            EvidenceTree::Then { second, .. } => self.fulfilment(second),
        }
    }

    /// At least `least` of several parts: fulfilled anew by any of them, once so many have been.
    fn together(&self, parts: &[Fulfilment], least: usize) -> Fulfilment {
        let mut firsts: Vec<usize> = parts.iter().map(|part| part.since).collect();
        firsts.sort_unstable();
        let since = if least == 0 { 0 } else { firsts.get(least - 1).copied().unwrap_or(usize::MAX) };
        let word = |word: usize| parts.iter().fold(0, |all, part| all | part.at[word]) & !valid_bits(since, word);
        Fulfilment { at: (0..self.width).map(word).collect(), since }
    }

    fn chosen<'t>(&self, parts: &'t [(Formula, EvidenceTree)]) -> impl Iterator<Item = &'t EvidenceTree> {
        parts.iter().filter(|(verdict, _)| verdict.holds_where(&self.fulfilled)).map(|(_, part)| part)
    }
}

fn common(one: &[u64], other: &[u64]) -> Vec<u64> {
    one.iter().zip(other).map(|(one, other)| one & other).collect()
}

/// Returns those of `plies` that are among others, and those before some of the others that is none of `plies`.
fn latest_before(plies: &[u64], others: &[u64]) -> Vec<u64> {
    let foreign: Vec<u64> = others.iter().zip(plies).map(|(other, mine)| other & !mine).collect();
    let to = last_one(&foreign).unwrap_or(0);
    let words = plies.iter().zip(others).enumerate();
    words.map(|(word, (mine, other))| mine & (other | valid_bits(to, word))).collect()
}

/// Returns those of `plies` that one of `later` follows within a number of plies.
fn followed(plies: &[u64], later: &[u64], within: usize) -> Vec<u64> {
    let mut leading = vec![0; plies.len()];
    for ply in iter_ones(plies) {
        let next = next_bit(later, ply + 1, true);
        if next < later.len() * 64 && next - ply <= within {
            leading[ply / 64] |= 1 << (ply % 64);
        }
    }
    leading
}
