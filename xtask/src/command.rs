//! Runs other programs. Every command line is printed before it runs, from the project's root and without stdin, and an
//! error names the command that failed.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::paths::{in_project, project_root};

/// A command that will run in the project's root folder.
pub fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(project_root()).stdin(Stdio::null());
    command
}

/// The cargo that runs this very program, so that nested calls use the same toolchain.
///
/// It builds whole trees here, from nothing or after a commit, where incremental builds cost a sixth more and twice the room. A plain
/// `cargo test` of one crate is incremental, and the two leave each other's work alone.
pub fn cargo() -> Command {
    let mut command = program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.env("CARGO_INCREMENTAL", "0");
    command
}

/// As [`cargo`], with Clippy in place of the compiler for the crates of the workspace, as `cargo clippy` has it: what it warns of is an
/// error. The lints are those of a build that has to be made anyway, where a check by itself reads every crate once more.
///
/// # Errors
/// There is no toolchain.
pub fn linting_cargo() -> Result<Command> {
    let sysroot = output_of(program("rustc").args(["--print", "sysroot"]))?;
    let driver = Path::new(sysroot.trim()).join("bin").join(format!("clippy-driver{}", std::env::consts::EXE_SUFFIX));
    let mut command = cargo();
    // The option `-D warnings`, as `cargo clippy` hands it to its driver.
    command.env("RUSTC_WORKSPACE_WRAPPER", driver).env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
    Ok(command)
}

/// Prints the command line, runs it, and waits.
///
/// # Errors
/// The program cannot be started, or does not exit with 0.
pub fn run(command: &mut Command) -> Result<()> {
    let line = line_of(command);
    println!("$ {line}");
    let status = command.status().with_context(|| format!("`{line}` could not be started"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// As [`run`]; also returns what the program prints on stdout, which is shown line by line.
///
/// # Errors
/// As [`run`].
pub fn run_and_keep(command: &mut Command) -> Result<String> {
    let line = line_of(command);
    println!("$ {line}");
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("`{line}` could not be started"))?;
    let mut kept = String::new();
    for printed in child.stdout.take().into_iter().flat_map(|output| BufReader::new(output).lines()) {
        let printed = printed?;
        println!("{printed}");
        kept += &printed;
        kept.push('\n');
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(kept)
}

/// Runs a program quietly, and returns what it prints on stdout.
///
/// # Errors
/// As [`run`]; the error contains what the program says on stderr.
pub fn output_of(command: &mut Command) -> Result<String> {
    let line = line_of(command);
    let output = command.output().with_context(|| format!("`{line}` could not be started"))?;
    if !output.status.success() {
        bail!("`{line}` failed ({}): {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Builds a package in release mode, and returns the path of its program, which has the same name.
///
/// # Errors
/// As [`run`].
pub fn release_build(package: &str) -> Result<PathBuf> {
    run(cargo().args(["build", "--release", "--package", package]))?;
    Ok(build_folder().join("release").join(package))
}

/// Builds a package as the tests do, so that neither is compiled again for the other; returns the path of its program, which has the
/// same name.
///
/// # Errors
/// As [`run`].
pub fn debug_build(package: &str) -> Result<PathBuf> {
    run(cargo().args(["build", "--package", package]))?;
    Ok(debug_program(package))
}

/// The path of a program that is not built for release.
pub fn debug_program(name: &str) -> PathBuf {
    build_folder().join("debug").join(name)
}

/// The folder in which Cargo builds.
pub fn build_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| in_project("target"), |folder| in_project("").join(folder))
}

/// The command as a person would type it from the project's root: programs by name, paths inside the project relative to it.
fn line_of(command: &Command) -> String {
    let root = format!("{}/", project_root().display());
    let name = Path::new(command.get_program()).file_name();
    std::iter::once(name.unwrap_or(command.get_program()))
        .chain(command.get_args())
        .map(|part| {
            let part = part.to_string_lossy().replace(&root, "");
            if part.contains(' ') { format!("'{part}'") } else { part }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_as_typed_from_the_root() {
        let mut command = program("node");
        command.arg(in_project("tests/e2e/run.mjs")).arg("two words");
        assert_eq!(line_of(&command), "node tests/e2e/run.mjs 'two words'");
    }

    #[test]
    fn failure_names_the_command() {
        let error = run(program("false").arg("--really")).expect_err("false fails");
        assert!(error.to_string().starts_with("`false --really` failed"));
    }

    #[test]
    fn output_is_what_was_printed() {
        let text = output_of(program("echo").arg("a1")).expect("echo works");
        assert_eq!(text, "a1\n");
    }
}
