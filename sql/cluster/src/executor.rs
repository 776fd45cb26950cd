//! An executor: it opens libraries and scans the shards that the scheduler assigns to it.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use clap::Parser;
use plyfold_datafusion::cluster::{ClusterCodec, NodeLibraries};
use sysinfo::System;

use crate::program::Failure;

/// Scan the shards of libraries for a scheduler.
///
/// It must be able to read each library by the path that the statement names. It has no access control: let it listen only where
/// everybody may read those libraries.
#[derive(Parser, Clone, Debug)]
#[command(name = "plyfold-executor", version)]
pub struct ExecutorOptions {
    /// The scheduler, for which it waits if it is not there yet.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050")]
    pub scheduler: String,
    /// The address on which it listens.
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    pub listen: IpAddr,
    /// Host name or address by which the scheduler, other executors and clients reach it [default: the one from which it calls the
    /// scheduler].
    #[arg(long, value_name = "HOST")]
    pub external_host: Option<String>,
    /// Port from which rows are fetched.
    #[arg(long, value_name = "PORT", default_value_t = 50051)]
    pub port: u16,
    /// Port at which tasks arrive.
    #[arg(long, value_name = "PORT", default_value_t = 50052)]
    pub task_port: u16,
    /// How many tasks run at the same time, each on one core [default: one per core].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub cores: Option<u16>,
    /// Folder for rows on their way to others; what it writes there is removed with it [default: a temporary folder].
    #[arg(long, value_name = "DIR")]
    pub work_dir: Option<PathBuf>,
    /// How often it reports to the scheduler; well below the scheduler's --executor-timeout.
    #[arg(long, value_name = "SECONDS", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub heartbeat: u64,
    /// What is reported on standard error: error, warn, info, debug or trace.
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    pub log: String,
}

impl ExecutorOptions {
    /// The name that messages give to the machine.
    fn name(&self) -> String {
        let host = || self.listen.is_unspecified().then(System::host_name).flatten();
        self.external_host.clone().or_else(host).unwrap_or_else(|| self.listen.to_string())
    }
}

/// Runs an executor until it is told to end by Ctrl-C or SIGTERM; it finishes its tasks first.
///
/// # Errors
///
/// An address cannot be used, a folder cannot be made, or the scheduler refuses it.
pub async fn run_executor(options: ExecutorOptions) -> Result<(), Failure> {
    let Some((host, Ok(port))) = options.scheduler.rsplit_once(':').map(|(host, port)| (host, port.parse())) else {
        return Err(Failure(format!("`{}` is not the HOST:PORT of a scheduler", options.scheduler)));
    };
    let temporary = |error: std::io::Error| Failure(format!("no folder for rows can be made: {error}"));
    let work_dir = match &options.work_dir {
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(temporary)?;
            tempfile::tempdir_in(folder)
        }
        None => tempfile::tempdir(),
    };
    let work_dir = work_dir.map_err(temporary)?;
    let libraries = NodeLibraries::new(format!("executor {}:{}", options.name(), options.port));
    let config = ExecutorProcessConfig {
        bind_host: options.listen.to_string(),
        external_host: options.external_host.clone(),
        port: options.port,
        grpc_port: options.task_port,
        scheduler_host: host.to_owned(),
        scheduler_port: port,
        // Any number but zero makes it wait for the scheduler.
        scheduler_connect_timeout_seconds: 1,
        vcores: options.cores.map_or(0, usize::from),
        task_scheduling_policy: TaskSchedulingPolicy::PushStaged,
        work_dir: Some(work_dir.path().display().to_string()),
        executor_heartbeat_interval_seconds: options.heartbeat,
        override_physical_codec: Some(Arc::new(ClusterCodec::new(Arc::new(libraries)))),
        ..ExecutorProcessConfig::default()
    };
    start_executor_process(Arc::new(config)).await.map_err(|error| {
        let ports = format!("{} and {}", options.port, options.task_port);
        Failure(format!("an executor on {} with the ports {ports} cannot run: {error}", options.listen))
    })
}
