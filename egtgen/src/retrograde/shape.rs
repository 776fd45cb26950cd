//! The pieces of an array, their squares in a row, and the legal positions of a row.

use plyfold_tables::index::{MAX_PIECES, TableIndex};
use plyfold_tables::material::{SideMaterial as Numbers, TableMaterial};
use shakmaty::Role;

use super::geometry::{GEOMETRY, attacked, king_attacks, pawn_attacks};
use crate::rows::lanes;

/// A piece of either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndgamePiece {
    /// Whether it is White's.
    pub is_white: bool,
    /// Its role.
    pub role: Role,
}

impl EndgamePiece {
    /// The pieces of a table that have a dimension.
    #[must_use]
    pub fn of_table(index: &TableIndex) -> Vec<EndgamePiece> {
        (0..)
            .zip(index.roles())
            .map(|(piece, &role)| EndgamePiece { is_white: piece < index.white_count(), role })
            .collect()
    }
}

/// The squares of the pieces that have a dimension.
pub type DimensionSquares = [u8; MAX_PIECES];

/// The shape of an array of positions. Some pieces have a dimension each, the last of them the innermost; the others stand on
/// fixed squares.
#[derive(Clone, Debug)]
pub struct ArrayShape {
    /// The pieces with a dimension.
    pub pieces: Vec<EndgamePiece>,
    /// The squares of the white pawns.
    pub white_pawns: u64,
    /// The squares of the black pawns.
    pub black_pawns: u64,
    /// Another piece on a fixed square.
    pub fixed: Option<(EndgamePiece, u8)>,
}

impl ArrayShape {
    /// The material of its positions.
    #[must_use]
    pub fn material(&self) -> TableMaterial {
        let side_material = |white: bool, pawns: u64| {
            let moving = self.pieces.iter().copied().chain(self.fixed.map(|(piece, _)| piece));
            let numbers = moving
                .filter(|piece| piece.is_white == white)
                .fold(Numbers::default(), |numbers, piece| numbers.with(piece.role));
            (0..pawns.count_ones()).fold(numbers, |numbers, _| numbers.with(Role::Pawn))
        };
        TableMaterial { white: side_material(true, self.white_pawns), black: side_material(false, self.black_pawns) }
    }

    /// The number of the innermost piece; `None` if only the kings move.
    #[must_use]
    pub fn innermost_piece(&self) -> Option<usize> {
        self.pieces.len().checked_sub(1)
    }

    /// Number of words of a row.
    #[must_use]
    pub fn row_words(&self) -> usize {
        if self.pieces.is_empty() { 1 } else { 64 }
    }

    /// The squares of pawns and of the fixed piece.
    #[must_use]
    pub fn static_occupancy(&self) -> u64 {
        self.white_pawns | self.black_pawns | self.fixed.map_or(0, |(_, square)| 1 << square)
    }

    /// The occupied squares without those of the innermost piece and the black king; `None` if two pieces share a square.
    #[inline(always)]
    #[must_use]
    pub fn occupied(&self, white_king: u8, squares: &DimensionSquares) -> Option<u64> {
        self.occupied_without(white_king, squares, MAX_PIECES)
    }

    /// The same without the square of another piece.
    #[inline(always)]
    #[must_use]
    pub fn occupied_without(&self, white_king: u8, squares: &DimensionSquares, piece: usize) -> Option<u64> {
        let mut occupied = self.static_occupancy();
        let mut is_sound = occupied >> white_king & 1 == 0;
        occupied |= 1 << white_king;
        for (other, &square) in squares[..self.innermost_piece().unwrap_or(0)].iter().enumerate() {
            if other != piece {
                is_sound &= occupied >> square & 1 == 0;
                occupied |= 1 << square;
            }
        }
        is_sound.then_some(occupied)
    }

