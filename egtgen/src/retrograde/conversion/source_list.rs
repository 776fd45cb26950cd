//! The lists that fill a conversion table, and how their positions are entered.

use std::sync::Arc;

use plyfold_tables::index::{MAX_PIECES, TableAddress};
use plyfold_transform::symmetry::Symmetry;

use super::table::StoredKings;
use crate::Error;
use crate::retrograde::result_lists::{LevelList, NeededWords, PromotedPiece, ResultList, ResultLists};
use crate::retrograde::shape::EndgamePiece;

/// The lists that fill a conversion table.
pub(super) struct SourceList {
    pub lists: Arc<dyn ResultLists>,
    pub pawn_slice: u32,
    /// The symmetries that map positions of the stored pawn slice to the pawns of this array.
    pub symmetries: Vec<Symmetry>,
    /// Where each of them moves the squares.
    pub image_squares: Vec<[u8; 64]>,
    /// The piece of that table that is fixed in this array, and its square.
    pub fixed: Option<(usize, u8)>,
    pub list: ResultList,
    /// The last level with positions.
    pub last_level: Option<u16>,
    /// The orders of identical pieces. Each maps every dimension of that table to one of this array, or to `MAX_PIECES` if the
    /// piece is fixed.
    pub permutations: Vec<[usize; MAX_PIECES]>,
}

impl SourceList {
    /// Passes the words with the positions of a level to `put`, in an array with these dimensions and squares of the king.
    pub fn add_level(
        &self,
        level: u16,
        dims: &[usize],
        kings: &StoredKings,
        mut put: impl FnMut(usize, u64),
    ) -> Result<(), Error> {
        let index = self.lists.index();
        if self.last_level.is_none_or(|last| level > last) {
            return Ok(());
        }
        // If the fixed piece is an outer piece, its square is in the same class in every image.
        let fixed_class = match self.fixed {
            Some((piece, square)) if piece < index.outer_count() => {
                index.outer_classes(piece).find(square).map(|(class, _)| (piece, class))
            }
            _ => None,
        };
        let pieces = EndgamePiece::of_table(index);
        let identical_pieces = |piece: usize| {
            (0..pieces.len()).filter(|&other| pieces[other] == pieces[piece]).fold(0, |set, other| set | 1 << other)
        };
        let needs_tile = |tile: u32| match fixed_class {
            Some((piece, class)) if identical_pieces(piece) == 1 << piece => {
                let (_, w1, w2) = index.classes(tile);
                [w1, w2][piece] == class
            }
            _ => true,
        };
        let (mut row, mut images) = (None, Vec::new());
        let at = LevelList { pawn_slice: self.pawn_slice, list: self.list, level };
        let promoted = self.fixed.map(|(piece, square)| {
            let origins = self.symmetries.iter().map(|by| by.inverse().square(square));
            PromotedPiece {
                pieces: identical_pieces(piece),
                squares: origins.fold(0, |squares, square| squares | 1 << square),
            }
        });
        // PERF: if the promoted piece is the innermost one, few words of a row are needed.
        let needed_lanes = match promoted {
            Some(PromotedPiece { pieces: identical, squares }) if identical == 1 << (pieces.len() - 1) => squares,
            _ => u64::MAX,
        };
        let mut enter = |tile: u32, word: usize, bits: u64| {
            let (number, lane) = if pieces.is_empty() { (word, 0) } else { (word / 64, word % 64) };
            if needed_lanes >> lane & 1 == 0 {
                return;
            }
            if row != Some((tile, number)) {
                row = Some((tile, number));
                self.collect_row_images((tile, word), dims.len(), kings, &mut images);
            }
            for image in &images {
                let lane = self.image_squares[image.symmetry][lane];
                let at = match image.innermost {
                    InnermostTarget::None => image.base,
                    InnermostTarget::Dimension(shift) => image.base + (usize::from(lane) << shift),
                    InnermostTarget::Fixed(square) if lane == square => image.base,
                    InnermostTarget::Fixed(_) => continue,
                };
                put(at, self.symmetries[image.symmetry].bitboard(bits));
            }
        };
        self.lists.visit(at, NeededWords { tile: &needs_tile, promoted }, &mut enter)
    }

