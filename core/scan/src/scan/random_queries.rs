//! Random queries over plain bits serve tests of windows and gates without a board.
//!
//! A case is a query and, for each predicate, the plies of one game at which it holds. The definitions in [`naive`](super::naive)
//! give the truth for these plies. The seed is fixed, so every run tests the same cases.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::combine::{BitSet, Formula};
use super::decide::track::TrackedGame;
use super::evidence::EvidenceTree;
use super::naive::GameTrace;
use super::plies::word_count;
use super::ply_filter::PlyFilter;
use super::{ConditionEdge, ConditionGate, Occurrence, PlyWindow, Query, ScanCondition};

/// The lengths of games: just below, at and above each border of a word, and some others.
pub(super) const LENGTHS: [usize; 18] =
    [0, 1, 2, 17, 63, 64, 65, 100, 127, 128, 129, 160, 191, 192, 193, 255, 257, 330];

/// The numbers of plies in a row, of plies counted and of plies that a gate stays open.
/// They are small ones, and numbers on both sides of each border of a word.
pub(super) const NUMBERS: [u32; 20] =
    [1, 2, 3, 4, 7, 31, 32, 33, 62, 63, 64, 65, 66, 100, 127, 128, 129, 191, 193, 260];

/// The number of predicates in a case. The first one is on a header: it holds at all plies or at none.
pub(super) const PREDICATES: usize = 4;

/// The numbers that the predicates of a case have in its query: the first ones, or some of more than 64.
const PREDICATE_NUMBERS: [[u16; PREDICATES]; 4] = [[0, 1, 2, 3], [0, 1, 2, 3], [0, 63, 64, 200], [70, 71, 130, 131]];

/// How many conditions that hold anywhere come before those of a case, which may be more than 64.
const LEADING_CONDITIONS: [usize; 4] = [0, 0, 0, 70];

/// Random numbers from a seed, by SplitMix64.
pub(super) struct CaseRandom(pub u64);

impl CaseRandom {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.word() % end as u64) as usize
    }

    /// Returns true once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn of<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }
}

/// Returns random plies at which a statement holds, for a game of this length: few, many, in runs, at one border, or any.
pub(super) fn plies(dice: &mut CaseRandom, length: usize) -> Vec<bool> {
    let mut plies = vec![false; length];
    match dice.below(7) {
        0 => plies.iter_mut().for_each(|ply| *ply = dice.one_in(2)),
        1 => plies.iter_mut().for_each(|ply| *ply = dice.one_in(50)),
        2 => plies.iter_mut().for_each(|ply| *ply = !dice.one_in(50)),
        3 => {
            let (mut at, mut holds) = (0, dice.one_in(2));
            while at < length {
                let to = (at + 1 + dice.below(150)).min(length);
                plies[at..to].fill(holds);
                (at, holds) = (to, !holds);
            }
        }
        4 => {
            let (one, other) = (border(dice).min(length), border(dice).min(length));
            plies[one.min(other)..one.max(other)].fill(true);
        }
        5 => {
            let at = border(dice);
            plies.iter_mut().skip(at).take(1).for_each(|ply| *ply = true);
        }
        _ => {
            // The last ply, and every `step`-th ply before it.
            let step = dice.below(40) + 1;
            plies.iter_mut().rev().step_by(step).for_each(|ply| *ply = true);
        }
    }
    plies
}

/// Returns a ply (from 0) near a border of words.
fn border(dice: &mut CaseRandom) -> usize {
    (64 * dice.below(6) + dice.below(5)).saturating_sub(2)
}

/// A query and the plies of one game at which its predicates hold.
pub(super) struct TruthCase {
    pub query: Query,
    /// By ply, where 0 is before the first move: the predicates that hold.
    pub trace: Vec<BitSet>,
    plies: usize,
    first_half_move: u32,
    /// The numbers of the predicates in the query.
    numbers: [u16; PREDICATES],
    /// The predicates of which a test does not know yet whether they hold before the first ply.
    pub unknown_at_start: BitSet,
}

