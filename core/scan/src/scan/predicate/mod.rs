//! Stage 2, test: a predicate compares what is measured on a board with what a query requires. It is true or false at a position.
//!
//! A predicate also declares what it depends on and what a replay must keep up to date to test it. `plan` derives its access path
//! from both, so every new predicate states them here.

mod annotated;
mod attack;
mod comment;
mod followed;
mod images;
mod motif;
mod pattern;
mod perpetual;
mod played;
mod ply_mark;
mod quantity;
mod relation;
mod sacrifice;
mod square_set;
mod table;

pub(in crate::scan) use annotated::AnnotationBoundTest;
pub use annotated::AnnotationTest;
pub use attack::{AttackPredicate, AttackTarget};
pub use comment::{CommentPlies, CommentTest};
pub use followed::{
    FollowedTest, LeftByMoving, LeftSquares, MAX_NAMES, NameDomain, NamedPiece, NamedPieces, PieceName,
};
pub use images::PlacementImages;
pub(in crate::scan) use images::{ArrivalTable, MAX_TRACKED};
pub use motif::Motif;
pub(in crate::scan) use motif::{CourseOfGame, ReplayedGame};
pub use pattern::{PawnPattern, PieceCountBounds, Placement, SquareMask};
pub(in crate::scan) use perpetual::gives_perpetual;
pub use played::{CaptureRule, LONG_WING, MoveDirection, MoveLine, MovePredicate, PlayedPly, SHORT_WING};
pub use ply_mark::{NamedMark, PlyMark};
pub(in crate::scan) use quantity::SingleComparison;
pub use quantity::{BoardQuantity, FeatureSquares, NumberComparison, WeightedTerm};
pub use relation::SquareRelation;
pub use sacrifice::Sacrifice;
pub(in crate::scan) use sacrifice::{BalanceAfter, MOVES_AFTER, points_of_ply};

pub use square_set::SquareSet;
pub(crate) use table::KnownVerdicts;
pub use table::{TableQuestion, TableTest, ThrownAway};

use alloc::boxed::Box;
use alloc::vec::Vec;

use plyfold_board::board::{ANY_CHANGE, Board, ChangeMask};
use plyfold_board::moves::Move;
use shakmaty::Color;

use super::measure::measured_board::MeasuredBoard;
use super::ply_filter::PlyFilter;
use super::replay_needs::ReplayNeeds;
use crate::headers::HeaderTest;

/// A test of one position, true or false.
#[derive(Clone, PartialEq, Debug)]
pub enum PositionPredicate {
    /// A feature has a square in the region.
    FeatureInRegion(FeatureSquares),
    /// No piece stands in the region.
    Empty(u64),
    /// A weighted sum of quantities, compared with a constant.
    Compare {
        /// The terms of the sum.
        terms: Vec<WeightedTerm>,
        /// The comparison.
        comparison: NumberComparison,
        /// The constant on the right side of the comparison.
        constant: i64,
    },
    /// Pieces of one side attack something.
    Attacks(Box<AttackPredicate>),
    /// A set of squares is not empty.
    SquareSet(Box<SquareSet>),
    /// The side is to move.
    SideToMove(Color),
    /// The ply is one of these. This depends on its number alone and needs no board.
    Ply(PlyFilter),
    /// The move that led to the position is of this kind. This needs no board.
    Played(MovePredicate),
    /// The moves up to the position, from the first one of the game, are exactly these. This needs no board.
    FirstMoves(Box<[Move]>),
    /// What followed pieces do. This needs the choice of pieces as well as the board and the move.
    Followed(FollowedTest),
    /// The side has just given check with a piece that did not move. This needs the board after the move, and the move.
    DiscoveredCheck(Color),
    /// The side has just given perpetual check. This needs the moves since the position occurred before.
    PerpetualCheck(Color),
    /// The side has just made a move with a motif. This needs the boards of some plies before and after it.
    Motif(Motif, Color),
    /// The header of the game passes a test. This needs no board.
    Header(HeaderTest),
    /// What the text of the game says of the ply passes a test. This needs no board.
    Annotations(AnnotationTest),
    /// What endgame tables say passes a test. This needs the last move and the board before it, too.
    Table(Box<TableTest>),
    /// The piece counts lie between bounds.
    PieceCounts(Box<PieceCountBounds>),
    /// The pawns match a pattern.
    PawnPattern(PawnPattern),
    /// The pieces match a placement.
    Placement(Box<Placement>),
    /// The pawns match at least one of these patterns.
    PawnPatternImages(Box<[PawnPattern]>),
    /// The pieces match at least one of these placements.
    PlacementImages(Box<PlacementImages>),
    /// Castling rights and en passant, each if the query requires it.
    Rights {
        /// The squares of all rooks that may still castle.
        castling: Option<u64>,
        /// The square behind a pawn that can be taken en passant, or [`NO_SQUARE`](plyfold_board::board::NO_SQUARE).
        en_passant: Option<u8>,
    },
}

