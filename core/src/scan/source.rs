//! Where a predicate can be tested: the cheapest thing that says all it asks about.
//!
//! | source | what is looked at | for instance |
//! |---|---|---|
//! | [`Header`](AccessPath::Header) | nothing | `result 1-0` |
//! | [`PlyNumber`](AccessPath::PlyNumber) | nothing | who is to move, `move < 20` |
//! | [`MaterialEvents`](AccessPath::MaterialEvents) | captures and promotions | `queens_off`, `count(white rook) >= 2` |
//! | [`PawnFileEvents`](AccessPath::PawnFileEvents) | pawns that change files or go | `isolated_pawn on d` |
//! | [`PawnEvents`](AccessPath::PawnEvents) | changes of the pawns | `passed_pawn on d`, a structure |
//! | [`AllEvents`](AccessPath::AllEvents) | both | `count(passed_pawn) > count(queen)` |
//! | [`HalfmoveClock`](AccessPath::HalfmoveClock) | when there were captures, promotions and moves of pawns | `clock >= 20` |
//! | [`TouchedSquares`](AccessPath::TouchedSquares) | moves that touch some squares | `white pawn on e5`, `castled` |
//! | [`Repetition`](AccessPath::Repetition) | moves where none of these was for some plies | `repetition >= 3` |
//! | [`Replay`](AccessPath::Replay) | the replayed board | `check`, a whole placement |
//!
//! A predicate says by itself what it depends on; nobody chooses by name. Only pawns on a few squares are told by two sources that cost
//! the same; they go along with others that follow the pawns, if there are any.

use alloc::boxed::Box;
use alloc::vec::Vec;

use shakmaty::{Bitboard, Color, Role};
use wide::i16x8;

use super::clock::SingleComparison;
use super::images::PlacementImages;
use super::measure::numbers::NumberOrigin;
use super::measure::{FeaturePresence, FeatureScope, adjacent_files, file_fill};
use super::needs::ReplayNeeds;
use super::predicate::{BoardQuantity, FeatureSquares, NumberComparison, PawnPattern, PositionPredicate, WeightedTerm};
use crate::board::{Board, CASTLING_CHANGE, ChangeMask, PieceCode, piece_code};

/// Where a predicate is tested, the cheapest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum AccessPath {
    /// The header of the game.
    Header,
    /// The number of the ply.
    PlyNumber,
    /// The stream of captures and promotions.
    MaterialEvents,
    /// The stream of changes of the pawns, less those that stay on their file.
    PawnFileEvents,
    /// The stream of changes of the pawns.
    PawnEvents,
    /// Both streams.
    AllEvents,
    /// The plies of both streams.
    HalfmoveClock,
    /// The moves that touch some squares.
    TouchedSquares,
    /// The moves since the last event of both streams.
    Repetition,
    /// The board.
    Replay,
}

impl AccessPath {
    /// One word, for programs.
    pub const fn name(self) -> &'static str {
        match self {
            AccessPath::Header => "header",
            AccessPath::PlyNumber => "turn",
            AccessPath::MaterialEvents => "captures_and_promotions",
            AccessPath::PawnFileEvents => "changes_of_pawns_on_files",
            AccessPath::PawnEvents => "changes_of_pawns",
            AccessPath::AllEvents => "captures_promotions_and_changes_of_pawns",
            AccessPath::HalfmoveClock => "plies_of_captures_and_moves_of_pawns",
            AccessPath::TouchedSquares => "moves_that_touch_squares",
            AccessPath::Repetition => "moves_between_captures_and_moves_of_pawns",
            AccessPath::Replay => "board",
        }
    }

    /// What is looked at, in words that follow "from"; [`PlannedPredicate::squares`] has the squares.
    pub const fn description(self) -> &'static str {
        match self {
            AccessPath::Header => "the header of the game alone",
            AccessPath::PlyNumber => "the number of the ply alone",
            AccessPath::MaterialEvents => "captures and promotions alone",
            AccessPath::PawnFileEvents => "pawns that change files or go alone",
            AccessPath::PawnEvents => "changes of the pawns alone",
            AccessPath::AllEvents => "captures, promotions and changes of the pawns alone",
            AccessPath::HalfmoveClock => "the plies of captures and moves of pawns alone",
            AccessPath::TouchedSquares => "moves that touch some squares",
            AccessPath::Repetition => "moves between captures and moves of pawns",
            AccessPath::Replay => "the replayed board",
        }
    }
}

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
    test: CompiledTest,
}

/// How a predicate is tested, with everything looked up beforehand.
#[derive(Clone, Debug)]
enum CompiledTest {
    /// A man of this code stands on one of these squares.
    PieceOnSquares(usize, u64),
    /// A feature has one of these squares.
    FeatureOnSquares(fn(&Board, Color) -> u64, Color, u64),
    /// The numbers of men say so.
    MaterialFunction(fn(&[u8; 16], Color) -> bool, Color),
    /// One of these bits of [`Board::castled_wings`].
    Castled(u8),
    /// These men stand on all 64 squares.
    ExactPlacement(Box<[PieceCode; 64]>),
    /// A sum of the numbers of men, each with a weight, lies between these.
    LinearSum(Box<[i16; 16]>, i32, i32),
    /// As the predicate says.
    Generic(Box<PositionPredicate>),
}

