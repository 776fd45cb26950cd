//! Dovetail mate, also Cozio'\''s: a queen gives check from a square diagonally beside the mated king, which is not on the edge. Of the other
//! squares beside the king, the queen alone guards those that are empty, and nothing guards the others.

use plyfold_board::board::attacks::king_attacks;
use shakmaty::{Bitboard, Role, Square};

use super::{MateDefinition, MatedSide};

pub(super) const MATE: MateDefinition = MateDefinition {
    name: "dovetail_mate",
    summary: "a queen diagonally beside the king mates alone; the king's own pieces take the two squares that the queen leaves",
    squares: |board, colour| MatedSide::king_if(board, colour, is_dovetail),
};

fn is_dovetail(mated: &MatedSide<'_>) -> bool {
    let is_inside = king_attacks(1 << mated.king as u32).count_ones() == 8;
    is_inside
        && mated.checkers_beside_king(Role::Queen).any(|queen| {
            let is_tail = |square: Square| match mated.guards(square) {
                0 => true,
                guards => guards == 1 << queen as u32 && mated.board.occupied() & 1 << square as u32 == 0,
            };
            mated.steps_to(queen) == (1, 1)
                && Bitboard(mated.beside_king() & !(1 << queen as u32)).into_iter().all(is_tail)
        })
}
