//! Computes the squares that pieces attack, for all pieces of a kind at once.
//!
//! Each function takes a set of squares and returns a set of squares. The rays of all rooks of a side are filled together, two
//! directions at a time, in three steps that double their length; there are no tables. An attacked square may hold anything,
//! also a piece of the same side: a piece attacks what it defends.

use core::ops::{BitAnd, BitOr};

use shakmaty::{Bitboard, Color, Role};
use wide::u64x2;

use super::Board;
use super::make::{FILE_A, FILE_H};

/// Files a and b, and g and h.
pub(super) const FILES_AB: u64 = FILE_A | FILE_A << 1;
pub(super) const FILES_GH: u64 = FILE_H | FILE_H >> 1;

/// Returns the squares that pawns of `colour` on these squares attack, on both sides.
///
/// ```
/// use plyfold_board::board::attacks::pawn_attacks;
/// use shakmaty::{Bitboard, Color, Square};
/// let pawns = 1 << Square::A2 as u32 | 1 << Square::E4 as u32;
/// assert_eq!(format!("\n{:?}", Bitboard(pawn_attacks(pawns, Color::White))), "
/// . . . . . . . .
/// . . . . . . . .
/// . . . . . . . .
/// . . . 1 . 1 . .
/// . . . . . . . .
/// . 1 . . . . . .
/// . . . . . . . .
/// . . . . . . . .
/// ");
/// ```
#[inline(always)]
pub const fn pawn_attacks(pawns: u64, colour: Color) -> u64 {
    let (west, east) = ((pawns & !FILE_A) >> 1, (pawns & !FILE_H) << 1);
    match colour {
        Color::White => (west | east) << 8,
        Color::Black => (west | east) >> 8,
    }
}

/// Returns the squares that knights on these squares attack.
///
/// ```
/// use plyfold_board::board::attacks::knight_attacks;
/// use shakmaty::{Bitboard, Square};
/// assert_eq!(format!("\n{:?}", Bitboard(knight_attacks(1 << Square::D4 as u32))), "
/// . . . . . . . .
/// . . . . . . . .
/// . . 1 . 1 . . .
/// . 1 . . . 1 . .
/// . . . . . . . .
/// . 1 . . . 1 . .
/// . . 1 . 1 . . .
/// . . . . . . . .
/// ");
/// ```
#[inline(always)]
pub const fn knight_attacks(knights: u64) -> u64 {
    let one = (knights & !FILE_A) >> 1 | (knights & !FILE_H) << 1;
    let two = (knights & !FILES_AB) >> 2 | (knights & !FILES_GH) << 2;
    one << 16 | one >> 16 | two << 8 | two >> 8
}

/// Returns the squares that kings on these squares attack.
///
/// ```
/// use plyfold_board::board::attacks::king_attacks;
/// use shakmaty::{Bitboard, Square};
/// assert_eq!(format!("\n{:?}", Bitboard(king_attacks(1 << Square::G1 as u32))), "
/// . . . . . . . .
/// . . . . . . . .
/// . . . . . . . .
/// . . . . . . . .
/// . . . . . . . .
/// . . . . . . . .
/// . . . . . 1 1 1
/// . . . . . 1 . 1
/// ");
/// ```
#[inline(always)]
pub const fn king_attacks(kings: u64) -> u64 {
    let beside = (kings & !FILE_A) >> 1 | (kings & !FILE_H) << 1;
    let row = kings | beside;
    beside | row << 8 | row >> 8
}

/// Squares that rays from these squares reach to the left through `empty` squares, with the first square that is not empty.
#[inline(always)]
pub const fn west_attacks(from: u64, empty: u64) -> u64 {
    let (mut rays, mut free) = (from, empty & !FILE_H);
    rays |= free & rays >> 1;
    free &= free >> 1;
    rays |= free & rays >> 2;
    free &= free >> 2;
    rays |= free & rays >> 4;
    rays >> 1 & !FILE_H
}