impl CompiledTest {
    /// A comparison of a sum of nothing but numbers of men, none of them with a great weight.
    fn linear_sum(terms: &[WeightedTerm], comparison: NumberComparison, constant: i64) -> Option<CompiledTest> {
        const MAX_CONSTANT: i32 = 1 << 24;
        let mut weights = [0i16; 16];
        for term in terms {
            let BoardQuantity::PieceCount(man) = term.quantity else { return None };
            weights[usize::from(man) & 15] = i16::try_from(term.weight).ok().filter(|weight| weight.abs() < 1 << 10)?;
        }
        let constant = i32::try_from(constant).ok().filter(|constant| constant.abs() < MAX_CONSTANT)?;
        let (least, most) = match comparison {
            NumberComparison::Equal => (constant, constant),
            NumberComparison::Less => (-MAX_CONSTANT, constant - 1),
            NumberComparison::AtMost => (-MAX_CONSTANT, constant),
            NumberComparison::More => (constant + 1, MAX_CONSTANT),
            NumberComparison::AtLeast => (constant, MAX_CONSTANT),
            NumberComparison::Unequal => return None,
        };
        Some(CompiledTest::LinearSum(Box::new(weights), least, most))
    }

    fn new(predicate: &PositionPredicate, access_path: AccessPath) -> CompiledTest {
        match predicate {
            PositionPredicate::FeatureInRegion(FeatureSquares { feature, colour, region }) => {
                if *region == u64::MAX && access_path != AccessPath::Replay {
                    match feature.presence {
                        FeaturePresence::PieceCounts(any) => return CompiledTest::MaterialFunction(any, *colour),
                        FeaturePresence::Castled(wings) => return CompiledTest::Castled(castled_bits(wings, *colour)),
                        FeaturePresence::Squares => {}
                    }
                }
                match feature.role() {
                    Some(role) => CompiledTest::PieceOnSquares(piece_code(*colour, role).into(), *region),
                    None => CompiledTest::FeatureOnSquares(feature.squares, *colour, *region),
                }
            }
            PositionPredicate::Placement(placement) if placement.squares == u64::MAX => {
                match exact_mailbox(&placement.allowed) {
                    Some(men) => CompiledTest::ExactPlacement(Box::new(men)),
                    None => CompiledTest::Generic(Box::new(predicate.clone())),
                }
            }
            PositionPredicate::Compare { terms, comparison, constant } => {
                CompiledTest::linear_sum(terms, *comparison, *constant)
                    .unwrap_or_else(|| CompiledTest::Generic(Box::new(predicate.clone())))
            }
            predicate => CompiledTest::Generic(Box::new(predicate.clone())),
        }
    }
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
    pub(super) fn new(predicate: &PositionPredicate, follows_pawns: bool) -> PlannedPredicate {
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
                let has_piece_counts = terms.iter().any(|term| matches!(term.quantity, BoardQuantity::PieceCount(_)));
                let counted = terms.iter().filter_map(|term| match &term.quantity {
                    BoardQuantity::SquareCount(squares) => Some(plan_feature_squares(&FeatureSquares { ..*squares })),
                    BoardQuantity::Number(_) => Some((AccessPath::Replay, 0, [u64::MAX; 2])),
                    BoardQuantity::PieceCount(_) => None,
                });
                let mut others = AccessPath::MaterialEvents;
                pawns = [0; 2];
                for (term_path, _, seen_pawns) in counted {
                    let of_pawns = matches!(term_path, AccessPath::PawnFileEvents | AccessPath::PawnEvents);
                    others = others.max(if of_pawns { term_path } else { AccessPath::Replay });
                    pawns = [pawns[0] | seen_pawns[0], pawns[1] | seen_pawns[1]];
                }
                let number_source = match (&terms[..], SingleComparison::from_terms(terms, *comparison, *constant)) {
                    ([WeightedTerm { quantity: BoardQuantity::Number(number), .. }], Some(_)) => number.derived_from,
                    _ => NumberOrigin::Board,
                };
                others = match number_source {
                    NumberOrigin::Board => others,
                    NumberOrigin::Clock => AccessPath::HalfmoveClock,
                    NumberOrigin::Repetition => AccessPath::Repetition,
                };
                access_path =
                    if has_piece_counts && matches!(others, AccessPath::PawnFileEvents | AccessPath::PawnEvents) {
                        AccessPath::AllEvents
                    } else {
                        others
                    };
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
        match &self.test {
            CompiledTest::PieceOnSquares(code, region) => board.bitboards[code & 15] & region != 0,
            CompiledTest::FeatureOnSquares(squares, colour, region) => squares(board, *colour) & region != 0,
            CompiledTest::MaterialFunction(any, colour) => any(&board.piece_counts, *colour),
            CompiledTest::Castled(wings) => board.castled_wings & wings != 0,
            CompiledTest::ExactPlacement(men) => board.mailbox == **men,
            CompiledTest::LinearSum(weights, least, most) => {
                // PERF: one vector of products instead of a loop over terms.
                let number =
                    |half: usize| i16x8::new(core::array::from_fn(|nth| board.piece_counts[half * 8 + nth].into()));
                let weights = |half: usize| i16x8::new(core::array::from_fn(|nth| weights[half * 8 + nth]));
                let sum = (number(0).dot(weights(0)) + number(1).dot(weights(1))).reduce_add();
                *least <= sum && sum <= *most
            }
            CompiledTest::Generic(predicate) => match &**predicate {
                PositionPredicate::PieceCounts(bounds) => bounds.contains(&board.piece_counts),
                PositionPredicate::PawnPattern(pattern) => pattern.holds(board.bitboards[1], board.bitboards[9]),
                PositionPredicate::PlacementImages(images) => images.matches(board),
                predicate => predicate.test(board),
            },
        }
    }

