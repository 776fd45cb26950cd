//! Skewers: a piece must give way, and another stands behind it on the same line.

use plyfold_board::board::Board;
use shakmaty::{Bitboard, Color, Role};

use super::{BASIS, BoardFeature};

/// The side's rooks, bishops and queens that skewer two enemy pieces. The first is the king, worth more than the attacker, or
/// undefended; the second is the next piece behind it on that line and worth at most as much as the first. Neither is a pawn.
/// Knights and bishops are worth 3, rooks 5, queens 9, and a king more than all others.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "skewer",
    aliases: &["skewers"],
    summary: "a piece that attacks the king, an enemy piece worth more than it, or an undefended one, with a piece worth at most as much next on that line; neither is a pawn",
    squares: |board, colour| {
        let sliders = board.orthogonal_sliders(colour) | board.diagonal_sliders(colour);
        let sliders = Bitboard(sliders).into_iter().map(|square| 1 << square as u32);
        sliders.filter(|&slider| skewers(board, colour, slider)).sum()
    },
    ..BASIS
};

/// Whether the piece on this square skewers two others.
fn skewers(board: &Board, colour: Color, slider: u64) -> bool {
    let targets = board.occupied_by(!colour) & !board.pieces(!colour, Role::Pawn);
    let empty = !board.occupied();
    let attacks = |empty: u64| board.slider_attacks(colour, slider, empty);
    let attacked = attacks(empty);
    Bitboard(attacked & targets).into_iter().any(|front| {
        let front = 1 << front as u32;
        // Without the first piece, the line goes on to the second.
        let behind = attacks(empty | front) & !attacked & targets;
        behind != 0
            && worth(board, !colour, behind) <= worth(board, !colour, front)
            && (worth(board, !colour, front) > worth(board, colour, slider) || front & board.attacked_by(!colour) == 0)
    })
}

/// The points of the side's piece on this square; those of a king are more than those of all others.
fn worth(board: &Board, colour: Color, square: u64) -> u32 {
    let points = [(Role::King, 100), (Role::Queen, 9), (Role::Rook, 5)];
    points.into_iter().find(|&(role, _)| board.pieces(colour, role) & square != 0).map_or(3, |(_, points)| points)
}
