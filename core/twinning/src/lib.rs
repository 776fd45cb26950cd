//! The twinning grammar of the solving engines Popeye and Olive: the commands that change a board.
//!
//! | command | what it does |
//! |---|---|
//! | `Move b3 b4` | moves the piece, and removes a piece on its target |
//! | `Exchange c7 c2` | swaps the two pieces |
//! | `Remove d6e5` | removes the pieces |
//! | `Add white Qh8 black Pa2b2` | adds pieces, and removes those that stood on the squares |
//! | `Substitute S B` | replaces all pieces of a kind, of both sides, by another kind |
//! | `Rotate 90` | 90, 180 or 270 degrees to the left |
//! | `Mirror a1<-->h1` | also `a1<-->a8`, `a1<-->h8`, `a8<-->h1`: the two squares change places; they are not the axis |
//! | `Shift a1 b2` | moves all pieces as far as from the first square to the second |
//! | `PolishType` | swaps the colours of the pieces, which stay on their squares |
//!
//! Keywords may be abbreviated as long as they are unique, and case does not matter; a knight is `S`. The names of transforms
//! (`flipH`, `rot90`, `shift:2,-1`) are commands as well. The commands of a twin follow each other. With `Continued` before them
//! they start from the twin before, otherwise from the diagram. A list of twins has `Twin` before each of them; with `ZeroPosition`
//! before the first, the diagram itself is not one of the twins.
//!
//! If a shift moves a piece off the board, Popeye refuses it and Olive drops the piece; [`OffBoardRule`] chooses.
//!
//! Source: the manual `py-engl.txt` and `input/plaintext/twin.c` of Popeye.

#![no_std]

extern crate alloc;

mod apply;
pub mod epd;
mod read;
mod text;

use alloc::vec::Vec;

use shakmaty::{Piece, Role, Square};

use plyfold_transform::Transform;

pub use apply::{AppliedStep, OffBoardRule, TwinPath, TwinPosition};

/// A command that changes the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TwinCommand {
    /// Moves a piece from the first square to the second.
    Move(Square, Square),
    /// Swaps the pieces on two squares.
    Exchange(Square, Square),
    /// Removes the pieces on these squares.
    Remove(Vec<Square>),
    /// Adds pieces.
    Add(Vec<(Piece, Square)>),
    /// Replaces all pieces of the first kind by the second kind.
    Substitute(Role, Role),
    /// Moves all pieces as far as from the first square to the second.
    Shift(Square, Square),
    /// A rotation, a mirror, `PolishType`, or any transform by its name.
    Transform(Transform),
}

/// A command and its place in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TwinStep {
    /// The command.
    pub command: TwinCommand,
    /// First byte in the text.
    pub from: usize,
    /// Byte after it.
    pub to: usize,
}

/// The commands of one twin.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Twin {
    /// Whether it starts from the twin before.
    pub is_continued: bool,
    /// Its commands, in their order.
    pub steps: Vec<TwinStep>,
}

/// A list of twins.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TwinList {
    /// Whether the diagram itself is not one of them.
    pub has_zero_position: bool,
    /// The twins, in their order.
    pub twins: Vec<Twin>,
}
