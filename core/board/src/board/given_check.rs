//! Finds the pieces that give check after a move, from the move and the lines to the king.
//!
//! In a legal game, a side comes into check by the last move alone: the piece that moved reaches its king, or a slider stands on
//! the line on which the piece stood. The occupied squares, the sliders of both sides and the squares of the kings decide that, so
//! a [`CheckReplay`] keeps nothing else up to date.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::attacks::{knight_attacks, pawn_attacks};
use super::make::{castling_targets, en_passant_capture_square};
use super::{Board, ColorCode, PieceCode};
use crate::moves::Move;

/// By the square of a king and the code of a piece: from where this piece attacks the king on an empty board. No king attacks a
/// king.
static REACHES: [[u64; 16]; 64] = reaches();

const fn reaches() -> [[u64; 16]; 64] {
    let mut all = [[0; 16]; 64];
    let mut king = 0;
    while king < 64 {
        let (mut straight, mut diagonal) = (0u64, 0u64);
        let mut square = 0;
        while square < 64 {
            let (files, ranks) = ((square & 7usize).abs_diff(king & 7), (square >> 3).abs_diff(king >> 3));
            if (files == 0) != (ranks == 0) {
                straight |= 1 << square;
            } else if files == ranks && files != 0 {
                diagonal |= 1 << square;
            }
            square += 1;
        }
        let knight = knight_attacks(1 << king);
        // A pawn attacks from where a pawn of the other side on the king's square would capture.
        let white = [0, pawn_attacks(1 << king, Color::Black), knight, diagonal, straight, straight | diagonal, 0, 0];
        let mut role = 0;
        while role < 8 {
            (all[king][role], all[king][role + 8]) = (white[role], white[role]);
            role += 1;
        }
        all[king][PieceCode::BLACK_PAWN.index()] = pawn_attacks(1 << king, Color::White);
        king += 1;
    }
    all
}

/// The squares that a piece other than a king attacks from this one on an empty board.
#[inline(always)]
pub fn reach(from: Square, piece: PieceCode) -> u64 {
    // It attacks what would attack its square if it stood there, but that pawns look the other way.
    REACHES[from as usize][piece.index() ^ usize::from(piece.is(Role::Pawn)) << 3]
}

/// Returns whether `mv` of a side may give check to the king on this square, whatever else stands on the board.
pub fn may_check(king: Square, mv: Move, mover: ColorCode) -> bool {
    let direct = REACHES[king as usize][mover.arriving(mv).index()] >> mv.target() & 1 != 0;
    direct || mv.is_special() || attacks::ray(king, from(mv)).0 != 0
}

/// The king and the sliders of one side: those that move along straight lines, and those that move along diagonals.
#[derive(Clone, Copy, Default)]
struct Side {
    /// Its square, or 64 if it does not exist.
    king: usize,
    straight: u64,
    diagonal: u64,
}

impl Side {
    fn on_board(board: &Board, side: ColorCode) -> Side {
        let king = board.bitboards[side.piece(Role::King)].trailing_zeros() as usize;
        let colour = side.color();
        Side { king, straight: board.orthogonal_sliders(colour), diagonal: board.diagonal_sliders(colour) }
    }

    /// Takes away what stands on this square.
    #[inline(always)]
    fn without(self, square: usize) -> Side {
        Side { straight: self.straight & !(1 << square), diagonal: self.diagonal & !(1 << square), ..self }
    }

    /// Puts a piece of this role on a square.
    #[inline(always)]
    fn with(self, role: u8, square: usize) -> Side {
        Side {
            king: if role == Role::King as u8 { square } else { self.king },
            straight: self.straight | u64::from(MOVES_STRAIGHT >> role & 1) << square,
            diagonal: self.diagonal | u64::from(MOVES_DIAGONALLY >> role & 1) << square,
        }
    }

    /// The sliders that would attack a king on an empty board.
    #[inline(always)]
    fn reaching(self, king: usize) -> u64 {
        let reaches = &REACHES[king & 63];
        reaches[Role::Rook as usize] & self.straight | reaches[Role::Bishop as usize] & self.diagonal
    }
}

/// The roles that move along straight lines, and along diagonals, a bit each.
const MOVES_STRAIGHT: u8 = 1 << Role::Rook as u8 | 1 << Role::Queen as u8;
const MOVES_DIAGONALLY: u8 = 1 << Role::Bishop as u8 | 1 << Role::Queen as u8;

