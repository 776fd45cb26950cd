//! Where results go: to standard output, or to a file that appears when it is complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};
use std::path::Path;

use plyfold_files::is_standard_output;
use serde::Serialize;

use crate::failure::{CliFailure, Result};
use crate::output_format::OutputFormat;
use crate::partial_output::PartialOutput;

enum OutputTarget {
    Stdout(StdoutLock<'static>),
    /// A pipe, a device or anything else that is not a regular file.
    Direct(File),
    File(PartialOutput),
}

/// Writes a result to `path`, or to standard output without one.
///
/// A file appears when it is complete. Unless `replaces`, no file may have its name.
///
/// # Errors
///
/// Those of `answer`, and those of writing.
pub fn write(path: Option<&Path>, replaces: bool, answer: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let out = match path.filter(|path| !is_standard_output(path)) {
        None => OutputTarget::Stdout(io::stdout().lock()),
        Some(path) if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) => {
            let file =
                OpenOptions::new().write(true).open(path).map_err(CliFailure::file(path, "cannot be written"))?;
            OutputTarget::Direct(file)
        }
        Some(path) => OutputTarget::File(PartialOutput::begin(path, replaces)?),
    };
    let mut buffer = BufWriter::with_capacity(64 << 10, out);
    let done = answer(&mut buffer).and_then(|()| {
        buffer.flush()?;
        match buffer.into_inner().map_err(|error| CliFailure::Output(error.into_error()))? {
            OutputTarget::File(file) => Ok(file.finish()?),
            OutputTarget::Stdout(_) | OutputTarget::Direct(_) => Ok(()),
        }
    });
    done.map_err(|failure| match (failure, path) {
        (CliFailure::Output(error), None) if error.kind() == ErrorKind::BrokenPipe => CliFailure::BrokenPipe,
        (CliFailure::Output(error), Some(path)) => CliFailure::file(path, "cannot be written")(error),
        (failure, _) => failure,
    })
}

/// Writes a report to standard output: as `text` does, or as one line of JSON.
///
/// # Errors
///
/// Those of [`write()`].
pub fn report(
    format: OutputFormat,
    value: &impl Serialize,
    text: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    write(None, false, |out| match format {
        OutputFormat::Text => text(out),
        OutputFormat::Json => {
            serde_json::to_writer(&mut *out, value)?;
            writeln!(out)?;
            Ok(())
        }
    })
}

impl Write for OutputTarget {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            OutputTarget::Stdout(out) => out.write(bytes),
            OutputTarget::Direct(out) => out.write(bytes),
            OutputTarget::File(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            OutputTarget::Stdout(out) => out.flush(),
            OutputTarget::Direct(out) => out.flush(),
            OutputTarget::File(out) => out.flush(),
        }
    }
}
