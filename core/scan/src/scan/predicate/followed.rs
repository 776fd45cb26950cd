//! A followed piece is one piece of a game under a name. It keeps its identity when it moves, promotes or castles.
//!
//! A test of followed pieces needs to know which pieces the names mean. A scan tries every choice of pieces.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use plyfold_board::board::{ANY_CHANGE, Board, ChangeMask};
use shakmaty::{Color, Role};

use super::relation::between;
use super::{Predicate, SquareSet, TestedPly};
use crate::scan::access_path::{AccessPath, PredicateAccess};
use crate::scan::measure::measured_board::MeasuredBoard;
use crate::scan::measure::pieces::ANY_PIECE;
use crate::scan::replay_needs::ReplayNeeds;

/// The most names in a query.
pub const MAX_NAMES: usize = 8;

/// The name of a followed piece: letters, digits and `_`, beginning with a letter, without regard to case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceName([u8; PieceName::MAX_LENGTH]);

impl PieceName {
    /// The most bytes of a name.
    pub const MAX_LENGTH: usize = 16;

    /// The name that a word is, unless it is too long or has other characters.
    pub fn new(word: &str) -> Option<PieceName> {
        let is_valid = word.starts_with(|first: char| first.is_ascii_alphabetic())
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let mut letters = [0; PieceName::MAX_LENGTH];
        letters.get_mut(..word.len()).filter(|_| is_valid)?.copy_from_slice(word.to_ascii_uppercase().as_bytes());
        Some(PieceName(letters))
    }
}

/// Writes the name in capitals.
impl fmt::Display for PieceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.0.iter().position(|&byte| byte == 0).unwrap_or(self.0.len());
        f.write_str(core::str::from_utf8(&self.0[..length]).unwrap_or_default())
    }
}

/// A name of a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NamedPiece {
    /// The index of the name in the query, below [`MAX_NAMES`].
    pub index: u8,
    /// The name.
    pub name: PieceName,
}

impl NamedPiece {
    /// The name as a set, a bit by its index.
    pub fn bit(self) -> u8 {
        1 << (self.index & 7)
    }
}

/// The pieces that a name may mean: those that stand in one of these sets at some position of the game, the start position
/// included. If there is none, the name means no piece.
#[derive(Clone, PartialEq, Debug)]
pub struct NameDomain {
    /// The name.
    pub name: PieceName,
    /// The sets, one for each colour that the piece may have.
    pub places: Vec<SquareSet>,
}

impl NameDomain {
    /// Returns how many pieces the name may mean in any game that begins from the initial position.
    pub fn max_pieces(&self) -> u64 {
        self.places.iter().map(|place| u64::from(place.max_pieces())).sum()
    }
}

/// Where the named pieces stand at a position, and what the last move did with them. Indices and bits are those of the names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NamedPieces {
    /// The square of each piece as a set; empty if it has been captured.
    pub squares: [u64; MAX_NAMES],
    /// The squares that each piece has left by moving, and the one that it left last, if a test of the query asks for them.
    pub left: [LeftByMoving; MAX_NAMES],
    /// The pieces that the last move moved; in castling the king.
    pub moved: u8,
    /// The pieces that the last move captured.
    pub captured: u8,
}

impl NamedPieces {
    /// Squares that a piece has left.
    pub(super) fn left_by(&self, piece: NamedPiece, which: LeftSquares) -> u64 {
        let left = self.left[usize::from(piece.index)];
        match which {
            LeftSquares::Trail => left.trail,
            LeftSquares::Origin => left.origin,
        }
    }
}

/// The squares that a piece has left by moving.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LeftByMoving {
    /// All of them.
    pub trail: u64,
    /// The last one; empty if the piece has not moved.
    pub origin: u64,
}

/// Which of the squares that a piece has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeftSquares {
    /// All of them.
    Trail,
    /// The one from which its last move went.
    Origin,
}

impl LeftSquares {
    /// Each with its word.
    pub const NAMED: &[(&str, LeftSquares)] = &[("trail", LeftSquares::Trail), ("origin", LeftSquares::Origin)];

