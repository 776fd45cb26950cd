//! Attacked and defended pieces, attacked squares, and pieces that hang.

use shakmaty::{Bitboard, Role};

use super::measured_board::SharedMeasure;
use super::{BASIS, BoardFeature, EightMeasure};

/// The side's pieces, pawns and king included, that a piece of the other side attacks.
pub(super) const ATTACKED: BoardFeature = BoardFeature {
    name: "attacked",
    aliases: &["attacked_piece", "attacked_pieces", "attacked_man", "attacked_men"],
    summary: "a piece that the other side attacks",
    of_eight: Some(EightMeasure::Squares(|eight, colour| {
        eight.all_squares(SharedMeasure::Attacked, !colour) & eight.pieces().occupied_by(colour)
    })),
    squares: |board, colour| board.attacked_by(!colour) & board.occupied_by(colour),
    ..BASIS
};

/// The side's pieces, pawns and king included, on squares that another of its pieces attacks.
pub(super) const DEFENDED: BoardFeature = BoardFeature {
    name: "defended",
    aliases: &["defended_piece", "defended_pieces", "defended_man", "defended_men"],
    summary: "a piece that its own side defends",
    of_eight: Some(EightMeasure::Squares(|eight, colour| {
        eight.all_squares(SharedMeasure::Attacked, colour) & eight.pieces().occupied_by(colour)
    })),
    squares: |board, colour| board.attacked_by(colour) & board.occupied_by(colour),
    ..BASIS
};

/// The squares that a piece of the side attacks, empty or not.
pub(super) const CONTROLLED: BoardFeature = BoardFeature {
    name: "controlled_square",
    aliases: &["controlled_squares", "controlled"],
    summary: "a square, empty or not, that a piece of the side attacks",
    of_eight: Some(EightMeasure::Squares(|eight, colour| eight.all_squares(SharedMeasure::Attacked, colour))),
    squares: |board, colour| board.attacked_by(colour),
    ..BASIS
};

/// The squares that at least two pieces of the side attack, empty or not.
pub(super) const CONTROLLED_TWICE: BoardFeature = BoardFeature {
    name: "controlled_twice",
    aliases: &["twice_controlled"],
    summary: "a square, empty or not, that two or more pieces of the side attack",
    is_for_eight: true,
    of_eight: Some(EightMeasure::Squares(|eight, colour| eight.all_squares(SharedMeasure::AttackedTwice, colour))),
    squares: |board, colour| {
        if let Some(twice) = board.shared(SharedMeasure::AttackedTwice, colour) {
            return twice;
        }
        let (mut once, mut twice) = (0, 0);
        for square in Bitboard(board.occupied_by(colour)) {
            let attacked = board.attacked_from(colour, 1 << square as u32);
            twice |= once & attacked;
            once |= attacked;
        }
        twice
    },
    ..BASIS
};

/// The side's knights, bishops, rooks and queens that the other side attacks and their own side does not defend. It does not
/// matter which side is to move.
pub(super) const HANGING: BoardFeature = BoardFeature {
    name: "hanging_piece",
    aliases: &["hanging_pieces", "hanging"],
    summary: "a knight, bishop, rook or queen that is attacked and not defended",
    of_eight: Some(EightMeasure::Squares(|eight, colour| {
        let [straight, diagonal] = eight.pieces().sliders(colour);
        let pieces = eight.pieces().pieces(colour, Role::Knight) | straight | diagonal;
        let attacked_by = |colour| eight.all_squares(SharedMeasure::Attacked, colour);
        pieces & attacked_by(!colour) & !attacked_by(colour)
    })),
    squares: |board, colour| {
        let pieces =
            board.pieces(colour, Role::Knight) | board.orthogonal_sliders(colour) | board.diagonal_sliders(colour);
        // PERF: pawns, knights and the king defend many pieces, so their attacks are tested before any ray is computed.
        let loose = pieces & !board.leaper_attacks_from(colour, u64::MAX);
        let attacked = if loose == 0 { 0 } else { board.attacked_by(!colour) & loose };
        if attacked == 0 { 0 } else { attacked & !board.attacked_by(colour) }
    },
    ..BASIS
};
