//! Stage 2, test: a feature compared with something, true or false at a position.

use alloc::boxed::Box;
use alloc::vec::Vec;

use shakmaty::{Color, Role};
use wide::u8x16;

use super::images::Images;
use super::measure::Feature;
use super::measure::numbers::Number;
use super::needs::Needs;
use super::when::When;
use crate::board::{Board, Change, EVERYTHING, Man, man, number_of, squares_of};
use crate::headers::HeaderTest;

/// How two numbers are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
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

impl Comparison {
    /// The sign as written.
    pub const fn sign(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::Unequal => "!=",
            Comparison::Less => "<",
            Comparison::AtMost => "<=",
            Comparison::More => ">",
            Comparison::AtLeast => ">=",
        }
    }

    pub(super) fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Comparison::Equal => left == right,
            Comparison::Unequal => left != right,
            Comparison::Less => left < right,
            Comparison::AtMost => left <= right,
            Comparison::More => left > right,
            Comparison::AtLeast => left >= right,
        }
    }
}

/// A number times the size of something on the board.
#[derive(Clone, PartialEq, Debug)]
pub struct Term {
    /// What it counts for.
    pub weight: i64,
    /// What is counted.
    pub size: Size,
}

impl Term {
    /// The sum of some terms on a board that keeps up all [`needs`](Term::needs) of them.
    pub fn sum(terms: &[Term], board: &Board) -> i64 {
        terms.iter().fold(0i64, |sum, term| {
            let size = match &term.size {
                Size::Number(man) => i64::from(board.number[usize::from(*man) & 15]),
                Size::Squares(squares) => i64::from(squares.on(board).count_ones()),
                Size::Measure(number) => (number.value)(board),
            };
            sum.saturating_add(term.weight.saturating_mul(size))
        })
    }

    /// What a replay must keep up for a sum.
    pub fn needs(terms: &[Term]) -> Needs {
        terms.iter().fold(Needs::PAWNS, |all, term| {
            all.and(match &term.size {
                Size::Number(_) => Needs::TALLY,
                Size::Squares(squares) => squares.feature.needs,
                Size::Measure(number) => number.needs,
            })
        })
    }
}

/// Something on the board that can be counted.
#[derive(Clone, PartialEq, Debug)]
pub enum Size {
    /// How many men of this code there are: read from the running tally.
    Number(Man),
    /// How many squares of a feature lie in a region.
    Squares(Squares),
    /// A number that is measured.
    Measure(&'static Number),
}

/// Squares of a feature of one side within a region.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Squares {
    /// What is measured.
    pub feature: &'static Feature,
    /// Whose.
    pub colour: Color,
    /// Where; all ones for anywhere.
    pub region: u64,
}

impl Squares {
    fn on(&self, board: &Board) -> u64 {
        (self.feature.squares)(board, self.colour) & self.region
    }

    /// The cheapest way to count these.
    pub fn counted(self) -> Size {
        match self.feature.role() {
            Some(role) if self.region == u64::MAX => Size::Number(man(self.colour, role)),
            _ => Size::Squares(self),
        }
    }
}

/// Features are told by their names.
impl PartialEq for Feature {
    fn eq(&self, other: &Feature) -> bool {
        self.name == other.name
    }
}

/// Numbers too.
impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.name == other.name
    }
}

/// How many men of each kind there may be, by code of the man.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// At least so many.
    pub least: [u8; 16],
    /// At most so many.
    pub most: [u8; 16],
}

impl Bounds {
    /// Any number of any man.
    pub const ANY: Bounds = Bounds { least: [0; 16], most: [u8::MAX; 16] };

    /// Whether these numbers, as [`Board::number`] has them, lie within.
    #[inline(always)]
    pub fn hold(&self, number: &[u8; 16]) -> bool {
        let [number, least, most] = [*number, self.least, self.most].map(u8x16::new);
        (number.max(least).simd_eq(number) & number.min(most).simd_eq(number)).all()
    }

