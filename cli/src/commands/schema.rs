//! `plyfold schema`: prints the JSON Schema of queries.

use std::path::PathBuf;

use plyfold_files::{OutputPlan, OverwriteRule};
use plyfold_terminal::output;

use crate::failure::Result;

/// Write the JSON Schema of queries as JSON.
///
/// The schema describes what `plyfold query --json-query` reads and `plyfold explain --format json` writes.
#[derive(clap::Args)]
pub struct Arguments {
    /// Write it to a file, which appears when it is complete.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long, requires = "output")]
    force: bool,
}

/// Runs the command.
///
/// # Errors
///
/// The schema cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut outputs = OutputPlan::new();
    if let Some(output) = &arguments.output {
        outputs.streams("-o", output, OverwriteRule::from_force(arguments.force));
    }
    outputs.check()?;
    output::write(arguments.output.as_deref(), arguments.force, |out| {
        Ok(out.write_all(plyfold_core::query::json::schema().as_bytes())?)
    })
}
