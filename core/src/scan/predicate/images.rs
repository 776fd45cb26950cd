//! Images are placements of which one must hold: what a pattern asks for under flips, rotations and shifts.

use alloc::vec;
use alloc::vec::Vec;

use shakmaty::Bitboard;

use super::pattern::Placement;
use crate::board::{Board, ByPiece, PieceCode};

/// Codes of men by how well they tell one way from another: the fewer there are of them, the better.
const PIECES_BY_SELECTIVITY: [PieceCode; 12] = [
    PieceCode::WHITE_KING,
    PieceCode::BLACK_KING,
    PieceCode::WHITE_QUEEN,
    PieceCode::BLACK_QUEEN,
    PieceCode::WHITE_BISHOP,
    PieceCode::BLACK_BISHOP,
    PieceCode::WHITE_KNIGHT,
    PieceCode::BLACK_KNIGHT,
    PieceCode::WHITE_ROOK,
    PieceCode::BLACK_ROOK,
    PieceCode::WHITE_PAWN,
    PieceCode::BLACK_PAWN,
];

/// Entries of a table over men and squares.
const PIECE_SQUARES: usize = 16 * 64;

/// Several placements, and where to begin with them.
///
/// A placement that wants a certain man on a certain square is looked at only where he stands there, so that thousands cost hardly more
/// than a few.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacementImages {
    placements: Vec<Placement>,
    /// Codes of the men by which placements are found.
    anchor_pieces: Vec<PieceCode>,
    /// The placements that want a man on a square, one after the other, by `man * 64 + square`: where they begin in `found`.
    offsets: Vec<u16>,
    anchored: Vec<u16>,
    /// Those that want no certain man anywhere.
    unanchored: Vec<u16>,
    /// Who makes one of them hold by coming to a square, and code 0 for whoever leaves it; none if there are too many ways.
    arrivals: Option<ArrivalTable>,
}

/// The men that may come to squares or leave them.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::scan) struct ArrivalTable {
    /// By man: the squares to which he may come.
    pub squares: ByPiece<u64>,
    /// By `man * 64 + square`: the placements that allow him there.
    pub placements: Vec<u64>,
}

/// So many ways are looked at move by move.
pub(in crate::scan) const MAX_TRACKED: usize = 64;

impl ArrivalTable {
    fn from_placements(placements: &[Placement]) -> Option<ArrivalTable> {
        let mut arrivals = ArrivalTable { squares: ByPiece::splat(0), placements: vec![0; PIECE_SQUARES] };
        if placements.len() > MAX_TRACKED {
            return None;
        }
        for (nth, placement) in placements.iter().enumerate() {
            for square in Bitboard(placement.squares) {
                for man in Bitboard(placement.allowed[square as usize].into()) {
                    arrivals.squares[PieceCode::from_bits(man as u8)] |= 1 << square as u32;
                    arrivals.placements[man as usize * 64 + square as usize] |= 1 << nth;
                }
            }
        }
        Some(arrivals)
    }
}

impl PlacementImages {
    /// At most 65,535 ways; what comes after them is left out.
    pub fn new(mut placements: Vec<Placement>) -> PlacementImages {
        placements.truncate(usize::from(u16::MAX));
        let mut anchors: Vec<(usize, u16)> = Vec::new();
        let mut others = Vec::new();
        for (nth, placement) in placements.iter().enumerate() {
            let anchor_square = |man: &PieceCode| {
                let wanted = |square: &shakmaty::Square| placement.allowed[*square as usize] == man.bit();
                Bitboard(placement.squares).into_iter().find(wanted).map(|square| (*man, square))
            };
            match PIECES_BY_SELECTIVITY.iter().find_map(anchor_square) {
                Some((man, square)) => anchors.push((man.index() * 64 + square as usize, nth as u16)),
                None => others.push(nth as u16),
            }
        }
        let mut begin = vec![0; PIECE_SQUARES + 1];
        anchors.iter().for_each(|(place, _)| begin[place + 1] += 1);
        (0..PIECE_SQUARES).for_each(|place| begin[place + 1] += begin[place]);
        let (mut next, mut found) = (begin.clone(), vec![0; anchors.len()]);
        for (place, nth) in &anchors {
            found[usize::from(next[*place])] = *nth;
            next[*place] += 1;
        }
        let is_there = |man: &PieceCode| anchors.iter().any(|(place, _)| place / 64 == man.index());
        let men = PIECES_BY_SELECTIVITY.into_iter().filter(is_there).collect();
        let comers = ArrivalTable::from_placements(&placements);
        PlacementImages {
            placements,
            anchor_pieces: men,
            offsets: begin,
            anchored: found,
            unanchored: others,
            arrivals: comers,
        }
    }

    /// The ways, in the order in which they were given.
    pub fn placements(&self) -> &[Placement] {
        &self.placements
    }

    /// Whether the men of a board stand in one of these ways. It must keep up bitboards and mailbox.
    #[inline]
    pub fn matches(&self, board: &Board) -> bool {
        let holds = |nth: &u16| self.placements[usize::from(*nth)].holds(&board.mailbox);
        for man in &self.anchor_pieces {
            for square in Bitboard(board.bitboards[*man]) {
                let place = man.index() * 64 + square as usize;
                let (from, to) = (usize::from(self.offsets[place]), usize::from(self.offsets[place + 1]));
                if self.anchored[from..to].iter().any(holds) {
                    return true;
                }
            }
        }
        self.unanchored.iter().any(holds)
    }

    /// The pieces that make one of the placements hold; none if there are too many placements.
    pub(in crate::scan) fn arrivals(&self) -> Option<&ArrivalTable> {
        self.arrivals.as_ref()
    }
}
