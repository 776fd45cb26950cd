//! Writes rows as a table, CSV, JSON or Parquet; a file appears when it is complete.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use clap::ValueEnum;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::csv;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::json::LineDelimitedWriter;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::{Compression, ZstdLevel};
use datafusion::parquet::file::properties::WriterProperties;
use futures::StreamExt;
use plyfold_datafusion::plain_rows;
use plyfold_files::{FileError, is_standard_output};
use plyfold_terminal::partial_output::PartialOutput;

use crate::Failure;

/// How rows are written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// A table for people.
    Table,
    /// CSV with a line of names.
    Csv,
    /// An object a line.
    Json,
    /// A Parquet file.
    Parquet,
}

/// Rows of a table that are laid out together.
const TABLE_ROWS: usize = 20_000;

/// Writes all rows.
///
/// # Errors
///
/// The query fails, or the rows cannot be written; then no file appears.
pub async fn write(
    rows: SendableRecordBatchStream,
    format: OutputFormat,
    path: Option<&Path>,
    replaces: bool,
) -> Result<(), Failure> {
    let Some(file) = path.filter(|path| !is_standard_output(path)) else {
        let mut out = BufWriter::with_capacity(1 << 16, io::stdout());
        return write_rows(rows, format, &mut out).await.map_err(|failure| match failure {
            RowFailure::Query(error, 1..) if path.is_none() => {
                Failure::from(error).with_note("; the rows above are not the whole answer")
            }
            RowFailure::Query(error, _) => error.into(),
            RowFailure::Write(error) => error.into(),
        });
    };
    let cannot = FileError::cannot_write(file);
    let mut partial = PartialOutput::begin(file, replaces)?;
    let mut out = BufWriter::with_capacity(1 << 16, &mut partial);
    write_rows(rows, format, &mut out).await.map_err(|failure| match failure {
        RowFailure::Query(error, _) => Failure::from(error),
        RowFailure::Write(error) => cannot(error).into(),
    })?;
    drop(out);
    Ok(partial.finish().map_err(cannot)?)
}

/// What went wrong while rows were written.
enum RowFailure {
    /// The query failed, after so many rows.
    Query(DataFusionError, usize),
    Write(io::Error),
}

impl From<io::Error> for RowFailure {
    fn from(error: io::Error) -> RowFailure {
        RowFailure::Write(error)
    }
}

impl From<ArrowError> for RowFailure {
    fn from(error: ArrowError) -> RowFailure {
        RowFailure::Write(match error {
            ArrowError::IoError(_, error) => error,
            other => io::Error::other(other),
        })
    }
}

async fn write_rows(
    rows: SendableRecordBatchStream,
    format: OutputFormat,
    out: &mut (dyn Write + Send),
) -> Result<(), RowFailure> {
    // The file says which types its columns had, and pyarrow makes the same again.
    let mut rows = if format == OutputFormat::Parquet { plain_rows(rows) } else { rows };
    let mut writer = RowWriter::new(format, rows.schema(), out)?;
    let mut written = 0;
    while let Some(batch) = rows.next().await {
        let batch = batch.map_err(|error| RowFailure::Query(error, written))?;
        written += batch.num_rows();
        if batch.num_rows() > 0 {
            writer.write(batch)?;
        }
    }
    writer.finish()
}

/// A writer of one format.
enum RowWriter<'o> {
    Table { rows: Vec<RecordBatch>, schema: SchemaRef, is_empty: bool, out: &'o mut (dyn Write + Send) },
    Csv(Box<csv::Writer<&'o mut (dyn Write + Send)>>),
    Json(LineDelimitedWriter<&'o mut (dyn Write + Send)>),
    Parquet(Box<ArrowWriter<&'o mut (dyn Write + Send)>>),
}

impl<'o> RowWriter<'o> {
    fn new(format: OutputFormat, schema: SchemaRef, out: &'o mut (dyn Write + Send)) -> Result<Self, RowFailure> {
        Ok(match format {
            OutputFormat::Table => RowWriter::Table { rows: Vec::new(), schema, is_empty: true, out },
            OutputFormat::Csv => {
                let mut writer = csv::Writer::new(out);
                writer.write(&RecordBatch::new_empty(schema))?;
                RowWriter::Csv(Box::new(writer))
            }
            OutputFormat::Json => RowWriter::Json(LineDelimitedWriter::new(out)),
            OutputFormat::Parquet => {
                let compression = Compression::ZSTD(ZstdLevel::default());
                let properties = WriterProperties::builder().set_compression(compression).build();
                let writer = ArrowWriter::try_new(out, schema, Some(properties)).map_err(io::Error::other)?;
                RowWriter::Parquet(Box::new(writer))
            }
        })
    }

    fn write(&mut self, batch: RecordBatch) -> Result<(), RowFailure> {
        match self {
            RowWriter::Table { rows, .. } => {
                rows.push(batch);
                if rows.iter().map(RecordBatch::num_rows).sum::<usize>() >= TABLE_ROWS {
                    self.lay_out()?;
                }
            }
            RowWriter::Csv(writer) => writer.write(&batch)?,
            RowWriter::Json(writer) => writer.write(&batch)?,
            RowWriter::Parquet(writer) => writer.write(&batch).map_err(io::Error::other)?,
        }
        Ok(())
    }

    /// Lays out the rows of a table that have been collected.
    fn lay_out(&mut self) -> Result<(), RowFailure> {
        if let RowWriter::Table { rows, is_empty, out, .. } = self {
            writeln!(out, "{}", pretty_format_batches(&std::mem::take(rows))?)?;
            *is_empty = false;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(), RowFailure> {
        if let RowWriter::Table { rows, schema, is_empty, .. } = &mut self {
            if rows.is_empty() && *is_empty {
                rows.push(RecordBatch::new_empty(schema.clone()));
            }
            if !rows.is_empty() {
                self.lay_out()?;
            }
        }
        match self {
            RowWriter::Table { out, .. } => out.flush()?,
            RowWriter::Csv(writer) => writer.into_inner().flush()?,
            RowWriter::Json(mut writer) => {
                writer.finish()?;
                writer.into_inner().flush()?;
            }
            RowWriter::Parquet(writer) => writer.into_inner().map_err(io::Error::other)?.flush()?,
        }
        Ok(())
    }
}
