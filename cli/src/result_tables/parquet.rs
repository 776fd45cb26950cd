//! Writes tables as Parquet, one row group at a time. Numbers have 64 bits and texts are UTF-8, both with dictionaries where values
//! repeat, in pages compressed by zstd.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use plyfold_core::reduce::result_table::{CellKind, ResultCell, ResultColumn};

use super::result_table::StreamedTable;
use crate::failure::{CliFailure, Result};

/// Rows of a row group.
const ROWS_PER_GROUP: usize = 1 << 17;

/// The cells of a column in one row group: numbers or texts, as the column has it.
#[derive(Default)]
struct ColumnBuffer {
    /// The bits of numbers, signed or not.
    numbers: Vec<i64>,
    texts: Vec<ByteArray>,
    /// For each row 1 if it has a value, otherwise 0.
    definition_levels: Vec<i16>,
}

impl ColumnBuffer {
    fn push(&mut self, cell: ResultCell<'_>) {
        self.definition_levels.push((cell != ResultCell::Empty).into());
        match cell {
            ResultCell::Empty => {}
            ResultCell::Count(number) => self.numbers.push(number as i64),
            ResultCell::Signed(number) => self.numbers.push(number),
            ResultCell::Date(date) => self.texts.push(date.to_string().into_bytes().into()),
            ResultCell::Text(text) => self.texts.push(text.into_owned().into_bytes().into()),
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

impl StreamedTable<'_> {
    /// Writes a Parquet file.
    ///
    /// # Errors
    ///
    /// As `out` says.
    pub fn write_parquet(mut self, out: &mut dyn Write) -> Result<()> {
        let taken = SharedBuffer::default();
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("plyfold ", env!("CARGO_PKG_VERSION")).into());
        let schema = schema(&self.columns)?.into();
        let mut writer = SerializedFileWriter::new(taken.clone(), schema, properties.build().into())?;
        loop {
            let mut cells: Vec<ColumnBuffer> = self.columns.iter().map(|_| ColumnBuffer::default()).collect();
            for row in self.rows.by_ref().take(ROWS_PER_GROUP) {
                cells.iter_mut().zip(row).for_each(|(cells, cell)| cells.push(cell));
            }
            if cells.first().is_none_or(|cells| cells.definition_levels.is_empty()) {
                break;
            }
            write_group(&mut writer, &self.columns, &cells)?;
            out.write_all(&taken.take_bytes())?;
        }
        writer.close()?;
        Ok(out.write_all(&taken.take_bytes())?)
    }
}

fn schema(columns: &[ResultColumn]) -> Result<Type, ParquetError> {
    let field = |column: &ResultColumn| {
        let (physical, logical) = match column.kind {
            CellKind::Signed => (Physical::INT64, LogicalType::integer(64, true)),
            kind if kind.is_number() => (Physical::INT64, LogicalType::integer(64, false)),
            _ => (Physical::BYTE_ARRAY, LogicalType::String),
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
    columns: &[ResultColumn],
    cells: &[ColumnBuffer],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for (column, ColumnBuffer { numbers, texts, definition_levels }) in columns.iter().zip(cells) {
        // There are as many columns as in the schema.
        let Some(mut into) = group.next_column()? else { break };
        let has = column.is_optional.then_some(definition_levels.as_slice());
        match column.kind {
            kind if kind.is_number() => into.typed::<Int64Type>().write_batch(numbers, has, None)?,
            _ => into.typed::<ByteArrayType>().write_batch(texts, has, None)?,
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
