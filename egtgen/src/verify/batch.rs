//! Finds the levels of many positions with little memory: first all places are collected that the positions ask for, then each tile
//! with such places goes past once, block by block, and then the positions are derived.
//!
//! A tile of seven men unpacks to gigabytes; this takes some bytes for each place that is asked for.

use std::cell::RefCell;

use plyfold_tables::material::TableMaterial;
use plyfold_tables::probe::{Prober, TableSource};
use plyfold_tables::successors::TablePosition;
use rayon::prelude::*;
use shakmaty::{Board, Color};

use crate::Error;
use crate::prober::{CachedTables, TileKey};

/// A bit of a tile.
pub(super) type TilePlace = (TileKey, u64);

/// The levels of all places that some positions ask for.
pub(super) struct PlaceLevels<'a> {
    tables: &'a CachedTables,
    places: Vec<TilePlace>,
    levels: Vec<Option<u16>>,
}

impl<'a> PlaceLevels<'a> {
    /// Reads the levels of these places, and of those from which the positions after these positions are known.
    ///
    /// # Errors
    /// A table is missing or cannot be read.
    pub fn read(
        tables: &'a CachedTables,
        places: Vec<TilePlace>,
        positions: &[Option<TablePosition>],
    ) -> Result<PlaceLevels<'a>, Error> {
        let asked = positions.par_iter().flatten().map(|position| {
            let prober = Prober::new(Collector { tables, places: RefCell::default() });
            prober.searched_level(Color::White, position)?;
            Ok(prober.source().places.take())
        });
        let asked: Vec<Vec<TilePlace>> = asked.collect::<Result<_, Error>>()?;
        let mut places: Vec<TilePlace> = places.into_iter().chain(asked.into_iter().flatten()).collect();
        places.par_sort_unstable();
        places.dedup();
        let levels = places.par_chunk_by(|one, other| one.0 == other.0).map(|places| {
            let bits: Vec<u64> = places.iter().map(|(_, bit)| *bit).collect();
            tables.levels_of_bits(places[0].0, &bits)
        });
        let levels = levels.collect::<Result<Vec<_>, Error>>()?.concat();
        Ok(PlaceLevels { tables, places, levels })
    }

    /// The level of a place; `None` also if it was not asked for.
    pub fn level_of(&self, place: TilePlace) -> Option<u16> {
        self.places.binary_search(&place).ok().and_then(|at| self.levels[at])
    }
}

impl TableSource for PlaceLevels<'_> {
    type Error = Error;

    fn level(&self, table: TableMaterial, board: &Board, turn: Color) -> Result<Option<u16>, Error> {
        match self.tables.archive.level(table, board, turn) {
            Some(level) => level,
            None => Ok(self.level_of(place_of(self.tables, table, board, turn)?)),
        }
    }
}

/// Collects the places of positions instead of reading them. It calls every position won, so that none is left out.
struct Collector<'a> {
    tables: &'a CachedTables,
    places: RefCell<Vec<TilePlace>>,
}

impl TableSource for Collector<'_> {
    type Error = Error;

    fn level(&self, table: TableMaterial, board: &Board, turn: Color) -> Result<Option<u16>, Error> {
        if !self.tables.archive.finds_single_levels(table)? {
            self.places.borrow_mut().push(place_of(self.tables, table, board, turn)?);
        }
        Ok(Some(0))
    }
}

fn place_of(tables: &CachedTables, table: TableMaterial, board: &Board, turn: Color) -> Result<TilePlace, Error> {
    let place = tables.table(table)?.index.canonical_address(board).ok_or(Error::Missing(table))?;
    Ok((TileKey::of_place(table, place, turn), place.bit))
}