    /// Its word.
    pub fn word(self) -> &'static str {
        Self::NAMED.iter().find(|(_, which)| *which == self).map_or("", |(word, _)| word)
    }
}

/// A test that depends on which pieces some names mean.
#[derive(Clone, PartialEq, Debug)]
pub enum FollowedTest {
    /// A set of squares is not empty.
    Squares(Box<SquareSet>),
    /// The piece has just moved.
    Moves(NamedPiece),
    /// The piece has just been captured.
    IsCaptured(NamedPiece),
}

impl FollowedTest {
    /// Returns whether the test holds at a position.
    pub fn holds(&self, board: &Board, named: &NamedPieces) -> bool {
        match self {
            FollowedTest::Squares(set) => set.on_board_with(&MeasuredBoard::new(board), named) != 0,
            FollowedTest::Moves(piece) => named.moved & piece.bit() != 0,
            FollowedTest::IsCaptured(piece) => named.captured & piece.bit() != 0,
        }
    }

    /// The names, a bit each.
    pub fn names(&self) -> u8 {
        match self {
            FollowedTest::Squares(set) => set.names(),
            FollowedTest::Moves(piece) | FollowedTest::IsCaptured(piece) => piece.bit(),
        }
    }

    /// Whether the test depends on the squares that a piece has left.
    pub(in crate::scan) fn asks_what_is_left(&self) -> bool {
        matches!(self, FollowedTest::Squares(set) if set.asks_what_is_left())
    }

    /// Whether the pieces and their paths alone decide the test.
    pub(in crate::scan) fn is_of_paths(&self) -> bool {
        match self {
            FollowedTest::Squares(set) => set.is_local() && set.only_piece().is_some() || set.is_of_paths(),
            FollowedTest::Moves(_) | FollowedTest::IsCaptured(_) => true,
        }
    }
}

/// Needs the choice of pieces as well as the board and the move.
impl Predicate for FollowedTest {
    fn test_after(&self, at: &mut TestedPly<'_, '_>) -> bool {
        self.holds(at.board, &at.game.named)
    }

    fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
        let needs = match self {
            FollowedTest::Squares(set) => set.declaration().1,
            FollowedTest::Moves(_) | FollowedTest::IsCaptured(_) => ReplayNeeds::NONE,
        };
        (ANY_CHANGE, needs)
    }

    fn access(&self, _: bool) -> PredicateAccess {
        PredicateAccess::by(AccessPath::Followed)
    }
}

impl SquareSet {
    /// The names in the set, a bit each.
    pub fn names(&self) -> u8 {
        let own = match self {
            SquareSet::Named { piece, .. } | SquareSet::Left { piece, .. } => piece.bit(),
            _ => 0,
        };
        self.parts().fold(own, |all, part| all | part.names())
    }

    /// Whether the set depends on the squares that a piece has left.
    fn asks_what_is_left(&self) -> bool {
        matches!(self, SquareSet::Left { .. }) || self.parts().any(SquareSet::asks_what_is_left)
    }

    /// The most pieces of a side that can stand in the set in the course of one game from the initial position: pawns promote.
    fn max_pieces(&self) -> u32 {
        const ANY: u32 = 16;
        match self {
            SquareSet::Feature(squares) => match squares.feature.role() {
                Some(Role::King) => 1,
                Some(Role::Pawn) => 8,
                Some(Role::Queen) => 9,
                Some(_) => 10,
                None => ANY,
            },
            SquareSet::All(parts) => parts.iter().map(SquareSet::max_pieces).min().unwrap_or(ANY),
            SquareSet::Any(parts) => parts.iter().map(SquareSet::max_pieces).sum::<u32>().min(ANY),
            SquareSet::Attacking { pieces, .. } | SquareSet::XRaying { pieces, .. } => pieces.max_pieces(),
            SquareSet::Named { .. } => 1,
            SquareSet::Region(_)
            | SquareSet::Left { .. }
            | SquareSet::Not(_)
            | SquareSet::Related { .. }
            | SquareSet::Between(_) => ANY,
        }
    }

