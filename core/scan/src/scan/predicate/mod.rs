//! Stage 2, test: a predicate compares what is measured on a board with what a query requires. It is true or false at a position.
//!
//! A kind of predicate is a file here, which implements the trait `Predicate`, and a line in `predicates!`: how it is tested, what it
//! depends on, what a replay must keep up to date to test it, where a scan tests it, and what it implies about the material.

mod annotated;
mod attack;
mod comment;
mod discovered_check;
mod empty;
mod feature_squares;
mod followed;
mod found_plies;
mod header;
mod images;
mod lines;
mod motif;
mod pattern;
mod perpetual;
mod played;
mod ply_mark;
mod ply_number;
mod quantity;
mod relation;
mod rights;
mod sacrifice;
mod square_set;
mod table;
mod tested_ply;

pub(in crate::scan) use annotated::AnnotationBoundTest;
pub use annotated::AnnotationTest;
pub use attack::{AttackPredicate, AttackTarget};
pub use comment::CommentTest;
pub use discovered_check::DiscoveredCheck;
pub use empty::EmptySquares;
pub use feature_squares::FeatureSquares;
pub use followed::{
    FollowedTest, LeftByMoving, LeftSquares, MAX_NAMES, NameDomain, NamedPiece, NamedPieces, PieceName,
};
pub use found_plies::FoundPlies;
pub(in crate::scan) use images::{ArrivalTable, MAX_TRACKED};
pub use images::{PawnPatternImages, PlacementImages};
pub use lines::LinesTest;
pub(in crate::scan) use motif::{CourseOfGame, ReplayedGame};
pub use motif::{Motif, MotifOfMove};
pub use pattern::{PawnPattern, PieceCountBounds, Placement, SquareMask};
pub use perpetual::PerpetualCheck;
pub use played::{CaptureRule, FirstMoves, LONG_WING, MoveDirection, MoveLine, MovePredicate, PlayedPly, SHORT_WING};
pub use ply_mark::{NamedMark, PlyMark};
pub use ply_number::SideToMove;
pub(in crate::scan) use quantity::SingleComparison;
pub use quantity::{BoardQuantity, NumberComparison, SumComparison, WeightedTerm};
pub use relation::SquareRelation;
pub use rights::RequiredRights;
pub use sacrifice::Sacrifice;
pub(in crate::scan) use sacrifice::{BalanceAfter, MOVES_AFTER, points_of_ply};
pub use square_set::SquareSet;
pub(crate) use table::KnownVerdicts;
pub use table::{TableQuestion, TableTest, ThrownAway};
pub use tested_ply::GameInSpan;
pub(in crate::scan) use tested_ply::TestedPly;

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use plyfold_board::board::{ANY_CHANGE, Board, ChangeMask};
use plyfold_board::matsig::target::MaterialBounds;
use shakmaty::Color;

use super::access_path::{AccessPath, PredicateAccess};
use super::measure::measured_board::MeasuredBoard;
use super::ply_filter::PlyFilter;
use super::replay_needs::ReplayNeeds;
use crate::headers::HeaderTest;

/// What a scan must know of a kind of predicate.
pub(in crate::scan) trait Predicate {
    /// Whether it holds on a board to which no move has led, and which keeps up to date what it needs.
    fn test(&self, _board: &MeasuredBoard<'_>) -> bool {
        false
    }

    /// Whether the test looks at the mailbox.
    fn reads_mailbox(&self) -> bool {
        false
    }

    /// Whether it holds at a ply, by a test that knows the whole game.
    fn test_after(&self, at: &mut TestedPly<'_, '_>) -> bool {
        self.test(&MeasuredBoard::new(at.board))
    }

    /// The changes after which it must be tested again, and what a replay must keep up to date to test it.
    fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
        (ANY_CHANGE, ReplayNeeds::NONE)
    }

    /// Where a scan tests it. If the scan `follows_pawns` anyway, pawns on a few squares may use their events.
    fn access(&self, _follows_pawns: bool) -> PredicateAccess {
        PredicateAccess::by(AccessPath::Replay)
    }

    /// What is true of the pieces on the board wherever it holds.
    fn implied(&self) -> MaterialBounds {
        MaterialBounds::default()
    }

    /// What is true of them wherever it does not.
    fn implied_by_contrary(&self) -> MaterialBounds {
        MaterialBounds::default()
    }

    /// Alternatives of which one is true wherever it holds.
    fn implied_alternatives(&self) -> Vec<MaterialBounds> {
        vec![self.implied()]
    }
}

