//! A set of squares of one side, made of features: those that several features share, those of any of them, those of pieces that
//! attack something.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::slice;

use plyfold_board::board::{ANY_CHANGE, Board, ChangeMask};
use shakmaty::{Bitboard, Color};

use super::followed::{LeftSquares, NamedPiece, NamedPieces};
use super::relation::{SquareRelation, between, xraying};
use super::{FeatureSquares, Predicate};
use crate::scan::measure::measured_board::MeasuredBoard;
use crate::scan::replay_needs::ReplayNeeds;

/// Squares on a board.
#[derive(Clone, PartialEq, Debug)]
pub enum SquareSet {
    /// Those of a feature.
    Feature(FeatureSquares),
    /// These, whatever stands there.
    Region(u64),
    /// The square of a followed piece, if it is of this side and stands in the region.
    Named {
        /// The piece.
        piece: NamedPiece,
        /// The side.
        colour: Color,
        /// The region; all ones for the whole board.
        region: u64,
    },
    /// Squares of the region that a followed piece has left.
    Left {
        /// The piece.
        piece: NamedPiece,
        /// Which of them.
        which: LeftSquares,
        /// The region; all ones for the whole board.
        region: u64,
    },
    /// Those that all parts have.
    All(Vec<SquareSet>),
    /// Those that at least one part has.
    Any(Vec<SquareSet>),
    /// Those that the part does not have.
    Not(Box<SquareSet>),
    /// Those of the part with a piece of this side that attacks a square of the target.
    Attacking {
        /// The side.
        colour: Color,
        /// The pieces.
        pieces: Box<SquareSet>,
        /// What they attack.
        target: Box<SquareSet>,
    },
    /// Those that lie so to a square of the set, as this side sees them.
    Related {
        /// How they lie.
        relation: SquareRelation,
        /// The side.
        colour: Color,
        /// The others.
        to: Box<SquareSet>,
    },
    /// Those between a square of the first set and one of the second, on one line.
    Between(Box<[SquareSet; 2]>),
    /// Those of the part with a rook, bishop or queen of this side that attacks a square of the target through one piece.
    XRaying {
        /// The side.
        colour: Color,
        /// The pieces.
        pieces: Box<SquareSet>,
        /// What stands second on the line, and what stands first.
        line: Box<[SquareSet; 2]>,
    },
}

/// The set is not empty. What it implies is in the plan as predicates of their own.
impl Predicate for SquareSet {
    fn test(&self, board: &MeasuredBoard<'_>) -> bool {
        self.on_board(board) != 0
    }

    fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
        SquareSet::declaration(self)
    }
}

impl SquareSet {
    /// Returns the squares of a set without names on a board that keeps up to date what the needs of the set list.
    pub fn on_board(&self, board: &Board) -> u64 {
        self.on_board_with(&MeasuredBoard::new(board), &NamedPieces::default())
    }

    /// The squares on such a board where the names mean these pieces.
    pub fn on_board_with(&self, board: &MeasuredBoard<'_>, named: &NamedPieces) -> u64 {
        match self {
            SquareSet::Feature(squares) => squares.on_board(board),
            SquareSet::Region(region) => *region,
            SquareSet::Named { piece, colour, region } => {
                named.squares[usize::from(piece.index)] & region & board.occupied_by(*colour)
            }
            SquareSet::Left { piece, which, region } => named.left_by(*piece, *which) & region,
            SquareSet::All(parts) => {
                let mut all = u64::MAX;
                for part in parts {
                    if all == 0 {
                        break;
                    }
                    all &= part.on_board_with(board, named);
                }
                all
            }
            SquareSet::Any(parts) => parts.iter().fold(0, |any, part| any | part.on_board_with(board, named)),
            SquareSet::Not(part) => !part.on_board_with(board, named),
            SquareSet::Attacking { colour, pieces, target } => {
                let pieces = pieces.on_board_with(board, named) & board.occupied_by(*colour);
                let target = if pieces == 0 { 0 } else { target.on_board_with(board, named) };
                if target == 0 {
                    return 0;
                }
                let attacks = |square: &u64| board.attacked_from(*colour, *square) & target != 0;
                Bitboard(pieces).into_iter().map(|square| 1u64 << square as u32).filter(attacks).sum()
            }
            SquareSet::Related { relation, colour, to } => relation.squares_of(to.on_board_with(board, named), *colour),
            SquareSet::Between(ends) => {
                let [one, other] = &**ends;
                between(one.on_board_with(board, named), other.on_board_with(board, named))
            }
            SquareSet::XRaying { colour, pieces, line } => {
                let [target, through] = &**line;
                let pieces = pieces.on_board_with(board, named);
                let target = if pieces == 0 { 0 } else { target.on_board_with(board, named) };
                if target == 0 {
                    0
                } else {
                    xraying(board, *colour, [pieces, target, through.on_board_with(board, named)])
                }
            }
        }
    }

    /// The sets of which this one is made.
    pub(super) fn parts(&self) -> impl Iterator<Item = &SquareSet> {
        let (some, others): (&[SquareSet], &[SquareSet]) = match self {
            SquareSet::Feature(_) | SquareSet::Region(_) | SquareSet::Named { .. } | SquareSet::Left { .. } => {
                (&[], &[])
            }
            SquareSet::All(parts) | SquareSet::Any(parts) => (parts, &[]),
            SquareSet::Not(part) | SquareSet::Related { to: part, .. } => (slice::from_ref(part), &[]),
            SquareSet::Attacking { pieces, target, .. } => (slice::from_ref(pieces), slice::from_ref(target)),
            SquareSet::Between(ends) => (&**ends, &[]),
            SquareSet::XRaying { pieces, line, .. } => (slice::from_ref(pieces), &**line),
        };
        some.iter().chain(others)
    }

    /// The changes after which the squares must be measured again, and what a replay must keep up to date to measure them.
    pub(super) fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
        let own = match self {
            SquareSet::Feature(squares) => squares.declaration(),
            SquareSet::Named { .. } | SquareSet::Attacking { .. } | SquareSet::XRaying { .. } => {
                (ANY_CHANGE, ReplayNeeds::BITBOARDS)
            }
            SquareSet::Left { .. } => (ANY_CHANGE, ReplayNeeds::NONE),
            _ => (0, ReplayNeeds::NONE),
        };
        self.parts().fold(own, |all, part| {
            let (dependencies, needs) = part.declaration();
            (all.0 | dependencies, all.1.union(needs))
        })
    }
}
