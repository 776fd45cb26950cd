//! The king in the centre: on the d- or e-file, at home.

use plyfold_board::board::{PieceCode, placement_change};
use shakmaty::{Color, Role};

use super::{BASIS, BoardFeature, FeatureScope};

/// d1, e1, d2 and e2 for White; d7, e7, d8 and e8 for Black.
const CENTRE: [u64; 2] = [0x1818, 0x1818 << 48];

/// The side's king on the d- or e-file of its own first two ranks.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "king_in_centre",
    aliases: &["king_in_center", "king_in_the_centre", "king_in_the_center"],
    summary: "the king on the d- or e-file of its side's first two ranks",
    dependencies: placement_change(PieceCode::WHITE_KING),
    scope: FeatureScope::Square(CENTRE),
    squares: |board, colour| board.pieces(colour, Role::King) & CENTRE[usize::from(colour == Color::Black)],
    ..BASIS
};
