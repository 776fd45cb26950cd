//! The repetition finder finds repeated positions without a board.
//!
//! A position can recur only within a run of reversible moves, after at least four of them, or two if the game has null moves.
//! Most plies are not in such a run. Within a run, a move says which piece leaves a square and which arrives, so a hash can
//! describe how the pieces differ from those of the first position of the run. Castling and en passant rights are compared only
//! where the pieces are the same.

use alloc::vec;
use alloc::vec::Vec;

use plyfold_board::board::make::{HashOnly, back_rank, castling_targets, zobrist_key};
use plyfold_board::board::{Board, ColorCode, NO_SQUARE};
use plyfold_board::irreversible::mover_at;
use plyfold_board::moves::Move;
use shakmaty::Role;

use crate::scan::plies;
use crate::scan::tuning::REPETITION_TABLE_ENTRIES;

/// A position that has occurred before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::scan) struct RepeatedPosition {
    /// How often it has occurred, this time included.
    pub times: i64,
    /// The plies since its last occurrence.
    pub cycle: usize,
}

/// The positions since the last capture or pawn move; the next game reuses the memory.
pub(in crate::scan) struct RepetitionFinder {
    /// For each position, how its pieces differ from those of the first one, as a hash.
    hashes: Vec<u64>,
    /// By the low bits of a hash: the last position with such a hash, as the sum of [`stamp`](Self::stamp) and its number.
    ///
    /// PERF: thanks to this table, hardly any position is compared with others.
    last_seen: Vec<u32>,
    /// A number above all entries that earlier games left in the table.
    stamp: u32,
}

impl RepetitionFinder {
    pub fn new() -> RepetitionFinder {
        RepetitionFinder { hashes: Vec::new(), last_seen: vec![0; REPETITION_TABLE_ENTRIES], stamp: 1 }
    }

    /// Calls `found` with each ply (0 for the first) whose position has occurred before, in order, and with that position.
    /// `quiet_plies` are the plies that end at least `min_cycle` reversible plies; `min_cycle` is the [`min_cycle`] of the game.
    pub fn find_repetitions(
        &mut self,
        start: &Board,
        moves: &[Move],
        (quiet_plies, min_cycle): (&[u64], usize),
        mut found: impl FnMut(usize, RepeatedPosition),
    ) {
        let plies = moves.len();
        if self.stamp.checked_add(plies as u32 + 1).is_none() {
            self.last_seen.fill(0);
            self.stamp = 1;
        }
        let mut comparable =
            ComparableSince { start, moves, castling: start.castling_rooks, position: 0, comparable_since: 0 };
        for (from, to) in plies::runs(quiet_plies, 1) {
            // Position `n` is the one after `n` plies.
            let first = (from + 1).saturating_sub(min_cycle);
            if first < plies {
                self.search_reversible_run(first, to.min(plies), &mut comparable, &mut found);
            }
        }
        self.stamp += plies as u32 + 1;
    }

    /// Searches the plies from position `first` up to, not including, ply `end`; all of them are reversible.
    fn search_reversible_run(
        &mut self,
        first: usize,
        end: usize,
        comparable: &mut ComparableSince<'_>,
        found: &mut impl FnMut(usize, RepeatedPosition),
    ) {
        let (start, moves) = (comparable.start, &comparable.moves[..end]);
        let mut comparable_is_known = false;
        let mut hash = 0u64;
        self.hashes.clear();
        self.hashes.push(0);
        let slot = |hash: u64| hash as usize % REPETITION_TABLE_ENTRIES;
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
                // The same side is to move only an even number of plies back.
                let earlier = self.hashes.iter().enumerate().rev().skip(1).step_by(2);
                let mut others = earlier.filter(|&(nth, &other)| other == hash && first + nth >= since);
                if let Some((nearest, _)) = others.next() {
                    found(ply, RepeatedPosition { times: others.count() as i64 + 2, cycle: ply + 1 - first - nearest });
                }
            }
            self.hashes.push(hash);
        }
    }
}

/// Returns the least number of reversible plies between two equal positions.
///
/// PERF: the loop has no early exit, so that it compiles to vector instructions.
pub(in crate::scan) fn min_cycle(moves: &[Move]) -> usize {
    let has_null_move = moves.iter().fold(false, |any, &mv| any | (mv == Move::NULL));
    if has_null_move { 2 } else { 4 }
}

/// Returns the hash of what a reversible move does to the pieces.
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
    let piece = mover.arriving(mv);
    zobrist_key(piece, from) ^ zobrist_key(piece, to)
}

/// The position since which positions can differ only in their pieces.
struct ComparableSince<'a> {
    start: &'a Board,
    moves: &'a [Move],
    /// The rooks that may castle at `position`.
    castling: u64,
    position: usize,
    /// The first position whose castling and en passant rights are those at `position`.
    comparable_since: usize,
}

impl ComparableSince<'_> {
    /// Starts a run of reversible moves at position `first`, which must not come before any position of an earlier call.
    #[cold]
    fn start_run(&mut self, first: usize) {
        let (start, moves) = (self.start, self.moves);
        self.first_comparable(first);
        // In a run, en passant is possible in the first position only.
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

    /// Returns the first position that can equal `position`, which must not come before that of the previous call.
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

/// Returns whether the pawn that has just advanced two ranks, in the last of these moves, can be taken en passant.
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

    use plyfold_board::board::history::PositionHistory;
    use plyfold_board::board::make::FullState;
    use plyfold_board::board::start::PackedStart;
    use plyfold_board::irreversible::EventStreamBuffer;

    use super::*;
    use crate::scan::evaluate::halfmove_clock::HalfmoveClock;

    /// The initial position; castling on both wings; en passant at once; and two where a double step soon allows en passant.
    const STARTS: [&str; 5] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 7 20",
        "4k2r/8/8/3pP3/8/8/8/R3K3 w Qk d6 0 20",
        "r3k3/4p3/8/3P4/8/8/4P3/4K2R b Kq - 3 20",
        "8/3p3p/8/k3P2R/8/8/8/4K3 b - - 0 20",
    ];

    /// A game in which pieces often go back to where they came from, with a null move now and then.
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
            let (mut expected, mut hashes) = (Vec::new(), vec![board.hash]);
            for (ply, &mv) in moves.iter().enumerate() {
                board.make::<FullState>(mv);
                history.push(&mut board);
                let last = hashes.iter().rposition(|&hash| hash == board.hash);
                if let (Some(last), true) = (last, board.repetition > 1) {
                    expected.push((ply, RepeatedPosition { times: board.repetition.into(), cycle: ply + 1 - last }));
                }
                hashes.push(board.hash);
            }
            let (mut courses, mut clock) = (EventStreamBuffer::default(), HalfmoveClock::default());
            courses.push_game(&start, &moves);
            clock.read_resets(courses.as_streams(), moves.len());
            let mut found = Vec::new();
            let mut repetition = RepetitionFinder::new();
            // Entries of an earlier game must not affect the next one, even when the stamps run out.
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
