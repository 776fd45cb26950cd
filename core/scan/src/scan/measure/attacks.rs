//! Attacks: attacked and defended pieces, attacked squares, pieces that hang or are pinned, batteries, forks and skewers.

use plyfold_board::board::Board;
use plyfold_board::board::attacks::{
    self, diagonal_attacks, east_attacks, king_attacks, orthogonal_attacks, west_attacks,
};
use shakmaty::{Bitboard, Color, Role};

use super::{BoardFeature, FEATURE, one_step_ahead};

/// The side's pieces, pawns and king included, that a piece of the other side attacks.
pub(super) const ATTACKED: BoardFeature = BoardFeature {
    name: "attacked",
    aliases: &["attacked_piece", "attacked_pieces", "attacked_man", "attacked_men"],
    summary: "a piece that the other side attacks",
    squares: |board, colour| board.attacked_by(!colour) & board.occupied_by(colour),
    ..FEATURE
};

/// The side's pieces, pawns and king included, on squares that another of its pieces attacks.
pub(super) const DEFENDED: BoardFeature = BoardFeature {
    name: "defended",
    aliases: &["defended_piece", "defended_pieces", "defended_man", "defended_men"],
    summary: "a piece that its own side defends",
    squares: |board, colour| board.attacked_by(colour) & board.occupied_by(colour),
    ..FEATURE
};

/// The squares that a piece of the side attacks, empty or not.
pub(super) const CONTROLLED: BoardFeature = BoardFeature {
    name: "controlled_square",
    aliases: &["controlled_squares", "controlled"],
    summary: "a square, empty or not, that a piece of the side attacks",
    squares: |board, colour| board.attacked_by(colour),
    ..FEATURE
};

/// The squares that at least two pieces of the side attack, empty or not.
pub(super) const CONTROLLED_TWICE: BoardFeature = BoardFeature {
    name: "controlled_twice",
    aliases: &["twice_controlled"],
    summary: "a square, empty or not, that two or more pieces of the side attack",
    squares: |board, colour| {
        let (mut once, mut twice) = (0, 0);
        for square in Bitboard(board.occupied_by(colour)) {
            let attacked = board.attacked_from(colour, 1 << square as u32);
            twice |= once & attacked;
            once |= attacked;
        }
        twice
    },
    ..FEATURE
};

/// The side's knights, bishops, rooks and queens that the other side attacks and their own side does not defend. It does not
/// matter which side is to move.
pub(super) const HANGING: BoardFeature = BoardFeature {
    name: "hanging_piece",
    aliases: &["hanging_pieces", "hanging"],
    summary: "a knight, bishop, rook or queen that is attacked and not defended",
    squares: |board, colour| {
        let pieces =
            board.pieces(colour, Role::Knight) | board.orthogonal_sliders(colour) | board.diagonal_sliders(colour);
        // PERF: pawns, knights and the king defend many pieces, so their attacks are tested before any ray is computed.
        let loose = pieces & !board.leaper_attacks_from(colour, u64::MAX);
        let attacked = if loose == 0 { 0 } else { board.attacked_by(!colour) & loose };
        if attacked == 0 { 0 } else { attacked & !board.attacked_by(colour) }
    },
    ..FEATURE
};

/// The side's pieces, pawns included, that stand alone between their king and an enemy slider. The slider is a rook, bishop or
/// queen that moves along that line.
pub(super) const PINNED: BoardFeature = BoardFeature {
    name: "pinned",
    aliases: &["pinned_piece", "pinned_pieces", "pinned_man", "pinned_men"],
    summary: "a piece pinned to its king",
    squares: |board, colour| board.pinned_pieces(colour),
    ..FEATURE
};

/// The side's rooks, bishops and queens that form a battery. Rooks and queens share a rank or file, bishops and queens share a
/// diagonal, with nothing between them.
pub(super) const BATTERY: BoardFeature = BoardFeature {
    name: "battery",
    aliases: &["batteries"],
    summary: "two pieces in line with nothing between them, both of which move along that line",
    squares: |board, colour| {
        let (straight, diagonal, empty) =
            (board.orthogonal_sliders(colour), board.diagonal_sliders(colour), !board.occupied());
        let on_lines = if has_several(straight) { orthogonal_attacks(straight, empty) & straight } else { 0 };
        let on_diagonals = if has_several(diagonal) { diagonal_attacks(diagonal, empty) & diagonal } else { 0 };
        on_lines | on_diagonals
    },
    ..FEATURE
};

