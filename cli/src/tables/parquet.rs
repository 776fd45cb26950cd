//! Tables as Parquet, one row group at a time. Numbers have 64 bits and texts are UTF-8, both with dictionaries where values
//! repeat, in pages compressed by zstd.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::result_table::{ColumnType, ResultTable, TableCell, TableColumn};
use crate::failure::{CliFailure, Result};

/// Rows of a row group.
const ROWS_PER_GROUP: usize = 1 << 17;

/// The cells of a column in one row group.
struct ColumnBuffer {
    values: ColumnValues,
    /// For each row 1 if it has a value, otherwise 0.
    definition_levels: Vec<i16>,
}

enum ColumnValues {
    /// The bits of numbers, signed or not.
    Numbers(Vec<i64>),
    Texts(Vec<ByteArray>),
}

impl ColumnBuffer {
    fn of(column: &TableColumn) -> ColumnBuffer {
        let values = match column.column_type {
            ColumnType::Text => ColumnValues::Texts(Vec::new()),
            ColumnType::Number | ColumnType::Signed => ColumnValues::Numbers(Vec::new()),
        };
        ColumnBuffer { values, definition_levels: Vec::new() }
    }

    fn push(&mut self, cell: TableCell<'_>) {
        self.definition_levels.push((cell != TableCell::Empty).into());
        match (&mut self.values, cell) {
            (ColumnValues::Numbers(values), TableCell::Number(number)) => values.push(number as i64),
            (ColumnValues::Numbers(values), TableCell::Signed(number)) => values.push(number),
            (ColumnValues::Texts(values), TableCell::Text(text)) => values.push(text.into_owned().into_bytes().into()),
            // A cell has the type of its column, or is empty.
            _ => {}
        }
    }

    fn clear(&mut self) {
        self.definition_levels.clear();
        match &mut self.values {
            ColumnValues::Numbers(values) => values.clear(),
            ColumnValues::Texts(values) => values.clear(),
        }
    }
}

/// Buffers what the crate writes until it is passed on: the crate needs a writer that can move to another thread, and
/// ours cannot.
#[derive(Clone, Default)]
struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl SharedBuffer {
    fn take_bytes(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a table.
pub(super) fn write(table: ResultTable<'_>, out: &mut dyn Write) -> Result<()> {
    let ResultTable { columns, mut rows } = table;
    let taken = SharedBuffer::default();
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by(concat!("plyfold ", env!("CARGO_PKG_VERSION")).into());
    let mut writer = SerializedFileWriter::new(taken.clone(), schema(&columns)?.into(), properties.build().into())?;
    let mut cells: Vec<ColumnBuffer> = columns.iter().map(ColumnBuffer::of).collect();
    loop {
        cells.iter_mut().for_each(ColumnBuffer::clear);
        for row in rows.by_ref().take(ROWS_PER_GROUP) {
            cells.iter_mut().zip(row).for_each(|(cells, cell)| cells.push(cell));
        }
        if cells.first().is_none_or(|cells| cells.definition_levels.is_empty()) {
            break;
        }
        write_group(&mut writer, &columns, &cells)?;
        out.write_all(&taken.take_bytes())?;
    }
    writer.close()?;
    Ok(out.write_all(&taken.take_bytes())?)
}

fn schema(columns: &[TableColumn]) -> Result<Type, ParquetError> {
    let field = |column: &TableColumn| {
        let (physical, logical) = match column.column_type {
            ColumnType::Number => (Physical::INT64, LogicalType::integer(64, false)),
            ColumnType::Signed => (Physical::INT64, LogicalType::integer(64, true)),
            ColumnType::Text => (Physical::BYTE_ARRAY, LogicalType::String),
        };
        let repetition = if column.is_optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let builder = Type::primitive_type_builder(&column.name, physical).with_repetition(repetition);
        builder.with_logical_type(Some(logical)).build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<_, _>>()?;
    Type::group_type_builder("answer").with_fields(fields).build()
}

fn write_group(
    writer: &mut SerializedFileWriter<SharedBuffer>,
    columns: &[TableColumn],
    cells: &[ColumnBuffer],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for (column, ColumnBuffer { values, definition_levels: has }) in columns.iter().zip(cells) {
        // There are as many columns as in the schema.
        let Some(mut into) = group.next_column()? else { break };
        let has = column.is_optional.then_some(has.as_slice());
        match values {
            ColumnValues::Numbers(values) => into.typed::<Int64Type>().write_batch(values, has, None)?,
            ColumnValues::Texts(values) => into.typed::<ByteArrayType>().write_batch(values, has, None)?,
        };
        into.close()?;
    }
    group.close().map(drop)
}

impl From<ParquetError> for CliFailure {
    fn from(error: ParquetError) -> CliFailure {
        CliFailure::Output(io::Error::other(error))
    }
}
