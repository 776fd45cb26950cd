//! Outposts: a knight or bishop in the enemy's half, held by a pawn, that no enemy pawn can drive away.

use shakmaty::{Color, Role};

use super::{Anywhere, Feature, Implied, Scope, beside, in_front, squares_of_all};
use crate::board::attacks::pawn_attacks;
use crate::scan::needs::Needs;

/// Ranks 4 to 6 of White, and of Black.
const RANKS: [u64; 2] = [0xff_ffff << 24, 0xff_ffff << 16];

/// The side's knights and bishops on its ranks 4 to 6 that a pawn of the side defends, and that no enemy pawn attacks or would attack
/// further along its file, whatever stands in its way.
///
/// `minors & ranks & pawn_attacks(pawns) & !in_front(beside(enemy pawns))`, in front as the enemy sees it.
pub(super) const FEATURE: Feature = Feature {
    name: "outpost",
    aliases: &["outposts"],
    summary: "a knight or bishop on ranks 4 to 6, defended by a pawn, that no enemy pawn can ever attack on its file",
    sided: true,
    placed: true,
    depends: squares_of_all([1, 9, 2, 3]),
    needs: Needs::BITS,
    scope: Scope::Board,
    anywhere: Anywhere::Squares,
    implies: Implied::Men(Role::Pawn, 1),
    squares: |board, colour| {
        let minors = board.by(colour, Role::Knight) | board.by(colour, Role::Bishop);
        let held =
            minors & RANKS[usize::from(colour == Color::Black)] & pawn_attacks(board.by(colour, Role::Pawn), colour);
        held & !in_front(beside(board.by(!colour, Role::Pawn)), !colour)
    },
};
