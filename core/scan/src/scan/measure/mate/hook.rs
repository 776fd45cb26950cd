//! Hook mate: a rook beside the mated king gives check. A knight, itself beside the king, guards the rook, and a pawn guards the knight.

use shakmaty::{Bitboard, Role};

use super::{MateDefinition, MatedSide, meet};

pub(super) const MATE: MateDefinition = MateDefinition {
    name: "hook_mate",
    summary: "a rook beside the king mates, guarded by a knight beside the king, which a pawn guards",
    squares: |board, colour| MatedSide::king_if(board, colour, is_hook),
};

fn is_hook(mated: &MatedSide<'_>) -> bool {
    mated.checkers_beside_king(Role::Rook).any(|rook| {
        let knights = mated.guards(rook) & mated.enemies(Role::Knight) & mated.beside_king();
        Bitboard(knights).into_iter().any(|knight| meet(mated.guards(knight), mated.enemies(Role::Pawn)))
    })
}
