//! Hanging pawns: a pair on the c- and d-files that no other pawn can defend, each on a half-open file.

use plyfold_board::board::make::FILE_A;
use shakmaty::Role;

use super::{BoardFeature, FeatureScope, ImpliedPieces, PAWN_BASIS, has_several};

/// The side's pawns on the c- and d-files if they are hanging pawns; else none. The side has exactly one pawn on each of these
/// files and none on the b- and e-files, and the other side has none on the c- and d-files. So no other pawn can defend them, and
/// each is on a half-open file.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "hanging_pawns",
    aliases: &["hanging_pawn"],
    summary: "one pawn each on the c- and d-files, none on b and e; no enemy pawn on c and d",
    scope: FeatureScope::Board,
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 2),
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn) & (FILE_A * 0b1_1110);
        let only = |file: u64| pawns & file != 0 && !has_several(pawns & file);
        let facing = board.pieces(!colour, Role::Pawn) & (FILE_A * 0b1100);
        let hanging = facing | pawns & (FILE_A * 0b1_0010) == 0 && only(FILE_A << 2) && only(FILE_A << 3);
        if hanging { pawns } else { 0 }
    },
    ..PAWN_BASIS
};
