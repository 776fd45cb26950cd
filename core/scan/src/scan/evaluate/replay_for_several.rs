//! A replay for several queries at once makes the moves of some plies first, and then tests one predicate after the other at
//! these plies.
//!
//! ```text
//! for each stretch of plies
//!     make the moves, keep the boards             the plies that some query wants
//!     for each predicate                          its plies: those that a query with it wants, after a change of its pieces
//!         test it at each of its plies            what it shares with other predicates is kept with the board
//!     drop the queries that are settled
//! ```
//!
//! PERF: a predicate that is tested at one ply after the other finds its code and the outcome of its branches predicted. Ten queries
//! about attacks take 0.58 of the time that they took when all predicates were tested at each ply, each for itself (206,361 master
//! games, one thread, medians of three pairs of runs).

use alloc::vec::Vec;
use core::array;

use plyfold_board::board::eight::EightSets;
use plyfold_board::board::history::PositionHistory;
use plyfold_board::board::make::{FullState, MakePolicy, MakeState, WithBitboards, WithRights};
use plyfold_board::board::{Board, ChangeMask};
use shakmaty::Bitboard;

use super::replay::{Replay, ReplayHistory, ReplayQuery};
use super::replay_choice::NeededPlies;
use crate::scan::measure::EightMeasure;
use crate::scan::measure::measured_board::{MeasuredBoard, MeasuredEight};
use crate::scan::plan::PlannedPredicate;
use crate::scan::plies::{self, pack_bits};
use crate::scan::replay_needs::ReplayNeeds;
use crate::scan::tuning::REPLAYED_PLIES;

/// The plies of one stretch, as bits of a word of 64.
#[derive(Clone, Copy)]
struct Stretch {
    /// The index of the word.
    word: usize,
    /// The bits.
    plies: u64,
}

impl Stretch {
    /// The stretches of a game of so many words.
    fn of_words(words: usize) -> impl Iterator<Item = Stretch> {
        let plies = u64::MAX >> (64 - REPLAYED_PLIES);
        (0..words * 64)
            .step_by(REPLAYED_PLIES)
            .map(move |first| Stretch { word: first / 64, plies: plies << (first % 64) })
    }

    /// By predicate: the plies at which a query that uses it is undecided.
    fn wanted_by_predicate<'q>(self, queries: impl Iterator<Item = &'q ReplayQuery<'q>>) -> [u64; 64] {
        let mut wanted = [0; 64];
        for query in queries {
            for n in Bitboard(query.used_predicates) {
                wanted[n as usize] |= query.undecided[self.word] & self.plies;
            }
        }
        wanted
    }
}

/// The boards of a stretch that are wanted, and what each ply changed.
pub(in crate::scan) struct KeptBoards {
    eights: Vec<MeasuredEight>,
    changes: [ChangeMask; REPLAYED_PLIES],
}

impl KeptBoards {
    /// Room for the boards of a stretch.
    pub fn new(any: &Board) -> KeptBoards {
        KeptBoards {
            eights: (0..REPLAYED_PLIES / 8).map(|_| MeasuredEight::new(any)).collect(),
            changes: [0; REPLAYED_PLIES],
        }
    }

    /// Those of some plies of a stretch whose boards have a square of this measure.
    #[inline(always)]
    fn plies_with(&self, plies: u64, measure: impl Fn(&MeasuredEight) -> EightSets) -> u64 {
        let mut found = 0;
        for (nth, eight) in self.eights.iter().enumerate() {
            if plies >> (nth * 8) & 0xff == 0 {
                continue;
            }
            let squares = measure(eight).0;
            for (board, squares) in squares.iter().enumerate() {
                found |= u64::from(*squares != 0) << (nth * 8 + board);
            }
        }
        found & plies
    }

