//! `cargo xtask test`: runs every check, named and timed, the cheapest first, and stops at the first failure.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use clap::Args;

use crate::command::{build_folder, cargo, program, run as run_command};
use crate::paths::in_project;
use crate::{deny, dist, fuzz, linear, machine, npm, packages, sql, torture, wasm, workspace_tests};

#[derive(Args)]
pub struct TestOptions {
    /// Only what needs neither wasm nor a browser: format, lints, tests, docs, bare builds
    #[arg(long)]
    quick: bool,

    /// Begin at this step of the summary, such as after mending what failed there
    #[arg(long, value_name = "STEP")]
    from: Option<String>,
}

struct TestStep {
    name: &'static str,
    /// Left out by `--quick`.
    is_slow: bool,
    check: fn() -> Result<()>,
}

const STEPS: &[TestStep] = &[
    quick_step("toolchain", machine::ensure_toolchain),
    quick_step("format", || run_command(cargo().args(["fmt", "--all", "--check"]))),
    quick_step("licences and versions", deny::check),
    quick_step("lints", || {
        run_command(cargo().args(["clippy", "--workspace", "--all-targets"]).args(["--", "-D", "warnings"]))
    }),
    quick_step("unit and property tests", workspace_tests::run),
    quick_step("attacks", torture::run_short),
    quick_step("docs", || {
        run_command(cargo().args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-Dwarnings"))
    }),
    quick_step("packages", packages::check),
    quick_step("fuzz targets", fuzz::check_targets),
    quick_step("core alone, wasm32", || check_bare_core("wasm32-unknown-unknown")),
    quick_step("core alone, bare metal", || check_bare_core("x86_64-unknown-none")),
    quick_step("tables alone, wasm32", || {
        run_command(
            cargo()
                .args(["check", "--package", "egtgen", "--lib", "--no-default-features"])
                .args(["--target", "wasm32-unknown-unknown"]),
        )
    }),
    slow_step("SQL", sql::check),
    slow_step("time in proportion to bytes", linear::check),
    slow_step("lints of the bindings", || {
        run_command(
            cargo()
                .args(["clippy", "--package", "plyfold-web", "--package", "plyfold-web-tables", "--all-targets"])
                .args(["--target", "wasm32-unknown-unknown"])
                .args(["--", "-D", "warnings"]),
        )
    }),
    slow_step("bindings under node", wasm::test_bindings),
    // This comes before the checks of the site, whose types come from the packages.
    slow_step("wasm packages", wasm::build),
    slow_step("site types and unit tests", test_site),
    slow_step("site build", dist::build_site),
    slow_step("npm package", npm::build_package),
    slow_step("end-to-end tests", || test_in_browser(&[])),
    slow_step("end-to-end tests, late", || {
        let without = NEVER_LATE.iter().flat_map(|name| ["--without", name]);
        test_in_browser(&["--delay", "250"].into_iter().chain(without).collect::<Vec<_>>())
    }),
];

/// End-to-end tests of what does not depend on when a result arrives: pages that do not change, words, headers of hosts, files that are
/// saved, newer builds, a package that has no page. Tables in queries wait for one thing after the other.
const NEVER_LATE: [&str; 12] = [
    "axe",
    "chunks",
    "empty",
    "example",
    "export",
    "hosts",
    "language",
    "layout",
    "npm",
    "policy",
    "tablequeries",
    "update",
];

const fn quick_step(name: &'static str, check: fn() -> Result<()>) -> TestStep {
    TestStep { name, is_slow: false, check }
}

const fn slow_step(name: &'static str, check: fn() -> Result<()>) -> TestStep {
    TestStep { name, is_slow: true, check }
}

/// Runs the steps and prints a summary, even after a failure.
///
/// # Errors
/// The first step that fails, or no step has the name to begin at.
pub fn run(options: &TestOptions) -> Result<()> {
    let mut done: Vec<(&str, Duration)> = Vec::new();
    let mut outcome = Ok(());
    let first = options.from.as_deref().map_or(Ok(0), number_of_step)?;
    if !options.quick {
        // They are downloaded meanwhile. What fails here is tried again, and told, by the step that needs them.
        thread::spawn(machine::browsers);
    }
    for step in STEPS[first..].iter().filter(|step| !(options.quick && step.is_slow)) {
        println!("\n== {}", step.name);
        let start = Instant::now();
        outcome = (step.check)().with_context(|| format!("the step \"{}\" failed", step.name));
        done.push((step.name, start.elapsed()));
        if outcome.is_err() {
            break;
        }
    }
    print_summary(&done, outcome.is_ok());
    outcome
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
        println!("{} {name:28} {:6.1} s", if passed { "ok    " } else { "FAILED" }, elapsed.as_secs_f64());
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

/// The end-to-end tests, with these options of `tests/e2e/run.mjs`. The error ends with what failed, since the output is long.
fn test_in_browser(options: &[&str]) -> Result<()> {
    let browsers = machine::browsers()?;
    machine::ensure_npm_packages("tests/e2e")?;
    let failures = in_project("target/e2e-failures.txt");
    // The tests of the workspace have built this program; alone it would be built again, with other features of its dependencies.
    let plyfold = build_folder().join("debug/plyfold");
    run_command(
        program("node")
            .arg(in_project("tests/e2e/run.mjs"))
            .args(options)
            .arg("--failures")
            .arg(&failures)
            .env("PLYFOLD_DIST", in_project("dist"))
            .envs(plyfold.is_file().then_some(("PLYFOLD_CLI", plyfold)))
            .envs(browsers),
    )
    .map_err(|error| anyhow!("{error:#}\n{}", fs::read_to_string(&failures).unwrap_or_default()))
}
