//! Lists the placements of the pawns, one for each pawn slice.

use alloc::vec;
use alloc::vec::Vec;

use plyfold_transform::symmetry::Symmetry;
use shakmaty::{Bitboard, Role};

use crate::material::SideMaterial;

/// A placement of pawns, as sets of squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PawnPlacement {
    /// White's.
    pub white: u64,
    /// Black's.
    pub black: u64,
}

impl PawnPlacement {
    /// The mirror image, in which left and right change places.
    #[must_use]
    pub const fn mirrored(self) -> PawnPlacement {
        PawnPlacement { white: Symmetry::FLIP_H.bitboard(self.white), black: Symmetry::FLIP_H.bitboard(self.black) }
    }

    /// The squares of all pawns.
    pub const fn occupied(self) -> u64 {
        self.white | self.black
    }

    /// The sum of the ranks that the pawns still have before them. A placement never leads to another one with the same sum.
    pub fn remaining_steps(self) -> u32 {
        let white: u32 = Bitboard(self.white).into_iter().map(|square| 7 - u32::from(square.rank())).sum();
        white + Bitboard(self.black).into_iter().map(|square| u32::from(square.rank())).sum::<u32>()
    }
}

/// All placements of the pawns up to mirroring, with the most advanced pawns first.
pub(super) fn pawn_placements(white: SideMaterial, black: SideMaterial) -> Vec<PawnPlacement> {
    const SQUARES: u64 = 0x00FF_FFFF_FFFF_FF00;
    let mut placements = vec![PawnPlacement::default()];
    for (number, is_white) in [(white.count(Role::Pawn), true), (black.count(Role::Pawn), false)] {
        for _ in 0..number {
            let mut more = Vec::new();
            for pawns in placements {
                let own = if is_white { pawns.white } else { pawns.black };
                // Pawns of one side are added in ascending order, so each placement occurs once.
                let above = if own == 0 { SQUARES } else { SQUARES & !(u64::MAX >> own.leading_zeros()) };
                for square in Bitboard(above & !pawns.occupied()) {
                    let square = 1 << square as u8;
                    more.push(match is_white {
                        true => PawnPlacement { white: own | square, ..pawns },
                        false => PawnPlacement { black: own | square, ..pawns },
                    });
                }
            }
            placements = more;
        }
    }
    placements.retain(|pawns| *pawns <= pawns.mirrored());
    placements.sort_unstable_by_key(|pawns| (pawns.remaining_steps(), *pawns));
    placements
}
