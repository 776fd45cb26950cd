//! Morphy'\''s mate: a bishop alone gives check, and a rook guards a square beside the mated king on which no piece of its own stands.

use shakmaty::Role;

use super::{MateDefinition, MatedSide, meet};

pub(super) const MATE: MateDefinition = MateDefinition {
    name: "morphys_mate",
    summary: "a bishop mates, and a rook guards a flight of the king",
    squares: |board, colour| MatedSide::king_if(board, colour, is_morphys),
};

fn is_morphys(mated: &MatedSide<'_>) -> bool {
    let rooks = mated.enemies(Role::Rook);
    mated.checkers() & !mated.enemies(Role::Bishop) == 0
        && mated.flights().any(|square| meet(mated.guards(square), rooks))
}
