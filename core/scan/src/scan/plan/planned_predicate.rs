//! A planned predicate knows its access path: where a scan tests it, and what must change for its result to change.

use alloc::vec::Vec;

use plyfold_board::board::{Board, CASTLING_CHANGE, ChangeMask};
use shakmaty::Color;

use super::compiled_test::CompiledTest;
use crate::scan::access_path::{AccessPath, PredicateAccess};
use crate::scan::measure::measured_board::MeasuredBoard;
use crate::scan::measure::{BoardFeature, EightMeasure};
use crate::scan::predicate::{FeatureSquares, PlacementImages, PositionPredicate};
use crate::scan::replay_needs::ReplayNeeds;

/// A predicate with its access path and its compiled test.
#[derive(Clone, Debug)]
pub struct PlannedPredicate {
    /// Where the predicate is tested.
    pub access_path: AccessPath,
    /// The changes after which the predicate must be tested again.
    pub dependencies: ChangeMask,
    /// The squares of White's pawns, and of Black's, on which the predicate depends.
    pub pawn_squares: [u64; 2],
    /// The squares on which the predicate depends, if its access path is touched squares.
    pub squares: u64,
    /// What a replay must keep up to date for the predicate, if its access path is the replay.
    pub needs: ReplayNeeds,
    pub(super) test: CompiledTest,
}

impl PlannedPredicate {
    /// Assigns the predicates of a query to access paths. Pawns on a few squares use the pawn events if another predicate does.
    pub fn plan_all(predicates: &[PositionPredicate]) -> Vec<PlannedPredicate> {
        let plan = |follows_pawns: bool| -> Vec<PlannedPredicate> {
            predicates.iter().map(|predicate| PlannedPredicate::new(predicate, follows_pawns)).collect()
        };
        let mut planned = plan(false);
        if planned.iter().any(|one| one.access_path == AccessPath::PawnEvents) {
            planned = plan(true);
        }
        planned
    }

    /// Assigns a predicate to its access path. If the scan `follows_pawns` anyway, pawns on a few squares use the pawn events
    /// too.
    pub(in crate::scan) fn new(predicate: &PositionPredicate, follows_pawns: bool) -> PlannedPredicate {
        let PredicateAccess { path: access_path, squares, pawns } = predicate.access(follows_pawns);
        let depends = match access_path {
            // A feature declares the squares of its pieces; on these paths the counts of the same pieces count as changes too.
            AccessPath::MaterialEvents | AccessPath::AllEvents => {
                predicate.dependencies() | predicate.dependencies() << 16
            }
            AccessPath::TouchedSquares => predicate.dependencies() | CASTLING_CHANGE,
            _ => predicate.dependencies(),
        };
        PlannedPredicate {
            access_path,
            dependencies: depends,
            pawn_squares: pawns,
            squares,
            needs: predicate.needs(),
            test: CompiledTest::new(predicate, access_path),
        }
    }

    /// A feature that is measured on the board, wherever else it could be tested.
    pub(in crate::scan) fn measured(feature: &'static BoardFeature, colour: Color) -> PlannedPredicate {
        let squares = FeatureSquares { feature, colour, region: u64::MAX };
        PlannedPredicate {
            access_path: AccessPath::Replay,
            needs: feature.needs,
            test: CompiledTest::FeatureOnSquares(feature, colour, u64::MAX),
            ..PlannedPredicate::new(&squares.into(), false)
        }
    }

    /// Returns whether the predicate holds on `board`, which its access path has kept up to date.
    #[inline(always)]
    pub fn test(&self, board: &Board) -> bool {
        self.test.holds(&MeasuredBoard::new(board))
    }

    /// Tests the same on a board whose measures are shared with other predicates.
    #[inline(always)]
    pub fn test_measured(&self, board: &MeasuredBoard<'_>) -> bool {
        self.test.holds(board)
    }

    /// The feature, its side and its region, if the predicate is a feature that is measured on eight boards at once.
    #[inline(always)]
    pub(in crate::scan) fn measured_on_eight(&self) -> Option<(EightMeasure, Color, u64)> {
        match self.test {
            CompiledTest::FeatureOnSquares(feature, colour, region) => {
                feature.of_eight.map(|measure| (measure, colour, region))
            }
            _ => None,
        }
    }

    /// Whether a shared replay measures it on eight boards at once, by what it finds once for all such predicates.
    pub fn is_measured_on_eight(&self) -> bool {
        self.measured_on_eight().is_some()
    }

    /// Whether the predicate is a feature that is measured on eight boards at once even where nothing else is asked.
    pub(in crate::scan) fn is_for_eight(&self) -> bool {
        matches!(self.test, CompiledTest::FeatureOnSquares(feature, ..) if feature.is_for_eight)
    }

    /// Whether the test looks at the mailbox.
    pub(in crate::scan) fn reads_mailbox(&self) -> bool {
        match &self.test {
            CompiledTest::ExactPlacement(_) => true,
            CompiledTest::Generic(predicate) => predicate.reads_mailbox(),
            _ => false,
        }
    }

    /// The images, if the predicate is a set of images of a placement.
    pub(in crate::scan) fn placement_images(&self) -> Option<&PlacementImages> {
        match &self.test {
            CompiledTest::Generic(predicate) => match &**predicate {
                PositionPredicate::PlacementImages(images) => Some(images),
                _ => None,
            },
            _ => None,
        }
    }

    /// The weights of a sum of piece counts and the bounds between which the sum must lie, if the predicate is such a sum. The
    /// weights are so small that the sum fits into 16 bits on any possible board.
    pub(in crate::scan) fn linear_sum(&self) -> Option<(&[i16; 16], i32, i32)> {
        match &self.test {
            CompiledTest::LinearSum(weights, least, most) => {
                let size: i32 = weights.iter().map(|weight| i32::from(weight.abs())).sum();
                (size < 1 << 8).then_some((&**weights, *least, *most))
            }
            _ => None,
        }
    }

    /// The number of pieces on the board below which the predicate never holds; 0 if no such number is known.
    pub(in crate::scan) fn fewest_pieces(&self) -> u32 {
        match &self.test {
            CompiledTest::Generic(predicate) => match &**predicate {
                PositionPredicate::PieceCounts(bounds) => bounds.fewest_pieces(),
                _ => 0,
            },
            _ => 0,
        }
    }

    /// Returns what a replay must keep up to date for those of the predicates that it tests.
    pub fn replay_needs(sorted: &[PlannedPredicate]) -> ReplayNeeds {
        let on_board = sorted.iter().filter(|sorted| sorted.access_path == AccessPath::Replay);
        on_board.fold(ReplayNeeds::NONE, |all, sorted| all.union(sorted.needs))
    }
}

/// At most 64 predicates by their numbers, as a word.
pub(in crate::scan) fn bits_of<'a>(predicates: impl Iterator<Item = &'a u8>) -> u64 {
    predicates.fold(0, |all, n| all | 1 << n)
}
