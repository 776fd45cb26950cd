//! Arabian mate: the mated king is in a corner. A rook beside it gives check, and a knight two files and two ranks from the king guards
//! the rook.

use shakmaty::{Bitboard, Role, Square};

use super::{MateDefinition, MatedSide, meet};

pub(super) const MATE: MateDefinition = MateDefinition {
    name: "arabian_mate",
    summary: "a rook beside the king in the corner mates, guarded by a knight two files and two ranks from the king",
    squares: |board, colour| MatedSide::king_if(board, colour, is_arabian),
};

fn is_arabian(mated: &MatedSide<'_>) -> bool {
    let is_near = |knight: Square| mated.steps_to(knight) == (2, 2);
    meet(CORNERS, 1 << mated.king as u32)
        && mated
            .checkers_beside_king(Role::Rook)
            .any(|rook| Bitboard(mated.guards(rook) & mated.enemies(Role::Knight)).into_iter().any(is_near))
}

const CORNERS: u64 = 0x8100_0000_0000_0081;
