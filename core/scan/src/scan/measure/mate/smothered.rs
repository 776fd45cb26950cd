//! Smothered mate: a knight gives check, and a piece of its own stands on every square beside the mated king.

use shakmaty::Role;

use super::{MateDefinition, MatedSide, meet};

pub(super) const MATE: MateDefinition = MateDefinition {
    name: "smothered_mate",
    summary: "a knight mates a king that its own pieces enclose",
    squares: |board, colour| MatedSide::king_if(board, colour, is_smothered),
};

fn is_smothered(mated: &MatedSide<'_>) -> bool {
    meet(mated.checkers(), mated.enemies(Role::Knight)) && mated.flights().next().is_none()
}
