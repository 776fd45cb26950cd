//! `cargo xtask`: builds, serves, tests and measures everything.
//!
//! Each command has its own file. They share [`paths`], the paths inside the project; [`command`], which runs programs;
//! and [`machine`], which installs what a machine lacks.

mod bench;
mod browser_tests;
mod command;
mod deny;
mod dist;
mod figures;
mod fuzz;
mod linear;
mod machine;
mod npm;
mod packages;
mod paths;
mod run;
mod slowest;
mod sql;
mod stress;
mod test;
mod torture;
mod wasm;
mod workspace_tests;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Builds, serves, tests and measures plyfold")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build the wasm packages into www/src/wasm
    Wasm(wasm::WasmOptions),
    /// Build the deployable static site into dist/
    Dist,
    /// Build the npm package plyfold and pack it into target/
    Npm,
    /// Print the result of a first native query, then build the site and serve it on 127.0.0.1
    Run(run::RunOptions),
    /// Run the checks, the cheapest first, and stop at the first failure
    Test(test::TestOptions),
    /// Run one test again and again beside busy loops
    Stress(stress::StressOptions),
    /// Measure natively, and with --browser in Chromium too
    Bench(bench::BenchOptions),
    /// Run every fuzz target for a while
    Fuzz(fuzz::FuzzOptions),
    /// Check licences, duplicate versions and, where their databases can be had, advisories of what the project depends on
    Deny,
    /// Attack everything that reads: damaged files, mangled texts, killed programs, broken clients
    Torture(torture::TortureOptions),
    /// Count the instructions of every reader: they are in proportion to the bytes that are read
    Linear(linear::LinearOptions),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Wasm(options) => wasm::build_requested(&options),
        Task::Dist => dist::build(),
        Task::Npm => npm::build(),
        Task::Run(options) => run::run(&options),
        Task::Test(options) => test::run(&options),
        Task::Stress(options) => stress::run(&options),
        Task::Bench(options) => bench::run(&options),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Deny => deny::run(),
        Task::Torture(options) => torture::run(&options),
        Task::Linear(options) => linear::run(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One line, and no trace even with RUST_BACKTRACE: another program failed, not this one.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
