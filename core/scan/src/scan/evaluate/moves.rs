//! Move predicates are tested along the packed moves, without a board; the stream of captures says what is captured.
//!
//! For each predicate a table has, for the ten upper bits of a move, the squares from which it may come. So one load and one shift
//! test any condition on piece, squares, promotion, castling and direction. A predicate on captures looks at the plies of
//! captures alone.

use alloc::boxed::Box;
use alloc::vec::Vec;

use plyfold_board::irreversible::material;
use plyfold_board::moves::Move;
use shakmaty::Role;

use super::game_at_hand::GameAtHand;
use crate::scan::plies;
use crate::scan::plies::PredicateSets;
use crate::scan::predicate::{BalanceAfter, CaptureRule, MOVES_AFTER, MovePredicate, PositionPredicate, points_of_ply};

/// The tests of moves.
pub(in crate::scan) struct MoveTests {
    /// The tests of single moves.
    moves: Vec<MoveTest>,
    /// The first moves of a game, each line with the number of its predicate.
    first_moves: Vec<(u8, Box<[Move]>)>,
}

/// The test of one predicate.
struct MoveTest {
    /// The number of the predicate in the query.
    predicate_index: u8,
    predicate: MovePredicate,
    /// Whether every move but the null move is allowed.
    allows_any: bool,
    /// Whether every move is allowed that is no null move, captures nothing and promotes no pawn, and no other.
    allows_all_quiet: bool,
    /// By the upper ten bits of a move, special, role and square of arrival: the squares from which it may come.
    origins: Box<[u64; 1024]>,
}

impl MoveTests {
    /// Makes the tests for the predicates with these numbers.
    pub fn new(indices: &[u8], predicates: &[PositionPredicate]) -> MoveTests {
        let test = |&n: &u8| match &predicates[usize::from(n)] {
            PositionPredicate::Played(predicate) => Some(MoveTest::new(n, *predicate)),
            _ => None,
        };
        let first_moves = |&n: &u8| match &predicates[usize::from(n)] {
            PositionPredicate::FirstMoves(moves) => Some((n, moves.0.clone())),
            _ => None,
        };
        MoveTests {
            moves: indices.iter().filter_map(test).collect(),
            first_moves: indices.iter().filter_map(first_moves).collect(),
        }
    }

    /// Tests the predicates at the plies up to `until`.
    pub fn test_plies(&self, at: &GameAtHand<'_>, until: usize, mut sets: PredicateSets<'_>) {
        for (n, moves) in &self.first_moves {
            let last = moves.len().wrapping_sub(1);
            if last < until && at.game.moves.starts_with(moves) {
                sets.of((*n).into())[last / 64] |= 1 << (last % 64);
            }
        }
        for test in &self.moves {
            let set = sets.of(test.predicate_index.into());
            let capture = test.predicate.capture;
            match capture {
                _ if test.predicate.sacrifice.is_some() => test.add_sacrifices(at, until, set),
                CaptureRule::Nothing if test.allows_all_quiet => test.add_quiet_moves(at, until, set),
                CaptureRule::Any | CaptureRule::Nothing => test.add_moves(at, until, set),
                CaptureRule::Takes(roles) => test.add_captures(at, roles, set),
                CaptureRule::Retakes(roles) => test.add_recaptures(at, roles, set),
            }
            if capture == CaptureRule::Nothing && !test.allows_all_quiet {
                let captures = CaptureFilter::new(ALL_ROLES, test.first_move(at));
                for_each_capture(at, captures, |nth| set[nth / 64] &= !(1 << (nth % 64)));
            }
        }
    }
}

impl MoveTest {
    fn new(predicate_index: u8, predicate: MovePredicate) -> MoveTest {
        let mut origins = Box::new([0; 1024]);
        for (upper, origins) in origins.iter_mut().enumerate() {
            let (kind, to) = (upper >> 6, upper & 63);
            // The king does not arrive on the square of the castling rook.
            let is_castling = kind == 8 | Role::King as usize;
            if predicate.kinds >> kind & 1 != 0 && (is_castling || predicate.to >> to & 1 != 0) {
                let allows = |from: &usize| predicate.allows(Move::from_bits((upper << 6 | from) as u16));
                *origins = (0..64).filter(allows).fold(0, |all, from| all | 1 << from);
            }
        }
        let MovePredicate { capture, sacrifice, .. } = predicate;
        let allows_any = predicate == MovePredicate { capture, sacrifice, ..MovePredicate::any(predicate.colour) };
        let allows_all_quiet = predicate == MovePredicate::any(predicate.colour).quiet();
        MoveTest { predicate_index, predicate, allows_any, allows_all_quiet, origins }
    }

