//! Captures and promotions: how the numbers of men change.
//!
//! ```text
//! bit 0..3   kind that is taken     0 none, 1 pawn, 2 knight, 3 bishop on light squares, 4 rook, 5 queen, 6 bishop on dark
//!                                   squares, 7 king
//! bit 3..6   kind that a pawn becomes, the same; 0 if none does
//! bit 6..16  plies since the event before, or since the start, 1–1023
//! ```
//!
//! An event with neither kind only fills a longer wait.

use alloc::vec::Vec;

use shakmaty::{Color, Role};

use crate::board::make::en_passant_capture_square;
use crate::board::{Board, ByPiece, ChangeMask, ColorCode, PieceCode, count_change};
use crate::moves::Move;

/// An event, see the [module](self) for its bits.
pub type MaterialEvent = u16;

const MAX_GAP: usize = 1023;
/// Below this bit an event says what happens, from it on when.
pub const GAP_SHIFT: u32 = 6;
/// The bits of an event that say what happens, not when.
pub const KIND_MASK: u16 = (1 << GAP_SHIFT) - 1;

/// The kind of a piece with this role code on `square`.
const fn piece_kind(role_code: u8, square: usize) -> u16 {
    const KINDS: [u8; 16] = [0, 1, 2, 3, 4, 5, 7, 7, 0, 1, 2, 6, 4, 5, 7, 7];
    // Dark squares, as a1 is one, are in the second half.
    KINDS[(role_code & 7) as usize | (!(square ^ square >> 3) & 1) << 3] as u16
}

/// Bits 0–6 of the event that `mv` is, which takes `taken`.
pub(super) fn event_bits(mv: Move, taken: PieceCode) -> u16 {
    let capture_square =
        if mv.is_en_passant() { en_passant_capture_square(mv.origin(), mv.target()) } else { mv.target() };
    let promoted_role = mv.promoted().map_or(0, |role| role as u8);
    piece_kind(promoted_role, mv.target()) << 3 | piece_kind(taken.role_code(), capture_square)
}

pub(super) fn push_event(events: &mut Vec<MaterialEvent>, mut gap: usize, bits: u16) {
    while gap > MAX_GAP {
        events.push((MAX_GAP as u16) << GAP_SHIFT);
        gap -= MAX_GAP;
    }
    events.push((gap as u16) << GAP_SHIFT | bits);
}

/// Plies since the event before.
#[inline(always)]
pub const fn gap(event: MaterialEvent) -> usize {
    (event >> GAP_SHIFT) as usize
}

/// Role (1–6) of the man that is taken, 0 if none is.
#[inline(always)]
pub const fn captured_role(event: MaterialEvent) -> u8 {
    const ROLES: [u8; 8] = [0, 1, 2, 3, 4, 5, 3, 6];
    ROLES[(event & 7) as usize]
}

/// Whether a pawn becomes something else.
#[inline(always)]
pub const fn is_promotion(event: MaterialEvent) -> bool {
    event >> 3 & 7 != 0
}

/// The byte of the bishops on dark squares among those of the roles.
const DARK_BISHOPS: u8 = 7;

/// Code of a side's bishops on dark squares among the numbers of a [`MaterialEventCursor`]. [`Board::piece_counts`] has nothing there.
#[inline(always)]
pub const fn dark_bishops(colour: Color) -> PieceCode {
    ColorCode::new(colour).piece_with(DARK_BISHOPS)
}

/// What a kind counts for among the numbers of its side: a byte a role, bishops on dark squares in the last as well.
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

/// The numbers of men of both sides while a game goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PackedPieceCounts {
    /// White's and Black's, a byte a role.
    pub sides: [u64; 2],
}

impl PackedPieceCounts {
    /// The men on a board, which has all numbers set.
    #[inline]
    pub fn from_board(board: &Board) -> PackedPieceCounts {
        let mut number = board.piece_counts;
        for colour in [Color::White, Color::Black] {
            number[dark_bishops(colour)] =
                (board.pieces(colour, Role::Bishop) & shakmaty::Bitboard::DARK_SQUARES.0).count_ones() as u8;
        }
        PackedPieceCounts::from_counts(number)
    }

