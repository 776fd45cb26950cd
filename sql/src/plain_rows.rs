//! Rows in the types that every reader of Arrow can work with.
//!
//! DataFusion computes with views of texts, which pandas and pyarrow can hold but neither print, compare nor sort.

use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::error::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::StreamExt;

/// The same rows in plain types. What is in them already is not copied.
#[must_use]
pub fn plain_rows(rows: SendableRecordBatchStream) -> SendableRecordBatchStream {
    let schema = plain_schema(&rows.schema());
    let of_batches = schema.clone();
    let plain = rows.map(move |batch| plain_batch(&batch?, &of_batches));
    Box::pin(RecordBatchStreamAdapter::new(schema, plain))
}

/// The schema that [`plain_rows`] gives rows of a schema.
#[must_use]
pub fn plain_schema(schema: &Schema) -> SchemaRef {
    let fields: Vec<Field> = schema.fields().iter().map(plain_field).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

fn plain_batch(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| cast_with_options(column, field.data_type(), &options));
    let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(schema.clone(), columns.collect::<Result<_, _>>()?, &rows)?)
}

fn plain_field(field: &FieldRef) -> Field {
    field.as_ref().clone().with_data_type(plain_type(field.data_type()))
}

/// Texts and lists lie one after the other, and no value stands for several rows; fields of nested types likewise.
fn plain_type(kind: &DataType) -> DataType {
    let inner = |field: &FieldRef| Arc::new(plain_field(field));
    match kind {
        DataType::Utf8View => DataType::Utf8,
        DataType::BinaryView => DataType::Binary,
        DataType::Dictionary(_, value) => plain_type(value),
        DataType::RunEndEncoded(_, values) => plain_type(values.data_type()),
        DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale) => {
            DataType::Decimal128(*precision, *scale)
        }
        DataType::List(item) | DataType::ListView(item) => DataType::List(inner(item)),
        DataType::LargeList(item) | DataType::LargeListView(item) => DataType::LargeList(inner(item)),
        DataType::FixedSizeList(item, length) => DataType::FixedSizeList(inner(item), *length),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(inner).collect()),
        DataType::Map(entries, is_sorted) => DataType::Map(inner(entries), *is_sorted),
        other => other.clone(),
    }
}
