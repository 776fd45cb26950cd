//! The step "SQL": lints and tests of the workspace `sql`, and the tests of its Python package.

use std::fs;
use std::path::Path;
use std::thread;

use anyhow::{Result, bail};

use crate::command::{cargo, debug_program, linting_cargo, program, run as run_command};
use crate::machine;
use crate::paths::in_project;

/// What the tests of the Python package use.
const PYTHON_PACKAGES: &[&str] = &[
    "chess==1.11.2",
    "cryptography==50.0.2",
    "duckdb==2.0.1",
    "ipykernel==7.4.0",
    "matplotlib==3.11.2",
    "moto[s3,server]==5.2.5",
    "nbclient==0.11.0",
    "nbformat==5.11.1",
    "pandas==3.1.1",
    "polars==2.1.0",
    "pyarrow==26.0.1",
    "pytest==9.2.0",
    "werkzeug==3.1.9",
];

/// Checks the workspace. One profile, one selection of packages and one compiler keep DataFusion from being built several times: the
/// lints are those of the build for the tests.
///
/// # Errors
/// A check fails, or something that it needs cannot be installed.
pub fn check() -> Result<()> {
    let python = thread::scope(|scope| {
        // It downloads and unpacks meanwhile.
        let python = scope.spawn(|| machine::python_with(".cache/python-sql", PYTHON_PACKAGES));
        in_workspace(&["test"])?;
        // maturin would build DataFusion once more, with the features of the package alone. With the tests, the features are theirs.
        in_workspace(&["build", "--lib", "--tests"])?;
        python.join().unwrap_or_else(|_| bail!("preparing Python panicked"))
    })?;
    test_python_package(&in_project(TARGET).join("debug/libplyfold_native.so"), &python)
}

/// Checks how the workspace is laid out, which the format of the whole does not see.
///
/// # Errors
/// A file is not as rustfmt writes it.
pub fn check_format() -> Result<()> {
    run_command(cargo().args(["fmt", "--manifest-path", "sql/Cargo.toml", "--all", "--check"]))
}

/// Builds the program as its tests do.
///
/// # Errors
/// It does not compile.
pub fn build_program() -> Result<()> {
    in_workspace(&["build", "--bin", "plyfold-sql"])
}

/// Where the workspace is built.
const TARGET: &str = "target/sql";

/// Runs Cargo on the whole workspace.
fn in_workspace(words: &[&str]) -> Result<()> {
    let mut command = linting_cargo()?;
    command.args(words).args(["--manifest-path", "sql/Cargo.toml", "--workspace"]);
    // Python has the symbols that the library of the package lacks.
    command.env("CARGO_TARGET_DIR", in_project(TARGET)).env("PYO3_BUILD_EXTENSION_MODULE", "1");
    run_command(&mut command)
}

fn test_python_package(library: &Path, python: &Path) -> Result<()> {
    let package = in_project("sql/python");
    fs::copy(library, package.join("plyfold/_native.abi3.so"))?;
    // The tests of the workspace have built this program.
    run_command(
        program(python)
            .args(["-m", "pytest", "--quiet"])
            .current_dir(&package)
            .env("PYTHONPATH", &package)
            .env("PLYFOLD_CLI", debug_program("plyfold")),
    )
}