    /// The pieces of one side with their squares, without pawns and the innermost piece.
    fn placed_pieces<'a>(
        &'a self,
        squares: &'a DimensionSquares,
        white: bool,
    ) -> impl Iterator<Item = (Role, u8)> + 'a {
        let moving = self.pieces[..self.innermost_piece().unwrap_or(0)]
            .iter()
            .zip(squares)
            .map(|(piece, square)| (*piece, *square));
        moving
            .chain(self.fixed)
            .filter(move |(piece, _)| piece.is_white == white)
            .map(|(piece, square)| (piece.role, square))
    }

    /// For each square of the innermost piece, the squares on which White attacks a black king. Attacks go through the black
    /// king, since it would still be attacked after moving along the line.
    #[inline(always)]
    pub fn attacked(&self, white_king: u8, squares: &DimensionSquares, occupied: u64, out: &mut [u64]) {
        let geometry = &**GEOMETRY;
        let still = king_attacks(1 << white_king) | pawn_attacks(self.white_pawns, true);
        out.fill(still);
        for (role, from) in self.placed_pieces(squares, true) {
            let reach = attacked(role, from, occupied);
            // If only the kings move, there is no innermost piece that could block the line.
            if !self.pieces.is_empty() && matches!(role, Role::Queen | Role::Rook | Role::Bishop) {
                for (out, behind) in out.iter_mut().zip(&geometry.behind[usize::from(from)]) {
                    *out |= reach & !behind;
                }
            } else {
                for out in out.iter_mut() {
                    *out |= reach;
                }
            }
        }
        if let Some(lane) = self.innermost_piece()
            && self.pieces[lane].is_white
        {
            for (square, out) in (0..).zip(out) {
                *out |= attacked(self.pieces[lane].role, square, occupied);
            }
        }
    }

    /// For each square of the innermost piece, the squares of the black king in legal positions with White to move. `attacked` is
    /// what [`attacked`](Self::attacked) gives.
    #[inline(always)]
    pub fn legal_white_to_move(&self, occupied: u64, attacked: &[u64], out: &mut [u64]) {
        if self.pieces.is_empty() {
            out[0] = !(attacked[0] | occupied);
            return;
        }
        for (square, (out, attacked)) in out.iter_mut().zip(attacked).enumerate() {
            let lane = 1u64 << square;
            *out = if occupied & lane != 0 { 0 } else { !(attacked | occupied | lane) };
        }
    }

    /// The same for a row with these squares; empty if two pieces share a square.
    #[inline(always)]
    pub fn legal_row_white_to_move(&self, white_king: u8, squares: &DimensionSquares, out: &mut [u64]) {
        let mut attacked = [0; 64];
        let attacked = &mut attacked[..out.len()];
        match self.occupied(white_king, squares) {
            Some(occupied) => {
                self.attacked(white_king, squares, occupied, attacked);
                self.legal_white_to_move(occupied, attacked, out);
            }
            None => out.fill(0),
        }
    }

    /// For each square of the innermost piece, the squares of the black king in legal positions with Black to move.
    #[inline(always)]
    pub fn legal_black_to_move(&self, white_king: u8, squares: &DimensionSquares, occupied: u64, out: &mut [u64]) {
        let legal = LegalBlackToMove::new(self, white_king, squares, occupied);
        match <&mut [u64; 64]>::try_from(&mut *out) {
            Ok(row) => {
                *row = [u64::MAX; 64];
                legal.keep_in_row(row);
            }
            Err(_) => out[0] = legal.word(None),
        }
    }
}

/// The squares of the black king in legal positions of a row with Black to move, word by word.
pub struct LegalBlackToMove {
    white_king: u8,
    /// Without checks.
    free: u64,
    occupied: u64,
    /// Whether a pawn gives check.
    is_pawn_check: bool,
    /// For each piece that would give check, the squares on which a piece blocks it.
    blocking: [u64; MAX_PIECES],
    checks: usize,
    /// The squares of a black innermost piece on which it would give check.
    innermost_checks: u64,
}

impl LegalBlackToMove {
    /// The positions of the row with these squares.
    #[inline(always)]
    #[must_use]
    pub fn new(shape: &ArrayShape, white_king: u8, squares: &DimensionSquares, occupied: u64) -> LegalBlackToMove {
        let mut legal = LegalBlackToMove {
            white_king,
            free: !(king_attacks(1 << white_king) | occupied),
            occupied,
            is_pawn_check: pawn_attacks(shape.black_pawns, false) >> white_king & 1 != 0,
            blocking: [0; MAX_PIECES],
            checks: 0,
            innermost_checks: 0,
        };
        for (role, from) in shape.placed_pieces(squares, false) {
            if attacked(role, from, occupied) >> white_king & 1 != 0 {
                legal.blocking[legal.checks] = GEOMETRY.between[usize::from(from)][usize::from(white_king)];
                legal.checks += 1;
            }
        }
        if let Some(lane) = shape.innermost_piece()
            && !shape.pieces[lane].is_white
        {
            legal.innermost_checks = attacked(shape.pieces[lane].role, white_king, occupied);
        }
        legal
    }

