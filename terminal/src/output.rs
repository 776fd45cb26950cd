//! Writes results to standard output, or to a file that appears when it is complete.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use clap::ValueEnum;
use plyfold_files::{FileError, is_standard_output};
use serde::Serialize;

use crate::partial_output::PartialOutput;
use crate::printable;
use crate::program::{Failure, has_colours};

/// How a command writes its report, where only these two make sense.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ReportFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Writes a result to `path`, or to standard output without one.
///
/// A file appears when it is complete. Unless `replaces`, no file may have its name.
///
/// # Errors
///
/// Those of `answer`, and those of writing.
pub fn write<F: Failure>(
    path: Option<&Path>,
    replaces: bool,
    answer: impl FnOnce(&mut dyn Write) -> Result<(), F>,
) -> Result<(), F> {
    let cannot =
        |path: &Path, source| F::from(FileError::File { path: path.into(), action: "cannot be written", source });
    let done = match path.filter(|path| !is_standard_output(path)) {
        None => {
            let is_terminal = io::stdout().is_terminal();
            let colours = has_colours(is_terminal, |name| std::env::var_os(name));
            write_buffered(&mut io::stdout().lock(), |out| printable::stream(out, (is_terminal, colours), answer))
        }
        // A pipe, a device or anything else that is not a regular file.
        Some(path) if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) => {
            let mut file = OpenOptions::new().write(true).open(path).map_err(|error| cannot(path, error))?;
            write_buffered(&mut file, answer)
        }
        Some(path) => {
            let mut file = PartialOutput::begin(path, replaces)?;
            write_buffered(&mut file, answer).and_then(|()| Ok(file.finish()?))
        }
    };
    match (done, path) {
        (Err(failure), Some(path)) => Err(failure.into_output_error().map_or_else(|other| other, |e| cannot(path, e))),
        (done, _) => done,
    }
}

fn write_buffered<F: Failure>(
    out: &mut dyn Write,
    answer: impl FnOnce(&mut dyn Write) -> Result<(), F>,
) -> Result<(), F> {
    let mut buffer = BufWriter::with_capacity(64 << 10, out);
    answer(&mut buffer)?;
    Ok(buffer.flush()?)
}

/// Writes a result to standard output.
///
/// # Errors
///
/// Those of `answer`, and those of writing.
pub fn print<F: Failure>(answer: impl FnOnce(&mut dyn Write) -> Result<(), F>) -> Result<(), F> {
    write(None, false, answer)
}

/// Writes a report to standard output: as `text` does, or as one line of JSON.
///
/// # Errors
///
/// Those of [`write()`].
pub fn report<F: Failure>(
    format: ReportFormat,
    value: &impl Serialize,
    text: impl FnOnce(&mut dyn Write) -> Result<(), F>,
) -> Result<(), F> {
    print(|out| match format {
        ReportFormat::Text => printable::text(out, text),
        ReportFormat::Json => Ok(json(out, value)?),
    })
}

/// Writes rows to standard output: as `text` does, or as one line of JSON each.
///
/// # Errors
///
/// Those of [`write()`].
pub fn report_rows<F: Failure>(
    format: ReportFormat,
    rows: &[impl Serialize],
    text: impl FnOnce(&mut dyn Write) -> Result<(), F>,
) -> Result<(), F> {
    print(|out| match format {
        ReportFormat::Text => printable::text(out, text),
        ReportFormat::Json => Ok(rows.iter().try_for_each(|row| json(out, row))?),
    })
}

/// Writes an object as one line of JSON.
///
/// # Errors
///
/// The output cannot be written.
pub fn json(out: &mut dyn Write, object: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, object)?;
    writeln!(out)
}
