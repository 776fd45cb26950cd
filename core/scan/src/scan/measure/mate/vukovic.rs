//! Vukovic mate: a rook beside the mated king gives check, and a piece guards it. A knight stands behind the rook on the same file or rank, two
//! squares from the king.

use shakmaty::{Bitboard, Role, Square, attacks};

use super::{MateDefinition, MatedSide, meet};

pub(super) const MATE: MateDefinition = MateDefinition {
    name: "vukovic_mate",
    summary: "a guarded rook between the king and a knight on its file or rank mates",
    squares: |board, colour| MatedSide::king_if(board, colour, is_vukovic),
};

fn is_vukovic(mated: &MatedSide<'_>) -> bool {
    let has_knight_behind = |rook: Square| {
        let is_behind = |&knight: &Square| {
            matches!(mated.steps_to(knight), (0, 2) | (2, 0))
                && meet(attacks::between(mated.king, knight).0, 1 << rook as u32)
        };
        Bitboard(mated.enemies(Role::Knight)).into_iter().any(|knight| is_behind(&knight))
    };
    mated.checkers_beside_king(Role::Rook).any(|rook| mated.guards(rook) != 0 && has_knight_behind(rook))
}
