//! The physical operator: plyfold's scan of a range of shards, as a stream of record batches.
//!
//! All that an operator needs is the address of the library, the text of the query, which output it makes, the projection, the
//! limit and the ranges of shards, so that it can be sent to another machine.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::stats::Precision;
use datafusion::common::{Statistics, internal_err};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalSortExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, SchedulingType};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties};

use crate::bound_query::BoundQuery;
use crate::library::SharedLibrary;
use crate::shard_rows::{FoldOutput, ShardRows};

/// What all operators answer alike: their names, their properties, and that they have no expressions.
macro_rules! common_methods {
    ($name:literal) => {
        fn name(&self) -> &str {
            $name
        }

        fn properties(&self) -> &Arc<PlanProperties> {
            &self.properties
        }

        fn apply_expressions(
            &self,
            _: &mut dyn FnMut(
                &Arc<dyn datafusion::physical_plan::PhysicalExpr>,
            ) -> Result<datafusion::common::tree_node::TreeNodeRecursion>,
        ) -> Result<datafusion::common::tree_node::TreeNodeRecursion> {
            Ok(datafusion::common::tree_node::TreeNodeRecursion::Continue)
        }
    };
}

pub(crate) use common_methods;

/// Scans the shards of a library for a query.
#[derive(Clone, Debug)]
pub struct FoldExec {
    pub(crate) library: SharedLibrary,
    pub(crate) query: Arc<BoundQuery>,
    pub(crate) output: FoldOutput,
    /// The columns of the output that are made, by their places in its schema.
    pub(crate) projection: Vec<usize>,
    pub(crate) limit: Option<usize>,
    /// The shards of each partition.
    pub(crate) partitions: Vec<Range<usize>>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl FoldExec {
    /// An operator over all shards of a library, in at most `partitions` partitions. `schema` is that of the projected output.
    pub(crate) fn new(
        library: SharedLibrary,
        query: BoundQuery,
        output: FoldOutput,
        (schema, projection): (SchemaRef, Vec<usize>),
        partitions: usize,
    ) -> FoldExec {
        let partitions = library.partitions(partitions.max(1));
        FoldExec {
            library,
            query: Arc::new(query),
            output,
            projection,
            limit: None,
            properties: scan_properties(schema, partitions.len()),
            partitions,
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }

    /// The same operator, of which each partition gives at most so many rows.
    #[must_use]
    pub(crate) fn with_limit(self, limit: Option<usize>) -> FoldExec {
        FoldExec { limit, ..self }
    }
}

/// What DataFusion may know of the rows of a scan.
pub(crate) fn scan_properties(schema: SchemaRef, partitions: usize) -> Arc<PlanProperties> {
    // Games are numbered in the order of the shards.
    let by_game =
        schema.index_of("game").map(|place| PhysicalSortExpr::new_default(Arc::new(Column::new("game", place))));
    let properties = PlanProperties::new(
        EquivalenceProperties::new_with_orderings(schema, by_game.into_iter().map(|order| [order])),
        Partitioning::UnknownPartitioning(partitions),
        EmissionType::Incremental,
        Boundedness::Bounded,
    );
    Arc::new(properties.with_scheduling_type(SchedulingType::NonCooperative))
}

impl DisplayAs for FoldExec {
    fn fmt_as(&self, _: DisplayFormatType, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = self.properties.eq_properties.schema();
        let columns: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        write!(out, "FoldExec: {} of {}", self.output.name(), self.library.address())?;
        match self.query.matches_all() {
            true => write!(out, ", query=(every game)")?,
            false => write!(out, ", query={}", self.query.text)?,
        }
        write!(out, ", columns=[{}], shards={}", columns.join(", "), self.library.shards())?;
        self.limit.map_or(Ok(()), |limit| write!(out, ", limit={limit}"))
    }
}

impl ExecutionPlan for FoldExec {
    common_methods!("FoldExec");

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        if !children.is_empty() {
            return internal_err!("FoldExec has no children");
        }
        Ok(self)
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let Some(shards) = self.partitions.get(partition).cloned() else {
            return internal_err!("FoldExec has no partition {partition}");
        };
        let schema = self.schema();
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let rows = ShardRows::new(
            (self.library.clone(), self.query.clone()),
            (self.output, schema.clone(), self.projection.clone()),
            context.session_config().batch_size(),
            self.limit,
        );
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows.into_stream(shards, metrics))))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn statistics_from_inputs(&self, _: &[Arc<Statistics>], args: &StatisticsArgs) -> Result<Arc<Statistics>> {
        let mut statistics = Statistics::new_unknown(&self.schema());
        if self.query.matches_all()
            && self.output == FoldOutput::Games
            && self.limit.is_none()
            && args.partition().is_none()
        {
            statistics.num_rows = Precision::Exact(self.library.games() as usize);
        }
        Ok(Arc::new(statistics))
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        Some(Arc::new(self.clone().with_limit(limit)))
    }

    fn fetch(&self) -> Option<usize> {
        self.limit
    }
}