impl TruthCase {
    pub fn random(dice: &mut CaseRandom) -> TruthCase {
        let length = dice.of(&LENGTHS);
        let header = dice.one_in(2);
        let mut trace: Vec<u64> = (0..=length).map(|_| u64::from(header)).collect();
        for predicate in 1..PREDICATES {
            let start = [dice.one_in(2)];
            let holds = start.into_iter().chain(plies(dice, length));
            trace.iter_mut().zip(holds).for_each(|(bits, holds)| *bits |= u64::from(holds) << predicate);
        }
        let numbers = dice.of(&PREDICATE_NUMBERS);
        let mut case = TruthCase {
            query: query(dice),
            trace: Vec::new(),
            plies: length,
            first_half_move: dice.of(&[0, 0, 1, 24, 59]),
            numbers,
            unknown_at_start: BitSet::default(),
        };
        case.trace = trace.into_iter().map(|bits| case.numbered(bits)).collect();
        for ScanCondition { formula, contrary, window, .. } in &mut case.query.conditions {
            for formula in [formula, &mut window.phase].into_iter().chain(contrary) {
                *formula = formula.replace_bits(&|n, _| Formula::Bit(numbers[usize::from(n)]));
            }
        }
        case
    }

    /// Returns the set of predicates with their numbers in the query.
    pub fn numbered(&self, predicates: u64) -> BitSet {
        (0..PREDICATES).filter(|n| predicates >> n & 1 != 0).map(|n| self.numbers[n]).collect()
    }

    pub fn game(&self) -> TrackedGame<'_> {
        let TruthCase { plies, first_half_move, ref trace, .. } = *self;
        TrackedGame { plies, first_half_move, holding_at_start: &trace[0], unknown_at_start: &self.unknown_at_start }
    }

    /// Returns the word of the sets of all predicates that has a ply for predicate `n`.
    pub fn set_word(&self, n: usize, ply: usize) -> usize {
        usize::from(self.numbers[n]) * word_count(self.plies) + ply / 64
    }

    /// Returns whether predicate `n` holds after ply `ply` + 1.
    pub fn holds(&self, n: usize, ply: usize) -> bool {
        self.trace[ply + 1].contains(self.numbers[n])
    }

    /// Makes the sets of the predicates: that of predicate `n` starts at word `n` times the words of one set.
    pub fn sets(&self, mut holds: impl FnMut(usize, usize) -> bool) -> Vec<u64> {
        let numbers = self.numbers.iter().max().map_or(0, |&last| usize::from(last) + 1);
        let mut sets = vec![0; numbers * word_count(self.plies)];
        for n in 0..PREDICATES {
            for ply in 0..self.plies {
                sets[self.set_word(n, ply)] |= u64::from(holds(n, ply)) << (ply % 64);
            }
        }
        sets
    }

    /// Returns whether the game matches, by the definitions.
    pub fn verdict(&self) -> bool {
        self.query.verdict.holds(&self.of_game().fulfilled)
    }

    /// Returns the plies that match, by the definitions.
    pub fn matches(&self) -> Vec<u64> {
        let mut matches = vec![0; word_count(self.plies)];
        for (ply, holds) in self.of_game().matching_plies().into_iter().skip(1).enumerate() {
            matches[ply / 64] |= u64::from(holds) << (ply % 64);
        }
        matches
    }

    fn of_game(&self) -> GameTrace<'_> {
        GameTrace::new(&self.query, &self.trace, self.first_half_move)
    }
}

/// Makes a random formula over the bits from `from` up to, not including, `to`.
pub(super) fn formula(dice: &mut CaseRandom, (from, to): (usize, usize), depth: usize, negates: bool) -> Formula {
    if depth > 0 && !dice.one_in(3) {
        let parts = 1 + dice.below(3);
        let mut part = || formula(dice, (from, to), depth - 1, negates);
        let parts: Vec<Formula> = (0..parts).map(|_| part()).collect();
        return match dice.below(5) {
            0 | 1 => Formula::And(parts),
            2 | 3 => Formula::Or(parts),
            _ => Formula::SomeOf(1 + dice.below(parts.len()), parts),
        };
    }
    let bit = Formula::Bit((from + dice.below(to - from)) as u16);
    match dice.below(12) {
        0 => Formula::True,
        1..4 if negates => Formula::Not(Box::new(bit)),
        _ => bit,
    }
}

