//! Finds the address of the position on a board, and the board at an address.

use plyfold_transform::symmetry::Symmetry;
use shakmaty::{Bitboard, Board, Color, Piece, Role, Square};

use super::{PawnPlacement, PieceSquares, TableAddress, TableIndex};
use crate::material::SideMaterial;

impl TableIndex {
    /// The address under which files hold a position; `None` if the board has another material.
    pub fn canonical_address(&self, board: &Board) -> Option<TableAddress> {
        let pawns = |color: Color| board.by_piece(Piece { color, role: Role::Pawn }).0;
        let (pawn_slice, is_mirrored) =
            self.pawn_slice_of(PawnPlacement { white: pawns(Color::White), black: pawns(Color::Black) })?;
        let mut squares = PieceSquares {
            white_king: board.king_of(Color::White)? as u8,
            black_king: board.king_of(Color::Black)? as u8,
            ..PieceSquares::default()
        };
        let mut at = 0;
        for (color, pieces) in [(Color::White, self.material.white), (Color::Black, self.material.black)] {
            for role in SideMaterial::ROLES.into_iter().filter(|role| *role != Role::Pawn) {
                let occupied = board.by_piece(Piece { color, role });
                if occupied.count() != usize::from(pieces.count(role)) {
                    return None;
                }
                for square in occupied {
                    squares.pieces[at] = square as u8;
                    at += 1;
                }
            }
        }
        if is_mirrored {
            squares = self.transformed(&squares, Symmetry::FLIP_H);
        }
        self.address_as_given(pawn_slice, &self.canonical(pawn_slice, &squares))
    }

    /// The board at an address; `None` if two pieces would stand on one square.
    pub fn board_at(&self, address: TableAddress) -> Option<Board> {
        let squares = self.squares(address);
        let pawns = self.pawn_slices[address.pawn_slice as usize];
        let mut board = Board::empty();
        let mut put = |square: u8, color: Color, role: Role| {
            let square = Square::new(square.into());
            let is_free = board.piece_at(square).is_none();
            board.set_piece_at(square, Piece { color, role });
            is_free
        };
        let mut is_sound = put(squares.white_king, Color::White, Role::King);
        is_sound &= put(squares.black_king, Color::Black, Role::King);
        for (index, &role) in self.roles.iter().enumerate() {
            is_sound &= put(squares.pieces[index], Color::from_white(index < self.white_count), role);
        }
        for (set, color) in [(pawns.white, Color::White), (pawns.black, Color::Black)] {
            for square in Bitboard(set) {
                is_sound &= put(square as u8, color, Role::Pawn);
            }
        }
        is_sound.then_some(board)
    }
}
