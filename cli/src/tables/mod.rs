//! Results as tables: typed columns, and rows that are computed as they are written.
//!
//! Each output makes its table ([`plyfold_core::reduce::result_table`]); CSV, JSON lines and Parquet depend only on columns and cells.

mod parquet;
mod result_table;
mod results;

use std::borrow::Cow;
use std::io::Write;

use plyfold_core::reduce::result_table::ResultCell;
use serde::ser::{SerializeMap, Serializer};

pub use result_table::StreamedTable;
pub use results::{game_columns, games, positions};

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
            let mut serializer = serde_json::Serializer::new(&mut *out);
            let mut map = serializer.serialize_map(Some(row.len()))?;
            for (column, cell) in self.columns.iter().zip(&row) {
                match cell {
                    ResultCell::Empty => map.serialize_entry(&column.name, &())?,
                    ResultCell::Count(number) => map.serialize_entry(&column.name, number)?,
                    ResultCell::Signed(number) => map.serialize_entry(&column.name, number)?,
                    ResultCell::Text(text) => map.serialize_entry(&column.name, text)?,
                }
            }
            map.end()?;
            writeln!(out)?;
        }
        Ok(())
    }
}
