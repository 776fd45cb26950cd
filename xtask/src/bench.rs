//! `cargo xtask bench`: the figures of this machine, natively and, when asked, in Chromium.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::command::{cargo, program, release_build, run as run_command};
use crate::{dist, in_project, machine};

#[derive(Args)]
pub struct Options {
    /// Only one part
    #[arg(long, value_enum)]
    only: Option<Part>,
    /// How often each figure is measured [default: 5 for the engine, 3 for egtgen]
    #[arg(long, value_name = "N")]
    runs: Option<u32>,
    /// Of egtgen: the longest endgames of five men as well
    #[arg(long)]
    long: bool,
    /// Measure the page in Chromium as well
    #[arg(long)]
    browser: bool,
    /// The games to measure the engine on
    #[arg(value_name = "PGN")]
    games: Option<PathBuf>,
}

/// What is measured natively.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Import, replay and search of games
    Engine,
    /// Queries: headers alone, and many conditions
    Language,
    /// Answers: many queries at once, partitions, different positions, sets
    Answers,
    /// Transforms: sets of squares, and patterns under images
    Transforms,
    /// What each predicate costs, as a Markdown table
    Predicates,
    /// Endgame tables
    Egtgen,
    /// `egtgen serve` on one core, with slow and broken clients beside those that are measured; and in a crowd of slow and
    /// greedy clients, with the memory that it takes
    Serve,
}

/// Runs the benchmarks.
///
/// # Errors
/// When one cannot be built or fails.
pub fn run(options: &Options) -> Result<()> {
    let runs: Vec<String> =
        options.runs.map(|runs| ["--runs".to_owned(), runs.to_string()]).into_iter().flatten().collect();
    let of_games = [
        (Part::Engine, "bench"),
        (Part::Language, "language"),
        (Part::Answers, "answers"),
        (Part::Transforms, "transforms"),
        (Part::Predicates, "predicates"),
    ];
    for (part, name) in of_games {
        if options.only.is_none_or(|only| only == part) {
            let games = options.games.iter().map(|games| games.as_os_str().to_owned());
            measure(name, &mut runs.iter().map(Into::into).chain(games))?;
        }
    }
    if options.only.is_none_or(|only| only == Part::Egtgen) {
        let long = options.long.then(|| "--long".into());
        measure("tables", &mut runs.iter().map(Into::into).chain(long))?;
    }
    if options.only.is_none_or(|only| only == Part::Serve) {
        let egtgen = release_build("egtgen")?;
        measure("load", &mut [egtgen.clone().into_os_string()].into_iter())?;
        // Some 79 MB; those that are whole are left as they are.
        let tables = in_project("target/bench/tables");
        run_command(Command::new(&egtgen).args(["generate", "KRBvKR", "KRNvKR", "--out"]).arg(&tables))?;
        measure("crowd", &mut [egtgen, tables].map(PathBuf::into_os_string).into_iter())?;
    }
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

/// Builds and runs one of the programs that measure.
fn measure(name: &str, arguments: &mut dyn Iterator<Item = OsString>) -> Result<()> {
    run_command(
        cargo().args(["run", "--release", "--package", "plyfold-tests"]).args(["--bin", name, "--"]).args(arguments),
    )
}
