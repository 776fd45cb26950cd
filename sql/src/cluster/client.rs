//! The client: it sends a plan to the scheduler, waits, and fetches the rows from the executors that have them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ballista_core::client::BallistaClient;
use ballista_core::config::{BALLISTA_SCHEDULER_MAX_PARTITIONS_PER_TASK, BallistaConfig};
use ballista_core::extension::SessionConfigExt;
use ballista_core::optimizer::with_ballista_optimizer_rules;
use ballista_core::serde::protobuf::execute_query_params::Query;
use ballista_core::serde::protobuf::get_job_status_result::FlightProxy;
use ballista_core::serde::protobuf::job_status::Status;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{
    CancelJobParams, ExecuteQueryParams, GetJobStatusParams, KeyValuePair, PartitionLocation, execute_query_result,
};
use ballista_core::utils::{GrpcClientConfig, create_grpc_client_endpoint};
use ballista_core::version;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, SessionStateBuilder};
use datafusion::optimizer::optimizer::Optimizer;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion_proto::physical_plan::AsExecutionPlan;
use datafusion_proto::protobuf::PhysicalPlanNode;
use futures::{StreamExt, TryStreamExt};
use plyfold_library::LibraryError;
use tonic::transport::Channel;

use super::codec::ClusterCodec;
use super::distribute::distribute;
use super::message::ProgramVersion;
use super::sentence;
use crate::error::SqlFailure;
use crate::library::Library;
use crate::session::{SessionOptions, open_session_in};

/// Into how many parts scans are cut if nobody says: enough for some executors, of which some are faster than others.
const DEFAULT_PARTITIONS: usize = 16;

/// How long the client waits before it asks again how far a job has come.
const SHORTEST_WAIT: Duration = Duration::from_millis(5);
const LONGEST_WAIT: Duration = Duration::from_millis(200);

/// How often a statement is run again whose rows are on an executor that has ended.
const MOST_ATTEMPTS: usize = 3;

/// A cluster, by its scheduler.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// `HOST:PORT`.
    scheduler: String,
    options: SessionOptions,
    program: ProgramVersion,
}

/// The job that the program waits for: the scheduler and the id.
fn running_job() -> MutexGuard<'static, Option<(String, String)>> {
    static RUNNING: Mutex<Option<(String, String)>> = Mutex::new(None);
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells the scheduler to end the job that the program waits for; gives up after two seconds. Returns whether it waits for one.
pub fn cancel_running_job() -> bool {
    let Some((scheduler, job_id)) = running_job().take() else { return false };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return true };
    let cancelled = async {
        if let Ok(mut client) = connect(&scheduler).await {
            // The program ends whether the scheduler hears it or not.
            let _ = client.cancel_job(CancelJobParams { job_id }).await;
        }
    };
    let _ = runtime.block_on(async { tokio::time::timeout(Duration::from_secs(2), cancelled).await });
    true
}

fn broken(message: String) -> DataFusionError {
    SqlFailure::Library(LibraryError::Other(message)).into()
}

/// The error of a node in one sentence.
fn of_node(text: &str, otherwise: impl FnOnce() -> String) -> DataFusionError {
    match sentence::of_text(text) {
        Some(found) if found.is_mistake => SqlFailure::usage(found.text),
        Some(found) => broken(found.text),
        None => broken(otherwise()),
    }
}

fn grpc_config() -> GrpcClientConfig {
    GrpcClientConfig::from(&BallistaConfig::default())
}

async fn connect(scheduler: &str) -> Result<SchedulerGrpcClient<Channel>> {
    let unreachable = |why: String| broken(format!("the scheduler at {scheduler} cannot be reached: {why}"));
    let config = grpc_config();
    let endpoint = create_grpc_client_endpoint(format!("http://{scheduler}"), Some(&config))
        .map_err(|error| unreachable(innermost(&error)))?;
    let channel = endpoint.connect().await.map_err(|error| unreachable(innermost(&error)))?;
    let most = config.max_message_size;
    Ok(SchedulerGrpcClient::new(channel).max_encoding_message_size(most).max_decoding_message_size(most))
}