macro_rules! predicates {
    ($($variant:ident($kind:ty): $summary:literal;)+) => {
        /// A test of one position, true or false.
        #[derive(Clone, PartialEq, Debug)]
        pub enum PositionPredicate {
            $(#[doc = $summary] $variant($kind),)+
        }

        $(impl From<$kind> for PositionPredicate {
            fn from(predicate: $kind) -> PositionPredicate {
                PositionPredicate::$variant(predicate)
            }
        })+

        impl PositionPredicate {
            /// Returns whether the predicate holds. The board must keep up to date what [`needs`](Self::needs) lists. Tests of plies,
            /// moves, followed pieces, headers and annotations are always false here, and no move has led to the board.
            pub fn test(&self, board: &Board) -> bool {
                self.test_measured(&MeasuredBoard::new(board))
            }

            /// Whether the test looks at the mailbox.
            pub(in crate::scan) fn reads_mailbox(&self) -> bool {
                match self { $(PositionPredicate::$variant(predicate) => predicate.reads_mailbox(),)+ }
            }

            /// Tests the same on a board whose measures are shared with other predicates.
            pub fn test_measured(&self, board: &MeasuredBoard<'_>) -> bool {
                match self { $(PositionPredicate::$variant(predicate) => predicate.test(board),)+ }
            }

            /// Whether the predicate holds at a ply, by a test that knows the whole game.
            pub(in crate::scan) fn test_after(&self, at: &mut TestedPly<'_, '_>) -> bool {
                match self { $(PositionPredicate::$variant(predicate) => predicate.test_after(at),)+ }
            }

            /// The dependencies and the needs.
            fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
                match self { $(PositionPredicate::$variant(predicate) => predicate.declaration(),)+ }
            }

            /// Where a scan tests the predicate.
            pub(in crate::scan) fn access(&self, follows_pawns: bool) -> PredicateAccess {
                match self { $(PositionPredicate::$variant(predicate) => predicate.access(follows_pawns),)+ }
            }

            /// What is true of the pieces where the predicate holds, or where it does not, as alternatives.
            pub(in crate::scan) fn implied(&self, holds: bool) -> Vec<MaterialBounds> {
                match self {
                    $(PositionPredicate::$variant(predicate) if holds => predicate.implied_alternatives(),)+
                    $(PositionPredicate::$variant(predicate) => vec![predicate.implied_by_contrary()],)+
                }
            }
        }
    };
}

predicates! {
    FeatureInRegion(FeatureSquares): "A feature has a square in the region.";
    Empty(EmptySquares): "No piece stands in the region.";
    Compare(SumComparison): "A weighted sum of quantities, compared with a constant.";
    Attacks(Box<AttackPredicate>): "Pieces of one side attack something.";
    SquareSet(Box<SquareSet>): "A set of squares is not empty.";
    SideToMove(SideToMove): "The side is to move.";
    Ply(PlyFilter): "The ply is one of these. This depends on its number alone and needs no board.";
    Played(MovePredicate): "The move that led to the position is of this kind. This needs no board.";
    FirstMoves(FirstMoves): "The moves up to the position are exactly these. This needs no board.";
    Followed(FollowedTest): "What followed pieces do. This needs the choice of pieces as well as the board and the move.";
    DiscoveredCheck(DiscoveredCheck): "The side has just given check with a piece that did not move.";
    PerpetualCheck(PerpetualCheck): "The side has just given perpetual check.";
    Motif(MotifOfMove): "The side has just made a move with a motif.";
    Header(HeaderTest): "The header of the game passes a test. This needs no board.";
    Annotations(AnnotationTest): "What the text of the game says of the ply passes a test. This needs no board.";
    Table(Box<TableTest>): "What endgame tables say passes a test. This needs the last move and the board before it, too.";
    PieceCounts(Box<PieceCountBounds>): "The piece counts lie between bounds.";
    PawnPattern(PawnPattern): "The pawns match a pattern.";
    Placement(Box<Placement>): "The pieces match a placement.";
    PawnPatternImages(PawnPatternImages): "The pawns match at least one of these patterns.";
    PlacementImages(Box<PlacementImages>): "The pieces match at least one of these placements.";
    Rights(RequiredRights): "Castling rights and en passant, each if the query requires it.";
}

impl PositionPredicate {
    /// The changes after which the predicate must be tested again.
    pub fn dependencies(&self) -> ChangeMask {
        self.declaration().0
    }

    /// Returns what a replay must keep up to date to test the predicate.
    pub fn needs(&self) -> ReplayNeeds {
        self.declaration().1
    }
}

/// The index of a side among two: 0 for White, 1 for Black.
fn side_index(colour: Color) -> usize {
    usize::from(colour.is_black())
}
