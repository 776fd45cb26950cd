//! `plyfold-scheduler`: the scheduler of a cluster.

use std::process::ExitCode;

use clap::Parser;
use plyfold_cluster::{SchedulerOptions, run_program, run_scheduler};

fn main() -> ExitCode {
    let options = SchedulerOptions::parse();
    run_program("plyfold-scheduler", &options.log.clone(), run_scheduler(options))
}
