//! A planned predicate knows its access path: where a scan tests it, and what must change for its result to change.

use alloc::vec::Vec;

use shakmaty::{Color, Role};

use super::access_path::AccessPath;
use super::compiled_test::CompiledTest;
use crate::board::{Board, CASTLING_CHANGE, ChangeMask, PieceCode};
use crate::scan::measure::numbers::NumberOrigin;
use crate::scan::measure::{FeaturePresence, FeatureScope};
use crate::scan::measure::{adjacent_files, file_fill};
use crate::scan::predicate::{
    BoardQuantity, FeatureSquares, NumberComparison, PawnPattern, PlacementImages, PositionPredicate, SingleComparison,
    WeightedTerm,
};
use crate::scan::replay_needs::ReplayNeeds;

/// More squares than these are cheaper replayed than watched.
const MAX_WATCHED_SQUARES: u32 = 8;

/// Pawns on more squares than these are followed along their changes.
const MAX_WATCHED_PAWN_SQUARES: u32 = 4;

/// A predicate with what the scan wants to know of it.
#[derive(Clone, Debug)]
pub struct PlannedPredicate {
    /// Where it is tested.
    pub access_path: AccessPath,
    /// What must change for its answer to change.
    pub dependencies: ChangeMask,
    /// Pawns of White, and of Black, that it asks about.
    pub pawn_squares: [u64; 2],
    /// Squares that it asks about, if its source is the squares.
    pub squares: u64,
    /// What a replay must keep up for it, if its source is the board.
    pub needs: ReplayNeeds,
    pub(super) test: CompiledTest,
}

impl PlannedPredicate {
    /// Sorts the predicates of a query.
    pub fn plan_all(predicates: &[PositionPredicate]) -> Vec<PlannedPredicate> {
        let sorted: Vec<PlannedPredicate> =
            predicates.iter().map(|predicate| PlannedPredicate::new(predicate, false)).collect();
        if sorted.iter().all(|one| one.access_path != AccessPath::PawnEvents) {
            return sorted;
        }
        predicates.iter().map(|predicate| PlannedPredicate::new(predicate, true)).collect()
    }

    /// Sorts a predicate. Where changes of the pawns are `followed` anyway, whatever they say is tested along them.
    pub(in crate::scan) fn new(predicate: &PositionPredicate, follows_pawns: bool) -> PlannedPredicate {
        let (mut access_path, mut squares, mut pawns) = (AccessPath::Replay, 0, [u64::MAX; 2]);
        let path_for_squares = |squares: u64| {
            if squares.count_ones() <= MAX_WATCHED_SQUARES { AccessPath::TouchedSquares } else { AccessPath::Replay }
        };
        match predicate {
            PositionPredicate::Header(_) => access_path = AccessPath::Header,
            PositionPredicate::SideToMove(_) | PositionPredicate::Ply(_) => access_path = AccessPath::PlyNumber,
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
            PositionPredicate::Attacks(_)
            | PositionPredicate::PlacementImages(_)
            | PositionPredicate::Rights { .. } => {}
            PositionPredicate::Compare { terms, comparison, constant } => {
                (access_path, pawns) = plan_comparison(terms, *comparison, *constant);
            }
        }
        let depends = match access_path {
            // A feature says which men it is about; here it is about their numbers.
            AccessPath::MaterialEvents | AccessPath::AllEvents => {
                predicate.dependencies() | predicate.dependencies() << 16
            }
            AccessPath::TouchedSquares => predicate.dependencies() | CASTLING_CHANGE,
            _ => predicate.dependencies(),
        };
        let form = CompiledTest::new(predicate, access_path);
        PlannedPredicate {
            access_path,
            dependencies: depends,
            pawn_squares: pawns,
            squares,
            needs: predicate.needs(),
            test: form,
        }
    }

    /// Whether the predicate holds, where its source has kept up `board`.
    #[inline(always)]
    pub fn test(&self, board: &Board) -> bool {
        self.test.holds(board)
    }

    /// The images that it asks for, if it does.
    pub(in crate::scan) fn placement_images(&self) -> Option<&PlacementImages> {
        match &self.test {
            CompiledTest::Generic(predicate) => match &**predicate {
                PositionPredicate::PlacementImages(images) => Some(images),
                _ => None,
            },
            _ => None,
        }
    }

