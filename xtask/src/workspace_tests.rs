//! The step "unit and property tests": all tests of the workspace, two programs at a time.

use std::thread;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::command::{cargo, output_of, run as run_command};
use crate::machine;

/// The programs that run longest, half of the whole time. They use both cores now and then only, so the others run meanwhile.
const LONGEST: [&str; 3] = ["bounds", "commands", "crash"];

/// Packages of programs without tests. `--lib` and `--bins` would link them all the same.
const WITHOUT_TESTS: [&str; 4] = ["--exclude", "plyfold-bench", "--exclude", "plyfold-bind"];

/// Builds and runs the tests.
///
/// # Errors
/// A build or a test fails.
pub fn run() -> Result<()> {
    let python = machine::python_of_tests();
    let tests = |selected: &[String]| {
        let mut tests = cargo();
        // With the whole workspace, so that each crate has the features of the build for all.
        tests
            .args(["test", "--workspace"])
            .args(WITHOUT_TESTS)
            .args(selected)
            .envs(python.iter().map(|path| ("PLYFOLD_PYTHON", path)));
        tests
    };
    run_command(&mut tests(&["--no-run".to_owned()]))?;
    let (longest, mut others) = programs()?;
    others.extend(["--lib", "--bins"].map(str::to_owned));
    thread::scope(|scope| {
        let longest = scope.spawn(|| run_command(&mut tests(&longest)));
        run_command(&mut tests(&others))?;
        run_command(&mut tests(&["--doc".to_owned()]))?;
        longest.join().unwrap_or_else(|_| bail!("running the longest tests panicked"))
    })
}

/// The options of cargo that select the longest test programs, and those that select the others and the examples with tests.
fn programs() -> Result<(Vec<String>, Vec<String>)> {
    let metadata: Value =
        serde_json::from_str(&output_of(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?)?;
    let targets =
        metadata["packages"].as_array().into_iter().flatten().flat_map(|package| package["targets"].as_array());
    let (mut longest, mut others) = (Vec::new(), Vec::new());
    for target in targets.flatten().filter(|target| target["test"] == true) {
        let name = target["name"].as_str().context("cargo metadata names each target")?;
        let option = match target["kind"][0].as_str() {
            Some("test") => "--test",
            Some("example") => "--example",
            _ => continue,
        };
        let programs = if LONGEST.contains(&name) { &mut longest } else { &mut others };
        programs.extend([option.to_owned(), name.to_owned()]);
    }
    if LONGEST.iter().any(|name| !longest.iter().any(|one| one == name)) {
        bail!(
            "one of the test programs {} is gone: correct the list in xtask/src/workspace_tests.rs",
            LONGEST.join(", ")
        );
    }
    Ok((longest, others))
}
