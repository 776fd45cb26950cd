//! The tables that were made here, and the questions that the worker asks them.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use egtgen::memory_tables::MemoryTable;
use egtgen::prober::{Archive, PositionTotals, TileKey};
use egtgen::stats::stats;
use egtgen::{CachedTables, Error, MemoryLibrary, Prober};
use plyfold_core::table::index::TableIndex;
use plyfold_core::table::material::TableMaterial;
use plyfold_core::table::probe::ProbeValue;
use plyfold_core::table::successors::TablePosition;
use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer::Answer;
use crate::error::Failure;
use crate::generation::{self, STOP};
use crate::statistics::MaterialStatistics;
use crate::tables::{self, TableSet};

/// Bytes of decoded tiles that stay in memory.
const CACHE_BYTES: usize = 32 << 20;
/// How many of the longest wins are listed.
const MOST_LONGEST: usize = 5;

/// One library for the generator and for probes.
struct SharedLibrary(Arc<MemoryLibrary>);

impl Archive for SharedLibrary {
    fn summary(&self, index: &TableIndex) -> Result<PositionTotals, Error> {
        self.0.summary(index)
    }

    fn decode(
        &self,
        at: TileKey,
        words: usize,
        levels: RangeInclusive<u16>,
        put: &mut dyn FnMut(u64, u16),
    ) -> Result<(), Error> {
        self.0.decode(at, words, levels, put)
    }
}

/// Tables and questions to them.
#[wasm_bindgen]
pub struct Tables {
    library: Arc<MemoryLibrary>,
    cached: CachedTables,
}

impl Default for Tables {
    fn default() -> Tables {
        Tables::new()
    }
}

impl TableSet for Tables {
    fn value(&mut self, position: &TablePosition) -> Result<Answer<ProbeValue>, Failure> {
        Ok(Answer::Known(Prober::new(&self.cached).value(position)?))
    }
}

#[wasm_bindgen]
impl Tables {
    /// No tables yet.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Tables {
        let library = Arc::new(MemoryLibrary::default());
        Tables { cached: CachedTables::new(Box::new(SharedLibrary(Arc::clone(&library))), CACHE_BYTES), library }
    }

    /// All tables of at most `men` pieces, in the order in which they can be made.
    ///
    /// # Errors
    /// None; JavaScript takes every plan.
    #[wasm_bindgen(unchecked_return_type = "PlannedTable[]")]
    pub fn plan(men: usize) -> Result<JsValue, Failure> {
        Answer::Known(generation::plan(men)).to_js()
    }

    /// Makes one table, and returns the bytes of its file.
    ///
    /// # Errors
    /// A table that it needs is missing; the page has stopped it.
    pub fn make(&self, name: &str) -> Result<Vec<u8>, Failure> {
        let material: TableMaterial = name.parse().map_err(|error| Failure::new("bad-input", error))?;
        STOP.store(false, Ordering::Relaxed);
        Ok(self.library.generate_one(material, &STOP)?.to_bytes())
    }

    /// Adds the table of a file, and returns its name.
    ///
    /// # Errors
    /// The bytes are no complete table.
    pub fn add(&mut self, bytes: &[u8], file: &str) -> Result<String, Failure> {
        let table = MemoryTable::from_bytes(bytes, file)?;
        let name = table.material().to_string();
        self.library.insert(Arc::new(table));
        // The tiles of a table that was here before are forgotten.
        self.cached = CachedTables::new(Box::new(SharedLibrary(Arc::clone(&self.library))), CACHE_BYTES);
        Ok(name)
    }

    /// The value of a position and of its moves.
    ///
    /// # Errors
    /// The text is no position that tables know; a table is missing or damaged.
    #[wasm_bindgen(unchecked_return_type = "TableVerdict | Need[]")]
    pub fn verdict(&mut self, fen: &str) -> Result<JsValue, Failure> {
        tables::verdict(self, fen)?.to_js()
    }

    /// Best play up to mate.
    ///
    /// # Errors
    /// As for a verdict.
    #[wasm_bindgen(unchecked_return_type = "TableLine | Need[]")]
    pub fn line(&mut self, fen: &str) -> Result<JsValue, Failure> {
        tables::line(self, fen)?.to_js()
    }

    /// The values with the piece of a square (0 is a1, 63 is h8) elsewhere.
    ///
    /// # Errors
    /// As for a verdict; the square is empty.
    #[wasm_bindgen(unchecked_return_type = "TableMap | Need[]")]
    pub fn map(&mut self, fen: &str, square: u32) -> Result<JsValue, Failure> {
        tables::map(self, fen, square)?.to_js()
    }

    /// The positions with the piece of a square elsewhere, as FEN, for a server that is asked about each; null where it cannot
    /// stand.
    ///
    /// # Errors
    /// The text is no position that tables know; the square is empty.
    #[wasm_bindgen(unchecked_return_type = "(string | null)[]")]
    pub fn elsewhere(fen: &str, square: u32) -> Result<JsValue, Failure> {
        let fens: Vec<Option<String>> =
            tables::elsewhere(fen, square)?.map(|position| position.map(|position| position.to_string())).collect();
        Answer::Known(fens).to_js()
    }

    /// The position after a move in UCI notation, as FEN.
    ///
    /// # Errors
    /// The text is no position that tables know; the move is not legal.
    pub fn after(fen: &str, uci: &str) -> Result<String, Failure> {
        Ok(tables::after(fen, uci)?.to_string())
    }

    /// The values of positions, null for those that are not known.
    ///
    /// # Errors
    /// A table is damaged.
    #[wasm_bindgen(unchecked_return_type = "TableValues | Need[]")]
    pub fn values(&mut self, fens: Vec<String>) -> Result<JsValue, Failure> {
        tables::values_of(self, &fens)?.to_js()
    }

    /// The statistics of a material, whose first side is White.
    ///
    /// # Errors
    /// The name is none; a table is missing or damaged.
    #[wasm_bindgen(unchecked_return_type = "MaterialStatistics | Need[]")]
    pub fn statistics(&mut self, name: &str) -> Result<JsValue, Failure> {
        let material: TableMaterial = name.parse().map_err(|error| Failure::new("bad-input", error))?;
        known(MaterialStatistics::from(stats(&self.cached, material, MOST_LONGEST)?))
    }
}

fn known(result: impl Serialize) -> Result<JsValue, Failure> {
    Answer::Known(result).to_js()
}
