//! Tests predicates about repetitions of a position.
//!
//! A position comes again only while nothing is done that cannot be taken back, and only after four plies of that, or two where the turn
//! passes; most plies are not so. At those that are, a move says which man leaves a square and which arrives, so the difference from the
//! position before is a hash, and no board is needed for it. What a board has beside men, the right to castle and to take en passant,
//! is asked where the men are the same.

use alloc::vec;
use alloc::vec::Vec;

use shakmaty::Role;

use crate::board::make::{HashOnly, back_rank, castling_targets, zobrist_key};
use crate::board::{Board, ColorCode, NO_SQUARE};
use crate::irreversible::mover_at;
use crate::moves::Move;
use crate::scan::plies;

/// The positions since the last capture or move of a pawn; its memory serves the next game.
pub(in crate::scan) struct RepetitionFinder {
    /// What differs from the first of them, as a hash.
    hashes: Vec<u64>,
    /// By low bits of hashes, which position had these last, as [`stamp`](Self::stamp) and its number together.
    ///
    /// PERF: hardly any position is compared with others.
    last_seen: Vec<u32>,
    /// More than all that was noted in games before.
    stamp: u32,
}

/// A power of two.
const TABLE_SIZE: usize = 1024;

impl RepetitionFinder {
    pub fn new() -> RepetitionFinder {
        RepetitionFinder { hashes: Vec::new(), last_seen: vec![0; TABLE_SIZE], stamp: 1 }
    }

    /// Calls `found` with each ply (0 for the first) after which the position is one that has been, and how often it has occurred by then.
    /// `quiet_plies` are the plies with `min_cycle` and more before them, this one included, in which nothing was done for good, with the [`min_cycle`] of the game.
    pub fn find_repetitions(
        &mut self,
        start: &Board,
        moves: &[Move],
        (quiet_plies, min_cycle): (&[u64], usize),
        mut found: impl FnMut(usize, i64),
    ) {
        let plies = moves.len();
        if self.stamp.checked_add(plies as u32 + 1).is_none() {
            self.last_seen.fill(0);
            self.stamp = 1;
        }
        let mut comparable =
            ComparableSince { start, moves, castling: start.castling_rooks, position: 0, comparable_since: 0 };
        for (from, to) in plies::runs(quiet_plies, 1) {
            // Position `n` is after `n` plies.
            let first = (from + 1).saturating_sub(min_cycle);
            if first < plies {
                self.search_reversible_run(first, to.min(plies), &mut comparable, &mut found);
            }
        }
        self.stamp += plies as u32 + 1;
    }

    /// From position `first` to ply `end`, in which nothing is done for good.
    fn search_reversible_run(
        &mut self,
        first: usize,
        end: usize,
        comparable: &mut ComparableSince<'_>,
        found: &mut impl FnMut(usize, i64),
    ) {
        let (start, moves) = (comparable.start, &comparable.moves[..end]);
        let mut comparable_is_known = false;
        let mut hash = 0u64;
        self.hashes.clear();
        self.hashes.push(0);
        let slot = |hash: u64| hash as usize % TABLE_SIZE;
        self.last_seen[0] = self.stamp + first as u32;
        for (ply, &mv) in moves.iter().enumerate().skip(first) {
            hash ^= move_hash(mv, mover_at(start.turn, ply + 1));
            let before = core::mem::replace(&mut self.last_seen[slot(hash)], self.stamp + ply as u32 + 1);
            if before >= self.stamp + first as u32 {
                if !comparable_is_known {
                    comparable.start_run(first);
                    comparable_is_known = true;
                }
                let since = comparable.first_comparable(ply + 1);
                // With the same side to move, a position is an even number of plies back.
                let earlier = self.hashes.iter().enumerate().rev().skip(1).step_by(2);
                let others = earlier.filter(|&(nth, &other)| other == hash && first + nth >= since);
                let others = others.count() as i64;
                if others > 0 {
                    found(ply, others + 1);
                }
            }
            self.hashes.push(hash);
        }
    }
}

/// So many plies of nothing that is done for good lie between two positions that are the same.
///
/// PERF: all moves are looked at, so that it is done by vectors.
pub(in crate::scan) fn min_cycle(moves: &[Move]) -> usize {
    let has_null_move = moves.iter().fold(false, |any, &mv| any | (mv == Move::NULL));
    if has_null_move { 2 } else { 4 }
}

/// What a move that takes nothing does to the men.
#[inline(always)]
fn move_hash(mv: Move, mover: ColorCode) -> u64 {
    let (from, to) = (mv.origin(), mv.target());
    if mv.is_special() {
        if !mv.is_castling() {
            return 0;
        }
        let (king, rook) = (mover.piece(Role::King), mover.piece(Role::Rook));
        let (king_to, rook_to) = castling_targets(from, to);
        return zobrist_key(king, from)
            ^ zobrist_key(rook, to)
            ^ zobrist_key(king, king_to)
            ^ zobrist_key(rook, rook_to);
    }
    let man = mover.arriving(mv);
    zobrist_key(man, from) ^ zobrist_key(man, to)
}

/// Since when nothing but men can make positions differ.
struct ComparableSince<'a> {
    start: &'a Board,
    moves: &'a [Move],
    /// Rooks that may castle at position `at`.
    castling: u64,
    position: usize,
    /// From this position on all that is beside men is as it is at `at`.
    comparable_since: usize,
}

