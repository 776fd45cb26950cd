//! Anastasia's mate: the mated king is on the edge of the board, and a rook or queen gives check along the edge. On the line from the
//! king into the board, its own piece stands next, and an enemy knight three squares from the king.

use shakmaty::{Bitboard, Role, Square};

use super::{MateDefinition, MatedSide, meet};

pub(super) const MATE: MateDefinition = MateDefinition {
    name: "anastasia_mate",
    summary: "a rook or queen mates along the edge; the king's own piece stands beside it, and a knight two squares behind that",
    squares: |board, colour| MatedSide::king_if(board, colour, is_anastasia),
};

fn is_anastasia(mated: &MatedSide<'_>) -> bool {
    let inwards = [(1, 0), (-1, 0), (0, 1), (0, -1)];
    inwards.into_iter().any(|(files, ranks)| {
        let at = |steps: i32| {
            let (file, rank) = (mated.king.file() as i32 + steps * files, mated.king.rank() as i32 + steps * ranks);
            let is_on_board = (0..8).contains(&file) && (0..8).contains(&rank);
            if is_on_board { 1u64 << (rank * 8 + file) } else { 0 }
        };
        let heavy = Bitboard(mated.checkers() & (mated.enemies(Role::Rook) | mated.enemies(Role::Queen)));
        let is_along_edge = |square: Square| match mated.steps_to(square) {
            (0, _) => files != 0,
            (_, 0) => ranks != 0,
            _ => false,
        };
        at(-1) == 0
            && meet(at(1), mated.board.occupied_by(mated.colour))
            && meet(at(3), mated.enemies(Role::Knight))
            && heavy.into_iter().any(is_along_edge)
    })
}