/// Squares that rays from these squares reach to the right through `empty` squares, with the first square that is not empty.
///
/// PERF: a subtraction borrows through the empty squares of a rank up to the next piece, so one subtraction fills all rays. The
/// h-file counts as occupied, which keeps the ranks apart.
#[inline(always)]
pub const fn east_attacks(from: u64, empty: u64) -> u64 {
    let stops = !empty | FILE_H;
    // A ray may begin on an empty square.
    let stops = stops | from;
    (stops - ((from & !FILE_H) << 1)) ^ stops
}

/// A set of squares, and the same set upside down: a step up in both is a step up and a step down in the set.
///
/// PERF: every target has vectors of two words, so two directions cost as much as one.
#[derive(Clone, Copy)]
pub(crate) struct MirroredBitboards(u64x2);

impl MirroredBitboards {
    /// A set and its mirror image.
    #[inline(always)]
    pub fn new(squares: u64) -> MirroredBitboards {
        MirroredBitboards(u64x2::new([squares, squares.swap_bytes()]))
    }

    /// The squares of both sets, the second mirrored back.
    #[inline(always)]
    pub fn union(self) -> u64 {
        let [up, down] = self.split();
        up | down
    }

    /// The squares of the set, and those of the second set mirrored back.
    #[inline(always)]
    pub fn split(self) -> [u64; 2] {
        let [up, down] = self.0.to_array();
        [up, down.swap_bytes()]
    }

    /// Squares that rays from these squares reach upwards through `empty` squares, with the first square that is not empty.
    #[inline(always)]
    pub(crate) fn up_rays(self, empty: MirroredBitboards) -> MirroredBitboards {
        self.fill_rays::<8>(empty, 0)
    }

    /// Squares that rays from these squares reach upwards to the right, in the same way.
    #[inline(always)]
    pub(crate) fn up_right_rays(self, empty: MirroredBitboards) -> MirroredBitboards {
        self.fill_rays::<9>(empty, FILE_A)
    }

    /// Squares that rays from these squares reach upwards to the left, in the same way.
    #[inline(always)]
    pub(crate) fn up_left_rays(self, empty: MirroredBitboards) -> MirroredBitboards {
        self.fill_rays::<7>(empty, FILE_H)
    }

    #[inline(always)]
    fn fill_rays<const STEP: u64>(self, empty: MirroredBitboards, blocked_file: u64) -> MirroredBitboards {
        let within = u64x2::splat(!blocked_file);
        let (mut rays, mut free) = (self.0, empty.0 & within);
        rays |= free & (rays << STEP);
        free &= free << STEP;
        rays |= free & (rays << (STEP * 2));
        free &= free << (STEP * 2);
        rays |= free & (rays << (STEP * 4));
        MirroredBitboards((rays << STEP) & within)
    }
}

impl BitAnd for MirroredBitboards {
    type Output = MirroredBitboards;

    #[inline(always)]
    fn bitand(self, other: MirroredBitboards) -> MirroredBitboards {
        MirroredBitboards(self.0 & other.0)
    }
}

impl BitOr for MirroredBitboards {
    type Output = MirroredBitboards;

    #[inline(always)]
    fn bitor(self, other: MirroredBitboards) -> MirroredBitboards {
        MirroredBitboards(self.0 | other.0)
    }
}

