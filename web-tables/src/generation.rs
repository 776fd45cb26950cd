//! Making tables: their order, one table at a time, and how a table that is being made is stopped.

use std::sync::atomic::AtomicBool;

use plyfold_tables::index::TableIndex;
use plyfold_tables::material::{TableMaterial, closure};
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;

/// Ends the table that is being made once it is true. It lies in shared memory, where the page can write while the worker is
/// busy; in the single flavour, the worker stops between two tables.
pub static STOP: AtomicBool = AtomicBool::new(false);

/// Byte address in the wasm memory of the byte that stops the table being made.
#[wasm_bindgen(js_name = stopAddress)]
#[must_use]
pub fn stop_address() -> usize {
    STOP.as_ptr() as usize
}

/// A table to be made.
#[derive(Debug, Serialize, Tsify)]
pub struct PlannedTable {
    /// Its name, the winner first.
    pub name: String,
    /// How many places it has, which is about how long it takes.
    pub weight: f64,
}

/// All tables of at most `men` pieces, kings included, each after those that it needs.
#[must_use]
pub fn plan(men: usize) -> Vec<PlannedTable> {
    let materials: Vec<TableMaterial> =
        (3..=men).flat_map(TableMaterial::all_with_men).flat_map(|material| [material, material.swapped()]).collect();
    closure(&materials)
        .into_iter()
        .map(|material| PlannedTable { name: material.to_string(), weight: weight(material) })
        .collect()
}

fn weight(material: TableMaterial) -> f64 {
    let index = TableIndex::new(material);
    index.pawn_slices().len() as f64 * index.pawn_slice_words() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_comes_after_those_that_it_needs() {
        let names: Vec<String> = plan(4).into_iter().map(|table| table.name).collect();
        assert_eq!(names.len(), 45, "35 materials, and 10 of them with another winner");
        for (at, name) in names.iter().enumerate() {
            let material: TableMaterial = name.parse().expect("a material");
            for needed in material.conversions() {
                let needed = names.iter().position(|one| *one == needed.to_string());
                assert!(needed.is_some_and(|needed| needed < at), "{name}");
            }
        }
    }
}
