//! A compiled test is a predicate prepared for a scan: everything that can be computed before the first game has been computed.

use alloc::boxed::Box;

use plyfold_board::board::{ByPiece, PieceCode};
use shakmaty::Color;
use wide::i16x8;

use crate::scan::access_path::AccessPath;
use crate::scan::measure::measured_board::MeasuredBoard;
use crate::scan::measure::{BoardFeature, FeaturePresence};
use crate::scan::predicate::{BoardQuantity, FeatureSquares, PositionPredicate, SumComparison};

/// The prepared test of a predicate.
#[derive(Clone, Debug)]
pub(super) enum CompiledTest {
    /// A piece with this code stands on one of these squares.
    PieceOnSquares(PieceCode, u64),
    /// A feature has one of these squares.
    FeatureOnSquares(&'static BoardFeature, Color, u64),
    /// A function of the piece counts is true.
    MaterialFunction(fn(&ByPiece<u8>, Color) -> bool, Color),
    /// One of these bits of [`Board::castled_wings`] is set.
    Castled(u8),
    /// The mailbox has exactly these 64 entries.
    ExactPlacement(Box<[PieceCode; 64]>),
    /// A weighted sum of the piece counts lies between these two bounds, both included.
    LinearSum(Box<[i16; 16]>, i32, i32),
    /// The predicate is tested itself.
    Generic(Box<PositionPredicate>),
}

impl CompiledTest {
    /// The comparison of a sum, if all terms are piece counts and weights and constant are small.
    fn linear_sum(&SumComparison { ref terms, comparison, constant }: &SumComparison) -> Option<CompiledTest> {
        const MAX_CONSTANT: i64 = 1 << 24;
        let mut weights = [0i16; 16];
        for term in terms {
            let BoardQuantity::PieceCount(piece) = term.quantity else { return None };
            weights[piece.index()] = i16::try_from(term.weight).ok().filter(|weight| weight.abs() < 1 << 10)?;
        }
        let (least, most) = comparison.range(constant).filter(|_| constant.unsigned_abs() < MAX_CONSTANT as u64)?;
        let bound = |bound: i64| bound.clamp(-MAX_CONSTANT, MAX_CONSTANT) as i32;
        Some(CompiledTest::LinearSum(Box::new(weights), bound(least), bound(most)))
    }

    pub fn new(predicate: &PositionPredicate, access_path: AccessPath) -> CompiledTest {
        let special = match predicate {
            PositionPredicate::FeatureInRegion(FeatureSquares { feature, colour, region }) => {
                let is_presence = *region == u64::MAX && access_path != AccessPath::Replay;
                Some(match (feature.presence, feature.role()) {
                    (FeaturePresence::PieceCounts(any), _) if is_presence => {
                        CompiledTest::MaterialFunction(any, *colour)
                    }
                    // The bits of Black's wings follow those of White's.
                    (FeaturePresence::Castled(wings), _) if is_presence => {
                        CompiledTest::Castled(wings << if colour.is_white() { 0 } else { 2 })
                    }
                    (_, Some(role)) => CompiledTest::PieceOnSquares(PieceCode::new(*colour, role), *region),
                    (_, None) => CompiledTest::FeatureOnSquares(feature, *colour, *region),
                })
            }
            PositionPredicate::Placement(placement) if placement.squares == u64::MAX => {
                exact_mailbox(&placement.allowed).map(|mailbox| CompiledTest::ExactPlacement(Box::new(mailbox)))
            }
            PositionPredicate::Compare(compared) => CompiledTest::linear_sum(compared),
            _ => None,
        };
        special.unwrap_or_else(|| CompiledTest::Generic(Box::new(predicate.clone())))
    }

    /// Returns whether the predicate holds on `board`, which its access path has kept up to date.
    #[inline(always)]
    pub fn holds(&self, board: &MeasuredBoard<'_>) -> bool {
        match self {
            CompiledTest::PieceOnSquares(code, region) => board.bitboards[*code] & region != 0,
            CompiledTest::FeatureOnSquares(feature, colour, region) => (feature.squares)(board, *colour) & region != 0,
            CompiledTest::MaterialFunction(any, colour) => any(&board.piece_counts, *colour),
            CompiledTest::Castled(wings) => board.castled_wings & wings != 0,
            // PERF: compares all squares without an early exit, so that the compiler can use vectors.
            CompiledTest::ExactPlacement(mailbox) => board
                .mailbox
                .iter()
                .zip(mailbox.iter())
                .fold(true, |same, (piece, expected)| same & (piece == expected)),
            CompiledTest::LinearSum(weights, least, most) => {
                // PERF: one vector of products instead of a loop over terms.
                let counts = board.piece_counts.as_array();
                let number = |half: usize| i16x8::new(core::array::from_fn(|nth| counts[half * 8 + nth].into()));
                let weights = |half: usize| i16x8::new(core::array::from_fn(|nth| weights[half * 8 + nth]));
                let sum = (number(0).dot(weights(0)) + number(1).dot(weights(1))).reduce_add();
                *least <= sum && sum <= *most
            }
            CompiledTest::Generic(predicate) => match &**predicate {
                PositionPredicate::PieceCounts(bounds) => bounds.contains(&board.piece_counts),
                PositionPredicate::PawnPattern(pattern) => pattern.holds(board.pawns()),
                PositionPredicate::PlacementImages(images) => images.matches(board),
                predicate => predicate.test_measured(board),
            },
        }
    }
}

/// The mailbox that a placement allows, if every square allows exactly one code.
fn exact_mailbox(allowed: &[u16; 64]) -> Option<[PieceCode; 64]> {
    let one = allowed.iter().all(|codes| codes.count_ones() == 1);
    one.then(|| allowed.map(|codes| PieceCode::from_bits(codes.trailing_zeros() as u8)))
}
