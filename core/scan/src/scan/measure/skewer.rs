//! Skewers: a piece must give way, and another stands behind it on the same line.

use plyfold_board::board::Board;
use plyfold_board::board::attacks;
use plyfold_board::board::eight::{EightBoards, EightSets};
use shakmaty::{Bitboard, Color, Role};

use super::measured_board::{MeasuredBoard, MeasuredEight, SharedMeasure};
use super::{BASIS, BoardFeature, EightMeasure};

/// The side's rooks, bishops and queens that skewer two enemy pieces. The first is the king, worth more than the attacker, or
/// undefended; the second is the next piece behind it on that line and worth at most as much as the first. Neither is a pawn.
/// Knights and bishops are worth 3, rooks 5, queens 9, and a king more than all others.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "skewer",
    aliases: &["skewers"],
    summary: "a piece that attacks the king, an enemy piece worth more than it, or an undefended one, with a piece worth at most as much next on that line; neither is a pawn",
    is_for_eight: IS_FOR_EIGHT,
    of_eight: Some(EightMeasure::Necessary(|eight, colour| eight.all_squares(SharedMeasure::Skewered, colour))),
    squares: |board, colour| {
        let behind = match board.shared(SharedMeasure::Skewered, colour) {
            None if !IS_FOR_EIGHT => targets_behind(board, colour),
            behind => behind.unwrap_or(u64::MAX),
        };
        if behind == 0 {
            return 0;
        }
        let sliders = board.orthogonal_sliders(colour) | board.diagonal_sliders(colour);
        let sliders = Bitboard(sliders).into_iter().map(|square| 1 << square as u32);
        sliders.filter(|&slider| skewers(board, colour, slider)).sum()
    },
    ..BASIS
};

/// Every visitor of the page downloads the code, so there the search on eight boards is the only one.
const IS_FOR_EIGHT: bool = cfg!(target_arch = "wasm32");

/// Whether the piece on this square skewers two others.
fn skewers(board: &MeasuredBoard<'_>, colour: Color, slider: u64) -> bool {
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

/// The pieces behind others that a slider of the side may skewer.
///
/// PERF: most positions have none. The pieces in front may be more than those of a skewer: a queen skewers neither a rook nor a queen
/// that is defended, and what stands behind may be worth more. Rays of defenders are not asked.
fn targets_behind(board: &Board, colour: Color) -> u64 {
    let of = |role| board.pieces(!colour, role);
    let targets = board.occupied_by(!colour) & !of(Role::Pawn);
    let straight_fronts = of(Role::King) | of(Role::Queen) | targets & !board.leaper_attacks_from(!colour, u64::MAX);
    let sliders = (board.orthogonal_sliders(colour), board.diagonal_sliders(colour));
    attacks::targets_behind(sliders, (straight_fronts, straight_fronts | of(Role::Rook)), targets, !board.occupied())
}

/// The same on eight boards. The pieces in front that are defended, also by a ray, are left out.
pub(super) fn targets_behind_in_eight(eight: &MeasuredEight, pieces: &EightBoards, colour: Color) -> EightSets {
    let of = |role| pieces.pieces(!colour, role);
    let targets = pieces.occupied_by(!colour) & !of(Role::Pawn);
    let straight_fronts =
        of(Role::King) | of(Role::Queen) | targets & !eight.all_squares(SharedMeasure::Attacked, !colour);
    pieces.targets_behind(colour, [straight_fronts, straight_fronts | of(Role::Rook)], targets)
}