/// Returns the squares that rooks on these squares attack through `empty` squares; queens attack the same along files and ranks.
///
/// ```
/// use plyfold_board::board::attacks::orthogonal_attacks;
/// use shakmaty::{Bitboard, Square};
/// let occupied = 1 << Square::D7 as u32 | 1 << Square::G4 as u32 | 1 << Square::B4 as u32;
/// assert_eq!(format!("\n{:?}", Bitboard(orthogonal_attacks(1 << Square::D4 as u32, !occupied))), "
/// . . . . . . . .
/// . . . 1 . . . .
/// . . . 1 . . . .
/// . . . 1 . . . .
/// . 1 1 . 1 1 1 .
/// . . . 1 . . . .
/// . . . 1 . . . .
/// . . . 1 . . . .
/// ");
/// ```
#[inline(always)]
pub fn orthogonal_attacks(from: u64, empty: u64) -> u64 {
    MirroredBitboards::new(from).up_rays(MirroredBitboards::new(empty)).union()
        | east_attacks(from, empty)
        | west_attacks(from, empty)
}

/// Returns the squares that bishops on these squares attack through `empty` squares; queens attack the same along diagonals.
///
/// ```
/// use plyfold_board::board::attacks::diagonal_attacks;
/// use shakmaty::{Bitboard, Square};
/// let occupied = 1 << Square::F6 as u32 | 1 << Square::B2 as u32;
/// assert_eq!(format!("\n{:?}", Bitboard(diagonal_attacks(1 << Square::D4 as u32, !occupied))), "
/// . . . . . . . .
/// 1 . . . . . . .
/// . 1 . . . 1 . .
/// . . 1 . 1 . . .
/// . . . . . . . .
/// . . 1 . 1 . . .
/// . 1 . . . 1 . .
/// . . . . . . 1 .
/// ");
/// ```
#[inline(always)]
pub fn diagonal_attacks(from: u64, empty: u64) -> u64 {
    let (from, empty) = (MirroredBitboards::new(from), MirroredBitboards::new(empty));
    (from.up_right_rays(empty) | from.up_left_rays(empty)).union()
}

/// Returns the sliders and knights that attack two or more targets. There are targets for the straight lines of sliders, and others
/// for their diagonals and for knights; `sliders` are those that move along straight lines and those that move along diagonals.
#[inline(always)]
pub fn attackers_of_several(targets: (u64, u64), sliders: (u64, u64), knights: u64, empty: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", not(target_os = "none")))]
    if let Some(attackers) = super::avx2::attackers_of_several(targets, sliders, knights, empty) {
        return attackers;
    }
    attackers_of_several_by_lines(targets, sliders, knights, empty)
}

/// Finds the same as [`attackers_of_several`] one line after the other: rays from the targets find the attackers of all of them at
/// once.
#[inline(always)]
fn attackers_of_several_by_lines(
    (of_straight, of_diagonal): (u64, u64),
    (straight, diagonal): (u64, u64),
    knights: u64,
    empty: u64,
) -> u64 {
    let (mut once, mut twice) = (0, 0);
    let mut add = |attackers: u64| {
        twice |= once & attackers;
        once |= attackers;
    };
    let through = MirroredBitboards::new(empty);
    if straight != 0 {
        let [up, down] = MirroredBitboards::new(of_straight).up_rays(through).split();
        add(straight & up);
        add(straight & down);
        add(straight & east_attacks(of_straight, empty));
        add(straight & west_attacks(of_straight, empty));
    }
    if diagonal != 0 {
        let from = MirroredBitboards::new(of_diagonal);
        for rays in [from.up_right_rays(through), from.up_left_rays(through)] {
            let [up, down] = rays.split();
            add(diagonal & up);
            add(diagonal & down);
        }
    }
    for knight in Bitboard(knights) {
        let knight = 1 << knight as u32;
        let attacked = knight_attacks(knight) & of_diagonal;
        twice |= if attacked & attacked.wrapping_sub(1) != 0 { knight } else { 0 };
    }
    twice
}

/// Returns the targets behind others: those that a slider would reach first on its line if the one of `fronts` before it were not
/// there. There are fronts for straight lines, and for diagonals; fronts and targets are pieces.
#[inline(always)]
pub fn targets_behind(sliders: (u64, u64), fronts: (u64, u64), targets: u64, empty: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", not(target_os = "none")))]
    if let Some(behind) = super::avx2::targets_behind(sliders, fronts, targets, empty) {
        return behind;
    }
    targets_behind_by_lines(sliders, fronts, targets, empty)
}

