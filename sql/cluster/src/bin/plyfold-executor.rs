//! `plyfold-executor`: an executor of a cluster.

use std::process::ExitCode;

use clap::Parser;
use plyfold_cluster::{ExecutorOptions, run_executor, run_program};

fn main() -> ExitCode {
    let options = ExecutorOptions::parse();
    run_program("plyfold-executor", &options.log.clone(), run_executor(options))
}
