//! Stage 2, test: a feature compared with something, true or false at a position.

use alloc::boxed::Box;
use alloc::vec::Vec;

use shakmaty::{Color, Role};
use wide::u8x16;

use super::images::PlacementImages;
use super::measure::BoardFeature;
use super::measure::numbers::NumericFeature;
use super::needs::ReplayNeeds;
use super::when::PlyFilter;
use crate::board::{ANY_CHANGE, Board, ChangeMask, PieceCode, count_change, piece_code, placement_change};
use crate::headers::HeaderTest;

/// How two numbers are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberComparison {
    /// `=`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
}

impl NumberComparison {
    /// The sign as written.
    pub const fn symbol(self) -> &'static str {
        match self {
            NumberComparison::Equal => "=",
            NumberComparison::Unequal => "!=",
            NumberComparison::Less => "<",
            NumberComparison::AtMost => "<=",
            NumberComparison::More => ">",
            NumberComparison::AtLeast => ">=",
        }
    }

    pub(super) fn holds(self, left: i64, right: i64) -> bool {
        match self {
            NumberComparison::Equal => left == right,
            NumberComparison::Unequal => left != right,
            NumberComparison::Less => left < right,
            NumberComparison::AtMost => left <= right,
            NumberComparison::More => left > right,
            NumberComparison::AtLeast => left >= right,
        }
    }
}

/// A number times the size of something on the board.
#[derive(Clone, PartialEq, Debug)]
pub struct WeightedTerm {
    /// What it counts for.
    pub weight: i64,
    /// What is counted.
    pub quantity: BoardQuantity,
}

impl WeightedTerm {
    /// The sum of some terms on a board that keeps up all [`needs`](WeightedTerm::needs) of them.
    pub fn sum(terms: &[WeightedTerm], board: &Board) -> i64 {
        terms.iter().fold(0i64, |sum, term| {
            let size = match &term.quantity {
                BoardQuantity::PieceCount(man) => i64::from(board.piece_counts[usize::from(*man) & 15]),
                BoardQuantity::SquareCount(squares) => i64::from(squares.on_board(board).count_ones()),
                BoardQuantity::Number(number) => (number.value)(board),
            };
            sum.saturating_add(term.weight.saturating_mul(size))
        })
    }

    /// What a replay must keep up for a sum.
    pub fn needs(terms: &[WeightedTerm]) -> ReplayNeeds {
        terms.iter().fold(ReplayNeeds::PAWN_BITBOARDS, |all, term| {
            all.union(match &term.quantity {
                BoardQuantity::PieceCount(_) => ReplayNeeds::PIECE_COUNTS,
                BoardQuantity::SquareCount(squares) => squares.feature.needs,
                BoardQuantity::Number(number) => number.needs,
            })
        })
    }
}

/// Something on the board that can be counted.
#[derive(Clone, PartialEq, Debug)]
pub enum BoardQuantity {
    /// How many men of this code there are: read from the running tally.
    PieceCount(PieceCode),
    /// How many squares of a feature lie in a region.
    SquareCount(FeatureSquares),
    /// A number that is measured.
    Number(&'static NumericFeature),
}

/// Squares of a feature of one side within a region.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FeatureSquares {
    /// What is measured.
    pub feature: &'static BoardFeature,
    /// Whose.
    pub colour: Color,
    /// Where; all ones for anywhere.
    pub region: u64,
}

impl FeatureSquares {
    fn on_board(&self, board: &Board) -> u64 {
        (self.feature.squares)(board, self.colour) & self.region
    }

    /// The cheapest way to count these.
    pub fn into_quantity(self) -> BoardQuantity {
        match self.feature.role() {
            Some(role) if self.region == u64::MAX => BoardQuantity::PieceCount(piece_code(self.colour, role)),
            _ => BoardQuantity::SquareCount(self),
        }
    }
}

/// Features are told by their names.
impl PartialEq for BoardFeature {
    fn eq(&self, other: &BoardFeature) -> bool {
        self.name == other.name
    }
}

/// Numbers too.
impl PartialEq for NumericFeature {
    fn eq(&self, other: &NumericFeature) -> bool {
        self.name == other.name
    }
}

/// How many men of each kind there may be, by code of the man.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceCountBounds {
    /// At least so many.
    pub min: [u8; 16],
    /// At most so many.
    pub max: [u8; 16],
}

impl PieceCountBounds {
    /// Any number of any man.
    pub const UNBOUNDED: PieceCountBounds = PieceCountBounds { min: [0; 16], max: [u8::MAX; 16] };

    /// Whether these numbers, as [`Board::piece_counts`] has them, lie within.
    #[inline(always)]
    pub fn contains(&self, number: &[u8; 16]) -> bool {
        let [number, least, most] = [*number, self.min, self.max].map(u8x16::new);
        (number.max(least).simd_eq(number) & number.min(most).simd_eq(number)).all()
    }

