//! The frame of a program: arguments, interrupts, messages and exit codes.

use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;
use std::sync::OnceLock;

use clap::Parser;
use plyfold_files::{FileError, escape_control_lines, escape_controls};

use crate::interrupt;

static NAME: OnceLock<&'static str> = OnceLock::new();

/// The reason why a command failed; its text is one sentence.
pub trait Failure: fmt::Display + From<io::Error> + From<FileError> {
    /// A failure of the machine, in a sentence of ours.
    fn other(sentence: String) -> Self;

    /// The exit code of the program.
    fn exit_code(&self) -> u8;

    /// What the system said if the output could not be written, which is what an [`io::Error`] alone becomes.
    ///
    /// # Errors
    ///
    /// The failure itself, if it is another one.
    fn into_output_error(self) -> Result<io::Error, Self>;
}

/// Runs the program of this name: reads its arguments, gives them to `command`, and reports its failure. It is no failure if the
/// reader of standard output has closed it.
pub fn run<A: Parser, F: Failure>(name: &'static str, command: impl FnOnce(A) -> Result<(), F>) -> ExitCode {
    let arguments = A::try_parse().unwrap_or_else(|error| exit_with_usage_error(&error));
    NAME.get_or_init(|| name);
    let installed = interrupt::install().map_err(|error| F::other(format!("cannot watch for interrupts: {error}")));
    let failure = match installed.and_then(|()| command(arguments)).map_err(Failure::into_output_error) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Ok(error)) if error.kind() == ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
        Err(Ok(error)) => F::from(error),
        Err(Err(failure)) => failure,
    };
    say(&failure.to_string());
    ExitCode::from(failure.exit_code())
}

/// Writes a note to standard error, where a result has no place for it.
pub fn write_note(note: &str) {
    say(&format!("note: {note}"));
}

/// Writes a message of this program to standard error. It may quote a file, whose control characters must not steer the
/// terminal. If it cannot be written, the exit code still tells.
pub fn say(message: &str) {
    let _ = writeln!(io::stderr(), "{}: {}", name(), escape_control_lines(message));
}

/// The name of the program.
pub(crate) fn name() -> &'static str {
    NAME.get().copied().unwrap_or_default()
}

/// Ends the program with clap's message: the help, the version, or a mistake. The message may quote what the user typed or
/// what a shell expanded, and that must not steer the terminal.
fn exit_with_usage_error(error: &clap::Error) -> ! {
    let has_names = error.use_stderr()
        && std::env::args_os().any(|word| escape_controls(&word.to_string_lossy()) != word.to_string_lossy());
    if !has_names {
        error.exit();
    }
    let text = error.render().to_string();
    // If even this cannot be written, the exit code still tells.
    let _ = write!(io::stderr(), "{}", escape_control_lines(&text));
    std::process::exit(error.exit_code())
}
