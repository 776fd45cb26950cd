//! Transforms of the board: flips, rotations, shifts and changes of colour, of sets of squares and of whole positions.
//!
//! - [`symmetry`]: the four flips and three rotations as a group, on squares and sets of squares;
//! - [`shift`]: shifts, which drop the pieces that leave the board or are refused;
//! - [`Transform`]: a symmetry, a shift or a colour swap, by name, applied to a whole position;
//! - [`composite`]: several transforms as one, and the families of transforms under which a pattern is searched;
//! - [`detect`]: which transforms turn one board into another;
//! - [`position_text`]: positions as FEN or EPD, whatever stands on the board.
//!
//! A position is a [`Setup`] of shakmaty and need not be legal: pawns on the last rank, kings side by side and boards without
//! kings are transformed as they stand. The other fields of a FEN are kept where they still mean something:
//!
//! | | kept by | otherwise |
//! |---|---|---|
//! | side to move | all transforms; `flipcolor` passes the turn to the other side | |
//! | castling | the identity; `flipcolor`, with colours swapped | none |
//! | en passant | the identity, `flipH`, a shift along the ranks; `flipcolor`, mirrored | none |
//! | clocks | all transforms | |
#![no_std]

extern crate alloc;

pub mod composite;
pub mod detect;
pub mod playable;
pub mod position_text;
pub mod shift;
pub mod symmetry;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use shakmaty::{Bitboard, Board, Piece, Setup, Square};
use thiserror::Error;

use shift::Shift;
use symmetry::Symmetry;

const SWAP_COLOURS: &str = "swap_colours";
const PERMANENT_SWAP: &str = "polish";

/// A change of the board: a symmetry, a shift or a colour swap.
///
/// ```
/// use plyfold_transform::{Transform, position_text};
/// let position = position_text::read_fen("8/2k5/3p4/4P3/8/1N6/2K5/8 b - - 3 40").expect("a FEN");
/// let turned = Transform::named("rot90").expect("its name").apply(&position);
/// assert_eq!(position_text::to_fen(&turned), "8/8/8/3P4/2p5/1k4K1/5N2/8 b - - 3 40");
/// assert_eq!(format!("\n{:?}", position.board), "
/// . . . . . . . .
/// . . k . . . . .
/// . . . p . . . .
/// . . . . P . . .
/// . . . . . . . .
/// . N . . . . . .
/// . . K . . . . .
/// . . . . . . . .
/// ");
/// assert_eq!(format!("\n{:?}", turned.board), "
/// . . . . . . . .
/// . . . . . . . .
/// . . . . . . . .
/// . . . P . . . .
/// . . p . . . . .
/// . k . . . . K .
/// . . . . . N . .
/// . . . . . . . .
/// ");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Transform {
    /// A flip, a rotation, or the identity.
    Rigid(Symmetry),
    /// All pieces move by the same number of files and ranks.
    Shift(Shift),
    /// The board as the other side sees it: `flipV`, the pieces swap colours, and the other side is to move.
    FlipColor,
    /// The pieces swap colours and stay on their squares; the side to move stays as well.
    SwapColours,
}

/// The error of a shift that must keep all pieces and does not.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub struct DroppedPieces {
    /// The pieces that would leave the board and their squares before the shift, from a1 on.
    pub pieces: Vec<(Square, Piece)>,
}

impl fmt::Display for DroppedPieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.pieces.len() == 1 { "a piece leaves the board:" } else { "pieces leave the board:" })?;
        self.pieces.iter().try_for_each(|(square, piece)| write!(f, " {}{square}", piece.char()))
    }
}

impl Transform {
    /// The names of all transforms but the shifts, as files and JSON have them.
    pub const NAMED: [(&str, Transform); 10] = {
        let mut named = [("flipcolor", Transform::FlipColor); 10];
        let mut index = 0;
        while index < Symmetry::NAMED.len() {
            let (name, symmetry) = Symmetry::NAMED[index];
            named[index] = (name, Transform::Rigid(symmetry));
            index += 1;
        }
        named[9] = (PERMANENT_SWAP, Transform::SwapColours);
        named
    };

    /// Other spellings of some names.
    const ALIASES: [(&str, Transform); 3] = [
        (SWAP_COLOURS, Transform::SwapColours),
        ("swap_colors", Transform::SwapColours),
        ("flipcolour", Transform::FlipColor),
    ];

    /// The transform with this name: one of [`NAMED`](Self::NAMED), `swap_colours`, `swap_colors`, `flipcolour`, `shift:2,-1` or
    /// `shift(2,-1)`. Case does not matter.
    #[must_use]
    pub fn named(name: &str) -> Option<Transform> {
        let shift = || {
            let by = name.get(..5).filter(|word| word.eq_ignore_ascii_case("shift")).and_then(|_| name.get(5..))?;
            let by = by.strip_prefix(':').or_else(|| by.strip_prefix('(')?.strip_suffix(')'))?;
            let (files, ranks) = by.split_once(',')?;
            Shift::new(files.parse().ok()?, ranks.parse().ok()?).map(Transform::Shift)
        };
        let mut names = Transform::NAMED.iter().chain(&Transform::ALIASES);
        let known = names.find(|(known, _)| known.eq_ignore_ascii_case(name));
        known.map(|(_, transform)| *transform).or_else(shift)
    }