fn query(dice: &mut CaseRandom) -> Query {
    let mut query = Query::match_all();
    let is_plain = dice.one_in(4);
    let number = if is_plain { 1 } else { 1 + dice.below(4) };
    let first = if is_plain { 0 } else { dice.of(&LEADING_CONDITIONS) };
    query.conditions = vec![ScanCondition::at_any_ply(Formula::True); first];
    let numbers = (first, first + number);
    for n in first..first + number {
        let gate = n > first && dice.one_in(2);
        if gate {
            let within = dice.one_in(2).then(|| dice.of(&NUMBERS));
            query.gates.push(ConditionGate { opens_after: formula(dice, (first, n), 2, false), open_for: within });
        }
        let gate = gate.then(|| query.gates.len() as u16 - 1);
        query.conditions.push(condition(dice, gate, is_plain));
    }
    if is_plain {
        (query.verdict, query.position_verdict) = (Formula::Bit(0), Formula::Bit(0));
    } else {
        query.verdict = formula(dice, numbers, 2, true);
        query.position_verdict = formula(dice, numbers, 2, true);
    }
    query.evidence = match dice.below(3) {
        0 if is_plain => Some(EvidenceTree::Condition(0)),
        1 => Some(evidence(dice, numbers, 3)),
        _ => None,
    };
    query
}

/// Returns a random evidence tree over the conditions from `from` up to, not including, `to`.
fn evidence(dice: &mut CaseRandom, (from, to): (usize, usize), depth: usize) -> EvidenceTree {
    let conditions = (from, to);
    let n = (from + dice.below(to - from)) as u16;
    if depth == 0 || dice.one_in(3) {
        return dice.of(&[
            EvidenceTree::Condition(n),
            EvidenceTree::Condition(n),
            EvidenceTree::Condition(n),
            EvidenceTree::Counted(n),
            EvidenceTree::Nowhere,
            EvidenceTree::EveryPly,
        ]);
    }
    let number = 1 + dice.below(3);
    match dice.below(3) {
        0 => EvidenceTree::All((0..number).map(|_| evidence(dice, conditions, depth - 1)).collect()),
        1 => {
            let part =
                |dice: &mut CaseRandom| (formula(dice, conditions, 1, true), evidence(dice, conditions, depth - 1));
            EvidenceTree::SomeOf(1 + dice.below(number), (0..number).map(|_| part(dice)).collect())
        }
        _ => {
            let [first, second] = [(); 2].map(|()| Box::new(evidence(dice, conditions, depth - 1)));
            let within = dice.one_in(2).then(|| dice.of(&NUMBERS));
            EvidenceTree::Then { first, within, second }
        }
    }
}

fn condition(dice: &mut CaseRandom, gate: Option<u16>, is_plain: bool) -> ScanCondition {
    if !is_plain && dice.one_in(8) {
        let window = PlyWindow { occurrence: Occurrence::Header, ..PlyWindow::ANY_PLY };
        return ScanCondition { formula: formula(dice, (0, 1), 1, true), contrary: None, window, gate: None };
    }
    let least = dice.of(&NUMBERS);
    let times =
        dice.of(&[Occurrence::Once, Occurrence::Once, Occurrence::Consecutive(least), Occurrence::Total(least)]);
    let bare = is_plain && dice.one_in(2);
    let edge = dice.of(&[None, None, Some(ConditionEdge::Became), Some(ConditionEdge::Ceased)]);
    let window = PlyWindow {
        edge: edge.filter(|_| !bare),
        plies: if bare { PlyFilter::EVERY_PLY } else { when(dice) },
        phase: if bare || !dice.one_in(4) { Formula::True } else { formula(dice, (1, PREDICATES), 1, true) },
        occurrence: times,
        counts_start: dice.one_in(4),
    };
    let contrary = window.edge.filter(|_| dice.one_in(3)).map(|_| formula(dice, (0, PREDICATES), 2, true));
    ScanCondition { formula: formula(dice, (0, PREDICATES), 2, true), contrary, window, gate }
}

fn when(dice: &mut CaseRandom) -> PlyFilter {
    let mut when = PlyFilter::EVERY_PLY;
    let ply = |dice: &mut CaseRandom| border(dice) as u32 + 1;
    match dice.below(8) {
        0 => when.at_end = true,
        1 => when.ply_bounds.0 = ply(dice),
        2 => when.ply_bounds.1 = ply(dice),
        3 => when.ply_bounds = (ply(dice), ply(dice)),
        4 => when.move_bounds.0 = ply(dice) / 2,
        5 => when.move_bounds.1 = ply(dice) / 2,
        _ => {}
    }
    when.at_end |= dice.one_in(12);
    when
}
