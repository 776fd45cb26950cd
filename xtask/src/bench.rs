//! `cargo xtask bench`: the figures of this machine, natively and, when asked, in Chromium.

use anyhow::Result;
use clap::Args;

use crate::command::{cargo, program, run as run_command};
use crate::{dist, in_project, machine};

#[derive(Args)]
pub struct Options {
    /// Measure the page in Chromium as well
    #[arg(long)]
    browser: bool,
    /// Passed on to the native benchmark
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Runs the benchmarks.
///
/// # Errors
/// When one cannot be built or fails.
pub fn run(options: &Options) -> Result<()> {
    run_command(
        cargo()
            .args(["run", "--release", "--package", "plyfold-tests"])
            .args(["--bin", "bench", "--"])
            .args(&options.arguments),
    )?;
    if options.browser {
        dist::build()?;
        let chromium = machine::chromium()?;
        machine::ensure_npm_packages("tests/e2e")?;
        run_command(
            program("node")
                .arg(in_project("tests/e2e/bench.mjs"))
                .env("PLYFOLD_DIST", in_project("dist"))
                .env("CHROMIUM", chromium),
        )?;
    }
    Ok(())
}
