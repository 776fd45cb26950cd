//! The locked centre: pawns face each other on the d-file and on the e-file.

use plyfold_board::board::make::FILE_A;
use shakmaty::{Color, Role};

use super::{BoardFeature, ImpliedPieces, PAWN_BASIS};

/// The pawns that face each other on the d- and e-files, if the centre is locked; else none. Both files have a white pawn
/// directly below a black one, on ranks 3 to 6. The feature belongs to neither side.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "locked_centre",
    aliases: &["locked_center"],
    summary: "a white pawn directly below a black one on both the d- and e-files, on ranks 3 to 6",
    has_sides: false,
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 2),
    squares: |board, _| {
        const RANKS_3_TO_5: u64 = 0xff_ffff << 16;
        let white = board.pieces(Color::White, Role::Pawn) & board.pieces(Color::Black, Role::Pawn) >> 8 & RANKS_3_TO_5;
        let (on_d, on_e) = (white & FILE_A << 3, white & FILE_A << 4);
        let both = if on_d != 0 && on_e != 0 { on_d | on_e } else { 0 };
        both | both << 8
    },
    ..PAWN_BASIS
};