/// The cause of an error, without the layers around it.
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut error = error;
    while let Some(cause) = error.source() {
        error = cause;
    }
    error.to_string()
}

/// The rows of a job, by the executors that have them.
struct JobResult {
    partitions: Vec<PartitionLocation>,
    /// Whether the scheduler passes rows on.
    through_scheduler: bool,
}

impl Cluster {
    /// A cluster by the address of its scheduler, `HOST:PORT`. No connection is made yet.
    ///
    /// # Errors
    ///
    /// The address is none.
    pub fn new(scheduler: &str, options: &SessionOptions) -> Result<Cluster> {
        let port = scheduler.rsplit_once(':').filter(|(host, _)| !host.is_empty()).map(|(_, port)| port.parse::<u16>());
        if !matches!(port, Some(Ok(_))) || scheduler.contains('/') {
            return Err(SqlFailure::usage(format!("`{scheduler}` is not the HOST:PORT of a scheduler")));
        }
        let program = ProgramVersion::default();
        Ok(Cluster { scheduler: scheduler.to_owned(), options: options.clone(), program })
    }

    /// The same cluster, asked by another version of the program, for tests of what happens when versions meet.
    #[must_use]
    pub fn with_version(self, program: ProgramVersion) -> Cluster {
        Cluster { program, ..self }
    }

    fn partitions(&self) -> usize {
        self.options.partitions.unwrap_or(DEFAULT_PARTITIONS)
    }

    /// As [`open_session`](crate::open_session), a session that plans for this cluster.
    ///
    /// # Errors
    ///
    /// The library or a folder of endgame tables cannot be opened.
    pub fn open_session(&self, address: &str) -> Result<(SessionContext, Arc<Library>)> {
        let config = SessionConfig::new()
            .with_information_schema(true)
            .upgrade_for_ballista()
            .with_target_partitions(self.partitions())
            // Each partition is a task, so that an executor that is done takes the next.
            .set_usize(BALLISTA_SCHEDULER_MAX_PARTITIONS_PER_TASK, 1);
        let state = SessionStateBuilder::new_with_default_features()
            .with_config(config)
            .with_optimizer_rules(with_ballista_optimizer_rules(&Optimizer::new().rules))
            .build();
        open_session_in(SessionContext::new_with_state(state), address, &self.options)
    }

