//! Images are placements of which at least one must hold. A pattern under flips, rotations and shifts becomes a set of images.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use plyfold_board::board::{Board, ByPiece, ChangeMask, PieceCode};
use plyfold_board::matsig::target::MaterialBounds;
use shakmaty::{Bitboard, Color, Role, Square};

use super::{PawnPattern, Placement, Predicate};
use crate::scan::access_path::PredicateAccess;
use crate::scan::measure::measured_board::MeasuredBoard;
use crate::scan::replay_needs::ReplayNeeds;
use crate::sorted::sorted;

/// The roles in the order in which their pieces serve as anchors. Roles of which a board has few pieces come first, because then
/// fewer placements are tested.
const ROLES_BY_SELECTIVITY: [Role; 6] = [Role::King, Role::Queen, Role::Bishop, Role::Knight, Role::Rook, Role::Pawn];

fn pieces_by_selectivity() -> impl Iterator<Item = PieceCode> {
    ROLES_BY_SELECTIVITY.into_iter().flat_map(|role| Color::ALL.map(|colour| PieceCode::new(colour, role)))
}

/// The entries of a table indexed by `piece * 64 + square`.
const PIECE_SQUARES: usize = 16 * 64;

/// Several placements, indexed by an anchor: one piece on one square that a placement requires.
///
/// A placement is tested only if its anchor stands on the board, so thousands of placements cost hardly more than a few.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacementImages {
    placements: Vec<Placement>,
    /// The codes of the pieces that serve as anchors.
    anchor_pieces: Vec<PieceCode>,
    /// For each `piece * 64 + square`, where its placements begin in `anchored`.
    offsets: Vec<u16>,
    /// The placements with an anchor, sorted by `piece * 64 + square` of the anchor.
    anchored: Vec<u16>,
    /// The placements without an anchor, because no square of them allows just one piece.
    unanchored: Vec<u16>,
    /// The pieces whose arrival on a square can make a placement hold; code 0 stands for a square that becomes empty. None if
    /// there are more than [`MAX_TRACKED`] placements.
    arrivals: Option<ArrivalTable>,
}

/// The arrivals of pieces on squares that can make a placement hold; code 0 stands for a square that becomes empty.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::scan) struct ArrivalTable {
    /// For each piece, the squares on which some placement allows it.
    pub squares: ByPiece<u64>,
    /// For each `piece * 64 + square`, the placements that allow the piece there, one bit each.
    pub placements: Vec<u64>,
}

/// The most placements that are tracked move by move.
pub(in crate::scan) const MAX_TRACKED: usize = 64;

impl ArrivalTable {
    fn from_placements(placements: &[Placement]) -> Option<ArrivalTable> {
        let mut arrivals = ArrivalTable { squares: ByPiece::splat(0), placements: vec![0; PIECE_SQUARES] };
        if placements.len() > MAX_TRACKED {
            return None;
        }
        for (nth, placement) in placements.iter().enumerate() {
            for square in Bitboard(placement.squares) {
                for piece in Bitboard(placement.allowed[square as usize].into()) {
                    arrivals.squares[PieceCode::from_bits(piece as u8)] |= 1 << square as u32;
                    arrivals.placements[piece as usize * 64 + square as usize] |= 1 << nth;
                }
            }
        }
        Some(arrivals)
    }
}

impl PlacementImages {
    /// Indexes the placements. Only the first 65,535 are kept.
    pub fn new(mut placements: Vec<Placement>) -> PlacementImages {
        placements.truncate(usize::from(u16::MAX));
        let mut anchors: Vec<(usize, u16)> = Vec::new();
        let mut others = Vec::new();
        for (nth, placement) in placements.iter().enumerate() {
            let anchor_square = |piece: PieceCode| {
                let requires_piece = |square: &Square| placement.allowed[*square as usize] == piece.bit();
                Bitboard(placement.squares).into_iter().find(requires_piece).map(|square| (piece, square))
            };
            match pieces_by_selectivity().find_map(anchor_square) {
                Some((piece, square)) => anchors.push((piece.index() * 64 + square as usize, nth as u16)),
                None => others.push(nth as u16),
            }
        }
        let anchors = sorted(anchors, |one: &(usize, u16), other| one.cmp(other));
        let offset = |place: usize| anchors.partition_point(|&(other, _)| other < place) as u16;
        let is_there = |piece: &PieceCode| anchors.iter().any(|(place, _)| place / 64 == piece.index());
        PlacementImages {
            anchor_pieces: pieces_by_selectivity().filter(is_there).collect(),
            offsets: (0..=PIECE_SQUARES).map(offset).collect(),
            anchored: anchors.iter().map(|&(_, nth)| nth).collect(),
            unanchored: others,
            arrivals: ArrivalTable::from_placements(&placements),
            placements,
        }
    }

    /// The placements, in the order in which they were given.
    pub fn placements(&self) -> &[Placement] {
        &self.placements
    }

    /// Returns whether one of the placements holds on a board. The bitboards and the mailbox of the board must be up to date.
    #[inline]
    pub fn matches(&self, board: &Board) -> bool {
        let holds = |nth: &u16| self.placements[usize::from(*nth)].holds(&board.mailbox);
        for piece in &self.anchor_pieces {
            for square in Bitboard(board.bitboards[*piece]) {
                let place = piece.index() * 64 + square as usize;
                let (from, to) = (usize::from(self.offsets[place]), usize::from(self.offsets[place + 1]));
                if self.anchored[from..to].iter().any(holds) {
                    return true;
                }
            }
        }
        self.unanchored.iter().any(holds)
    }

    /// The arrivals that can make a placement hold; none if there are more than [`MAX_TRACKED`] placements.
    pub(in crate::scan) fn arrivals(&self) -> Option<&ArrivalTable> {
        self.arrivals.as_ref()
    }
}

impl Predicate for PlacementImages {
    fn test(&self, board: &MeasuredBoard<'_>) -> bool {
        self.matches(board)
    }

    fn reads_mailbox(&self) -> bool {
        true
    }

    fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
        (dependencies_of(&self.placements), ReplayNeeds::BITBOARDS)
    }

    /// Each image is an alternative.
    fn implied_alternatives(&self) -> Vec<MaterialBounds> {
        self.placements.iter().map(Placement::implied).collect()
    }
}

/// Several patterns of pawns, of which at least one must hold.
#[derive(Clone, PartialEq, Debug)]
pub struct PawnPatternImages(pub Box<[PawnPattern]>);

impl Predicate for PawnPatternImages {
    fn test(&self, board: &MeasuredBoard<'_>) -> bool {
        let pawns = board.pawns();
        self.0.iter().any(|pattern| pattern.holds(pawns))
    }

    fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
        (dependencies_of(&self.0), ReplayNeeds::PAWN_BITBOARDS)
    }

    fn access(&self, _: bool) -> PredicateAccess {
        let mask_of = |of: fn(&PawnPattern) -> u64| self.0.iter().fold(0, |all, pattern| all | of(pattern));
        PredicateAccess::of_pawns([mask_of(|pattern| pattern.white.mask), mask_of(|pattern| pattern.black.mask)])
    }

    fn implied_alternatives(&self) -> Vec<MaterialBounds> {
        self.0.iter().map(PawnPattern::implied).collect()
    }
}

fn dependencies_of(images: &[impl Predicate]) -> ChangeMask {
    images.iter().fold(0, |all, image| all | image.declaration().0)
}
