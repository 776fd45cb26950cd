//! The locked centre: pawns face each other on the d-file and on the e-file.

use shakmaty::{Color, Role};

use super::{Anywhere, Feature, Implied, Scope, squares_of_all};
use crate::board::make::FILE_A;
use crate::scan::needs::Needs;

/// The white pawns on the d- and e-files straight below a black one, and these black ones, all on ranks 3 to 6, where there are some
/// on both files; else none. Speaks of no side.
pub(super) const FEATURE: Feature = Feature {
    name: "locked_centre",
    aliases: &["locked_center"],
    summary: "on the d-file and on the e-file a white pawn stands straight below a black one, on ranks 3 to 6",
    sided: false,
    placed: true,
    depends: squares_of_all([1, 9]),
    needs: Needs::PAWNS,
    scope: Scope::Files { ranks: true },
    anywhere: Anywhere::Squares,
    implies: Implied::Men(Role::Pawn, 2),
    squares: |board, _| {
        const RANKS_3_TO_5: u64 = 0xff_ffff << 16;
        let white = board.by(Color::White, Role::Pawn) & board.by(Color::Black, Role::Pawn) >> 8 & RANKS_3_TO_5;
        let (on_d, on_e) = (white & FILE_A << 3, white & FILE_A << 4);
        let both = if on_d != 0 && on_e != 0 { on_d | on_e } else { 0 };
        both | both << 8
    },
};
