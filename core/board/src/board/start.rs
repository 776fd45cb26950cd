//! The start position of a game: the initial position, or a position from a FEN, in 48 bytes.

use core::num::NonZeroU32;

use bytemuck::{Pod, Zeroable};
use shakmaty::fen::{Fen, LossyFenError};
use shakmaty::{Bitboard, Chess, EnPassantMode, Piece, Position, Setup, Square};

use super::{Board, ByPiece, ColorCode, NO_SQUARE, PieceCode};

/// A start position as stored: nibbles of [`PieceCode`] codes, rights and clocks.
///
/// Shape: 32 bytes of pieces (a1 in the low half of byte 0, b1 in its high half, …, h8), the squares of rooks that may castle,
/// the clocks, the side to move, the en passant square. 48 bytes, little-endian.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct PackedStart {
    pieces: [u8; 32],
    castling: [u8; 8],
    halfmoves: [u8; 2],
    fullmoves: [u8; 2],
    turn: u8,
    en_passant: u8,
    reserved: [u8; 2],
}

impl PackedStart {
    /// Packs a position that shakmaty has found legal.
    pub fn from_position(position: &Chess) -> PackedStart {
        PackedStart::from_setup(&position.to_setup(EnPassantMode::Legal))
    }

    /// Packs a position as it stands, without checking its castling rights and its en passant square.
    pub fn from_setup(setup: &Setup) -> PackedStart {
        let mut start = PackedStart {
            pieces: [0; 32],
            castling: setup.castling_rights.0.to_le_bytes(),
            halfmoves: (setup.halfmoves.min(u32::from(u16::MAX)) as u16).to_le_bytes(),
            fullmoves: (setup.fullmoves.get().min(u32::from(u16::MAX)) as u16).to_le_bytes(),
            turn: ColorCode::new(setup.turn).bits(),
            en_passant: setup.ep_square.map_or(NO_SQUARE, |square| square as u8),
            reserved: [0; 2],
        };
        for (square, piece) in &setup.board {
            start.pieces[square as usize / 2] |=
                PieceCode::new(piece.color, piece.role).bits() << (square as usize % 2 * 4);
        }
        start
    }

    /// Returns whether the side to move, the en passant square and the reserved bytes have values that they can have.
    pub fn is_in_range(&self) -> bool {
        matches!(self.turn, 0 | 8) && self.en_passant <= NO_SQUARE && self.reserved == [0; 2]
    }
}

impl Default for Board {
    fn default() -> Board {
        Board::initial()
    }
}

impl Board {
    /// The initial position of chess.
    pub fn initial() -> Board {
        Board::from_start(&PackedStart::from_position(&Chess::default()))
    }

    /// The board of a packed start position. Every field is set, regardless of the policy of later moves.
    pub fn from_start(start: &PackedStart) -> Board {
        let mut board = Board {
            mailbox: [PieceCode::NONE; 64],
            bitboards: ByPiece::splat(0),
            piece_counts: ByPiece::splat(0),
            hash: 0,
            castling_rooks: u64::from_le_bytes(start.castling),
            en_passant: if start.en_passant < NO_SQUARE { start.en_passant } else { NO_SQUARE },
            castled_wings: 0,
            turn: ColorCode::from_bits(start.turn),
            halfmoves: u16::from_le_bytes(start.halfmoves),
            fullmoves: u16::from_le_bytes(start.fullmoves),
            repetition: 1,
            other_turn: 0,
        };
        for square in 0..64 {
            let code = PieceCode::from_bits(start.pieces[square / 2] >> (square % 2 * 4));
            if code.role().is_some() {
                board.mailbox[square] = code;
                board.bitboards[code] |= 1 << square;
                board.piece_counts[code] += 1;
            }
        }
        board.hash = board.compute_hash();
        board
    }

    /// The position as a setup of shakmaty.
    pub fn to_setup(&self) -> Setup {
        let mut board = shakmaty::Board::empty();
        for (square, code) in Square::ALL.into_iter().zip(self.mailbox) {
            if let Some(role) = code.role() {
                board.set_piece_at(square, Piece { color: code.color(), role });
            }
        }
        Setup {
            board,
            turn: self.side_to_move(),
            castling_rights: Bitboard(self.castling_rooks),
            ep_square: (self.en_passant < NO_SQUARE).then(|| Square::new(u32::from(self.en_passant))),
            halfmoves: u32::from(self.halfmoves),
            fullmoves: NonZeroU32::new(u32::from(self.fullmoves)).unwrap_or(NonZeroU32::MIN),
            ..Setup::empty()
        }
    }

    /// The position as a FEN, with castling rights in X-FEN (Shredder letters only if the rook is not the outermost one).
    pub fn fen(&self) -> Fen {
        Fen::try_from_setup(self.to_setup()).unwrap_or_else(LossyFenError::ignore)
    }
}
