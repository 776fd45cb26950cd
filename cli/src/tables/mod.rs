//! Results as tables: typed columns, and rows that are made as they are written.
//!
//! `results` says which table each result has; CSV, lines of JSON and Parquet need nothing but columns and cells.

mod parquet;
mod results;

use std::borrow::Cow;
use std::io::Write;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

pub use results::{games, groups, heatmap, next, partition, positions, structures};

use crate::csv_table::CsvTable;
use crate::failure::Result;

/// The type of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnType {
    /// A number from 0.
    Number,
    /// A number that may be negative.
    Signed,
    Text,
}

/// A column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableColumn {
    pub name: String,
    pub column_type: ColumnType,
    /// Whether cells may be empty.
    pub is_optional: bool,
}

impl TableColumn {
    fn new(kind: ColumnType, name: impl Into<String>) -> TableColumn {
        TableColumn { name: name.into(), column_type: kind, is_optional: false }
    }

    fn number(name: &str) -> TableColumn {
        TableColumn::new(ColumnType::Number, name)
    }

    fn text(name: &str) -> TableColumn {
        TableColumn::new(ColumnType::Text, name)
    }

    fn optional(self) -> TableColumn {
        TableColumn { is_optional: true, ..self }
    }
}

/// A cell, of the type of its column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableCell<'a> {
    /// Empty.
    Empty,
    Number(u64),
    Signed(i64),
    Text(Cow<'a, str>),
}

impl From<u64> for TableCell<'_> {
    fn from(number: u64) -> Self {
        TableCell::Number(number)
    }
}

impl<'a> From<&'a str> for TableCell<'a> {
    fn from(text: &'a str) -> Self {
        TableCell::Text(text.into())
    }
}

impl From<String> for TableCell<'_> {
    fn from(text: String) -> Self {
        TableCell::Text(text.into())
    }
}

impl<'a, T: Into<TableCell<'a>>> From<Option<T>> for TableCell<'a> {
    fn from(cell: Option<T>) -> Self {
        cell.map_or(TableCell::Empty, T::into)
    }
}

impl Serialize for TableCell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            TableCell::Empty => serializer.serialize_none(),
            TableCell::Number(number) => serializer.serialize_u64(*number),
            TableCell::Signed(number) => serializer.serialize_i64(*number),
            TableCell::Text(text) => serializer.serialize_str(text),
        }
    }
}

/// A table. Rows have a cell for each column.
pub struct ResultTable<'a> {
    pub columns: Vec<TableColumn>,
    pub rows: Box<dyn Iterator<Item = Vec<TableCell<'a>>> + 'a>,
}

impl<'a> ResultTable<'a> {
    fn new(columns: Vec<TableColumn>, rows: impl Iterator<Item = Vec<TableCell<'a>>> + 'a) -> ResultTable<'a> {
        ResultTable { columns, rows: Box::new(rows) }
    }

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
                TableCell::Empty => Cow::Borrowed(""),
                TableCell::Number(number) => number.to_string().into(),
                TableCell::Signed(number) => number.to_string().into(),
                TableCell::Text(text) => text,
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
                map.serialize_entry(&column.name, cell)?;
            }
            map.end()?;
            writeln!(out)?;
        }
        Ok(())
    }

    /// Writes a Parquet file.
    ///
    /// # Errors
    ///
    /// As `out` says.
    pub fn write_parquet(self, out: &mut dyn Write) -> Result<()> {
        parquet::write(self, out)
    }
}
