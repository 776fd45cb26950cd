//! Where an answer goes: to standard output, all at once or line by line.

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use super::failure::Result;

/// Writes an answer to standard output.
///
/// # Errors
///
/// Those of `answer`, and whatever keeps it from being written.
pub fn write(answer: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut out = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    answer(&mut out)?;
    out.flush()?;
    Ok(())
}

/// Writes an object in a line of JSON.
///
/// # Errors
///
/// As `out` says.
pub fn json(out: &mut dyn Write, object: &impl Serialize) -> Result<()> {
    serde_json::to_writer(&mut *out, object)?;
    writeln!(out)?;
    Ok(())
}
