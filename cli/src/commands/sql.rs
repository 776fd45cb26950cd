//! `plyfold sql`: runs the program `plyfold-sql`, which is built apart because DataFusion takes minutes to build.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use plyfold_terminal::interrupt;

use crate::failure::{CliFailure, Result};

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
    run_program(
        &arguments.arguments,
        |command| command.status(),
        |status| {
            // A signal that ended it has no code.
            std::process::exit(status.code().unwrap_or(1))
        },
    )
}

/// Runs plyfold-sql and takes what it writes; what it reports goes to standard error, and if it fails, this program ends with its
/// exit code.
///
/// # Errors
///
/// The program is missing or cannot be started.
pub fn output_of(arguments: &[OsString]) -> Result<Vec<u8>> {
    run_program(
        arguments,
        |command| command.stderr(Stdio::inherit()).output(),
        |output| {
            if !output.status.success() {
                std::process::exit(output.status.code().unwrap_or(1));
            }
            Ok(output.stdout)
        },
    )
}

fn run_program<R, T>(
    arguments: &[OsString],
    start: impl FnOnce(&mut Command) -> std::io::Result<R>,
    then: impl FnOnce(R) -> Result<T>,
) -> Result<T> {
    let name = format!("plyfold-sql{EXE_SUFFIX}");
    let beside = std::env::current_exe().ok().map(|own| own.with_file_name(&name)).filter(|path| path.is_file());
    let program = beside.unwrap_or_else(|| PathBuf::from(&name));
    // An interrupt reaches the program too, which says what became of its output.
    interrupt::leave_to_child();
    match start(Command::new(&program).args(arguments)) {
        Ok(ended) => then(ended),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(CliFailure::Other(format!(
            "SQL needs the program {name} beside plyfold or on the PATH: build it by `cargo build --release` in the folder sql \
             of the project, and copy target/release/{name} there"
        ))),
        Err(error) => Err(CliFailure::file(&program, "cannot be started")(error)),
    }
}