    /// The numbers on which it depends.
    fn depends(&self) -> Change {
        let asked = |code: &u8| (self.least[usize::from(*code)], self.most[usize::from(*code)]) != (0, u8::MAX);
        (0..16).filter(asked).fold(0, |all, code| all | number_of(code))
    }
}

/// Some squares of a bitboard, and which of them are set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Masked {
    /// The squares that are looked at.
    pub mask: u64,
    /// Those of them that are set.
    pub value: u64,
}

impl Masked {
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
    pub white: Masked,
    /// Black's pawns.
    pub black: Masked,
}

impl PawnPattern {
    /// The pawns on which it depends.
    fn depends(&self) -> Change {
        let asked = |masked: Masked, code| if masked.mask == 0 { 0 } else { squares_of(code) };
        asked(self.white, man(Color::White, Role::Pawn)) | asked(self.black, man(Color::Black, Role::Pawn))
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
    fn depends(&self) -> Change {
        const MEN: u16 = 0x7e7e;
        shakmaty::Bitboard(self.squares).into_iter().fold(0, |all, square| {
            let allowed = self.allowed[square as usize];
            let told_by = if allowed & 1 == 0 { allowed } else { !allowed };
            (1..16).filter(|man| told_by & MEN & 1 << man != 0).fold(all, |all, man| all | squares_of(man))
        })
    }

    /// Whether the men on a mailbox stand so.
    #[inline]
    pub fn holds(&self, men: &[Man; 64]) -> bool {
        shakmaty::Bitboard(self.squares).into_iter().all(|square| {
            let square = square as usize;
            self.allowed[square] >> (men[square] & 15) & 1 != 0
        })
    }
}

/// Men that attack something.
#[derive(Clone, PartialEq, Debug)]
pub struct Attacks {
    /// Where they stand: the side's men on these squares.
    pub by: Squares,
    /// What they attack.
    pub target: Target,
}

/// What can be attacked.
#[derive(Clone, PartialEq, Debug)]
pub enum Target {
    /// Squares of a feature, of either side.
    Feature(Squares),
    /// Any of these squares, whatever stands there.
    Region(u64),
}

impl Attacks {
    /// Whether a man of the side on one of the squares `by` attacks a square of the target. Rays stop at every man; a man attacks what
    /// it defends, and attacks also where it is pinned.
    fn hold(&self, board: &Board) -> bool {
        let by = self.by.on(board);
        if by == 0 {
            return false;
        }
        let target = match &self.target {
            Target::Feature(squares) => squares.on(board),
            Target::Region(region) => *region,
        };
        target != 0 && board.attacked_from(self.by.colour, by) & target != 0
    }

    /// What must have changed for the answer to change.
    fn depends(&self) -> Change {
        let of = |squares: &Squares| squares.feature.depends_on(squares.colour);
        match (self.by.feature.role(), &self.target) {
            // Nothing stands in the way of these.
            (Some(Role::Pawn | Role::Knight | Role::King), Target::Feature(target)) => of(&self.by) | of(target),
            (Some(Role::Pawn | Role::Knight | Role::King), Target::Region(_)) => of(&self.by),
            _ => EVERYTHING,
        }
    }

