//! Corner mate: a knight alone gives check, and a rook or queen guards a square beside the mated king on which no piece of its own stands.

use shakmaty::Role;

use super::{MateDefinition, MatedSide, meet};

pub(super) const MATE: MateDefinition = MateDefinition {
    name: "corner_mate",
    summary: "a knight alone gives check, and a rook or queen guards a flight of the king",
    squares: |board, colour| MatedSide::king_if(board, colour, is_corner),
};

fn is_corner(mated: &MatedSide<'_>) -> bool {
    let heavy = mated.enemies(Role::Rook) | mated.enemies(Role::Queen);
    mated.checkers() & !mated.enemies(Role::Knight) == 0
        && mated.flights().any(|square| meet(mated.guards(square), heavy))
}