    /// Returns where a piece goes from `square`; none if it leaves the board.
    #[must_use]
    pub fn square(self, square: Square) -> Option<Square> {
        match self {
            Transform::Rigid(symmetry) => Some(symmetry.map_square(square)),
            Transform::Shift(shift) => shift.square(square as u8).map(|target| Square::new(target.into())),
            Transform::FlipColor => Some(square.flip_vertical()),
            Transform::SwapColours => Some(square),
        }
    }

    /// Returns where a set of squares goes, without those that leave the board.
    #[must_use]
    pub fn bitboard(self, word: u64) -> u64 {
        match self {
            Transform::Rigid(symmetry) => symmetry.bitboard(word),
            Transform::Shift(shift) => shift.bitboard(word),
            Transform::FlipColor => word.swap_bytes(),
            Transform::SwapColours => word,
        }
    }

    /// The transformed position. Pieces that leave the board are dropped.
    #[must_use]
    pub fn apply(self, position: &Setup) -> Setup {
        let mut transformed = position.clone();
        let map_set = |set: Bitboard| Bitboard(self.bitboard(set.0));
        transformed.promoted = map_set(position.promoted);
        transformed.board = match self {
            Transform::Rigid(Symmetry::IDENTITY) | Transform::Shift(Shift::NONE) => return transformed,
            Transform::Rigid(symmetry) => map_board(&position.board, |word| symmetry.bitboard(word)),
            Transform::Shift(shift) => map_board(&position.board, |word| shift.bitboard(word)),
            Transform::FlipColor => position.board.clone().into_mirrored(),
            Transform::SwapColours => position.board.clone().into_swapped_colors(),
        };
        if self == Transform::FlipColor {
            transformed.turn = !position.turn;
            transformed.castling_rights = map_set(position.castling_rights);
        } else {
            transformed.castling_rights = Bitboard::EMPTY;
        }
        let keeps_en_passant = match self {
            Transform::Rigid(symmetry) => symmetry == Symmetry::FLIP_H,
            Transform::Shift(shift) => shift.ranks() == 0,
            Transform::FlipColor => true,
            Transform::SwapColours => false,
        };
        transformed.ep_square = position.ep_square.filter(|_| keeps_en_passant).and_then(|square| self.square(square));
        transformed
    }

    /// The transformed position, if every piece stays on the board.
    ///
    /// # Errors
    ///
    /// The pieces that would leave the board.
    pub fn apply_strictly(self, position: &Setup) -> Result<Setup, DroppedPieces> {
        let pieces = self.dropped_pieces(position);
        if pieces.is_empty() { Ok(self.apply(position)) } else { Err(DroppedPieces { pieces }) }
    }

    /// The pieces that leave the board and their squares, from a1 on.
    #[must_use]
    pub fn dropped_pieces(self, position: &Setup) -> Vec<(Square, Piece)> {
        let Transform::Shift(shift) = self else { return Vec::new() };
        let leave = position.board.occupied() & Bitboard(!shift.squares_that_stay());
        leave.into_iter().filter_map(|square| Some((square, position.board.piece_at(square)?))).collect()
    }
}

/// Names of transforms as players know them.
#[must_use]
pub fn names_for_players(names: &str) -> String {
    names.replace(PERMANENT_SWAP, SWAP_COLOURS)
}

/// The name by which [`Transform::named`] finds it.
impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Transform::Shift(shift) => write!(f, "shift:{},{}", shift.files(), shift.ranks()),
            named => f.write_str(Transform::NAMED.iter().find(|(_, one)| one == named).map_or("", |(name, _)| name)),
        }
    }
}

/// A board with all its sets of squares mapped by `to`, which maps no two squares to one.
fn map_board(board: &Board, to: impl Fn(u64) -> u64) -> Board {
    let (roles, colours) = board.clone().into_bitboards();
    let to = |set: Bitboard| Bitboard(to(set.0));
    let transformed = Board::try_from_bitboards(roles.map(to), colours.map(to));
    debug_assert!(transformed.is_ok(), "pieces on different squares stay on different squares");
    transformed.unwrap_or_else(|_| Board::empty())
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        let all = Transform::NAMED.iter().map(|(_, transform)| *transform).chain(Shift::all().map(Transform::Shift));
        for transform in all {
            assert_eq!(Transform::named(&transform.to_string()), Some(transform));
            assert_eq!(Transform::named(&transform.to_string().to_uppercase()), Some(transform));
        }
        assert_eq!(Transform::named("shift(2,-1)"), Shift::new(2, -1).map(Transform::Shift));
        for name in ["polish", "swap_colours", "swap_colors", "Swap_Colours"] {
            assert_eq!(Transform::named(name), Some(Transform::SwapColours), "{name}");
        }
        assert_eq!(names_for_players("rot180 polish shift:1,0"), "rot180 swap_colours shift:1,0");
        for wrong in
            ["", "shift", "shift:", "shift:1", "shift:8,0", "shift(1,0", "shift:1,0)", "flip", "rot45", "ä", "shifä:1"]
        {
            assert_eq!(Transform::named(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_strict_shift_says_who_leaves() {
        let position = position_text::read_fen("8/2k5/3p4/4P3/8/1N6/2K5/8 w - - 0 1").expect("a FEN");
        let shift = Transform::named("shift:-2,0").expect("a shift");
        let dropped = shift.apply_strictly(&position).expect_err("the knight leaves");
        assert_eq!(dropped.to_string(), "a piece leaves the board: Nb3");
        assert_eq!(position_text::to_fen(&shift.apply(&position)), "8/k7/1p6/2P5/8/8/K7/8 w - - 0 1");
    }
}
