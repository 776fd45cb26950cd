//! Backward pawns: the neighbouring pawns have advanced past them, and an enemy pawn guards the square ahead.

use plyfold_board::board::attacks::pawn_attacks;
use shakmaty::Role;

use super::{BoardFeature, PAWN_BASIS, adjacent_files, front_span, one_step_ahead};

/// Every pawn of the side that no neighbouring pawn supports and whose next square an enemy pawn attacks. No pawn of its side
/// stands level with it or behind it on a neighbouring file. The next square may be occupied, and an isolated pawn can be
/// backward too.
///
/// `pawns & behind(attacked & !covered)`, where `covered` is every square ahead of a pawn of the side on a neighbouring file.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "backward_pawn",
    aliases: &["backward_pawns"],
    summary: "a pawn with no pawn of its side level or behind on the files beside it; an enemy pawn attacks the square ahead",
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn);
        let covered = front_span(adjacent_files(pawns), colour);
        let attacked = pawn_attacks(board.pieces(!colour, Role::Pawn), !colour);
        pawns & one_step_ahead(attacked & !covered, !colour)
    },
    ..PAWN_BASIS
};
