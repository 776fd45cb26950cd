//! A table whose rows are computed as they are written.

use plyfold_core::reduce::result_table::{ResultCell, ResultColumn, ResultTable};

/// A table. Rows have a cell for each column.
pub struct StreamedTable<'a> {
    pub columns: Vec<ResultColumn>,
    pub rows: Box<dyn Iterator<Item = Vec<ResultCell<'a>>> + 'a>,
}

impl<'a> StreamedTable<'a> {
    pub fn new(columns: Vec<ResultColumn>, rows: impl Iterator<Item = Vec<ResultCell<'a>>> + 'a) -> StreamedTable<'a> {
        StreamedTable { columns, rows: Box::new(rows) }
    }
}

impl<'a> From<ResultTable<'a>> for StreamedTable<'a> {
    fn from(ResultTable { columns, rows, .. }: ResultTable<'a>) -> StreamedTable<'a> {
        StreamedTable::new(columns, rows.into_iter())
    }
}