    /// The squares for the innermost piece on a square, or for the only word if there is none.
    #[inline(always)]
    #[must_use]
    pub fn word(&self, lane: Option<usize>) -> u64 {
        if self.is_pawn_check {
            return 0;
        }
        let Some(lane) = lane else {
            return self.blocking[..self.checks].iter().fold(self.free, |free, blocking| free & blocking);
        };
        if self.occupied >> lane & 1 != 0 {
            return 0;
        }
        let mut free = self.free & !(1 << lane);
        for blocking in &self.blocking[..self.checks] {
            // It is no check if the innermost piece or the black king blocks the line.
            if blocking >> lane & 1 == 0 {
                free &= blocking;
            }
        }
        if self.innermost_checks >> lane & 1 != 0 {
            free &= GEOMETRY.between[lane][usize::from(self.white_king)];
        }
        free
    }

    /// Keeps these squares in each word of a row with an innermost piece.
    #[inline(always)]
    pub fn keep_in_row(&self, row: &mut [u64; 64]) {
        if self.is_pawn_check {
            *row = [0; 64];
            return;
        }
        for (lane, word) in row.iter_mut().enumerate() {
            let is_free = (self.occupied >> lane & 1).wrapping_sub(1);
            *word &= self.free & !(1 << lane) & is_free;
        }
        for blocking in &self.blocking[..self.checks] {
            for (lane, word) in row.iter_mut().enumerate() {
                *word &= blocking | (blocking >> lane & 1).wrapping_neg();
            }
        }
        for lane in lanes(self.innermost_checks) {
            row[lane] &= GEOMETRY.between[lane][usize::from(self.white_king)];
        }
    }
}

/// A chunk, given by the squares of the white king and the outer pieces.
#[derive(Clone, Copy)]
pub struct TableChunk {
    /// The white king's square.
    pub white_king: u8,
    /// Squares of all pieces; those of the inner pieces do not matter.
    pub squares: DimensionSquares,
}

/// A row, given by the squares of all pieces except the innermost piece and the black king.
pub struct RowPlacement {
    /// The white king's square.
    pub white_king: u8,
    /// Squares of all pieces; the innermost piece is on a1.
    pub squares: DimensionSquares,
    /// The occupied squares, without those of the innermost piece and the black king.
    pub occupied: u64,
}

#[cfg(test)]
pub(crate) mod tests {
    use plyfold_tables::successors::TablePosition;
    use proptest::prelude::*;
    use shakmaty::{Bitboard, Board, Color, Piece, Square};

    use super::*;

    /// Pieces with a dimension, white ones first, and pawns and a fixed piece on different squares.
    fn shape() -> impl Strategy<Value = ArrayShape> {
        let roles = || proptest::sample::select(vec![Role::Queen, Role::Rook, Role::Bishop, Role::Knight]);
        let pieces = proptest::collection::vec((any::<bool>(), roles()), 0..4);
        let squares = Just((8..56u8).collect::<Vec<u8>>()).prop_shuffle();
        let fixed = proptest::option::of((any::<bool>(), roles(), any::<bool>()));
        (pieces, squares, 0..3usize, 0..2usize, fixed).prop_map(|(pieces, squares, white, black, fixed)| {
            let mut pieces: Vec<EndgamePiece> =
                pieces.into_iter().map(|(white, role)| EndgamePiece { is_white: white, role }).collect();
            pieces.sort_by_key(|piece| !piece.is_white);
            // A position has at most seven men.
            pieces.truncate(5 - white - black - usize::from(fixed.is_some()));
            let set = |squares: &[u8]| squares.iter().fold(0, |set, square| set | 1 << square);
            // A promotion square, so that no pawn stands there.
            let square = |is_first: bool| if is_first { squares[5] & 7 } else { squares[5] & 7 | 56 };
            ArrayShape {
                pieces,
                white_pawns: set(&squares[..white]),
                black_pawns: set(&squares[2..2 + black]),
                fixed: fixed.map(|(white, role, is_first)| (EndgamePiece { is_white: white, role }, square(is_first))),
            }
        })
    }