    #[inline(always)]
    fn allows(&self, mv: Move) -> u64 {
        self.origins[usize::from(mv.bits() >> 6)] >> mv.origin() & 1
    }

    /// The index of the side's first move, 0 or 1.
    #[inline(always)]
    fn first_move(&self, at: &GameAtHand<'_>) -> usize {
        usize::from(at.start.side_to_move() != self.predicate.colour)
    }

    /// Adds the plies whose moves the table allows.
    #[inline(always)]
    fn add_moves(&self, at: &GameAtHand<'_>, until: usize, set: &mut [u64]) {
        let first = self.first_move(at);
        for (word, moves) in set.iter_mut().zip(at.game.moves[..until].chunks(64)) {
            let (pairs, last) = moves.as_chunks::<2>();
            let of_side = |pair: &[Move; 2]| if first == 0 { pair[0] } else { pair[1] };
            // The last move comes first, so that each moves the others up by its two plies.
            let odd_one = if first == 0 { last.first().map_or(0, |&mv| self.allows(mv)) } else { 0 };
            let found = pairs.iter().rev().fold(odd_one, |found, pair| found << 2 | self.allows(of_side(pair)));
            *word |= found << first;
        }
    }

    /// Adds the plies whose moves capture nothing and promote no pawn.
    ///
    /// PERF: these are all plies of the side but those of events, so the moves are only searched for a null move, many at once.
    #[inline(always)]
    fn add_quiet_moves(&self, at: &GameAtHand<'_>, until: usize, set: &mut [u64]) {
        let first = self.first_move(at);
        for (nth, word) in set.iter_mut().enumerate() {
            *word |= plies::every_second_from(first) & plies::valid_bits(until, nth);
        }
        // The plies of the other side are not in the set, so its captures need no test. A filler is no event.
        let (mut ply, mut word, mut events) = (0, 0, 0u64);
        for &event in at.event_streams.material {
            ply += material::gap(event);
            let index = ply.wrapping_sub(1);
            if index / 64 != word {
                set.get_mut(word).into_iter().for_each(|set| *set &= !events);
                (word, events) = (index / 64, 0);
            }
            events |= u64::from(event & material::KIND_MASK != 0) << (index % 64);
        }
        set.get_mut(word).into_iter().for_each(|set| *set &= !events);
        let moves = &at.game.moves[..until];
        if moves.iter().fold(false, |found, &mv| found | (mv == Move::NULL)) {
            let null_moves = moves.iter().enumerate().filter(|(_, mv)| **mv == Move::NULL);
            null_moves.for_each(|(nth, _)| set[nth / 64] &= !(1 << (nth % 64)));
        }
    }

    /// Adds the plies whose moves the table allows and which capture a piece of these roles.
    #[inline(always)]
    fn add_captures(&self, at: &GameAtHand<'_>, roles: u8, set: &mut [u64]) {
        let moves = at.game.moves;
        // PERF: a null move captures nothing, and a move that nobody reads need not come from memory.
        if !self.allows_any {
            read_ahead(moves);
        }
        for_each_capture(at, CaptureFilter::new(roles, self.first_move(at)), |nth| {
            set[nth / 64] |= if self.allows_any { 1 } else { self.allows(moves[nth]) } << (nth % 64);
        });
    }

    /// Adds those of them whose moves arrive where the move before them captured.
    #[inline(always)]
    fn add_recaptures(&self, at: &GameAtHand<'_>, roles: u8, set: &mut [u64]) {
        let moves = at.game.moves;
        let filter = CaptureFilter { must_follow_capture: true, ..CaptureFilter::new(roles, self.first_move(at)) };
        for_each_capture(at, filter, |nth| {
            let retakes = nth > 0 && moves[nth - 1].target() == moves[nth].target();
            set[nth / 64] |= if retakes { self.allows(moves[nth]) } else { 0 } << (nth % 64);
        });
    }