    /// The weights of a sum of numbers of men and the bounds between which it must lie, if that is what it asks for. The sum of any men that
    /// can be on a board fits into 16 bits.
    pub(in crate::scan) fn linear_sum(&self) -> Option<(&[i16; 16], i32, i32)> {
        match &self.test {
            CompiledTest::LinearSum(weights, least, most) => {
                let size: i32 = weights.iter().map(|weight| i32::from(weight.abs())).sum();
                (size < 1 << 8).then_some((&**weights, *least, *most))
            }
            _ => None,
        }
    }

    /// What a replay must keep up for those of `sorted` whose source is the board.
    pub fn replay_needs(sorted: &[PlannedPredicate]) -> ReplayNeeds {
        let on_board = sorted.iter().filter(|sorted| sorted.access_path == AccessPath::Replay);
        on_board.fold(ReplayNeeds::NONE, |all, sorted| all.union(sorted.needs))
    }
}

/// The access path of a comparison of a sum, and the pawns that it asks about.
fn plan_comparison(terms: &[WeightedTerm], comparison: NumberComparison, constant: i64) -> (AccessPath, [u64; 2]) {
    let has_piece_counts = terms.iter().any(|term| matches!(term.quantity, BoardQuantity::PieceCount(_)));
    let counted = terms.iter().filter_map(|term| match &term.quantity {
        BoardQuantity::SquareCount(squares) => Some(plan_feature_squares(&FeatureSquares { ..*squares })),
        BoardQuantity::Number(_) => Some((AccessPath::Replay, 0, [u64::MAX; 2])),
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
        NumberOrigin::Board => others,
        NumberOrigin::Clock => AccessPath::HalfmoveClock,
        NumberOrigin::Repetition => AccessPath::Repetition,
    };
    let both_streams = has_piece_counts && matches!(others, AccessPath::PawnFileEvents | AccessPath::PawnEvents);
    (if both_streams { AccessPath::AllEvents } else { others }, pawns)
}

/// Access path, squares and pawns of a feature's squares within a region; touched squares for any number of squares.
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
        let relevant = match feature.scope {
            FeatureScope::Square(_) => region,
            FeatureScope::Files { .. } => file_fill(region) | adjacent_files(file_fill(region)),
            FeatureScope::Board => u64::MAX,
        };
        for (colour, pawns) in [Color::White, Color::Black].into_iter().zip(&mut pawns) {
            let depends = feature.dependencies_for(squares.colour)
                & crate::board::placement_change(PieceCode::new(colour, Role::Pawn))
                != 0;
            *pawns = if depends { relevant } else { 0 };
        }
        let whole_files = feature.scope == FeatureScope::Files { ranks: false } && region == file_fill(region);
        return (if whole_files { AccessPath::PawnFileEvents } else { AccessPath::PawnEvents }, 0, pawns);
    }
    match feature.scope {
        FeatureScope::Square(within) => {
            (AccessPath::TouchedSquares, region & within[usize::from(colour == Color::Black)], pawns)
        }
        FeatureScope::Files { .. } | FeatureScope::Board => (AccessPath::Replay, 0, pawns),
    }
}

/// A bit each.
pub(in crate::scan) fn bits_of<'a>(predicates: impl Iterator<Item = &'a u8>) -> u64 {
    predicates.fold(0, |all, n| all | 1 << n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::compile;

    /// The source must say what the predicate says of a board that has all.
    #[test]
    fn who_has_castled_is_told_by_the_wings() {
        let mut board = Board::initial();
        for (text, wings) in [
            ("white castled", 0b0011),
            ("white castled_short", 0b0001),
            ("white castled_long", 0b0010),
            ("black castled", 0b1100),
            ("black castled_short", 0b0100),
            ("black castled_long", 0b1000),
        ] {
            let query = compile(text).expect("a query");
            let [planned] = &PlannedPredicate::plan_all(&query.predicates)[..] else { panic!("{text}") };
            assert_eq!(
                (planned.access_path, planned.square_constraints().castled),
                (AccessPath::TouchedSquares, wings)
            );
            for castled in 0..16 {
                board.castled_wings = castled;
                assert_eq!(planned.test(&board), castled & wings != 0, "{text}: {castled:04b}");
                assert_eq!(query.predicates[0].test(&board), castled & wings != 0, "{text}: {castled:04b}");
            }
        }
    }
}
