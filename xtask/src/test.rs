//! `cargo xtask test`: runs checks, named and timed, the cheapest first, and stops at the first failure.
//!
//! There are two tiers. Everyone runs the first one. The second one runs with `--all`, or in slices.

use std::cmp::Reverse;
use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use clap::Args;

use crate::command::{cargo, output_of, program, run as run_command};
use crate::paths::in_project;
use crate::{
    browser_tests, deny, dist, fuzz, linear, machine, npm, packages, slowest, sql, torture, wasm, workspace_tests,
};

#[derive(Args)]
pub struct TestOptions {
    /// Everything: also the steps of the second tier
    #[arg(long)]
    all: bool,

    /// The first tier, and this part of the second one, such as 2/4
    #[arg(long, value_name = "N/M", conflicts_with = "all")]
    slice: Option<Slice>,

    /// The first tier, and the part of the second one that the commit chooses, so that each comes round
    #[arg(long, conflicts_with_all = ["all", "slice"])]
    slice_by_commit: bool,

    /// Begin at this step of the summary, such as after mending what failed there
    #[arg(long, value_name = "STEP")]
    from: Option<String>,
}

/// One of several parts of the second tier; the first is number 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slice {
    number: usize,
    count: usize,
}

impl FromStr for Slice {
    type Err = String;

    fn from_str(text: &str) -> Result<Slice, String> {
        let numbers =
            text.split_once('/').and_then(|(number, count)| Some((number.parse().ok()?, count.parse().ok()?)));
        match numbers {
            Some((number, count)) if (1..=count).contains(&number) => Ok(Slice { number, count }),
            _ => Err("a slice is a number and how many there are, such as 2/4".to_owned()),
        }
    }
}

/// How many slices automatic builds have. The longest steps of the second tier take about an eighth of its time.
const SLICES: usize = 8;

struct TestStep {
    name: &'static str,
    /// 0 in the first tier, which everyone runs; in the second one about how many seconds the step takes, by which slices are made.
    late_seconds: u32,
    check: fn() -> Result<()>,
}

const STEPS: &[TestStep] = &[
    first("toolchain", machine::ensure_toolchain),
    first("format", || {
        run_command(cargo().args(["fmt", "--all", "--check"]))?;
        sql::check_format()
    }),
    first("licences and versions", deny::check),
    first("lints, unit and property tests", workspace_tests::run),
    // This comes before the checks of the site, whose types come from the packages.
    first("wasm packages, without threads", wasm::build_quickly),
    first("site types and unit tests", test_site),
    first("site build", dist::build_site),
    first("main walks in browsers", browser_tests::test_main_walks),
    second("slow tests", 300, workspace_tests::run_slow),
    // What no test needs: the programs that measure and attack.
    second("lints of all programs", 150, || {
        run_command(cargo().args(["clippy", "--workspace", "--all-targets"]).args(["--", "-D", "warnings"]))
    }),
    second("docs", 60, || {
        run_command(cargo().args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-Dwarnings"))
    }),
    second("packages", 60, packages::check),
    second("fuzz targets", 60, fuzz::check_targets),
    second("core alone, wasm32", 20, || check_bare_core("wasm32-unknown-unknown")),
    second("core alone, bare metal", 20, || check_bare_core("x86_64-unknown-none")),
    second("tables alone, wasm32", 20, || {
        run_command(
            cargo()
                .args(["check", "--package", "egtgen", "--lib", "--no-default-features", "--features", "generate"])
                .args(["--target", "wasm32-unknown-unknown"]),
        )
    }),
    second("SQL", 330, sql::check),
    // Those on SQL need the program that was just built.
    second("attacks", 100, torture::run_short),
    second("time in proportion to bytes", 190, linear::check),
    second("lints of the bindings", 40, || {
        run_command(
            cargo()
                .args(["clippy", "--package", "plyfold-web", "--package", "plyfold-web-tables", "--all-targets"])
                .args(["--target", "wasm32-unknown-unknown"])
                .args(["--", "-D", "warnings"]),
        )
    }),
    second("bindings under node", 60, wasm::test_bindings),
    second("end-to-end tests, first third", 290, || browser_tests::test_part("1/3")),
    second("end-to-end tests, second third", 290, || browser_tests::test_part("2/3")),
    second("end-to-end tests, last third", 290, || browser_tests::test_part("3/3")),
    second("npm package", 100, || {
        dist::build()?;
        npm::build_package()?;
        browser_tests::test(&["npm"], &[])
    }),
];

const fn first(name: &'static str, check: fn() -> Result<()>) -> TestStep {
    TestStep { name, late_seconds: 0, check }
}

const fn second(name: &'static str, seconds: u32, check: fn() -> Result<()>) -> TestStep {
    TestStep { name, late_seconds: seconds, check }
}

/// Runs the steps and prints a summary, even after a failure.
///
/// # Errors
/// The first step that fails, or no step has the name to begin at.
pub fn run(options: &TestOptions) -> Result<()> {
    let mut done: Vec<(&str, Duration)> = Vec::new();
    let mut outcome = Ok(());
    let start = options.from.as_deref().map_or(Ok(0), number_of_step)?;
    let slice = if options.slice_by_commit { Some(slice_of_commit()?) } else { options.slice };
    if let Some(Slice { number, count }) = slice {
        println!("the first tier, and slice {number}/{count} of the second");
    }
    let in_slice = slice.map(steps_of).unwrap_or_default();
    let is_requested = |step: &&TestStep| step.late_seconds == 0 || options.all || in_slice.contains(&step.name);
    // They are downloaded meanwhile. What fails here is tried again, and told, by the step that needs them.
    thread::spawn(machine::browsers);
    for step in STEPS[start..].iter().filter(is_requested) {
        println!("\n== {}", step.name);
        let start = Instant::now();
        outcome = (step.check)().with_context(|| format!("the step \"{}\" failed", step.name));
        done.push((step.name, start.elapsed()));
        if outcome.is_err() {
            break;
        }
    }
    slowest::print();
    print_summary(&done, outcome.is_ok());
    outcome
}

/// The steps of the second tier in a slice: the longest steps first, each in the slice that has the least so far.
fn steps_of(slice: Slice) -> Vec<&'static str> {
    let mut steps: Vec<&TestStep> = STEPS.iter().filter(|step| step.late_seconds > 0).collect();
    steps.sort_by_key(|step| Reverse(step.late_seconds));
    let mut slices = vec![(0, Vec::new()); slice.count];
    for step in steps {
        if let Some((seconds, names)) = slices.iter_mut().min_by_key(|(seconds, _)| *seconds) {
            *seconds += step.late_seconds;
            names.push(step.name);
        }
    }
    slices.swap_remove(slice.number - 1).1
}

