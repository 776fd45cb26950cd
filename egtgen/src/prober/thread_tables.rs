//! Keeps the tiles that one thread used last at hand, so that it finds them without a lock.

use std::cell::RefCell;
use std::sync::Arc;

use plyfold_tables::material::TableMaterial;
use plyfold_tables::probe::TableSource;
use shakmaty::{Board, Color};

use super::{CacheSlot, CachedTables, IndexedTable, TileKey};
use crate::Error;

/// [`CachedTables`] for one thread, which finds the tiles it used last without a lock. Drop it soon: its tiles cannot be
/// evicted.
pub struct ThreadTables<'a> {
    tables: &'a CachedTables,
    local: RefCell<LocalTiles>,
    /// Most bytes of its tiles. All threads together hold at most half of the bound of the cache.
    bound: usize,
}

#[derive(Default)]
struct LocalTiles {
    tables: Vec<Arc<IndexedTable>>,
    tiles: [Option<(TileKey, Arc<CacheSlot>)>; 32],
    bytes: usize,
}

impl<'a> ThreadTables<'a> {
    /// The view of one thread of the current rayon pool.
    #[must_use]
    pub fn new(tables: &'a CachedTables) -> ThreadTables<'a> {
        let bound = tables.bound() / (2 * rayon::current_num_threads());
        ThreadTables { tables, local: RefCell::default(), bound }
    }
}

impl TableSource for ThreadTables<'_> {
    type Error = Error;

    fn level(&self, table: TableMaterial, board: &Board, turn: Color) -> Result<Option<u16>, Error> {
        if let Some(level) = self.tables.archive.level(table, board, turn) {
            return level;
        }
        let at_hand = &mut *self.local.borrow_mut();
        let number = match at_hand.tables.iter().position(|open| open.material == table) {
            Some(number) => number,
            None => {
                at_hand.tables.push(self.tables.table(table)?);
                at_hand.tables.len() - 1
            }
        };
        let open = &at_hand.tables[number];
        let place = open.index.canonical_address(board).ok_or(Error::Missing(table))?;
        let tile = TileKey::of_place(table, place, turn);
        let drawer = (tile.pawn_slice as usize * 61 + tile.tile as usize * 2 + tile.side as usize + 7 * number)
            % at_hand.tiles.len();
        if let Some((held, slot)) = &at_hand.tiles[drawer]
            && *held == tile
        {
            return Ok(slot.levels().and_then(|levels| levels.get(place.bit)));
        }
        if let Some((_, slot)) = at_hand.tiles[drawer].take() {
            at_hand.bytes -= slot.bytes();
        }
        let slot = self.tables.levels(open, tile)?;
        let level = slot.levels().and_then(|levels| levels.get(place.bit));
        if at_hand.bytes + slot.bytes() <= self.bound {
            at_hand.bytes += slot.bytes();
            at_hand.tiles[drawer] = Some((tile, slot));
        }
        Ok(level)
    }
}
