//! Batteries: two men on a line that both move along it.

use super::{Anywhere, Feature, Implied, Scope};
use crate::board::EVERYTHING;
use crate::board::attacks::{diagonal_attacks, straight_attacks};
use crate::scan::needs::Needs;

/// The side's rooks and queens that stand on a rank or file with another of them and nothing between, and its bishops and queens on a
/// diagonal: those that the others attack along it.
pub(super) const FEATURE: Feature = Feature {
    name: "battery",
    aliases: &["batteries"],
    summary: "two men in line with nothing between that both move along that line",
    sided: true,
    placed: true,
    depends: EVERYTHING,
    needs: Needs::BITS,
    scope: Scope::Board,
    anywhere: Anywhere::Squares,
    implies: Implied::Nothing,
    squares: |board, colour| {
        let (straight, diagonal, empty) = (board.straight(colour), board.diagonal(colour), !board.occupied());
        let several = |men: u64| men & men.wrapping_sub(1) != 0;
        let on_lines = if several(straight) { straight_attacks(straight, empty) & straight } else { 0 };
        let on_diagonals = if several(diagonal) { diagonal_attacks(diagonal, empty) & diagonal } else { 0 };
        on_lines | on_diagonals
    },
};
