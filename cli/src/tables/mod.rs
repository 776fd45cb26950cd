//! Answers as tables: columns of one kind each, and rows that are made as they are written.
//!
//! What an answer has as a table is said once (`answers`); CSV, lines of JSON and Parquet are made of columns and cells alone.

mod answers;
mod parquet;

use std::borrow::Cow;
use std::io::Write;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

pub use answers::{games, groups, heatmap, next, partition, positions, structures};

use crate::failure::Result;
use crate::table::csv;

/// What the cells of a column are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A number from 0.
    Number,
    /// A number that may be below 0.
    Signed,
    Text,
}

/// A column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    pub name: String,
    pub kind: Kind,
    /// Whether cells may be empty.
    pub is_optional: bool,
}

impl Column {
    fn of(kind: Kind, name: impl Into<String>) -> Column {
        Column { name: name.into(), kind, is_optional: false }
    }

    fn number(name: &str) -> Column {
        Column::of(Kind::Number, name)
    }

    fn text(name: &str) -> Column {
        Column::of(Kind::Text, name)
    }

    fn optional(self) -> Column {
        Column { is_optional: true, ..self }
    }
}

/// A cell, of the kind of its column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cell<'a> {
    /// Empty.
    Nothing,
    Number(u64),
    Signed(i64),
    Text(Cow<'a, str>),
}

impl From<u64> for Cell<'_> {
    fn from(number: u64) -> Self {
        Cell::Number(number)
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Cell::Text(text.into())
    }
}

impl From<String> for Cell<'_> {
    fn from(text: String) -> Self {
        Cell::Text(text.into())
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(cell: Option<T>) -> Self {
        cell.map_or(Cell::Nothing, T::into)
    }
}

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Cell::Nothing => serializer.serialize_none(),
            Cell::Number(number) => serializer.serialize_u64(*number),
            Cell::Signed(number) => serializer.serialize_i64(*number),
            Cell::Text(text) => serializer.serialize_str(text),
        }
    }
}

/// A table. Rows have a cell for each column.
pub struct Table<'a> {
    pub columns: Vec<Column>,
    pub rows: Box<dyn Iterator<Item = Vec<Cell<'a>>> + 'a>,
}

impl<'a> Table<'a> {
    fn new(columns: Vec<Column>, rows: impl Iterator<Item = Vec<Cell<'a>>> + 'a) -> Table<'a> {
        Table { columns, rows: Box::new(rows) }
    }

    /// Comma-separated values, the names of the columns in the first line.
    ///
    /// # Errors
    ///
    /// As `out` says.
    pub fn csv(self, out: &mut dyn Write) -> Result<()> {
        csv(out, self.columns.iter().map(|column| &column.name))?;
        for row in self.rows {
            let cells = row.into_iter().map(|cell| match cell {
                Cell::Nothing => Cow::Borrowed(""),
                Cell::Number(number) => number.to_string().into(),
                Cell::Signed(number) => number.to_string().into(),
                Cell::Text(text) => text,
            });
            csv(out, cells)?;
        }
        Ok(())
    }

    /// An object a line, its members named as the columns.
    ///
    /// # Errors
    ///
    /// As `out` says.
    pub fn json(self, out: &mut dyn Write) -> Result<()> {
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

    /// A Parquet file.
    ///
    /// # Errors
    ///
    /// As `out` says.
    pub fn parquet(self, out: &mut dyn Write) -> Result<()> {
        parquet::write(self, out)
    }
}
