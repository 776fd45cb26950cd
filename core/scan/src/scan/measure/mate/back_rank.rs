//! Back-rank mate: a piece on the first rank of the mated king gives check. Every square before the king holds a piece of its own, which
//! the mating side does not attack.

use plyfold_board::board::ColorCode;
use plyfold_board::board::make::back_rank;
use shakmaty::{Bitboard, Square};

use super::{MateDefinition, MatedSide, meet};

pub(super) const MATE: MateDefinition = MateDefinition {
    name: "back_rank_mate",
    summary: "a piece mates along the king's first rank, where its own pieces stand before it and are not attacked",
    squares: |board, colour| MatedSide::king_if(board, colour, is_back_rank_mate),
};

fn is_back_rank_mate(mated: &MatedSide<'_>) -> bool {
    let rank = back_rank(ColorCode::new(mated.colour));
    let is_blocked =
        |square: Square| meet(1 << square as u32, mated.board.occupied_by(mated.colour)) && mated.guards(square) == 0;
    meet(rank, 1 << mated.king as u32)
        && meet(rank, mated.checkers())
        && Bitboard(mated.beside_king() & !rank).into_iter().all(is_blocked)
}
