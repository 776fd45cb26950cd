//! How Ballista writes and reads our operators and functions in physical plans.

use std::sync::Arc;

use ballista_core::serde::BallistaPhysicalExtensionCodec;
use datafusion::common::internal_err;
use datafusion::datasource::sink::DataSinkExec;
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::ScalarUDF;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};

use super::distribute::shared_address;
use super::functions::ClusterFunction;
use super::libraries::NodeLibraries;
use super::message::{self, Message, ProgramVersion};
use super::scan::ClusterScanExec;
use super::summary::MergeSummaryExec;
use crate::error::SqlFailure;
use crate::functions;
use crate::session::SessionOptions;

/// The codec of a machine. What is not ours is Ballista's.
#[derive(Debug)]
pub struct ClusterCodec {
    program: ProgramVersion,
    libraries: Arc<NodeLibraries>,
    /// The options of the session whose functions are written.
    options: SessionOptions,
    inner: BallistaPhysicalExtensionCodec,
}

impl ClusterCodec {
    /// The codec of a machine with these libraries.
    #[must_use]
    pub fn new(libraries: Arc<NodeLibraries>) -> ClusterCodec {
        let (program, options) = (ProgramVersion::default(), SessionOptions::default());
        ClusterCodec { program, libraries, options, inner: BallistaPhysicalExtensionCodec::default() }
    }

    /// The codec of a client with these options.
    #[must_use]
    pub fn of_client(options: &SessionOptions) -> ClusterCodec {
        ClusterCodec { options: options.clone(), ..ClusterCodec::new(Arc::new(NodeLibraries::new("the client"))) }
    }

    /// The same codec as another version of the program has it, for tests of what happens when versions meet.
    #[must_use]
    pub fn with_version(self, program: ProgramVersion) -> ClusterCodec {
        ClusterCodec { program, ..self }
    }

    fn read(&self, bytes: &[u8]) -> Result<Message> {
        message::read(bytes, &self.program, self.libraries.node())
    }
}

/// Refuses a plan that writes files, which no client of this project sends. The root of what reaches a scheduler or an executor is one of
/// Ballista's operators, so all operators are looked at.
fn only_reads(plan: &Arc<dyn ExecutionPlan>) -> Result<()> {
    if plan.downcast_ref::<DataSinkExec>().is_some() {
        return Err(SqlFailure::usage("a plan that writes files is refused, because statements only read"));
    }
    plan.children().into_iter().try_for_each(only_reads)
}

impl PhysicalExtensionCodec for ClusterCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        inputs.iter().try_for_each(only_reads)?;
        if !message::is_message(bytes) {
            return self.inner.try_decode(bytes, inputs, context, converter);
        }
        let [input] = inputs else {
            return internal_err!("an operator of plyfold has one input");
        };
        match self.read(bytes)? {
            Message::Scan(scan) => Ok(Arc::new(ClusterScanExec::new(input.clone(), scan, self.libraries.clone())?)),
            Message::Merge { output, projection } => {
                Ok(Arc::new(MergeSummaryExec::new(input.clone(), output, projection)?))
            }
            Message::Function { .. } => internal_err!("a function is no operator"),
        }
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        out: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let message = if let Some(scan) = node.downcast_ref::<ClusterScanExec>() {
            Message::Scan(scan.scan.clone())
        } else if let Some(merge) = node.downcast_ref::<MergeSummaryExec>() {
            Message::Merge { output: merge.output.clone(), projection: merge.projection.clone() }
        } else {
            return self.inner.try_encode(node, out, converter);
        };
        message::write(&message, &self.program, out)
    }

    fn try_decode_udf(&self, name: &str, bytes: &[u8]) -> Result<Arc<ScalarUDF>> {
        if !message::is_message(bytes) {
            return self.inner.try_decode_udf(name, bytes);
        }
        let Message::Function { library } = self.read(bytes)? else {
            return internal_err!("an operator is no function");
        };
        Ok(Arc::new(ScalarUDF::from(ClusterFunction::new(name, library, self.libraries.clone()))))
    }

    fn try_encode_udf(&self, function: &ScalarUDF, out: &mut Vec<u8>) -> Result<()> {
        let library = if let Some(arrived) = function.inner().downcast_ref::<ClusterFunction>() {
            arrived.library.clone()
        } else if let Some(libraries) = functions::libraries_of(function) {
            shared_address(&libraries.main, &self.options)?
        } else {
            return self.inner.try_encode_udf(function, out);
        };
        message::write(&Message::Function { library }, &self.program, out)
    }
}

#[cfg(test)]
mod tests {
    use ballista_core::execution_plans::ShuffleWriterExec;
    use datafusion::prelude::SessionContext;
    use datafusion_proto::bytes::{
        physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
    };

    use super::*;

    /// What a client that is not ours may send: a stage whose rows are those of a statement.
    async fn received(statement: &str) -> Result<Arc<dyn ExecutionPlan>> {
        let context = SessionContext::new();
        let plan = context.sql(statement).await?.create_physical_plan().await?;
        let stage = ShuffleWriterExec::try_new("job".into(), 1, plan, String::new()).expect("a stage");
        let codec = ClusterCodec::new(Arc::new(NodeLibraries::new("a node")));
        let bytes = physical_plan_to_bytes_with_extension_codec(Arc::new(stage), &codec)?;
        physical_plan_from_bytes_with_extension_codec(&bytes, &context.task_ctx(), &codec)
    }

    #[tokio::test]
    async fn a_plan_that_writes_is_not_taken() {
        received("SELECT 1 AS one UNION ALL SELECT 2").await.expect("a plan that reads");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("new.csv");
        let refused = received(&format!("COPY (SELECT 1 AS one) TO '{}'", file.display())).await;
        let sentence = refused.expect_err("a plan that writes").to_string();
        assert!(sentence.contains("a plan that writes files is refused"), "{sentence}");
        assert!(!file.exists());
    }
}
