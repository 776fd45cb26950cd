//! A replay makes the moves of a game on a board, up to the last undecided ply, and tests predicates at the undecided plies.
//!
//! A policy says what a move maintains on the board. The needs of the predicates choose the policy, and each policy compiles to
//! its own loop. A single query, a single predicate and placement images have separate loops.

use alloc::vec;
use alloc::vec::Vec;

use plyfold_board::board::history::PositionHistory;
use plyfold_board::board::make::{
    FullState, MailboxOnly, MakePolicy, MakeState, PawnBitboardsOnly, WithBitboards, WithPieceCounts, WithRights,
};
use plyfold_board::board::{ANY_CHANGE, Board, ChangeMask, PieceCode, placement_change};
use plyfold_board::moves::Move;
use shakmaty::Bitboard;

use super::image_tracker::ImageTracker;
use crate::scan::combine::Formula;
use crate::scan::plan::PlannedPredicate;
use crate::scan::plan::planned_predicate::bits_of;
use crate::scan::plies;
use crate::scan::plies::PredicateSets;
use crate::scan::replay_needs::ReplayNeeds;
use crate::sorted::sorted;

const PAWNS: ChangeMask = placement_change(PieceCode::WHITE_PAWN) | placement_change(PieceCode::BLACK_PAWN);

/// The predicates, of 64, that are tested on a board maintained by one policy.
#[derive(Clone, Debug)]
pub(in crate::scan) struct BoardTests {
    /// The numbers of the predicates among the 64; those that depend on the same stand one after the other.
    pub predicates: alloc::vec::Vec<u8>,
    /// The bits of the predicates.
    pub bits: u64,
    /// What the replay must maintain.
    pub needs: ReplayNeeds,
}

impl BoardTests {
    /// Groups predicates on the board by what a replay must maintain, the cheapest first.
    pub fn group_by_needs(
        indices: &[u8],
        predicates: &[PlannedPredicate],
        has_several_queries: bool,
    ) -> Vec<BoardTests> {
        let mut all: Vec<BoardTests> = Vec::new();
        for &n in indices {
            let needs = predicates[usize::from(n)].needs;
            match all.iter_mut().find(|tested| tested.needs == needs) {
                Some(tested) => tested.predicates.push(n),
                None => all.push(BoardTests { predicates: vec![n], bits: 0, needs }),
            }
        }
        let mut all = sorted(all, |one: &BoardTests, other| one.needs.cmp(&other.needs));
        if has_several_queries {
            // PERF: several queries together need most plies of a game whatever each of them finds, so one replay that maintains
            // more is cheaper than two.
            let mut merged: Vec<BoardTests> = Vec::new();
            while let Some(tested) = all.pop() {
                match merged.iter_mut().find(|other| other.needs.contains(tested.needs)) {
                    Some(other) => other.predicates.extend(tested.predicates),
                    None => merged.push(tested),
                }
            }
            merged.reverse();
            all = merged;
        }
        for tested in &mut all {
            let dependencies = |n: &u8| predicates[usize::from(*n)].dependencies;
            tested.predicates = sorted(core::mem::take(&mut tested.predicates), |one, other| {
                dependencies(one).cmp(&dependencies(other)).then(one.cmp(other))
            });
            tested.bits = bits_of(tested.predicates.iter());
        }
        all
    }
}

/// The record of earlier positions that a replay keeps, if it needs one.
pub(super) trait ReplayHistory {
    fn begin(board: &mut Board) -> Self;
    /// Records the position after a move.
    fn after_move(&mut self, board: &mut Board);
}

/// Records nothing.
impl ReplayHistory for () {
    fn begin(_: &mut Board) {}

    #[inline(always)]
    fn after_move(&mut self, _: &mut Board) {}
}

impl ReplayHistory for PositionHistory {
    fn begin(board: &mut Board) -> PositionHistory {
        PositionHistory::starting_at(board)
    }

    #[inline]
    fn after_move(&mut self, board: &mut Board) {
        self.push(board);
    }
}

/// A query for which a game is replayed.
pub(in crate::scan) struct ReplayQuery<'a> {
    /// The predicates, of the 64, that the query uses.
    pub used_predicates: u64,
    /// The plies that are undecided for the query.
    pub undecided: &'a [u64],
    /// The formula that settles the query as soon as it holds at one ply, if there is one.
    pub sufficient_formula: Option<&'a Formula>,
}

