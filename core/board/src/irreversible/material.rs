//! Captures and promotions: the events that change piece counts.
//!
//! ```text
//! bit 0..3   kind that is captured  0 none, 1 pawn, 2 knight, 3 bishop on light squares, 4 rook, 5 queen, 6 bishop on dark
//!                                   squares, 7 king
//! bit 3..6   kind that a pawn becomes, the same; 0 if none does
//! bit 6..16  plies since the event before, or since the start, 1–1023
//! ```
//!
//! An event with neither kind is a filler: it adds its plies to those of the next event.

use shakmaty::{Color, Role};

use crate::board::make::en_passant_capture_square;
use crate::board::{Board, ByPiece, ChangeMask, ColorCode, PieceCode, count_change};
use crate::moves::Move;

/// An event, see the [module](self) for its bits.
pub type MaterialEvent = u16;

/// The lowest bit of the number of plies; the bits below it say what happens.
pub const GAP_SHIFT: u32 = 6;
/// The bits of an event that say what happens, not when.
pub const KIND_MASK: u16 = (1 << GAP_SHIFT) - 1;

/// The kind of a piece with this role code on `square`.
const fn piece_kind(role_code: u8, square: usize) -> u16 {
    const KINDS: [u8; 16] = [0, 1, 2, 3, 4, 5, 7, 7, 0, 1, 2, 6, 4, 5, 7, 7];
    // The second half is for dark squares, of which a1 is one.
    KINDS[(role_code & 7) as usize | (!(square ^ square >> 3) & 1) << 3] as u16
}

/// Bits 0–6 of the event of `mv`, which captures `taken`.
pub(super) fn event_bits(mv: Move, taken: PieceCode) -> u16 {
    let capture_square =
        if mv.is_en_passant() { en_passant_capture_square(mv.origin(), mv.target()) } else { mv.target() };
    let promoted_role = mv.promoted().map_or(0, |role| role as u8);
    piece_kind(promoted_role, mv.target()) << 3 | piece_kind(taken.role_code(), capture_square)
}

/// Plies since the event before.
#[inline(always)]
pub const fn gap(event: MaterialEvent) -> usize {
    (event >> GAP_SHIFT) as usize
}

/// The role (1–6) of the captured piece, 0 if there is none.
#[inline(always)]
pub const fn captured_role(event: MaterialEvent) -> u8 {
    const ROLES: [u8; 8] = [0, 1, 2, 3, 4, 5, 3, 6];
    ROLES[(event & 7) as usize]
}

/// Returns whether a pawn promotes.
#[inline(always)]
pub const fn is_promotion(event: MaterialEvent) -> bool {
    event >> 3 & 7 != 0
}

/// The byte of the bishops on dark squares among those of the roles.
const DARK_BISHOPS: u8 = 7;

/// The code of a side's bishops on dark squares in the counts of a [`MaterialEventCursor`]. [`Board::piece_counts`] has nothing
/// there.
#[inline(always)]
pub const fn dark_bishops(colour: Color) -> PieceCode {
    ColorCode::new(colour).piece_with(DARK_BISHOPS)
}

/// What a piece of each kind adds to the counts of its side, one byte for each role. The last byte counts bishops on dark squares
/// once more.
const COUNT_DELTA: [u64; 8] = {
    let mut counted = [0; 8];
    let mut kind = 1;
    while kind < 8 {
        counted[kind] = match kind {
            6 => 1 << (8 * 3) | 1 << (8 * DARK_BISHOPS),
            7 => 1 << (8 * 6),
            role => 1 << (8 * role),
        };
        kind += 1;
    }
    counted
};

/// The piece counts of both sides during a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PackedPieceCounts {
    /// White's and Black's, one byte for each role.
    pub sides: [u64; 2],
}

impl PackedPieceCounts {
    /// The counts of a board, all fields of which are set.
    #[inline]
    pub fn from_board(board: &Board) -> PackedPieceCounts {
        let mut number = board.piece_counts;
        for colour in [Color::White, Color::Black] {
            number[dark_bishops(colour)] =
                (board.pieces(colour, Role::Bishop) & shakmaty::Bitboard::DARK_SQUARES.0).count_ones() as u8;
        }
        PackedPieceCounts::from_counts(number)
    }

    /// Packs counts by piece code, with the bishops on dark squares at the code `dark_bishops`.
    #[inline(always)]
    pub fn from_counts(counts: ByPiece<u8>) -> PackedPieceCounts {
        PackedPieceCounts { sides: bytemuck::cast(*counts.as_array()) }
    }

    /// The counts by piece code, as in [`Board::piece_counts`]; at the code `dark_bishops` the bishops on dark squares.
    #[inline(always)]
    pub fn by_piece_code(self) -> ByPiece<u8> {
        ByPiece::new(bytemuck::cast(self.sides))
    }

