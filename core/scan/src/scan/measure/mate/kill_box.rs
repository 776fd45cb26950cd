//! Kill box mate: a rook and a queen stand two files and two ranks apart, in opposite corners of a box of nine squares. The mated king is in
//! the box, and one of the two gives check.

use shakmaty::{Bitboard, Role, Square};

use super::{MateDefinition, MatedSide, meet, steps};

pub(super) const MATE: MateDefinition = MateDefinition {
    name: "kill_box_mate",
    summary: "a rook or queen mates a king in the box of nine squares that has both in opposite corners",
    squares: |board, colour| MatedSide::king_if(board, colour, is_kill_box),
};

fn is_kill_box(mated: &MatedSide<'_>) -> bool {
    let (rooks, queens) = (mated.enemies(Role::Rook), mated.enemies(Role::Queen));
    let encloses = |rook: Square, queen: Square| {
        let (of_rook, of_queen) = (mated.steps_to(rook), mated.steps_to(queen));
        steps(rook, queen) == (2, 2) && (of_rook.0 + of_queen.0, of_rook.1 + of_queen.1) == (2, 2)
    };
    meet(mated.checkers(), rooks | queens)
        && Bitboard(rooks).into_iter().any(|rook| Bitboard(queens).into_iter().any(|queen| encloses(rook, queen)))
}