/// The part of a position that a replay for checks keeps.
#[derive(Clone, Copy, Default)]
struct Lines {
    occupied: u64,
    mover: Side,
    opponent: Side,
}

impl Lines {
    /// The lines after a move that is not special, for the other side.
    #[inline(always)]
    fn after(self, mv: Move) -> Lines {
        Lines {
            occupied: self.occupied & !(1 << mv.origin()) | 1 << mv.target(),
            mover: self.opponent.without(mv.target()),
            opponent: self.mover.without(mv.origin()).with(mv.role_code(), mv.target()),
        }
    }

    /// The lines after a promotion, an en passant capture, castling or a null move.
    ///
    /// PERF: inlined, because a call would take the lines from memory, and the loop would keep them there.
    #[inline(always)]
    fn after_special(self, mv: Move) -> Lines {
        let swapped = Lines { mover: self.opponent, opponent: self.mover, ..self };
        match mv {
            mv if mv.is_null() => swapped,
            mv if mv.is_castling() => {
                let (king_to, rook_to) = castling_targets(mv.origin(), mv.target());
                let left = self.occupied & !(1 << mv.origin() | 1 << mv.target());
                let opponent = self.mover.without(mv.target()).with(Role::Rook as u8, rook_to);
                Lines {
                    occupied: left | 1 << king_to | 1 << rook_to,
                    opponent: opponent.with(Role::King as u8, king_to),
                    ..swapped
                }
            }
            mv if mv.is_en_passant() => {
                let after = self.after(mv);
                let taken = en_passant_capture_square(mv.origin(), mv.target());
                Lines { occupied: after.occupied & !(1 << taken), ..after }
            }
            mv => self.after(mv),
        }
    }
}

/// A ply at which some pieces may give check: those that reach the king if nothing stands between.
#[derive(Clone, Copy, Default)]
struct Candidate {
    occupied: u64,
    pieces: u64,
    king: u8,
    nth: u8,
}

/// A check in a game.
pub struct Check {
    /// The index of the move among those of the last [`CheckReplay::play`].
    pub nth: usize,
    /// The square of the king.
    pub king: u64,
    /// The pieces that attack it.
    pub checkers: u64,
}

/// Replays games for their checks alone; the next game reuses the memory.
pub struct CheckReplay {
    lines: Lines,
    mover: ColorCode,
    /// Whether checks by the side to move are reported, and those by the other side.
    is_told: (bool, bool),
    candidates: [Candidate; 64],
}

impl Default for CheckReplay {
    fn default() -> CheckReplay {
        CheckReplay {
            lines: Lines::default(),
            mover: ColorCode::WHITE,
            is_told: (false, false),
            candidates: [Candidate::default(); 64],
        }
    }
}

impl CheckReplay {
    /// Starts a game at a board with its bitboards. `is_told` says of White and of Black whether checks to their kings are
    /// requested.
    pub fn start_game(&mut self, board: &Board, is_told: [bool; 2]) {
        let (mover, opponent) = (board.turn, board.turn.opponent());
        let sides = [mover, opponent].map(|side| Side::on_board(board, side));
        // A king that does not exist is never in check.
        let [own, others] = [(0, mover), (1, opponent)].map(|(n, side)| is_told[side.index()] && sides[n].king < 64);
        self.lines = Lines { occupied: board.occupied(), mover: sides[0], opponent: sides[1] };
        (self.mover, self.is_told) = (mover, (others, own));
    }

    /// Plays up to 64 moves of a legal game, in which no side is in check when the other side moves. Returns an upper bound of the
    /// number of checks.
    ///
    /// PERF: candidates are stored without a branch, because whether a ply is one cannot be predicted.
    #[inline(never)]
    pub fn play(&mut self, moves: &[Move]) -> usize {
        let CheckReplay { mut lines, mut mover, is_told: (mut is_told, mut is_told_next), .. } = *self;
        let mut number = 0;
        for (nth, &mv) in moves.iter().enumerate() {
            let is_special = mv.is_special();
            lines = if is_special { lines.after_special(mv) } else { lines.after(mv) };
            if is_told {
                let king = lines.mover.king & 63;
                let opened = if is_special { u64::MAX } else { attacks::ray(Square::new(king as u32), from(mv)).0 };
                let direct = REACHES[king][mover.arriving(mv).index()] & 1 << mv.target();
                let pieces = direct | lines.opponent.reaching(king) & opened;
                self.candidates[number & 63] =
                    Candidate { occupied: lines.occupied, pieces, king: king as u8, nth: nth as u8 };
                number += usize::from(pieces != 0);
            }
            mover = mover.opponent();
            (is_told, is_told_next) = (is_told_next, is_told);
        }
        (self.lines, self.mover, self.is_told) = (lines, mover, (is_told, is_told_next));
        number
    }

