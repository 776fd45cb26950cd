//! The parts of a table of results: typed columns, and rows of cells.

use std::borrow::Cow;

use serde::Serialize;

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
    pub fn new(kind: ColumnType, name: impl Into<String>) -> TableColumn {
        TableColumn { name: name.into(), column_type: kind, is_optional: false }
    }

    pub fn number(name: &str) -> TableColumn {
        TableColumn::new(ColumnType::Number, name)
    }

    pub fn text(name: &str) -> TableColumn {
        TableColumn::new(ColumnType::Text, name)
    }

    pub fn optional(self) -> TableColumn {
        TableColumn { is_optional: true, ..self }
    }
}

/// A cell, of the type of its column.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
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

/// A table. Rows have a cell for each column.
pub struct ResultTable<'a> {
    pub columns: Vec<TableColumn>,
    pub rows: Box<dyn Iterator<Item = Vec<TableCell<'a>>> + 'a>,
}

impl<'a> ResultTable<'a> {
    pub fn new(columns: Vec<TableColumn>, rows: impl Iterator<Item = Vec<TableCell<'a>>> + 'a) -> ResultTable<'a> {
        ResultTable { columns, rows: Box::new(rows) }
    }
}
