//! Computes lines and attacks of the board as bitboards.

use std::sync::LazyLock;

use plyfold_transform::symmetry::Symmetry;
use shakmaty::{Bitboard, Role, Square, attacks};

use super::BlackKingRow;

/// Sets of squares on the line of two squares.
pub struct Geometry {
    /// The squares strictly between two squares on one line.
    pub between: [BlackKingRow; 64],
    /// The squares on the line from the first through the second square that lie beyond the second.
    pub behind: [BlackKingRow; 64],
}

/// The tables, built once.
pub static GEOMETRY: LazyLock<Box<Geometry>> = LazyLock::new(|| {
    let mut tables = Box::new(Geometry { between: [[0; 64]; 64], behind: [[0; 64]; 64] });
    for from in Square::ALL {
        for to in Square::ALL {
            let between = attacks::between(from, to);
            tables.between[from as usize][to as usize] = between.0;
            let line = attacks::ray(from, to);
            let behind = line.into_iter().filter(|&square| attacks::between(from, square).contains(to));
            tables.behind[from as usize][to as usize] = behind.collect::<Bitboard>().0;
        }
    }
    tables
});

/// The squares that a piece attacks; none for a pawn.
#[inline(always)]
#[must_use]
pub fn attacked(role: Role, from: u8, occupied: u64) -> u64 {
    let (from, occupied) = (Square::new(from.into()), Bitboard(occupied));
    match role {
        Role::Queen => attacks::queen_attacks(from, occupied).0,
        Role::Rook => attacks::rook_attacks(from, occupied).0,
        Role::Bishop => attacks::bishop_attacks(from, occupied).0,
        Role::Knight => attacks::knight_attacks(from).0,
        Role::King => attacks::king_attacks(from).0,
        Role::Pawn => 0,
    }
}

/// The squares to the left and right of a set of squares.
#[inline(always)]
#[must_use]
pub const fn beside(set: u64) -> u64 {
    (set << 1 & !0x0101_0101_0101_0101) | (set >> 1 & !0x8080_8080_8080_8080)
}

/// The squares that a set of pawns attacks.
#[must_use]
pub const fn pawn_attacks(pawns: u64, is_white: bool) -> u64 {
    beside(if is_white { pawns << 8 } else { pawns >> 8 })
}

/// The squares one king's step away from a set of squares.
#[inline(always)]
#[must_use]
pub const fn king_attacks(set: u64) -> u64 {
    let beside = beside(set);
    let three = beside | set;
    beside | three << 8 | three >> 8
}

/// The steps of a king, as files and ranks. The first four lead to higher square numbers, the last four to lower ones. The
/// fourth and the fifth are mirror images in the diagonal a1-h8, as are the first five among themselves.
pub const KING_DIRECTIONS: [(i8, i8); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (1, -1), (-1, 0), (-1, -1), (0, -1)];

/// The square after a step, if it is on the board.
#[must_use]
pub fn king_step(from: u8, (files, ranks): (i8, i8)) -> Option<u8> {
    let (file, rank) = ((from & 7) as i8 + files, (from >> 3) as i8 + ranks);
    ((0..8).contains(&file) && (0..8).contains(&rank)).then_some((rank * 8 + file) as u8)
}

/// Returns whether a square is on the diagonal a1-h8.
#[must_use]
pub const fn is_on_diagonal(square: u8) -> bool {
    square & 7 == square >> 3
}

/// The first symmetry that maps a square into the triangle of ten squares a1-d1-d4.
#[must_use]
pub fn to_corner(square: u8) -> Symmetry {
    let is_corner = |symmetry: &&Symmetry| {
        let square = symmetry.square(square);
        square & 7 < 4 && square >> 3 <= square & 7
    };
    *Symmetry::ALL.iter().find(is_corner).expect("every square has an image in the corner")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_where_they_should() {
        let square = |name: &str| name.parse::<Square>().expect("a square") as usize;
        let set = |names: &[&str]| names.iter().fold(0u64, |set, name| set | 1 << square(name));
        assert_eq!(GEOMETRY.between[square("a1")][square("d4")], set(&["b2", "c3"]));
        assert_eq!(GEOMETRY.behind[square("a1")][square("f6")], set(&["g7", "h8"]));
        assert_eq!(GEOMETRY.behind[square("h3")][square("c3")], set(&["b3", "a3"]));
        assert_eq!(GEOMETRY.behind[square("h3")][square("c4")], 0);
        assert_eq!(king_attacks(set(&["a1", "h5"])), set(&["a2", "b1", "b2", "h4", "h6", "g4", "g5", "g6"]));
        for square in 0..64 {
            let corner = to_corner(square).square(square);
            assert!(corner & 7 < 4 && corner >> 3 <= corner & 7);
        }
    }
}
