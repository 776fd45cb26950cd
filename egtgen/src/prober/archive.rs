//! Defines what a source of complete tables must do, wherever it has them.

use std::ops::RangeInclusive;

use plyfold_tables::index::{TableAddress, TableIndex};
use plyfold_tables::layout::TableTotals;
use plyfold_tables::material::TableMaterial;
use shakmaty::{Board, Color};

use super::{ListSide, TileKey};
use crate::Error;

/// Called with the bit and the level of a position of a tile.
pub type PutLevel<'a> = &'a mut dyn FnMut(u64, u16);

/// A source of complete tables, in a folder or in memory.
pub trait Archive: Send + Sync {
    /// The totals that a table of this shape stores. They count positions on the whole board, identical pieces in one order.
    ///
    /// # Errors
    /// There is no such table, it cannot be read, or it has another shape.
    fn summary(&self, index: &TableIndex) -> Result<TableTotals, Error>;

    /// Calls `put` with the bit and the level of each position of a tile on the lists of these levels. The tile has `words`
    /// words.
    ///
    /// # Errors
    /// There is no such table, or it cannot be read.
    fn decode(&self, at: TileKey, words: usize, levels: RangeInclusive<u16>, put: PutLevel) -> Result<(), Error>;

    /// Opens a table, and returns the bytes of memory that it takes while it is open.
    ///
    /// # Errors
    /// There is no such table, or it cannot be read.
    fn open(&self, _table: TableMaterial) -> Result<usize, Error> {
        Ok(0)
    }

    /// The level of a position as [`TableSource::level`](plyfold_tables::probe::TableSource::level) defines it, if it is found without decoding a tile.
    fn level(&self, _table: TableMaterial, _board: &Board, _turn: Color) -> Option<Result<Option<u16>, Error>> {
        None
    }

    /// Whether [`level`](Self::level) finds the positions of a table.
    ///
    /// # Errors
    /// The table cannot be read.
    fn finds_single_levels(&self, _table: TableMaterial) -> Result<bool, Error> {
        Ok(false)
    }

    /// Some places of the highest level of one side, if they are known without decoding a tile.
    fn longest(&self, _table: TableMaterial, _side: ListSide) -> Option<Vec<TableAddress>> {
        None
    }

    /// Closes a table that is no longer needed.
    fn close(&self, _table: TableMaterial) {}

    /// Prepares [`decode`](Self::decode), so that its memory is known before it starts.
    ///
    /// # Errors
    /// There is no such table, or it cannot be read.
    fn prepare_decode<'a>(
        &'a self,
        at: TileKey,
        words: usize,
        levels: RangeInclusive<u16>,
    ) -> Result<PreparedDecode<'a>, Error> {
        Ok(PreparedDecode { scratch: 0, decode: Box::new(move |put| self.decode(at, words, levels, put)) })
    }
}

/// A decoding that is ready to start.
pub struct PreparedDecode<'a> {
    /// Bytes of memory that the decoding needs while it runs.
    pub scratch: usize,
    /// Decodes, as [`Archive::decode`] does.
    pub decode: DecodeFn<'a>,
}

/// Calls the given function with the bit and the level of each position.
pub type DecodeFn<'a> = Box<dyn FnOnce(PutLevel) -> Result<(), Error> + 'a>;

/// The addresses of at most `most` positions at the highest level of one side, whose tiles are decoded.
///
/// # Errors
/// There is no such table, or it cannot be read.
pub(crate) fn decode_longest(
    archive: &dyn Archive,
    (index, totals): (&TableIndex, &TableTotals),
    side: ListSide,
    most: usize,
) -> Result<Vec<TableAddress>, Error> {
    let mut places = Vec::new();
    let Some(level) = side.highest_level(totals) else { return Ok(places) };
    for pawn_slice in 0..index.pawn_slices().len() as u32 {
        for tile in 0..index.tiles() {
            if places.len() >= most {
                return Ok(places);
            }
            let at = TileKey { table: index.material(), pawn_slice, tile, side };
            archive.decode(at, index.tile_words(tile), level..=level, &mut |bit, _| {
                if places.len() < most {
                    places.push(TableAddress { pawn_slice, tile, bit });
                }
            })?;
        }
    }
    Ok(places)
}
