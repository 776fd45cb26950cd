//! Outposts: a knight or bishop in the enemy's half that a pawn defends and no enemy pawn can drive away.

use plyfold_board::board::PieceCode;
use plyfold_board::board::attacks::pawn_attacks;
use shakmaty::{Color, Role};

use super::{BASIS, BoardFeature, ImpliedPieces, adjacent_files, front_span, placement_changes};

/// Ranks 4 to 6 as White sees them, and as Black sees them.
const RANKS: [u64; 2] = [0xff_ffff << 24, 0xff_ffff << 16];

/// The side's knights and bishops on its ranks 4 to 6 that a pawn of the side defends and no enemy pawn can attack. An enemy pawn
/// on a neighbouring file ahead can attack by advancing, even if its file is blocked.
///
/// `minors & ranks & pawn_attacks(pawns) & !in_front(beside(enemy pawns))`, where in front is the enemy's direction.
pub(super) const FEATURE: BoardFeature = BoardFeature {
    name: "outpost",
    aliases: &["outposts"],
    summary: "a knight or bishop on ranks 4 to 6, defended by a pawn, that no enemy pawn can ever attack on its file",
    dependencies: placement_changes([
        PieceCode::WHITE_PAWN,
        PieceCode::BLACK_PAWN,
        PieceCode::WHITE_KNIGHT,
        PieceCode::WHITE_BISHOP,
    ]),
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 1),
    squares: |board, colour| {
        let minors = board.pieces(colour, Role::Knight) | board.pieces(colour, Role::Bishop);
        let held = minors
            & RANKS[usize::from(colour == Color::Black)]
            & pawn_attacks(board.pieces(colour, Role::Pawn), colour);
        held & !front_span(adjacent_files(board.pieces(!colour, Role::Pawn)), !colour)
    },
    ..BASIS
};
