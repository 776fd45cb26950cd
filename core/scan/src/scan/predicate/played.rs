//! A move predicate tests the move that led to a position: who moved which piece from where to where, what it captured, whether
//! it promoted or castled.
//!
//! The packed move and the piece that it captured decide all of this, so no board is needed.

use alloc::boxed::Box;

use plyfold_board::board::PieceCode;
use plyfold_board::board::make::castling_targets;
use plyfold_board::matsig::target::MaterialBounds;
use plyfold_board::moves::Move;
use shakmaty::{Color, Role};

use super::sacrifice::Sacrifice;
use super::{Predicate, TestedPly, side_index};
use crate::scan::access_path::{AccessPath, PredicateAccess};

/// The wing of a castling move, as a bit of [`MovePredicate::wings`].
pub const SHORT_WING: u8 = 1;
/// The other wing.
pub const LONG_WING: u8 = 2;
/// The kinds of captures, promotions and moves of pawns: bit `role` for a plain move, bit `8 + role` for a special one.
const PAWN_KINDS: u16 = 1 << 1 | 1 << 9 | PROMOTION_KINDS;
const PROMOTION_KINDS: u16 = 0b1111 << 10;
const EN_PASSANT_KIND: u16 = 1 << 9;
const CASTLING_KIND: u16 = 1 << 14;

/// A ply as it was played, with what its packed move does not say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayedPly {
    /// The move.
    pub mv: Move,
    /// The side that moved.
    pub mover: Color,
    /// The role of the captured piece, if there is one.
    pub captured: Option<Role>,
}

/// The direction of a move, as the side that moves sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveDirection {
    /// To a rank farther from the side's first rank.
    Forward,
    /// To a rank nearer to it.
    Backward,
}

impl MoveDirection {
    /// The names as written in queries.
    pub const NAMED: &[(&str, MoveDirection)] =
        &[("forward", MoveDirection::Forward), ("backward", MoveDirection::Backward)];

    /// The name.
    pub fn name(self) -> &'static str {
        Self::NAMED[self as usize].0
    }

    fn holds(self, colour: Color, from: usize, to: usize) -> bool {
        let is_up = to >> 3 > from >> 3;
        to >> 3 != from >> 3 && is_up == (colour.is_white() == (self == MoveDirection::Forward))
    }
}

/// The line along which a piece moves to another square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveLine {
    /// A file.
    File,
    /// A rank.
    Rank,
    /// A diagonal.
    Diagonal,
}

impl MoveLine {
    /// The names as written in queries.
    pub const NAMED: &[(&str, MoveLine)] =
        &[("file", MoveLine::File), ("rank", MoveLine::Rank), ("diagonal", MoveLine::Diagonal)];

    /// The name.
    pub fn name(self) -> &'static str {
        Self::NAMED[self as usize].0
    }

    fn holds(self, from: usize, to: usize) -> bool {
        let (files, ranks) = ((from & 7).abs_diff(to & 7), (from >> 3).abs_diff(to >> 3));
        match self {
            MoveLine::File => files == 0 && ranks > 0,
            MoveLine::Rank => ranks == 0 && files > 0,
            MoveLine::Diagonal => files == ranks && files > 0,
        }
    }
}

/// What a move must capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CaptureRule {
    /// Anything or nothing.
    Any,
    /// Nothing.
    Nothing,
    /// A piece of one of these roles, a bit each by its code.
    Takes(u8),
    /// The same, on the square on which the ply before captured.
    Retakes(u8),
}

impl CaptureRule {
    /// Pieces of every role.
    pub const ANY_ROLE: u8 = 0b0111_1110;
}

/// A test of the move of one side that led to a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MovePredicate {
    /// The side that moved.
    pub colour: Color,
    /// The kinds of moves: bit `role` for a plain move, bit `8 + role` for en passant, promotion and castling.
    pub kinds: u16,
    /// Where the piece comes from.
    pub from: u64,
    /// Where it arrives; the king in castling.
    pub to: u64,
    /// The wings to which it may castle.
    pub wings: u8,
    /// Its direction, if that matters.
    pub direction: Option<MoveDirection>,
    /// Its line, if that matters.
    pub line: Option<MoveLine>,
    /// What it captures.
    pub capture: CaptureRule,
    /// What it gives, if that matters; then [`capture`](Self::capture) is any or nothing.
    pub sacrifice: Option<Sacrifice>,
}

impl MovePredicate {
    /// Any move of a side, but no null move.
    pub const fn any(colour: Color) -> MovePredicate {
        MovePredicate {
            colour,
            kinds: 0b0111_1110_0111_1110,
            from: u64::MAX,
            to: u64::MAX,
            wings: SHORT_WING | LONG_WING,
            direction: None,
            line: None,
            capture: CaptureRule::Any,
            sacrifice: None,
        }
    }

