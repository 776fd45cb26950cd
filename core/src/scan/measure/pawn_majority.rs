//! Pawn majorities: more pawns on a wing than the other side has there.

use shakmaty::Role;

use super::{Anywhere, Feature, Implied, Scope, squares_of_all};
use crate::board::make::FILE_A;
use crate::scan::needs::Needs;

/// Files a to d, and e to h.
const WINGS: [u64; 2] = [FILE_A * 0x0f, FILE_A * 0xf0];

/// The side's pawns on a wing (files a–d, files e–h) on which it has more of them than the other side.
pub(super) const FEATURE: Feature = Feature {
    name: "pawn_majority",
    aliases: &["pawn_majorities"],
    summary: "pawns on a wing, a–d or e–h, where the side has more of them than the other",
    sided: true,
    placed: true,
    depends: squares_of_all([1, 9]),
    needs: Needs::PAWNS,
    scope: Scope::Board,
    anywhere: Anywhere::Squares,
    implies: Implied::Men(Role::Pawn, 1),
    squares: |board, colour| {
        let (own, other) = (board.by(colour, Role::Pawn), board.by(!colour, Role::Pawn));
        let more = |wing: &&u64| (own & **wing).count_ones() > (other & **wing).count_ones();
        own & WINGS.iter().filter(more).sum::<u64>()
    },
};