impl ComparableSince<'_> {
    /// Nothing is done for good from position `first` on, which is not before those asked for so far.
    #[cold]
    fn start_run(&mut self, first: usize) {
        let (start, moves) = (self.start, self.moves);
        self.first_comparable(first);
        // En passant is possible in the first position alone.
        let en_passant_possible = match first.checked_sub(1).map(|nth| moves[nth]) {
            None => start.en_passant != NO_SQUARE,
            Some(mv) => {
                mv.arrives_as(Role::Pawn)
                    && mv.origin().abs_diff(mv.target()) == 16
                    && en_passant_possible(start, &moves[..first])
            }
        };
        self.comparable_since = first + usize::from(en_passant_possible);
    }

    /// The first position that can be the same as `position`, which is not before the one asked for last.
    fn first_comparable(&mut self, position: usize) -> usize {
        let (start, moves) = (self.start, self.moves);
        if self.castling != 0 {
            for (ply, &mv) in moves.iter().enumerate().take(position).skip(self.position) {
                let king = if mv.arrives_as(Role::King) { back_rank(mover_at(start.turn, ply + 1)) } else { 0 };
                let lost = if mv.is_null() { 0 } else { self.castling & (1 << mv.origin() | 1 << mv.target() | king) };
                if lost != 0 {
                    self.castling &= !lost;
                    self.comparable_since = ply + 1;
                }
            }
            self.position = position;
        }
        self.comparable_since
    }
}

/// Whether the pawn that the last of these moves takes two ranks ahead can be taken en passant.
#[inline(never)]
fn en_passant_possible(start: &Board, moves: &[Move]) -> bool {
    let mut board = start.clone();
    board.fast_forward::<HashOnly>(moves);
    board.en_passant != NO_SQUARE
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::{CastlingMode, Chess, Position};

    use super::*;
    use crate::board::history::PositionHistory;
    use crate::board::make::FullState;
    use crate::board::start::PackedStart;
    use crate::irreversible::EventStreamBuffer;
    use crate::scan::evaluate::halfmove_clock::HalfmoveClock;

    /// The usual array; castling soon, either way; a capture en passant at once; one soon, and one that is not legal.
    const STARTS: [&str; 5] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 7 20",
        "4k2r/8/8/3pP3/8/8/8/R3K3 w Qk d6 0 20",
        "r3k3/4p3/8/3P4/8/8/4P3/4K2R b Kq - 3 20",
        "8/3p3p/8/k3P2R/8/8/8/4K3 b - - 0 20",
    ];

    /// A game in which men often go back to where they came from, and the turn passes now and then.
    fn game(start: &str, choices: &[u16]) -> (Board, Vec<Move>) {
        let fen: shakmaty::fen::Fen = start.parse().expect("a FEN");
        let mut position: Chess = fen.into_position(CastlingMode::Standard).expect("legal");
        let board = Board::from_start(&PackedStart::from_position(&position));
        let mut moves = Vec::new();
        let mut played: Vec<shakmaty::Move> = Vec::new();
        for &choice in choices {
            if choice % 61 == 0
                && let Ok(passed) = position.clone().swap_turn()
            {
                position = passed;
                moves.push(Move::NULL);
            }
            let legal = position.legal_moves();
            let quiet = |mv: &&shakmaty::Move| !mv.is_zeroing() && !mv.is_castle();
            let goes_back = |mv: &&shakmaty::Move| {
                let last = played.iter().rev().nth(1);
                quiet(mv) && last.is_some_and(|last| (Some(mv.to()), mv.from()) == (last.from(), Some(last.to())))
            };
            let any = legal.get(usize::from(choice / 8) % legal.len().max(1));
            let mv = match choice % 8 {
                0..5 => legal.iter().find(goes_back).or(any),
                5 | 6 => legal.iter().filter(quiet).nth(usize::from(choice / 8 % 5)).or(any),
                _ => any,
            };
            let Some(&mv) = mv else { break };
            moves.push(Move::from(mv));
            played.push(mv);
            position.play_unchecked(mv);
        }
        (board, moves)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn positions_occur_as_often_as_their_history_says(
            start in prop::sample::select(STARTS.to_vec()), choices in prop::collection::vec(any::<u16>(), 0..150),
        ) {
            let (start, moves) = game(start, &choices);
            let mut board = start.clone();
            let mut history = PositionHistory::starting_at(&mut board);
            let mut expected = Vec::new();
            for (ply, &mv) in moves.iter().enumerate() {
                board.make::<FullState>(mv);
                history.push(&mut board);
                if board.repetition > 1 {
                    expected.push((ply, i64::from(board.repetition)));
                }
            }
            let (mut courses, mut clock) = (EventStreamBuffer::default(), HalfmoveClock::default());
            courses.push_game(&start, &moves);
            clock.read_resets(courses.as_streams(), moves.len());
            let mut found = Vec::new();
            let mut repetition = RepetitionFinder::new();
            // What was noted in the game before says nothing in the next, nor when there is no more room for stamps.
            for stamp in [1, u32::MAX - 100] {
                repetition.stamp = stamp;
                for _ in 0..2 {
                    found.clear();
                    let least = min_cycle(&moves);
                    repetition.find_repetitions(&start, &moves, (clock.quiet_for(least), least), |ply, times| found.push((ply, times)));
                    prop_assert_eq!(&found, &expected);
                }
            }
        }
    }
}
