//! Defines the stores that keep the tiles between two traversals; `disk.rs` keeps them in files.

use crate::Error;
use crate::rows::PackedRows;

/// The state of a tile between two traversals. `level` is the last complete level.
///
/// The rows of the lists are numbered through the tile, and ascend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TileState {
    /// Positions with White to move that are legal and not won so far, chunk by chunk; empty if they have not changed.
    pub not_won: Vec<u64>,
    /// Positions lost at `level`.
    pub lost: PackedRows,
    /// Positions lost at `level + 1`, as far as the last traversal found them.
    pub next_lost: PackedRows,
    /// Positions won at `level + 1`, as far as the last traversal found them.
    pub won: PackedRows,
}

/// Stores tiles. Each tile has one owner at a time: the store, or the thread that loaded it.
pub trait TileStore: Sync {
    /// Hands out the lists of a tile.
    ///
    /// # Errors
    ///
    /// The tile cannot be read.
    fn load(&self, tile: u32) -> Result<TileState, Error>;

    /// The `not_won` of a tile's chunk.
    ///
    /// # Errors
    ///
    /// The chunk cannot be read.
    fn load_chunk(&self, tile: u32, chunk: usize) -> Result<Vec<u64>, Error>;

    /// Takes back the `not_won` of a chunk, which has changed.
    ///
    /// # Errors
    ///
    /// The chunk cannot be written.
    fn save_chunk(&self, tile: u32, chunk: usize, words: Vec<u64>) -> Result<(), Error>;

    /// Takes back the `not_won` of a chunk that has not changed.
    fn drop_chunk(&self, words: Vec<u64>);

    /// Takes a tile back. Its `not_won` is written if it has any.
    ///
    /// # Errors
    ///
    /// The tile cannot be written.
    fn save(&self, tile: u32, content: TileState) -> Result<(), Error>;

    /// Ends a traversal, in which every tile was loaded and saved once.
    ///
    /// # Errors
    ///
    /// The tile cannot be written.
    fn end_traversal(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Bytes read and written so far.
    fn traffic(&self) -> (u64, u64) {
        (0, 0)
    }
}