    /// Adds the plies whose moves the table allows and which give material. The ply after each of them captures.
    fn add_sacrifices(&self, at: &GameAtHand<'_>, until: usize, set: &mut [u64]) {
        let Some(sacrifice) = self.predicate.sacrifice else { return };
        let (first, moves, events) = (self.first_move(at), at.game.moves, at.event_streams.material);
        let (mut ply, mut before) = (0, (0, 0));
        for (nth, &event) in events.iter().enumerate() {
            ply += material::gap(event);
            // The index of the move that the capture answers.
            let given = ply.wrapping_sub(2);
            let is_asked = material::captured_role(event) != 0 && given & 1 == first && given < until;
            if is_asked && moves.get(given).is_some_and(|&mv| self.allows(mv) != 0) {
                let own = if before.0 + 1 == ply { before.1 } else { 0 };
                if sacrifice.holds(&balance_after(own, &events[nth..], moves.len() - given - 1)) {
                    set[given / 64] |= 1 << (given % 64);
                }
            }
            before = (ply, event);
        }
    }
}

/// The balance after the event of a move, 0 for none, and the events from the answer to it on. `plies` were played after the move.
fn balance_after(own: u16, events: &[u16], plies: usize) -> BalanceAfter {
    let points = |event: u16| points_of_ply(material::captured_role(event), material::captured_role(event >> 3));
    let is_minor = |event: u16| matches!(material::captured_role(event), 2 | 3);
    let taken = events.first().map_or(0, |&event| material::captured_role(event));
    let mut balance = BalanceAfter { taken, gains_minor: is_minor(own), reply: 0, later: [None; MOVES_AFTER] };
    let (mut change, mut at, mut rest) = (points(own), 0, events.iter().peekable());
    for ply in 1..=(2 * MOVES_AFTER).min(plies) {
        // The first of the events is that of the answer, whatever its gap.
        while let Some(&&event) = rest.peek() {
            let gap = if at == 0 { 1 } else { material::gap(event) };
            if at + gap > ply {
                break;
            }
            at += gap;
            rest.next();
            let is_own = at % 2 == 0;
            change += if is_own { points(event) } else { -points(event) };
            balance.gains_minor |= at == 2 && is_minor(event);
        }
        match ply {
            1 => balance.reply = change,
            ply if ply % 2 == 0 => balance.later[ply / 2 - 1] = Some(change),
            _ => {}
        }
    }
    balance
}

/// Reads moves of a game here and there, so that the others are in the cache when they are needed.
///
/// PERF: a capture is a single move somewhere in the game, and waiting for it takes longer than the rest of the test.
#[inline(always)]
fn read_ahead(moves: &[Move]) {
    const MOVES_OF_A_CACHE_LINE: usize = 32;
    core::hint::black_box(moves.iter().step_by(MOVES_OF_A_CACHE_LINE).fold(0, |all, mv| all ^ mv.bits()));
}

/// Which captures are looked for.
#[derive(Clone, Copy)]
struct CaptureFilter {
    /// What is captured: a bit for each kind of piece in an event.
    kinds: u32,
    /// The index of the first move of the side that captures, 0 or 1.
    first_move: usize,
    /// Whether the move before captures too.
    must_follow_capture: bool,
}

impl CaptureFilter {
    /// The captures of pieces of these roles, a bit each, by the side with this first move.
    fn new(roles: u8, first_move: usize) -> CaptureFilter {
        let is_asked = |kind: &u16| roles >> material::captured_role(*kind) & 1 != 0;
        let kinds = (1..8).filter(is_asked).fold(0, |all, kind| all | 1 << kind);
        CaptureFilter { kinds, first_move, must_follow_capture: false }
    }
}

/// Every role, a bit each.
const ALL_ROLES: u8 = 0b0111_1110;

/// Calls `visit` with the index of the move of each capture that passes the filter.
///
/// PERF: a first pass without branches collects the captures, because a branch on them would be unpredictable.
#[inline(always)]
fn for_each_capture(at: &GameAtHand<'_>, filter: CaptureFilter, mut visit: impl FnMut(usize)) {
    let (mut ply, mut follows) = (0usize, 0u32);
    for events in at.event_streams.material.chunks(EVENTS_AT_ONCE) {
        let (mut found, mut number) = ([0u32; EVENTS_AT_ONCE], 0);
        for &event in events {
            ply += material::gap(event);
            found[number % EVENTS_AT_ONCE] = ply as u32;
            let kind = u32::from(event & 7);
            let is_first = u32::from(material::gap(event) == 1) & follows | u32::from(!filter.must_follow_capture);
            number += (filter.kinds >> kind & (ply ^ filter.first_move) as u32 & is_first & 1) as usize;
            follows = u32::from(kind != 0);
        }
        for &ply in &found[..number] {
            let nth = (ply as usize).wrapping_sub(1);
            if nth < at.game.moves.len() {
                visit(nth);
            }
        }
    }
}

/// So many events are looked at before captures are visited: more than most games have.
const EVENTS_AT_ONCE: usize = 64;
