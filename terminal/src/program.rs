//! The frame of a program: arguments, interrupts, messages and exit codes.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;

use clap::Parser;
use plyfold_files::{FileError, escape_control_lines, escape_controls};

use crate::interrupt;

/// Bold red, and bold cyan.
const FAILURE: &str = "\x1b[1;31m";
const NOTE: &str = "\x1b[1;36m";

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
    run_advised(name, |_| {}, command)
}

/// The same for a program that knows more about mistakes of its command line: `advise` adds that to the error.
pub fn run_advised<A: Parser, F: Failure>(
    name: &'static str,
    advise: impl FnOnce(&mut clap::Error),
    command: impl FnOnce(A) -> Result<(), F>,
) -> ExitCode {
    let arguments = A::try_parse().unwrap_or_else(|mut error| {
        advise(&mut error);
        exit_with_usage_error(&error)
    });
    NAME.get_or_init(|| name);
    let installed = interrupt::install().map_err(|error| F::other(format!("cannot watch for interrupts: {error}")));
    let failure = match installed.and_then(|()| command(arguments)).map_err(Failure::into_output_error) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Ok(error)) if error.kind() == ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
        Err(Ok(error)) => F::from(error),
        Err(Err(failure)) => failure,
    };
    write_line(&failure.to_string(), FAILURE);
    ExitCode::from(failure.exit_code())
}

/// Writes a note to standard error, where a result has no place for it.
pub fn write_note(note: &str) {
    write_line(&format!("note: {note}"), NOTE);
}

/// Writes a message of this program to standard error. It may quote a file, whose control characters must not steer the
/// terminal. If it cannot be written, the exit code still tells.
pub fn say(message: &str) {
    write_line(message, "");
}

/// Writes a message behind the name of the program, which has a colour on a terminal.
fn write_line(message: &str, colour: &str) {
    let shows = has_colours(io::stderr().is_terminal(), |name| std::env::var_os(name));
    let (colour, end) = if shows && !colour.is_empty() { (colour, "\x1b[0m") } else { ("", "") };
    let _ = writeln!(io::stderr(), "{colour}{}:{end} {}", name(), escape_control_lines(message));
}

/// Returns whether a stream shows colours, as clap decides it for its help: a terminal does, unless `NO_COLOR`
/// (<https://no-color.org>) is set, `CLICOLOR` is 0, or it is a dumb one. `CLICOLOR_FORCE` wins against all but the first.
pub fn has_colours(is_terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let forbids = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
    let forces = variable("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    let wants = variable("CLICOLOR").is_none_or(|value| value != "0");
    let is_able = variable("TERM").is_none_or(|terminal| terminal != "dumb");
    !forbids && (forces || is_terminal && wants && is_able)
}

/// The user's folder for what plyfold's programs can find out again: `$XDG_CACHE_HOME/plyfold`, or `~/.cache/plyfold`.
#[must_use]
pub fn cache_folder() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(caches.join("plyfold"))
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
