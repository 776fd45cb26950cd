//! Blind swine mate: a rook gives check, and two rooks stand beside the mated king and beside each other.

use plyfold_board::board::attacks::king_attacks;
use shakmaty::Role;

use super::{MateDefinition, MatedSide, meet};

pub(super) const MATE: MateDefinition = MateDefinition {
    name: "blind_swine_mate",
    summary: "two rooks beside each other and beside the king mate",
    squares: |board, colour| MatedSide::king_if(board, colour, is_blind_swine),
};

fn is_blind_swine(mated: &MatedSide<'_>) -> bool {
    let rooks = mated.enemies(Role::Rook);
    let beside = rooks & mated.beside_king();
    meet(mated.checkers(), rooks) && meet(king_attacks(beside), beside)
}