    /// Runs a plan of a session of this cluster. A plan that scans no library runs here.
    ///
    /// # Errors
    ///
    /// The scheduler cannot be reached, or a machine cannot run its part.
    pub async fn execute(
        &self,
        context: &SessionContext,
        plan: Arc<dyn ExecutionPlan>,
    ) -> Result<SendableRecordBatchStream> {
        let Some(distributed) = distribute(plan.clone(), &self.options, self.partitions())? else {
            return execute_stream(plan, context.task_ctx());
        };
        let codec = ClusterCodec::of_client(&self.options).with_version(self.program.clone());
        let message = PhysicalPlanNode::try_from_physical_plan(distributed, &codec).map_err(|error| {
            of_node(&error.to_string(), || format!("the plan cannot be sent to a cluster: {error}"))
        })?;
        let mut bytes = Vec::new();
        message.try_encode(&mut bytes)?;
        let mut attempts = 0;
        let streams = loop {
            attempts += 1;
            let result = self.run(context, bytes.clone()).await?;
            match self.fetch(&result).await {
                Ok(streams) => break streams,
                Err(error) if attempts == MOST_ATTEMPTS => return Err(error),
                Err(_) => {}
            }
        };
        let rows = futures::stream::iter(streams).flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(plan.schema(), rows)))
    }

    /// Sends a plan and waits until its job has ended.
    async fn run(&self, context: &SessionContext, plan: Vec<u8>) -> Result<JobResult> {
        let mut scheduler = connect(&self.scheduler).await?;
        let settings = context.copied_config().options().entries().into_iter();
        let settings = settings.map(|entry| KeyValuePair { key: entry.key, value: entry.value }).collect();
        let query = ExecuteQueryParams {
            query: Some(Query::PhysicalPlan(plan)),
            settings,
            session_id: context.session_id(),
            operation_id: context.session_id(),
        };
        let mut request = tonic::Request::new(query);
        version::insert_version_header(request.metadata_mut());
        let refused =
            |why: &str| of_node(why, || format!("the scheduler at {} refuses the statement: {why}", self.scheduler));
        let answer = scheduler.execute_query(request).await.map_err(|status| refused(status.message()))?;
        let theirs = version::version_from_metadata(answer.metadata());
        version::check_compatibility(Some(ballista_core::BALLISTA_VERSION), theirs).map_err(broken)?;
        let job_id = match answer.into_inner().result {
            Some(execute_query_result::Result::Success(accepted)) => accepted.job_id,
            other => return Err(refused(&format!("{other:?}"))),
        };
        *running_job() = Some((self.scheduler.clone(), job_id.clone()));
        let ended = self.wait_for(&mut scheduler, job_id).await;
        running_job().take();
        ended
    }

    /// Asks for the state of a job until it has ended. The scheduler tells a client that only listens nothing about a job, not even
    /// its id, before a stage has ended.
    async fn wait_for(&self, scheduler: &mut SchedulerGrpcClient<Channel>, job_id: String) -> Result<JobResult> {
        let begun = Instant::now();
        loop {
            let state = scheduler.get_job_status(GetJobStatusParams { job_id: job_id.clone() }).await;
            let state = state.map_err(|status| {
                let why = std::error::Error::source(&status).map_or_else(|| status.message().to_owned(), innermost);
                broken(format!("the scheduler at {} is gone: {why}", self.scheduler))
            })?;
            let state = state.into_inner();
            match state.status.and_then(|job| job.status) {
                Some(Status::Failed(failed)) => {
                    return Err(of_node(&failed.error, || format!("the cluster could not finish: {}", failed.error)));
                }
                Some(Status::Successful(done)) => {
                    let through_scheduler = matches!(state.flight_proxy, Some(FlightProxy::Local(true)));
                    return Ok(JobResult { partitions: done.partition_location, through_scheduler });
                }
                // The answer comes at most a twentieth later than it could.
                _ => tokio::time::sleep((begun.elapsed() / 20).clamp(SHORTEST_WAIT, LONGEST_WAIT)).await,
            }
        }
    }

    /// Opens the rows of a job.
    async fn fetch(&self, result: &JobResult) -> Result<Vec<SendableRecordBatchStream>> {
        let partitions = futures::stream::iter(&result.partitions);
        partitions.then(|partition| self.fetch_partition(partition, result.through_scheduler)).try_collect().await
    }

    async fn fetch_partition(
        &self,
        partition: &PartitionLocation,
        through_scheduler: bool,
    ) -> Result<SendableRecordBatchStream> {
        let (Some(executor), Some(id)) = (&partition.executor_meta, &partition.partition_id) else {
            return Err(broken(format!("the scheduler at {} does not say where the rows are", self.scheduler)));
        };
        let (host, port) = (executor.host.as_str(), executor.port as u16);
        let (from_host, from_port) = match self.scheduler.rsplit_once(':') {
            Some((scheduler, at)) if through_scheduler => (scheduler, at.parse().unwrap_or(port)),
            _ => (host, port),
        };
        let cannot = |error: ballista_core::error::BallistaError| {
            broken(format!("the rows on the executor {host}:{port} cannot be fetched: {error}"))
        };
        let most = grpc_config().max_message_size;
        let mut client =
            BallistaClient::try_new(from_host, from_port, most, false, None, 1, 0, 0, 0).await.map_err(cannot)?;
        let rows = client
            .fetch_partition_proxied(
                &executor.id,
                &id.clone().into(),
                partition.file_id,
                partition.layout(),
                host,
                port,
                true,
            )
            .await
            .map_err(cannot)?;
        let (schema, place) = (rows.schema(), format!("{host}:{port}"));
        let rows =
            rows.map_err(move |error| broken(format!("the executor {place} ended before its rows came: {error}")));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}
