//! Opera mate, after the game that Morphy played at the opera: a rook beside the mated king gives check, and a bishop guards the rook.

use shakmaty::Role;

use super::{MateDefinition, MatedSide, meet};

pub(super) const MATE: MateDefinition = MateDefinition {
    name: "opera_mate",
    summary: "a rook beside the king mates, guarded by a bishop",
    squares: |board, colour| MatedSide::king_if(board, colour, is_opera),
};

fn is_opera(mated: &MatedSide<'_>) -> bool {
    mated.checkers_beside_king(Role::Rook).any(|rook| meet(mated.guards(rook), mated.enemies(Role::Bishop)))
}
