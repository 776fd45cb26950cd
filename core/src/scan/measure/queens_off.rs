//! Queens off: neither side has a queen.

use shakmaty::{Color, Role};

use super::{Anywhere, Feature, Implied, Scope};
use crate::board::number_of;
use crate::scan::needs::Needs;

/// Every square if there is no queen on the board; speaks of no side.
pub(super) const FEATURE: Feature = Feature {
    name: "queens_off",
    aliases: &["queenless"],
    summary: "no queens on the board",
    sided: false,
    placed: false,
    depends: number_of(Role::Queen as u8) | number_of(Role::Queen as u8 | 8),
    needs: Needs::BITS,
    scope: Scope::Board,
    anywhere: Anywhere::Numbers(|number, _| number[5] | number[13] == 0),
    implies: Implied::None(Role::Queen),
    squares: |board, _| {
        if board.by(Color::White, Role::Queen) | board.by(Color::Black, Role::Queen) == 0 { u64::MAX } else { 0 }
    },
};