impl PositionPredicate {
    /// Returns whether the predicate holds. The board must keep up to date what [`needs`](Self::needs) lists. Tests of plies,
    /// moves, followed pieces, headers and annotations are always false here, and no move has led to the board.
    pub fn test(&self, board: &Board) -> bool {
        self.test_measured(&MeasuredBoard::new(board))
    }

    /// Tests the same on a board whose measures are shared with other predicates.
    pub fn test_measured(&self, board: &MeasuredBoard<'_>) -> bool {
        match self {
            PositionPredicate::FeatureInRegion(squares) => squares.on_board(board) != 0,
            PositionPredicate::Empty(region) => board.occupied() & region == 0,
            PositionPredicate::Compare { terms, comparison, constant } => {
                comparison.holds(WeightedTerm::sum(terms, board), *constant)
            }
            PositionPredicate::Attacks(attacks) => attacks.holds(board),
            PositionPredicate::SquareSet(set) => set.on_board_with(board, &NamedPieces::default()) != 0,
            PositionPredicate::SideToMove(colour) => board.side_to_move() == *colour,
            PositionPredicate::Table(test) => test.holds_on(board),
            // The scan tests these by the number of the ply, the moves, the pieces that names mean, the game's headers and its annotations.
            PositionPredicate::Ply(_)
            | PositionPredicate::Played(_)
            | PositionPredicate::FirstMoves(_)
            | PositionPredicate::DiscoveredCheck(_)
            | PositionPredicate::PerpetualCheck(_)
            | PositionPredicate::Motif(..)
            | PositionPredicate::Followed(_)
            | PositionPredicate::Header(_)
            | PositionPredicate::Annotations(_) => false,
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

    /// The changes after which the predicate must be tested again.
    pub fn dependencies(&self) -> ChangeMask {
        self.declaration().0
    }

    /// Returns what a replay must keep up to date to test the predicate.
    pub fn needs(&self) -> ReplayNeeds {
        self.declaration().1
    }

    /// The dependencies and the needs.
    fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
        match self {
            PositionPredicate::FeatureInRegion(squares) => squares.declaration(),
            PositionPredicate::Empty(_) | PositionPredicate::DiscoveredCheck(_) => (ANY_CHANGE, ReplayNeeds::BITBOARDS),
            PositionPredicate::SideToMove(_)
            | PositionPredicate::Ply(_)
            | PositionPredicate::Played(_)
            | PositionPredicate::FirstMoves(_)
            | PositionPredicate::PerpetualCheck(_)
            | PositionPredicate::Motif(..)
            | PositionPredicate::Header(_)
            | PositionPredicate::Annotations(_) => (ANY_CHANGE, ReplayNeeds::NONE),
            PositionPredicate::Followed(test) => (ANY_CHANGE, test.needs()),
            PositionPredicate::Table(_) | PositionPredicate::Rights { .. } => (ANY_CHANGE, ReplayNeeds::RIGHTS),
            PositionPredicate::Attacks(attacks) => attacks.declaration(),
            PositionPredicate::SquareSet(set) => set.declaration(),
            PositionPredicate::PieceCounts(bounds) => (bounds.dependencies(), ReplayNeeds::PIECE_COUNTS),
            PositionPredicate::PawnPattern(pattern) => (pattern.dependencies(), ReplayNeeds::PAWN_BITBOARDS),
            PositionPredicate::PawnPatternImages(patterns) => {
                let dependencies = patterns.iter().fold(0, |all, pattern| all | pattern.dependencies());
                (dependencies, ReplayNeeds::PAWN_BITBOARDS)
            }
            PositionPredicate::Placement(placement) => (placement.dependencies(), ReplayNeeds::MAILBOX),
            PositionPredicate::PlacementImages(images) => {
                let dependencies = images.placements().iter().fold(0, |all, one| all | one.dependencies());
                (dependencies, ReplayNeeds::BITBOARDS)
            }
            PositionPredicate::Compare { terms, .. } => WeightedTerm::declaration(terms),
        }
    }
}