    /// The numbers of [`by_piece_code`](Self::by_piece_code).
    #[inline(always)]
    pub fn from_counts(counts: ByPiece<u8>) -> PackedPieceCounts {
        PackedPieceCounts { sides: bytemuck::cast(*counts.as_array()) }
    }

    /// By code of the man, as [`Board::piece_counts`]; also [`dark_bishops`].
    #[inline(always)]
    pub fn by_piece_code(self) -> ByPiece<u8> {
        ByPiece::new(bytemuck::cast(self.sides))
    }

    /// How many knights, bishops on light squares and on dark ones, rooks and queens White has, and Black.
    pub fn by_signature_piece(self) -> [[u8; 5]; 2] {
        self.sides.map(|side| {
            let [_, _, knights, bishops, rooks, queens, _, dark] = side.to_le_bytes();
            [knights, bishops.wrapping_sub(dark), dark, rooks, queens]
        })
    }

    /// An event happens, by a move of `mover`. Returns the bytes that it concerns, of both sides.
    #[inline(always)]
    pub fn apply(&mut self, event: MaterialEvent, mover: ColorCode) -> PackedPieceCounts {
        self.apply_masked(event, mover, PackedPieceCounts { sides: [u64::MAX; 2] })
    }

    /// The same to bytes of `asked` alone: where events were left out that concern no such byte, others are not what they were, and what
    /// is taken from nothing would be borrowed from the byte beside it.
    ///
    /// PERF: no branch and no index depends on whose move it is, so that both sides stay in registers.
    #[inline(always)]
    pub fn apply_masked(
        &mut self,
        event: MaterialEvent,
        mover: ColorCode,
        mask: PackedPieceCounts,
    ) -> PackedPieceCounts {
        let (taken, gained) = (COUNT_DELTA[usize::from(event & 7)], COUNT_DELTA[usize::from(event >> 3 & 7)]);
        let black = mover.black_mask();
        // A pawn goes where something comes.
        let pawn = u64::from(gained != 0) << 8;
        let side = |men: u64, asked: u64, moves: u64| {
            let gain = (gained & asked).wrapping_sub(pawn & asked);
            men.wrapping_add(gain & moves).wrapping_sub(taken & asked & !moves)
        };
        let ([white_men, black_men], [white, black_asked]) = (self.sides, mask.sides);
        self.sides = [side(white_men, white, !black), side(black_men, black_asked, black)];
        let own = gained | pawn;
        PackedPieceCounts { sides: [own & !black | taken & black, own & black | taken & !black] }
    }

    /// Whether any byte of these is among those of `others`.
    #[inline(always)]
    pub fn intersects(self, others: PackedPieceCounts) -> bool {
        self.sides[0] & others.sides[0] | self.sides[1] & others.sides[1] != 0
    }

    /// The bytes of a side on which what depends on `change` depends.
    pub fn mask_for(change: ChangeMask) -> PackedPieceCounts {
        let mut mask = ByPiece::from_fn(|code| if change & count_change(code) != 0 { u8::MAX } else { 0 });
        // Bishops on dark squares come and go with bishops.
        for colour in [Color::White, Color::Black] {
            mask[dark_bishops(colour)] = mask[PieceCode::new(colour, Role::Bishop)];
        }
        PackedPieceCounts::from_counts(mask)
    }
}

/// Goes through the events of a game.
pub struct MaterialEventCursor<'a> {
    piece_counts: PackedPieceCounts,
    events: core::slice::Iter<'a, MaterialEvent>,
    first_mover: ColorCode,
    ply: usize,
}

impl<'a> MaterialEventCursor<'a> {
    /// Before the first ply of a game that starts on `start`.
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

    /// The next event happens.
    #[inline(always)]
    pub fn advance(&mut self) {
        if let Some(&event) = self.events.next() {
            self.ply += gap(event);
            self.piece_counts.apply(event, super::mover_at(self.first_mover, self.ply));
        }
    }

    /// How many men there are now, by code.
    pub fn piece_counts(&self) -> ByPiece<u8> {
        self.piece_counts.by_piece_code()
    }
}
