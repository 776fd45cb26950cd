//! The tables of outputs, which one scan of the whole library makes: `next_moves(…)`, `counts(…)` and the others.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{ArrayRef, Date32Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::{exec_datafusion_err, internal_err};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties};
use plyfold_core::reduce::ReducerSelection;
use plyfold_core::reduce::output::{Output, OutputResult};
use plyfold_core::reduce::result_table::{CellKind, ResultCell, ResultColumn};

use crate::bound_query::BoundQuery;
use crate::columns::days_since_1970;
use crate::fold_exec::common_methods;
use crate::library::SharedLibrary;
use crate::whole_scan::scan_shards;

/// The table of an output.
#[derive(Clone, Debug)]
pub(crate) struct SummaryTable {
    pub library: SharedLibrary,
    pub query: Arc<BoundQuery>,
    pub output: Output,
}

/// The columns of an output. The values of a key are the column `key`, so that a statement can name it whatever the key.
pub(crate) fn output_schema(output: &Output) -> SchemaRef {
    let has_key = output.arguments.key.is_some();
    let field = |(at, column): (usize, ResultColumn)| {
        let name = if at == 0 && has_key { "key".into() } else { column.name };
        let kind = match column.kind {
            kind if kind.is_number() => DataType::Int64,
            CellKind::Date => DataType::Date32,
            _ => DataType::Utf8,
        };
        Field::new(name, kind, true)
    };
    Arc::new(Schema::new(output.columns().into_iter().enumerate().map(field).collect::<Vec<Field>>()))
}

/// A result as a batch of its [columns](output_schema).
pub(crate) fn output_batch(result: &OutputResult) -> Result<RecordBatch> {
    let table = result.table();
    let schema = output_schema(&result.output);
    let column = |(at, field): (usize, &Arc<Field>)| -> ArrayRef {
        let cells = table.rows.iter().map(|row| &row[at]);
        match field.data_type() {
            DataType::Int64 => Arc::new(cells.map(number).collect::<Int64Array>()),
            DataType::Date32 => Arc::new(cells.map(days).collect::<Date32Array>()),
            _ => Arc::new(cells.map(text).collect::<StringArray>()),
        }
    };
    let columns = schema.fields().iter().enumerate().map(column).collect();
    Ok(RecordBatch::try_new(schema.clone(), columns)?)
}

fn number(cell: &ResultCell<'_>) -> Option<i64> {
    match *cell {
        ResultCell::Count(number) => Some(number as i64),
        ResultCell::Signed(number) => Some(number),
        ResultCell::Empty | ResultCell::Date(_) | ResultCell::Text(_) => None,
    }
}

fn days(cell: &ResultCell<'_>) -> Option<i32> {
    if let ResultCell::Date(date) = *cell { days_since_1970(date) } else { None }
}

fn text<'c>(cell: &'c ResultCell<'_>) -> Option<Cow<'c, str>> {
    if let ResultCell::Text(text) = cell { Some(Cow::Borrowed(text)) } else { None }
}

impl SummaryTable {
    /// A table of results of a query.
    pub fn new(library: SharedLibrary, query: BoundQuery, output: Output) -> SummaryTable {
        SummaryTable { library, query: Arc::new(query), output }
    }

    fn compute(&self) -> Result<RecordBatch> {
        let selection = ReducerSelection::of(self.output.clone());
        let found = scan_shards(&self.library, 0..self.library.shards(), &self.query, &selection)?;
        match &found.outputs[..] {
            [result] => output_batch(result),
            _ => internal_err!("one output was asked for"),
        }
    }
}

#[async_trait]
impl TableProvider for SummaryTable {
    fn schema(&self) -> SchemaRef {
        output_schema(&self.output)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(SummaryExec::new(self.clone(), projection.cloned())?))
    }
}

/// Makes a table of results, on all threads, as one record batch.
#[derive(Debug)]
pub(crate) struct SummaryExec {
    pub table: SummaryTable,
    pub projection: Vec<usize>,
    properties: Arc<PlanProperties>,
}

impl SummaryExec {
    fn new(table: SummaryTable, projection: Option<Vec<usize>>) -> Result<SummaryExec> {
        let schema = table.schema();
        let projection = projection.unwrap_or_else(|| (0..schema.fields().len()).collect());
        let properties = table_properties(schema.project(&projection)?);
        Ok(SummaryExec { table, projection, properties })
    }
}

/// What DataFusion may know of a table of results.
pub(crate) fn table_properties(schema: Schema) -> Arc<PlanProperties> {
    Arc::new(PlanProperties::new(
        EquivalenceProperties::new(Arc::new(schema)),
        Partitioning::UnknownPartitioning(1),
        EmissionType::Final,
        Boundedness::Bounded,
    ))
}

impl DisplayAs for SummaryExec {
    fn fmt_as(&self, _: DisplayFormatType, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SummaryTable { library, query, output } = &self.table;
        let key = output.arguments.text().map_or_else(String::new, |key| format!(" by {key}"));
        write!(out, "SummaryExec: {}{key} of {}, query={}", output.definition.name, library.address(), query.text)
    }
}

impl ExecutionPlan for SummaryExec {
    common_methods!("SummaryExec");

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        if !children.is_empty() {
            return internal_err!("SummaryExec has no children");
        }
        Ok(self)
    }

    fn execute(&self, _: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let (table, projection) = (self.table.clone(), self.projection.clone());
        let computed = async move {
            let made = SpawnedTask::spawn_blocking(move || table.compute()).await;
            let batch = made.map_err(|error| exec_datafusion_err!("{error}"))??;
            Ok(batch.project(&projection)?)
        };
        let stream = futures::stream::once(computed);
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), stream)))
    }
}