/// Finds the same as [`targets_behind`] one line after the other.
#[inline(always)]
fn targets_behind_by_lines(
    (straight, diagonal): (u64, u64),
    (straight_fronts, diagonal_fronts): (u64, u64),
    targets: u64,
    empty: u64,
) -> u64 {
    let (through, mut behind) = (MirroredBitboards::new(empty), 0);
    if straight != 0 {
        let fronts = MirroredBitboards::new(straight_fronts);
        behind |= (MirroredBitboards::new(straight).up_rays(through) & fronts).up_rays(through).union()
            | east_attacks(east_attacks(straight, empty) & straight_fronts, empty)
            | west_attacks(west_attacks(straight, empty) & straight_fronts, empty);
    }
    if diagonal != 0 {
        let (sliders, fronts) = (MirroredBitboards::new(diagonal), MirroredBitboards::new(diagonal_fronts));
        let right = (sliders.up_right_rays(through) & fronts).up_right_rays(through);
        let left = (sliders.up_left_rays(through) & fronts).up_left_rays(through);
        behind |= (right | left).union();
    }
    behind & targets
}

impl Board {
    /// The side's pieces that move along files and ranks: rooks and queens.
    #[inline(always)]
    pub fn orthogonal_sliders(&self, colour: Color) -> u64 {
        self.pieces(colour, Role::Rook) | self.pieces(colour, Role::Queen)
    }

    /// The side's pieces that move along diagonals: bishops and queens.
    #[inline(always)]
    pub fn diagonal_sliders(&self, colour: Color) -> u64 {
        self.pieces(colour, Role::Bishop) | self.pieces(colour, Role::Queen)
    }

    /// Returns the squares that the side's rooks, bishops and queens on `squares` attack through `empty` squares.
    #[inline(always)]
    pub fn slider_attacks(&self, colour: Color, squares: u64, empty: u64) -> u64 {
        orthogonal_attacks(squares & self.orthogonal_sliders(colour), empty)
            | diagonal_attacks(squares & self.diagonal_sliders(colour), empty)
    }

    /// Returns the squares that the side's pawns, knights and kings on `squares` attack.
    #[inline(always)]
    pub fn leaper_attacks_from(&self, colour: Color, squares: u64) -> u64 {
        let of = |role| self.pieces(colour, role) & squares;
        pawn_attacks(of(Role::Pawn), colour) | knight_attacks(of(Role::Knight)) | king_attacks(of(Role::King))
    }

    /// Returns the squares that the side's pieces on `squares` attack; rays stop at every piece.
    ///
    /// It is never inlined: several features call it, and a call costs little beside eight rays.
    #[inline(never)]
    pub fn attacked_from(&self, colour: Color, squares: u64) -> u64 {
        #[cfg(all(target_arch = "x86_64", not(target_os = "none")))]
        {
            let of = |role| self.pieces(colour, role) & squares;
            let sliders = (self.orthogonal_sliders(colour) & squares, self.diagonal_sliders(colour) & squares);
            let (leapers, pawns, empty) = ((of(Role::Knight), of(Role::King)), of(Role::Pawn), !self.occupied());
            let attacked = match colour {
                Color::White => super::avx2::attacked::<true>(sliders, leapers, pawns, empty),
                Color::Black => super::avx2::attacked::<false>(sliders, leapers, pawns, empty),
            };
            if let Some(attacked) = attacked {
                return attacked;
            }
        }
        self.attacked_from_by_lines(colour, squares)
    }