    /// The images that it asks for, if it does.
    pub(super) fn placement_images(&self) -> Option<&PlacementImages> {
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
    pub(super) fn linear_sum(&self) -> Option<(&[i16; 16], i32, i32)> {
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

    /// What it asks of each of its squares, if its source is the squares.
    pub(super) fn square_constraints(&self) -> SquareConstraints {
        let each = |allowed: &dyn Fn(u8) -> u16| -> Vec<(u8, u16)> {
            Bitboard(self.squares).into_iter().map(|square| (square as u8, allowed(square as u8))).collect()
        };
        let all = SquareConstraints { any_suffices: false, castled: 0, squares: Vec::new() };
        let any = SquareConstraints { any_suffices: true, ..all.clone() };
        match &self.test {
            CompiledTest::PieceOnSquares(code, _) => SquareConstraints { squares: each(&|_| 1 << (code & 15)), ..any },
            CompiledTest::FeatureOnSquares(squares, colour, _) => {
                let men = |castled| each(&|square| pieces_satisfying(*squares, *colour, square, castled));
                let wings = if men(0) == men(15) {
                    0
                } else {
                    [1, 2, 4, 8].into_iter().filter(|&wing| men(wing) == men(15)).sum()
                };
                SquareConstraints { squares: men(15), castled: wings, ..any }
            }
            CompiledTest::Castled(wings) => SquareConstraints { castled: *wings, ..all },
            CompiledTest::Generic(predicate) => match &**predicate {
                PositionPredicate::Placement(placement) => {
                    SquareConstraints { squares: each(&|square| placement.allowed[usize::from(square)]), ..all }
                }
                _ => SquareConstraints { squares: each(&|_| 1), ..all },
            },
            CompiledTest::MaterialFunction(..) | CompiledTest::LinearSum(..) | CompiledTest::ExactPlacement(_) => all,
        }
    }
}

/// What a predicate asks of its squares, each taken by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SquareConstraints {
    /// The squares and what may stand there: bit `m` for a man with code `m`, bit 0 for none.
    pub squares: Vec<(u8, u16)>,
    /// Whether one of them is enough.
    pub any_suffices: bool,
    /// If not 0, one of these bits of [`Board::castled_wings`] is asked for as well.
    pub castled: u8,
}

/// Which men make a square one of a feature's, where that depends on nothing else but who has castled.
pub(super) fn pieces_satisfying(squares: fn(&Board, Color) -> u64, colour: Color, square: u8, castled: u8) -> u16 {
    let mut board = Board::from_start(&bytemuck::Zeroable::zeroed());
    board.castled_wings = castled;
    let mut men = 0;
    for code in (0..16).filter(|code| !matches!(code, 7 | 8 | 15)) {
        board.mailbox[usize::from(square)] = code;
        board.bitboards = [0; 16];
        board.bitboards[usize::from(code)] = 1 << square;
        men |= u16::from(squares(&board, colour) >> square & 1 != 0) << code;
    }
    men
}

/// The bits of [`Board::castled_wings`] for wings (bit 0 short, bit 1 long) of a side.
const fn castled_bits(wings: u8, colour: Color) -> u8 {
    match colour {
        Color::White => wings,
        Color::Black => wings << 2,
    }
}

/// Source, squares and pawns of a feature's squares within a region; `Squares` for any number of squares.
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
                & crate::board::placement_change(piece_code(colour, Role::Pawn))
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

/// The one man that is allowed on each square, if it is one everywhere.
fn exact_mailbox(allowed: &[u16; 64]) -> Option<[PieceCode; 64]> {
    let one = allowed.iter().all(|men| men.count_ones() == 1);
    one.then(|| allowed.map(|men| men.trailing_zeros() as PieceCode))
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