    /// Finds the rows of the array that a row of the list is entered into.
    fn collect_row_images(
        &self,
        (tile, word): (u32, usize),
        dims: usize,
        kings: &StoredKings,
        images: &mut Vec<RowImage>,
    ) {
        let index = self.lists.index();
        let piece_count = index.roles().len();
        let squares = index.squares(TableAddress { pawn_slice: self.pawn_slice, tile, bit: (word as u64) << 6 });
        images.clear();
        for (number, symmetry) in self.symmetries.iter().enumerate() {
            let Some(king) = kings.find(symmetry.square(squares.white_king)) else { continue };
            for order in &self.permutations {
                let shift = |piece: usize| 6 * (dims - 1 - order[piece]);
                let mut base = king << (6 * dims);
                let mut stands = true;
                for (piece, &here) in order[..piece_count.saturating_sub(1)].iter().enumerate() {
                    let square = symmetry.square(squares.pieces[piece]);
                    if here == MAX_PIECES {
                        stands &= self.fixed.is_some_and(|(_, fixed)| fixed == square);
                    } else {
                        base |= usize::from(square) << shift(piece);
                    }
                }
                let lane = match (piece_count.checked_sub(1), self.fixed) {
                    (None, _) => InnermostTarget::None,
                    (Some(lane), Some((_, square))) if order[lane] == MAX_PIECES => InnermostTarget::Fixed(square),
                    (Some(lane), _) => InnermostTarget::Dimension(shift(lane)),
                };
                if stands {
                    images.push(RowImage { symmetry: number, base, innermost: lane });
                }
            }
        }
    }
}

/// An image of a row.
struct RowImage {
    symmetry: usize,
    /// The number of its word for the innermost piece on a1.
    base: usize,
    innermost: InnermostTarget,
}

/// The role of a list's innermost piece in the array.
#[derive(Clone, Copy)]
enum InnermostTarget {
    /// The list has no such piece.
    None,
    /// It has a dimension, which is shifted by this many bits.
    Dimension(usize),
    /// It is the fixed piece, which must stand on this square.
    Fixed(u8),
}

/// All ways to map the pieces of a table to identical pieces of an array. One piece may map to the fixed piece, as `MAX_PIECES`.
#[must_use]
pub fn identical_piece_permutations(
    table_pieces: &[EndgamePiece],
    array_pieces: &[EndgamePiece],
    fixed: Option<EndgamePiece>,
) -> Vec<[usize; MAX_PIECES]> {
    let mut permutations = vec![([0; MAX_PIECES], vec![false; array_pieces.len()], false)];
    for (piece, kind) in table_pieces.iter().enumerate() {
        let mut more = Vec::new();
        for (order, used, has_fixed) in permutations {
            for other in 0..array_pieces.len() {
                if array_pieces[other] == *kind && !used[other] {
                    let (mut order, mut used) = (order, used.clone());
                    order[piece] = other;
                    used[other] = true;
                    more.push((order, used, has_fixed));
                }
            }
            if fixed == Some(*kind) && !has_fixed {
                let mut order = order;
                order[piece] = MAX_PIECES;
                more.push((order, used, true));
            }
        }
        permutations = more;
    }
    permutations.into_iter().map(|(order, _, _)| order).collect()
}

#[cfg(test)]
mod tests {
    use shakmaty::Role;

    use super::*;

    #[test]
    fn orders_are_all_ways_to_name_identical_pieces() {
        let piece = |white: bool, role: Role| EndgamePiece { is_white: white, role };
        let (rook, knight) = (piece(true, Role::Rook), piece(false, Role::Knight));
        assert_eq!(identical_piece_permutations(&[rook, knight], &[rook, knight], None).len(), 1);
        assert_eq!(identical_piece_permutations(&[rook, rook, knight], &[rook, rook, knight], None).len(), 2);
        assert_eq!(identical_piece_permutations(&[rook, rook, rook], &[rook, rook, rook], None).len(), 6);
        // Either of two rooks may be the promoted one.
        let with_promoted = identical_piece_permutations(&[rook, rook, knight], &[rook, knight], Some(rook));
        assert_eq!(with_promoted.len(), 2);
        for order in with_promoted {
            assert_eq!(order.iter().take(3).filter(|piece| **piece == MAX_PIECES).count(), 1);
            assert_eq!(order[2], 1, "the knight stays");
        }
    }
}
