//! Forks: one piece attacks two pieces that are worth more than it or undefended.

use plyfold_board::board::Board;
use plyfold_board::board::attacks::{self, east_attacks, king_attacks, west_attacks};
use plyfold_board::board::eight::{EightBoards, EightSets};
use shakmaty::{Bitboard, Color, Role};

use super::measured_board::{MeasuredBoard, MeasuredEight, SharedMeasure};
use super::{BASIS, BoardFeature, EightMeasure, has_several, one_step_ahead};

/// The side's pieces that attack two or more targets at once. A target is the king, an enemy piece worth more than the attacker,
/// or an undefended enemy piece other than a pawn. Knights and bishops are worth 3, rooks 5, queens 9; an attacking king is worth
/// more than all others.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "fork",
    aliases: &["forks"],
    summary: "a piece that attacks two enemy pieces, each the king, worth more than it, or undefended and not a pawn",
    of_eight: Some(EightMeasure::Necessary(|eight, colour| eight.all_squares(SharedMeasure::Forking, colour))),
    squares: forks,
    ..BASIS
};

fn forks(board: &MeasuredBoard<'_>, colour: Color) -> u64 {
    let attackers = board.shared(SharedMeasure::Forking, colour).unwrap_or_else(|| attackers_of_several(board, colour));
    if attackers == 0 {
        return 0;
    }
    let pieces = board.occupied_by(!colour) & !board.pieces(!colour, Role::Pawn);
    let (king, queen) = (board.pieces(!colour, Role::King), board.pieces(!colour, Role::Queen));
    let loose = pieces & !board.attacked_by(!colour);
    let of = |role: Role, targets: u64| {
        let attacks_several = |&attacker: &u64| has_several(board.attacked_from(colour, attacker) & targets);
        let of_role = Bitboard(attackers & board.pieces(colour, role)).into_iter();
        of_role.map(|square| 1 << square as u32).filter(attacks_several).sum::<u64>()
    };
    let above_minor = king | queen | board.pieces(!colour, Role::Rook) | loose;
    attackers & board.pieces(colour, Role::Pawn)
        | of(Role::Knight, above_minor)
        | of(Role::Bishop, above_minor)
        | of(Role::Rook, king | queen | loose)
        | of(Role::Queen, king | loose)
        | of(Role::King, loose)
}

/// The side's pieces that attack at least two targets, which may be more than the targets of a fork.
///
/// PERF: most positions end here. The targets leave out only pieces that a pawn, a knight or the king defends.
fn attackers_of_several(board: &Board, colour: Color) -> u64 {
    let of_pawns = board.occupied_by(!colour) & !board.pieces(!colour, Role::Pawn);
    let of_rooks = board.pieces(!colour, Role::King)
        | board.pieces(!colour, Role::Queen)
        | of_pawns & !board.leaper_attacks_from(!colour, u64::MAX);
    let of_minors = of_rooks | board.pieces(!colour, Role::Rook);
    let pawns = board.pieces(colour, Role::Pawn);
    let back = one_step_ahead(of_pawns, !colour);
    let sliders = (board.orthogonal_sliders(colour), board.diagonal_sliders(colour));
    let knights = board.pieces(colour, Role::Knight);
    let king = board.pieces(colour, Role::King);
    pawns & east_attacks(back, 0) & west_attacks(back, 0)
        | attacks::attackers_of_several((of_rooks, of_minors), sliders, knights, !board.occupied())
        | if has_several(king_attacks(king) & of_rooks) { king } else { 0 }
}

/// The same on eight boards. The targets leave out all pieces that are defended.
pub(super) fn attackers_in_eight(eight: &MeasuredEight, pieces: &EightBoards, colour: Color) -> EightSets {
    let of = |role| pieces.pieces(!colour, role);
    let of_pawns = pieces.occupied_by(!colour) & !of(Role::Pawn);
    let of_rooks = of(Role::King) | of(Role::Queen) | of_pawns & !eight.all_squares(SharedMeasure::Attacked, !colour);
    pieces.attackers_of_several(colour, [of_pawns, of_rooks | of(Role::Rook), of_rooks])
}