    /// The numbers on which it depends.
    fn dependencies(&self) -> ChangeMask {
        let is_bounded = |code: &u8| (self.min[usize::from(*code)], self.max[usize::from(*code)]) != (0, u8::MAX);
        (0..16).filter(is_bounded).fold(0, |all, code| all | count_change(code))
    }
}

/// Some squares of a bitboard, and which of them are set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SquareMask {
    /// The squares that are looked at.
    pub mask: u64,
    /// Those of them that are set.
    pub value: u64,
}

impl SquareMask {
    /// Whether just these squares of `squares` are set.
    #[inline(always)]
    pub const fn holds(self, squares: u64) -> bool {
        squares & self.mask == self.value
    }
}

/// Where pawns stand and where they do not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PawnPattern {
    /// White's pawns.
    pub white: SquareMask,
    /// Black's pawns.
    pub black: SquareMask,
}

impl PawnPattern {
    /// The pawns on which it depends.
    fn dependencies(&self) -> ChangeMask {
        let pawn_squares = |masked: SquareMask, code| if masked.mask == 0 { 0 } else { placement_change(code) };
        pawn_squares(self.white, piece_code(Color::White, Role::Pawn))
            | pawn_squares(self.black, piece_code(Color::Black, Role::Pawn))
    }

    /// Whether White's pawns and Black's stand so.
    #[inline(always)]
    pub const fn holds(&self, white: u64, black: u64) -> bool {
        self.white.holds(white) && self.black.holds(black)
    }
}

/// Which men may stand on which squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    /// The squares that are looked at.
    pub squares: u64,
    /// For each of them, bit `m` says that a man with code `m` may stand there; bit 0, that it may be empty.
    pub allowed: [u16; 64],
}

impl Placement {
    /// What must have changed for its answer to change: of each square those who may stand there, or those who may not, whichever side
    /// has none for "nobody".
    fn dependencies(&self) -> ChangeMask {
        const MEN: u16 = 0x7e7e;
        shakmaty::Bitboard(self.squares).into_iter().fold(0, |all, square| {
            let allowed = self.allowed[square as usize];
            let decisive = if allowed & 1 == 0 { allowed } else { !allowed };
            (1..16).filter(|man| decisive & MEN & 1 << man != 0).fold(all, |all, man| all | placement_change(man))
        })
    }

    /// Whether the men on a mailbox stand so.
    #[inline]
    pub fn holds(&self, mailbox: &[PieceCode; 64]) -> bool {
        shakmaty::Bitboard(self.squares).into_iter().all(|square| {
            let square = square as usize;
            self.allowed[square] >> (mailbox[square] & 15) & 1 != 0
        })
    }
}

/// Men that attack something.
#[derive(Clone, PartialEq, Debug)]
pub struct AttackPredicate {
    /// Where they stand: the side's men on these squares.
    pub attackers: FeatureSquares,
    /// What they attack.
    pub target: AttackTarget,
}

/// What can be attacked.
#[derive(Clone, PartialEq, Debug)]
pub enum AttackTarget {
    /// Squares of a feature, of either side.
    Feature(FeatureSquares),
    /// Any of these squares, whatever stands there.
    Region(u64),
}

impl AttackPredicate {
    /// Whether a man of the side on one of the squares `by` attacks a square of the target. Rays stop at every man; a man attacks what
    /// it defends, and attacks also where it is pinned.
    fn holds(&self, board: &Board) -> bool {
        let attackers = self.attackers.on_board(board);
        if attackers == 0 {
            return false;
        }
        let target = match &self.target {
            AttackTarget::Feature(squares) => squares.on_board(board),
            AttackTarget::Region(region) => *region,
        };
        target != 0 && board.attacked_from(self.attackers.colour, attackers) & target != 0
    }

    /// What must have changed for the answer to change.
    fn dependencies(&self) -> ChangeMask {
        let dependencies_of = |squares: &FeatureSquares| squares.feature.dependencies_for(squares.colour);
        match (self.attackers.feature.role(), &self.target) {
            // Nothing stands in the way of these.
            (Some(Role::Pawn | Role::Knight | Role::King), AttackTarget::Feature(target)) => {
                dependencies_of(&self.attackers) | dependencies_of(target)
            }
            (Some(Role::Pawn | Role::Knight | Role::King), AttackTarget::Region(_)) => dependencies_of(&self.attackers),
            _ => ANY_CHANGE,
        }
    }

    fn needs(&self) -> ReplayNeeds {
        let target = match &self.target {
            AttackTarget::Feature(squares) => squares.feature.needs,
            AttackTarget::Region(_) => ReplayNeeds::NONE,
        };
        ReplayNeeds::BITBOARDS.union(self.attackers.feature.needs).union(target)
    }
}

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
            PositionPredicate::PawnPattern(pattern) => {
                pattern.holds(board.pieces(Color::White, Role::Pawn), board.pieces(Color::Black, Role::Pawn))
            }
            PositionPredicate::PawnPatternImages(patterns) => {
                let pawns = Color::ALL.map(|colour| board.pieces(colour, Role::Pawn));
                patterns.iter().any(|pattern| pattern.holds(pawns[0], pawns[1]))
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