    /// The number of pieces of both sides, pawns and kings included.
    #[inline(always)]
    pub fn pieces(self) -> u32 {
        let roles = (1..7).fold(0, |all, role| all | 0xff << (8 * role));
        self.sides.map(|side| ((side & roles).wrapping_mul(0x0101_0101_0101_0101) >> 56) as u32).iter().sum()
    }

    /// Returns how many knights, bishops on light squares, bishops on dark squares, rooks and queens White has, and Black.
    pub fn by_signature_piece(self) -> [[u8; 5]; 2] {
        self.sides.map(|side| {
            let [_, _, knights, bishops, rooks, queens, _, dark] = side.to_le_bytes();
            [knights, bishops.wrapping_sub(dark), dark, rooks, queens]
        })
    }

    /// Applies an event of a move of `mover` (0 or 8). Returns the bytes of both sides that it changes.
    #[inline(always)]
    pub fn apply(&mut self, event: MaterialEvent, mover: ColorCode) -> PackedPieceCounts {
        self.apply_masked(event, mover, PackedPieceCounts { sides: [u64::MAX; 2] })
    }

    /// Applies an event to the bytes in `mask` alone. If the stream leaves out events that concern no such byte, the other bytes
    /// are out of date, and a subtraction from 0 in one of them would borrow from the next byte.
    ///
    /// PERF: no branch and no index depends on the side that moves, so the counts of both sides stay in registers.
    #[inline(always)]
    pub fn apply_masked(
        &mut self,
        event: MaterialEvent,
        mover: ColorCode,
        mask: PackedPieceCounts,
    ) -> PackedPieceCounts {
        let (taken, gained) = (COUNT_DELTA[usize::from(event & 7)], COUNT_DELTA[usize::from(event >> 3 & 7)]);
        let black = mover.black_mask();
        // A promotion removes a pawn and adds a piece.
        let pawn = u64::from(gained != 0) << 8;
        let side = |counts: u64, asked: u64, moves: u64| {
            let gain = (gained & asked).wrapping_sub(pawn & asked);
            counts.wrapping_add(gain & moves).wrapping_sub(taken & asked & !moves)
        };
        let ([white_counts, black_counts], [white, black_asked]) = (self.sides, mask.sides);
        self.sides = [side(white_counts, white, !black), side(black_counts, black_asked, black)];
        let own = gained | pawn;
        PackedPieceCounts { sides: [own & !black | taken & black, own & black | taken & !black] }
    }

    /// Returns whether the two have a byte in common.
    #[inline(always)]
    pub fn intersects(self, others: PackedPieceCounts) -> bool {
        self.sides[0] & others.sides[0] | self.sides[1] & others.sides[1] != 0
    }

    /// The bytes that matter to a predicate that depends on `change`.
    pub fn mask_for(change: ChangeMask) -> PackedPieceCounts {
        let mut mask = ByPiece::from_fn(|code| if change & count_change(code) != 0 { u8::MAX } else { 0 });
        // Bishops on dark squares change only if bishops change.
        for colour in [Color::White, Color::Black] {
            mask[dark_bishops(colour)] = mask[PieceCode::new(colour, Role::Bishop)];
        }
        PackedPieceCounts::from_counts(mask)
    }
}

/// Steps through the events of a game.
pub struct MaterialEventCursor<'a> {
    piece_counts: PackedPieceCounts,
    events: core::slice::Iter<'a, MaterialEvent>,
    first_mover: ColorCode,
    ply: usize,
}

impl<'a> MaterialEventCursor<'a> {
    /// A cursor before the first ply of a game that starts on `start`.
    pub fn at_start(start: &Board, events: &'a [MaterialEvent]) -> MaterialEventCursor<'a> {
        MaterialEventCursor {
            piece_counts: PackedPieceCounts::from_board(start),
            events: events.iter(),
            first_mover: start.turn,
            ply: 0,
        }
    }

    /// The ply of the next event; `usize::MAX` after the last.
    #[inline(always)]
    pub fn next_ply(&self) -> usize {
        self.events.as_slice().first().map_or(usize::MAX, |&event| self.ply + gap(event))
    }

    /// Applies the next event.
    #[inline(always)]
    pub fn advance(&mut self) {
        if let Some(&event) = self.events.next() {
            self.ply += gap(event);
            self.piece_counts.apply(event, super::mover_at(self.first_mover, self.ply));
        }
    }

    /// The current piece counts, by code.
    pub fn piece_counts(&self) -> ByPiece<u8> {
        self.piece_counts.by_piece_code()
    }
}