/// The slice that the commit chooses.
fn slice_of_commit() -> Result<Slice> {
    Ok(Slice { number: sum_of_commit()? % SLICES + 1, count: SLICES })
}

/// A number that the hash of HEAD makes, which a shallow clone has as well: what it chooses comes round with the commits.
///
/// # Errors
/// This is no clone.
pub fn sum_of_commit() -> Result<usize> {
    let hash = output_of(program("git").args(["rev-parse", "HEAD"]))?;
    Ok(hash.bytes().map(usize::from).sum())
}

fn number_of_step(name: &str) -> Result<usize> {
    STEPS.iter().position(|step| step.name == name).ok_or_else(|| {
        let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        anyhow!("no step is called \"{name}\"; the steps are {}", names.join(", "))
    })
}

fn print_summary(finished: &[(&str, Duration)], all_passed: bool) {
    println!("\n== summary");
    for (index, (name, elapsed)) in finished.iter().enumerate() {
        let passed = all_passed || index + 1 < finished.len();
        println!("{} {name:32} {:6.1} s", if passed { "ok    " } else { "FAILED" }, elapsed.as_secs_f64());
    }
    let total: Duration = finished.iter().map(|(_, elapsed)| *elapsed).sum();
    println!(
        "{} steps in {:.1} min{}",
        finished.len(),
        total.as_secs_f64() / 60.0,
        if all_passed { ", all passed" } else { "" }
    );
    if !in_project("../shared/data").is_dir() {
        println!("SKIPPED: tests on reference data, which is not in ../shared/data; their smaller forms ran");
    }
}

/// Checks `core` alone: in a workspace build cargo unites features, which would hide a break.
fn check_bare_core(target: &str) -> Result<()> {
    run_command(
        cargo().args(["check", "--package", "plyfold-core", "--no-default-features"]).args(["--target", target]),
    )
}

fn test_site() -> Result<()> {
    machine::ensure_npm_packages("www")?;
    for script in ["check", "test"] {
        run_command(program("npm").args(["run", "--silent", script]).current_dir(in_project("www")))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_of_the_second_tier_is_in_one_slice() {
        let second: Vec<&str> = STEPS.iter().filter(|step| step.late_seconds > 0).map(|step| step.name).collect();
        for count in 1..=second.len() + 1 {
            let mut names: Vec<&str> = (1..=count).flat_map(|number| steps_of(Slice { number, count })).collect();
            names.sort_by_key(|name| second.iter().position(|other| other == name));
            assert_eq!(names, second, "{count} slices");
        }
    }

    #[test]
    fn a_slice_is_read_with_its_limits() {
        assert_eq!("2/4".parse(), Ok(Slice { number: 2, count: 4 }));
        for text in ["0/4", "5/4", "1/0", "2", "/", "a/b", "-1/4", ""] {
            assert!(text.parse::<Slice>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_commit_chooses_a_slice_that_there_is() {
        let slice = slice_of_commit().expect("a clone");
        assert!((1..=SLICES).contains(&slice.number));
    }
}
