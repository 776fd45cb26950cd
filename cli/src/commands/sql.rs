//! `plyfold sql`: runs the program `plyfold-sql`, which is built apart because DataFusion takes minutes to build.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

use crate::failure::{CliFailure, Result};
use crate::interrupt;

/// Ask a corpus, or several as one library, in SQL.
///
/// This runs the program plyfold-sql, which lies beside this one or on the PATH: `plyfold sql --help` shows its options.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct Arguments {
    /// The library, the statement, and options of plyfold-sql.
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Runs the command, and ends with the exit code of the program.
///
/// # Errors
///
/// The program is missing or cannot be started.
pub fn run(arguments: &Arguments) -> Result<()> {
    let name = format!("plyfold-sql{EXE_SUFFIX}");
    let beside = std::env::current_exe().ok().map(|own| own.with_file_name(&name)).filter(|path| path.is_file());
    let program = beside.unwrap_or_else(|| PathBuf::from(&name));
    // An interrupt reaches the program too, which says what became of its output.
    interrupt::leave_to_child();
    match Command::new(&program).args(&arguments.arguments).status() {
        // A signal that ended it has no code.
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(CliFailure::Other(format!(
            "SQL needs the program {name} beside plyfold or on the PATH: build it by `cargo build --release` in the folder sql \
             of the project, and copy target/release/{name} there"
        ))),
        Err(error) => Err(CliFailure::File { path: program, doing: "cannot be started", source: error }),
    }
}