    /// Finds the same as [`attacked_from`](Self::attacked_from) one line after the other.
    #[inline(always)]
    fn attacked_from_by_lines(&self, colour: Color, squares: u64) -> u64 {
        let (straight, diagonal) = (self.orthogonal_sliders(colour) & squares, self.diagonal_sliders(colour) & squares);
        let mut attacked = self.leaper_attacks_from(colour, squares);
        if straight | diagonal != 0 {
            let empty = !self.occupied();
            // PERF: whether a side has such pieces rarely changes in a game, so these branches are predicted well.
            if straight != 0 {
                attacked |= orthogonal_attacks(straight, empty);
            }
            if diagonal != 0 {
                attacked |= diagonal_attacks(diagonal, empty);
            }
        }
        attacked
    }

    /// Returns the squares that the side's pieces attack.
    #[inline(always)]
    pub fn attacked_by(&self, colour: Color) -> u64 {
        self.attacked_from(colour, u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::{Square, attacks};

    use super::*;
    use crate::board::PieceCode;

    fn of_each(from: u64, attacks: impl Fn(Square) -> Bitboard) -> u64 {
        Bitboard(from).into_iter().fold(0, |all, square| all | attacks(square).0)
    }

    proptest! {
        #[test]
        fn sets_attack_what_their_pieces_do(from in any::<u64>(), few in any::<u64>(), fewer in any::<u64>(), pieces in any::<u64>()) {
            let from = from & few & fewer;
            let occupied = pieces & few | from;
            let rook = |square| attacks::rook_attacks(square, Bitboard(occupied));
            prop_assert_eq!(orthogonal_attacks(from, !occupied), of_each(from, rook));
            let bishop = |square| attacks::bishop_attacks(square, Bitboard(occupied));
            prop_assert_eq!(diagonal_attacks(from, !occupied), of_each(from, bishop));
            prop_assert_eq!(knight_attacks(from), of_each(from, attacks::knight_attacks));
            prop_assert_eq!(king_attacks(from), of_each(from, attacks::king_attacks));
            for colour in Color::ALL {
                prop_assert_eq!(pawn_attacks(from, colour), of_each(from, |square| attacks::pawn_attacks(colour, square)));
            }
        }

        #[test]
        fn both_ways_to_fill_rays_agree(
            (few, fewer, pieces) in any::<(u64, u64, u64)>(),
            of_role in any::<[u64; 6]>(),
            (squares, is_white) in any::<(u64, bool)>(),
        ) {
            let mut board = Board::initial();
            let mut free = few & fewer;
            for (role, of_role) in Role::ALL.into_iter().zip(of_role) {
                for (colour, pieces) in [(Color::White, pieces), (Color::Black, !pieces)] {
                    board.bitboards[PieceCode::new(colour, role)] = of_role & pieces & free;
                }
                free &= !of_role;
            }
            let colour = Color::from_white(is_white);
            prop_assert_eq!(board.attacked_from(colour, squares), board.attacked_from_by_lines(colour, squares));
            let sliders = (board.orthogonal_sliders(colour), board.diagonal_sliders(colour));
            let (knights, empty) = (board.pieces(colour, Role::Knight), !board.occupied());
            let targets = (board.occupied_by(!colour) & squares, board.occupied_by(!colour) & !(squares & few));
            prop_assert_eq!(
                attackers_of_several(targets, sliders, knights, empty),
                attackers_of_several_by_lines(targets, sliders, knights, empty)
            );
            let behind = targets_behind_by_lines(sliders, targets, board.occupied() & fewer, empty);
            prop_assert_eq!(targets_behind(sliders, targets, board.occupied() & fewer, empty), behind);
        }

        #[test]
        fn rays_begin_anywhere(square in 0u32..64, pieces in any::<u64>()) {
            let (from, occupied) = (1u64 << square, Bitboard(pieces));
            let square = Square::new(square);
            prop_assert_eq!(orthogonal_attacks(from, !pieces), attacks::rook_attacks(square, occupied).0);
            prop_assert_eq!(diagonal_attacks(from, !pieces), attacks::bishop_attacks(square, occupied).0);
        }
    }
}
