//! Check: the side's king stands attacked.

use shakmaty::Role;

use super::{Anywhere, Feature, Implied, Scope};
use crate::board::EVERYTHING;
use crate::scan::needs::Needs;

/// The square of the side's king if it is attacked. Measured again after every ply.
pub(super) const FEATURE: Feature = Feature {
    name: "check",
    aliases: &["in_check"],
    summary: "the side's king is in check",
    sided: true,
    depends: EVERYTHING,
    needs: Needs::BITS,
    scope: Scope::Board,
    anywhere: Anywhere::Squares,
    implies: Implied::Nothing,
    squares: |board, colour| if board.in_check(colour) { board.by(colour, Role::King) } else { 0 },
};
