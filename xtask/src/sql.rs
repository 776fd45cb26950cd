//! The step "SQL": lints and tests of the workspace `sql`, and the tests of its Python package.

use anyhow::Result;

use crate::command::{build_folder, cargo, program, run as run_command};
use crate::machine;
use crate::paths::in_project;

/// What builds the Python package, and what its tests use.
const PYTHON_PACKAGES: &[&str] = &[
    "maturin==1.16.0",
    "chess==1.11.2",
    "ipykernel==7.4.0",
    "moto[s3,server]==5.2.5",
    "nbclient==0.11.0",
    "nbformat==5.11.1",
    "pandas==3.1.1",
    "polars==2.1.0",
    "pyarrow==26.0.1",
    "pytest==9.2.0",
];

/// Checks the workspace. One profile and one selection of packages keep DataFusion from being built several times.
///
/// # Errors
/// A check fails, or something that it needs cannot be installed.
pub fn check() -> Result<()> {
    run_command(cargo().args(["fmt", "--manifest-path", "sql/Cargo.toml", "--all", "--check"]))?;
    let folder = in_project("target/sql");
    let sql = |words: &[&str]| {
        let mut command = cargo();
        command.args(words).args(["--manifest-path", "sql/Cargo.toml", "--workspace"]);
        command.env("CARGO_TARGET_DIR", &folder);
        command
    };
    run_command(sql(&["clippy"]).args(["--all-targets", "--", "-D", "warnings"]))?;
    run_command(&mut sql(&["test"]))?;
    let python = machine::python_with(".cache/python-sql", PYTHON_PACKAGES)?;
    let home = in_project(".cache/python-sql");
    let in_package = |tool: &str| {
        let mut command = program(home.join("bin").join(tool));
        command.current_dir(in_project("sql/python")).env("VIRTUAL_ENV", &home).env("CARGO_TARGET_DIR", &folder);
        command
    };
    run_command(in_package("maturin").args(["develop", "--quiet"]))?;
    // The tests of the workspace have built this program.
    run_command(
        program(python)
            .args(["-m", "pytest", "--quiet"])
            .current_dir(in_project("sql/python"))
            .env("PLYFOLD_CLI", build_folder().join("debug/plyfold")),
    )
}
