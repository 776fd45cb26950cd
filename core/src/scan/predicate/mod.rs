//! Stage 2, test: a predicate compares what is measured on a board with something, and is true or false at a position.
//!
//! A predicate also declares what it depends on and what a replay must keep up for it. Whoever adds one states both here; `plan` derives
//! its access path from them.

mod attack;
mod images;
mod pattern;
mod quantity;

pub use attack::{AttackPredicate, AttackTarget};
pub use images::PlacementImages;
pub(in crate::scan) use images::{ArrivalTable, MAX_TRACKED};
pub use pattern::{PawnPattern, PieceCountBounds, Placement, SquareMask};
pub(in crate::scan) use quantity::SingleComparison;
pub use quantity::{BoardQuantity, FeatureSquares, NumberComparison, WeightedTerm};

use alloc::boxed::Box;
use alloc::vec::Vec;

use shakmaty::Color;

use super::ply_filter::PlyFilter;
use super::replay_needs::ReplayNeeds;
use crate::board::{ANY_CHANGE, Board, ChangeMask, count_change};
use crate::headers::HeaderTest;

/// True or false at a position.
#[derive(Clone, PartialEq, Debug)]
pub enum PositionPredicate {
    /// A feature has a square in the region.
    FeatureInRegion(FeatureSquares),
    /// No man stands in the region.
    Empty(u64),
    /// A sum of sizes, compared with a constant.
    Compare {
        /// What is added up.
        terms: Vec<WeightedTerm>,
        /// How it is compared.
        comparison: NumberComparison,
        /// With what.
        constant: i64,
    },
    /// Men attack something.
    Attacks(Box<AttackPredicate>),
    /// The side is to move.
    SideToMove(Color),
    /// The ply is one of these. Its number tells, and no board.
    Ply(PlyFilter),
    /// The header of the game says so. The game tells, and no board.
    Header(HeaderTest),
    /// The numbers of men lie between bounds.
    PieceCounts(Box<PieceCountBounds>),
    /// Pawns stand so.
    PawnPattern(PawnPattern),
    /// Men stand so.
    Placement(Box<Placement>),
    /// Pawns stand in one of these ways.
    PawnPatternImages(Box<[PawnPattern]>),
    /// Men stand in one of these ways.
    PlacementImages(Box<PlacementImages>),
    /// Castling rights and en passant, where they are asked for.
    Rights {
        /// Squares of the rooks that may castle.
        castling: Option<u64>,
        /// The square behind a pawn that can be taken en passant, or [`NO_SQUARE`](crate::board::NO_SQUARE).
        en_passant: Option<u8>,
    },
}

impl PositionPredicate {
    /// Whether it holds. The board must have been kept up as [`needs`](Self::needs) says.
    pub fn test(&self, board: &Board) -> bool {
        match self {
            PositionPredicate::FeatureInRegion(squares) => squares.on_board(board) != 0,
            PositionPredicate::Empty(region) => board.occupied() & region == 0,
            PositionPredicate::Compare { terms, comparison, constant } => {
                comparison.holds(WeightedTerm::sum(terms, board), *constant)
            }
            PositionPredicate::Attacks(attacks) => attacks.holds(board),
            PositionPredicate::SideToMove(colour) => board.side_to_move() == *colour,
            // Whoever knows the game and the number of the ply asks that.
            PositionPredicate::Ply(_) | PositionPredicate::Header(_) => false,
            PositionPredicate::PieceCounts(bounds) => bounds.contains(&board.piece_counts),
            PositionPredicate::PawnPattern(pattern) => pattern.holds(board.pawns()),
            PositionPredicate::PawnPatternImages(patterns) => {
                let pawns = board.pawns();
                patterns.iter().any(|pattern| pattern.holds(pawns))
            }
            PositionPredicate::PlacementImages(images) => images.matches(board),
            PositionPredicate::Placement(placement) => placement.holds(&board.mailbox),
            PositionPredicate::Rights { castling, en_passant } => {
                castling.is_none_or(|rooks| rooks == board.castling_rooks)
                    && en_passant.is_none_or(|square| square == board.en_passant)
            }
        }
    }

    /// What must have changed for its answer to change.
    pub fn dependencies(&self) -> ChangeMask {
        match self {
            PositionPredicate::FeatureInRegion(squares) => squares.feature.dependencies_for(squares.colour),
            PositionPredicate::Empty(_)
            | PositionPredicate::SideToMove(_)
            | PositionPredicate::Ply(_)
            | PositionPredicate::Header(_)
            | PositionPredicate::Rights { .. } => ANY_CHANGE,
            PositionPredicate::Placement(placement) => placement.dependencies(),
            PositionPredicate::PlacementImages(images) => {
                images.placements().iter().fold(0, |all, placement| all | placement.dependencies())
            }
            PositionPredicate::Attacks(attacks) => attacks.dependencies(),
            PositionPredicate::PieceCounts(bounds) => bounds.dependencies(),
            PositionPredicate::PawnPattern(pattern) => pattern.dependencies(),
            PositionPredicate::PawnPatternImages(patterns) => {
                patterns.iter().fold(0, |all, pattern| all | pattern.dependencies())
            }
            PositionPredicate::Compare { terms, .. } => terms.iter().fold(0, |all, term| {
                all | match &term.quantity {
                    BoardQuantity::PieceCount(man) => count_change(*man),
                    BoardQuantity::SquareCount(squares) => squares.feature.dependencies_for(squares.colour),
                    BoardQuantity::Number(number) => number.dependencies,
                }
            }),
        }
    }

    /// What the replay must keep up for it.
    pub fn needs(&self) -> ReplayNeeds {
        match self {
            PositionPredicate::FeatureInRegion(squares) => squares.feature.needs,
            PositionPredicate::Empty(_) => ReplayNeeds::BITBOARDS,
            PositionPredicate::Attacks(attacks) => attacks.needs(),
            PositionPredicate::SideToMove(_) | PositionPredicate::Ply(_) | PositionPredicate::Header(_) => {
                ReplayNeeds::NONE
            }
            PositionPredicate::PieceCounts(_) => ReplayNeeds::PIECE_COUNTS,
            PositionPredicate::PawnPattern(_) | PositionPredicate::PawnPatternImages(_) => ReplayNeeds::PAWN_BITBOARDS,
            PositionPredicate::Placement(_) => ReplayNeeds::MAILBOX,
            PositionPredicate::PlacementImages(_) => ReplayNeeds::BITBOARDS,
            PositionPredicate::Rights { .. } => ReplayNeeds::RIGHTS,
            PositionPredicate::Compare { terms, .. } => WeightedTerm::needs(terms),
        }
    }
}
