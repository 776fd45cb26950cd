//! The steps "unit and property tests" and "slow tests": all tests of the workspace, the longest programs beside the others.

use std::path::PathBuf;
use std::process::Command;
use std::thread;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::command::{cargo, output_of, program, run as run_command, run_and_keep};
use crate::{machine, slowest};

/// The programs that run longest. They use both cores now and then only, so each runs beside the others.
const LONGEST: [&str; 3] = ["slow", "commands", "engine"];

/// Builds the tests and runs those that are not slow.
///
/// # Errors
/// A build or a test fails.
pub fn run() -> Result<()> {
    let tests = WorkspaceTests::find()?;
    tests.run(&[])?;
    run_command(&mut tests.cargo_test(&tests.selection.without_tests, &["--doc".to_owned()]))
}

/// Builds the tests and runs the slow ones: those with `#[ignore = "slow"]`.
///
/// # Errors
/// A build or a test fails.
pub fn run_slow() -> Result<()> {
    WorkspaceTests::find()?.run(&["--ignored"])
}

/// The test programs of the workspace, and what they need.
struct WorkspaceTests {
    selection: Selection,
    python: Option<PathBuf>,
    runner: String,
}

impl WorkspaceTests {
    fn find() -> Result<Self> {
        let metadata: Value =
            serde_json::from_str(&output_of(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?)?;
        Ok(Self {
            selection: Selection::of(&metadata)?,
            python: machine::python_of_tests(),
            runner: runner_of_tests()?,
        })
    }

    /// The tests that are selected, with the whole workspace, so that each crate has the features of the build for all.
    fn cargo_test(&self, without: &[String], selected: &[String]) -> Command {
        let mut tests = cargo();
        tests
            .args(["test", "--workspace"])
            .args(without.iter().flat_map(|package| ["--exclude", package]))
            .args(selected)
            .envs(self.python.iter().map(|path| ("PLYFOLD_PYTHON", path)));
        tests
    }

    /// Builds all programs, and runs each with these options.
    fn run(&self, options: &[&str]) -> Result<()> {
        // `--tests` leaves out examples without tests.
        let all = ["--tests".to_owned(), "--no-run".to_owned()];
        run_command(&mut self.cargo_test(&self.selection.without_programs, &all))?;
        thread::scope(|scope| {
            let programs = self.selection.longest.iter().map(|one| &one[..]).chain([&self.selection.others[..]]);
            let running: Vec<_> = programs.map(|programs| scope.spawn(|| self.run_timed(programs, options))).collect();
            running.into_iter().try_for_each(|run| run.join().unwrap_or_else(|_| bail!("running the tests panicked")))
        })
    }

    /// Runs programs, each with these options. Only these programs get the option to take times, because cargo would build packages
    /// again for it.
    fn run_timed(&self, programs: &[String], options: &[&str]) -> Result<()> {
        let mut timed = self.cargo_test(&self.selection.without_programs, programs);
        timed
            .env(&self.runner, "env RUSTC_BOOTSTRAP=1")
            .args(["--", "-Zunstable-options", "--report-time"])
            .args(options);
        run_and_keep(&mut timed).map(|output| slowest::keep_rust(&output))
    }
}

/// The variable that names a program with which cargo runs programs of this machine.
fn runner_of_tests() -> Result<String> {
    let version = output_of(program("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names its host")?;
    Ok(format!("CARGO_TARGET_{}_RUNNER", host.to_uppercase().replace('-', "_")))
}

/// What cargo selects for the parts of a run.
#[derive(Default)]
struct Selection {
    /// Packages without test programs. `--lib` would link a program for their libraries all the same.
    without_programs: Vec<String>,
    /// Those of them without doc tests.
    without_tests: Vec<String>,
    /// Options for each of the longest programs.
    longest: Vec<[String; 2]>,
    /// Options for all other programs.
    others: Vec<String>,
}

impl Selection {
    fn of(metadata: &Value) -> Result<Self> {
        let mut selection = Self { others: vec!["--lib".to_owned()], ..Self::default() };
        for package in metadata["packages"].as_array().into_iter().flatten() {
            selection.add(package)?;
        }
        if selection.longest.len() < LONGEST.len() {
            bail!(
                "one of the test programs {} is gone: correct the list in xtask/src/workspace_tests.rs",
                LONGEST.join(", ")
            );
        }
        Ok(selection)
    }

    fn add(&mut self, package: &Value) -> Result<()> {
        let targets = || package["targets"].as_array().into_iter().flatten();
        for target in targets().filter(|target| target["test"] == true) {
            let name = target["name"].as_str().context("cargo metadata names each target")?;
            let option = match target["kind"][0].as_str() {
                Some("test") => "--test",
                Some("bin") => "--bin",
                Some("example") => "--example",
                _ => continue,
            };
            let program = [option, name].map(str::to_owned);
            if LONGEST.contains(&name) { self.longest.push(program) } else { self.others.extend(program) }
        }
        let name = package["name"].as_str().context("cargo metadata names each package")?;
        if targets().all(|target| target["test"] != true) {
            self.without_programs.push(name.to_owned());
            if targets().all(|target| target["doctest"] != true) {
                self.without_tests.push(name.to_owned());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_has_tests_is_linked() {
        let target = |kind: &str, name: &str, test: bool, doctest: bool| json!({ "kind": [kind], "name": name, "test": test, "doctest": doctest });
        let metadata = json!({ "packages": [
            { "name": "both", "targets": [target("lib", "both", true, true), target("bin", "run", false, false), target("test", "slow", true, false)] },
            { "name": "documented", "targets": [target("lib", "documented", false, true), target("example", "shown", false, false)] },
            { "name": "measured", "targets": [target("bin", "measured", false, false)] },
            { "name": "program", "targets": [target("bin", "program", true, false), target("test", "commands", true, false), target("test", "engine", true, false)] },
        ] });
        let selection = Selection::of(&metadata).expect("the longest programs are there");
        assert_eq!(selection.without_programs, ["documented", "measured"]);
        assert_eq!(selection.without_tests, ["measured"]);
        assert_eq!(selection.longest, [["--test", "slow"], ["--test", "commands"], ["--test", "engine"]]);
        assert_eq!(selection.others, ["--lib", "--bin", "program"]);
        assert!(Selection::of(&json!({ "packages": [] })).is_err());
    }
}
