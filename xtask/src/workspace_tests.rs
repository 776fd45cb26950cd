//! The steps "lints, unit and property tests" and "slow tests": all tests of the workspace, the longest programs beside the others.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::command::{linting_cargo, output_of, program, run as run_command, run_and_keep};
use crate::{machine, slowest};

/// The programs that run longest. They use both cores now and then only, so each runs beside the others.
const LONGEST: [&str; 3] = ["slow", "commands", "engine"];

/// Builds the tests, with lints, and runs those that are not slow.
///
/// # Errors
/// A build or a test fails.
pub fn run() -> Result<()> {
    run_programs(&[])?;
    run_command(&mut cargo_test(&["--doc"])?)
}

/// Builds the tests and runs the slow ones: those with `#[ignore = "slow"]`.
///
/// # Errors
/// A build or a test fails.
pub fn run_slow() -> Result<()> {
    run_programs(&["--ignored"])
}

/// A program of tests.
#[derive(PartialEq, Debug)]
struct TestProgram {
    name: String,
    executable: PathBuf,
    /// The folder of its package, in which it runs.
    folder: PathBuf,
}

/// Builds all programs, and runs each with these options.
///
/// Cargo would run them, too. But asked for some of them alone, it gives the crates that they share other features than in a build for
/// all, and compiles these once more for each: a third of the time of a fresh clone.
fn run_programs(options: &[&str]) -> Result<()> {
    let mut build = cargo_test(&["--tests", "--no-run", "--message-format", "json-render-diagnostics"])?;
    let built = output_of(build.stderr(Stdio::inherit()))?;
    let (longest, others): (Vec<_>, Vec<_>) =
        test_programs(&built)?.into_iter().partition(|one| LONGEST.contains(&&*one.name));
    if longest.len() < LONGEST.len() {
        bail!(
            "one of the test programs {} is gone: correct the list in xtask/src/workspace_tests.rs",
            LONGEST.join(", ")
        );
    }
    let python = machine::python_of_tests();
    thread::scope(|scope| {
        let parts = longest.chunks(1).chain([&others[..]]);
        let run = |part: &[TestProgram]| part.iter().try_for_each(|one| one.run(python.as_ref(), options));
        let running: Vec<_> = parts.map(|part| scope.spawn(move || run(part))).collect();
        running.into_iter().try_for_each(|run| run.join().unwrap_or_else(|_| bail!("running the tests panicked")))
    })
}

fn cargo_test(options: &[&str]) -> Result<Command> {
    let mut tests = linting_cargo()?;
    tests.args(["test", "--workspace"]).args(options);
    Ok(tests)
}

/// The programs of tests in what Cargo says about a build, a JSON text a line.
fn test_programs(messages: &str) -> Result<Vec<TestProgram>> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let of_tests = messages.filter(|message| message["profile"]["test"] == true && message["executable"].is_string());
    of_tests
        .map(|message| {
            let path = |value: &Value| value.as_str().map(PathBuf::from);
            let folder = path(&message["manifest_path"]).and_then(|manifest| Some(manifest.parent()?.to_owned()));
            Ok(TestProgram {
                name: message["target"]["name"].as_str().context("cargo names each target")?.to_owned(),
                executable: path(&message["executable"]).context("a program has a path")?,
                folder: folder.context("cargo says where each package is")?,
            })
        })
        .collect()
}

impl TestProgram {
    /// Runs it with these options, and keeps how long its tests take. Some want Python.
    fn run(&self, python: Option<&PathBuf>, options: &[&str]) -> Result<()> {
        let mut timed = program(&self.executable);
        timed
            .current_dir(&self.folder)
            .envs(python.map(|path| ("PLYFOLD_PYTHON", path)))
            // An option of the nightly toolchain takes the times.
            .env("RUSTC_BOOTSTRAP", "1")
            .args(["-Zunstable-options", "--report-time"])
            .args(options);
        run_and_keep(&mut timed).map(|output| slowest::keep_rust(&output))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn programs_of_tests_are_read_from_messages() {
        let artifact = |name: &str, test: bool, executable: Option<&str>| {
            json!({ "reason": "compiler-artifact", "manifest_path": "/house/cli/Cargo.toml", "target": { "name": name },
                "profile": { "test": test }, "executable": executable })
            .to_string()
        };
        let lines = [
            artifact("plyfold", false, Some("/target/plyfold")),
            artifact("engine", true, Some("/target/engine-1")),
            artifact("checked", true, None),
            "   Compiling".to_owned(),
            json!({ "reason": "build-finished", "success": true }).to_string(),
        ];
        let engine =
            TestProgram { name: "engine".into(), executable: "/target/engine-1".into(), folder: "/house/cli".into() };
        assert_eq!(test_programs(&lines.join("\n")).expect("they are complete"), [engine]);
        assert!(test_programs(r#"{"profile":{"test":true},"executable":"/x","target":{"name":"x"}}"#).is_err());
    }
}
