//! Names of moves: what standard algebraic notation (SAN) tells of a move without `+` and `#`, packed into a number.
//!
//! Two moves have one name if they are written alike, whatever the position and the side: `dxe6` may be en passant or not, and `Nd2` may
//! come from b1 or from f3. `Ka2` and `Kxa2` are two names.

use core::fmt;

use plyfold_board::board::Board;
use plyfold_board::board::given_check::may_check;
use plyfold_board::board::make::WithRights;
use plyfold_board::moves::Move;
use shakmaty::{Bitboard, File, Rank, Role, Square, attacks};

/// A name of a move.
///
/// ```text
/// bit  0..4   file of the origin, a = 1 … h = 8, or 0 if it is not written
/// bit  4..8   rank of the origin, or 0
/// bit  8..14  square of arrival, a1 = 0 … h8 = 63; of castling 0 for O-O and 1 for O-O-O
/// bit 14      captures
/// bit 15..18  role of the piece that moves, 1 pawn … 6 king; 7 for castling; 0 for the null move
/// bit 18..21  role to which a pawn promotes, or 0
/// bit 21      always 1, which tells these numbers from the 16 bits of a [`Move`]
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MoveName(u32);

/// Whether a move gives check: what SAN says by `+` and `#`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CheckMark {
    /// No check.
    None,
    /// Check.
    Check,
    /// Checkmate.
    Mate,
}

/// A move of which the games that continued with it are requested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChosenMove {
    /// All moves of a name.
    Named(MoveName),
    /// One move, as links of older versions have it.
    Resolved(Move),
}

const CAPTURE: u32 = 1 << 14;
const CASTLING: u32 = 7;
const NAME: u32 = 1 << 21;

impl MoveName {
    /// The name of a legal move. Requires the bitboards and the mailbox.
    pub fn of(board: &Board, mv: Move) -> MoveName {
        let (from, to) = (mv.origin(), mv.target());
        if mv.is_null() {
            return MoveName(NAME);
        }
        if mv.is_castling() {
            return MoveName(NAME | CASTLING << 15 | u32::from(to < from) << 8);
        }
        let (role, promoted) = match mv.promoted() {
            None => (mv.arriving(), 0),
            Some(role) => (Some(Role::Pawn), role as u32),
        };
        let captures = mv.is_en_passant() || !board.mailbox[to].is_none();
        let origin = match role {
            Some(Role::Pawn) => u32::from(captures) * (from as u32 % 8 + 1),
            Some(role) => origin_needed(board, role, square(from), square(to)),
            None => 0,
        };
        let capture = if captures { CAPTURE } else { 0 };
        let role = role.map_or(0, |role| role as u32);
        MoveName(NAME | promoted << 18 | role << 15 | capture | (to as u32) << 8 | origin)
    }

    /// The number, from 2^21 on.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// A number as a name; none for a number that no name has, such as the bits of a [`Move`].
    pub fn from_bits(bits: u32) -> Option<MoveName> {
        (bits >> 21 == 1).then_some(MoveName(bits))
    }
}

impl fmt::Display for MoveName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |from: u32, bits: u32| self.0 >> from & ((1 << bits) - 1);
        match part(15, 3) {
            0 => return f.write_str("--"),
            CASTLING => return f.write_str(if part(8, 6) == 0 { "O-O" } else { "O-O-O" }),
            1 => {}
            role => Role::ALL.get(role as usize - 1).map_or(Ok(()), |role| write!(f, "{}", role.upper_char()))?,
        }
        if let file @ 1..=8 = part(0, 4) {
            write!(f, "{}", File::new(file - 1))?;
        }
        if let rank @ 1..=8 = part(4, 4) {
            write!(f, "{}", Rank::new(rank - 1))?;
        }
        let capture = if self.0 & CAPTURE != 0 { "x" } else { "" };
        write!(f, "{capture}{}", Square::new(part(8, 6)))?;
        match part(18, 3) {
            role @ 1..=6 => write!(f, "={}", Role::ALL[role as usize - 1].upper_char()),
            _ => Ok(()),
        }
    }
}

/// The file or rank or both of the origin, as the name has them: what tells the piece from others of its role that can legally go to the
/// same square.
fn origin_needed(board: &Board, role: Role, from: Square, to: Square) -> u32 {
    let us = board.side_to_move();
    let same = Bitboard(board.pieces(us, role) & !(1 << from as u32));
    if same.is_empty() {
        return 0;
    }
    let mut others = same & reached(role, to, Bitboard(board.occupied()));
    if others.is_empty() {
        return 0;
    }
    // The move is legal, so another piece that goes to the same square also meets a check, unless it is pinned.
    if let Some(king) = board.king(us) {
        let pinned = Bitboard(board.pinned_pieces(us));
        others = others
            .into_iter()
            .filter(|&other| !pinned.contains(other) || attacks::ray(king, other).contains(to))
            .collect();
    }
    let is_alone = |line: Bitboard| (others & line).is_empty();
    let (file, rank) = (from.file() as u32 + 1, from.rank() as u32 + 1);
    match () {
        () if others.is_empty() => 0,
        () if is_alone(from.file().into()) => file,
        () if is_alone(from.rank().into()) => rank << 4,
        () => rank << 4 | file,
    }
}

/// The squares from which a piece of this role goes to a square.
fn reached(role: Role, to: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Knight => attacks::knight_attacks(to),
        Role::Bishop => attacks::bishop_attacks(to, occupied),
        Role::Rook => attacks::rook_attacks(to, occupied),
        Role::Queen => attacks::queen_attacks(to, occupied),
        Role::King | Role::Pawn => attacks::king_attacks(to),
    }
}

fn square(index: usize) -> Square {
    Square::new(index as u32)
}

impl CheckMark {
    /// What a move gives. Requires the bitboards and the mailbox.
    pub fn of(board: &Board, mv: Move) -> CheckMark {
        let king = board.king(!board.side_to_move());
        if mv.is_null() || !king.is_some_and(|king| may_check(king, mv, board.turn)) {
            return CheckMark::None;
        }
        let mut after = board.clone();
        after.make::<WithRights>(mv);
        // Castling rights do not matter in check.
        match after.is_in_check(after.side_to_move()) {
            false => CheckMark::None,
            true if after.has_legal_move() => CheckMark::Check,
            true => CheckMark::Mate,
        }
    }

    /// The mark by its number, from 0.
    pub(super) fn from_number(number: u64) -> Option<CheckMark> {
        [CheckMark::None, CheckMark::Check, CheckMark::Mate].into_iter().find(|&mark| mark as u64 == number)
    }

    /// How SAN writes it.
    pub fn suffix(self) -> &'static str {
        ["", "+", "#"][self as usize]
    }
}
