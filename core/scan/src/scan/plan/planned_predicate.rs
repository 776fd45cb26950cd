//! A planned predicate knows its access path: where a scan tests it, and what must change for its result to change.

use alloc::vec::Vec;

use plyfold_board::board::{Board, CASTLING_CHANGE, ChangeMask, PieceCode};
use shakmaty::{Color, Role};

use super::access_path::AccessPath;
use super::compiled_test::CompiledTest;
use crate::scan::measure::measured_board::MeasuredBoard;
use crate::scan::measure::numbers::NumberOrigin;
use crate::scan::measure::{EightMeasure, FeaturePresence, FeatureScope};
use crate::scan::measure::{adjacent_files, file_fill};
use crate::scan::predicate::{
    BoardQuantity, FeatureSquares, NumberComparison, PawnPattern, PlacementImages, PositionPredicate, SingleComparison,
    WeightedTerm,
};
use crate::scan::replay_needs::ReplayNeeds;
use crate::scan::tuning::{MAX_WATCHED_PAWN_SQUARES, MAX_WATCHED_SQUARES};

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
        let (mut access_path, mut squares, mut pawns) = (AccessPath::Replay, 0, [u64::MAX; 2]);
        match predicate {
            PositionPredicate::Header(_) => access_path = AccessPath::Header,
            PositionPredicate::Annotations(_) => access_path = AccessPath::Annotations,
            PositionPredicate::SideToMove(_) | PositionPredicate::Ply(_) => access_path = AccessPath::PlyNumber,
            PositionPredicate::Played(_) | PositionPredicate::FirstMoves(_) => access_path = AccessPath::Moves,
            PositionPredicate::Followed(_) => access_path = AccessPath::Followed,
            PositionPredicate::PerpetualCheck(_) => access_path = AccessPath::Repetition,
            PositionPredicate::Motif(..) => access_path = AccessPath::Motifs,
            PositionPredicate::PieceCounts(_) => access_path = AccessPath::MaterialEvents,
            PositionPredicate::PawnPattern(pattern) => {
                access_path = AccessPath::PawnEvents;
                pawns = [pattern.white.mask, pattern.black.mask];
            }
            PositionPredicate::PawnPatternImages(patterns) => {
                access_path = AccessPath::PawnEvents;
                let mask_of = |of: fn(&PawnPattern) -> u64| patterns.iter().fold(0, |all, pattern| all | of(pattern));
                pawns = [mask_of(|pattern| pattern.white.mask), mask_of(|pattern| pattern.black.mask)];
            }
            PositionPredicate::FeatureInRegion(asked) => {
                (access_path, squares, pawns) = plan_feature_squares(asked);
                if access_path == AccessPath::TouchedSquares {
                    access_path = path_for_squares(squares);
                } else if let (AccessPath::PawnEvents, FeatureScope::Square(_)) = (access_path, asked.feature.scope)
                    && !follows_pawns
                    && asked.region.count_ones() <= MAX_WATCHED_PAWN_SQUARES
                {
                    (access_path, squares) = (AccessPath::TouchedSquares, asked.region);
                }
            }
            PositionPredicate::Empty(region) => (access_path, squares) = (path_for_squares(*region), *region),
            PositionPredicate::Placement(placement) => {
                (access_path, squares) = (path_for_squares(placement.squares), placement.squares);
            }
            PositionPredicate::DiscoveredCheck(_) => access_path = AccessPath::Checks,
            PositionPredicate::Table(_) => access_path = AccessPath::Tables,
            PositionPredicate::Attacks(_)
            | PositionPredicate::SquareSet(_)
            | PositionPredicate::PlacementImages(_)
            | PositionPredicate::Rights { .. } => {}
            PositionPredicate::Compare { terms, comparison, constant } => {
                (access_path, pawns) = plan_comparison(terms, *comparison, *constant);
            }
        }
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
            CompiledTest::FeatureOnSquares(feature, colour, region) => Some((feature.of_eight, colour, region)),
            _ => None,
        }
    }

    /// Whether the predicate is a feature that is measured on eight boards at once even where nothing else is asked.
    pub(in crate::scan) fn is_for_eight(&self) -> bool {
        matches!(self.test, CompiledTest::FeatureOnSquares(feature, ..) if feature.is_for_eight)
    }

    /// Whether the test looks at the mailbox.
    pub(in crate::scan) fn reads_mailbox(&self) -> bool {
        match &self.test {
            CompiledTest::ExactPlacement(_) => true,
            CompiledTest::Generic(predicate) => !matches!(
                **predicate,
                PositionPredicate::FeatureInRegion(_)
                    | PositionPredicate::Empty(_)
                    | PositionPredicate::Compare { .. }
                    | PositionPredicate::Attacks(_)
                    | PositionPredicate::SquareSet(_)
                    | PositionPredicate::PieceCounts(_)
                    | PositionPredicate::PawnPattern(_)
                    | PositionPredicate::PawnPatternImages(_)
            ),
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

/// The access path of a predicate that depends on these squares.
fn path_for_squares(squares: u64) -> AccessPath {
    if squares.count_ones() <= MAX_WATCHED_SQUARES { AccessPath::TouchedSquares } else { AccessPath::Replay }
}

/// The access path of the comparison of a sum, and the squares of the pawns on which it depends.
fn plan_comparison(terms: &[WeightedTerm], comparison: NumberComparison, constant: i64) -> (AccessPath, [u64; 2]) {
    let has_piece_counts = terms.iter().any(|term| matches!(term.quantity, BoardQuantity::PieceCount(_)));
    let counted = terms.iter().filter_map(|term| match &term.quantity {
        BoardQuantity::SquareCount(squares) => Some(plan_feature_squares(&FeatureSquares { ..*squares })),
        BoardQuantity::Number(_) | BoardQuantity::SquareSet(_) => Some((AccessPath::Replay, 0, [u64::MAX; 2])),
        BoardQuantity::PieceCount(_) => None,
    });
    let mut others = AccessPath::MaterialEvents;
    let mut pawns = [0; 2];
    for (term_path, _, seen_pawns) in counted {
        let of_pawns = matches!(term_path, AccessPath::PawnFileEvents | AccessPath::PawnEvents);
        others = others.max(if of_pawns { term_path } else { AccessPath::Replay });
        pawns = [pawns[0] | seen_pawns[0], pawns[1] | seen_pawns[1]];
    }
    let number_source = match (terms, SingleComparison::from_terms(terms, comparison, constant)) {
        ([WeightedTerm { quantity: BoardQuantity::Number(number), .. }], Some(_)) => number.derived_from,
        _ => NumberOrigin::Board,
    };
    others = match number_source {
        NumberOrigin::Board | NumberOrigin::Annotations(_) | NumberOrigin::Tables(_) => others,
        NumberOrigin::Clock => AccessPath::HalfmoveClock,
        NumberOrigin::Repetition => AccessPath::Repetition,
    };
    let both_streams = has_piece_counts && matches!(others, AccessPath::PawnFileEvents | AccessPath::PawnEvents);
    (if both_streams { AccessPath::AllEvents } else { others }, pawns)
}

/// The access path, squares and pawns of a feature's squares within a region. Returns touched squares for any number of squares;
/// the caller checks the limit.
fn plan_feature_squares(squares: &FeatureSquares) -> (AccessPath, u64, [u64; 2]) {
    let &FeatureSquares { feature, colour, region } = squares;
    let mut pawns = [u64::MAX; 2];
    if region == u64::MAX {
        match feature.presence {
            FeaturePresence::PieceCounts(_) => return (AccessPath::MaterialEvents, 0, pawns),
            FeaturePresence::Castled(_) => return (AccessPath::TouchedSquares, 0, pawns),
            FeaturePresence::Squares => {}
        }
    }
    if feature.needs == ReplayNeeds::PAWN_BITBOARDS {
        let relevant = |of: Color| match feature.scope {
            FeatureScope::Square(_) => region,
            FeatureScope::Files { .. } => file_fill(region) | adjacent_files(file_fill(region)),
            FeatureScope::Pawns([own, other]) => {
                let squares = if of == colour { own } else { other };
                if colour == Color::White { squares } else { squares.swap_bytes() }
            }
            FeatureScope::Check { .. } | FeatureScope::NoMoves { .. } | FeatureScope::Board => u64::MAX,
        };
        for (of, pawns) in [Color::White, Color::Black].into_iter().zip(&mut pawns) {
            let depends = feature.dependencies_for(colour)
                & plyfold_board::board::placement_change(PieceCode::new(of, Role::Pawn))
                != 0;
            *pawns = if depends { relevant(of) } else { 0 };
        }
        // On that path each side's pawns are counted by themselves.
        let is_one_sided = pawns.contains(&0);
        let has_whole_files = feature.scope == FeatureScope::Files { ranks: false } && region == file_fill(region);
        return (
            if has_whole_files && is_one_sided { AccessPath::PawnFileEvents } else { AccessPath::PawnEvents },
            0,
            pawns,
        );
    }
    match feature.scope {
        FeatureScope::Square(within) => {
            (AccessPath::TouchedSquares, region & within[usize::from(colour == Color::Black)], pawns)
        }
        FeatureScope::Check { .. } => (AccessPath::Checks, 0, pawns),
        FeatureScope::NoMoves { .. } => (AccessPath::GameEnds, 0, pawns),
        FeatureScope::Files { .. } | FeatureScope::Pawns(_) | FeatureScope::Board => (AccessPath::Replay, 0, pawns),
    }
}

/// At most 64 predicates by their numbers, as a word.
pub(in crate::scan) fn bits_of<'a>(predicates: impl Iterator<Item = &'a u8>) -> u64 {
    predicates.fold(0, |all, n| all | 1 << n)
}
