//! Boden's mate and the double bishop mate: bishops alone attack the mated king and the squares beside it, and there are two of them.
//! In Boden's mate one stands on each side of the king's file, so that their diagonals cross; in a double bishop mate they do not.

use shakmaty::{Bitboard, Role, Square};

use super::{MateDefinition, MatedSide};

pub(super) const BODENS: MateDefinition = MateDefinition {
    name: "bodens_mate",
    summary: "bishops alone attack the king and the squares beside it, from both sides of its file",
    squares: |board, colour| MatedSide::king_if(board, colour, |mated| bishops_mate(mated) && have_king_between(mated)),
};

pub(super) const DOUBLE: MateDefinition = MateDefinition {
    name: "double_bishop_mate",
    summary: "two bishops alone attack the king and the squares beside it, not from both sides of its file",
    squares: |board, colour| {
        MatedSide::king_if(board, colour, |mated| bishops_mate(mated) && !have_king_between(mated))
    },
};

fn bishops_mate(mated: &MatedSide<'_>) -> bool {
    let bishops = mated.enemies(Role::Bishop);
    let squares = Bitboard(mated.beside_king() | 1 << mated.king as u32);
    bishops.count_ones() >= 2 && squares.into_iter().all(|square| mated.guards(square) & !bishops == 0)
}

fn have_king_between(mated: &MatedSide<'_>) -> bool {
    let bishops = || Bitboard(mated.enemies(Role::Bishop)).into_iter().map(Square::file);
    bishops().any(|file| file < mated.king.file()) && bishops().any(|file| file > mated.king.file())
}
