//! A move as the corpus keeps it: resolved, in 16 bits.
//!
//! A move has everything that a replay needs, so a replay never generates moves, and a scan can look for moves of one kind or to
//! one square without a board.
//!
//! ```text
//! bit  0..6   from    a1 = 0, b1 = 1 … h8 = 63
//! bit  6..12  to      the same; for castling the square of the castling rook (so Chess960 needs nothing more)
//! bit 12..15  role    of the piece that arrives: 1 pawn, 2 knight, 3 bishop, 4 rook, 5 queen, 6 king
//! bit 15      special with role 2–5: promotion; with 1: en passant; with 6: castling; with 0: null move
//! ```

use bytemuck::{Pod, Zeroable};
use shakmaty::{Role, Square};

/// A resolved move, see the [module](self) for its bits.
///
/// ```
/// use plyfold_board::moves::Move;
/// use shakmaty::{Role, Square};
/// let e4 = Move::normal(Role::Pawn, Square::E2, Square::E4);
/// assert_eq!(e4.bits(), 0x170c);
/// assert_eq!(e4.arriving(), Some(Role::Pawn));
/// assert!(!e4.is_special());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub struct Move(u16);

const SPECIAL: u16 = 1 << 15;

impl Move {
    /// The null move: only the turn passes to the other side.
    pub const NULL: Move = Move(SPECIAL);

    const fn new(role: u16, from: Square, to: Square) -> Move {
        Move(role << 12 | (to as u16) << 6 | from as u16)
    }

    /// A move or capture that puts the moved piece on `to`.
    pub const fn normal(role: Role, from: Square, to: Square) -> Move {
        Move::new(role as u16, from, to)
    }

    /// A pawn's move or capture that promotes it to `role`.
    pub const fn promotion(role: Role, from: Square, to: Square) -> Move {
        Move(Move::new(role as u16, from, to).0 | SPECIAL)
    }

    /// A pawn's capture of the pawn beside it that just made a double step.
    pub const fn en_passant(from: Square, to: Square) -> Move {
        Move(Move::new(Role::Pawn as u16, from, to).0 | SPECIAL)
    }

    /// Castling of the king on `king` with the rook on `rook`.
    pub const fn castle(king: Square, rook: Square) -> Move {
        Move(Move::new(Role::King as u16, king, rook).0 | SPECIAL)
    }

    /// The 16 bits as stored.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Any 16 bits as a move. Bits that are no sensible move give some board when they are replayed, never a panic.
    pub const fn from_bits(bits: u16) -> Move {
        Move(bits)
    }

    /// Index of the square of departure, 0–63.
    #[inline(always)]
    pub const fn origin(self) -> usize {
        (self.0 & 63) as usize
    }

    /// Index of the square of arrival, or of the castling rook, 0–63.
    #[inline(always)]
    pub const fn target(self) -> usize {
        (self.0 >> 6 & 63) as usize
    }

    /// Role code of the piece that arrives, 0–7 (0 and 7 are no role).
    #[inline(always)]
    pub(crate) const fn role_code(self) -> u8 {
        (self.0 >> 12 & 7) as u8
    }

    /// Returns whether the piece that arrives has this role.
    #[inline(always)]
    pub const fn arrives_as(self, role: Role) -> bool {
        self.role_code() == role as u8
    }

    /// Role of the piece that arrives; none for the null move.
    pub fn arriving(self) -> Option<Role> {
        Role::ALL.get(usize::from(self.role_code()).wrapping_sub(1)).copied()
    }

    /// Returns whether the move is a promotion, en passant, castling or the null move.
    #[inline(always)]
    pub const fn is_special(self) -> bool {
        self.0 & SPECIAL != 0
    }

    /// Returns whether it is the null move.
    pub const fn is_null(self) -> bool {
        self.is_special() && self.role_code() == 0
    }

    /// Returns whether it is castling.
    pub const fn is_castling(self) -> bool {
        self.is_special() && self.arrives_as(Role::King)
    }

    /// Returns whether it is a capture en passant.
    pub const fn is_en_passant(self) -> bool {
        self.is_special() && self.arrives_as(Role::Pawn)
    }

    /// The role to which a pawn promotes, if it is a promotion.
    pub fn promoted(self) -> Option<Role> {
        match self.arriving() {
            Some(Role::Pawn | Role::King) | None => None,
            role => role.filter(|_| self.is_special()),
        }
    }
}

impl From<shakmaty::Move> for Move {
    /// A move of shakmaty in 16 bits. A drop (other variants) becomes the null move.
    fn from(mv: shakmaty::Move) -> Move {
        match mv {
            shakmaty::Move::Normal { role, from, to, promotion: None, .. } => Move::normal(role, from, to),
            shakmaty::Move::Normal { from, to, promotion: Some(role), .. } => Move::promotion(role, from, to),
            shakmaty::Move::EnPassant { from, to } => Move::en_passant(from, to),
            shakmaty::Move::Castle { king, rook } => Move::castle(king, rook),
            shakmaty::Move::Put { .. } => Move::NULL,
        }
    }
}