impl ReplayQuery<'_> {
    /// Returns whether the predicates that hold at a ply settle the query, given the sets of all predicates.
    fn is_settled(&self, sets: &PredicateSets<'_>, ply: usize) -> bool {
        self.sufficient_formula.is_some_and(|formula| formula.holds(&sets.holding_at(ply).into()))
    }
}

/// A game to be replayed for the predicates of one group of tests.
pub(in crate::scan) struct Replay<'a> {
    pub tests: &'a BoardTests,
    pub planned: &'a [PlannedPredicate],
    pub moves: &'a [Move],
    /// The board before the first move.
    pub board: &'a mut Board,
    pub sets: PredicateSets<'a>,
}

impl Replay<'_> {
    /// The predicates of this replay that a query uses.
    fn used_by<'s>(&'s self, query: &ReplayQuery<'_>) -> impl Iterator<Item = &'s PlannedPredicate> {
        Bitboard(self.tests.bits & query.used_predicates).into_iter().map(|n| &self.planned[n as usize])
    }

    /// Whether a single query is quicker by the replay for several queries, because a predicate is quicker on eight boards at once.
    ///
    /// PERF: `controlled_twice`, which is one predicate for each side, takes 0.19 of the time.
    pub fn is_for_eight(&self, query: &ReplayQuery<'_>) -> bool {
        self.used_by(query).any(PlannedPredicate::is_for_eight)
    }

    /// Replays the game up to the last undecided ply and records at which plies each predicate that the query uses holds.
    /// Stops at a ply that settles the query, if one ply can. Returns the number of plies played.
    pub fn for_query(self, query: &ReplayQuery<'_>) -> usize {
        let used = self.tests.bits & query.used_predicates;
        let needs = self.used_by(query).fold(ReplayNeeds::default(), |all, predicate| all.union(predicate.needs));
        if used.is_power_of_two() {
            let n = used.trailing_zeros() as usize;
            if let Some(tracker) =
                self.planned[n].placement_images().and_then(|images| ImageTracker::start(images, &self.board.mailbox))
            {
                return self.images(n, tracker, query);
            }
            if needs == ReplayNeeds::BITBOARDS {
                return self.predicate::<WithBitboards>(n, query);
            }
            if needs == ReplayNeeds::RIGHTS {
                return self.predicate::<WithRights>(n, query);
            }
        }
        if needs.contains(ReplayNeeds::RIGHTS_AND_HASH)
            || needs.contains(ReplayNeeds::RIGHTS.union(ReplayNeeds::PIECE_COUNTS))
        {
            self.for_query_with::<FullState, PositionHistory>(query)
        } else if needs.contains(ReplayNeeds::RIGHTS) {
            self.for_query_with::<WithRights, ()>(query)
        } else if needs.contains(ReplayNeeds::PIECE_COUNTS) {
            self.for_query_with::<WithPieceCounts, ()>(query)
        } else if needs == ReplayNeeds::PAWN_BITBOARDS {
            self.for_query_with::<PawnBitboardsOnly, ()>(query)
        } else if needs.contains(ReplayNeeds::PAWN_BITBOARDS) {
            self.for_query_with::<WithBitboards, ()>(query)
        } else {
            self.for_query_with::<MailboxOnly, ()>(query)
        }
    }

    #[inline(never)]
    fn for_query_with<P: MakePolicy, H: ReplayHistory>(self, query: &ReplayQuery<'_>) -> usize {
        let Replay { tests, planned, moves, board, mut sets } = self;
        let (mut predicates, mut number) = ([0u8; 64], 0);
        for &n in tests.predicates.iter().filter(|n| query.used_predicates >> **n & 1 != 0) {
            (predicates[number], number) = (n, number + 1);
        }
        let predicates = &predicates[..number];
        let mut walk = MakeState::for_board(board);
        let mut past = H::begin(board);
        let mut changed = ANY_CHANGE;
        let mut holding_predicates = 0u64;
        let mut played = 0;
        for ply in plies::iter_ones(query.undecided) {
            let Some(moves_between) = moves.get(played..=ply) else { break };
            for &mv in moves_between {
                changed |= board.make_with::<P>(mv, &mut walk);
                past.after_move(board);
            }
            let before = (holding_predicates, played);
            played = ply + 1;
            for &n in predicates {
                let n = usize::from(n);
                // A predicate that depends on more than pieces, such as the side to move, depends on every change.
                if changed & planned[n].dependencies != 0 {
                    let holds = planned[n].test(board);
                    holding_predicates = holding_predicates & !(1 << n) | u64::from(holds) << n;
                }
                *sets.word(n, ply / 64) |= (holding_predicates >> n & 1) << (ply % 64);
            }
            changed = 0;
            // PERF: a ply can settle the query only if some predicate has begun or ceased to hold there.
            if (holding_predicates != before.0 || before.1 == 0) && query.is_settled(&sets, ply) {
                break;
            }
        }
        played
    }

    /// Replays the game for one predicate on placement images.
    #[inline(never)]
    fn images(self, predicate_index: usize, mut tracker: ImageTracker<'_>, query: &ReplayQuery<'_>) -> usize {
        let Replay { moves, board, mut sets, .. } = self;
        let mut walk = MakeState::for_board(board);
        let plies = plies::last_one(query.undecided).map_or(0, |last| (last + 1).min(moves.len()));
        let mut last_checked = None;
        for (nth, moves) in moves[..plies].chunks(64).enumerate() {
            let (open, mut found) = (query.undecided[nth], 0);
            for (bit, &mv) in moves.iter().enumerate() {
                let mover = board.turn;
                board.make_with::<MailboxOnly>(mv, &mut walk);
                tracker.after_move(mv, mover, &board.mailbox);
                let holds = tracker.holds();
                found |= u64::from(holds) << bit;
                if query.sufficient_formula.is_some() && open >> bit & 1 != 0 && last_checked != Some(holds) {
                    last_checked = Some(holds);
                    *sets.word(predicate_index, nth) |= found & open;
                    if query.is_settled(&sets, nth * 64 + bit) {
                        return nth * 64 + bit + 1;
                    }
                }
            }
            *sets.word(predicate_index, nth) |= found & open;
        }
        plies
    }

    /// Replays the game for one predicate.
    ///
    /// PERF: most queries on features use a single predicate at all plies. For these the loop goes through the moves of a word
    /// without looking for the undecided ones, which takes less than half the time. Needs other than those of features do not
    /// justify the code.
    #[inline(never)]
    fn predicate<P: MakePolicy>(self, predicate_index: usize, query: &ReplayQuery<'_>) -> usize {
        let Replay { planned, moves, board, mut sets, .. } = self;
        let predicate = &planned[predicate_index];
        // PERF: a predicate that depends on the pawns of both sides is tested after every move, because mispredicting which move
        // changes it takes longer.
        let is_measured_always = PAWNS & predicate.dependencies == PAWNS;
        let depends = if is_measured_always { ANY_CHANGE } else { predicate.dependencies };
        let mut walk = MakeState::for_board(board);
        let mut changed = ANY_CHANGE;
        let mut holding = false;
        let mut played = 0;
        for (nth, &word) in query.undecided.iter().enumerate() {
            let (mut rest, mut found) = (word, 0);
            if word & word.wrapping_add(1) == 0 && played == nth * 64 && query.sufficient_formula.is_none() {
                let until = (played + word.trailing_ones() as usize).min(moves.len());
                let mut bit = 1u64;
                for &mv in &moves[played..until] {
                    changed |= board.make_with::<P>(mv, &mut walk);
                    if changed & depends != 0 {
                        holding = predicate.test(board);
                    }
                    changed = 0;
                    found |= if holding { bit } else { 0 };
                    bit <<= 1;
                }
                played = until;
                rest = 0;
            }
            while rest != 0 {
                let ply = nth * 64 + rest.trailing_zeros() as usize;
                let bit = rest & rest.wrapping_neg();
                rest ^= bit;
                let Some(moves_between) = moves.get(played..=ply) else { break };
                for &mv in moves_between {
                    changed |= board.make_with::<P>(mv, &mut walk);
                }
                let first = played == 0;
                played = ply + 1;
                if changed & predicate.dependencies != 0 {
                    let holds = predicate.test(board);
                    if holds != holding || first {
                        holding = holds;
                        *sets.word(predicate_index, nth) |= found | if holds { bit } else { 0 };
                        if query.is_settled(&sets, ply) {
                            return played;
                        }
                    }
                }
                changed = 0;
                found |= if holding { bit } else { 0 };
            }
            *sets.word(predicate_index, nth) |= found;
        }
        played
    }
}
