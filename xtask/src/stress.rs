//! `cargo xtask stress NAME`: runs one test again and again beside busy loops. A test that passes because of which of two things is
//! quicker fails here.

use std::hint::spin_loop;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::command::linting_cargo;
use crate::paths::in_project;
use crate::{browser_tests, machine};

#[derive(Args)]
pub struct StressOptions {
    /// A file of tests/e2e, such as walk, or else a part of the name of a test in Rust
    name: String,
    /// How often it runs
    #[arg(long, default_value_t = 20)]
    times: u32,
}

/// Runs the test, and says how often it failed.
///
/// # Errors
/// There is no such test, it cannot be built, or it fails at least once.
pub fn run(options: &StressOptions) -> Result<()> {
    let name = options.name.trim_end_matches(".test.mjs");
    let is_browser_test = in_project(&format!("tests/e2e/{name}.test.mjs")).is_file();
    let failed = if is_browser_test { stress_browser_test(name, options.times) } else { stress_rust_test(options) }?;
    println!("{failed} of {} failed", options.times);
    if failed > 0 { bail!("{name} does not always pass beside other work") } else { Ok(()) }
}

fn stress_browser_test(name: &str, times: u32) -> Result<u32> {
    if !in_project("dist/index.html").is_file() {
        bail!("there is no page in dist/: run `cargo xtask dist` first");
    }
    beside_busy_loops(times, || run_once(&mut browser_tests::command(&[name])?).map(|(passed, _)| passed))
}

fn stress_rust_test(options: &StressOptions) -> Result<u32> {
    let mut build = linting_cargo()?;
    build.args(["test", "--workspace", "--tests", "--no-run", "--quiet"]);
    if !build.status()?.success() {
        bail!("the tests cannot be built");
    }
    let python = machine::python_of_tests();
    beside_busy_loops(options.times, || {
        let mut tests = linting_cargo()?;
        tests
            .args(["test", "--workspace", "--tests", "--no-fail-fast", &options.name])
            .envs(python.iter().map(|path| ("PLYFOLD_PYTHON", path)));
        let (passed, output) = run_once(&mut tests)?;
        if passed && tests_that_passed(&output) == 0 {
            bail!("no test has `{}` in its name", options.name);
        }
        Ok(passed)
    })
}

/// How many tests passed, by the last lines of their programs.
fn tests_that_passed(output: &str) -> u32 {
    let counts = output.lines().filter_map(|line| line.strip_prefix("test result: ok. ")?.split(' ').next());
    counts.filter_map(|count| count.parse::<u32>().ok()).sum()
}

/// Runs a command to its end; returns whether it passed, and what it printed. The output of a failure is shown.
fn run_once(command: &mut Command) -> Result<(bool, String)> {
    let output = command.stderr(Stdio::inherit()).output().context("the test could not be started")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        println!("{text}");
    }
    Ok((output.status.success(), text))
}

/// Calls `passes` so often, beside one busy loop more than there are cores; returns how often it did not pass.
fn beside_busy_loops(times: u32, passes: impl Fn() -> Result<bool>) -> Result<u32> {
    let ends = AtomicBool::new(false);
    let loops = 1 + thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..loops {
            scope.spawn(|| {
                while !ends.load(Ordering::Relaxed) {
                    spin_loop();
                }
            });
        }
        let outcome = (1..=times).try_fold(0, |failed, number| {
            let passed = passes()?;
            println!("{number} of {times}: {}", if passed { "passed" } else { "FAILED" });
            Ok(failed + u32::from(!passed))
        });
        ends.store(true, Ordering::Relaxed);
        outcome
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::program;

    #[test]
    fn failures_are_counted_and_errors_end_it() {
        let failed = beside_busy_loops(3, || Ok(run_once(&mut program("true"))?.0)).expect("it runs");
        assert_eq!(failed, 0);
        assert_eq!(beside_busy_loops(3, || Ok(run_once(&mut program("false"))?.0)).expect("it runs"), 3);
        beside_busy_loops(3, || bail!("no such test")).expect_err("it ends");
        assert_eq!(tests_that_passed("test result: ok. 2 passed; 0 failed\nx\ntest result: ok. 1 passed;"), 3);
    }
}
