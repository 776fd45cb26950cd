//! The tables of outputs on a cluster: each task writes the partial state of its shards, and one task merges the states.
//!
//! The merged table is the one that a scan of the whole library makes, row by row in the same order. A game lies in one shard, so no
//! state counts it twice.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{AsArray, BinaryArray, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{exec_datafusion_err, internal_err};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::Distribution;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, InputDistributionRequirements, PlanProperties,
};
use futures::TryStreamExt;
use plyfold_core::reduce::ReducerSelection;
use plyfold_core::reduce::output::{Output, OutputDefinition, OutputResult};

use super::message::ScanOutput;
use super::sentence;
use crate::bound_query::BoundQuery;
use crate::fold_exec::common_methods;
use crate::functions::output_by;
use crate::session::SessionLibraries;
use crate::summaries::{output_batch, output_schema, table_properties};
use crate::whole_scan::scan_shards;

/// The output whose states are merged; none if the rows need no merging.
///
/// # Errors
///
/// There is no such output, or its key cannot be read.
pub(crate) fn merged_output(output: &ScanOutput) -> Result<Option<Output>> {
    let ScanOutput::Output { name, key } = output else { return Ok(None) };
    let failure = |message: String| sentence::failure(format!("{name} by {key:?}: {message}"));
    let definition = OutputDefinition::named(name).ok_or_else(|| failure("there is no such output".into()))?;
    output_by(definition, key.as_deref()).map(Some).map_err(failure)
}

/// The only column of partial states.
pub(crate) fn states_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new("state", DataType::Binary, false)]))
}

/// The partial state of some shards, on one thread.
///
/// # Errors
///
/// The statement has been cancelled, or a thread cannot be started.
pub(crate) fn state_of_shards(
    output: &Output,
    libraries: &SessionLibraries,
    query: &Arc<BoundQuery>,
    shards: Range<usize>,
) -> Result<RecordBatch> {
    let library = &libraries.main;
    let selection = ReducerSelection::of(output.clone().judged_by(&libraries.bound_tables()));
    // A task has one core of its executor, whatever the machine has.
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| exec_datafusion_err!("{error}"))?;
    let results = pool.install(|| scan_shards(library, shards, query, &selection))?;
    let states = results.outputs.iter().map(OutputResult::partial_state);
    Ok(RecordBatch::try_new(states_schema(), vec![Arc::new(BinaryArray::from_iter_values(states))])?)
}

/// The table of all partial states.
fn merged(output: &Output, batches: &[RecordBatch]) -> Result<RecordBatch> {
    let states: Vec<&[u8]> =
        batches.iter().flat_map(|batch| batch.column(0).as_binary::<i32>().iter().flatten()).collect();
    match output.merged(&states) {
        Some(result) => output_batch(&result),
        None => internal_err!("a partial state of {output:?} arrived damaged"),
    }
}

/// Merges the partial states of all tasks.
#[derive(Debug)]
pub(crate) struct MergeSummaryExec {
    pub input: Arc<dyn ExecutionPlan>,
    pub output: ScanOutput,
    pub projection: Vec<usize>,
    merged: Output,
    properties: Arc<PlanProperties>,
}

impl MergeSummaryExec {
    /// Merges the states of an operator with one partition.
    ///
    /// # Errors
    ///
    /// The output needs no merging, its key cannot be read, or it has not so many columns.
    pub fn new(input: Arc<dyn ExecutionPlan>, output: ScanOutput, projection: Vec<usize>) -> Result<MergeSummaryExec> {
        let Some(merged) = merged_output(&output)? else {
            return internal_err!("rows of {output:?} are not merged");
        };
        let properties = table_properties(output_schema(&merged).project(&projection)?);
        Ok(MergeSummaryExec { input, output, projection, merged, properties })
    }
}

impl DisplayAs for MergeSummaryExec {
    fn fmt_as(&self, _: DisplayFormatType, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "MergeSummaryExec: {:?}", self.output)
    }
}

impl ExecutionPlan for MergeSummaryExec {
    common_methods!("MergeSummaryExec");

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![Distribution::SinglePartition])
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let (Some(input), true) = (children.pop(), children.is_empty()) else {
            return internal_err!("MergeSummaryExec has one child");
        };
        Ok(Arc::new(MergeSummaryExec::new(input, self.output.clone(), self.projection.clone())?))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let states = self.input.execute(partition, context)?;
        let (output, projection) = (self.merged.clone(), self.projection.clone());
        let table = async move {
            let batches: Vec<RecordBatch> = states.try_collect().await?;
            Ok(merged(&output, &batches)?.project(&projection)?)
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), futures::stream::once(table))))
    }
}
