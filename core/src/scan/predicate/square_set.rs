//! A set of squares of one side, made of features: those that several features share, those of any of them, those of pieces that
//! attack something.

use alloc::boxed::Box;
use alloc::vec::Vec;

use shakmaty::{Bitboard, Color};

use super::quantity::FeatureSquares;
use crate::board::{ANY_CHANGE, Board, ChangeMask};
use crate::scan::replay_needs::ReplayNeeds;

/// Squares on a board.
#[derive(Clone, PartialEq, Debug)]
pub enum SquareSet {
    /// Those of a feature.
    Feature(FeatureSquares),
    /// These, whatever stands there.
    Region(u64),
    /// Those that all parts have.
    All(Vec<SquareSet>),
    /// Those that at least one part has.
    Any(Vec<SquareSet>),
    /// Those that the part does not have.
    Not(Box<SquareSet>),
    /// Those of the part with a piece of this side that attacks a square of the target.
    Attacking {
        /// The side.
        colour: Color,
        /// The pieces.
        pieces: Box<SquareSet>,
        /// What they attack.
        target: Box<SquareSet>,
    },
}

impl SquareSet {
    /// The squares on a board that keeps up what the needs of the set list.
    pub fn on_board(&self, board: &Board) -> u64 {
        match self {
            SquareSet::Feature(squares) => squares.on_board(board),
            SquareSet::Region(region) => *region,
            SquareSet::All(parts) => {
                let mut all = u64::MAX;
                for part in parts {
                    if all == 0 {
                        break;
                    }
                    all &= part.on_board(board);
                }
                all
            }
            SquareSet::Any(parts) => parts.iter().fold(0, |any, part| any | part.on_board(board)),
            SquareSet::Not(part) => !part.on_board(board),
            SquareSet::Attacking { colour, pieces, target } => {
                let pieces = pieces.on_board(board) & board.occupied_by(*colour);
                let target = if pieces == 0 { 0 } else { target.on_board(board) };
                if target == 0 {
                    return 0;
                }
                let attacks = |square: &u64| board.attacked_from(*colour, *square) & target != 0;
                Bitboard(pieces).into_iter().map(|square| 1u64 << square as u32).filter(attacks).sum()
            }
        }
    }

    /// The changes after which the squares must be measured again.
    pub(super) fn dependencies(&self) -> ChangeMask {
        match self {
            SquareSet::Feature(squares) => squares.feature.dependencies_for(squares.colour),
            SquareSet::Region(_) => 0,
            SquareSet::All(parts) | SquareSet::Any(parts) => {
                parts.iter().fold(0, |all, part| all | part.dependencies())
            }
            SquareSet::Not(part) => part.dependencies(),
            SquareSet::Attacking { .. } => ANY_CHANGE,
        }
    }

    /// What a replay must keep up to date to measure the squares.
    pub(super) fn needs(&self) -> ReplayNeeds {
        match self {
            SquareSet::Feature(squares) => squares.feature.needs,
            SquareSet::Region(_) => ReplayNeeds::NONE,
            SquareSet::All(parts) | SquareSet::Any(parts) => {
                parts.iter().fold(ReplayNeeds::NONE, |all, part| all.union(part.needs()))
            }
            SquareSet::Not(part) => part.needs(),
            SquareSet::Attacking { pieces, target, .. } => {
                ReplayNeeds::BITBOARDS.union(pieces.needs()).union(target.needs())
            }
        }
    }
}
