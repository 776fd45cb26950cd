//! The scan of a task: its input says which shards.
//!
//! Ballista gives a task some partitions of a plan by cutting the tables at its leaves, and it knows only tables of its own and of
//! DataFusion. So the shards to scan are rows of such a table, a partition for each range of shards, and the scan is the operator
//! above it: whatever part of the table arrives, it scans those shards and no others.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch, RecordBatchOptions, UInt64Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef, UInt64Type};
use datafusion::common::internal_err;
use datafusion::common::runtime::SpawnedTask;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};

use super::libraries::NodeLibraries;
use super::message::{ScanMessage, ScanOutput};
use super::sentence;
use super::summary::{merged_output, state_of_shards, states_schema};
use crate::bound_query::BoundQuery;
use crate::columns::GAMES_SCHEMA;
use crate::fold_exec::{common_methods, scan_properties};
use crate::position_rows::POSITIONS_SCHEMA;
use crate::session::SessionLibraries;
use crate::shard_rows::{FoldOutput, ShardRows};

/// A table of ranges of shards, one partition for each: the first shard, and the one behind the last.
///
/// # Errors
///
/// The arrays have no common length, which cannot be.
pub(crate) fn shard_table(ranges: &[Range<usize>]) -> Result<Arc<dyn ExecutionPlan>> {
    let field = |name| Field::new(name, DataType::UInt64, false);
    let schema = Arc::new(Schema::new(vec![field("first_shard"), field("end_shard")]));
    let partition = |range: &Range<usize>| -> Result<Vec<RecordBatch>> {
        let column = |shard: usize| Arc::new(UInt64Array::from(vec![shard as u64])) as ArrayRef;
        Ok(vec![RecordBatch::try_new(schema.clone(), vec![column(range.start), column(range.end)])?])
    };
    let partitions = ranges.iter().map(partition).collect::<Result<Vec<_>>>()?;
    Ok(MemorySourceConfig::try_new_exec(&partitions, schema, None)?)
}

/// The ranges of shards in a batch of that table.
fn ranges_of(batch: &RecordBatch) -> Vec<Range<usize>> {
    let column = |nth: usize| batch.column(nth).as_primitive::<UInt64Type>();
    (0..batch.num_rows()).map(|row| column(0).value(row) as usize..column(1).value(row) as usize).collect()
}

/// Scans the shards that its input names.
#[derive(Clone, Debug)]
pub(crate) struct ClusterScanExec {
    pub input: Arc<dyn ExecutionPlan>,
    pub scan: ScanMessage,
    /// Where the task runs.
    libraries: Arc<NodeLibraries>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl ClusterScanExec {
    /// A scan of the shards that `input` names, with the libraries of this machine.
    ///
    /// # Errors
    ///
    /// The output has not so many columns, or its key cannot be read.
    pub fn new(
        input: Arc<dyn ExecutionPlan>,
        scan: ScanMessage,
        libraries: Arc<NodeLibraries>,
    ) -> Result<ClusterScanExec> {
        let schema = schema_of(&scan)?;
        let properties = scan_properties(schema, input.output_partitioning().partition_count());
        let metrics = ExecutionPlanMetricsSet::new();
        Ok(ClusterScanExec { input, scan, libraries, properties, metrics })
    }

    /// The rows of some shards.
    fn rows(&self, ranges: Vec<Range<usize>>, task: &TaskInputs) -> Result<BoxStream<'static, Result<RecordBatch>>> {
        let TaskInputs { libraries, query, schema, batch_rows, metrics } = task.clone();
        if let Some(output) = merged_output(&self.scan.output)? {
            let states = futures::stream::iter(ranges).then(move |shards| {
                let (output, libraries, query) = (output.clone(), libraries.clone(), query.clone());
                let state = SpawnedTask::spawn_blocking(move || state_of_shards(&output, &libraries, &query, shards));
                async move { state.await.map_err(|error| DataFusionError::External(Box::new(error)))? }
            });
            return Ok(states.inspect_ok(move |batch| metrics.record_output(batch.num_rows())).boxed());
        }
        let output = match self.scan.output {
            ScanOutput::Positions => FoldOutput::Positions,
            _ => FoldOutput::Games,
        };
        let (projection, limit) = (self.scan.projection.clone(), self.scan.limit);
        let of_range = move |shards: Range<usize>| {
            let source = (libraries.main.clone(), query.clone());
            let rows = ShardRows::new(source, (output, schema.clone(), projection.clone()), batch_rows, limit);
            rows.into_stream(shards, metrics.clone())
        };
        Ok(futures::stream::iter(ranges.into_iter().map(of_range)).flatten().boxed())
    }
}

/// What the scans of a task share.
#[derive(Clone)]
struct TaskInputs {
    libraries: Arc<SessionLibraries>,
    query: Arc<BoundQuery>,
    schema: SchemaRef,
    batch_rows: usize,
    metrics: BaselineMetrics,
}

fn schema_of(scan: &ScanMessage) -> Result<SchemaRef> {
    let schema = match &scan.output {
        ScanOutput::Output { .. } => return Ok(states_schema()),
        ScanOutput::Positions => &POSITIONS_SCHEMA,
        ScanOutput::Games => &GAMES_SCHEMA,
    };
    Ok(Arc::new(schema.project(&scan.projection)?))
}

/// A name is a view of the table of names of its shard; a batch that travels takes only the names it has.
fn compact(batch: &RecordBatch) -> Result<RecordBatch> {
    let column = |column: &ArrayRef| match column.as_string_view_opt() {
        Some(views) => Arc::new(views.gc()) as ArrayRef,
        None => column.clone(),
    };
    let columns = batch.columns().iter().map(column).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(batch.schema(), columns, &options)?)
}

impl DisplayAs for ClusterScanExec {
    fn fmt_as(&self, _: DisplayFormatType, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ScanMessage { library, query, output, limit, .. } = &self.scan;
        write!(out, "ClusterScanExec: {output:?} of {}, query={query}", library.address)?;
        limit.map_or(Ok(()), |limit| write!(out, ", limit={limit}"))
    }
}

impl ExecutionPlan for ClusterScanExec {
    common_methods!("ClusterScanExec");

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let (Some(input), true) = (children.pop(), children.is_empty()) else {
            return internal_err!("ClusterScanExec has one child");
        };
        Ok(Arc::new(ClusterScanExec::new(input, self.scan.clone(), self.libraries.clone())?))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let batch_rows = context.session_config().batch_size();
        let input = self.input.execute(partition, context)?;
        let (this, schema) = (self.clone(), self.schema());
        let made = async move {
            let ranges: Vec<RecordBatch> = input.try_collect().await?;
            let ranges = ranges.iter().flat_map(ranges_of).collect();
            let (opener, address, query) = (this.libraries.clone(), this.scan.library.clone(), this.scan.query.clone());
            let opened = SpawnedTask::spawn_blocking(move || {
                let libraries = opener.at(&address)?;
                let query = BoundQuery::read(&query, &libraries.main, &libraries.bound_tables())?;
                Ok::<_, DataFusionError>((libraries, Arc::new(query)))
            });
            let (libraries, query) = opened.await.map_err(|error| DataFusionError::External(Box::new(error)))??;
            this.rows(ranges, &TaskInputs { libraries, query, schema: this.schema(), batch_rows, metrics })
        };
        let node = self.libraries.clone();
        let rows = futures::stream::once(made).try_flatten().map(move |batch| {
            batch.and_then(|batch| compact(&batch)).map_err(|error| sentence::from_node(&error, node.node()))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}
