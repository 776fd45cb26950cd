//! `cargo xtask bench`: measures this machine, natively and, on request, in Chromium.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::command::{cargo, program, release_build, run as run_command};
use crate::figures::FiguresPage;
use crate::paths::in_project;
use crate::{dist, machine};

#[derive(Args)]
pub struct BenchOptions {
    /// Only one part
    #[arg(long, value_enum)]
    only: Option<BenchPart>,
    /// How often each figure is measured [default: 5 for the engine, 3 for egtgen]
    #[arg(long, value_name = "N")]
    runs: Option<u32>,
    /// Also measure the longest endgames of five men
    #[arg(long)]
    long: bool,
    /// Measure the page in Chromium as well
    #[arg(long)]
    browser: bool,
    /// Write the figures to this page as well, such as docs/FIGURES.md
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// The games to measure the engine on
    #[arg(value_name = "PGN")]
    games: Option<PathBuf>,
}

/// What can be measured natively.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BenchPart {
    /// Import, replay and search of games
    Engine,
    /// Queries: headers alone, and many conditions
    Language,
    /// Results: partitions, different positions, sets
    Answers,
    /// Many queries in one pass, and each of them alone
    Plans,
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

/// Benchmarks of games, and the programs that run them.
const OF_GAMES: [(BenchPart, &str); 6] = [
    (BenchPart::Engine, "bench"),
    (BenchPart::Language, "language"),
    (BenchPart::Answers, "answers"),
    (BenchPart::Plans, "plans"),
    (BenchPart::Transforms, "transforms"),
    (BenchPart::Predicates, "predicates"),
];

/// Runs the benchmarks.
///
/// # Errors
/// A benchmark cannot be built, or fails.
pub fn run(options: &BenchOptions) -> Result<()> {
    let mut page = options.page.as_deref().map(|file| FiguresPage::new(file, options.games.as_deref())).transpose()?;
    let is_requested = |part| options.only.is_none_or(|only| only == part);
    let runs = options.runs.map(|runs| ["--runs".to_owned(), runs.to_string()]).into_iter().flatten();
    for (part, name) in OF_GAMES.into_iter().filter(|(part, _)| is_requested(*part)) {
        // Its Markdown is already a page, docs/PREDICATES.md.
        let page = if part == BenchPart::Predicates { &mut None } else { &mut page };
        let games = options.games.iter().map(|games| games.as_os_str().to_owned());
        measure(page, name, &mut runs.clone().map(Into::into).chain(games))?;
    }
    if is_requested(BenchPart::Egtgen) {
        let long = options.long.then(|| "--long".into());
        measure(&mut page, "tables", &mut runs.clone().map(Into::into).chain(long))?;
    }
    if is_requested(BenchPart::Serve) {
        measure_serve(&mut page)?;
    }
    if options.browser {
        measure_browser(&mut page)?;
    }
    page.map_or(Ok(()), FiguresPage::finish)
}

fn measure_serve(page: &mut Option<FiguresPage>) -> Result<()> {
    let egtgen = release_build("egtgen")?;
    measure(page, "load", &mut [egtgen.clone().into_os_string()].into_iter())?;
    // About 79 MB; complete tables are kept.
    let tables = in_project("target/bench/tables");
    run_command(Command::new(&egtgen).args(["generate", "KRBvKR", "KRNvKR", "--out"]).arg(&tables))?;
    measure(page, "crowd", &mut [egtgen, tables].map(PathBuf::into_os_string).into_iter())
}

fn measure_browser(page: &mut Option<FiguresPage>) -> Result<()> {
    dist::build()?;
    let chromium = machine::chromium()?;
    machine::ensure_npm_packages("tests/e2e")?;
    let mut command = program("node");
    command.arg(in_project("tests/e2e/bench.mjs")).env("PLYFOLD_DIST", in_project("dist")).env("CHROMIUM", chromium);
    run_on_page(page, "Chromium", &mut command)
}

/// Builds and runs one of the benchmark programs.
fn measure(page: &mut Option<FiguresPage>, name: &str, arguments: &mut dyn Iterator<Item = OsString>) -> Result<()> {
    let mut command = cargo();
    command.args(["run", "--release", "--package", "plyfold-bench"]).args(["--bin", name, "--"]).args(arguments);
    run_on_page(page, name, &mut command)
}

fn run_on_page(page: &mut Option<FiguresPage>, name: &str, command: &mut Command) -> Result<()> {
    match page {
        Some(page) => page.add(name, command),
        None => run_command(command),
    }
}
