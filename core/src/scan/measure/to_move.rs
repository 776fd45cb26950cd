//! Who is to move.

use shakmaty::Role;

use super::{Anywhere, Feature, Implied, Scope};
use crate::board::EVERYTHING;
use crate::scan::needs::Needs;

/// The king's square if the side is to move.
pub(super) const FEATURE: Feature = Feature {
    name: "to_move",
    aliases: &["on_move"],
    summary: "the side is to move; its king's square",
    sided: true,
    placed: true,
    depends: EVERYTHING,
    needs: Needs::BITS,
    scope: Scope::Board,
    anywhere: Anywhere::Squares,
    implies: Implied::Nothing,
    squares: |board, colour| if board.turn() == colour { board.by(colour, Role::King) } else { 0 },
};
