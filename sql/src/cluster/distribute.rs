//! A plan of one machine as a plan of a cluster.

use std::path::{PathBuf, absolute};
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::Result;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;

use super::libraries::NodeLibraries;
use super::message::{LibraryAddress, ScanMessage, ScanOutput};
use super::scan::{ClusterScanExec, shard_table};
use super::summary::MergeSummaryExec;
use crate::fold_exec::FoldExec;
use crate::library::Library;
use crate::remote::is_address;
use crate::session::SessionOptions;
use crate::shard_rows::FoldOutput;
use crate::summaries::SummaryExec;

/// The same plan with scans that a cluster runs, in at most so many partitions; none if the plan scans no library.
///
/// # Errors
///
/// The folder in which the program runs is unknown, so that a relative path says nothing to other machines.
pub(crate) fn distribute(
    plan: Arc<dyn ExecutionPlan>,
    options: &SessionOptions,
    partitions: usize,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let rewriter = Rewriter { options, partitions, client: Arc::new(NodeLibraries::new("the client")) };
    let rewritten = plan.transform_up(|node| {
        if let Some(fold) = node.downcast_ref::<FoldExec>() {
            return Ok(Transformed::yes(rewriter.fold(fold)?));
        }
        if let Some(summary) = node.downcast_ref::<SummaryExec>() {
            return Ok(Transformed::yes(rewriter.summary(summary)?));
        }
        Ok(Transformed::no(node))
    })?;
    Ok(rewritten.transformed.then_some(rewritten.data))
}

/// The address of a library for other machines.
///
/// # Errors
///
/// The folder in which the program runs is unknown.
pub(crate) fn shared_address(library: &Library, options: &SessionOptions) -> Result<LibraryAddress> {
    let folders = |folders: &[PathBuf]| folders.iter().map(absolute).collect::<std::io::Result<Vec<PathBuf>>>();
    let address = match library.address() {
        address if is_address(address) => address.to_owned(),
        path => absolute(path)?.display().to_string(),
    };
    let identity = library.identity();
    let (tables, syzygy) = (folders(&options.tables)?, folders(&options.syzygy)?);
    let skip_damaged = options.skip_damaged;
    Ok(LibraryAddress { address, identity, tables, syzygy, skip_damaged })
}

struct Rewriter<'o> {
    options: &'o SessionOptions,
    partitions: usize,
    client: Arc<NodeLibraries>,
}

impl Rewriter<'_> {
    fn fold(&self, fold: &FoldExec) -> Result<Arc<dyn ExecutionPlan>> {
        let output = match fold.output {
            FoldOutput::Games => ScanOutput::Games,
            FoldOutput::Positions => ScanOutput::Positions,
        };
        let scan = ScanMessage {
            library: shared_address(&fold.library, self.options)?,
            query: fold.query.text.clone(),
            output,
            projection: fold.projection.clone(),
            limit: fold.limit,
        };
        let input = shard_table(&fold.partitions)?;
        Ok(Arc::new(ClusterScanExec::new(input, scan, self.client.clone())?))
    }

    fn summary(&self, exec: &SummaryExec) -> Result<Arc<dyn ExecutionPlan>> {
        let table = &exec.table;
        let (name, key) = (table.output.definition.name.to_owned(), table.output.arguments.text());
        let output = ScanOutput::Output { name, key };
        let scan = ScanMessage {
            library: shared_address(&table.library, self.options)?,
            query: table.query.text.clone(),
            output: output.clone(),
            projection: Vec::new(),
            limit: None,
        };
        let input = shard_table(&table.library.partitions(self.partitions))?;
        let states = Arc::new(ClusterScanExec::new(input, scan, self.client.clone())?);
        let collected = Arc::new(CoalescePartitionsExec::new(states));
        Ok(Arc::new(MergeSummaryExec::new(collected, output, exec.projection.clone())?))
    }
}