    /// Only moves of a piece that was of this role before the move.
    #[must_use]
    pub fn by_role(mut self, role: Role) -> MovePredicate {
        self.kinds &= match role {
            Role::Pawn => PAWN_KINDS,
            Role::King => 1 << Role::King as u16 | CASTLING_KIND,
            role => 1 << role as u16,
        };
        self
    }

    /// Only promotions to one of these roles, a bit each by its code.
    #[must_use]
    pub fn promoting(mut self, roles: u8) -> MovePredicate {
        self.kinds &= (u16::from(roles) << 8) & PROMOTION_KINDS;
        self
    }

    /// Only castling to one of these wings.
    #[must_use]
    pub fn castling(mut self, wings: u8) -> MovePredicate {
        (self.kinds, self.wings) = (self.kinds & CASTLING_KIND, self.wings & wings);
        self
    }

    /// Only captures en passant.
    #[must_use]
    pub fn en_passant(mut self) -> MovePredicate {
        self.kinds &= EN_PASSANT_KIND;
        self
    }

    /// Only moves that capture nothing and promote no pawn.
    #[must_use]
    pub fn quiet(mut self) -> MovePredicate {
        let captures = !matches!(self.capture, CaptureRule::Any | CaptureRule::Nothing);
        self.kinds &= if captures { 0 } else { !(PROMOTION_KINDS | EN_PASSANT_KIND) };
        self.capture = CaptureRule::Nothing;
        self
    }

    /// Returns whether the packed move, alone, may be such a move. Who moves and what is captured are not tested.
    pub fn allows(&self, mv: Move) -> bool {
        let (kind, from) = (mv.bits() >> 12, mv.origin());
        let mut to = mv.target();
        if mv.is_castling() {
            let wing = if to > from { SHORT_WING } else { LONG_WING };
            if self.wings & wing == 0 {
                return false;
            }
            to = castling_targets(from, to).0;
        }
        self.kinds >> kind & 1 != 0
            && self.from >> from & 1 != 0
            && self.to >> to & 1 != 0
            && self.direction.is_none_or(|direction| direction.holds(self.colour, from, to))
            && self.line.is_none_or(|line| line.holds(from, to))
    }

    /// The role of the piece that arrives, if only one can.
    pub(in crate::scan) fn only_arriving_role(&self) -> Option<Role> {
        const LAST_RANKS: u64 = 0xff << 56 | 0xff;
        let promotions = if self.to & LAST_RANKS == 0 { PROMOTION_KINDS } else { 0 };
        let kinds = self.kinds & !promotions;
        let roles = (kinds | kinds >> 8) & 0xff;
        Role::ALL.into_iter().find(|role| roles == 1 << *role as u16)
    }

    /// Returns whether ply `at` of a game, from 1, is such a move; `plies` has all plies of the game.
    pub fn holds(&self, plies: &[PlayedPly], at: usize) -> bool {
        let [earlier @ .., ply] = &plies[..at] else { return false };
        let takes = |roles: u8| ply.captured.is_some_and(|role| roles >> role as u8 & 1 != 0);
        ply.mover == self.colour
            && self.allows(ply.mv)
            && self.sacrifice.is_none_or(|sacrifice| sacrifice.holds_in(plies, at))
            && match self.capture {
                CaptureRule::Any => true,
                CaptureRule::Nothing => ply.captured.is_none(),
                CaptureRule::Takes(roles) => takes(roles),
                CaptureRule::Retakes(roles) => {
                    takes(roles)
                        && earlier
                            .last()
                            .is_some_and(|before| before.captured.is_some() && before.mv.target() == ply.mv.target())
                }
            }
    }
}

/// Needs no board.
impl Predicate for MovePredicate {
    fn test_after(&self, at: &mut TestedPly<'_, '_>) -> bool {
        self.holds(at.played, at.ply)
    }

    fn access(&self, _: bool) -> PredicateAccess {
        PredicateAccess::by(AccessPath::Moves)
    }

    /// After the move, the piece stands where it has arrived.
    fn implied(&self) -> MaterialBounds {
        let mut bounds = MaterialBounds::default();
        if let Some(role) = self.only_arriving_role() {
            bounds.min_pieces[PieceCode::new(self.colour, role)] = 1;
            if role == Role::Pawn && self.to.count_ones() == 1 {
                bounds.required_pawns[side_index(self.colour)] = self.to;
            }
        }
        bounds
    }
}

/// The moves up to the position, from the first one of the game, are exactly these. This needs no board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FirstMoves(pub Box<[Move]>);

impl Predicate for FirstMoves {
    fn test_after(&self, at: &mut TestedPly<'_, '_>) -> bool {
        self.0.len() == at.ply && self.0.iter().zip(at.played).all(|(&mv, played)| played.mv == mv)
    }

    fn access(&self, _: bool) -> PredicateAccess {
        PredicateAccess::by(AccessPath::Moves)
    }
}