    /// One of the checks of the last [`play`](Self::play), if there is one with this number.
    #[inline(always)]
    pub fn check(&self, number: usize) -> Option<Check> {
        let Candidate { occupied, pieces, king, nth } = *self.candidates.get(number)?;
        let square = Square::new(u32::from(king & 63));
        let attacks = |piece: &Square| attacks::between(square, *piece).0 & occupied == 0;
        let checkers = Bitboard(pieces).into_iter().filter(attacks).fold(0, |all, piece| all | 1 << piece as u32);
        (checkers != 0).then_some(Check { nth: nth.into(), king: 1 << square as u32, checkers })
    }
}

/// The square of departure.
fn from(mv: Move) -> Square {
    Square::new(mv.origin() as u32)
}

/// The squares on which a move puts pieces.
fn arrivals(mv: Move) -> u64 {
    match mv {
        mv if mv.is_null() => 0,
        mv if mv.is_castling() => {
            let (king_to, rook_to) = castling_targets(mv.origin(), mv.target());
            1 << king_to | 1 << rook_to
        }
        mv => 1u64 << mv.target(),
    }
}

/// Returns those of `checkers` that did not move with `mv`, the move that gave check.
pub fn discovered(checkers: u64, mv: Move) -> u64 {
    checkers & !arrivals(mv)
}

impl Board {
    /// Returns whether `mv`, the move that led to this position, may have given check; false only if the side to move is not in
    /// check. The side must not have been in check before the other side moved, as in any legal game.
    #[inline(always)]
    pub fn may_be_checked_by(&self, mv: Move) -> bool {
        let (us, mover) = (self.turn, self.turn.opponent());
        let Some(king) = self.king(us.color()) else { return false };
        let direct = REACHES[king as usize][mover.arriving(mv).index()] & 1 << mv.target();
        let opened = Side::on_board(self, mover).reaching(king as usize) & attacks::ray(king, from(mv)).0;
        direct | opened != 0 || mv.is_special()
    }

    /// The pieces that give check to the side to move and did not move with `mv`, the move that led to this position.
    pub fn discovered_checkers(&self, mv: Move) -> u64 {
        let us = self.side_to_move();
        let Some(king) = self.king(us) else { return 0 };
        discovered(self.attackers(king, !us, self.occupied()), mv)
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Position;

    use super::*;
    use crate::board::make::WithBitboards;
    use crate::board::start::PackedStart;
    use crate::random_games;

    #[test]
    fn checks_are_those_of_the_whole_board() {
        let (mut checks, mut uncovered) = (0, 0);
        for (fen, game) in random_games::STARTS.into_iter().flat_map(|fen| (0..40).map(move |game| (fen, game))) {
            let start = random_games::position(fen);
            let mut board = Board::from_start(&PackedStart::from_position(&start));
            let mut replay = CheckReplay::default();
            replay.start_game(&board, [true, game % 2 == 0]);
            random_games::play(&start, random_games::choices(game).take(80), true, |mv, position| {
                board.make::<WithBitboards>(mv);
                let found = (0..replay.play(&[mv])).find_map(|number| replay.check(number));
                let (us, them) = (board.turn, board.turn.opponent());
                let king = board.king(us.color()).expect("a king");
                let is_told = game % 2 == 0 || us == ColorCode::WHITE;
                let expected = if is_told { position.checkers().0 } else { 0 };
                let checkers = found.as_ref().map_or(0, |check| check.checkers);
                assert_eq!(checkers, expected, "{}", board.fen());
                assert!(found.is_none_or(|check| (check.nth, check.king) == (0, 1 << king as u32)));
                assert!(position.checkers().is_empty() || may_check(king, mv, them), "{}", board.fen());
                assert!(position.checkers().is_empty() || board.may_be_checked_by(mv), "{}", board.fen());
                if is_told {
                    assert_eq!(discovered(checkers, mv), board.discovered_checkers(mv));
                    checks += u32::from(checkers != 0);
                    uncovered += u32::from(board.discovered_checkers(mv) != 0);
                }
            });
        }
        assert!(checks > 500 && uncovered > 20, "{checks} checks, {uncovered} discovered");
    }
}
