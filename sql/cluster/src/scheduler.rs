//! The scheduler: it cuts plans into tasks for the executors. It reads no games.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::{SchedulerConfig, TaskDistributionPolicy};
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service_with_listener};
use clap::Parser;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use plyfold_datafusion::cluster::{ClusterCodec, NodeLibraries};
use tokio::net::TcpListener;

use crate::program::Failure;

/// Schedule the statements of `plyfold-sql --cluster` on executors.
///
/// It has no access control: let it listen only where everybody may ask and run statements.
#[derive(Parser, Clone, Debug)]
#[command(name = "plyfold-scheduler", version)]
pub struct SchedulerOptions {
    /// Where it listens; port 0 is any free one.
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:50050")]
    pub listen: SocketAddr,
    /// Host name or address by which executors call back [default: the one of --listen].
    #[arg(long, value_name = "HOST")]
    pub external_host: Option<String>,
    /// An executor that has not reported for so long is lost, and others do its work again.
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(2..=3600))]
    pub executor_timeout: u64,
    /// `GET /readyz` says that the cluster is ready when so many executors have registered.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub ready_executors: usize,
    /// Pass the rows of an answer on to clients that reach the scheduler but not the executors.
    #[arg(long)]
    pub pass_rows: bool,
    /// What is reported on standard error: error, warn, info, debug or trace.
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    pub log: String,
}

impl SchedulerOptions {
    fn config(&self, address: SocketAddr) -> SchedulerConfig {
        let external_host = self.external_host.clone().unwrap_or_else(|| address.ip().to_string());
        let codec =
            ClusterCodec::new(Arc::new(NodeLibraries::new(format!("scheduler {external_host}:{}", address.port()))));
        SchedulerConfig {
            external_host,
            bind_host: address.ip().to_string(),
            bind_port: address.port(),
            scheduling_policy: TaskSchedulingPolicy::PushStaged,
            task_distribution: TaskDistributionPolicy::RoundRobin,
            executor_timeout_seconds: self.executor_timeout,
            expire_dead_executor_interval_seconds: (self.executor_timeout / 4).max(1),
            no_executors_grace_period_seconds: self.executor_timeout,
            enable_embedded_flight_proxy: self.pass_rows,
            min_ready_executors: self.ready_executors,
            override_physical_codec: Some(Arc::new(codec)),
            ..SchedulerConfig::default()
        }
    }
}

/// Runs a scheduler until the process ends. It prints where it listens.
///
/// # Errors
///
/// The address cannot be used.
pub async fn run_scheduler(options: SchedulerOptions) -> Result<(), Failure> {
    let cannot = |error: &dyn std::fmt::Display| Failure(format!("cannot listen on {}: {error}", options.listen));
    let listener = TcpListener::bind(options.listen).await.map_err(|error| cannot(&error))?;
    let address = listener.local_addr().map_err(|error| cannot(&error))?;
    let config = Arc::new(options.config(address));
    let cluster = BallistaCluster::new_from_config(&config).await.map_err(|error| cannot(&error))?;
    let scheduler = create_scheduler::<LogicalPlanNode, PhysicalPlanNode>(cluster, config);
    let scheduler = scheduler.await.map_err(|error| cannot(&error))?;
    // Nobody may be reading.
    let _ = writeln!(std::io::stdout(), "plyfold-scheduler listens on {address}");
    start_grpc_service_with_listener(listener, scheduler).await.map_err(|error| cannot(&error))
}
