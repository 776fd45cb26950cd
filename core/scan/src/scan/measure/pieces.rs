//! Pieces of a kind: `knight on e5`, `count(white rook)`.

use plyfold_board::board::{PieceCode, placement_change};
use shakmaty::{Color, Role};

use super::{BASIS, BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces, placement_changes};
use crate::scan::replay_needs::ReplayNeeds;

/// The names of the roles in queries, pawn to king.
pub const ROLE_NAMES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];

macro_rules! role_feature {
    ($feature:ident, $role:ident, $name:literal, $needs:ident) => {
        #[doc = concat!("Squares of the side's pieces of role ", $name, ".")]
        pub(super) const $feature: BoardFeature = BoardFeature {
            name: $name,
            summary: concat!("a ", $name),
            dependencies: placement_change(PieceCode::new(Color::White, Role::$role)),
            needs: ReplayNeeds::$needs,
            scope: FeatureScope::Square([u64::MAX; 2]),
            presence: FeaturePresence::PieceCounts(|number, colour| number[PieceCode::new(colour, Role::$role)] > 0),
            implied_pieces: ImpliedPieces::AtLeast(Role::$role, 1),
            squares: |board, colour| board.pieces(colour, Role::$role),
            ..BASIS
        };
    };
}

role_feature!(PAWN, Pawn, "pawn", PAWN_BITBOARDS);
role_feature!(KNIGHT, Knight, "knight", BITBOARDS);
role_feature!(BISHOP, Bishop, "bishop", BITBOARDS);
role_feature!(ROOK, Rook, "rook", BITBOARDS);
role_feature!(QUEEN, Queen, "queen", BITBOARDS);
role_feature!(KING, King, "king", BITBOARDS);

/// The squares of all the side's pieces.
pub const ANY_PIECE: BoardFeature = BoardFeature {
    name: "piece",
    aliases: &["pieces", "man", "men"],
    summary: "a piece of any kind, pawns and kings included",
    dependencies: placement_changes([
        PieceCode::WHITE_PAWN,
        PieceCode::WHITE_KNIGHT,
        PieceCode::WHITE_BISHOP,
        PieceCode::WHITE_ROOK,
        PieceCode::WHITE_QUEEN,
        PieceCode::WHITE_KING,
    ]),
    scope: FeatureScope::Square([u64::MAX; 2]),
    presence: FeaturePresence::PieceCounts(|number, colour| {
        Role::ALL.into_iter().any(|role| number[PieceCode::new(colour, role)] > 0)
    }),
    squares: |board, colour: Color| board.occupied_by(colour),
    ..BASIS
};
