//! The replay board holds a position while a scan replays a game.
//!
//! A mailbox of 64 squares says which piece stands on a square; sixteen bitboards say on which squares the pieces of a kind
//! stand. A [`MakePolicy`](make::MakePolicy), chosen once for a whole scan, decides how much of this and of the rest (counts,
//! castling rights, hash) a move keeps up to date. The board does not know which moves are legal: the import has checked them.
//!
//! A bitboard has bit 0 for a1, bit 1 for b1, … bit 63 for h8, so a drawing has a1 at the bottom left:
//!
//! ```
//! use plyfold_board::board::Board;
//! use shakmaty::{Bitboard, Color, Role};
//! let board = Board::initial();
//! assert_eq!(format!("\n{:?}", Bitboard(board.pieces(Color::White, Role::Knight) | board.occupied_by(Color::Black))), "
//! 1 1 1 1 1 1 1 1
//! 1 1 1 1 1 1 1 1
//! . . . . . . . .
//! . . . . . . . .
//! . . . . . . . .
//! . . . . . . . .
//! . . . . . . . .
//! . 1 . . . . 1 .
//! ");
//! ```

pub mod attacks;
#[cfg(all(target_arch = "x86_64", not(target_os = "none")))]
mod avx2;
pub mod eight;
mod fast_forward;
pub mod given_check;
pub mod history;
pub mod legal;
pub mod legal_count;
pub mod make;
mod piece;
pub mod start;
mod vectors;

pub use piece::{ByPiece, ColorCode, PieceCode};
use shakmaty::{Bitboard, Color, Role};

/// The changes that a move has made, or on which a predicate depends. Both are the same 32 bits, so one AND says whether a
/// predicate must be evaluated again.
///
/// Bit `m` (0–15) says that a piece with code `m` has moved, appeared or vanished; bit `16 + m` says that the number of these
/// pieces has changed. Codes of no piece mark other events: bit 7 a castling, bit 15 a null move.
pub type ChangeMask = u32;

/// Every bit of a [`ChangeMask`]: always evaluated again.
pub const ANY_CHANGE: ChangeMask = u32::MAX;
/// The bit of a [`ChangeMask`] that marks a castling.
pub const CASTLING_CHANGE: ChangeMask = 1 << 7;
/// The bit of a [`ChangeMask`] that marks a null move.
pub const NULL_MOVE_CHANGE: ChangeMask = 1 << 15;

/// The change bit of the squares of a piece.
pub const fn placement_change(piece: PieceCode) -> ChangeMask {
    1 << piece.index()
}

/// The change bit of the number of `piece`.
pub const fn count_change(piece: PieceCode) -> ChangeMask {
    1 << (16 + piece.index())
}

/// No square: the value of [`Board::en_passant`] where there is none.
pub const NO_SQUARE: u8 = 64;

/// A position in a replay.
///
/// A move keeps only the fields up to date that its policy names: see [`make`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    /// The piece on each square, a1 first. Every policy but [`PliesOnly`](make::PliesOnly) and
    /// [`PawnBitboardsOnly`](make::PawnBitboardsOnly) keeps it up to date.
    pub mailbox: [PieceCode; 64],
    /// The squares of the pieces of each code. Entries 0, 7, 8 and 15 mean nothing.
    pub bitboards: ByPiece<u64>,
    /// The number of pieces of each code (with a policy that counts pieces).
    pub piece_counts: ByPiece<u8>,
    /// Zobrist hash, Polyglot keys, en passant only where legal (with a policy that hashes).
    pub hash: u64,
    /// Squares of rooks that may still castle (with a policy that keeps rights).
    pub castling_rooks: u64,
    /// Square behind a pawn that just made a double step and can legally be taken, or [`NO_SQUARE`] (with rights).
    pub en_passant: u8,
    /// Bit 0 White castled short, 1 White long, 2 Black short, 3 Black long. Every policy with a mailbox keeps it up to date.
    pub castled_wings: u8,
    /// The side to move.
    pub turn: ColorCode,
    /// Plies since the last capture or pawn move (with rights).
    pub halfmoves: u16,
    /// Number of the next move as printed in a score (with rights).
    pub fullmoves: u16,
    /// How often this position has occurred in the game, this time included: 1 for the first. Only a
    /// [`PositionHistory`](history::PositionHistory) updates this field.
    pub repetition: u16,
    /// How often the same pieces have stood so in the game with the other side to move and the same castling rights, where no
    /// capture en passant was legal. [`PositionHistory`](history::PositionHistory) updates it as well.
    pub other_turn: u16,
}

impl Board {
    /// Takes everything but mailbox and bitboards from another board.
    #[inline(always)]
    pub fn copy_state(&mut self, other: &Board) {
        self.piece_counts = other.piece_counts;
        (self.hash, self.castling_rooks) = (other.hash, other.castling_rooks);
        (self.en_passant, self.castled_wings) = (other.en_passant, other.castled_wings);
        (self.turn, self.halfmoves, self.fullmoves) = (other.turn, other.halfmoves, other.fullmoves);
        (self.repetition, self.other_turn) = (other.repetition, other.other_turn);
    }

    /// The squares of the pieces of `colour` and `role`.
    #[inline(always)]
    pub fn pieces(&self, colour: Color, role: Role) -> u64 {
        self.bitboards[PieceCode::new(colour, role)]
    }

    /// Returns the squares of White's pawns, and of Black's.
    #[inline(always)]
    pub fn pawns(&self) -> [u64; 2] {
        [self.bitboards[PieceCode::WHITE_PAWN], self.bitboards[PieceCode::BLACK_PAWN]]
    }

    /// All squares with a piece of `colour`.
    #[inline]
    pub fn occupied_by(&self, colour: Color) -> u64 {
        self.bitboards.of_side(ColorCode::new(colour)).iter().fold(0, |all, squares| all | squares)
    }

    /// All squares with a piece.
    #[inline]
    pub fn occupied(&self) -> u64 {
        self.occupied_by(Color::White) | self.occupied_by(Color::Black)
    }

    /// The side to move.
    pub fn side_to_move(&self) -> Color {
        self.turn.color()
    }

    /// The pieces of `attacker` that would attack `square` if only the squares `occupied` held pieces.
    pub fn attackers(&self, square: shakmaty::Square, attacker: Color, occupied: u64) -> u64 {
        use shakmaty::attacks;
        let occupied_bits = Bitboard(occupied);
        let (straight, diagonal) = (self.orthogonal_sliders(attacker), self.diagonal_sliders(attacker));
        let mut found = attacks::knight_attacks(square).0 & self.pieces(attacker, Role::Knight)
            | attacks::king_attacks(square).0 & self.pieces(attacker, Role::King)
            | attacks::pawn_attacks(!attacker, square).0 & self.pieces(attacker, Role::Pawn);
        if straight & (attacks::rook_attacks(square, Bitboard(0)).0) != 0 {
            found |= attacks::rook_attacks(square, occupied_bits).0 & straight;
        }
        if diagonal & (attacks::bishop_attacks(square, Bitboard(0)).0) != 0 {
            found |= attacks::bishop_attacks(square, occupied_bits).0 & diagonal;
        }
        found & occupied
    }

    /// Returns whether a piece attacks the king of `colour`; false without a king.
    #[inline]
    pub fn is_in_check(&self, colour: Color) -> bool {
        match Bitboard(self.pieces(colour, Role::King)).first() {
            Some(king) => self.attackers(king, !colour, self.occupied()) != 0,
            None => false,
        }
    }
}
