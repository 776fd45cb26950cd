//! Writes results to standard output, at once or line by line.

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use super::failure::Result;

/// Writes a result to standard output.
///
/// # Errors
///
/// The closure fails, or the output cannot be written.
pub fn write(answer: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut out = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    answer(&mut out)?;
    out.flush()?;
    Ok(())
}

/// Writes an object as one line of JSON.
///
/// # Errors
///
/// The output cannot be written.
pub fn json(out: &mut dyn Write, object: &impl Serialize) -> Result<()> {
    serde_json::to_writer(&mut *out, object)?;
    writeln!(out)?;
    Ok(())
}