    /// The board, without a black king if `black_king` is `None`; `None` if two pieces share a square.
    pub(crate) fn board(
        shape: &ArrayShape,
        white_king: u8,
        squares: &DimensionSquares,
        black_king: Option<u8>,
    ) -> Option<Board> {
        let mut board = Board::empty();
        let mut is_sound = true;
        let mut put = |square: u8, white: bool, role: Role| {
            let square = Square::new(square.into());
            is_sound &= board.piece_at(square).is_none();
            board.set_piece_at(square, Piece { color: Color::from_white(white), role });
        };
        put(white_king, true, Role::King);
        black_king.into_iter().for_each(|square| put(square, false, Role::King));
        for (piece, square) in shape.pieces.iter().zip(squares) {
            put(*square, piece.is_white, piece.role);
        }
        shape.fixed.iter().for_each(|(piece, square)| put(*square, piece.is_white, piece.role));
        for (pawns, white) in [(shape.white_pawns, true), (shape.black_pawns, false)] {
            Bitboard(pawns).into_iter().for_each(|square| put(square as u8, white, Role::Pawn));
        }
        is_sound.then_some(board)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(80))]

        #[test]
        fn masks_are_the_rules_one_position_at_a_time(shape in shape(), white_king in 0..64u8, squares: [u8; 2]) {
            let mut at = DimensionSquares::default();
            at[..2].copy_from_slice(&squares.map(|square| square & 63));
            let width = shape.row_words();
            let occupied = shape.occupied(white_king, &at);
            let standing = ArrayShape { pieces: shape.pieces[..shape.innermost_piece().unwrap_or(0)].to_vec(), ..shape.clone() };
            prop_assert_eq!(occupied, board(&standing, white_king, &at, None).map(|board| board.occupied().0));
            let Some(occupied) = occupied else { return Ok(()) };
            let (mut attacked, mut open, mut closed) = ([0; 64], [0; 64], [0; 64]);
            shape.attacked(white_king, &at, occupied, &mut attacked[..width]);
            shape.legal_white_to_move(occupied, &attacked[..width], &mut open[..width]);
            shape.legal_black_to_move(white_king, &at, occupied, &mut closed[..width]);
            let legal = LegalBlackToMove::new(&shape, white_king, &at, occupied);
            for (lane, closed) in closed[..width].iter().enumerate() {
                prop_assert_eq!(legal.word(shape.innermost_piece().map(|_| lane)), *closed, "lane {}", lane);
            }
            for lane in 0..width {
                let mut squares = at;
                if let Some(piece) = shape.innermost_piece() {
                    squares[piece] = lane as u8;
                }
                let kingless = board(&shape, white_king, &squares, None);
                for king in 0..64u8 {
                    let has = |words: &[u64; 64]| words[lane] >> king & 1 != 0;
                    let square = Square::new(king.into());
                    if let Some(kingless) = kingless.as_ref().filter(|board| board.piece_at(square).is_none()) {
                        // The black king itself does not block attacks.
                        let attackers = kingless.attacks_to(square, Color::White, kingless.occupied());
                        prop_assert_eq!(has(&attacked), attackers.any(), "attack, lane {} king {}", lane, king);
                    }
                    let board = board(&shape, white_king, &squares, Some(king));
                    let is_legal = |turn| board.clone().is_some_and(|board| TablePosition::from_board(board, turn, None).is_ok());
                    prop_assert_eq!(has(&open), is_legal(Color::White), "White to move, lane {} king {}", lane, king);
                    prop_assert_eq!(has(&closed), is_legal(Color::Black), "Black to move, lane {} king {}", lane, king);
                }
            }
        }
    }

    #[test]
    fn the_material_counts_all_pieces() {
        let rook = EndgamePiece { is_white: true, role: Role::Rook };
        let knight = EndgamePiece { is_white: false, role: Role::Knight };
        let shape = ArrayShape {
            pieces: vec![rook, knight],
            white_pawns: 1 << 9,
            black_pawns: 5 << 40,
            fixed: Some((rook, 60)),
        };
        assert_eq!(shape.material().to_string(), "KRRPvKNPP");
    }
}
