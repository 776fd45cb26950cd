//! Writes results as tables: typed columns, and rows that are computed as they are written.
//!
//! Each output makes its table ([`plyfold_core::reduce::result_table`]); CSV, JSON lines and Parquet depend only on columns and cells.

mod parquet;
mod result_table;
mod results;
pub mod text;

use std::borrow::Cow;
use std::io::Write;

use plyfold_core::reduce::result_table::{ResultCell, ResultColumn};
use serde::ser::{Serialize, SerializeMap, Serializer};

pub use result_table::StreamedTable;
pub use results::{game_columns, games, games_with_tags, positions};

use crate::csv_table::CsvTable;
use crate::failure::Result;

impl StreamedTable<'_> {
    /// Writes comma-separated values; the first line has the names of the columns.
    ///
    /// # Errors
    ///
    /// As `out` says.
    pub fn write_csv(self, out: &mut dyn Write) -> Result<()> {
        let mut table = CsvTable::new(out);
        table.write_row(self.columns.iter().map(|column| &column.name))?;
        for row in self.rows {
            let cells = row.into_iter().map(|cell| match cell {
                ResultCell::Empty => Cow::Borrowed(""),
                ResultCell::Count(number) => number.to_string().into(),
                ResultCell::Signed(number) => number.to_string().into(),
                ResultCell::Date(date) => date.to_string().into(),
                ResultCell::Text(text) => text,
            });
            table.write_row(cells)?;
        }
        Ok(table.finish()?)
    }

    /// Writes an object per line, its members named after the columns.
    ///
    /// # Errors
    ///
    /// As `out` says.
    pub fn write_json_lines(self, out: &mut dyn Write) -> Result<()> {
        for row in self.rows {
            serde_json::to_writer(&mut *out, &JsonRow(&self.columns, &row))?;
            writeln!(out)?;
        }
        Ok(())
    }
}

/// A row as an object, its members named after the columns.
pub struct JsonRow<'c, 'a>(pub &'c [ResultColumn], pub &'c [ResultCell<'a>]);

impl Serialize for JsonRow<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.1.len()))?;
        for (column, cell) in self.0.iter().zip(self.1) {
            match cell {
                ResultCell::Empty => map.serialize_entry(&column.name, &())?,
                ResultCell::Count(number) => map.serialize_entry(&column.name, number)?,
                ResultCell::Signed(number) => map.serialize_entry(&column.name, number)?,
                ResultCell::Date(date) => map.serialize_entry(&column.name, &date.to_string())?,
                ResultCell::Text(text) => map.serialize_entry(&column.name, text)?,
            }
        }
        map.end()
    }
}
