//! Attacked and defended men, and pieces that hang.

use shakmaty::Role;

use super::{Anywhere, Feature, Implied, Scope};
use crate::board::EVERYTHING;
use crate::scan::needs::Needs;

/// The side's men, pawns and king too, that a man of the other side attacks.
pub(super) const ATTACKED: Feature = Feature {
    name: "attacked",
    aliases: &["attacked_man", "attacked_men"],
    summary: "a man that the other side attacks",
    sided: true,
    placed: true,
    depends: EVERYTHING,
    needs: Needs::BITS,
    scope: Scope::Board,
    anywhere: Anywhere::Squares,
    implies: Implied::Nothing,
    squares: |board, colour| board.attacked_by(!colour) & board.occupied_by(colour),
};

/// The side's men, pawns and king too, on squares that another of its men attacks.
pub(super) const DEFENDED: Feature = Feature {
    name: "defended",
    aliases: &["defended_man", "defended_men"],
    summary: "a man that its own side defends",
    squares: |board, colour| board.attacked_by(colour) & board.occupied_by(colour),
    ..ATTACKED
};

/// The side's knights, bishops, rooks and queens that the other side attacks and its own does not defend, whoever is to move.
pub(super) const HANGING: Feature = Feature {
    name: "hanging_piece",
    aliases: &["hanging_pieces", "hanging"],
    summary: "a knight, bishop, rook or queen that is attacked and not defended",
    squares: |board, colour| {
        let pieces = board.by(colour, Role::Knight) | board.straight(colour) | board.diagonal(colour);
        // PERF: many pieces are defended without a ray being drawn.
        let loose = pieces & !board.leapt_from(colour, u64::MAX);
        let attacked = if loose == 0 { 0 } else { board.attacked_by(!colour) & loose };
        if attacked == 0 { 0 } else { attacked & !board.attacked_by(colour) }
    },
    ..ATTACKED
};
