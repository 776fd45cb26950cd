//! Numbers of a board, for sums and comparisons: `king_distance <= 2`.

use shakmaty::Color;

use super::placement_changes;
use crate::board::{ANY_CHANGE, Board, ChangeMask, PieceCode};
use crate::scan::replay_needs::ReplayNeeds;

/// A measured number that belongs to the whole position, not to a side.
#[derive(Debug)]
pub struct NumericFeature {
    /// The name in a query.
    pub name: &'static str,
    /// Other names that mean the same.
    pub aliases: &'static [&'static str],
    /// One line for help and completion.
    pub summary: &'static str,
    /// The changes after which the number must be measured again.
    pub dependencies: ChangeMask,
    /// What a replay must keep up to date to measure it.
    pub needs: ReplayNeeds,
    /// What the scan derives the number from.
    pub derived_from: NumberOrigin,
    /// Measures the number on a board.
    pub value: fn(&Board) -> i64,
}

/// What a number is derived from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberOrigin {
    /// The board.
    Board,
    /// The plies of captures and pawn moves.
    Clock,
    /// The moves since the last capture or pawn move.
    Repetition,
}

/// Every number that a query can name.
pub const NUMBERS: &[&NumericFeature] = &[&KING_DISTANCE, &CLOCK, &REPETITION];

/// The king moves from one king's square to the other's on an empty board, 2 to 7; 0 if a king is missing. This is the larger of
/// the distances in files and in ranks.
const KING_DISTANCE: NumericFeature = NumericFeature {
    name: "king_distance",
    aliases: &["distance_of_kings"],
    summary: "steps of a king from one king to the other",
    dependencies: placement_changes([PieceCode::WHITE_KING, PieceCode::BLACK_KING]),
    needs: ReplayNeeds::BITBOARDS,
    derived_from: NumberOrigin::Board,
    value: |board| match (board.king(Color::White), board.king(Color::Black)) {
        (Some(white), Some(black)) => i64::from(white.distance(black)),
        _ => 0,
    },
};

/// Plies since the last capture or pawn move, as in a FEN's fifth field: 100 is a draw by claim.
const CLOCK: NumericFeature = NumericFeature {
    name: "clock",
    aliases: &["fifty_move_counter", "halfmove_clock"],
    summary: "plies since the last capture or pawn move",
    dependencies: ANY_CHANGE,
    needs: ReplayNeeds::RIGHTS,
    derived_from: NumberOrigin::Clock,
    value: |board| i64::from(board.halfmoves),
};

/// How often the position has occurred in the game so far, the start position and this time included: 1 the first time. Two
/// positions are the same if they agree in pieces, side to move, castling rights and legal en passant captures.
const REPETITION: NumericFeature = NumericFeature {
    name: "repetition",
    aliases: &["repetitions"],
    summary: "how often the position has occurred in the game, this time included",
    dependencies: ANY_CHANGE,
    needs: ReplayNeeds::REPETITIONS,
    derived_from: NumberOrigin::Repetition,
    value: |board| i64::from(board.repetition),
};
