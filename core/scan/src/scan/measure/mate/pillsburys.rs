//! Pillsbury'\''s mate: a rook gives check, and bishops alone guard a flight of the mated king that is not on the line of the rook. A bishop
//! that guards a rook beside the king does not count: that is an opera mate.

use shakmaty::{Bitboard, Role, attacks};

use super::{MateDefinition, MatedSide, meet};

pub(super) const MATE: MateDefinition = MateDefinition {
    name: "pillsburys_mate",
    summary: "a rook mates, and a bishop alone guards a flight of the king",
    squares: |board, colour| MatedSide::king_if(board, colour, is_pillsburys),
};

fn is_pillsburys(mated: &MatedSide<'_>) -> bool {
    Bitboard(mated.checkers() & mated.enemies(Role::Rook)).into_iter().any(|rook| {
        let of_rook = if meet(1 << rook as u32, mated.beside_king()) { mated.guards(rook) } else { 0 };
        let line = attacks::ray(rook, mated.king).0;
        mated.flights().filter(|square| !meet(line, 1 << *square as u32)).any(|square| {
            let guards = mated.guards(square);
            meet(guards, !of_rook) && guards & !mated.enemies(Role::Bishop) == 0
        })
    })
}