    /// Whether the square and kind of a piece decide whether it stands in the set, whatever else is on the board.
    pub(in crate::scan) fn is_local(&self) -> bool {
        match self {
            SquareSet::Region(_) | SquareSet::Named { .. } | SquareSet::Left { .. } => true,
            SquareSet::Feature(squares) => squares.feature.role().is_some() || squares.feature.name == ANY_PIECE.name,
            SquareSet::All(_) | SquareSet::Any(_) | SquareSet::Not(_) => self.parts().all(SquareSet::is_local),
            SquareSet::Attacking { .. }
            | SquareSet::Related { .. }
            | SquareSet::Between(_)
            | SquareSet::XRaying { .. } => false,
        }
    }

    /// Squares that the set never leaves in a game. `of` has those on which a piece ever stands if it is of a side, or those that it
    /// leaves.
    pub(in crate::scan) fn reach(&self, of: &impl Fn(NamedPiece, Option<Color>) -> u64) -> u64 {
        match self {
            SquareSet::Region(region) => *region,
            SquareSet::Named { piece, colour, region } => of(*piece, Some(*colour)) & region,
            SquareSet::Left { piece, region, .. } => of(*piece, None) & region,
            SquareSet::Feature(squares) => squares.region,
            SquareSet::All(parts) => parts.iter().fold(u64::MAX, |all, part| all & part.reach(of)),
            SquareSet::Any(parts) => parts.iter().fold(0, |any, part| any | part.reach(of)),
            SquareSet::Not(_) => u64::MAX,
            SquareSet::Attacking { pieces, .. } | SquareSet::XRaying { pieces, .. } => pieces.reach(of),
            SquareSet::Related { relation, colour, to } => relation.squares_of(to.reach(of), *colour),
            SquareSet::Between(ends) => {
                let [one, other] = [&ends[0], &ends[1]].map(|end| end.reach(of));
                let is_large = one.count_ones() * other.count_ones() > 64;
                if is_large { u64::MAX } else { between(one, other) }
            }
        }
    }

    /// Whether the squares depend on nothing but the named pieces and their paths.
    fn is_of_paths(&self) -> bool {
        match self {
            SquareSet::Feature(_) | SquareSet::Attacking { .. } | SquareSet::XRaying { .. } => false,
            _ => self.parts().all(SquareSet::is_of_paths),
        }
    }

    /// A name whose piece alone can stand in the set, if there is one.
    pub(in crate::scan) fn only_piece(&self) -> Option<NamedPiece> {
        match self {
            SquareSet::Named { piece, .. } => Some(*piece),
            SquareSet::All(parts) => parts.iter().find_map(SquareSet::only_piece),
            _ => None,
        }
    }

    /// Whether a piece of this side and kind on a square stands in a set that [`is_local`](Self::is_local).
    pub(in crate::scan) fn contains(&self, square: u64, piece: (Color, Role), named: &NamedPieces) -> bool {
        match self {
            SquareSet::Region(region) => region & square != 0,
            SquareSet::Named { piece: other, colour, region } => {
                piece.0 == *colour && named.squares[usize::from(other.index)] & region & square != 0
            }
            SquareSet::Left { piece, which, region } => named.left_by(*piece, *which) & region & square != 0,
            SquareSet::Feature(squares) => {
                let is_of_kind = squares.feature.role().is_none_or(|role| role == piece.1);
                is_of_kind && squares.colour == piece.0 && squares.region & square != 0
            }
            SquareSet::All(parts) => parts.iter().all(|part| part.contains(square, piece, named)),
            SquareSet::Any(parts) => parts.iter().any(|part| part.contains(square, piece, named)),
            SquareSet::Not(part) => !part.contains(square, piece, named),
            SquareSet::Attacking { .. }
            | SquareSet::Related { .. }
            | SquareSet::Between(_)
            | SquareSet::XRaying { .. } => false,
        }
    }
}
