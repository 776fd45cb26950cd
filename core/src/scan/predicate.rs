//! Stage 2, test: a feature compared with something, true or false at a position.

use alloc::vec::Vec;

use shakmaty::{Color, Role};

use super::measure::Feature;
use super::needs::Needs;
use crate::board::{Board, Change, Man, man, number_of};

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

    fn holds(self, left: i64, right: i64) -> bool {
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
#[derive(Clone, Debug)]
pub struct Term {
    /// What it counts for.
    pub weight: i64,
    /// What is counted.
    pub size: Size,
}

/// Something on the board that can be counted.
#[derive(Clone, Debug)]
pub enum Size {
    /// How many men of this code there are: read from the running tally.
    Number(Man),
    /// How many squares of a feature lie in a region.
    Squares(Squares),
}

/// Squares of a feature of one side within a region.
#[derive(Clone, Copy, Debug)]
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
        let role = Role::ALL.into_iter().find(|role| role_name(*role) == self.feature.name);
        match role {
            Some(role) if self.region == u64::MAX => Size::Number(man(self.colour, role)),
            _ => Size::Squares(self),
        }
    }
}

impl PartialEq for Squares {
    fn eq(&self, other: &Squares) -> bool {
        (self.feature.name, self.colour, self.region) == (other.feature.name, other.colour, other.region)
    }
}

impl PartialEq for Size {
    fn eq(&self, other: &Size) -> bool {
        match (self, other) {
            (Size::Number(one), Size::Number(two)) => one == two,
            (Size::Squares(one), Size::Squares(two)) => one == two,
            _ => false,
        }
    }
}

impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        self.weight == other.weight && self.size == other.size
    }
}

/// The English name of a role, as in queries.
pub const fn role_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
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
}

impl Predicate {
    /// Whether it holds. The board must have been kept up as [`needs`](Self::needs) says.
    pub fn test(&self, board: &Board) -> bool {
        match self {
            Predicate::Somewhere(squares) => squares.on(board) != 0,
            Predicate::Empty(region) => board.occupied() & region == 0,
            Predicate::Compare { terms, comparison, constant } => {
                let sum = terms.iter().fold(0i64, |sum, term| {
                    let size = match &term.size {
                        Size::Number(man) => i64::from(board.number[usize::from(*man) & 15]),
                        Size::Squares(squares) => i64::from(squares.on(board).count_ones()),
                    };
                    sum.saturating_add(term.weight.saturating_mul(size))
                });
                comparison.holds(sum, *constant)
            }
        }
    }

    /// What must have changed for its answer to change.
    pub fn depends(&self) -> Change {
        match self {
            Predicate::Somewhere(squares) => squares.feature.depends_on(squares.colour),
            Predicate::Empty(_) => crate::board::EVERYTHING,
            Predicate::Compare { terms, .. } => terms.iter().fold(0, |all, term| {
                all | match &term.size {
                    Size::Number(man) => number_of(*man),
                    Size::Squares(squares) => squares.feature.depends_on(squares.colour),
                }
            }),
        }
    }

    /// What the replay must keep up for it.
    pub fn needs(&self) -> Needs {
        match self {
            Predicate::Somewhere(squares) => squares.feature.needs,
            Predicate::Empty(_) => Needs::BITS,
            Predicate::Compare { terms, .. } => terms.iter().fold(Needs::PAWNS, |all, term| {
                all.and(match &term.size {
                    Size::Number(_) => Needs::TALLY,
                    Size::Squares(squares) => squares.feature.needs,
                })
            }),
        }
    }
}