    fn needs(&self) -> Needs {
        let target = match &self.target {
            Target::Feature(squares) => squares.feature.needs,
            Target::Region(_) => Needs::NOTHING,
        };
        Needs::BITS.and(self.by.feature.needs).and(target)
    }
}

/// True or false at a position.
#[derive(Clone, PartialEq, Debug)]
pub enum Predicate {
    /// A feature has a square in the region.
    Somewhere(Squares),
    /// No man stands in the region.
    Empty(u64),
    /// A sum of sizes, compared with a constant.
    Compare {
        /// What is added up.
        terms: Vec<Term>,
        /// How it is compared.
        comparison: Comparison,
        /// With what.
        constant: i64,
    },
    /// Men attack something.
    Attacks(Box<Attacks>),
    /// The side is to move.
    Turn(Color),
    /// The ply is one of these. Its number tells, and no board.
    When(When),
    /// The header of the game says so. The game tells, and no board.
    Header(HeaderTest),
    /// The numbers of men lie between bounds.
    Numbers(Box<Bounds>),
    /// Pawns stand so.
    Pawns(PawnPattern),
    /// Men stand so.
    Placement(Box<Placement>),
    /// Pawns stand in one of these ways.
    PawnImages(Box<[PawnPattern]>),
    /// Men stand in one of these ways.
    Images(Box<Images>),
    /// Castling rights and en passant, where they are asked for.
    Rights {
        /// Squares of the rooks that may castle.
        castling: Option<u64>,
        /// The square behind a pawn that can be taken en passant, or [`NO_SQUARE`](crate::board::NO_SQUARE).
        en_passant: Option<u8>,
    },
}

impl Predicate {
    /// Whether it holds. The board must have been kept up as [`needs`](Self::needs) says.
    pub fn test(&self, board: &Board) -> bool {
        match self {
            Predicate::Somewhere(squares) => squares.on(board) != 0,
            Predicate::Empty(region) => board.occupied() & region == 0,
            Predicate::Compare { terms, comparison, constant } => comparison.holds(Term::sum(terms, board), *constant),
            Predicate::Attacks(attacks) => attacks.hold(board),
            Predicate::Turn(colour) => board.turn() == *colour,
            // Whoever knows the game and the number of the ply asks that.
            Predicate::When(_) | Predicate::Header(_) => false,
            Predicate::Numbers(bounds) => bounds.hold(&board.number),
            Predicate::Pawns(pattern) => {
                pattern.holds(board.by(Color::White, Role::Pawn), board.by(Color::Black, Role::Pawn))
            }
            Predicate::PawnImages(patterns) => {
                let pawns = Color::ALL.map(|colour| board.by(colour, Role::Pawn));
                patterns.iter().any(|pattern| pattern.holds(pawns[0], pawns[1]))
            }
            Predicate::Images(images) => images.hold(board),
            Predicate::Placement(placement) => placement.holds(&board.men),
            Predicate::Rights { castling, en_passant } => {
                castling.is_none_or(|rooks| rooks == board.castling)
                    && en_passant.is_none_or(|square| square == board.en_passant)
            }
        }
    }

    /// What must have changed for its answer to change.
    pub fn depends(&self) -> Change {
        match self {
            Predicate::Somewhere(squares) => squares.feature.depends_on(squares.colour),
            Predicate::Empty(_)
            | Predicate::Turn(_)
            | Predicate::When(_)
            | Predicate::Header(_)
            | Predicate::Rights { .. } => EVERYTHING,
            Predicate::Placement(placement) => placement.depends(),
            Predicate::Images(images) => images.placements().iter().fold(0, |all, placement| all | placement.depends()),
            Predicate::Attacks(attacks) => attacks.depends(),
            Predicate::Numbers(bounds) => bounds.depends(),
            Predicate::Pawns(pattern) => pattern.depends(),
            Predicate::PawnImages(patterns) => patterns.iter().fold(0, |all, pattern| all | pattern.depends()),
            Predicate::Compare { terms, .. } => terms.iter().fold(0, |all, term| {
                all | match &term.size {
                    Size::Number(man) => number_of(*man),
                    Size::Squares(squares) => squares.feature.depends_on(squares.colour),
                    Size::Measure(number) => number.depends,
                }
            }),
        }
    }

    /// What the replay must keep up for it.
    pub fn needs(&self) -> Needs {
        match self {
            Predicate::Somewhere(squares) => squares.feature.needs,
            Predicate::Empty(_) => Needs::BITS,
            Predicate::Attacks(attacks) => attacks.needs(),
            Predicate::Turn(_) | Predicate::When(_) | Predicate::Header(_) => Needs::NOTHING,
            Predicate::Numbers(_) => Needs::TALLY,
            Predicate::Pawns(_) | Predicate::PawnImages(_) => Needs::PAWNS,
            Predicate::Placement(_) => Needs::MAILBOX,
            Predicate::Images(_) => Needs::BITS,
            Predicate::Rights { .. } => Needs::RIGHTS,
            Predicate::Compare { terms, .. } => Term::needs(terms),
        }
    }
}
