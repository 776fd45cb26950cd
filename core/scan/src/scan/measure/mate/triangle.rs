//! Triangle mate: a queen beside the mated king gives check. A rook beside the king stands on the same file or rank as the queen, two squares
//! from her.

use shakmaty::{Bitboard, Role};

use super::{MateDefinition, MatedSide, steps};

pub(super) const MATE: MateDefinition = MateDefinition {
    name: "triangle_mate",
    summary: "a queen beside the king mates, and a rook beside the king stands two squares from her on a file or rank",
    squares: |board, colour| MatedSide::king_if(board, colour, is_triangle),
};

fn is_triangle(mated: &MatedSide<'_>) -> bool {
    let rooks = Bitboard(mated.enemies(Role::Rook) & mated.beside_king());
    mated
        .checkers_beside_king(Role::Queen)
        .any(|queen| rooks.into_iter().any(|rook| matches!(steps(queen, rook), (0, 2) | (2, 0))))
}
