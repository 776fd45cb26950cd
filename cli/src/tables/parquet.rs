//! Tables as Parquet, row group by row group: numbers are 64 bits wide, texts UTF-8, both with dictionaries where they repeat, in
//! pages that zstd has packed.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::{Cell, Column, Kind, Table};
use crate::failure::{Failure, Result};

/// Rows of a row group.
const GROUP: usize = 1 << 17;

/// The cells of a column, of one row group.
struct Cells {
    values: Values,
    /// Of each row 1 if it has a value.
    has: Vec<i16>,
}

enum Values {
    /// Bits of numbers with or without a sign.
    Numbers(Vec<i64>),
    Texts(Vec<ByteArray>),
}

impl Cells {
    fn of(column: &Column) -> Cells {
        let values = match column.kind {
            Kind::Text => Values::Texts(Vec::new()),
            Kind::Number | Kind::Signed => Values::Numbers(Vec::new()),
        };
        Cells { values, has: Vec::new() }
    }

    fn push(&mut self, cell: Cell<'_>) {
        self.has.push((cell != Cell::Nothing).into());
        match (&mut self.values, cell) {
            (Values::Numbers(values), Cell::Number(number)) => values.push(number as i64),
            (Values::Numbers(values), Cell::Signed(number)) => values.push(number),
            (Values::Texts(values), Cell::Text(text)) => values.push(text.into_owned().into_bytes().into()),
            // A cell is of the kind of its column, or empty.
            _ => {}
        }
    }

    fn clear(&mut self) {
        self.has.clear();
        match &mut self.values {
            Values::Numbers(values) => values.clear(),
            Values::Texts(values) => values.clear(),
        }
    }
}

/// Takes what the crate writes until it is handed on: it wants a writer that may go to another thread, and ours stays.
#[derive(Clone, Default)]
struct Taken(Arc<Mutex<Vec<u8>>>);

impl Taken {
    fn bytes(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Taken {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a table.
pub(super) fn write(table: Table<'_>, out: &mut dyn Write) -> Result<()> {
    let Table { columns, mut rows } = table;
    let taken = Taken::default();
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by(concat!("plyfold ", env!("CARGO_PKG_VERSION")).into());
    let mut writer = SerializedFileWriter::new(taken.clone(), schema(&columns)?.into(), properties.build().into())?;
    let mut cells: Vec<Cells> = columns.iter().map(Cells::of).collect();
    loop {
        cells.iter_mut().for_each(Cells::clear);
        for row in rows.by_ref().take(GROUP) {
            cells.iter_mut().zip(row).for_each(|(cells, cell)| cells.push(cell));
        }
        if cells.first().is_none_or(|cells| cells.has.is_empty()) {
            break;
        }
        write_group(&mut writer, &columns, &cells)?;
        out.write_all(&taken.bytes())?;
    }
    writer.close()?;
    Ok(out.write_all(&taken.bytes())?)
}

fn schema(columns: &[Column]) -> Result<Type, ParquetError> {
    let field = |column: &Column| {
        let (physical, logical) = match column.kind {
            Kind::Number => (Physical::INT64, LogicalType::integer(64, false)),
            Kind::Signed => (Physical::INT64, LogicalType::integer(64, true)),
            Kind::Text => (Physical::BYTE_ARRAY, LogicalType::String),
        };
        let repetition = if column.is_optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let builder = Type::primitive_type_builder(&column.name, physical).with_repetition(repetition);
        builder.with_logical_type(Some(logical)).build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<_, _>>()?;
    Type::group_type_builder("answer").with_fields(fields).build()
}

fn write_group(
    writer: &mut SerializedFileWriter<Taken>,
    columns: &[Column],
    cells: &[Cells],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for (column, Cells { values, has }) in columns.iter().zip(cells) {
        // There are as many columns as the schema has.
        let Some(mut into) = group.next_column()? else { break };
        let has = column.is_optional.then_some(has.as_slice());
        match values {
            Values::Numbers(values) => into.typed::<Int64Type>().write_batch(values, has, None)?,
            Values::Texts(values) => into.typed::<ByteArrayType>().write_batch(values, has, None)?,
        };
        into.close()?;
    }
    group.close().map(drop)
}

impl From<ParquetError> for Failure {
    fn from(error: ParquetError) -> Failure {
        Failure::Output(io::Error::other(error))
    }
}
