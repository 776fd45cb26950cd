//! `cargo xtask torture`: attacks everything that reads input, with the program `torture` of `tests/bench`.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::command::{debug_program, linting_cargo, program, run as run_command};
use crate::sql;

#[derive(Args)]
pub struct TortureOptions {
    /// Seconds for all kinds of attack together
    #[arg(default_value_t = 600)]
    seconds: u64,
    /// The same seed makes the same attacks
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only one kind of attack; a name that there is not lists them
    #[arg(long, value_name = "KIND")]
    only: Option<String>,
    /// Only this attack of the kind, by its number
    #[arg(long, value_name = "N", requires = "only")]
    attack: Option<u64>,
    /// Write the counts to a file as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Builds and runs the attacks.
///
/// # Errors
/// An attack finds something. The program reports it, with the path of the input.
pub fn run(options: &TortureOptions) -> Result<()> {
    let mut words: Vec<OsString> =
        vec![options.seconds.to_string().into(), "--seed".into(), options.seed.to_string().into()];
    words.extend(options.only.iter().flat_map(|kind| ["--only".into(), kind.into()]));
    words.extend(options.attack.iter().flat_map(|number| ["--attack".into(), number.to_string().into()]));
    words.extend(options.json.iter().flat_map(|file| ["--json".into(), file.into()]));
    // DataFusion takes minutes to build, and one kind alone needs it.
    if options.only.as_deref().is_none_or(|kind| kind == "statements") {
        sql::build_program()?;
    }
    run_attacks(&words)
}

/// A fixed number of attacks of each kind, always the same ones.
///
/// # Errors
/// As [`run`].
pub fn run_short() -> Result<()> {
    run_attacks(&["--short".into(), "--seed".into(), "1".into()])
}

/// Builds the program and those that it attacks as the tests are built, so that little is built again after them.
fn run_attacks(words: &[OsString]) -> Result<()> {
    let programs = ["--bin", "torture", "--bin", "plyfold", "--bin", "egtgen"];
    run_command(linting_cargo()?.args(["build", "--profile", "test", "--workspace"]).args(programs))?;
    run_command(program(debug_program("torture")).args(words))
}
