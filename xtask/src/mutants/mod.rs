//! `cargo xtask mutants`: puts small faults into the code, one at a time, and finds out whether a test notices each.
//!
//! A mutant is the project with one small fault. [`list`] finds all mutants and takes a sample by a seed. [`tree`] puts
//! the sample into a copy of the project, each mutant behind a switch ([`switches`]), so that one build serves all.
//! [`trial`] runs the tests that reach a mutant; if one fails, it runs three times with three seeds. [`report`] says
//! which mutants survived.

mod folders;
mod list;
mod report;
mod sites;
mod switches;
mod tree;
mod trial;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::paths::in_project;
use folders::{FOLDERS, folder_of};
use list::Mutant;
use report::MutantReport;
use tree::{Binary, MutantTree};

#[derive(Args)]
pub struct MutantsOptions {
    /// How many mutants to try
    #[arg(long, default_value_t = 50)]
    sample: usize,
    /// The same seed takes the same mutants
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only files below this folder, or this file; may be repeated
    #[arg(long, value_name = "PATH")]
    only: Vec<String>,
    /// Only mutants that an earlier report calls survived or flaky
    #[arg(long, value_name = "REPORT")]
    again: Option<PathBuf>,
    /// Only test binaries of this name, such as `lib` or `fold`; may be repeated
    #[arg(long, value_name = "NAME")]
    test: Vec<String>,
    /// How many tests run at a time
    #[arg(long)]
    jobs: Option<usize>,
    /// Only list the sample
    #[arg(long)]
    list: bool,
    /// File for the report as JSON
    #[arg(long, value_name = "FILE", default_value = "target/mutants/report.json")]
    report: PathBuf,
}

/// Tries a sample of mutants and prints those that no test noticed.
///
/// # Errors
/// The copy cannot be built, or its tests cannot be run. Surviving mutants are no error.
pub fn run(options: &MutantsOptions) -> Result<()> {
    let start = Instant::now();
    let candidates = candidates(options)?;
    if options.list {
        for mutant in candidates.iter().take(options.sample) {
            println!("{}", mutant.name());
        }
        return Ok(());
    }
    let mut tree = MutantTree::new(candidates)?;
    let mut binaries = tree.build(&build_arguments(&tree, &options.test))?;
    binaries.retain(|binary| is_requested(&binary.name, &options.test));
    // The mutants after the sample were reserves for those that were dropped.
    let last = tree.numbered.keys().nth(options.sample).copied().unwrap_or(u32::MAX);
    let sample: Vec<(u32, Mutant)> = tree.numbered.range(..last).map(|(number, one)| (*number, one.clone())).collect();
    println!("built after {} s; {} mutants to try", start.elapsed().as_secs(), sample.len());

    let jobs = options.jobs.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let scratch = trial::scratch(&in_project("target/mutants"))?;
    let tests = trial::baseline(&needed_binaries(&sample, &binaries), &scratch, jobs)?;
    let total: f64 = tests.iter().map(|test| test.time.as_secs_f64()).sum();
    println!("{} tests take {total:.0} s, one after the other", tests.len());

    let report = MutantReport::new(&tree, options.seed, &in_project("").join(&options.report));
    let outcomes = trial::in_parallel(jobs, sample, |_, (number, mutant)| {
        let belonging: Vec<_> = tests.iter().filter(|test| belongs_to_folder(&mutant.file, &test.binary)).collect();
        let verdict = trial::verdict(number, &belonging, &scratch)?;
        report.add(&mutant, &verdict)
    });
    outcomes.into_iter().collect::<Result<Vec<()>>>()?;
    let _ = fs::remove_dir_all(&scratch);
    report.finish(start.elapsed())
}

/// The mutants by rank, some more than the sample, since some will have no switch.
fn candidates(options: &MutantsOptions) -> Result<Vec<Mutant>> {
    let folders: Vec<String> = if options.only.is_empty() {
        FOLDERS.iter().map(|(folder, _)| (*folder).to_owned()).collect()
    } else {
        options.only.iter().map(|path| path.trim_end_matches('/').to_owned()).collect()
    };
    if let Some(path) = folders.iter().find(|path| folder_of(path).is_none()) {
        let known: Vec<_> = FOLDERS.iter().map(|(folder, _)| *folder).collect();
        bail!("no tests belong to {path}: name something below {}", known.join(", "));
    }
    let mut all = list::mutants(&folders, options.seed)?;
    println!("{} mutants of {} folders", all.len(), folders.len());
    all.sort_by_key(|mutant| mutant.rank);
    if let Some(path) = &options.again {
        let text = fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let names = report::survivors(&text)?;
        all.retain(|mutant| names.contains(&(mutant.file.clone(), mutant.description.clone(), mutant.line)));
    }
    all.truncate(options.sample + options.sample / 3 + 20);
    Ok(all)
}

/// Whether a test binary belongs to the folder of a file.
fn belongs_to_folder(file: &str, binary: &Binary) -> bool {
    let tests = folder_of(file).map_or(&[][..], |(_, tests)| tests);
    tests.iter().any(|(package, name)| binary.package == *package && binary.name == *name)
}

fn needed_binaries(sample: &[(u32, Mutant)], binaries: &[Binary]) -> Vec<Binary> {
    binaries
        .iter()
        .filter(|binary| sample.iter().any(|(_, mutant)| belongs_to_folder(&mutant.file, binary)))
        .cloned()
        .collect()
}

fn is_requested(binary: &str, names: &[String]) -> bool {
    names.is_empty() || names.iter().any(|name| name == binary)
}

/// The arguments for cargo: the packages and binaries of the folders that have mutants.
fn build_arguments(tree: &MutantTree, names: &[String]) -> Vec<&'static str> {
    let folders: BTreeSet<_> = tree.numbered.values().filter_map(|mutant| folder_of(&mutant.file)).collect();
    let of_folder = folders.iter().flat_map(|(_, tests)| tests.iter().copied());
    let tests: BTreeSet<_> = of_folder.filter(|(_, name)| is_requested(name, names)).collect();
    let mut arguments = Vec::new();
    if tests.iter().any(|(_, name)| *name == "lib") {
        arguments.push("--lib");
    }
    for (folder, package) in [("core", "plyfold-core"), ("tests", "plyfold-tests"), ("egtgen", "egtgen")] {
        if tests.iter().any(|(of, _)| *of == folder) {
            arguments.extend(["--package", package]);
        }
    }
    for (_, name) in tests.iter().filter(|(_, name)| *name != "lib") {
        arguments.extend(["--test", name]);
    }
    arguments
}
