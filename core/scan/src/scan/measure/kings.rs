//! Kings: which side has castled, where the king stands, whether it is in check or mated, and the side to move, which is shown by
//! the square of its king.
//!
//! Whether a side has castled depends on the moves, not on the board: a king that walked to g1 has not castled. In a game from a
//! set-up position only castling during the game counts.

use plyfold_board::board::{CASTLING_CHANGE, PieceCode, placement_change};
use shakmaty::{Color, Role};

use super::{BoardFeature, FEATURE, FeaturePresence, FeatureScope};
use crate::scan::replay_needs::ReplayNeeds;

/// The king's square once the side has castled on one of the wings in `WINGS` (bit 0 short, bit 1 long).
const fn castled<const WINGS: u8>(
    name: &'static str,
    aliases: &'static [&'static str],
    summary: &'static str,
) -> BoardFeature {
    BoardFeature {
        name,
        aliases,
        summary,
        dependencies: CASTLING_CHANGE | placement_change(PieceCode::WHITE_KING),
        scope: FeatureScope::Square([u64::MAX; 2]),
        presence: FeaturePresence::Castled(WINGS),
        squares: |board, colour| {
            let shift = if colour == Color::White { 0 } else { 2 };
            if board.castled_wings >> shift & WINGS != 0 { board.pieces(colour, Role::King) } else { 0 }
        },
        ..FEATURE
    }
}

pub(super) const CASTLED: BoardFeature = castled::<3>("castled", &["king_castled"], "castled on either wing");
pub(super) const CASTLED_SHORT: BoardFeature =
    castled::<1>("castled_short", &["castled_kingside"], "castled on the king's wing");
pub(super) const CASTLED_LONG: BoardFeature =
    castled::<2>("castled_long", &["castled_queenside"], "castled on the queen's wing");

/// Every square once one side has castled short and the other long during the game; else none. The feature has no side and no
/// location.
pub(super) const OPPOSITE_CASTLING: BoardFeature = BoardFeature {
    name: "opposite_castling",
    aliases: &["opposite_sides_castling", "castled_opposite"],
    summary: "one side has castled short and the other long",
    has_sides: false,
    has_location: false,
    dependencies: CASTLING_CHANGE,
    needs: ReplayNeeds::MAILBOX,
    // White short and Black long, or White long and Black short.
    squares: |board, _| if matches!(board.castled_wings, 0b1001 | 0b0110) { u64::MAX } else { 0 },
    ..FEATURE
};

/// d1, e1, d2 and e2 for White; d7, e7, d8 and e8 for Black.
const CENTRE: [u64; 2] = [0x1818, 0x1818 << 48];

/// The side's king on the d- or e-file of its own first two ranks.
pub(super) const IN_CENTRE: BoardFeature = BoardFeature {
    name: "king_in_centre",
    aliases: &["king_in_center", "king_in_the_centre", "king_in_the_center"],
    summary: "the king on the d- or e-file of its side's first two ranks",
    dependencies: placement_change(PieceCode::WHITE_KING),
    scope: FeatureScope::Square(CENTRE),
    squares: |board, colour| board.pieces(colour, Role::King) & CENTRE[usize::from(colour == Color::Black)],
    ..FEATURE
};

/// The square of the side's king if it is attacked.
pub(super) const CHECK: BoardFeature = BoardFeature {
    name: "check",
    aliases: &["in_check"],
    summary: "the side's king is in check",
    scope: FeatureScope::Check { min_checkers: 1 },
    squares: |board, colour| if board.is_in_check(colour) { board.pieces(colour, Role::King) } else { 0 },
    ..FEATURE
};

/// The square of the side's king if two or more pieces attack it.
pub(super) const DOUBLE_CHECK: BoardFeature = BoardFeature {
    name: "double_check",
    aliases: &["in_double_check"],
    summary: "two pieces give the side's king check",
    scope: FeatureScope::Check { min_checkers: 2 },
    squares: |board, colour| {
        let attackers = board.king(colour).map_or(0, |king| board.attackers(king, !colour, board.occupied()));
        if attackers & attackers.wrapping_sub(1) != 0 { board.pieces(colour, Role::King) } else { 0 }
    },
    ..FEATURE
};

/// The square of the side's king if the side is to move, in check, and has no legal move.
pub(super) const CHECKMATE: BoardFeature = BoardFeature {
    name: "checkmate",
    aliases: &["mated", "checkmated"],
    summary: "the side is mated",
    // A pawn that gives mate may be taken en passant.
    needs: ReplayNeeds::RIGHTS,
    scope: FeatureScope::NoMoves { in_check: true },
    squares: |board, colour| {
        if board.side_to_move() == colour && board.is_checkmate() { board.pieces(colour, Role::King) } else { 0 }
    },
    ..FEATURE
};

/// The square of the side's king if the side is to move, not in check, and has no legal move.
pub(super) const STALEMATE: BoardFeature = BoardFeature {
    name: "stalemate",
    aliases: &["stalemated"],
    summary: "the side is to move and has no legal move, without being in check",
    needs: ReplayNeeds::RIGHTS,
    scope: FeatureScope::NoMoves { in_check: false },
    squares: |board, colour| {
        if board.side_to_move() == colour && board.is_stalemate() { board.pieces(colour, Role::King) } else { 0 }
    },
    ..FEATURE
};

/// The king's square if the side is to move.
pub(super) const TO_MOVE: BoardFeature = BoardFeature {
    name: "to_move",
    aliases: &["on_move"],
    summary: "the side is to move (the square is its king's)",
    squares: |board, colour| if board.side_to_move() == colour { board.pieces(colour, Role::King) } else { 0 },
    ..FEATURE
};
