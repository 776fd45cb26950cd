//! The lists of a complete table, as conversions and pawn steps read them.

use std::sync::Arc;

use plyfold_tables::index::TableIndex;
use plyfold_tables::material::TableMaterial;

use crate::Error;

/// The kinds of lists of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultList {
    /// Black to move and mated in `level` moves.
    Lost,
    /// White to move and mates in `level` moves.
    Won,
    /// Black to move and stalemated; only at level 0.
    Stale,
}

/// A list of a pawn slice at one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelList {
    /// The pawn slice.
    pub pawn_slice: u32,
    /// The kind of list.
    pub list: ResultList,
    /// Moves to mate.
    pub level: u16,
}

/// Which words of a list are needed. Others may be visited, too.
#[derive(Clone, Copy)]
pub struct NeededWords<'a> {
    /// Tells whether words of a tile are needed.
    pub tile: &'a dyn Fn(u32) -> bool,
    /// If there is one, only words in which a piece of it stands on its squares are needed, in any order.
    pub promoted: Option<PromotedPiece>,
}

impl<'a> NeededWords<'a> {
    /// All words of some tiles.
    #[must_use]
    pub fn of_tiles(tile: &'a dyn Fn(u32) -> bool) -> NeededWords<'a> {
        NeededWords { tile, promoted: None }
    }
}

/// Called with a nonzero word of a list: its tile, its number in the tile, and its bits.
pub type VisitWord<'a> = &'a mut dyn FnMut(u32, usize, u64);

/// The lists of a complete table, or of the complete pawn slices of an unfinished one.
pub trait ResultLists: Send + Sync {
    /// The index of the table.
    fn index(&self) -> &TableIndex;

    /// The highest level at which a list of a pawn slice has positions; `None` if it has none.
    ///
    /// # Errors
    ///
    /// The lists cannot be read.
    fn last_level(&self, pawn_slice: u32, list: ResultList) -> Result<Option<u16>, Error>;

    /// Calls `visit` with the nonzero words of a list: tile, number of the word in the tile, and its bits.
    ///
    /// # Errors
    ///
    /// The lists cannot be read.
    fn visit(&self, at: LevelList, needed: NeededWords, visit: VisitWord) -> Result<(), Error>;
}

/// A promoted piece on its square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromotedPiece {
    /// One bit for each piece of the table that may be it: those that are identical.
    pub pieces: u32,
    /// Its square and, if positions stand for their mirror images, the image. With pawns, they are on the same rank.
    pub squares: u64,
}

/// Finds the lists of a table.
pub trait TableLibrary: Sync {
    /// The lists of a table. It is never called for a table whose winner has a lone king.
    ///
    /// # Errors
    ///
    /// The table is missing or damaged.
    fn lists(&self, table: TableMaterial) -> Result<Arc<dyn ResultLists>, Error>;
}