/// The side's pieces that attack two or more targets at once. A target is the king, an enemy piece worth more than the attacker,
/// or an undefended enemy piece other than a pawn. Knights and bishops are worth 3, rooks 5, queens 9; an attacking king is worth
/// more than all others.
pub(super) const FORK: BoardFeature = BoardFeature {
    name: "fork",
    aliases: &["forks"],
    summary: "a piece that attacks two enemy pieces, each the king, worth more than it, or undefended and not a pawn",
    squares: forks,
    ..FEATURE
};

fn forks(board: &Board, colour: Color) -> u64 {
    let pieces = board.occupied_by(!colour) & !board.pieces(!colour, Role::Pawn);
    let (king, queen) = (board.pieces(!colour, Role::King), board.pieces(!colour, Role::Queen));
    let above_rook = king | queen | pieces & !board.leaper_attacks_from(!colour, u64::MAX);
    let targets = [pieces, above_rook | board.pieces(!colour, Role::Rook), above_rook];
    let attackers = attackers_of_several(board, colour, targets);
    if attackers == 0 {
        return 0;
    }
    let loose = pieces & !board.attacked_by(!colour);
    let of = |role: Role, targets: u64| {
        let attacks_several = |&man: &u64| has_several(board.attacked_from(colour, man) & targets);
        let men = Bitboard(attackers & board.pieces(colour, role)).into_iter();
        men.map(|square| 1 << square as u32).filter(attacks_several).sum::<u64>()
    };
    let above_minor = king | queen | board.pieces(!colour, Role::Rook) | loose;
    attackers & board.pieces(colour, Role::Pawn)
        | of(Role::Knight, above_minor)
        | of(Role::Bishop, above_minor)
        | of(Role::Rook, king | queen | loose)
        | of(Role::Queen, king | loose)
        | of(Role::King, loose)
}

const fn has_several(squares: u64) -> bool {
    squares & squares.wrapping_sub(1) != 0
}

/// The side's pieces that attack at least two targets. The three sets of targets are for pawns, for minor pieces and the queen's
/// diagonals, and for rooks, the king and the queen's ranks and files.
///
/// PERF: most positions end here. The sets may contain more than the targets, so they leave out only pieces that a pawn, a
/// knight or the king defends.
fn attackers_of_several(board: &Board, colour: Color, [of_pawns, of_minors, of_rooks]: [u64; 3]) -> u64 {
    let pawns = board.pieces(colour, Role::Pawn);
    let back = one_step_ahead(of_pawns, !colour);
    let sliders = (board.orthogonal_sliders(colour), board.diagonal_sliders(colour));
    let knights = board.pieces(colour, Role::Knight);
    let king = board.pieces(colour, Role::King);
    pawns & east_attacks(back, 0) & west_attacks(back, 0)
        | attacks::attackers_of_several((of_rooks, of_minors), sliders, knights, !board.occupied())
        | if has_several(king_attacks(king) & of_rooks) { king } else { 0 }
}

/// The side's rooks, bishops and queens that skewer two enemy pieces. The first is the king, worth more than the attacker, or
/// undefended; the second is the next piece behind it on that line and worth at most as much as the first. Neither is a pawn.
/// Knights and bishops are worth 3, rooks 5, queens 9, and a king more than all others.
pub(super) const SKEWER: BoardFeature = BoardFeature {
    name: "skewer",
    aliases: &["skewers"],
    summary: "a piece that attacks the king, an enemy piece worth more than it, or an undefended one, with a piece worth at most as much next on that line; neither is a pawn",
    squares: |board, colour| {
        let sliders = board.orthogonal_sliders(colour) | board.diagonal_sliders(colour);
        let sliders = Bitboard(sliders).into_iter().map(|square| 1 << square as u32);
        sliders.filter(|&slider| skewers(board, colour, slider)).sum()
    },
    ..FEATURE
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