    /// Those of the `wanted` plies at which a predicate holds; other plies mean nothing.
    #[inline(always)]
    fn plies_where(
        &self,
        predicate: &PlannedPredicate,
        (last_test, changed): (&mut LastTest, &mut ChangedPlies),
        (wanted, boards): (u64, &[MeasuredBoard<'_>; REPLAYED_PLIES]),
    ) -> u64 {
        match predicate.measured_on_eight() {
            None => {
                let plies = last_test.plies_to_test(wanted, changed.of(predicate.dependencies, &self.changes));
                last_test.test(predicate, boards, plies)
            }
            Some((EightMeasure::Squares(measure), colour, region)) => {
                self.plies_with(wanted, |eight| measure(eight, colour) & region)
            }
            Some((EightMeasure::Necessary(measure), colour, _)) => {
                let candidates = self.plies_with(wanted, |eight| measure(eight, colour));
                let holds = |&ply: &u64| predicate.test_measured(&boards[ply.trailing_zeros() as usize]);
                Bitboard(candidates).into_iter().map(|ply| 1 << ply as u32).filter(holds).sum()
            }
        }
    }
}

/// The plies of a stretch that changed something on which a predicate depends.
///
/// PERF: predicates that depend on the same stand one after the other, and it is found once for them.
#[derive(Default)]
struct ChangedPlies(Option<(ChangeMask, u64)>);

impl ChangedPlies {
    #[inline(always)]
    fn of(&mut self, dependencies: ChangeMask, changes: &[ChangeMask; REPLAYED_PLIES]) -> u64 {
        match self.0 {
            Some((last, plies)) if last == dependencies => plies,
            _ => {
                let plies = pack_bits(changes.iter().map(|changes| changes & dependencies != 0));
                self.0 = Some((dependencies, plies));
                plies
            }
        }
    }
}

/// What a replay knows of one predicate from earlier plies.
#[derive(Clone, Copy)]
struct LastTest {
    /// Whether it held.
    holds: bool,
    /// Whether something has changed since.
    is_stale: bool,
}

impl LastTest {
    /// Returns which of the `wanted` plies must be tested after these changes, and remembers whether changes are left.
    fn plies_to_test(&mut self, wanted: u64, mut changed: u64) -> u64 {
        let mut tested = if self.is_stale { wanted & wanted.wrapping_neg() } else { 0 };
        if changed & !wanted == 0 {
            self.is_stale &= wanted == 0;
            return tested | changed;
        }
        // A change at a ply that is not wanted matters at the next ply that is.
        while changed != 0 {
            let after = wanted & (u64::MAX << changed.trailing_zeros());
            if after == 0 {
                self.is_stale = true;
                return tested;
            }
            let next = after & after.wrapping_neg();
            tested |= next;
            changed &= !(next | (next - 1));
        }
        self.is_stale &= wanted == 0;
        tested
    }

    /// Tests a predicate at these plies. Returns the plies at which it holds, if it holds from each test to the next.
    #[inline(always)]
    fn test(&mut self, predicate: &PlannedPredicate, boards: &[MeasuredBoard<'_>; REPLAYED_PLIES], plies: u64) -> u64 {
        let mut found = u64::from(self.holds).wrapping_neg();
        for ply in Bitboard(plies) {
            let holds = predicate.test_measured(&boards[ply as usize % REPLAYED_PLIES]);
            // PERF: no branch, since whether a feature comes or goes at a ply is hard to predict.
            found ^= u64::MAX << ply as u32 & u64::from(holds != self.holds).wrapping_neg();
            self.holds = holds;
        }
        found
    }
}

impl Replay<'_> {
    /// Replays the game for several queries at once, and records at which plies each predicate holds.
    /// Each predicate is tested at the plies that are undecided for a query that uses it. A query that one ply settles causes no
    /// tests after the stretch with that ply. Returns the plies that the queries needed.
    pub(super) fn for_queries(self, queries: &[ReplayQuery<'_>], kept: &mut KeptBoards) -> NeededPlies {
        let needs = self.tests.needs;
        // Every visitor of the page downloads the code of each policy, so there are only two.
        if ReplayNeeds::BITBOARDS.contains(needs) && cfg!(not(target_arch = "wasm32")) {
            self.for_queries_with::<WithBitboards, ()>(queries, kept)
        } else if ReplayNeeds::RIGHTS.contains(needs) {
            self.for_queries_with::<WithRights, ()>(queries, kept)
        } else {
            self.for_queries_with::<FullState, PositionHistory>(queries, kept)
        }
    }

    #[inline(never)]
    fn for_queries_with<P: MakePolicy, H: ReplayHistory>(
        mut self,
        queries: &[ReplayQuery<'_>],
        kept: &mut KeptBoards,
    ) -> NeededPlies {
        let tested = || self.tests.predicates.iter().map(|n| &self.planned[usize::from(*n)]);
        let has_mailbox = tested().any(PlannedPredicate::reads_mailbox);
        let are_boards_read =
            tested().any(|predicate| !matches!(predicate.measured_on_eight(), Some((EightMeasure::Squares(_), ..))));
        let mut state = MakeState::for_board(self.board);
        let mut past = H::begin(self.board);
        let mut last_tests = [LastTest { holds: false, is_stale: true }; 64];
        let (mut played, mut settled, mut needed) = (0, 0u64, NeededPlies::default());
        for stretch in Stretch::of_words(self.sets.width) {
            let unsettled =
                || queries.iter().enumerate().filter(|(q, _)| settled >> q & 1 == 0).map(|(_, query)| query);
            let undecided = unsettled().fold(0, |all, query| all | query.undecided[stretch.word]);
            let Some(last) = Bitboard(undecided & stretch.plies).last() else { continue };
            let until = (stretch.word * 64 + last as usize + 1).min(self.moves.len());
            let first = stretch.word * 64 + stretch.plies.trailing_zeros() as usize;
            // The plies before the stretch, if no query wanted the last ones of an earlier stretch.
            let mut changed = 0;
            for &mv in self.moves.get(played..first).unwrap_or_default() {
                changed |= self.board.make_with::<P>(mv, &mut state);
                past.after_move(self.board);
            }
            kept.changes = [0; REPLAYED_PLIES];
            for ply in played.max(first)..until {
                changed |= self.board.make_with::<P>(self.moves[ply], &mut state);
                past.after_move(self.board);
                kept.changes[ply - first] = core::mem::take(&mut changed);
                if undecided >> (ply % 64) & 1 != 0 {
                    kept.eights[(ply - first) / 8].set((ply - first) % 8, self.board, has_mailbox);
                }
            }
            played = until;
            if are_boards_read {
                kept.eights.iter_mut().for_each(MeasuredEight::complete);
            }
            let wanted = stretch.wanted_by_predicate(unsettled());
            let first = stretch.plies.trailing_zeros();
            let boards: [MeasuredBoard<'_>; REPLAYED_PLIES] =
                array::from_fn(|nth| MeasuredBoard::among(&kept.eights[nth / 8], nth % 8));
            let mut changed = ChangedPlies::default();
            for &n in &self.tests.predicates {
                let (wanted, predicate) = (wanted[usize::from(n)] >> first, &self.planned[usize::from(n)]);
                let last_test = &mut last_tests[usize::from(n)];
                let found = kept.plies_where(predicate, (last_test, &mut changed), (wanted, &boards));
                *self.sets.word(n.into(), stretch.word) |= (found & wanted) << first;
            }
            for (q, query) in queries.iter().enumerate() {
                if settled >> q & 1 == 0
                    && let Some(ply) = self.settled_at(query, stretch)
                {
                    settled |= 1 << q;
                    needed.add_query(ply + 1);
                }
            }
        }
        for (_, query) in queries.iter().enumerate().filter(|(q, _)| settled >> q & 1 == 0) {
            needed.add_query(plies::last_one(query.undecided).map_or(0, |last| last + 1));
        }
        needed.longest = played;
        needed
    }

    /// The first ply of the stretch that settles a query, if one does.
    fn settled_at(&self, query: &ReplayQuery<'_>, stretch: Stretch) -> Option<usize> {
        let sets = &self.sets;
        let (holds, _) = query.sufficient_formula?.bounds(&|n| {
            let set = sets.words[usize::from(n) * sets.width + stretch.word];
            (set, set)
        });
        let first = Bitboard(holds & query.undecided[stretch.word] & stretch.plies).first()?;
        Some(stretch.word * 64 + first as usize)
    }
}
