//! The lists of a complete table, as conversions and pawn steps read them.

use std::sync::Arc;

use plyfold_tables::index::TableIndex;
use plyfold_tables::material::TableMaterial;

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

/// The lists of a complete table, or of the complete pawn slices of an unfinished one.
pub trait ResultLists: Send + Sync {
    /// The index of the table.
    fn index(&self) -> &TableIndex;

    /// The highest level at which a list of a pawn slice has positions; `None` if it has none.
    ///
    /// # Errors
    ///
    /// The lists cannot be read.
    fn last_level(&self, pawn_slice: u32, list: ResultList) -> Result<Option<u16>, crate::Error>;

    /// Calls `visit` with the nonzero words of a list: tile, number of the word in the tile, and its bits. Tiles for which
    /// `needs_tile` is false may be skipped.
    ///
    /// # Errors
    ///
    /// The lists cannot be read.
    fn visit(
        &self,
        at: LevelList,
        needs_tile: &dyn Fn(u32) -> bool,
        visit: &mut dyn FnMut(u32, usize, u64),
    ) -> Result<(), crate::Error>;

    /// The same, but words in which no piece of `piece` stands on its squares may be skipped, too. The order of the words is
    /// not defined.
    ///
    /// # Errors
    ///
    /// The lists cannot be read.
    fn visit_promoted(
        &self,
        at: LevelList,
        piece: PromotedPiece,
        needs_tile: &dyn Fn(u32) -> bool,
        visit: &mut dyn FnMut(u32, usize, u64),
    ) -> Result<(), crate::Error> {
        let _ = piece;
        self.visit(at, needs_tile, visit)
    }
}

/// A promoted piece on its square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromotedPiece {
    /// One bit for each piece of the table that may be it: those that are identical.
    pub men: u32,
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
    fn lists(&self, table: TableMaterial) -> Result<Arc<dyn ResultLists>, crate::Error>;
}
