//! The tables as the worker has them: packed, read range by range, and made here.
//!
//! A question says which bytes it needs. The worker reads them from the browser's private files, from a file that the user
//! dropped or from a host, supplies them, and asks again.

use std::ops::Range;
use std::sync::atomic::Ordering;

use egtgen::MemoryLibrary;
use egtgen::packing::{PackingContext, pack_in_memory};
use plyfold_tables::material::{TableMaterial, closure};
use plyfold_tables::packed::head::{HEADER_BYTES, PackedError};
use plyfold_tables::packed::tables::{PackedTable, PackedTables};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::Failure;
use crate::generation::{self, STOP};
use crate::panic::keep_messages;
use crate::reply::{reply, to_js};
use crate::{statistics, tables};

/// Bytes of blocks and units that stay in memory.
const CACHE_BYTES: usize = 24 << 20;

/// Tables and questions to them.
#[wasm_bindgen]
pub struct Tables {
    packed: PackedTables,
    /// Tables that were made here and are needed to make others.
    library: MemoryLibrary,
}

impl Default for Tables {
    fn default() -> Tables {
        Tables::new()
    }
}

fn material(name: &str) -> Result<TableMaterial, Failure> {
    name.parse().map_err(|error| Failure::new("bad-input", error))
}

#[wasm_bindgen]
impl Tables {
    /// No tables yet.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Tables {
        keep_messages();
        Tables { packed: PackedTables::new(CACHE_BYTES), library: MemoryLibrary::default() }
    }

    /// All tables of at most `men` pieces, in the order in which they can be made.
    ///
    /// # Errors
    /// None; JavaScript takes every plan.
    #[wasm_bindgen(unchecked_return_type = "PlannedTable[]")]
    pub fn plan(men: usize) -> Result<JsValue, Failure> {
        to_js(&generation::plan(men))
    }

    /// The tables that positions of these materials need, whoever wins: their own, and those of everything they can become. A material
    /// that no table can have needs none.
    #[wasm_bindgen(js_name = neededBy)]
    #[must_use]
    pub fn needed_by(names: Vec<String>) -> Vec<String> {
        let materials = names.iter().filter_map(|name| material(name).ok());
        let both: Vec<TableMaterial> = materials.flat_map(|one| [one, one.swapped()]).collect();
        closure(&both).iter().map(TableMaterial::to_string).collect()
    }

    /// Generates a table, which is then there to make others.
    ///
    /// # Errors
    /// A table that it needs was not generated; the page has stopped it.
    pub fn generate(&self, name: &str) -> Result<(), Failure> {
        STOP.store(false, Ordering::Relaxed);
        self.library.generate_one(material(name)?, &STOP)?;
        Ok(())
    }

    /// Packs a table that was generated, and returns the bytes of its file.
    ///
    /// # Errors
    /// It was not generated; the page has stopped it.
    pub fn pack(&self, name: &str) -> Result<Vec<u8>, Failure> {
        let context = PackingContext { source: &self.library, stop: &STOP, on_progress: &|_| () };
        Ok(pack_in_memory(&context, material(name)?)?)
    }

    /// Forgets all tables that were generated, because no other will be made of them.
    #[wasm_bindgen(js_name = forgetGenerated)]
    pub fn forget_generated(&mut self) {
        self.library = MemoryLibrary::default();
    }

    /// Checks a file of a packed table from its first bytes, or completely if these are all; returns the name of the table,
    /// which is that of the file.
    ///
    /// # Errors
    /// The bytes are no packed table, or damaged; the file has another name or length.
    pub fn check(head: &[u8], file: &str, length: f64) -> Result<String, Failure> {
        let damaged = |what: &dyn std::fmt::Display| Failure::new("damaged", format!("{file}: {what}"));
        let name = file.strip_suffix(".egp").and_then(|name| name.parse::<TableMaterial>().ok());
        let Some(material) = name else {
            return Err(damaged(&"a packed table has the name of its material, such as KRvK.egp"));
        };
        let table = PackedTable::open(material, head).map_err(|error| damaged(&error))?;
        if table.header.file_bytes as f64 != length {
            let expected = table.header.file_bytes;
            return Err(damaged(&format!("it has {length} bytes instead of {expected}; copy or pack the table again")));
        }
        if head.len() as f64 == length {
            check_blocks(&table, head).map_err(|error| damaged(&error))?;
        }
        Ok(material.to_string())
    }

    /// Takes bytes that were needed; fewer mean that the file ends there.
    ///
    /// # Errors
    /// The bytes are damaged.
    pub fn supply(&mut self, name: &str, offset: f64, bytes: &[u8]) -> Result<(), Failure> {
        Ok(self.packed.supply(material(name)?, offset as u64, bytes)?)
    }

    /// Notes that there is no table of this name.
    ///
    /// # Errors
    /// The name is none.
    #[wasm_bindgen(js_name = setAbsent)]
    pub fn set_absent(&mut self, name: &str) -> Result<(), Failure> {
        self.packed.set_absent(material(name)?);
        Ok(())
    }

    /// Forgets what is known of a table, because it is there now, or another one.
    ///
    /// # Errors
    /// The name is none.
    pub fn forget(&mut self, name: &str) -> Result<(), Failure> {
        self.packed.forget(material(name)?);
        Ok(())
    }

    /// The value of a position and of its moves.
    ///
    /// # Errors
    /// The text is no position that tables know; a table is missing or damaged.
    #[wasm_bindgen(unchecked_return_type = "TableVerdict | Need[]")]
    pub fn verdict(&self, fen: &str) -> Result<JsValue, Failure> {
        reply(tables::verdict(&self.packed, fen)?)
    }

    /// Best play up to mate.
    ///
    /// # Errors
    /// As for a verdict.
    #[wasm_bindgen(unchecked_return_type = "TableLine | Need[]")]
    pub fn line(&self, fen: &str) -> Result<JsValue, Failure> {
        reply(tables::line(&self.packed, fen)?)
    }

    /// The values with the piece of a square (0 is a1, 63 is h8) elsewhere.
    ///
    /// # Errors
    /// As for a verdict; the square is empty.
    #[wasm_bindgen(unchecked_return_type = "TableMap | Need[]")]
    pub fn map(&self, fen: &str, square: u32) -> Result<JsValue, Failure> {
        reply(tables::map(&self.packed, fen, square)?)
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
        to_js(&fens)
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
    pub fn values(&self, fens: Vec<String>) -> Result<JsValue, Failure> {
        reply(tables::values_of(&self.packed, &fens)?)
    }

    /// The statistics of a material, whose first side is White.
    ///
    /// # Errors
    /// The name is none; a table is missing or damaged.
    #[wasm_bindgen(unchecked_return_type = "MaterialStatistics | Need[]")]
    pub fn statistics(&self, name: &str) -> Result<JsValue, Failure> {
        reply(statistics::statistics(&self.packed, material(name)?)?)
    }
}

/// Checks all blocks of a table in memory, and their list.
fn check_blocks(table: &PackedTable, file: &[u8]) -> Result<(), PackedError> {
    let layout = &table.layout;
    let part = |range: Range<u64>| file.get(range.start as usize..range.end as usize).unwrap_or_default();
    table.header.check_entries(part(HEADER_BYTES..layout.summary_offset()))?;
    (0..layout.blocks()).try_for_each(|block| {
        let place = table.header.block_place(layout, block, part(layout.entries(block)))?;
        table.units_of_block(block, &place, part(place.bytes.clone())).map(|_| ())
    })
}
